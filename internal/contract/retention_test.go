package contract

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestARetentionIsForEverOrAsLongAsTheOperatorAllows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		years, least int
		allowed      bool
	}{{0, 10, true}, {9, 10, false}, {10, 10, true}, {MaxRetention, 10, true}, {MaxRetention + 1, 10, false}, {-1, 0, false}, {1, 0, true}, {1, 1, true}} {
		if err := CheckRetention(Retention{c.years}, c.least); (err == nil) != c.allowed {
			t.Errorf("%d years where %d are the least: %v", c.years, c.least, err)
		}
	}
}

// TestADocumentIsDueOnTheDayOfItsCompletion also after leap days. No document is due that the selection by completion leaves out.
func TestADocumentIsDueOnTheDayOfItsCompletion(t *testing.T) {
	t.Parallel()
	r := Retention{Years: 1}
	for _, day := range []string{"2023-02-28", "2024-02-28", "2024-02-29", "2024-03-01", "2024-12-31"} {
		completed, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		due := r.DueAt(completed)
		if want := completed.AddDate(1, 0, 0); !due.Equal(want) {
			t.Errorf("completed on %s: due at %s, want %s", day, due, want)
		}
		if by := r.CompletedBy(due); completed.After(by) {
			t.Errorf("completed on %s, due at %s: what was completed by %s is looked at", day, due, by)
		}
	}
	if due := (Retention{}).DueAt(time.Now()); !due.IsZero() {
		t.Errorf("without a retention, due at %s", due)
	}
}

// completedDocument returns a document that ended at a time, with two files and a stamp.
func completedDocument(ended time.Time) *Document {
	base := Revision{Kind: RevisionBase, Tail: File{Key: "base", Size: 10}, End: 10, Digest: [32]byte{1}}
	seal := Revision{Kind: RevisionSeal, Tail: File{Key: "seal", Size: 5}, Begin: 10, End: 15, Digest: [32]byte{2}}
	return &Document{
		ID: 7, Organisation: "org", Owner: Person{ID: "owner"}, State: Completed, Original: base.Tail, Revisions: []Revision{base, seal}, FinalizedAt: ended, EndedAt: ended,
		Stamps: []Stamp{{Serial: "S1", State: StampAffixed}, {Serial: "S2", State: StampAffixed}}, Participants: []Participant{{Person: Person{ID: "signer"}, Role: Signer, SignedAt: ended}},
	}
}

func TestTheEventOfARemovalNamesWhatWasRemovedAndWhy(t *testing.T) {
	t.Parallel()
	now := time.Date(2036, 3, 2, 0, 0, 0, 0, time.UTC)
	d := completedDocument(now.AddDate(-10, 0, 0))
	c, changed := RemoveFiles(d, Retention{Years: 10}, [32]byte{3}, now)
	if !changed {
		t.Fatal("the document is not due")
	}
	if got := c.Jobs[0]; got.Kind != JobSweep || !slices.Equal(got.Keys, []string{"base", "seal"}) {
		t.Errorf("the job is %+v", got)
	}
	if got := c.StorageChange(); got != (Storage{Bytes: -15}) {
		t.Errorf("it changes the storage by %+v", got)
	}
	e := c.Events[0]
	for name, want := range map[string]string{"digest": "02" + strings.Repeat("00", 31), "evidence": "03" + strings.Repeat("00", 31), "serials": "S1 S2", "years": "10", "completed_at": "2026-03-02T00:00:00Z"} {
		if e.Details[name] != want {
			t.Errorf("%s of the event is %q, want %q", name, e.Details[name], want)
		}
	}
	if e.Type != EventRemoved || !c.After.IsRemoved() || c.After.Revisions[1].Digest != d.Revisions[1].Digest || d.IsRemoved() {
		t.Errorf("after the removal: %+v, %+v", e, c.After)
	}
}

func TestOnlyCompletedDocumentsThatAreDueAreRemoved(t *testing.T) {
	t.Parallel()
	now := time.Date(2036, 3, 2, 0, 0, 0, 0, time.UTC)
	due := func(change func(*Document)) bool {
		d := completedDocument(now.AddDate(-10, 0, 0))
		change(d)
		_, changed := RemoveFiles(d, Retention{Years: 10}, [32]byte{}, now)
		return changed
	}
	if !due(func(*Document) {}) {
		t.Error("one that is due is not removed")
	}
	if due(func(d *Document) { d.EndedAt = d.EndedAt.Add(time.Microsecond) }) {
		t.Error("one is removed before it is due")
	}
	for _, s := range States {
		if s != Completed && due(func(d *Document) { d.State = s }) {
			t.Errorf("one is removed that is %s", s)
		}
	}
	if due(func(d *Document) { d.Original.Key = removedPrefix + d.Original.Key }) {
		t.Error("one is removed twice")
	}
}

// TestWhatNeedsFilesIsRefusedOnceTheyWereRemoved, and nothing else. Who may not do it learns nothing about the removal.
func TestWhatNeedsFilesIsRefusedOnceTheyWereRemoved(t *testing.T) {
	t.Parallel()
	now := time.Date(2036, 3, 2, 0, 0, 0, 0, time.UTC)
	d := completedDocument(now)
	c, _ := RemoveFiles(completedDocument(now.AddDate(-1, 0, 0)), Retention{Years: 1}, [32]byte{}, now)
	for name, by := range map[string]Actor{"the owner": {Person: Person{ID: "owner"}}, "a signer": {Person: Person{ID: "signer"}}, "another person": {Person: Person{ID: "other"}}} {
		for _, op := range Operations {
			before, after := d.Authorise(by, op), c.After.Authorise(by, op)
			if before == nil && op.NeedsFiles() {
				before = ErrRemoved
			}
			if !errors.Is(after, before) {
				t.Errorf("%s, %s: %v, want %v", name, op, after, before)
			}
		}
	}
}

func TestAHoldHasAReason(t *testing.T) {
	t.Parallel()
	if got, err := CheckHoldReason(" Perkara 1 ", Limits{}.Defaults()); err != nil || got != "Perkara 1" {
		t.Errorf("%q, %v", got, err)
	}
	for _, reason := range []string{"", " \t", strings.Repeat("x", 2000)} {
		if _, err := CheckHoldReason(reason, Limits{}.Defaults()); KindOf(err) != Invalid {
			t.Errorf("%.20q: %v", reason, err)
		}
	}
}
