package contract

import "time"

// GuestLink is the new link of a guest. Only its SHA-256 is stored.
type GuestLink struct {
	Guest PersonID
	Hash  [32]byte // zero: the guest has no link from now on
	// Renewed, without a hash, ends all links and tokens of the guest, and lets the next message to them have another link.
	Renewed bool
}

// LinkOrigin is how a guest got the link that they use.
type LinkOrigin string

// The origins.
const (
	LinkHandedOut LinkOrigin = "handed_out" // by the owner, or by an operator where nothing can send it
	LinkMailed    LinkOrigin = "mailed"     // sent to the guest's mailbox by this service
	LinkTexted    LinkOrigin = "texted"     // sent to the guest's phone number by this service
)

// isSent reports whether this service sent the link to the guest.
func (o LinkOrigin) isSent() bool { return o == LinkMailed || o == LinkTexted }

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
