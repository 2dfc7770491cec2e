package contract

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

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

// reminderPause is the shortest time between two reminders about a document that are mailed, so that they flood no mailbox.
const reminderPause = time.Hour

// Remind records that the owner asked for the signers in turn to be reminded, and orders a notice to each of them who has an
// address, unless they were reminded within the last hour. The audit trail records the request here, and each delivery when it is made.
func Remind(d *Document, by Actor, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpRemind); err != nil {
		return Change{}, err
	}
	switch {
	case !d.AwaitsSigners():
		return Change{}, ErrNotActive
	case d.IsOverdue(now):
		return Change{}, ErrExpired
	}
	c := newChange(d)
	c.After.RemindedAt = now
	c.addEvent(EventReminded, by, now)
	for _, p := range c.After.Participants {
		if c.After.InTurn(p.ID) && now.Sub(d.RemindedAt) >= reminderPause {
			c.addNotice(NoticeReminder, p.Person, by, now)
		}
	}
	return c, nil
}

// IssueGuestLink records that the owner received a guest's link. The log says that neither a mailbox nor a phone was verified.
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

// GuestCorrection holds new values for a guest. A nil member keeps the old value.
type GuestCorrection struct {
	Name, Email, Phone *string
	Channel            *Channel
}

// longestSigning is after how long a signature that was begun is not expected any more.
const longestSigning = 10 * time.Minute

// CorrectGuest changes the name, the address, the phone number or the channel of a guest who has not acted yet. If messages reach the
// guest in another place afterwards, all links and tokens of the guest end, because other people may read the former mailbox or phone,
// and a guest whose turn has come is invited at the new one.
func CorrectGuest(d *Document, guest PersonID, to GuestCorrection, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.Authorise(by, OpCorrectGuest); err != nil {
		return Change{}, err
	}
	p := d.Participant(guest)
	switch {
	case p == nil || !p.Guest:
		return Change{}, ErrNoGuest
	case d.State != Processing:
		return Change{}, ErrNotActive
	case d.IsOverdue(now):
		return Change{}, ErrExpired
	case d.HasActed(*p):
		return Change{}, ErrGuestActed
	case now.Sub(p.IntentAt) < longestSigning:
		return Change{}, ErrRace // their certificate has the present name, and the signature may follow
	}
	c := newChange(d)
	after := c.After.Participant(guest)
	var bad fieldErrors
	if to.Name != nil {
		after.Name = CleanText(*to.Name)
		switch {
		case !HasVisibleText(after.Name):
			bad.add("name", "text.missing")
		case utf8.RuneCountInString(after.Name) > l.Text:
			bad.add("name", "text.too_long", "limit", l.Text)
		}
	}
	if to.Channel != nil {
		channels := maps.Clone(d.Delivery.Channels)
		if channels == nil {
			channels = map[PersonID]Channel{}
		}
		channels[guest] = *to.Channel
		c.After.Delivery.Channels = c.After.keepChannels(channels)
	}
	channel := c.After.Delivery.Channels[guest]
	if to.Channel != nil {
		channel = *to.Channel // also one that does not exist
	}
	switch {
	case to.Email != nil && *to.Email == "" && channel.IsPhone():
		after.Email = ""
	case to.Email != nil:
		address, code := ParseEmail(*to.Email)
		if after.Email = address; code == "" && slices.ContainsFunc(d.Participants, func(o Participant) bool {
			return o.ID != guest && strings.EqualFold(o.Email, address)
		}) {
			code = "participant.twice"
		}
		if code != "" {
			bad.add("email", code)
		}
	case to.Channel != nil && after.Email == "" && !channel.IsPhone():
		bad.add("email", "text.missing")
	}
	if to.Phone != nil {
		after.Phone = *to.Phone
	}
	checkPhone(after, channel, "", l, &bad)
	if channel.IsPhone() && after.Phone != "" && slices.ContainsFunc(d.Participants, func(o Participant) bool {
		return o.ID != guest && d.Delivery.Channels[o.ID].IsPhone() && o.Phone == after.Phone
	}) {
		bad.add("phone", "participant.twice")
	}
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	c.addEvent(EventGuestCorrected, by, now, "guest", string(guest), "name", after.Name, "address", after.Email, "former_name", p.Name, "former_address", p.Email)
	if channel.IsPhone() {
		c.Events[len(c.Events)-1].Details["channel"], c.Events[len(c.Events)-1].Details["phone"] = string(channel), after.Phone
	}
	formerChannel, formerAddress := d.Reach(guest)
	if newChannel, address := c.After.Reach(guest); newChannel != formerChannel || address != formerAddress {
		c.GuestLink = &GuestLink{Guest: guest, Renewed: true}
		if c.After.mayAct(*after) {
			kind := NoticeInviteSigner
			if after.Role == Viewer {
				kind = NoticeInviteViewer
			}
			c.addNotice(kind, after.Person, by, now)
		}
	}
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
