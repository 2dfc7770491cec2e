package contract

import (
	"fmt"
	"slices"
	"time"
)

// Refusals about codes that are sent to guests.
var (
	// ErrCodeRequired refuses a guest who has to prove first that they read what is sent to their mailbox or phone.
	ErrCodeRequired = Refuse(Forbidden, "guest.code_required")
	// ErrGuestsOnly refuses a code to people with an account.
	ErrGuestsOnly = Refuse(Forbidden, "guest.only")
	// ErrCodeTooSoon refuses a further code shortly after the last one, or after too many of one day.
	ErrCodeTooSoon = Refuse(TooMany, "guest.code_too_soon").WithRetry()
	// ErrCodeWrong refuses a code that is not the one that was sent.
	ErrCodeWrong = Refuse(Invalid, "guest.code_wrong")
	// ErrCodeEnded refuses a code that has expired, was used, was replaced, or was tried too often: a new one is needed.
	ErrCodeEnded = Refuse(Conflict, "guest.code_ended")
	// ErrNoMailbox refuses to send a code: no mail server is configured, or the guest has no address.
	ErrNoMailbox = Refuse(Conflict, "guest.no_mailbox")
	// ErrNoPhone refuses to send a code to a phone: no provider is configured for the channel, or the guest has no number.
	ErrNoPhone = Refuse(Conflict, "guest.no_phone")
)

// The limits of a code. With them, a million codes and ten codes a day, guessing finds a code with a probability of 1 in 20,000 a
// day.
const (
	CodeLifetime = 15 * time.Minute
	CodeTries    = 5
	CodePause    = time.Minute // between two codes to one guest
	codesPerDay  = 10          // to one guest about one document
)

// GuestCode is the one valid code of a guest of a document. It is bound to a revision of the file. The code itself is derived from
// these values and a key that is not in the database.
type GuestCode struct {
	Document  DocumentID
	Person    PersonID
	Digest    [32]byte // SHA-256 of the revision that was current when the code was ordered
	Nonce     [16]byte // random
	Channel   Channel  // by which the code is sent
	Address   string   // of the mailbox, or the phone number
	CreatedAt time.Time
	Tries     int       // attempts to enter it
	Ordered   int       // how many codes were ordered since DayBegan, this one included
	DayBegan  time.Time // when the first of them was ordered
	UsedAt    time.Time // when it was entered; zero: not yet
}

// Contact is the mailbox or the phone of which a guest proved with a code that they read what is sent there, in the session of one token.
type Contact struct {
	Channel Channel   // by which the code was sent
	Address string    // of the mailbox, or the phone number
	Digest  [32]byte  // SHA-256 of the revision for which the code was ordered
	At      time.Time // when the code was entered; zero: nothing was proved
}

// readOperations are those that show the contents of the file.
var readOperations = []Operation{OpPreview, OpDownload, OpEvidence}

// requireCodeToRead refuses a guest's operation that shows the contents of the file before the guest has entered a code, if the owner
// demands one.
func (d *Document) requireCodeToRead(by Actor, op Operation) error {
	if by.Guest != 0 && d.Delivery.Code == CodeToRead && by.Proved.At.IsZero() && slices.Contains(readOperations, op) {
		return ErrCodeRequired
	}
	return nil
}

// NeedsCode reports whether the actor has to enter a code before they can sign the current revision.
func (d *Document) NeedsCode(by Actor) bool {
	if by.Guest == 0 || d.Delivery.Code == CodeByLink && !by.Link.isSent() {
		return false
	}
	return by.Proved.At.IsZero() || by.Proved.Digest != d.Current().Digest
}

// CheckCodeRequest refuses a code to an actor who is not a guest of the document, whom nothing reaches, or whose document has ended
// without being completed.
func (d *Document) CheckCodeRequest(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpCode); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	channel, address := d.Reach(by.ID)
	switch {
	case p == nil || !p.Guest:
		return ErrGuestsOnly
	case d.State == Rejected || d.State == Canceled || d.State == Expired:
		return ErrNotActive
	case d.IsOverdue(now):
		return ErrExpired
	case address == "":
		return CodeRefusal(channel)
	}
	return nil
}

// CodeRefusal returns the refusal to send a code by a channel.
func CodeRefusal(c Channel) *Error {
	if c.IsPhone() {
		return ErrNoPhone
	}
	return ErrNoMailbox
}

// OrderCode orders a code to the mailbox or phone of a guest. Last is the former one; the zero value if there is none. It ends with this change.
//
// Durable with the commit: the values from which the code is derived, and the notice with its job. The code itself exists only in
// the message, which is composed when it is delivered.
func OrderCode(d *Document, last GuestCode, nonce [16]byte, by Actor, now time.Time) (Change, error) {
	if err := d.CheckCodeRequest(by, now); err != nil {
		return Change{}, err
	}
	channel, address := d.Reach(by.ID)
	code := GuestCode{
		Document: d.ID, Person: by.ID, Digest: d.Current().Digest, Nonce: nonce, Channel: channel, Address: address, CreatedAt: now,
		Ordered: 1, DayBegan: now,
	}
	if !last.CreatedAt.IsZero() && last.UsedAt.IsZero() && now.Before(last.CreatedAt.Add(CodePause)) {
		return Change{}, ErrCodeTooSoon.With("seconds", int(last.CreatedAt.Add(CodePause).Sub(now).Seconds())+1)
	}
	if now.Before(last.DayBegan.Add(24 * time.Hour)) {
		if last.Ordered >= codesPerDay {
			return Change{}, ErrCodeTooSoon.With("seconds", int(last.DayBegan.Add(24*time.Hour).Sub(now).Seconds())+1)
		}
		code.Ordered, code.DayBegan = last.Ordered+1, last.DayBegan
	}
	c := newChange(d)
	c.Code = &code
	c.addEvent(EventCodeOrdered, by, now, code.eventDetails()...)
	c.addNotice(NoticeCode, d.Participant(by.ID).Person, Actor{}, now)
	return c, nil
}

// CheckCodeValid refuses a code that cannot be entered any more.
func (g GuestCode) CheckCodeValid(d *Document, now time.Time) error {
	channel, address := d.Reach(g.Person)
	switch {
	case g.CreatedAt.IsZero(), !g.UsedAt.IsZero(), g.Tries > CodeTries, !now.Before(g.CreatedAt.Add(CodeLifetime)),
		address == "" || address != g.Address, channel != g.Channel, g.Digest != d.Current().Digest:
		return ErrCodeEnded
	}
	return nil
}

// ProveContact records that a guest entered the code. The session of their token counts as that of a person who reads what is sent to the
// mailbox or the phone.
func ProveContact(d *Document, code GuestCode, by Actor, now time.Time) (Change, error) {
	if err := d.CheckCodeRequest(by, now); err != nil {
		return Change{}, err
	}
	if err := code.CheckCodeValid(d, now); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	code.UsedAt = now
	c.Code = &code
	c.Proved = &ProvedContact{Token: by.Token, Contact: Contact{Channel: code.Channel, Address: code.Address, Digest: code.Digest, At: now}}
	event := EventMailboxVerified
	if code.Channel.IsPhone() {
		event = EventPhoneVerified
	}
	c.addEvent(event, by, now, append(code.eventDetails(), "proof", "code")...)
	return c, nil
}

// eventDetails returns details of an event about a code.
func (g GuestCode) eventDetails() []string {
	details := []string{"guest", string(g.Person), "address", g.Address, "digest", fmt.Sprintf("%x", g.Digest)}
	if g.Channel.IsPhone() {
		details = append(details, "channel", string(g.Channel))
	}
	return details
}

// ProvedContact is what the holder of a token proved.
type ProvedContact struct {
	Token [32]byte // SHA-256 of the token
	Contact
}

// proofDetails returns details of an event about a guest's act: how they got the link, and the mailbox or the phone of which they
// proved that they read what is sent there.
func (a Actor) proofDetails() []string {
	if a.Guest == 0 {
		return nil
	}
	details := []string{"link", string(a.Link)}
	switch {
	case a.Proved.At.IsZero():
	case a.Proved.Channel.IsPhone():
		details = append(details, "phone", a.Proved.Address, "phone_channel", string(a.Proved.Channel), "phone_verified_at", a.Proved.At.UTC().Format(time.RFC3339),
			"phone_digest", fmt.Sprintf("%x", a.Proved.Digest))
	default:
		details = append(details, "mailbox", a.Proved.Address, "mailbox_verified_at", a.Proved.At.UTC().Format(time.RFC3339), "mailbox_digest", fmt.Sprintf("%x", a.Proved.Digest))
	}
	return details
}
