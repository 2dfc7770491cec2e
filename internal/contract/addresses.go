package contract

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ErrEvidenceHidden refuses the evidence certificate to those who do not see the addresses of a document: it has them, and proofs of the events
// that state them.
var ErrEvidenceHidden = Refuse(Forbidden, "evidence.addresses_hidden")

// SeesAddresses reports whether the actor sees the addresses and phone numbers of all people of the document. Where the document hides them,
// its owner does, the members of its team who may act for the owner, and those who administer or audit its organisation; everybody else sees the owner's and their own. The holder of an embedded
// page did not log in, so the role of its person counts for nothing there.
func (d *Document) SeesAddresses(by Actor) bool {
	switch {
	case !d.Delivery.HideAddresses, by.IsSystem():
		return true
	case by.Guest != 0:
		return false
	case by.ID == d.Owner.ID, d.IsManagedBy(by):
		return true
	}
	return by.Embed == nil && by.Organisation == d.Organisation && (by.Admin || by.Role == RoleAuditor)
}

// AsShownTo returns the document as the actor may see it: without the addresses and phone numbers of others where they are hidden. It is for
// showing only; a rule decides on the document itself.
func (d *Document) AsShownTo(by Actor) *Document {
	if d.SeesAddresses(by) {
		return d
	}
	shown := *d
	shown.Participants = slices.Clone(d.Participants)
	for i := range shown.Participants {
		p := &shown.Participants[i]
		if p.ID == by.ID || p.ID == d.Owner.ID || by.Mailbox != "" && strings.EqualFold(p.Email, by.Mailbox) {
			continue
		}
		if strings.EqualFold(p.Name, p.Email) {
			p.Name = MaskAddress(p.Name)
		}
		p.Email, p.Phone = MaskAddress(p.Email), MaskPhone(p.Phone)
	}
	return &shown
}

// addressPattern finds what may be an e-mail in a text that a person or a mail server wrote.
var addressPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\s@<>()\[\],;:"]+@[^\s@<>()\[\],;:"]*[^\s@<>()\[\],;:".]`)
})

// EventsAsShownTo returns events of the document as the actor may see them: where addresses are hidden, without those of others, in whatever
// detail or text they stand. It is for showing only: the proof of an event is that of the event itself.
func (d *Document) EventsAsShownTo(by Actor, all []Event) []Event {
	if d.SeesAddresses(by) {
		return all
	}
	mask := func(address string) string {
		if slices.ContainsFunc([]string{by.Email, by.Mailbox, d.Owner.Email}, func(seen string) bool { return strings.EqualFold(address, seen) }) {
			return address
		}
		return MaskAddress(address)
	}
	shown := slices.Clone(all)
	for i := range shown {
		e := &shown[i]
		var numbers []string
		for _, name := range []string{"phone", "address"} {
			if v := e.Details[name]; v != "" && !strings.Contains(v, "@") {
				numbers = append(numbers, v)
			}
		}
		for _, p := range d.Participants {
			if p.Phone != "" && p.ID != by.ID {
				numbers = append(numbers, p.Phone)
			}
		}
		maskText := func(text string) string {
			for _, n := range numbers {
				text = strings.ReplaceAll(text, n, MaskPhone(n))
			}
			return addressPattern().ReplaceAllStringFunc(text, mask)
		}
		e.Details = maps.Clone(e.Details)
		for name, v := range e.Details {
			e.Details[name] = maskText(v)
		}
		if e.Person.ID != by.ID && e.Person.ID != d.Owner.ID {
			e.Person.Name, e.Person.Email = maskText(e.Person.Name), MaskAddress(e.Person.Email)
		}
	}
	return shown
}

// MaskAddress returns an address without what is before the "@", except its first character: enough for its owner to recognise it. Empty stays
// empty.
func MaskAddress(address string) string {
	if address == "" {
		return ""
	}
	local, domain, _ := strings.Cut(address, "@")
	return string([]rune(local)[:min(1, len([]rune(local)))]) + "***@" + domain
}

// MaskPhone returns the first and the last three characters of a phone number, of a short one none. Empty stays empty.
func MaskPhone(number string) string {
	switch {
	case number == "":
		return ""
	case len(number) < 9:
		return "***"
	}
	return number[:3] + "***" + number[len(number)-3:]
}
