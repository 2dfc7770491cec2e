package contract

import "time"

// Reject ends a document because a signer declines. A signer may decline until they have signed, in turn or not,
// before the deadline of the document. A member declines for their group, as they would sign for it: a signature of another member over a
// recorded refusal would be in dispute from the start. A member who leaves the part to the others need not do anything.
func Reject(d *Document, reason string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpReject); err != nil {
		return Change{}, err
	}
	if err := d.requireGroupWaits(by); err != nil {
		return Change{}, err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return Change{}, ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return Change{}, ErrNotSigner
	case !p.SignedAt.IsZero():
		return Change{}, p.alreadyActed()
	case d.IsOverdue(now):
		return Change{}, ErrExpired
	}
	reason, err := checkReason(reason, l)
	if err != nil {
		return Change{}, err
	}
	if reason == "" {
		return Change{}, InvalidInput(NewFieldError("reason", "text.missing"))
	}
	if by.Embed != nil && by.Guest == 0 && by.Signing == "" { // else who asked for the address could decline in their name
		return Change{}, ErrEmbedProof
	}
	c := endDocument(d, Rejected, EventRejected, reason, by, now)
	c.announceEnd(NoticeDeclined, by, now)
	return c, nil
}

// Cancel ends a document on the owner's request: while signatures are missing and the deadline has not passed, or
// after it failed. It is too late once all signatures are there and stamps are being affixed.
func Cancel(d *Document, reason string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpCancel); err != nil {
		return Change{}, err
	}
	switch {
	case d.State == Failed:
	case d.State != Processing:
		return Change{}, ErrNotActive
	case d.FullySigned():
		return Change{}, ErrCommitted
	case d.IsOverdue(now):
		return Change{}, ErrExpired
	}
	reason, err := checkReason(reason, l)
	if err != nil {
		return Change{}, err
	}
	c := endDocument(d, Canceled, EventCanceled, reason, by, now)
	c.announceEnd(NoticeCanceled, by, now)
	return c, nil
}

// Expire ends a document whose deadline has passed while people still had something to do. Stamps and the seal, which
// only wait for a service, do not expire. Changed is false if there is nothing to do.
func Expire(d *Document, now time.Time) (c Change, changed bool) {
	if !d.IsOverdue(now) {
		return Change{}, false
	}
	c = endDocument(d, Expired, EventExpired, "", Actor{}, now)
	c.announceEnd(NoticeExpired, Actor{}, now)
	return c, true
}

func endDocument(d *Document, s State, e EventType, reason string, by Actor, now time.Time) Change {
	c := newChange(d)
	c.After.State, c.After.EndedAt, c.After.Reason, c.After.Restamping = s, now, reason, false
	c.addEvent(e, by, now, "reason", reason)
	c.releaseReserved(by, now)
	return c
}

// releaseReserved returns reserved quota that will not be spent. A stamp's serial is released: it was paid for, and is
// used for another document once the office reports it as unused. A serial that cannot be used any more is lost
// together with its unit, because the office refunds none.
func (c *Change) releaseReserved(by Actor, now time.Time) {
	d := &c.After
	if d.FinalizedAt.IsZero() {
		return
	}
	stamps, lost := 0, 0
	for i, s := range d.Stamps {
		switch {
		case s.State == StampAffixed:
		case s.Serial != "" && c.releaseSerial(i, SerialBought, s.Problem, by, now):
			lost++
		default:
			stamps++
		}
	}
	c.addQuotaMove(UnitStamp, QuotaSpend, lost)
	c.addQuotaMove(UnitStamp, QuotaRelease, stamps)
	signatures := 0
	for _, p := range d.signatureParts() {
		if d.Mode == Signing && p.SignedAt.IsZero() {
			signatures++
		}
	}
	c.addQuotaMove(UnitSignature, QuotaRelease, signatures)
}

func checkReason(reason string, l Limits) (string, error) {
	reason = CleanText(reason)
	if len([]rune(reason)) > 4*l.Text {
		return "", InvalidInput(NewFieldError("reason", "text.too_long", "limit", 4*l.Text))
	}
	return reason, nil
}

// Delete deletes a draft and its file.
func Delete(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpDelete); err != nil {
		return Change{}, err
	}
	if d.State != Draft {
		return Change{}, ErrNotDraft
	}
	return deleteDocument(d, by, now), nil
}

// deleteDocument deletes a document and its file.
func deleteDocument(d *Document, by Actor, now time.Time) Change {
	c := newChange(d)
	c.Delete, c.Erases = true, true
	c.addEvent(EventDeleted, by, now)
	c.Jobs = append(c.Jobs, Job{Kind: JobSweep, Document: d.ID, Keys: d.fileKeys()})
	return c
}
