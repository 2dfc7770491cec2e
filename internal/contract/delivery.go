package contract

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Delivery is how the people of a document are reached. The zero value is the default.
type Delivery struct {
	Message string     // from the owner, in every invitation and reminder; several lines; empty: none
	Code    CodePolicy // when guests enter a code that is sent to them
	Silent  bool       // no messages are sent about the document, except codes
	// Delegation permits signers to pass their part to another person.
	Delegation bool
	Attach     bool // the finished file and the evidence certificate are attached to messages about the completion, if they are small enough
	// HideAddresses shows the people of the document the addresses of others in part only; see [Document.SeesAddresses].
	HideAddresses bool

	Reminders Reminders // sent by the service

	// Languages are those in which messages to people are written, by person: "id" or "en". The others get that of the organisation.
	Languages map[PersonID]string

	// Channels are those by which participants get their messages and codes. The others get mail.
	Channels map[PersonID]Channel
}

// PersonalDelivery is how one person is reached.
type PersonalDelivery struct {
	Language string // of messages to them: "id" or "en"; empty: that of the organisation
	Channel  Channel
}

// SetPersonal replaces how each person is reached.
func (d *Delivery) SetPersonal(to map[PersonID]PersonalDelivery) {
	d.Languages, d.Channels = map[PersonID]string{}, map[PersonID]Channel{}
	for id, p := range to {
		d.Languages[id], d.Channels[id] = p.Language, p.Channel
	}
}

// CodePolicy says when a guest enters a code that is sent to their mailbox or phone. Values are stored permanently.
type CodePolicy string

// The policies.
const (
	CodeByLink CodePolicy = ""     // before signing with a link that was sent; a link that was handed out needs none
	CodeToSign CodePolicy = "sign" // before signing, with every link
	CodeToRead CodePolicy = "read" // before reading, with every link, and before signing
)

// CodePolicies lists every policy.
var CodePolicies = []CodePolicy{CodeByLink, CodeToSign, CodeToRead}

// maxMessage is how many characters a message of the owner has at most.
const maxMessage = 2000

// checkDelivery checks and cleans a delivery.
func checkDelivery(in Delivery, bad *fieldErrors) Delivery {
	in.Message = cleanLines(in.Message)
	if utf8.RuneCountInString(in.Message) > maxMessage {
		bad.add("message", "text.too_long", "limit", maxMessage)
	}
	if !slices.Contains(CodePolicies, in.Code) {
		bad.add("guest_code", "value.not_one_of", "allowed", "sign, read")
	}
	in.Reminders.check(bad)
	for _, l := range in.Languages {
		if l != "" && !slices.Contains(MessageLanguages, l) {
			bad.add("language", "value.not_one_of", "allowed", strings.Join(MessageLanguages, ", "))
		}
	}
	return in
}

// MessageLanguages are the languages in which messages can be written.
var MessageLanguages = []string{"id", "en"}

// keepLanguages returns the languages of those who are on the document.
func (d *Document) keepLanguages(in map[PersonID]string) map[PersonID]string {
	var kept map[PersonID]string
	for id, l := range in {
		if l != "" && (d.Participant(id) != nil || id == d.Owner.ID) {
			if kept == nil {
				kept = map[PersonID]string{}
			}
			kept[id] = l
		}
	}
	return kept
}

// cleanLines returns lines without control characters, spaces at their ends, and empty lines at the beginning and the end.
func cleanLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = CleanText(lines[i])
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// eventDetails returns details of an event: what differs from the default, so that the log says which rules applied to guests.
func (d Delivery) eventDetails() []string {
	details := []string{"guest_code", string(d.Code)}
	if d.Delegation {
		details = append(details, "delegation", "allowed")
	}
	if d.Silent {
		details = append(details, "messages", "none")
	}
	if d.HideAddresses {
		details = append(details, "addresses", "hidden")
	}
	if d.Message != "" {
		details = append(details, "message_digest", fmt.Sprintf("%x", sha256.Sum256([]byte(d.Message))))
	}
	return details
}

// statedDelivery are the names of eventDetails.
var statedDelivery = []string{"guest_code", "delegation", "messages", "addresses", "message_digest"}

// StatedDelivery returns what the event by which a document was finalized states of its delivery; empty: the default.
func StatedDelivery(e Event) string {
	var all []string
	for _, name := range statedDelivery {
		if v := e.Details[name]; v != "" {
			all = append(all, name+"="+v)
		}
	}
	return strings.Join(all, " ")
}

// Statement returns what [StatedDelivery] returns for a document with this delivery. It does not say in which languages, by which channels and when people are reached:
// these may change after the finalization.
func (d Delivery) Statement() string {
	var c Change
	c.addEvent(EventFinalized, Actor{}, time.Time{}, d.eventDetails()...)
	return StatedDelivery(c.Events[0])
}
