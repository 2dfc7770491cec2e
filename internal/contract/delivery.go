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

// Reminders says when the service reminds those whose turn it is, in days of 24 hours from 1 to 365; 0: not.
type Reminders struct {
	After  int // after the turn of the last person began
	Every  int // after the last reminder
	Before int // before the document expires
}

const maxReminderDays = 365

// CheckReminders checks a schedule that is not part of a document.
func CheckReminders(r Reminders) error {
	var bad fieldErrors
	r.check(&bad)
	return bad.asError()
}

func (r Reminders) check(bad *fieldErrors) {
	for field, days := range map[string]int{"after": r.After, "every": r.Every, "before": r.Before} {
		if days < 0 || days > maxReminderDays {
			bad.add("remind."+field, "number.not_in_range", "least", 0, "most", maxReminderDays)
		}
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

// NextReminder returns when the service is to remind those whose turn it is; zero: never, as things are now.
func (d *Document) NextReminder() time.Time {
	if !d.AwaitsSigners() || d.Delivery.Silent {
		return time.Time{}
	}
	const day = 24 * time.Hour
	r, turn := d.Delivery.Reminders, d.FinalizedAt
	for _, acted := range []time.Time{d.LastSignedAt, d.lastApproval()} {
		if acted.After(turn) {
			turn = acted
		}
	}
	var next time.Time
	switch {
	case r.After > 0 && !d.RemindedAt.After(turn):
		next = turn.Add(time.Duration(r.After) * day)
	case r.Every > 0 && d.RemindedAt.After(turn):
		next = d.RemindedAt.Add(time.Duration(r.Every) * day)
	}
	if r.Before > 0 && !d.ExpiresAt.IsZero() {
		// Not if the turn began, or a reminder was sent, since then.
		before := d.ExpiresAt.Add(-time.Duration(r.Before) * day)
		if before.After(turn) && before.After(d.RemindedAt) && (next.IsZero() || before.Before(next)) {
			next = before
		}
	}
	return next
}

// RemindBySchedule reminds those whose turn it is, if a reminder is due. Changed is false if none is.
func RemindBySchedule(d *Document, now time.Time) (c Change, changed bool) {
	next := d.NextReminder()
	if next.IsZero() || now.Before(next) || d.IsOverdue(now) {
		return Change{}, false
	}
	c = newChange(d)
	c.After.RemindedAt = now
	c.addEvent(EventReminded, Actor{}, now)
	for _, p := range c.After.Participants {
		if c.After.InTurn(p.ID) {
			c.addNotice(NoticeReminder, p.Person, Actor{}, now)
		}
	}
	return c, true
}

// QuietHours are the hours of a day in the time zone of an organisation, from 0 to 24, in which the service sends no scheduled reminders. From may be later than Until: then
// they include midnight. Equal hours: none.
type QuietHours struct{ From, Until int }

// Include reports whether a moment is in the quiet hours of a time zone.
func (q QuietHours) Include(now time.Time, zone *time.Location) bool {
	hour := now.In(zone).Hour()
	if q.From <= q.Until {
		return hour >= q.From && hour < q.Until
	}
	return hour >= q.From || hour < q.Until
}
