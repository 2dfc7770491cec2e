package contract

import "time"

// ErrNotWaiting is a document that does not wait for the service.
var ErrNotWaiting = Refuse(Conflict, "document.not_waiting")

// Retry has a document that stands still tried again at once, on an admin's word: the job of one that waits is woken,
// and one that failed goes on as by its owner's restamp, with the serials it has.
func Retry(d *Document, by Actor, now time.Time) (Change, error) {
	if _, err := by.Administer(AdminRetry, d.Organisation); err != nil {
		return Change{}, err
	}
	if d.State == Failed {
		return restamp(d, RestampOptions{}, by, now)
	}
	return wake(d, by, now)
}

// RetryOwn has a document that waits for the service tried again at once, on its owner's word. One that failed is
// [Restamp]'s.
func RetryOwn(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRetry); err != nil {
		return Change{}, err
	}
	return wake(d, by, now)
}

// wake orders the work again that the service owes: at most one of a kind waits, and the one that does is due now.
func wake(d *Document, by Actor, now time.Time) (Change, error) {
	work, waits := d.Work()
	if !waits {
		return Change{}, ErrNotWaiting
	}
	c := change(d)
	c.note(EventRetried, by, now)
	c.Jobs = append(c.Jobs, Job{Kind: work, Document: d.ID})
	return c, nil
}

// Work returns what the service owes the document; waits is false where it owes nothing, or people do.
func (d *Document) Work() (work JobKind, waits bool) {
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
