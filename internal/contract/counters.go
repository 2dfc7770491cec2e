package contract

// Count is a number of each unit.
type Count struct {
	Stamps     int
	Signatures int
}

// Counters tell what became of a document's quota: Used is reserved or spent, Success spent, Failed released
// or lost.
type Counters struct{ Used, Success, Failed Count }

// Counters counts the document's quota.
func (d *Document) Counters() Counters {
	var c Counters
	if d.FinalizedAt.IsZero() {
		return c
	}
	for _, s := range d.Stamps {
		countUnit(&c, func(n *Count) *int { return &n.Stamps }, s.State == StampAffixed, d.State.Final())
	}
	for _, p := range d.Participants {
		if d.Mode == Signing && p.Role == Signer {
			countUnit(&c, func(n *Count) *int { return &n.Signatures }, !p.SignedAt.IsZero(), d.State.Final())
		}
	}
	return c
}

func countUnit(c *Counters, unit func(*Count) *int, spent, ended bool) {
	switch {
	case spent:
		*unit(&c.Used)++
		*unit(&c.Success)++
	case ended:
		*unit(&c.Failed)++
	default:
		*unit(&c.Used)++
	}
}

// Paid reports whether all that the document needs is reserved or spent.
func (d *Document) Paid() bool {
	return !d.FinalizedAt.IsZero() && d.State != Rejected && d.State != Canceled && d.State != Expired
}
