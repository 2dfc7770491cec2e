package contract

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Channel is how messages reach a person. Values are stored permanently.
type Channel string

// The channels.
const (
	ChannelMail     Channel = "" // to their mailbox
	ChannelWhatsApp Channel = "whatsapp"
	ChannelSMS      Channel = "sms"
)

// PhoneChannels lists the channels that need a phone number.
var PhoneChannels = []Channel{ChannelWhatsApp, ChannelSMS}

// IsPhone reports whether the channel needs a phone number.
func (c Channel) IsPhone() bool { return slices.Contains(PhoneChannels, c) }

// PhoneMalformed is the code with which [ParsePhone] refuses a number.
const PhoneMalformed = "phone.malformed"

// Limits of an international number (E.164 §6.2.1), in digits with the country code.
const (
	minPhone = 8
	maxPhone = 15
)

// PhoneSeparators are the characters that [ParsePhone] ignores between digits.
const PhoneSeparators = " -.()\u00A0\u2011"

// ParsePhone parses a phone number and returns it in international form, such as +628123456789 (E.164). A number that begins with 0, or
// with 62 and no plus, is Indonesian. Spaces, hyphens, dots and parentheses between digits are ignored.
//
// Code is empty, or says why the number is refused.
func ParsePhone(s string) (number, code string) {
	s = strings.TrimSpace(s)
	if len(s) > 4*maxPhone {
		return "", PhoneMalformed
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(PhoneSeparators, r) {
			return -1
		}
		return r
	}, s)
	switch {
	case strings.HasPrefix(digits, "+"):
		digits = digits[1:]
	case strings.HasPrefix(digits, "00"):
		digits = digits[2:]
	case strings.HasPrefix(digits, "0"):
		digits = "62" + digits[1:]
	case !strings.HasPrefix(digits, "62"):
		return "", PhoneMalformed
	}
	if rest, ok := strings.CutPrefix(digits, "620"); ok {
		digits = "62" + strings.TrimLeft(rest, "0") // +62 (0)812 …
	}
	if len(digits) < minPhone || len(digits) > maxPhone || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return "", PhoneMalformed
	}
	return "+" + digits, ""
}

// Reach returns by which channel messages reach a person of the document, and the address or phone number that they go to; empty if
// there is none.
func (d *Document) Reach(id PersonID) (Channel, string) {
	p := d.Participant(id)
	switch {
	case p != nil && d.Delivery.Channels[id].IsPhone():
		return d.Delivery.Channels[id], p.Phone
	case p != nil:
		return ChannelMail, p.Email
	case id == d.Owner.ID:
		return ChannelMail, d.Owner.Email
	}
	return ChannelMail, ""
}

// keepChannels returns the channels of the participants of the document.
func (d *Document) keepChannels(in map[PersonID]Channel) map[PersonID]Channel {
	kept := maps.Clone(in)
	maps.DeleteFunc(kept, func(id PersonID, c Channel) bool { return !c.IsPhone() || d.Participant(id) == nil })
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// checkPhone checks and cleans the phone number of a participant, which has to be a valid one if messages go there.
func checkPhone(p *Participant, c Channel, where string, l Limits, bad *fieldErrors) {
	switch {
	case c != ChannelMail && !c.IsPhone():
		bad.add(where+"channel", "value.not_one_of", "allowed", "mail, whatsapp, sms")
	case c.IsPhone() && p.Phone == "":
		bad.add(where+"phone", "phone.missing")
	case c.IsPhone():
		number, code := ParsePhone(p.Phone)
		if code != "" {
			bad.add(where+"phone", code)
		}
		p.Phone = number
	case utf8.RuneCountInString(p.Phone) > l.Text:
		bad.add(where+"phone", "text.too_long", "limit", l.Text)
	}
}
