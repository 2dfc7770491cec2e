package contract

import "time"

// Reject ends a document because a signer declines. They may while their signature is owed, in turn or not, until the
// document's deadline.
func Reject(d *Document, reason string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpReject); err != nil {
		return Change{}, err
	}
	p := d.Participant(by.ID)
	switch {
	case d.State != Processing:
		return Change{}, ErrNotActive
	case p == nil || p.Role != Signer || d.Mode != Signing:
		return Change{}, ErrNotSigner
	case !p.SignedAt.IsZero():
		return Change{}, ErrSigned
	case d.isOverdue(now):
		return Change{}, ErrExpired
	}
	reason, err := checkReason(reason, l)
	if err != nil {
		return Change{}, err
	}
	if reason == "" {
		return Change{}, InvalidInput(NewFieldError("reason", "text.missing"))
	}
	return endDocument(d, Rejected, EventRejected, reason, by, now), nil
}

// Cancel ends a document because the owner takes it back: while signatures are owed and its deadline has not passed, or
// after it failed. Once every signature stands and stamps are being affixed it is too late.
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
	case d.isOverdue(now):
		return Change{}, ErrExpired
	}
	reason, err := checkReason(reason, l)
	if err != nil {
		return Change{}, err
	}
	return endDocument(d, Canceled, EventCanceled, reason, by, now), nil
}

// Expire ends a document whose time has run out while something was still owed by people. Stamps and the seal
// that only wait for a service do not expire. Done is true when there is nothing to do.
func Expire(d *Document, now time.Time) (c Change, done bool) {
	if !d.isOverdue(now) {
		return Change{}, true
	}
	return endDocument(d, Expired, EventExpired, "", Actor{}, now), false
}

// isOverdue reports whether the document's deadline has passed while something was still owed by people. From that moment
// on their verbs are refused as those of an expired document, whether or not the sweep that calls [Expire] has run.
func (d *Document) isOverdue(now time.Time) bool {
	waits := d.State == Draft || d.State == Processing && !d.FullySigned()
	return waits && d.isPastDeadline(now)
}

func endDocument(d *Document, s State, e EventType, reason string, by Actor, now time.Time) Change {
	c := newChange(d)
	c.After.State, c.After.EndedAt, c.After.Reason, c.After.Restamping = s, now, reason, false
	c.addEvent(e, by, now, "reason", reason)
	c.releaseReserved(by, now)
	return c
}

// releaseReserved gives back what was reserved and will not be spent. Of a stamp that has a serial the document lets go: it was
// bought, and is used for another document once the office calls it unused. One that is of no use any more is lost,
// and its unit with it: the office gives none back.
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
	for _, p := range d.Participants {
		if d.Mode == Signing && p.Role == Signer && p.SignedAt.IsZero() {
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

// Delete removes a draft and its file.
func Delete(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpDelete); err != nil {
		return Change{}, err
	}
	if d.State != Draft {
		return Change{}, ErrNotDraft
	}
	c := newChange(d)
	c.Delete = true
	c.addEvent(EventDeleted, by, now)
	keys := []string{}
	for _, r := range d.Revisions {
		keys = append(keys, r.Tail.Key)
	}
	if d.Normalised() || d.IsWord() {
		keys = append(keys, d.Original.Key)
	}
	c.Jobs = append(c.Jobs, Job{Kind: JobSweep, Document: d.ID, Keys: keys})
	return c, nil
}

// Remind records that the owner asked for those in turn to be reminded. No message is sent: the audit trail says what was
// asked, not that anybody was told.
func Remind(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRemind); err != nil {
		return Change{}, err
	}
	switch {
	case d.State != Processing || d.FullySigned():
		return Change{}, ErrNotActive
	case d.isOverdue(now):
		return Change{}, ErrExpired
	}
	c := newChange(d)
	c.After.RemindedAt = now
	c.addEvent(EventReminded, by, now)
	return c, nil
}

// IssueGuestLink records that the owner was given a guest's link. The log says that no mailbox was proven.
func IssueGuestLink(d *Document, guest PersonID, link [32]byte, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpGuestLink); err != nil {
		return Change{}, err
	}
	switch {
	case d.State == Draft:
		return Change{}, ErrNotActive
	case d.State == Rejected || d.State == Canceled || d.State == Expired:
		return Change{}, ErrNotActive
	}
	p := d.Participant(guest)
	if p == nil || !p.Guest {
		return Change{}, ErrNoGuest
	}
	c := newChange(d)
	c.GuestLink = &GuestLink{Guest: guest, Hash: link}
	c.addEvent(EventGuestLink, by, now, "guest", string(guest), "proof", "none: handed out by the owner")
	return c, nil
}

// RevokeGuestLink ends a guest's link and records it. It is possible in every state, and where there is no link: an owner who
// wants to be sure does not have to know whether there is one.
func RevokeGuestLink(d *Document, guest PersonID, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpGuestRevoke); err != nil {
		return Change{}, err
	}
	if p := d.Participant(guest); p == nil || !p.Guest {
		return Change{}, ErrNoGuest
	}
	c := newChange(d)
	c.GuestLink = &GuestLink{Guest: guest}
	c.addEvent(EventGuestRevoked, by, now, "guest", string(guest))
	return c, nil
}

// LinkExpiry returns when a guest's link, or a token that was opened with one, that was made at a moment expires: so long
// after the document ended, or after it was made where that was later. Zero: it does not, because the document has not ended
// or links do not expire.
func (d *Document) LinkExpiry(made time.Time, life time.Duration) time.Time {
	if life == 0 || !d.State.Final() {
		return time.Time{}
	}
	since := d.EndedAt
	if made.After(since) {
		since = made
	}
	return since.Add(life)
}
