package contract

import (
	"fmt"
	"time"
)

// minRenewalInterval is how long a document is left alone after its timestamp was looked at, whatever the certificates say.
const minRenewalInterval = 24 * time.Hour

// RenewalAt returns when a document's newest timestamp is to be renewed: so long before it loses its strength, because
// the certificate of its authority ends. Where that is near already, because authorities use short certificates or the
// notice is long, it is half of what is left, so that a document does not grow with each look at it.
func RenewalAt(ends, now time.Time, notice time.Duration) time.Time {
	at := ends.Add(-notice)
	if half := now.Add(ends.Sub(now) / 2); at.Before(half) {
		at = half
	}
	if least := now.Add(minRenewalInterval); at.Before(least) {
		at = least
	}
	return at
}

// Renew records a further timestamp over a completed document, with the proof about the one before, and when it is to
// be renewed in turn. Nothing else about the document changes.
func Renew(d *Document, added []Revision, next, now time.Time) (Change, error) {
	if d.State != Completed {
		return Change{}, ErrNotCompleted
	}
	c := newChange(d)
	for _, r := range added {
		r.At = now
		if err := c.AppendRevision(r); err != nil {
			return Change{}, err
		}
	}
	c.Renewal = next
	c.addEvent(EventTimeRenewed, Actor{}, now, "digest", fmt.Sprintf("%x", c.After.Current().Digest), "next", next.UTC().Format(time.RFC3339))
	return c, nil
}

// PostponeRenewal settles when a completed document's timestamp is looked at again.
func PostponeRenewal(d *Document, next time.Time) (Change, error) {
	if d.State != Completed {
		return Change{}, ErrNotCompleted
	}
	c := newChange(d)
	c.Renewal = next
	return c, nil
}
