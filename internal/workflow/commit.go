package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/store"
)

// maxCommitTries bounds how often a change is retried because another writer committed first. Each lost race means that
// another writer made progress, so only heavy contention on one document reaches the bound.
const maxCommitTries = 50

// applyRule runs a rule on the current document and commits the change. It starts over if another writer committed
// first. A rule that returns nil changes nothing.
func (s *Service) applyRule(ctx context.Context, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.loadDocument(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.applyRuleTo(ctx, d, rule)
}

// applyRuleAs is applyRule for an actor who may not be allowed to see the document. See [Service.loadDocumentFor].
func (s *Service) applyRuleAs(ctx context.Context, by contract.Actor, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.loadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.applyRuleTo(ctx, d, rule)
}

// loadDocumentFor reads a document for an actor. If the actor has no part in it, the same single statement runs and
// gives the same answer as for a document that does not exist. Reading the document before refusing would take longer,
// the more the larger it is, and reveal that it exists. [contract.Document.Authorise] decides what the actor may do.
func (s *Service) loadDocumentFor(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	if !by.IsSystem() {
		involved, err := s.Store.Involves(ctx, id, by.ID)
		if err != nil {
			return contract.Document{}, err
		}
		if !involved {
			return contract.Document{}, contract.ErrNotFound
		}
	}
	return s.loadDocument(ctx, id)
}

// applyRuleTo is applyRule for a document that was just read or committed. It may be outdated: the commit detects that.
func (s *Service) applyRuleTo(ctx context.Context, d contract.Document, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	for range maxCommitTries {
		c, err := rule(&d)
		if err != nil {
			return contract.Document{}, err
		}
		if c == nil {
			return d, nil
		}
		after, err := s.commitChange(ctx, *c)
		if !errors.Is(err, contract.ErrRace) {
			return after, err
		}
		if d, err = s.loadDocument(ctx, d.ID); err != nil {
			return contract.Document{}, err
		}
	}
	return contract.Document{}, contract.ErrRace
}

func (s *Service) loadDocument(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	d, err := s.Store.Document(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Document{}, contract.ErrNotFound
	}
	if err != nil {
		return contract.Document{}, fmt.Errorf("read document %d: %w", id, err)
	}
	return d, nil
}

// commitChange makes a change durable and wakes the requests that watch the document.
func (s *Service) commitChange(ctx context.Context, c contract.Change) (contract.Document, error) {
	d, err := s.Store.Commit(ctx, c)
	switch {
	case errors.Is(err, store.ErrConflict):
		return contract.Document{}, contract.ErrRace
	case errors.Is(err, store.ErrNotFound):
		return contract.Document{}, contract.ErrNotFound
	case errors.Is(err, store.ErrClaimLost):
		return contract.Document{}, keyRefusal(err)
	case contract.KindOf(err) != 0:
		return contract.Document{}, err
	case err != nil:
		return contract.Document{}, fmt.Errorf("commit document %d: %w", c.After.ID, err)
	}
	s.watch.notifyChange(d.ID)
	return d, nil
}

// keyRefusal refuses a request that lost its claim on its Idempotency-Key to another request. Nothing was applied.
func keyRefusal(err error) error {
	if errors.Is(err, store.ErrClaimLost) {
		return contract.ErrKeyRunning.WithCause(err)
	}
	return err
}

// withDocumentAnswer returns the context for the commit that fulfils the request. The answer, made from the document,
// is stored in the same transaction; see [store.WithFinalAnswer]. Earlier commits, such as that of an intention, use the
// context of the request.
func withDocumentAnswer(ctx context.Context) context.Context {
	return store.WithFinalAnswer(ctx, func(d contract.Document) any { return d })
}

// changeOf adapts a rule that always makes a change to applyRule.
func changeOf(c contract.Change, err error) (*contract.Change, error) {
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// revisionRule decides how a document changes by a revision of its file.
type revisionRule func(*contract.Document, contract.Revision) (contract.Change, error)

// commitRevision commits a revision whose bytes are stored. Commits by others that did not change the file do not
// matter. If another commit appended to the file, the bytes are removed and the caller gets ErrRace.
func (s *Service) commitRevision(ctx context.Context, d contract.Document, r contract.Revision, rule revisionRule) (contract.Document, error) {
	d, err := s.applyRuleTo(ctx, d, func(d *contract.Document) (*contract.Change, error) {
		if d.Current().End != r.Begin {
			return nil, contract.ErrRace
		}
		return changeOf(rule(d, r))
	})
	if err != nil {
		return contract.Document{}, s.removeUncommitted(ctx, err, r)
	}
	return d, nil
}

// removeUncommitted removes the bytes of revisions whose commit was refused or did not reach the database, and returns
// err. A commit that failed in another way may be durable all the same, if only the connection was lost: its bytes
// stay. If nothing refers to them after an hour, fsck reports them.
func (s *Service) removeUncommitted(ctx context.Context, err error, revisions ...contract.Revision) error {
	if outage.InDoubt(err) || outage.Of(err) == nil && contract.KindOf(err) == 0 {
		return err
	}
	for _, r := range revisions {
		if r.Tail.Key != "" { // empty: the revision has no bytes
			err = errors.Join(err, s.removeBlob(ctx, r.Tail.Key))
		}
	}
	return err
}
