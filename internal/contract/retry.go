package contract

import "time"

// ErrNotWaiting refuses a document that is not waiting for the service.
var ErrNotWaiting = Refuse(Conflict, "document.not_waiting")

// RetryByAdmin makes the service work on a stalled document immediately, on an admin's request: the job of a waiting
// document runs now, and a failed document continues as after its owner's restamp, with its serials.
func RetryByAdmin(d *Document, by Actor, now time.Time) (Change, error) {
	if _, err := by.AuthoriseAdmin(AdminRetry, d.Organisation); err != nil {
		return Change{}, err
	}
	if d.State == Failed {
		return restampFailed(d, RestampOptions{}, by, now)
	}
	return requeueWork(d, by, now)
}

// RetryByOwner makes the service work immediately on a document that waits for it, on the owner's request. For a
// failed document the owner uses [Restamp].
func RetryByOwner(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRetry); err != nil {
		return Change{}, err
	}
	return requeueWork(d, by, now)
}

// requeueWork enqueues the pending work again: at most one job of a kind waits, and the waiting one becomes due now.
func requeueWork(d *Document, by Actor, now time.Time) (Change, error) {
	work, waits := d.PendingWork()
	if !waits {
		return Change{}, ErrNotWaiting
	}
	c := newChange(d)
	c.addEvent(EventRetried, by, now)
	c.Jobs = append(c.Jobs, Job{Kind: work, Document: d.ID})
	return c, nil
}

// PendingWork returns the work that the service has to do for the document; waits is false if there is none, or people
// have to act.
func (d *Document) PendingWork() (work JobKind, waits bool) {
	switch {
	case d.State == Draft && d.Conversion.State == Converting:
		return JobConvert, true
	case d.State != Processing || !d.FullySigned():
		return "", false
	case d.NextStamp() >= 0:
		return JobStamp, true
	}
	return JobComplete, true
}
