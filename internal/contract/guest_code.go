package contract

import (
	"fmt"
	"slices"
	"time"
)

// Refusals about codes that are sent to the mailboxes of guests.
var (
	// ErrCodeRequired refuses a guest who has to prove first that they read the mailbox of their address.
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
	Address   string   // of the mailbox
	CreatedAt time.Time
	Tries     int       // attempts to enter it
	Ordered   int       // how many codes were ordered since DayBegan, this one included
	DayBegan  time.Time // when the first of them was ordered
	UsedAt    time.Time // when it was entered; zero: not yet
}

// Mailbox is what a guest proved with a code, in the session of one token.
type Mailbox struct {
	Address string
	Digest  [32]byte  // SHA-256 of the revision for which the code was ordered
	At      time.Time // when the code was entered; zero: nothing was proved
}

// readOperations are those that show the contents of the file.
var readOperations = []Operation{OpPreview, OpDownload, OpEvidence}

// requireMailboxToRead refuses a guest's operation that shows the contents of the file before the guest has entered a code, if the owner
// demands one.
func (d *Document) requireMailboxToRead(by Actor, op Operation) error {
	if by.Guest != 0 && d.Delivery.Code == CodeToRead && by.Mailbox.At.IsZero() && slices.Contains(readOperations, op) {
		return ErrCodeRequired
	}
	return nil
}

// NeedsCode reports whether the actor has to enter a code before they can sign the current revision.
func (d *Document) NeedsCode(by Actor) bool {
	if by.Guest == 0 || d.Delivery.Code == CodeByLink && by.Link != LinkMailed {
		return false
	}
	return by.Mailbox.At.IsZero() || by.Mailbox.Digest != d.Current().Digest
}

// CheckCodeRequest refuses a code to an actor who is not a guest of the document, who has no address, or whose document has ended
// without being completed.
func (d *Document) CheckCodeRequest(by Actor, now time.Time) error {
	if err := d.Authorise(by, OpCode); err != nil {
		return err
	}
	p := d.Participant(by.ID)
	switch {
	case p == nil || !p.Guest:
		return ErrGuestsOnly
	case d.State == Rejected || d.State == Canceled || d.State == Expired:
		return ErrNotActive
	case d.isOverdue(now):
		return ErrExpired
	case p.Email == "":
		return ErrNoMailbox
	}
	return nil
}

// OrderCode orders a code to the mailbox of a guest. Last is the former one; the zero value if there is none. It ends with this change.
//
// Durable with the commit: the values from which the code is derived, and the notice with its job. The code itself exists only in
// the mail, which is composed when it is delivered.
func OrderCode(d *Document, last GuestCode, nonce [16]byte, by Actor, now time.Time) (Change, error) {
	if err := d.CheckCodeRequest(by, now); err != nil {
		return Change{}, err
	}
	code := GuestCode{
		Document: d.ID, Person: by.ID, Digest: d.Current().Digest, Nonce: nonce, Address: d.Participant(by.ID).Email, CreatedAt: now,
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
	c.addEvent(EventCodeOrdered, by, now, "guest", string(by.ID), "address", code.Address, "digest", fmt.Sprintf("%x", code.Digest))
	c.addNotice(NoticeCode, d.Participant(by.ID).Person, Actor{}, now)
	return c, nil
}

// CheckCodeValid refuses a code that cannot be entered any more.
func (g GuestCode) CheckCodeValid(d *Document, now time.Time) error {
	p := d.Participant(g.Person)
	switch {
	case g.CreatedAt.IsZero(), !g.UsedAt.IsZero(), g.Tries > CodeTries, !now.Before(g.CreatedAt.Add(CodeLifetime)),
		p == nil || p.Email != g.Address, g.Digest != d.Current().Digest:
		return ErrCodeEnded
	}
	return nil
}

// ProveMailbox records that a guest entered the code. The session of their token counts as that of a person who reads the mailbox.
func ProveMailbox(d *Document, code GuestCode, by Actor, now time.Time) (Change, error) {
	if err := d.CheckCodeRequest(by, now); err != nil {
		return Change{}, err
	}
	if err := code.CheckCodeValid(d, now); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	code.UsedAt = now
	c.Code = &code
	c.Proved = &ProvedMailbox{Token: by.Token, Mailbox: Mailbox{Address: code.Address, Digest: code.Digest, At: now}}
	c.addEvent(EventMailboxVerified, by, now, "guest", string(by.ID), "address", code.Address, "digest", fmt.Sprintf("%x", code.Digest), "proof", "code")
	return c, nil
}

// ProvedMailbox is a mailbox that the holder of a token proved to read.
type ProvedMailbox struct {
	Token [32]byte // SHA-256 of the token
	Mailbox
}

// proofDetails returns details of an event about a guest's act: how they got the link, and the mailbox that they proved to read.
func (a Actor) proofDetails() []string {
	if a.Guest == 0 {
		return nil
	}
	details := []string{"link", string(a.Link)}
	if !a.Mailbox.At.IsZero() {
		details = append(details, "mailbox", a.Mailbox.Address, "mailbox_verified_at", a.Mailbox.At.UTC().Format(time.RFC3339), "mailbox_digest", fmt.Sprintf("%x", a.Mailbox.Digest))
	}
	return details
}
