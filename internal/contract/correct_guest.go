package contract

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// GuestCorrection holds new values for a guest. A nil member keeps the old value.
type GuestCorrection struct {
	Name, Email, Phone *string
	Channel            *Channel
}

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
