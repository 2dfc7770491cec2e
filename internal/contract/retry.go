package contract

import "time"

// ErrNotWaiting is a document that does not wait for the service.
var ErrNotWaiting = Refuse(Conflict, "document.not_waiting")

// RetryByAdmin has a document that stands still tried again at once, on an admin's word: the job of one that waits is woken,
// and one that failed goes on as by its owner's restamp, with the serials it has.
func RetryByAdmin(d *Document, by Actor, now time.Time) (Change, error) {
	if _, err := by.AuthoriseAdmin(AdminRetry, d.Organisation); err != nil {
		return Change{}, err
	}
	if d.State == Failed {
		return restampFailed(d, RestampOptions{}, by, now)
	}
	return requeueWork(d, by, now)
}

// RetryByOwner has a document that waits for the service tried again at once, on its owner's word. One that failed is
// [Restamp]'s.
func RetryByOwner(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRetry); err != nil {
		return Change{}, err
	}
	return requeueWork(d, by, now)
}

// requeueWork orders the work again that the service owes: at most one of a kind waits, and the one that does is due now.
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

// PendingWork returns what the service owes the document; waits is false where it owes nothing, or people do.
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
