package contract

import (
	"fmt"
	"time"
)

// IntendSign records that a signer asked to sign, and what they were shown, before their key is used. A digest that is
// not that of the current revision is refused.
//
// Durable after its commit: that he consented, to what, and when. Not yet: any signature. A crash between the
// two leaves the intent standing and nothing in the file; he signs again.
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
	c.After.Participant(by.ID).IntentAt = now
	c.addEvent(EventSignIntended, by, now, append(shown.eventDetails(d), "digest", fmt.Sprintf("%x", current))...)
	return c, nil
}

// Sign records a signature that stands in the revision r, what its certificate says about the signer, and what follows
// from it: the next signers' turn, or the stamps, or the closing seal. Shown is what [IntendSign] was told.
func Sign(d *Document, r Revision, shown ShownPages, who Attestation, by Actor, now time.Time) (Change, error) {
	if err := d.requireCanSign(by, now); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	p := c.After.Participant(by.ID)
	if p.IntentAt.IsZero() {
		return Change{}, ErrRace
	}
	if !who.matchesParticipant(p) {
		return Change{}, fmt.Errorf("participant %s of document %d signed as %q", p.ID, d.ID, who.Assurance)
	}
	p.SignedAt, p.IntentAt = now, time.Time{}
	c.After.LastSignedAt = now
	r.Kind, r.By, r.At = RevisionSignature, by.ID, now
	if err := c.AppendRevision(r); err != nil {
		return Change{}, err
	}
	details := append(who.eventDetails(), shown.eventDetails(d)...)
	c.addEvent(EventSigned, by, now, append(details, "digest", fmt.Sprintf("%x", r.Digest))...)
	c.addQuotaMove(UnitSignature, QuotaSpend, 1)
	if c.After.FullySigned() {
		c.addRemainingWork()
	}
	return c, nil
}

// addRemainingWork orders what is left once nothing is to be signed: stamps first, then the closing seal.
func (c *Change) addRemainingWork() {
	if c.After.findNextStamp() >= 0 {
		c.addJob(JobStamp)
		return
	}
	c.addJob(JobComplete)
}

func (d *Document) requireCanSign(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpSign); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return ErrNotSigner
	case !p.SignedAt.IsZero():
		return ErrSigned
	case d.isOverdue(now):
		return ErrExpired
	case !d.InTurn(by.ID):
		return ErrNotInTurn
	}
	return d.requireAfterLastSignature(now)
}

// View records that a participant looked at the document. Only a viewer's first look changes anything.
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
