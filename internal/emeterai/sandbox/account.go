package sandbox

import (
	"context"

	"segel/internal/emeterai"
)

// ListSerials lists what was issued in process, oldest first.
func (f *Office) ListSerials(context.Context) ([]emeterai.Serial, error) {
	return f.listIssued(""), nil
}

// listIssued lists the serials of an account, oldest first.
func (f *Office) listIssued(account string) []emeterai.Serial {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []emeterai.Serial
	for _, name := range f.issued[account] {
		all = append(all, f.serials[name].asListed(name))
	}
	return all
}

func (s *serial) asListed(name string) emeterai.Serial {
	line := emeterai.Serial{Serial: name, Status: emeterai.Unused, File: s.file, At: s.at}
	if s.source != "" {
		line.Status = emeterai.Affixed
	}
	return line
}

// Balance tells what is left of Options.Units.
func (f *Office) Balance(context.Context) (emeterai.Balance, error) {
	return f.accountBalance(""), nil
}

func (f *Office) accountBalance(account string) emeterai.Balance {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := emeterai.Balance{Left: max(f.unitLimit()-len(f.issued[account]), 0)}
	for _, name := range f.issued[account] {
		if f.serials[name].source == "" {
			b.Unused++
		}
	}
	return b
}

// unlimitedUnits is what an account may take where nobody set a number.
const unlimitedUnits = 1_000_000_000

// unitLimit returns what an account may take in all.
func (f *Office) unitLimit() int {
	if f.o.Units > 0 {
		return f.o.Units
	}
	return unlimitedUnits
}

// Availability is always given: the office is in process.
func (f *Office) Availability() emeterai.Availability { return emeterai.Availability{} }
