package contract

import "slices"

// FeedType is the type of an event that is reported to other systems. Values are part of the interface: new ones are added, none is
// renamed.
type FeedType string

// The types of reported events.
const (
	FeedCreated     FeedType = "document.created"
	FeedFinalized   FeedType = "document.finalized"
	FeedViewed      FeedType = "document.viewed"
	FeedSigned      FeedType = "document.signed"
	FeedApproved    FeedType = "document.approved"
	FeedDeclined    FeedType = "document.declined"
	FeedDelegated   FeedType = "document.delegated"
	FeedTransferred FeedType = "document.transferred" // it has another owner
	FeedStamped     FeedType = "document.stamped"     // the last of its duty stamps is affixed
	FeedFailed      FeedType = "document.failed"
	FeedCompleted   FeedType = "document.completed"
	FeedCanceled    FeedType = "document.canceled"
	FeedExpired     FeedType = "document.expired"
	FeedRenewed     FeedType = "document.renewed"

	FeedStampOrdered FeedType = "stamp.ordered"
	FeedStampAffixed FeedType = "stamp.affixed"
	FeedStampRefused FeedType = "stamp.refused"

	FeedQuotaLow    FeedType = "quota.low" // concerns no document
	FeedMailBounced FeedType = "mail.bounced"
	FeedTextRefused FeedType = "text.refused" // a message by WhatsApp or SMS

	// Of accounts; they concern no document.
	FeedKeyNetwork    FeedType = "key.new_network"
	FeedLoginFailures FeedType = "account.login_failures"
)

// FeedTest is the type of a test message, which reports no event.
const FeedTest FeedType = "webhook.test"

// FeedTypes lists every type, in the order in which a person chooses one.
var FeedTypes = []FeedType{
	FeedCreated, FeedFinalized, FeedViewed, FeedSigned, FeedApproved, FeedDeclined, FeedDelegated, FeedTransferred, FeedStamped, FeedFailed, FeedCompleted, FeedCanceled, FeedExpired, FeedRenewed,
	FeedStampOrdered, FeedStampAffixed, FeedStampRefused, FeedQuotaLow, FeedMailBounced, FeedTextRefused, FeedKeyNetwork, FeedLoginFailures,
}

// FeedVersion is the version of the form in which events are reported. It rises when a member is removed or changes its meaning.
const FeedVersion = 1

// MaxFeedTypes is how many reported events one event of the audit log makes at most.
const MaxFeedTypes = 2

// feedTypes are the reported types of events of the audit log that always have the same.
var feedTypes = map[EventType][]FeedType{
	EventUploaded:          {FeedCreated},
	EventConvertFailed:     {FeedFailed},
	EventFinalized:         {FeedFinalized},
	EventViewed:            {FeedViewed},
	EventSigned:            {FeedSigned},
	EventApproved:          {FeedApproved},
	EventRejected:          {FeedDeclined},
	EventDelegated:         {FeedDelegated},
	EventTransferred:       {FeedTransferred},
	EventCanceled:          {FeedCanceled},
	EventExpired:           {FeedExpired},
	EventCompleted:         {FeedCompleted},
	EventClosingFailed:     {FeedFailed},
	EventTimeRenewed:       {FeedRenewed},
	EventSerialOrdered:     {FeedStampOrdered},
	EventStamped:           {FeedStampAffixed},
	EventStampFailed:       nil, // see FeedTypesOf
	EventStampNotRequested: {FeedFailed},
	EventNoticeRefused:     {FeedMailBounced},
	EventQuotaLow:          {FeedQuotaLow},
	EventKeyNetwork:        {FeedKeyNetwork},
	EventLoginFailures:     {FeedLoginFailures},
}

// Details of events that decide how they are reported.
const (
	detailLastStamp = "last"      // of EventStamped; "true": no other stamp is due
	detailPermanent = "permanent" // of EventStampFailed; "true": it is not retried, the document failed
	detailFirstUse  = "first"     // of EventKeyNetwork; "true": the first use of the key, which raises no suspicion
	detailChannel   = "channel"   // of EventNoticeRefused; missing: mail
	detailTemplate  = "template"  // of EventTransferred; "true": of a template, which no other system is told of
)

// FeedTypesOf returns how an event of the audit log is reported, in this order: at most MaxFeedTypes types. None: it is not.
func FeedTypesOf(e Event) []FeedType {
	switch {
	case e.Type == EventStamped && e.Details[detailLastStamp] == "true":
		return []FeedType{FeedStampAffixed, FeedStamped}
	case e.Type == EventStampFailed && e.Details[detailPermanent] == "true":
		return []FeedType{FeedStampRefused, FeedFailed}
	case e.Type == EventKeyNetwork && e.Details[detailFirstUse] == "true":
		return nil
	case e.Type == EventTransferred && e.Details[detailTemplate] == "true":
		return nil
	case e.Type == EventNoticeRefused && e.Details[detailChannel] != "":
		return []FeedType{FeedTextRefused}
	}
	return feedTypes[e.Type]
}

// ReportedEvents lists the types of events of the audit log that may be reported, sorted.
var ReportedEvents = func() (all []EventType) {
	for t := range feedTypes {
		all = append(all, t)
	}
	slices.Sort(all)
	return all
}()

// FeedNumber is the position of a reported event: MaxFeedTypes times the leaf of its event in the audit log, plus its index among the
// types of that event. Positions ascend in the order of the commits, and no position below one that was read is ever added.
type FeedNumber int64

// FeedEvent is a reported event.
type FeedEvent struct {
	Number       FeedNumber
	Organisation OrganisationID
	Type         FeedType
	Cause        Event // Document, At, Person and Details are those of the event in the audit log; Records is empty
}

// ErrFeedAhead refuses a position that the feed has not reached: the database was restored from an older backup.
var ErrFeedAhead = Refuse(Conflict, "feed.ahead")

// FeedOf returns the reported events of one event of the audit log.
func FeedOf(of OrganisationID, leaf int64, e Event) []FeedEvent {
	var all []FeedEvent
	for i, t := range FeedTypesOf(e) {
		all = append(all, FeedEvent{Number: FeedNumber(leaf*MaxFeedTypes + int64(i)), Organisation: of, Type: t, Cause: e})
	}
	return all
}
