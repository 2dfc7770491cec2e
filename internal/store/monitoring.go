package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Monitoring reads figures of the whole installation for monitors.
type Monitoring interface {
	// ReadBacklog reads what waits for the service, and what expires, on one snapshot of the database. It costs time in proportion to what
	// waits and to the number of organisations, not to the number of documents.
	ReadBacklog(ctx context.Context, q BacklogQuery) (Backlog, error)
}

// BacklogQuery says which quotas a [Backlog] lists.
type BacklogQuery struct {
	QuotaBelow int // those with fewer units left
	Quotas     int // and no more than that many of them, those with the fewest units first
}

// Backlog is what waits for the service at one moment, and what expires. A zero time means that there is none.
type Backlog struct {
	At time.Time // by the clock of the database, as the times of jobs

	Jobs      []JobBacklog
	Documents []DocumentBacklog // those that wait for the service and have not failed
	Failed    int               // documents that failed, and were neither repaired nor canceled

	Notices       int       // messages of active organisations that are to be delivered
	OldestNotice  time.Time // when the first of them was ordered
	Deliveries    int       // of events to webhooks, that are to be sent
	OldestSend    time.Time // when the first of them was ordered
	WebhooksEnded int       // webhooks that the service disabled

	Quotas    []LowQuota            // the lowest ones
	LowQuotas map[contract.Unit]int // how many quotas of each unit are as low, without limit

	SealExpires    time.Time // the first end of a certificate with which an organisation seals
	RenewalDue     time.Time // when the first document timestamp has to be renewed
	RenewalsMissed int       // document timestamps that had to be renewed by now
	LastBackup     time.Time // the end of the newest complete backup
}

// JobBacklog is the unfinished jobs of one kind in one state.
type JobBacklog struct {
	Kind   string // a [contract.JobKind], or periodic
	State  JobState
	Count  int
	Oldest time.Time // when the first of them was ordered
	Due    time.Time // when the first of them may run, or was to
}

// JobState is the state of an unfinished job.
type JobState string

// The states.
const (
	JobAvailable JobState = "available" // due, and not begun
	JobRunning   JobState = "running"
	JobLater     JobState = "later" // after a failure, or because it waits for something
)

// DocumentBacklog is the documents that wait for one reason.
type DocumentBacklog struct {
	Reason contract.WaitingReason
	Count  int
	Oldest time.Time // the last progress of the one that waits longest
}

// LowQuota is a quota with few units left.
type LowQuota struct {
	Organisation contract.OrganisationID
	Unit         contract.Unit
	Left         int
}

// Connections is how a pool of connections to the database is used.
type Connections struct {
	Pool       string // what the connections are for: main on PostgreSQL; reader or writer on SQLite
	Max        int
	InUse      int
	Idle       int
	Waits      int64         // how often a transaction waited for a connection
	WaitedTime time.Duration // for how long, in all
}
