package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/store"
)

// maxCommitTries bounds how often a verb starts over because somebody else committed first. Every loss means that
// another one won, so only a crowd on one document can use them up.
const maxCommitTries = 50

// applyRule runs a rule on the document as it stands and commits what it says, starting over when somebody else
// was faster. A rule that returns nil has nothing to change.
func (s *Service) applyRule(ctx context.Context, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.loadDocument(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.applyRuleTo(ctx, d, rule)
}

// applyRuleAs is apply for an actor who may not be allowed to see the document. See documentFor.
func (s *Service) applyRuleAs(ctx context.Context, by contract.Actor, id contract.DocumentID, rule func(*contract.Document) (*contract.Change, error)) (contract.Document, error) {
	d, err := s.loadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.applyRuleTo(ctx, d, rule)
}

// loadDocumentFor reads a document for an actor. For one that has nothing to do with it, it runs the same single statement, which
// answers the same, as for a document that does not exist: reading the document and refusing then would take longer, the
// more so the larger it is. Whether the actor may do what they ask for is [contract.Document.Authorise]'s decision.
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

// applyRuleTo is apply for whoever has just read the document, or committed it. What he has may be old:
// the commit finds out.
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

// commitChange makes a change durable and tells whoever watches the document.
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

// keyRefusal refuses a request whose claim on its Idempotency-Key another one holds by now. Nothing was applied.
func keyRefusal(err error) error {
	if errors.Is(err, store.ErrClaimLost) {
		return contract.ErrKeyRunning.WithCause(err)
	}
	return err
}

// withDocumentAnswer returns the context of the commit that is what the request asked for. The answer to the request is kept with it, see
// [store.KeepAnswer]; it is made of the document. Commits before, as of an intention, have the context of the request.
func withDocumentAnswer(ctx context.Context) context.Context {
	return store.WithFinalAnswer(ctx, func(d contract.Document) any { return d })
}

// changeOf adapts a rule without a "nothing to do" to apply.
func changeOf(c contract.Change, err error) (*contract.Change, error) {
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// revisionRule decides what a document becomes by a revision of its file.
type revisionRule func(*contract.Document, contract.Revision) (contract.Change, error)

// commitRevision commits a revision whose bytes are stored. Commits by others that left the file alone are no obstacle;
// one that appended to it is, and then the bytes are removed again and the caller is told to try again.
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

// removeUncommitted removes bytes that a commit would have referred to which was refused, or did not reach the database, and returns why. A
// commit that failed in any other way may have become durable all the same, on the far side of a lost connection: its bytes
// stay, and when nothing refers to them after an hour, fsck finds them.
func (s *Service) removeUncommitted(ctx context.Context, err error, revisions ...contract.Revision) error {
	if outage.InDoubt(err) || outage.Of(err) == nil && contract.KindOf(err) == 0 {
		return err
	}
	for _, r := range revisions {
		if r.Tail.Key != "" { // there may be no bytes
			err = errors.Join(err, s.removeBlob(ctx, r.Tail.Key))
		}
	}
	return err
}
