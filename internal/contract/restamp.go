package contract

import "time"

// RestampOptions are the owner's wishes at a restamp.
type RestampOptions struct {
	// ReplaceSerial is the serial to be let go of, for a new one: it was refused for good, and the office has just called it
	// unused, which is the caller's to ask. Empty: the document goes on with the serials it has.
	ReplaceSerial string
	// InDoubt says that an earlier call on that serial may still be carried out: it is not free before the reconciliation says so.
	InDoubt bool
}

// Restamp leads a failed document back to processing, with the serials it has, unless the owner wishes a new one.
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

// RefusedStamp returns the index into Stamps of the one whose serial was refused for good or quarantined, or -1.
func (d *Document) RefusedStamp() int {
	i := d.findNextStamp()
	if i < 0 || d.Stamps[i].State != StampRefused && d.Stamps[i].State != StampQuarantined {
		return -1
	}
	return i
}

// reuseSerial goes on with the serial that stamp i has. A quarantined one is taken back: the same bytes under the same
// serial cost nothing, and what comes back is judged anew.
func (c *Change) reuseSerial(i int, now time.Time) {
	s := &c.After.Stamps[i]
	if s.State == StampQuarantined {
		c.addSerialMove(i, SerialQuarantined, SerialBound, now).To.Problem = s.Problem
	}
	s.State, s.Failures = StampBound, 0
}

// replaceSerial lets go of the serial of stamp i, which becomes free for others, at once unless that is in doubt, and orders
// another. The unit that is reserved for the stamp pays for the new one; a serial that is of no use to anybody any more
// is paid for by another.
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
