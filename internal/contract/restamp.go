package contract

import "time"

// RestampOptions are the owner's choices at a restamp.
type RestampOptions struct {
	// ReplaceSerial is the serial to be replaced by a new one: it was refused permanently, and the caller has just found
	// that the office reports it as unused. Empty: the document keeps its serials.
	ReplaceSerial string
	// InDoubt says that an earlier call for that serial may still be carried out: the serial is not free until the
	// reconciliation says so.
	InDoubt bool
}

// Restamp returns a failed document to processing with its serials, unless the owner wants a new one.
func Restamp(d *Document, o RestampOptions, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRestamp); err != nil {
		return Change{}, err
	}
	return restampFailed(d, o, by, now)
}

func restampFailed(d *Document, o RestampOptions, by Actor, now time.Time) (Change, error) {
	if err := by.Key.requireStamps(len(d.Stamps)); err != nil {
		return Change{}, err // also where an admin resumes it
	}
	if d.State != Failed {
		return Change{}, ErrNotFailed
	}
	c := newChange(d)
	c.After.State, c.After.Reason, c.After.Restamping = Processing, "", true
	c.addEvent(EventRestamp, by, now)
	i := d.RefusedStamp()
	switch {
	case o.ReplaceSerial != "" && (i < 0 || d.Stamps[i].Serial != o.ReplaceSerial):
		return Change{}, ErrNotRefused
	case o.ReplaceSerial != "":
		c.replaceSerial(i, o.InDoubt, by, now)
	case i >= 0:
		c.reuseSerial(i, now)
	}
	c.addJob(c.After.NextJob())
	return c, nil
}

// RefusedStamp returns the index into Stamps of the stamp whose serial was refused permanently or quarantined, or -1.
func (d *Document) RefusedStamp() int {
	i := d.NextStamp()
	if i < 0 || d.Stamps[i].State != StampRefused && d.Stamps[i].State != StampQuarantined {
		return -1
	}
	return i
}

// reuseSerial continues with the serial of stamp i. A quarantined serial is used again: the same bytes with the same
// serial cost nothing, and the result is checked again.
func (c *Change) reuseSerial(i int, now time.Time) {
	s := &c.After.Stamps[i]
	if s.State == StampQuarantined {
		c.addSerialMove(i, SerialQuarantined, SerialBound, now).To.Problem = s.Problem
	}
	s.State, s.Failures = StampBound, 0
}

// replaceSerial releases the serial of stamp i, which becomes free for others (immediately, unless that is in doubt),
// and orders another one. The unit reserved for the stamp pays for the new serial; if the old serial cannot be used
// any more, another unit is spent for it.
func (c *Change) replaceSerial(i int, doubt bool, by Actor, now time.Time) {
	s, to := &c.After.Stamps[i], SerialFree
	if doubt {
		to = SerialBought
	}
	if lost := c.releaseSerial(i, to, s.Problem, by, now); lost {
		c.addQuotaMove(UnitStamp, QuotaSpend, 1)
		c.addQuotaMove(UnitStamp, QuotaReserve, 1)
	}
	s.State, s.Order, s.Failures, s.Problem = StampOrdered, "", 0, ""
}

// ErrNotWaiting refuses a document that is not waiting for the service.
var ErrNotWaiting = Refuse(Conflict, "document.not_waiting")

// RetryByAdmin makes the service work on a stalled document immediately, on an admin's request: the job of a waiting
// document runs now, and a failed document continues as after its owner's restamp, with its serials.
func RetryByAdmin(d *Document, by Actor, now time.Time) (Change, error) {
	if _, err := by.AuthoriseAdmin(AdminRetry, d.Organisation); err != nil {
		return Change{}, err
	}
	if err := by.Key.requireMode(d, OpRestamp); err != nil {
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

// requeueWork enqueues the pending work again: at most one job of its kind waits for the document, and the waiting one becomes due now. A job of another
// kind may be at work on it meanwhile: the one that affixed the last stamp completes the document too.
func requeueWork(d *Document, by Actor, now time.Time) (Change, error) {
	work := d.NextJob()
	if work == "" {
		return Change{}, ErrNotWaiting
	}
	c := newChange(d)
	c.addEvent(EventRetried, by, now)
	c.Jobs = append(c.Jobs, Job{Kind: work, Document: d.ID})
	return c, nil
}
