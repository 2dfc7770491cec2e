package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/outage"
	"segel/internal/store"
)

// Cancel ends a document at the request of its owner.
func (s *Service) Cancel(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Cancel(d, reason, by, s.Limits, s.Clock()))
	})
}

// Reject ends a document because the caller, a signer, declines. Given is what they present in an embedded page.
func (s *Service) Reject(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string, given contract.GivenFactor) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		c, err := contract.Reject(d, reason, by, s.Limits, s.Clock())
		if errors.Is(err, contract.ErrEmbedProof) && s.Factors != nil {
			if by.Signing, err = s.Factors.ProveEmbedded(ctx, by, given); err == nil {
				c, err = contract.Reject(d, reason, by, s.Limits, s.Clock())
			}
		}
		return documents.ChangeOf(c, err)
	})
}

// Remind records that the owner reminds the signers whose turn it is, and orders messages to them.
func (s *Service) Remind(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Remind(d, by, s.Clock()))
	})
}

// Describe changes the title and the deadline of a draft. Seen is the version that the caller read; see
// [contract.CheckDraftVersion].
func (s *Service) Describe(ctx context.Context, by contract.Actor, id contract.DocumentID, seen int64, to contract.Description) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		if err := contract.CheckDraftVersion(d, seen, by, contract.OpDescribe); err != nil {
			return nil, err
		}
		return documents.ChangeOf(contract.Describe(d, to, by, s.Limits, s.Clock()))
	})
}

// Delete removes a draft. A job removes its file after the commit.
func (s *Service) Delete(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Delete(d, by, s.Clock()))
	})
}

// sweepAgain is after how long a sweep looks again whether a backup is still under way.
const sweepAgain = time.Minute

// Sweep removes blobs that nothing refers to any more. A blob that is already gone is not an error. It waits for a backup that is under way: its
// snapshot may be from before the commit that removed the last reference. One that begins after this has looked has a later snapshot.
func (s *Service) Sweep(ctx context.Context, keys []string) error {
	if held, err := s.Store.HoldsDeletions(ctx); err != nil {
		return err
	} else if held {
		return &contract.Later{After: sweepAgain, Err: errors.New("a backup is under way")}
	}
	for _, k := range keys {
		if err := s.RemoveBlob(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// GuestLink creates a link for a guest and returns it to the owner. The previous link stops working.
//
// One commit stores the event and the link, so every link is in the audit trail.
func (s *Service) GuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (url string, err error) {
	url, hash, err := s.Links.NewGuestLink()
	if err != nil {
		return "", err
	}
	effectCtx := store.WithFinalAnswer(ctx, func(contract.Document) any { return url })
	_, err = s.ApplyRuleAs(effectCtx, by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.IssueGuestLink(d, guest, hash, by, s.Clock()))
	})
	if err != nil {
		return "", err
	}
	return url, nil
}

// RevokeGuestLink revokes the link of a guest and every token that was obtained with it. One commit stores the event
// and removes the link.
func (s *Service) RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RevokeGuestLink(d, guest, by, s.Clock()))
	})
}

// overdue is the delay after which pending work is enqueued again.
const overdue = 5 * time.Minute

// stuckBatch is the number of stuck documents whose work is enqueued in one commit.
const stuckBatch = 100

// Resume enqueues the work of documents that wait for the service. Jobs are stored in the commit that enqueues them, so
// this is needed only if an operator emptied the queue or restored a backup, or if a process of release 0.1.0 ended a job of
// the last stamp, which completes the document in this release. It looks at all of them, because those that have waited longest
// may wait for something else. A job that waits keeps its time.
func (s *Service) Resume(ctx context.Context) error {
	before := s.Clock().Add(-overdue) // constant: what is tried meanwhile is not read again
	for last := (store.StuckDocument{}); ; {
		stuck, err := s.Store.Stuck(ctx, before, last, stuckBatch)
		if err != nil {
			return fmt.Errorf("read stuck documents: %w", err)
		}
		var work []contract.Job
		for _, w := range stuck {
			d, err := s.LoadDocument(ctx, w.ID)
			if err != nil {
				continue
			}
			if kind := d.NextJob(); kind != "" {
				work = append(work, contract.Job{Kind: kind, Document: d.ID, Organisation: d.Organisation})
			}
		}
		if len(work) > 0 {
			if err := s.Store.Enqueue(ctx, work...); err != nil {
				return fmt.Errorf("enqueue work on stuck documents: %w", err)
			}
		}
		if len(stuck) < stuckBatch {
			return nil
		}
		last = stuck[len(stuck)-1]
	}
}

// RemindDue sends the reminders that are due by the schedules of documents, except in the quiet hours of their organisation: then they are sent afterwards.
//
// Each commit makes the next reminder of its document due later, and orders the notices. A crash in between repeats none.
func (s *Service) RemindDue(ctx context.Context) error {
	among, some, err := s.outsideQuietHours(ctx, s.Clock())
	if err != nil || !some {
		return err
	}
	if _, err := s.CheckClock(ctx); err != nil {
		return err
	}
	due := func(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error) {
		return s.Store.RemindersDue(ctx, now, limit, among)
	}
	return s.applyToDue(ctx, "remind of", due, contract.RemindBySchedule)
}

// Expire ends every document whose deadline has passed. It ends none while the clock is in doubt, because that cannot
// be undone. Requests of people are refused from the deadline on in any case.
func (s *Service) Expire(ctx context.Context) error {
	if _, err := s.CheckClock(ctx); err != nil {
		return err
	}
	return s.applyToDue(ctx, "expire", s.Store.PastDeadline, contract.Expire)
}

// maxFailures is how many documents of a sweep may fail before it ends.
const maxFailures = 100

// applyToDue applies a rule to every document that read returns, until it returns none to which it can be applied. The rule reports
// whether it changed anything. A document that fails does not hold up the others; the error names those that failed. An outage ends the sweep.
func (s *Service) applyToDue(ctx context.Context, what string, read func(context.Context, time.Time, int) ([]contract.DocumentID, error),
	rule func(*contract.Document, time.Time) (contract.Change, bool)) error {
	var failures []error
	failed := map[contract.DocumentID]bool{}
	for {
		due, err := read(ctx, s.Clock(), 100+len(failed))
		if err != nil {
			return fmt.Errorf("read documents to %s: %w", what, err)
		}
		applied := 0
		for _, id := range due {
			if failed[id] {
				continue
			}
			_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
				c, changed := rule(d, s.Clock())
				if changed {
					applied++
				}
				return documents.ChangeIf(c, changed, nil)
			})
			if err == nil || errors.Is(err, contract.ErrNotFound) {
				continue
			}
			err = fmt.Errorf("%s document %d: %w", what, id, err)
			if ctx.Err() != nil || outage.Of(err) != nil || errors.Is(err, contract.ErrClock) {
				return err
			}
			failed[id], failures = true, append(failures, err)
		}
		if applied == 0 || len(failed) >= maxFailures {
			return errors.Join(failures...)
		}
	}
}
