package contract

import "time"

// Event is one line of the audit log.
type Event struct {
	Type     EventType
	Document DocumentID // 0 in a Change that creates; the store fills it in
	At       time.Time
	Person   Person // who; the zero Person is the service itself
	IP       string
	Details  map[string]string // by name: serial, reason, digest, ...

	// Records is the SHA-256, in hexadecimal, of lines that state digests of the rows that were written together with the
	// event; empty where none are stated, as in events of before that was done. The store makes and keeps the lines
	// (docs/formats/record.md).
	Records string
}

// EventType names what happened. Values are stored for good: new ones are added, none is renamed.
type EventType string

// What can happen to a document.
const (
	EventUploaded        EventType = "uploaded"
	EventConverted       EventType = "converted"
	EventConvertFailed   EventType = "convert_failed"
	EventNormalised      EventType = "normalised" // the file was rewritten before anything was signed
	EventDescribed       EventType = "described"
	EventPeopleChanged   EventType = "participants_changed"
	EventPlaced          EventType = "placed"
	EventFindingAccepted EventType = "finding_accepted" // at finalize, by the owner
	EventFinalized       EventType = "finalized"
	EventGuestLink       EventType = "guest_link_handed_out"
	EventGuestRevoked    EventType = "guest_link_revoked"
	EventViewed          EventType = "viewed"
	EventReminded        EventType = "reminded"
	EventSignIntended    EventType = "sign_intended"
	EventSigned          EventType = "signed"
	EventRejected        EventType = "rejected"
	EventCanceled        EventType = "canceled"
	EventExpired         EventType = "expired"
	EventDeleted         EventType = "deleted"

	EventSerialOrdered     EventType = "serial_ordered"
	EventSerialBound       EventType = "serial_bound"
	EventStamped           EventType = "stamped"
	EventStampFailed       EventType = "stamp_failed"
	EventStampNotRequested EventType = "stamp_not_asked" // the office would have refused the file
	EventRestamp           EventType = "restamp"
	EventRetried           EventType = "retried"
	EventCompleted         EventType = "completed"
	EventClosingDelayed    EventType = "closing_delayed"
	EventClosingFailed     EventType = "closing_failed"
	EventTimeRenewed       EventType = "timestamp_renewed"
)

// What can happen to a serial; Document is the one that has it or let go of it last, if any.
const (
	EventSerialLetGo       EventType = "serial_let_go"
	EventSerialFreed       EventType = "serial_freed"
	EventSerialQuarantined EventType = "serial_quarantined"
	EventSerialFound       EventType = "serial_found"
	EventSerialGiven       EventType = "serial_given"
)

// What can happen beside documents: Document is 0.
const (
	EventQuotaGranted       EventType = "quota_granted"
	EventPersonAdded        EventType = "person_added"
	EventPasswordForgot     EventType = "password_forgotten"
	EventPasswordChange     EventType = "password_changed"
	EventCertificateRevoked EventType = "certificate_revoked"
	EventClockConfirmed     EventType = "clock_confirmed" // an operator says that the clock is right, whatever lies in the future

	// EventRecorded says nothing but what Records states: rows were written of which no other event tells. Its time is that of
	// the change where one is known. It may be made while the clock is in doubt, so it does not count as one that shows the time.
	EventRecorded EventType = "recorded"
)

// EventTypes lists all of them, in the order in which a person chooses one.
var EventTypes = []EventType{
	EventUploaded, EventConverted, EventConvertFailed, EventNormalised, EventDescribed, EventPeopleChanged, EventPlaced, EventFindingAccepted, EventFinalized,
	EventGuestLink, EventGuestRevoked, EventViewed, EventReminded, EventSignIntended, EventSigned, EventRejected, EventCanceled, EventExpired, EventDeleted,
	EventSerialOrdered, EventSerialBound, EventStamped, EventStampFailed, EventStampNotRequested, EventRestamp, EventRetried, EventCompleted, EventClosingDelayed,
	EventClosingFailed, EventTimeRenewed, EventSerialLetGo, EventSerialFreed, EventSerialQuarantined, EventSerialFound, EventSerialGiven,
	EventQuotaGranted, EventPersonAdded, EventPasswordForgot, EventPasswordChange, EventCertificateRevoked, EventClockConfirmed, EventRecorded,
}

// addEvent adds an event about the document. Details are names and values in turn; those without a value are left out.
func (c *Change) addEvent(t EventType, by Actor, now time.Time, details ...string) {
	e := Event{Type: t, Document: c.After.ID, At: now, Person: by.Person, IP: by.IP}
	for i := 0; i+1 < len(details); i += 2 {
		if details[i+1] == "" {
			continue
		}
		if e.Details == nil {
			e.Details = map[string]string{}
		}
		e.Details[details[i]] = details[i+1]
	}
	c.Events = append(c.Events, e)
}
