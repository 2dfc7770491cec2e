package contract

import (
	"reflect"
	"testing"
)

func TestFileIsRewrittenOnceAndOnlyBeforeAnythingWasAppended(t *testing.T) {
	t.Parallel()
	rewriting := func(key string) Revision {
		return Revision{Kind: RevisionBase, Tail: File{Key: key, Size: 1200}, End: 1200, Digest: [32]byte{9}}
	}
	d := newDraft(t)
	c := newChange(d)
	if err := c.ReplaceBase(rewriting("rewritten"), NormalisedDamaged, owner, t0); err != nil {
		t.Fatal(err)
	}
	after := c.After
	if !after.Normalised() || d.Normalised() || after.Original.Key != "base" || after.Current().Tail.Key != "rewritten" {
		t.Errorf("original %q, current %q", after.Original.Key, after.Current().Tail.Key)
	}
	if e := c.Events[0]; e.Type != EventNormalised || e.Details["reason"] != NormalisedDamaged || e.Details["original"] == "" || e.Details["digest"] == "" {
		t.Errorf("the log says %+v", e)
	}
	deleted, err := Delete(&after, owner, t0)
	if err != nil || len(deleted.Jobs[0].Keys) != 2 {
		t.Errorf("deleting takes %v, %v", deleted.Jobs, err)
	}

	signed := newChange(d)
	if err := signed.AppendRevision(nextRevision(d, 10)); err != nil {
		t.Fatal(err)
	}
	same := newChange(d)
	long := rewriting("long")
	long.End++
	tail := rewriting("tail")
	tail.Kind = RevisionFields
	for name, try := range map[string]struct {
		c *Change
		r Revision
	}{
		"twice":                   {&c, rewriting("again")},
		"under what was appended": {&signed, rewriting("late")},
		"by itself":               {&same, rewriting("base")},
		"by another length":       {&same, long},
		"by a tail":               {&same, tail},
	} {
		if err := try.c.ReplaceBase(try.r, NormalisedDamaged, owner, t0); KindOf(err) != Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAChangeOfADraftNamesTheVersionItWasMadeFrom(t *testing.T) {
	t.Parallel()
	d := newDraft(t)
	d.Version = 3
	for _, c := range []struct {
		seen int64
		by   Actor
		want error
	}{{0, owner, nil}, {3, owner, nil}, {2, owner, ErrVersionChanged}, {-1, owner, ErrVersionChanged}, {2, Actor{Person: Person{ID: "stranger"}}, ErrNotFound}} {
		if err := CheckDraftVersion(d, c.seen, c.by, OpPlace); err != c.want && !reflect.DeepEqual(err, c.want) {
			t.Errorf("%d by %s: %v, want %v", c.seen, c.by.ID, err, c.want)
		}
	}
	d.State = Canceled
	if err := CheckDraftVersion(d, 2, owner, OpPlace); err != ErrNotDraft {
		t.Errorf("%v, want %v", err, ErrNotDraft)
	}
}
