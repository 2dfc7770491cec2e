package contract

import (
	"fmt"
	"time"
)

// minRenewalInterval is the shortest time between two looks at a document's timestamp, whatever the certificates say.
const minRenewalInterval = 24 * time.Hour

// RenewalAt returns when a document's newest timestamp is to be renewed: the notice before the certificate of its
// time-stamp authority expires. If that is near, because the authority uses short certificates or the notice is long,
// it is half of the remaining time, so that a document does not grow with each check.
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

// Renew records another timestamp over a completed document, with validation data for the previous one, and when to
// renew it again. Nothing else about the document changes.
func Renew(d *Document, added []Revision, next, now time.Time) (Change, error) {
	if d.State != Completed {
		return Change{}, ErrNotCompleted
	}
	c := newChange(d)
	if err := c.appendRevisions(added, now); err != nil {
		return Change{}, err
	}
	c.Renewal = next
	c.addEvent(EventTimeRenewed, Actor{}, now, "digest", fmt.Sprintf("%x", c.After.Current().Digest), "next", next.UTC().Format(time.RFC3339))
	return c, nil
}

// PostponeRenewal sets when the timestamp of a completed document is checked again.
func PostponeRenewal(d *Document, next time.Time) (Change, error) {
	if d.State != Completed {
		return Change{}, ErrNotCompleted
	}
	c := newChange(d)
	c.Renewal = next
	return c, nil
}
