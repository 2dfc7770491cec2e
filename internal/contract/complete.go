package contract

import (
	"fmt"
	"time"
)

// requireReadyToClose returns an error unless all signatures are made and all stamps affixed.
func (d *Document) requireReadyToClose() error {
	if d.NextJob() != JobComplete {
		return ErrNotActive
	}
	return nil
}

// DelayClosing records why completion has to wait. The document stays processing and the job tries again; recording
// the same problem twice changes nothing. There is no event about a clock in doubt, because its own time would be in
// doubt.
func DelayClosing(d *Document, p Problem, now time.Time) (c Change, changed bool, err error) {
	if err := d.requireReadyToClose(); err != nil {
		return Change{}, false, err
	}
	problem := p.String()
	if d.Reason == problem {
		return Change{}, false, nil
	}
	c = newChange(d)
	c.At, c.After.Reason = now, problem
	if p.Code != ProblemClockInDoubt {
		c.addEvent(EventClosingDelayed, Actor{}, now, "problem", problem)
	}
	return c, true, nil
}

// FailClosing records that the document cannot be completed as it is, for example because a certificate had been
// revoked before it was used to sign. The content of the file stays. A restamp tries again; the owner may cancel
// instead.
func FailClosing(d *Document, p Problem, now time.Time) (Change, error) {
	if err := d.requireReadyToClose(); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.failDocument(p.String())
	c.addEvent(EventClosingFailed, Actor{}, now, "problem", p.String())
	return c, nil
}

// Complete records the last revisions: seal, validation data and document timestamp.
func Complete(d *Document, closing []Revision, now time.Time) (Change, error) {
	if err := d.requireReadyToClose(); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	if err := c.appendRevisions(closing, now); err != nil {
		return Change{}, err
	}
	c.After.State, c.After.EndedAt, c.After.Restamping, c.After.Reason = Completed, now, false, ""
	c.addEvent(EventCompleted, Actor{}, now, "digest", fmt.Sprintf("%x", c.After.Current().Digest))
	c.announceCompletion(now)
	c.addJob(JobEvidence)
	return c, nil
}

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
	if d.IsRemoved() {
		return Change{}, ErrRemoved
	}
	c := newChange(d)
	c.Renewal = next
	return c, nil
}
