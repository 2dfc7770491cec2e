package contract

import (
	"fmt"
	"slices"
	"time"
)

// Approve records that an approver approves the revision that they saw, and what follows: the turn of the next, the stamps, or the
// completion. Who is what is known about the approver. An approval needs the same proofs as a signature and leaves the file as it is.
//
// Durable with the commit: the approval, the digest of its revision and how the person was authenticated. Nothing precedes it.
func Approve(d *Document, shown ShownPages, who Attestation, by Actor, now time.Time) (Change, error) {
	if err := d.requireCanApprove(by, now); err != nil {
		return Change{}, err
	}
	switch shown.Digest {
	case [32]byte{}:
		return Change{}, InvalidInput(NewFieldError("digest", "value.required"))
	case d.Current().Digest:
	default:
		return Change{}, ErrStale
	}
	if err := shown.checkPages(d); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	p := c.After.Participant(by.ID)
	if !p.Guest && by.Name != "" {
		p.Name = by.Name // as with a signature: the name that they have now
	}
	p.SignedAt = now
	details := slices.Concat(who.personDetails(), c.releaseGroup(by.ID), shown.eventDetails(d), by.proofDetails(), by.factorDetails())
	if a := shown.Accepted; a.At.Equal(now) && a.Version != "" {
		c.Accepted = &a
	}
	c.addEvent(EventApproved, by, now, append(details, "digest", fmt.Sprintf("%x", shown.Digest))...)
	if c.After.FullySigned() {
		c.addJob(c.After.NextJob())
	}
	c.inviteNext(by, now)
	return c, nil
}

func (d *Document) requireCanApprove(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpApprove); err != nil {
		return err
	}
	if err := d.requireGroupWaits(by); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return ErrNotActive
	case p == nil || !p.MustApprove() || d.Mode != Signing:
		return ErrNotApprover
	case !p.SignedAt.IsZero():
		return ErrApproved
	}
	return d.requireMayAct(by, now)
}
