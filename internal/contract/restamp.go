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
	c.addRemainingWork()
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
