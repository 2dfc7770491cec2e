package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// NoticeQuery selects notices. A zero member selects all.
type NoticeQuery struct {
	Organisation contract.OrganisationID
	Document     contract.DocumentID
	State        contract.NoticeState
	Offset       int
	Limit        int
}

// NoticePage is one page of notices, the newest first, and the number of all that match.
type NoticePage struct {
	Notices []contract.Notice
	Total   int
}

// Notices stores messages to people. [Documents.Commit] adds them.
type Notices interface {
	Notice(ctx context.Context, id contract.NoticeID) (contract.Notice, error) // ErrNotFound

	// OrderedNotices returns the notices of a document that are to be delivered, due or not, in the order in which they were ordered.
	OrderedNotices(ctx context.Context, id contract.DocumentID) ([]contract.Notice, error)

	// NoticesOf returns the newest notice of each person and kind on a document.
	NoticesOf(ctx context.Context, id contract.DocumentID) ([]contract.Notice, error)

	ListNotices(ctx context.Context, q NoticeQuery) (NoticePage, error)

	// BeginTry records, before a notice is sent, its channel and where it goes, and counts the try. Until the lease ends no other caller finds it due. If ctx
	// belongs to a term (package process), the database's clock decides that, and the lease ends with the node, see [Nodes]; otherwise it lasts from now on, by the caller's clock. It
	// returns ErrConflict if another process began that try, if one is still sending the notice by the database's clock, although it is due by the caller's, or if the notice is not ordered any more. Durable on return: a crash from
	// here on leads to another try.
	BeginTry(ctx context.Context, n contract.Notice, address string, now time.Time, lease time.Duration) (contract.Notice, error)

	// EndTry records the result of a try, and logs the events in the same transaction. It returns ErrConflict if the notice is not
	// the one that [Notices.BeginTry] returned any more.
	EndTry(ctx context.Context, n contract.Notice, events ...contract.Event) error

	// RefuseNotice records that a message which a mail server had accepted was returned, and logs the events in the same transaction. It returns
	// ErrConflict if the notice is not that sent one any more.
	RefuseNotice(ctx context.Context, n contract.Notice, events ...contract.Event) error

	// RetryNotice orders a notice that is neither ordered nor sent again, enqueues its delivery, and logs the event. It returns ErrNotFound for
	// any other.
	RetryNotice(ctx context.Context, id contract.NoticeID, now time.Time, e contract.Event) (contract.Notice, error)

	// PutBackMessages makes notices and deliveries to webhooks due that a process was sending when it ended: after the first try at once, later with a wait that
	// grows with the tries. For a node, its end does.
	PutBackMessages(ctx context.Context, process string) error

	// DocumentsWithDueNotices returns up to limit documents that have notices which were due before that moment.
	DocumentsWithDueNotices(ctx context.Context, before time.Time, limit int) ([]contract.DocumentID, error)
}
