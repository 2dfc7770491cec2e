package contract

import "time"

// Reject ends a document because a signer declines. A signer may decline until they have signed, in turn or not,
// before the deadline of the document.
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
	case d.isOverdue(now):
		return Change{}, ErrExpired
	}
	reason, err := checkReason(reason, l)
	if err != nil {
		return Change{}, err
	}
	return endDocument(d, Canceled, EventCanceled, reason, by, now), nil
}

// Expire ends a document whose deadline has passed while people still had something to do. Stamps and the seal, which
// only wait for a service, do not expire. Done is true if there is nothing to do.
func Expire(d *Document, now time.Time) (c Change, done bool) {
	if !d.isOverdue(now) {
		return Change{}, true
	}
	return endDocument(d, Expired, EventExpired, "", Actor{}, now), false
}

// isOverdue reports whether the deadline has passed while people still had something to do. From that moment on
// people's operations are refused as on an expired document, whether or not the sweep that calls [Expire] has run.
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

// Delete deletes a draft and its file.
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

// Remind records that the owner asked for the signers in turn to be reminded. No message is sent: the audit trail
// records the request, not that anybody was notified.
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

// IssueGuestLink records that the owner received a guest's link. The log says that no mailbox was verified.
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

// RevokeGuestLink ends a guest's link and records it. It is allowed in every state, also if there is no link: an owner
// who wants to be sure need not know whether there is one.
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

// LinkExpiry returns when a guest's link, or a token opened with one, expires. Made is when the link or token was
// made. It expires after the given lifetime, counted from the end of the document, or from when it was made if that
// was later. Zero: it does not expire, because the document has not ended or links never expire.
func (d *Document) LinkExpiry(made time.Time, life time.Duration) time.Time {
	if life == 0 || !d.State.IsFinal() {
		return time.Time{}
	}
	since := d.EndedAt
	if made.After(since) {
		since = made
	}
	return since.Add(life)
}
