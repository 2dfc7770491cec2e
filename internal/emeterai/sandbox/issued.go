package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// Issued is a serial that the office issued, as its journal has it.
type Issued struct {
	Serial string
	Order  string    // empty where it was taken over the protocol
	Payer  string    // identifier of who pays; may be empty
	File   string    // name that it was taken for
	Source string    // SHA-256 of what it is affixed to, in hexadecimal; empty: it is unused
	At     time.Time // of the last entry about it
}

// Issued returns all serials that were issued, by serial.
func (f *Office) Issued() []Issued {
	f.mu.Lock()
	defer f.mu.Unlock()
	orders := make(map[string]string, len(f.orders))
	for order, s := range f.orders {
		orders[s] = order
	}
	all := make([]Issued, 0, len(f.serials))
	for name, s := range f.serials {
		all = append(all, Issued{name, orders[name], s.payer, s.file, s.source, s.at})
	}
	slices.SortFunc(all, func(a, b Issued) int { return cmp.Compare(a.Serial, b.Serial) })
	return all
}
