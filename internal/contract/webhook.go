package contract

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Errors of operations on webhooks.
var (
	// ErrNoWebhook refuses a webhook that does not exist or that the caller does not administer.
	ErrNoWebhook = Refuse(NotFound, "webhook.not_found")
	// ErrNoDelivery refuses a delivery that does not exist.
	ErrNoDelivery = Refuse(NotFound, "webhook.no_delivery")
	// ErrWebhookLimit refuses another webhook of an organisation that has MaxWebhooks.
	ErrWebhookLimit = Refuse(Conflict, "webhook.too_many").With("limit", MaxWebhooks)
	// ErrWebhookChanged refuses a change of a webhook that was changed at the same moment.
	ErrWebhookChanged = Refuse(Conflict, "webhook.changed").WithRetry()
)

// MaxWebhooks is how many webhooks an organisation may have.
const MaxWebhooks = 20

// WebhookID is the UUID (version 7) of a webhook.
type WebhookID string

// Webhook is an address of another system to which the events of an organisation are sent.
type Webhook struct {
	ID           WebhookID
	Organisation OrganisationID
	URL          string
	Description  string
	Types        []FeedType // sorted as FeedTypes; empty: all

	Secret      []byte    // sealed; signs each delivery
	FormerOne   []byte    // sealed; signs too until FormerUntil; empty: none
	FormerUntil time.Time // zero: there is no former secret

	// Position is that of the first event that is not a delivery yet.
	Position FeedNumber

	DisabledAt   time.Time // zero: events are sent
	DisabledFor  WebhookProblem
	FailingSince time.Time // of the first delivery that failed since one last succeeded; zero: none did
	Untold       bool      // its admins are still to be told that the service disabled it
	CreatedAt    time.Time
	Edits        int64 // rises with each change by a person; detects two writers
}

// WebhookProblem is why a webhook is disabled. Values are stored permanently.
type WebhookProblem string

// Why a webhook is disabled.
const (
	WebhookOff     WebhookProblem = "off"     // by an admin
	WebhookFailing WebhookProblem = "failing" // a delivery is dead, and none was accepted for two days
	WebhookGone    WebhookProblem = "gone"    // it answered 410
)

// WebhookSettings are what an admin decides about a webhook.
type WebhookSettings struct {
	URL         string
	Description string
	Types       []FeedType // empty: all
	Enabled     bool
}

// Bounds of a webhook's settings.
const (
	maxWebhookURL         = 2000 // bytes
	maxWebhookDescription = 200  // characters
)

// IsPrivateHost reports whether a host is in a network that is not the internet: by its address, or by a name that public DNS does not resolve.
func IsPrivateHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc([]string{".localhost", ".internal", ".local", ".home.arpa"}, func(end string) bool { return strings.HasSuffix(host, end) })
}

// CheckWebhook checks the settings of a webhook and returns them normalised. Addresses have to be https; if plain is true, those of private hosts may
// be http.
func CheckWebhook(in WebhookSettings, plain bool) (WebhookSettings, error) {
	var bad []FieldError
	in.URL, in.Description = strings.TrimSpace(in.URL), CleanText(strings.TrimSpace(in.Description))
	u, err := url.Parse(in.URL)
	switch {
	case in.URL == "":
		bad = append(bad, NewFieldError("url", "value.required"))
	case len(in.URL) > maxWebhookURL:
		bad = append(bad, NewFieldError("url", "text.too_long", "limit", maxWebhookURL))
	case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		bad = append(bad, NewFieldError("url", "webhook.bad_url"))
	case u.Scheme != "https" && !(plain && IsPrivateHost(u.Hostname())):
		bad = append(bad, NewFieldError("url", "webhook.not_https"))
	}
	if utf8.RuneCountInString(in.Description) > maxWebhookDescription {
		bad = append(bad, NewFieldError("description", "text.too_long", "limit", maxWebhookDescription))
	}
	var types []FeedType
	for _, t := range FeedTypes {
		if slices.Contains(in.Types, t) {
			types = append(types, t)
		}
	}
	for i, t := range in.Types {
		if !slices.Contains(FeedTypes, t) {
			bad = append(bad, NewFieldError("types["+strconv.Itoa(i)+"]", "webhook.unknown_type"))
		}
	}
	in.Types = types
	return in, InvalidInput(bad...)
}

// WebhookDelivery is an event that is sent to a webhook.
type WebhookDelivery struct {
	Webhook      WebhookID
	Number       FeedNumber // of the event; negative: a test, which reports no event
	Organisation OrganisationID
	Document     DocumentID // 0: the event concerns none
	Type         FeedType   // FeedTest for a test

	State     DeliveryState
	OrderedAt time.Time
	DueAt     time.Time // when it is tried next; zero: at once, because the process that sent it ended
	DoneAt    time.Time // when its state became final; zero: not yet
	Tries     int       // requests that were begun

	// Of the last try.
	URL      string
	SentAt   time.Time // zero: none was begun
	Took     time.Duration
	Body     string      // the same for each try
	Status   int         // of the response; 0: there was none
	Response string      // the beginning of its body
	Problem  ProblemCode // empty: none
}

// IsTest reports whether a delivery reports no event.
func (d *WebhookDelivery) IsTest() bool { return d.Number < 0 }

// MessageID returns the identifier of the message, the same for each try of the delivery.
func (d *WebhookDelivery) MessageID() string {
	if d.IsTest() {
		return "test_" + strconv.FormatInt(-int64(d.Number), 10)
	}
	return FeedEventID(d.Number)
}

// FeedEventID returns the identifier of a reported event.
func FeedEventID(n FeedNumber) string { return "evt_" + strconv.FormatInt(int64(n), 10) }

// ParseMessageID returns the number of the event, or of the test, with that identifier.
func ParseMessageID(id string) (FeedNumber, bool) {
	text, sign := strings.CutPrefix(id, "evt_")
	test := false
	if !sign {
		text, test = strings.CutPrefix(id, "test_")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 0 || !sign && !test || test && n == 0 || strconv.FormatInt(n, 10) != text:
		return 0, false
	case test:
		n = -n
	}
	return FeedNumber(n), true
}

// DeliveryState is what became of a delivery. Values are stored permanently.
type DeliveryState string

// The states. All but ordered are final; a replay makes any other an ordered one again.
const (
	DeliveryOrdered   DeliveryState = "ordered"   // to be sent
	DeliveryDelivered DeliveryState = "delivered" // answered with a status from 200 to 299
	DeliveryDead      DeliveryState = "dead"      // not accepted for three days, or the webhook is gone
)

// DeliveryStates lists every state.
var DeliveryStates = []DeliveryState{DeliveryOrdered, DeliveryDelivered, DeliveryDead}

// Problems of a try.
const (
	DeliveryRefused     ProblemCode = "webhook.refused"     // another status than 200 to 299
	DeliveryGone        ProblemCode = "webhook.gone"        // status 410
	DeliveryUnreachable ProblemCode = "webhook.unreachable" // no response
	DeliveryForbidden   ProblemCode = "webhook.forbidden"   // the rules for outgoing requests forbid the address
	DeliveryTimeout     ProblemCode = "webhook.timeout"     // no response in time
	DeliveryUnwritten   ProblemCode = "webhook.unwritten"   // the message could not be written
)

const (
	// DeliveryLifetime is for how long a delivery is tried.
	DeliveryLifetime = 72 * time.Hour
	// FormerSecretLifetime is how long the former secret signs too after a rotation.
	FormerSecretLifetime = 24 * time.Hour
)

// NextWebhookTry returns when a delivery whose try failed at that time is tried again: after five seconds, then after four times as long up
// to four hours. The second result is false if it was ordered too long ago.
func NextWebhookTry(d WebhookDelivery, now time.Time) (time.Time, bool) {
	if now.Sub(d.OrderedAt) >= DeliveryLifetime {
		return time.Time{}, false
	}
	const first, longest = 5 * time.Second, 4 * time.Hour
	wait := longest
	if d.Tries < 8 {
		wait = min(first<<(2*max(d.Tries-1, 0)), longest)
	}
	return now.Add(wait), true
}
