// Package documents loads documents, commits what the rules decide about them, and stores and opens their files. The
// verbs of package workflow and the work of package stamping build on it.
//
// Bytes are written before the commit that refers to them. If the process dies between the two, nothing refers to the
// bytes, and fsck finds them. A reference without bytes cannot occur.
package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"segel/internal/admission"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/pades/validate"
)

// Store is the durable storage of documents.
type Store interface {
	store.Documents
	store.Clocks
	Organisations(ctx context.Context) ([]store.Organisation, error)
}

// Documents holds what all work on documents shares. All fields are required, unless they say otherwise.
type Documents struct {
	Store Store
	Blobs blob.Store
	// BlobsOf returns the store in which the files of an organisation are written; nil: Blobs, for all.
	BlobsOf func(contract.OrganisationID) blob.Store
	// RequireDiskSpace checks that the disk has space for that many more bytes of refusable uploads, beyond the reserve
	// for signatures, stamps and seals. Its error is an outage. Nil: unlimited.
	RequireDiskSpace func(bytes int64) error
	// Trust holds the trust anchors for files. With nil no file passes, so no document completes.
	Trust  *validate.Trust
	Limits contract.Limits
	Clock  func() time.Time
	// MachineClock is compared with other clocks before anything is signed. It differs from Clock while the clock of the machine is set; nil: it is Clock.
	MachineClock func() time.Time
	// ClockTolerance is how far other clocks may be from it; 0 is [contract.ClockTolerance].
	ClockTolerance time.Duration
	Random         io.Reader
	Log            *slog.Logger
	Alarm          func(Alarm) // counts alarms, which are also logged; nil counts none
	// KeepNotices keeps notices for an operator instead of mailing them: no mail server is configured.
	KeepNotices bool
	// PhoneChannels are those for which a provider is configured. Notices by others are kept too.
	PhoneChannels []contract.Channel
	// EvidenceOnRequest leaves evidence certificates to their first request, instead of a job after the completion.
	EvidenceOnRequest bool

	locks       documentLocks // one builder of a document's next revision at a time
	conversions documentLocks // one conversion of a document at a time
	watch       watchers
	clockAlarm  clockAlarm
}

// LoadDocument reads a document. It returns [contract.ErrNotFound] if there is none.
func (s *Documents) LoadDocument(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	d, err := s.Store.Document(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Document{}, contract.ErrNotFound
	}
	if err != nil {
		return contract.Document{}, fmt.Errorf("read document %d: %w", id, err)
	}
	return d, nil
}

// LoadDocumentFor reads a document for an actor. If the actor has no part in it, the same query runs, finds no row, and
// gives the same answer as for a document that does not exist. Reading the document before refusing would take longer,
// the more the larger it is, and reveal that it exists. [contract.Document.Authorise] decides what the actor may do.
func (s *Documents) LoadDocumentFor(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	if by.IsSystem() {
		return s.LoadDocument(ctx, id)
	}
	read := func() (contract.Document, error) { return s.Store.DocumentFor(ctx, id, by.ID) }
	if by.Role == contract.RoleAuditor {
		read = func() (contract.Document, error) { return s.Store.DocumentForAuditor(ctx, id, by.ID, by.Organisation) }
	}
	d, err := read()
	if errors.Is(err, store.ErrNotFound) {
		return contract.Document{}, contract.ErrNotFound
	}
	return d, err
}

// LoadDocumentOf reads a document of an organisation for its administrator, or any document if the organisation is empty. The same query runs for
// a document of another organisation, as in [Documents.LoadDocumentFor].
func (s *Documents) LoadDocumentOf(ctx context.Context, o contract.OrganisationID, id contract.DocumentID) (contract.Document, error) {
	if o == "" {
		return s.LoadDocument(ctx, id)
	}
	d, err := s.Store.DocumentOf(ctx, id, o)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Document{}, contract.ErrNotFound
	}
	return d, err
}

// LoadAuthorised reads a document for an operation that the actor may run on it.
func (s *Documents) LoadAuthorised(ctx context.Context, by contract.Actor, op contract.Operation, id contract.DocumentID) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if err := d.Authorise(by, op); err != nil {
		return contract.Document{}, err
	}
	return d, nil
}

// Delivers reports whether messages by a channel are sent, and not kept.
func (s *Documents) Delivers(c contract.Channel) bool {
	if c.IsPhone() {
		return slices.Contains(s.PhoneChannels, c)
	}
	return !s.KeepNotices
}

// maxCommitTries bounds how often a change is retried because another writer committed first. Each lost race means that
// another writer made progress, so only heavy contention on one document reaches the bound.
const maxCommitTries = 50

// ApplyRule runs a rule on the current document and commits the change. It starts over if another writer committed
// first. A rule that returns nil changes nothing.
func (s *Documents) ApplyRule(ctx context.Context, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.LoadDocument(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.ApplyRuleTo(ctx, d, rule)
}

// ApplyRuleAs is ApplyRule for an actor who may not be allowed to see the document. See [Documents.LoadDocumentFor].
func (s *Documents) ApplyRuleAs(ctx context.Context, by contract.Actor, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.ApplyRuleTo(ctx, d, rule)
}

// ApplyRuleTo is ApplyRule for a document that was just read or committed. It may be outdated: the commit detects that.
func (s *Documents) ApplyRuleTo(ctx context.Context, d contract.Document, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	for range maxCommitTries {
		c, err := rule(&d)
		if err != nil {
			return contract.Document{}, err
		}
		if c == nil {
			return d, nil
		}
		after, err := s.CommitChange(ctx, *c)
		if !errors.Is(err, contract.ErrRace) {
			return after, err
		}
		if d, err = s.LoadDocument(ctx, d.ID); err != nil {
			return contract.Document{}, err
		}
	}
	return contract.Document{}, contract.ErrRace
}

// CommitChange makes a change durable and wakes the requests that watch the document.
func (s *Documents) CommitChange(ctx context.Context, c contract.Change) (contract.Document, error) {
	c.KeepNotices(s.Delivers)
	if s.EvidenceOnRequest {
		c.RemoveJobs(contract.JobEvidence)
	}
	d, err := s.Store.Commit(ctx, c)
	switch {
	case errors.Is(err, store.ErrConflict):
		return contract.Document{}, contract.ErrRace
	case errors.Is(err, store.ErrNotFound):
		return contract.Document{}, contract.ErrNotFound
	case errors.Is(err, store.ErrClaimLost):
		return contract.Document{}, KeyRefusal(err)
	case contract.KindOf(err) != 0:
		return contract.Document{}, err
	case err != nil:
		return contract.Document{}, fmt.Errorf("commit document %d: %w", c.After.ID, err)
	}
	s.watch.notifyNewer([]contract.DocumentID{d.ID}, nil) // with any version: it is new
	return d, nil
}

// KeyRefusal refuses a request that lost its claim on its Idempotency-Key to another request. Nothing was applied.
func KeyRefusal(err error) error {
	if errors.Is(err, store.ErrClaimLost) {
		return contract.ErrKeyRunning.WithCause(err)
	}
	return err
}

// WithDocumentAnswer returns the context for the commit that fulfils the request. The answer, made from the document,
// is stored in the same transaction; see [store.WithFinalAnswer]. Earlier commits, such as that of an intention, use the
// context of the request.
func WithDocumentAnswer(ctx context.Context) context.Context {
	return store.WithFinalAnswer(ctx, func(d contract.Document) any { return d })
}

// ChangeOf adapts a rule that always makes a change to ApplyRule.
func ChangeOf(c contract.Change, err error) (*contract.Change, error) {
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// ChangeIf adapts a rule that may find nothing to change to ApplyRule.
func ChangeIf(c contract.Change, changed bool, err error) (*contract.Change, error) {
	if !changed {
		return nil, err
	}
	return ChangeOf(c, err)
}

// CommitRevisions commits what the rule decides about revisions whose bytes are stored. Commits by others that did not
// change the file do not matter. If another commit appended to the file, the bytes are removed and the caller gets
// ErrRace.
func (s *Documents) CommitRevisions(ctx context.Context, d contract.Document, made []contract.Revision, rule func(*contract.Document) (contract.Change, error)) (contract.Document, error) {
	d, err := s.ApplyRuleTo(ctx, d, func(d *contract.Document) (*contract.Change, error) {
		if d.Current().End != made[0].Begin {
			return nil, contract.ErrRace
		}
		return ChangeOf(rule(d))
	})
	if err != nil {
		return contract.Document{}, s.RemoveUncommitted(ctx, err, made...)
	}
	return d, nil
}

// LongestRetry is the longest delay before a job is retried.
const LongestRetry = 5 * time.Minute

// documentLocks serialise the builders of a document's next revision within this process, so that concurrent signers do
// not sign revisions that can no longer be committed. Correctness does not depend on them: the commit's
// compare-and-swap decides, also between processes. The zero value is ready to use.
type documentLocks struct {
	once  sync.Once
	queue *admission.Queue
}

func (l *documentLocks) acquireLock(ctx context.Context, id contract.DocumentID) (release func(), err error) {
	l.once.Do(func() {
		l.queue = admission.NewQueue(admission.Limits{Slots: math.MaxInt, PerKey: 1, Waiting: math.MaxInt})
	})
	return l.queue.Acquire(ctx, strconv.FormatInt(int64(id), 10))
}

// LockDocument waits until the caller alone builds the next revision of a document. The returned function releases it.
func (s *Documents) LockDocument(ctx context.Context, id contract.DocumentID) (release func(), err error) {
	return s.locks.acquireLock(ctx, id)
}

// LockConversion waits until the caller alone converts a document. Others do not wait for it with [Documents.LockDocument]: a conversion may take minutes,
// and they are told that it is in progress.
func (s *Documents) LockConversion(ctx context.Context, id contract.DocumentID) (release func(), err error) {
	return s.conversions.acquireLock(ctx, id)
}
