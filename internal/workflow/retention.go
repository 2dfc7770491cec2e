package workflow

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// OrganisationRetention is for how long an organisation keeps completed documents.
type OrganisationRetention struct {
	Organisation store.Organisation
	contract.Retention
	Least int // years: the shortest period that the operator allows
}

// Retention returns that of an organisation; an empty identifier means the caller's own.
func (s *Service) Retention(ctx context.Context, by contract.Actor, of contract.OrganisationID) (OrganisationRetention, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminRetention, of)
	if err != nil {
		return OrganisationRetention{}, err
	}
	r, err := s.Store.Retention(ctx, o.ID)
	return OrganisationRetention{o, r, s.LeastRetention}, err
}

// SetRetention sets for how many years an organisation keeps completed documents; 0: for ever. Owners are told again before anything is removed. Repeating a request changes nothing more.
func (s *Service) SetRetention(ctx context.Context, by contract.Actor, of contract.OrganisationID, r contract.Retention) (OrganisationRetention, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetRetention, of)
	if err != nil {
		return OrganisationRetention{}, err
	}
	if err := contract.CheckRetention(r, s.LeastRetention); err != nil {
		return OrganisationRetention{}, err
	}
	former, err := s.Store.Retention(ctx, o.ID)
	if err != nil || former == r {
		return OrganisationRetention{o, r, s.LeastRetention}, err
	}
	details := map[string]string{"organisation": string(o.ID)}
	if r.Years > 0 {
		details["years"] = strconv.Itoa(r.Years)
	}
	e := by.SignEvent(contract.Event{Type: contract.EventRetentionChanged, At: s.Clock(), Details: details})
	return OrganisationRetention{o, r, s.LeastRetention}, s.Store.SetRetention(ctx, o.ID, r, e)
}

// RemovalLine is a document whose files are due to be removed, with the earliest time of that.
type RemovalLine struct {
	store.DueRemoval
	RemoveAt time.Time // not before this; zero: a legal hold covers it
	Listed   bool      // the caller has the document in a list, so they may open it
}

// Removals returns one page of the documents of an organisation whose files are due within the time that messages look ahead, the oldest completion first.
func (s *Service) Removals(ctx context.Context, by contract.Actor, of contract.OrganisationID, offset, limit int) (Page[RemovalLine], error) {
	o, err := s.Retention(ctx, by, of)
	if err != nil || o.Years == 0 {
		return Page[RemovalLine]{Lines: []RemovalLine{}}, err
	}
	now := s.Clock()
	due, total, err := s.Store.DueRemovals(ctx, store.RemovalQuery{Organisation: o.Organisation.ID, CompletedBy: o.CompletedBy(now.Add(contract.RemovalAhead)), Offset: offset, Limit: limit})
	if err != nil {
		return Page[RemovalLine]{}, err
	}
	refers := func(d store.DueRemoval) []contract.DocumentID { return []contract.DocumentID{d.Document} }
	lines, err := loadTitledLines(ctx, s, by, due, refers, func(d store.DueRemoval, t titles) RemovalLine {
		line := RemovalLine{DueRemoval: d, RemoveAt: o.DueAt(d.CompletedAt), Listed: t[d.Document].Listed}
		told := d.AnnouncedAt
		if told.IsZero() {
			told = now
		}
		switch earliest := told.Add(contract.RemovalNotice); {
		case d.Held:
			line.RemoveAt = time.Time{}
		case earliest.After(line.RemoveAt):
			line.RemoveAt = earliest
		}
		return line
	})
	return Page[RemovalLine]{lines, total}, err
}

// HoldLine is a legal hold with the name of its document.
type HoldLine struct {
	contract.Hold
	Title store.Title // zero: it covers the organisation, or the document was deleted before
}

// Holds returns one page of the legal holds of an organisation that last, the newest first.
func (s *Service) Holds(ctx context.Context, by contract.Actor, of contract.OrganisationID, offset, limit int) (Page[HoldLine], error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminRetention, of)
	if err != nil {
		return Page[HoldLine]{}, err
	}
	all, total, err := s.Store.Holds(ctx, o.ID, offset, limit)
	if err != nil {
		return Page[HoldLine]{}, err
	}
	lines, err := s.holdLines(ctx, by, all)
	return Page[HoldLine]{lines, total}, err
}

func (s *Service) holdLines(ctx context.Context, by contract.Actor, all []contract.Hold) ([]HoldLine, error) {
	return loadTitledLines(ctx, s, by, all, func(h contract.Hold) []contract.DocumentID { return []contract.DocumentID{h.Document} },
		func(h contract.Hold, t titles) HoldLine { return HoldLine{h, t[h.Document]} })
}

// SetHold sets a legal hold: nothing deletes, erases or removes what it covers from the commit on. A document of another organisation is [contract.ErrNotFound], as one that does not exist.
func (s *Service) SetHold(ctx context.Context, by contract.Actor, of contract.OrganisationID, id contract.DocumentID, reason string) (HoldLine, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminHold, of)
	if err != nil {
		return HoldLine{}, err
	}
	if reason, err = contract.CheckHoldReason(reason, s.Limits); err != nil {
		return HoldLine{}, err
	}
	number, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return HoldLine{}, fmt.Errorf("draw a UUID: %w", err)
	}
	if id != 0 {
		// Before its title is read: of a document of another organisation no more is read than of one that does not exist.
		if _, err := s.LoadDocumentOf(ctx, o.ID, id); err != nil {
			return HoldLine{}, err
		}
	}
	h := contract.Hold{ID: contract.HoldID(number.String()), Organisation: o.ID, Document: id, Reason: reason, SetAt: s.Clock()}
	lines, err := s.holdLines(ctx, by, []contract.Hold{h})
	if err != nil {
		return HoldLine{}, err
	}
	effectCtx := store.WithFinalAnswer(ctx, func(contract.Hold) any { return lines[0] })
	// Durable with this commit: the hold, who set it, and the answer to a request with a key.
	if err := s.Store.AddHold(effectCtx, h, s.holdEvent(by, contract.EventHoldSet, h, reason)); err != nil {
		return HoldLine{}, documents.KeyRefusal(err)
	}
	return lines[0], nil
}

// LiftHold ends a legal hold of an organisation; an empty identifier means the caller's own, and for an operator any. Owners are told again before what it covered is removed.
func (s *Service) LiftHold(ctx context.Context, by contract.Actor, of contract.OrganisationID, id contract.HoldID, reason string) error {
	organisation, err := by.AuthoriseAdmin(contract.AdminLiftHold, of)
	if err != nil {
		return err
	}
	if reason, err = contract.CheckHoldReason(reason, s.Limits); err != nil {
		return err
	}
	err = s.Store.LiftHold(ctx, organisation, id, s.Clock(), func(h contract.Hold) contract.Event { return s.holdEvent(by, contract.EventHoldLifted, h, reason) })
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrNoHold
	}
	return err
}

// holdEvent returns the event of a hold. It belongs to no document, whose owner and people would read it: a hold may be confidential.
func (s *Service) holdEvent(by contract.Actor, t contract.EventType, h contract.Hold, reason string) contract.Event {
	details := map[string]string{"organisation": string(h.Organisation), "hold": string(h.ID), "reason": reason}
	if h.Document != 0 {
		details["document"] = fmt.Sprint(h.Document)
	}
	return by.SignEvent(contract.Event{Type: t, At: s.Clock(), Details: details})
}

// Removed counts what a run of [Service.ApplyRetention] did.
type Removed struct {
	Told    int // owners
	Removed int // documents
}

// Bounds of one run. The next one goes on.
const (
	removalBatch    = 100
	removalsAtOnce  = 20_000
	announcedAtOnce = 10_000 // documents in one message; the rest is in that of the next month
)

// ApplyRetention tells owners whose documents are due to be removed, and removes the files of those that are due and of which the present owner was told long enough ago. It does nothing while the clock is
// not reliable, because documents would seem due.
//
// Each document is one commit, and so is each message. A crash at any point leaves both complete or not begun; the job of a removal deletes its files after a crash, too. Of two processes, one commits.
func (s *Service) ApplyRetention(ctx context.Context) (done Removed, failed error) {
	if f, err := s.ClockFinding(ctx); err != nil || f.State != contract.ClockFine {
		return done, err
	}
	now := s.Clock() // of the whole run: a clock that is set meanwhile makes nothing due
	all, err := s.Store.Retentions(ctx)
	if err != nil {
		return done, err
	}
	for o, r := range all {
		if r.Years < s.LeastRetention {
			s.Log.WarnContext(ctx, "nothing is removed: the retention of an organisation is shorter than the operator allows", "organisation", o, "years", r.Years, "least", s.LeastRetention)
			continue
		}
		told, err := s.announceRemovals(ctx, o, r, now)
		done.Told += told
		failed = errors.Join(failed, err)
		removed, err := s.removeDue(ctx, o, r, now, removalsAtOnce-done.Removed)
		done.Removed += removed
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
	}
	return done, failed
}

// announceRemovals tells owners of an organisation what is due, and returns how many it told. Each is told at most once in [contract.RemovalNoticeEvery].
func (s *Service) announceRemovals(ctx context.Context, o contract.OrganisationID, r contract.Retention, now time.Time) (told int, err error) {
	for {
		completedBy := r.CompletedBy(now.Add(contract.RemovalAhead))
		owners, err := s.Store.OwnersToTell(ctx, o, completedBy, now.Add(-contract.RemovalNoticeEvery), removalBatch)
		if err != nil || len(owners) == 0 {
			return told, err
		}
		for _, owner := range owners {
			err := s.Store.AnnounceRemovals(ctx, o, owner, completedBy, now, announcedAtOnce, func(a store.Announcement) (contract.Notice, contract.Event) {
				told++
				return s.removalNotice(o, r, a, now)
			})
			if err != nil {
				return told, err
			}
		}
		if len(owners) < removalBatch {
			return told, nil
		}
	}
}

func (s *Service) removalNotice(o contract.OrganisationID, r contract.Retention, a store.Announcement, now time.Time) (contract.Notice, contract.Event) {
	last := r.DueAt(a.Last)
	if earliest := now.Add(contract.RemovalNotice); earliest.After(last) {
		last = earliest
	}
	count, until := strconv.Itoa(a.Documents), last.UTC().Format(time.DateOnly)
	n := contract.Notice{
		Organisation: o, Person: a.Owner, Kind: contract.NoticeRemoval, State: contract.NoticeOrdered, OrderedAt: now, DueAt: now,
		Account: contract.AccountFacts{Reference: count + " " + until},
	}
	return n, contract.Event{Type: contract.EventRemovalAnnounced, At: now, Details: map[string]string{"organisation": string(o), "person": string(a.Owner), "count": count, "until": until}}
}

// removeDue removes the files of documents of an organisation that are due, at most of that many, and returns of how many.
func (s *Service) removeDue(ctx context.Context, o contract.OrganisationID, r contract.Retention, now time.Time, most int) (count int, failed error) {
	for after := (store.DueRemoval{}); count < most && ctx.Err() == nil; {
		due, _, err := s.Store.DueRemovals(ctx, store.RemovalQuery{
			Organisation: o, CompletedBy: r.CompletedBy(now), AnnouncedBy: now.Add(-contract.RemovalNotice), After: after, Limit: removalBatch,
		})
		if err != nil || len(due) == 0 {
			return count, errors.Join(failed, err)
		}
		for _, d := range due {
			switch removed, err := s.removeFiles(ctx, d.Document, r, now); {
			case errors.Is(err, contract.ErrHeld), errors.Is(err, contract.ErrRace): // set or changed since it was found
			case err != nil:
				failed = errors.Join(failed, fmt.Errorf("remove the files of document %d: %w", d.Document, err))
			case removed:
				count++
			}
		}
		after = due[len(due)-1]
	}
	return count, errors.Join(failed, ctx.Err())
}

// removeFiles removes the files of a document that is due. It reports whether it was.
func (s *Service) removeFiles(ctx context.Context, id contract.DocumentID, r contract.Retention, now time.Time) (removed bool, err error) {
	_, err = s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		evidence, err := s.Store.EvidenceFile(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		var c contract.Change
		c, removed = contract.RemoveFiles(d, r, evidence.File.Digest, now)
		return documents.ChangeIf(c, removed, nil)
	})
	return removed && err == nil, err
}

// Removal returns when and why the files of a document were removed; nil if they are there.
func (s *Service) Removal(ctx context.Context, d *contract.Document) (*contract.Removal, error) {
	if !d.IsRemoved() {
		return nil, nil
	}
	r, err := s.Store.Removal(ctx, d.ID)
	return &r, err
}
