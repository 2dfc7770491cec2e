package contract

import (
	"fmt"
	"slices"
	"time"
)

// SealField returns the name of the signature field in which the organisation seals the finished document.
func (d *Document) SealField() string { return d.uniqueFieldName("Seal") }

// uniqueFieldName returns a field name that no other document uses: the uploaded file may have been signed by this
// service, or one like it, before.
func (d *Document) uniqueFieldName(what string) string {
	const unique = 8 // number of random characters taken from the end of the document's name
	return "Segel-" + d.Name[max(0, len(d.Name)-unique):] + "-" + what
}

// FinalizeOptions are the owner's choices at finalize.
type FinalizeOptions struct {
	StampOnly      bool          // require a stamping order
	AcceptFindings []FindingCode // kinds of findings that are refused otherwise; codes that were not found have no effect
}

// Finalize freezes people and placements, reserves the quota for the whole order and starts the work. Finalizing again
// is not an error and changes nothing: changed is then false.
//
// Findings that are refused by default must be accepted by the owner, by their codes.
//
// A stamping order needs no signature: all placements are duty stamps and there is no signer other than the owner, or
// StampOnly requires it and all placements are duty stamps. No order does without its approvers, or is of approvers alone.
func Finalize(d *Document, o FinalizeOptions, by Actor, now time.Time) (c Change, changed bool, err error) {
	if err := d.Authorise(by, OpFinalize); err != nil {
		return Change{}, false, err
	}
	if !d.FinalizedAt.IsZero() {
		return Change{}, false, nil
	}
	if d.State != Draft || d.isPastDeadline(now) {
		return Change{}, false, ErrExpired
	}
	if err := d.RequirePDF(); err != nil {
		return Change{}, false, err
	}
	if err := d.requireFilled(); err != nil {
		return Change{}, false, err
	}
	mode, err := d.chooseMode(o)
	if err != nil {
		return Change{}, false, err
	}
	if mode == Signing {
		if err := d.requireWitnessed(); err != nil {
			return Change{}, false, err
		}
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
	if err := by.Key.requireStamps(len(after.Stamps)); err != nil {
		return Change{}, false, err
	}
	signers := 0
	if mode == Signing {
		for _, part := range after.signatureParts() {
			signers++
			for _, member := range after.GroupOf(part.ID) {
				after.Participant(member.ID).Field = after.uniqueFieldName(fmt.Sprint(signers)) // one for the whole group
			}
		}
	}
	c.addEvent(EventFinalized, by, now, append([]string{"mode", string(mode)}, after.Delivery.eventDetails()...)...)
	c.addQuotaMove(UnitStamp, QuotaReserve, len(after.Stamps))
	c.addQuotaMove(UnitSignature, QuotaReserve, signers)
	if mode == Stamping {
		c.addJob(JobStamp)
	}
	c.inviteNext(by, now)
	return c, true, nil
}

// OnlyStamps reports whether there is at least one placement and all placements are duty stamps.
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
	others := slices.ContainsFunc(signers, func(p Participant) bool { return p.ID != d.Owner.ID || p.Capacity != "" })
	switch {
	case o.StampOnly && slices.ContainsFunc(signers, Participant.MustApprove):
		return "", ErrStampOnlyApprovers
	case o.StampOnly && !d.OnlyStamps():
		return "", ErrStampOnly
	case o.StampOnly, d.OnlyStamps() && !others:
		return Stamping, nil
	case len(signers) == 0, !slices.ContainsFunc(signers, Participant.MustSign) && !slices.ContainsFunc(d.Placements, func(p Placement) bool { return p.Kind == PlaceStamp }):
		return "", ErrNothingToDo // approvals alone put nothing into the file
	}
	return Signing, nil
}
