package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"segel/internal/store"
)

// repairAll repairs what the checks find, and requires that they find nothing afterwards.
func (s *Store) repairAll(t *testing.T, what string) {
	t.Helper()
	c, found := newChecker(t, s)
	if err := c.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(*found) == 0 {
		t.Errorf("%s: nothing is found", what)
	}
	repaired := 0
	if err := c.Repair(t.Context(), s, func(d store.Discrepancy) {
		if repaired++; !d.Repaired || d.Text == "" {
			t.Errorf("%s: %+v", what, d)
		}
	}); err != nil {
		t.Fatal(what, err)
	}
	if left := s.checkAll(t); len(left) > 0 || repaired == 0 {
		t.Errorf("%s: %d repaired, left %v", what, repaired, left)
	}
}

func TestCountsTitlesAndIndexOfLongListsAreRepaired(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := longList(t, dsn)
		text := `decode('0100000000', 'hex')`
		if s.db.embedded() {
			text = `x'0100000000'`
		}
		for _, change := range []string{
			`UPDATE box_span SET amount = amount + 1 WHERE start = 0 AND state = 'draft'`,
			`UPDATE box_span SET split = FALSE WHERE start = 0 AND state = ''`,
			`UPDATE box_leaf SET amount = amount - 1 WHERE start = 4`,
			`UPDATE box_leaf SET checksum = checksum + 1 WHERE start = 4 AND state = ''`,
			`UPDATE box_leaf SET first_day = first_day + 1 WHERE start = 4`,
			`DELETE FROM box_leaf WHERE start = 8`,
			`DELETE FROM box_leaf`,
			`DELETE FROM box_span`,
			`UPDATE box_titles SET titles = ` + text + ` WHERE start = 4`,
			`DELETE FROM box_gram WHERE bucket = (SELECT MIN(bucket) FROM box_gram WHERE start = 0) AND start = 0`,
		} {
			s.execute(t, change)
			s.repairAll(t, change)
			// What was repaired finds what it found before, and is stored again.
			for range 2 {
				l, err := s.List(t.Context(), store.ListQuery{Person: "owner", Box: store.Outbox, Search: "title 4", Limit: 10})
				if err != nil || l.Total != 1 {
					t.Errorf("%s: %d found, %v", change, l.Total, err)
				}
				if err := s.IndexTitles(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if found := s.checkAll(t); len(found) > 0 {
				t.Errorf("%s, stored again: %v", change, found)
			}
		}
	})
}

func TestRepairsCountRightWhileOthersCommit(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := longList(t, dsn)
		s.execute(t, `UPDATE box_span SET amount = amount + 1`, `UPDATE storage SET drafts = drafts + 1`)
		var committing sync.WaitGroup
		committing.Go(func() {
			for i := range 20 {
				s.uploadDocument(t, 100+i)
			}
		})
		c, _ := newChecker(t, s)
		for range 20 {
			s.execute(t, `UPDATE box_span SET amount = amount + 1 WHERE state = ''`, `UPDATE storage SET drafts = drafts + 1`)
			if err := c.Repair(t.Context(), s, func(store.Discrepancy) {}); err != nil {
				t.Error(err)
			}
		}
		committing.Wait()
		if err := c.Repair(t.Context(), s, func(store.Discrepancy) {}); err != nil {
			t.Error(err)
		}
		for _, d := range s.checkAll(t) {
			t.Error(d)
		}
	})
}

func TestARepairThatIsInterruptedIsContinuedByTheNext(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 3)
		hash := `decode(md5('%[1]d') || md5('%[1]d'), 'hex')`
		if s.db.embedded() {
			hash = `CAST(printf('%%032d', %[1]d) AS BLOB)`
		}
		for i := range repairBatch + 10 {
			s.execute(t, fmt.Sprintf(`INSERT INTO token (hash, kind, family, person, document, created_at, expires_at, used_at) VALUES (`+hash+`, 'access', 'f', 'unknown%[1]d', 0, 1, 2, 0)`, i))
		}
		c, _ := newChecker(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		err := c.Repair(ctx, s, func(store.Discrepancy) {
			if n++; n == 5 {
				cancel()
			}
		})
		if err == nil || n != 5 {
			t.Fatalf("%d repaired, %v", n, err)
		}
		if err := c.Repair(t.Context(), s, func(store.Discrepancy) { n++ }); err != nil || n != repairBatch+10 {
			t.Errorf("%d repaired in all, %v", n, err)
		}
		for _, d := range s.checkAll(t) {
			if strings.Contains(d.About, "unknown") {
				t.Error(d)
			}
		}
	})
}
