package contract

import (
	"fmt"
	"slices"
	"time"
)

// SealField returns the name of the signature field in which the organisation seals the finished document.
func (d *Document) SealField() string { return d.uniqueFieldName("Seal") }

// uniqueFieldName makes the name of a field that no other has: a file may have been through here, or another service
// like this, before.
func (d *Document) uniqueFieldName(what string) string {
	const unique = 8 // of the random characters at the end of the document's name
	return "Segel-" + d.Name[max(0, len(d.Name)-unique):] + "-" + what
}

// FinalizeOptions are the owner's wishes at finalize.
type FinalizeOptions struct {
	StampOnly      bool          // demand a stamping order
	AcceptFindings []FindingCode // kinds of findings that are refused otherwise; others, and those that were not found, change nothing
}

// Finalize freezes people and placements, reserves the quota for all that is ordered and starts the work.
// Finalizing again is no error and changes nothing: done is true then and the change is empty.
//
// What was found in the file and is refused by default, the owner has to accept by its code.
//
// A stamping order needs no signature: all placements are duty stamps and there is no signer but the owner,
// or StampOnly demands it and all placements are duty stamps.
func Finalize(d *Document, o FinalizeOptions, by Actor, now time.Time) (c Change, done bool, err error) {
	if err := d.Authorise(by, OpFinalize); err != nil {
		return Change{}, false, err
	}
	if !d.FinalizedAt.IsZero() {
		return Change{}, true, nil
	}
	if d.State != Draft || d.isPastDeadline(now) {
		return Change{}, false, ErrExpired
	}
	if err := d.RequirePDF(); err != nil {
		return Change{}, false, err
	}
	mode, err := d.chooseMode(o)
	if err != nil {
		return Change{}, false, err
	}
	if err := d.checkFindings(o.AcceptFindings); err != nil {
		return Change{}, false, err
	}
	c = newChange(d)
	c.acceptFindings(o.AcceptFindings, by, now)
	after := &c.After
	after.State, after.Mode, after.FinalizedAt = Processing, mode, now
	after.Stamps = nil
	for i, p := range after.Placements {
		if p.Kind == PlaceStamp {
			after.Stamps = append(after.Stamps, Stamp{Placement: i, State: StampOrdered})
		}
	}
	signers := 0
	if mode == Signing {
		for i := range after.Participants {
			if p := &after.Participants[i]; p.Role == Signer {
				signers++
				p.Field = after.uniqueFieldName(fmt.Sprint(signers))
			}
		}
	}
	c.addEvent(EventFinalized, by, now, "mode", string(mode))
	c.addQuotaMove(UnitStamp, QuotaReserve, len(after.Stamps))
	c.addQuotaMove(UnitSignature, QuotaReserve, signers)
	if mode == Stamping {
		c.addJob(JobStamp)
	}
	return c, false, nil
}

// OnlyStamps reports whether there is something to stamp, and nothing else was placed.
func (d *Document) OnlyStamps() bool {
	for _, p := range d.Placements {
		if p.Kind != PlaceStamp {
			return false
		}
	}
	return len(d.Placements) > 0
}

func (d *Document) chooseMode(o FinalizeOptions) (Mode, error) {
	signers := d.Signers()
	others := slices.ContainsFunc(signers, func(p Participant) bool { return p.ID != d.Owner.ID })
	switch {
	case o.StampOnly && !d.OnlyStamps():
		return "", ErrStampOnly
	case o.StampOnly, d.OnlyStamps() && !others:
		return Stamping, nil
	case len(signers) == 0:
		return "", ErrNothingToDo
	}
	return Signing, nil
}

// isPastDeadline reports whether the document's time has run out.
func (d *Document) isPastDeadline(now time.Time) bool {
	return !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt)
}
