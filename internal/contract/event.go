package contract

import (
	"slices"
	"time"
)

// Event is one line of the audit log.
type Event struct {
	Type     EventType
	Document DocumentID // 0 in a Change that creates; the store fills it in
	At       time.Time
	Person   Person // the actor; the zero Person is the service itself
	IP       string
	Details  map[string]string // by name: serial, reason, digest, ...

	// Records is the SHA-256, in hexadecimal, of lines that state digests of the rows that were written together with the
	// event; empty where none are stated, as in events of before that was done. The store makes and keeps the lines
	// (docs/formats/record.md).
	Records string
}

// EventType names what happened. Values are stored permanently: new ones are added, none is renamed.
type EventType string

// Events of a document.
const (
	EventUploaded        EventType = "uploaded"
	EventTemplateMade    EventType = "template_made" // of a template: a document ("copy_of") was saved as it
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
	EventEmbedRequested  EventType = "embed_requested"  // the owner asked for an address for an embedded page ("person", "name", "purpose", "origins")
	EventEmbedOpened     EventType = "embed_opened"     // the person opened it in a page ("purpose", "embed_origin")
	EventGuestCorrected  EventType = "guest_corrected"  // the owner corrected the name, address or phone number of a guest
	EventCodeOrdered     EventType = "code_ordered"     // a guest asked for a code
	EventMailboxVerified EventType = "mailbox_verified" // a guest entered the code from their mailbox
	EventPhoneVerified   EventType = "phone_verified"   // a guest entered the code that was sent to their phone
	EventViewed          EventType = "viewed"
	EventReminded        EventType = "reminded"
	EventNoticeSent      EventType = "notice_sent"    // a mail server or a provider accepted a message to the person
	EventNoticeRefused   EventType = "notice_refused" // a mail server or a provider refused it for good, or none accepted it in time
	EventSignIntended    EventType = "sign_intended"
	EventSigned          EventType = "signed"
	EventApproved        EventType = "approved"
	EventDelegated       EventType = "delegated"    // a signer passed their part to another person ("to", "name", "address", "reason")
	EventTeamChanged     EventType = "team_changed" // the owner shares the document with a "team" ("team_name"), or no longer with the "former" one ("former_name")
	EventTransferred     EventType = "transferred"  // an admin gave the document to another owner ("from", "to", each with its "_name" and "_email")
	EventRejected        EventType = "rejected"
	EventCanceled        EventType = "canceled"
	EventExpired         EventType = "expired"

	EventParticipantErased EventType = "participant_erased" // a person whose data were erased ("person") was removed, or their name and address
	EventDeleted           EventType = "deleted"
	EventRemoved           EventType = "removed" // its files, under the retention of its organisation ("digest", "evidence", "serials", "years", "completed_at")

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
	EventEvidenceMade      EventType = "evidence_made"
	EventEvidenceRenewed   EventType = "evidence_renewed"
)

// Events of a serial. Document is the one that has it or released it last, if any.
const (
	EventSerialLetGo       EventType = "serial_let_go"
	EventSerialFreed       EventType = "serial_freed"
	EventSerialQuarantined EventType = "serial_quarantined"
	EventSerialFound       EventType = "serial_found"
	EventSerialGiven       EventType = "serial_given"
)

// Events that concern no document: Document is 0.
const (
	EventQuotaGranted       EventType = "quota_granted"
	EventQuotaLow           EventType = "quota_low" // of an organisation ("organisation"), which has so many ("left") of a "unit"
	EventPersonAdded        EventType = "person_added"
	EventAccountCreated     EventType = "account_created" // by a guest, for a mailbox that they verified
	EventPersonRenamed      EventType = "person_renamed"
	EventPersonDisabled     EventType = "person_disabled"
	EventPersonEnabled      EventType = "person_enabled"
	EventTransferBegun      EventType = "documents_transferred" // an admin began to give the documents of a person ("count") to another one ("to", "to_name", "to_email")
	EventRoleChanged        EventType = "role_changed"          // of a person ("role", "former_role")
	EventPasswordReset      EventType = "password_reset"        // by an administrator
	EventPersonExported     EventType = "person_exported"       // what is stored about a person was sent to them, or to an administrator
	EventErasureBegun       EventType = "erasure_begun"         // of the data of a person with an account ("person", without a name); "own": they asked for it
	EventPersonErased       EventType = "person_erased"         // it is done
	EventGuestErased        EventType = "guest_erased"          // the data of guests with one address, in "count" documents
	EventBrandingChanged    EventType = "branding_changed"
	EventLabelAdded         EventType = "label_added"   // a label for documents ("label", "name", "colour")
	EventLabelChanged       EventType = "label_changed" // also "new_name", if it has another one now
	EventLabelDeleted       EventType = "label_deleted"
	EventTeamAdded          EventType = "team_added"             // an admin created a "team" with a "team_name"
	EventTeamRenamed        EventType = "team_renamed"           // the "team" with the "team_name" has a "new_name"
	EventTeamDeleted        EventType = "team_deleted"           // the "team" with the "team_name"
	EventTeamJoined         EventType = "team_member_added"      // an account is a member of the "team" ("team_name")
	EventTeamLeft           EventType = "team_member_removed"    // and no longer
	EventLocaleChanged      EventType = "locale_changed"         // the "language" and the time "zone" of an organisation (missing: those of the service)
	EventRemindersChanged   EventType = "reminders_changed"      // the reminders of new documents ("after", "every", "before"; missing: not)
	EventPolicyChanged      EventType = "account_policy_changed" // what the organisation demands of accounts now ("login_factor", "sign_factor", "idle_minutes", "absolute_hours"; missing: nothing)
	EventRetentionChanged   EventType = "retention_changed"      // for how many "years" completed documents are kept now (missing: for ever)
	EventRemovalAnnounced   EventType = "removal_announced"      // an owner ("person") was told of documents ("count") that are due up to a day ("until")
	EventHoldSet            EventType = "hold_set"               // a legal "hold" with a "reason"; of a document, or of all of an "organisation"
	EventHoldLifted         EventType = "hold_lifted"            // it ended, for a "reason"
	EventEmbeddingChanged   EventType = "embedding_changed"      // whose pages may show those of the organisation in frames now ("origins"; missing: none)
	EventConsentChanged     EventType = "consent_changed"        // the consent text ("version", "digest_id", "digest_en") or whether it is "required"
	EventWebhookChanged     EventType = "webhook_changed"        // an admin created, changed, rotated, tested, replayed or deleted a webhook
	EventWebhookDisabled    EventType = "webhook_disabled"       // by the service
	EventKeyCreated         EventType = "key_created"            // an API key ("key", "key_name", "scopes", "networks", "expires", "test"), by the person as whom it acts
	EventKeyRevoked         EventType = "key_revoked"            // by that person or an admin
	EventKeyNetwork         EventType = "key_new_network"        // an API key was used from a network ("network") from which it had not been used before
	EventKeyRefused         EventType = "key_refused"            // an API key came from a network from which it is not allowed
	EventSSOChanged         EventType = "sso_changed"            // the provider of an organisation, or one of its mail domains ("change", "domain", and the settings after it, without the "secret")
	EventDirectoryChanged   EventType = "directory_changed"      // the access of an organisation's directory (SCIM), or one of its groups ("change", "group")
	EventSSOLinked          EventType = "sso_linked"             // an account belongs to a person at the provider ("issuer", "subject") from now on
	EventSSOUnlinked        EventType = "sso_unlinked"           // an admin ended that
	EventPasswordForgot     EventType = "password_forgotten"
	EventPasswordChange     EventType = "password_changed"
	EventCertificateRevoked EventType = "certificate_revoked"
	EventClockConfirmed     EventType = "clock_confirmed" // an operator says that the clock is right although a recorded time lies in the future
	EventRestored           EventType = "restored"        // the service began again with an older state ("snapshot_at", "events" of the log then, "backup")

	EventNoticeRetried EventType = "notice_retried" // an admin ordered a message that was not sent again ("notice", and "document" or "person")
	EventReconciled    EventType = "reconciled"     // an operator had the account at the stamp office compared with the register ("differences"; "problem": it was not read)

	// EventRecorded says nothing but what Records states: rows were written of which no other event tells. Its time is that of
	// the change where one is known. It may be made while the clock is in doubt, so it does not count as one that shows the time.
	EventRecorded EventType = "recorded"
)

// Events of organisations as such, which operators make. Details are the "name" then, and a "reason".
const (
	EventOrganisationAdded     EventType = "organisation_added"
	EventOrganisationRenamed   EventType = "organisation_renamed" // also "new_name"
	EventOrganisationSuspended EventType = "organisation_suspended"
	EventOrganisationResumed   EventType = "organisation_resumed"
	EventOrganisationClosed    EventType = "organisation_closed" // for ever
)

// EventTypes lists every type, in the order in which a person chooses one.
var EventTypes = []EventType{
	EventUploaded,
	EventTemplateMade,
	EventConverted,
	EventConvertFailed,
	EventNormalised,
	EventDescribed,
	EventPeopleChanged,
	EventPlaced,
	EventFindingAccepted,
	EventFinalized,
	EventGuestLink,
	EventGuestRevoked,
	EventEmbedRequested,
	EventEmbedOpened,
	EventGuestCorrected,
	EventCodeOrdered,
	EventMailboxVerified,
	EventPhoneVerified,
	EventViewed,
	EventReminded,
	EventNoticeSent,
	EventNoticeRefused,
	EventSignIntended,
	EventSigned,
	EventApproved,
	EventDelegated,
	EventTeamChanged,
	EventTransferred,
	EventRejected,
	EventCanceled,
	EventExpired,
	EventParticipantErased,
	EventDeleted,
	EventRemoved,
	EventSerialOrdered,
	EventSerialBound,
	EventStamped,
	EventStampFailed,
	EventStampNotRequested,
	EventRestamp,
	EventRetried,
	EventCompleted,
	EventClosingDelayed,
	EventClosingFailed,
	EventTimeRenewed,
	EventEvidenceMade,
	EventEvidenceRenewed,
	EventSerialLetGo,
	EventSerialFreed,
	EventSerialQuarantined,
	EventSerialFound,
	EventSerialGiven,
	EventQuotaGranted,
	EventQuotaLow,
	EventPersonAdded,
	EventInvitationSent,
	EventInvitationRevoked,
	EventInvitationAccepted,
	EventAccountCreated,
	EventOrganisationAdded,
	EventOrganisationRenamed,
	EventOrganisationSuspended,
	EventOrganisationResumed,
	EventOrganisationClosed,
	EventBrandingChanged,
	EventConsentChanged,
	EventRemindersChanged,
	EventLabelAdded,
	EventLabelChanged,
	EventLabelDeleted,
	EventTeamAdded,
	EventTeamRenamed,
	EventTeamDeleted,
	EventTeamJoined,
	EventTeamLeft,
	EventLocaleChanged,
	EventPolicyChanged,
	EventRetentionChanged,
	EventRemovalAnnounced,
	EventHoldSet,
	EventHoldLifted,
	EventEmbeddingChanged,
	EventPersonRenamed,
	EventPersonDisabled,
	EventPersonEnabled,
	EventTransferBegun,
	EventRoleChanged,
	EventPasswordReset,
	EventPersonExported,
	EventErasureBegun,
	EventPersonErased,
	EventGuestErased,
	EventWebhookChanged,
	EventWebhookDisabled,
	EventKeyCreated,
	EventKeyRevoked,
	EventKeyNetwork,
	EventKeyRefused,
	EventLoginFailures,
	EventSSOChanged,
	EventDirectoryChanged,
	EventSSOLinked,
	EventSSOUnlinked,
	EventPasswordForgot,
	EventPasswordChange,
	EventCertificateRevoked,
	EventClockConfirmed,
	EventRestored,
	EventNoticeRetried,
	EventReconciled,
	EventRecorded,
	EventAccountNoticeSent,
	EventAccountNoticeRefused,
	EventAccountNoticeShown,
	EventFactorAdded,
	EventFactorRemoved,
	EventPasskeyRenamed,
	EventFactorsReset,
	EventRecoveryCodesMade,
	EventRecoveryCodeUsed,
}

// OrganisationEventTypes are the types of what administrators do to an organisation and its accounts. Their details name the
// organisation ("organisation") and, except for its name and state, its branding, its consent text, its reminders, its labels, its language and time zone, the names of its teams, its policy for accounts, its retention, its legal holds, its origins, its
// webhooks and its provider, the account: "person", "name" and "email" (events of earlier releases lack "person").
var OrganisationEventTypes = []EventType{
	EventOrganisationAdded,
	EventOrganisationRenamed,
	EventOrganisationSuspended,
	EventOrganisationResumed,
	EventOrganisationClosed,
	EventBrandingChanged,
	EventConsentChanged,
	EventRemindersChanged,
	EventLabelAdded,
	EventLabelChanged,
	EventLabelDeleted,
	EventTeamAdded,
	EventTeamRenamed,
	EventTeamDeleted,
	EventTeamJoined,
	EventTeamLeft,
	EventLocaleChanged,
	EventPolicyChanged,
	EventRetentionChanged,
	EventRemovalAnnounced,
	EventHoldSet,
	EventHoldLifted,
	EventEmbeddingChanged,
	EventPersonAdded,
	EventInvitationSent,
	EventInvitationRevoked,
	EventInvitationAccepted,
	EventAccountCreated,
	EventPersonRenamed,
	EventPersonDisabled,
	EventPersonEnabled,
	EventTransferBegun,
	EventRoleChanged,
	EventPasswordReset,
	EventPersonExported,
	EventErasureBegun,
	EventPersonErased,
	EventGuestErased,
	EventWebhookChanged,
	EventWebhookDisabled,
	EventAccountNoticeSent,
	EventAccountNoticeRefused,
	EventAccountNoticeShown,
	EventNoticeRetried,
	EventKeyCreated,
	EventKeyRevoked,
	EventKeyNetwork,
	EventKeyRefused,
	EventLoginFailures,
	EventSSOChanged,
	EventDirectoryChanged,
	EventSSOLinked,
	EventSSOUnlinked,
	EventFactorAdded,
	EventFactorRemoved,
	EventPasskeyRenamed,
	EventFactorsReset,
	EventRecoveryCodesMade,
	EventRecoveryCodeUsed,
}

// addEvent adds an event about the document. Details are names and values in turn; those with an empty value are left
// out.
func (c *Change) addEvent(t EventType, by Actor, now time.Time, details ...string) {
	e := Event{Type: t, Document: c.After.ID, At: now, Person: by.Person, IP: by.IP}
	details = slices.Concat(details, by.Key.eventDetails(), by.Embed.eventDetails())
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
