package contract

import (
	"fmt"
	"slices"
	"time"
)

// longestSigning is after how long a signature that was begun is not expected any more.
const longestSigning = 10 * time.Minute

// IntendSign records, before their key is used, that a signer asked to sign and what they were shown. A digest other
// than that of the current revision is refused.
//
// Durable after its commit: that the signer consented, to what, and when. Not yet: any signature. A crash between the
// two leaves the intent set and nothing in the file; the signer signs again.
func IntendSign(d *Document, shown ShownPages, by Actor, now time.Time) (Change, error) {
	if err := d.requireCanSign(by, now); err != nil {
		return Change{}, err
	}
	current := d.Current().Digest
	if shown.Digest != ([32]byte{}) && shown.Digest != current {
		return Change{}, ErrStale
	}
	if err := shown.checkPages(d); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	p := c.After.Participant(by.ID)
	p.IntentAt = now
	if !p.Guest && by.Name != "" {
		p.Name = by.Name // the account may have been renamed since the person was added: they sign with the name that they have now
	}
	details := slices.Concat(shown.eventDetails(d), by.proofDetails(), by.factorDetails())
	if a := shown.Accepted; a.At.Equal(now) && a.Version != "" {
		c.Accepted = &a
	}
	c.addEvent(EventSignIntended, by, now, append(details, "digest", fmt.Sprintf("%x", current))...)
	return c, nil
}

// Sign records the signature in revision r, what its certificate says about the signer, and what follows: the next
// signers' turn, the stamps, or the completion. Shown is what [IntendSign] received.
func Sign(d *Document, r Revision, shown ShownPages, who Attestation, by Actor, now time.Time) (Change, error) {
	if err := d.requireCanSign(by, now); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	p := c.After.Participant(by.ID)
	if p.IntentAt.IsZero() {
		return Change{}, ErrRace
	}
	if who.Contact != "" && p.Guest && !d.isProvedNow(p.ID, by.Proved) {
		return Change{}, ErrRace // the owner corrected where they are reached since the intention
	}
	if !who.matchesParticipant(d, p, by.Proved) {
		return Change{}, fmt.Errorf("participant %s of document %d signed as %q", p.ID, d.ID, who.Assurance)
	}
	p.SignedAt, p.IntentAt = now, time.Time{}
	c.After.LastSignedAt = now
	r.Kind, r.By, r.At = RevisionSignature, by.ID, now
	if err := c.AppendRevision(r); err != nil {
		return Change{}, err
	}
	details := slices.Concat(who.eventDetails(), p.capacityDetails(), c.releaseGroup(by.ID), shown.eventDetails(d), by.proofDetails(), by.factorDetails())
	c.addEvent(EventSigned, by, now, append(details, "digest", fmt.Sprintf("%x", r.Digest))...)
	c.addQuotaMove(UnitSignature, QuotaSpend, 1)
	if c.After.FullySigned() {
		c.addJob(c.After.NextJob())
	}
	c.inviteNext(by, now)
	return c, nil
}

func (d *Document) requireCanSign(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpSign); err != nil {
		return err
	}
	if err := d.requireGroupWaits(by); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return ErrNotSigner
	case p.MustApprove():
		return ErrApprover
	case !p.SignedAt.IsZero():
		return ErrSigned
	}
	return d.requireMayAct(by, now)
}

// requireMayAct refuses a person who must sign or approve and may not now.
func (d *Document) requireMayAct(by Actor, now time.Time) error {
	switch {
	case d.IsOverdue(now):
		return ErrExpired
	case !d.InTurn(by.ID):
		return ErrNotInTurn
	case d.NeedsCode(by):
		return ErrCodeRequired
	}
	if err := d.requireAfterLastSignature(now); err != nil {
		return err
	}
	return d.proofRefusal(by) // the last rule: only those who may sign otherwise are asked for a proof, and none is used up in vain
}

// View records that a participant viewed the document. Only the first view of a viewer changes anything.
func View(d *Document, by Actor, now time.Time) (c Change, changed bool, err error) {
	if err := d.Authorise(by, OpPreview); err != nil {
		return Change{}, false, err
	}
	if err := d.RequirePDF(); err != nil {
		return Change{}, false, err
	}
	p := d.Participant(by.ID)
	if p == nil || p.Role != Viewer || !p.ViewedAt.IsZero() || d.State == Draft {
		return Change{}, false, nil
	}
	c = newChange(d)
	c.After.Participant(by.ID).ViewedAt = now
	c.addEvent(EventViewed, by, now)
	return c, true, nil
}
