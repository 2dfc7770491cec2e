package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// groupTest holds back a transaction of a store on SQLite while others arrive.
type groupTest struct {
	*testing.T
	db      *sqlite
	release chan struct{} // ends the first transaction
	all     sync.WaitGroup
}

// newGroupTest returns with a first transaction that runs until release is closed.
func newGroupTest(t *testing.T) *groupTest {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), Options{Mode: Migrating})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	g := &groupTest{T: t, db: s.db.(*boundedDatabase).database.(*sqlite)}
	g.hold()
	return g
}

// add starts a transaction, and returns when it waits. The outcome is sent to the channel, a panic as an error.
func (g *groupTest) add(ctx context.Context, fn func(tx) error) <-chan error {
	outcome := make(chan error, 1)
	g.db.groups.mu.Lock()
	before := len(g.db.groups.waiting)
	g.db.groups.mu.Unlock()
	g.all.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				outcome <- fmt.Errorf("panic: %v", p)
			}
		}()
		outcome <- g.db.withTx(ctx, fn)
	})
	for {
		g.db.groups.mu.Lock()
		waits := len(g.db.groups.waiting) > before
		g.db.groups.mu.Unlock()
		if waits {
			return outcome
		}
	}
}

// end ends the first transaction and waits for all.
func (g *groupTest) end() {
	close(g.release)
	g.all.Wait()
}

func insertNumber(ctx context.Context, id int) func(tx) error {
	return func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, 0)`, fmt.Sprint("o", id), fmt.Sprint("Organisation ", id))
		return err
	}
}

func (g *groupTest) organisations() (ids string) {
	g.Helper()
	err := g.db.withSnapshot(g.Context(), func(q querier) error {
		return queryEach(g.Context(), q, func(scan scanFunc) error {
			var id string
			err := scan(&id)
			ids += id + " "
			return err
		}, `SELECT id FROM organisation WHERE id LIKE 'o%' ORDER BY id`)
	})
	if err != nil {
		g.Fatal(err)
	}
	return strings.TrimSpace(ids)
}

func TestTransactionsThatArriveTogetherShareOneCommitAndFailAlone(t *testing.T) {
	t.Parallel()
	g := newGroupTest(t)
	ctx, trouble := t.Context(), errors.New("trouble")
	first := g.add(ctx, insertNumber(ctx, 1))
	refused := g.add(ctx, func(t tx) error { return errors.Join(insertNumber(ctx, 2)(t), trouble) })
	broken := g.add(ctx, insertNumber(ctx, 1)) // the same again
	panics := g.add(ctx, func(t tx) error {
		_ = insertNumber(ctx, 3)(t)
		panic("defect")
	})
	last := g.add(ctx, insertNumber(ctx, 4))
	before := g.db.counters.commits.Load()
	g.end()
	if err := errors.Join(<-first, <-last); err != nil {
		t.Error(err)
	}
	if err := <-refused; !errors.Is(err, trouble) {
		t.Errorf("the refused one: %v", err)
	}
	if err := <-broken; err == nil {
		t.Error("a row was inserted twice")
	}
	if err := <-panics; err == nil || !strings.Contains(err.Error(), "defect") {
		t.Errorf("the one that panics: %v", err)
	}
	if ids := g.organisations(); ids != "o1 o4" {
		t.Errorf("stored are %s", ids)
	}
	if n := g.db.counters.commits.Load() - before; n != 2 {
		t.Errorf("%d commits, want one for the first and one for the others", n)
	}
}

func TestACallerThatLeavesDoesNotStartAndDoesNotHoldTheOthers(t *testing.T) {
	t.Parallel()
	g := newGroupTest(t)
	leaving, leave := context.WithCancel(t.Context())
	left := g.add(leaving, insertNumber(t.Context(), 1))
	stays := g.add(t.Context(), insertNumber(t.Context(), 2))
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that left: %v", err)
	}
	g.end()
	if err := <-stays; err != nil {
		t.Error(err)
	}
	if ids := g.organisations(); ids != "o2" {
		t.Errorf("stored are %s", ids)
	}
}

func TestACallerBehindASlowTransactionOfItsGroupMayLeave(t *testing.T) {
	t.Parallel()
	g := newGroupTest(t)
	begun, slow := make(chan struct{}), make(chan struct{})
	first := g.add(t.Context(), func(tx) error {
		close(begun)
		<-slow
		return nil
	})
	leaving, leave := context.WithCancel(t.Context())
	left := g.add(leaving, insertNumber(t.Context(), 1))
	last := g.add(t.Context(), insertNumber(t.Context(), 2))
	close(g.release)
	<-begun // the group runs
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that left: %v", err)
	}
	close(slow)
	g.all.Wait()
	if err := errors.Join(<-first, <-last); err != nil {
		t.Error(err)
	}
	if ids := g.organisations(); ids != "o2" {
		t.Errorf("stored are %s", ids)
	}
}

func TestAnInterruptedTransactionDoesNotUndoTheOthers(t *testing.T) {
	t.Parallel()
	g := newGroupTest(t)
	first := g.add(t.Context(), insertNumber(t.Context(), 1))
	ending, end := context.WithCancel(t.Context())
	interrupted := g.add(ending, func(t tx) error {
		end() // while a statement runs: SQLite rolls back the whole transaction
		_, err := t.exec(ending, `INSERT INTO organisation (id, name, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT 'o' || i, 'x' || i, 0 FROM n`)
		return err
	})
	rolledBack := g.add(t.Context(), func(t tx) error {
		if _, err := t.exec(context.Background(), `ROLLBACK`); err != nil { // as SQLite does after some errors
			return nil
		}
		return errors.New("rolled back")
	})
	last := g.add(t.Context(), insertNumber(t.Context(), 4))
	g.end()
	if err := <-interrupted; !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted one: %v", err)
	}
	if err := <-rolledBack; err == nil {
		t.Error("the one that rolled back has succeeded")
	}
	if err := errors.Join(<-first, <-last); err != nil {
		t.Error(err)
	}
	if ids := g.organisations(); ids != "o1 o4" {
		t.Errorf("stored are %.100s", ids)
	}
}

// TestAGroupRunsAgainOnlyIfOneFailsAndNotAgainSoonAfter counts how often transactions run.
func TestAGroupRunsAgainOnlyIfOneFailsAndNotAgainSoonAfter(t *testing.T) {
	t.Parallel()
	trouble := errors.New("trouble")
	g := newGroupTest(t)
	ctx := t.Context()
	var runs int // of the transactions of one group that succeed; they run one after the other
	id := 0
	runGroup := func(fail bool) {
		t.Helper()
		runs = 0
		var fine []<-chan error
		for range 2 {
			id++
			insert := insertNumber(ctx, id)
			fine = append(fine, g.add(ctx, func(t tx) error { runs++; return insert(t) }))
		}
		if fail {
			refused := g.add(ctx, func(tx) error { return trouble })
			defer func() {
				if err := <-refused; !errors.Is(err, trouble) {
					t.Errorf("the refused one: %v", err)
				}
			}()
		}
		g.end()
		for _, f := range fine {
			if err := <-f; err != nil {
				t.Error(err)
			}
		}
	}
	for _, step := range []struct {
		fail bool
		runs int
	}{{false, 2}, {true, 4}, {true, 2}, {false, 2}} {
		runGroup(step.fail)
		if runs != step.runs {
			t.Errorf("a group in which one fails (%v) ran its two others %d times, want %d", step.fail, runs, step.runs)
		}
		g.hold()
	}
	g.end()
}

// hold begins a transaction that runs until end is called.
func (g *groupTest) hold() {
	g.release = make(chan struct{})
	begun, release := make(chan struct{}), g.release
	g.all.Go(func() {
		err := g.db.withTx(g.Context(), func(tx) error {
			close(begun)
			<-release
			return nil
		})
		if err != nil {
			g.Error(err)
		}
	})
	<-begun
}

// TestStatementsOfABatchEndWithTheirCallerBetweenThem proves that a caller who leaves gets no further statements, and that none of
// theirs has an effect.
func TestStatementsOfABatchEndWithTheirCallerBetweenThem(t *testing.T) {
	t.Parallel()
	g := newGroupTest(t)
	g.end()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	err := g.db.withTx(ctx, func(t tx) error {
		insert := func(id string) statement {
			return statement{sql: `INSERT INTO organisation (id, name, created_at) VALUES ($1, $1, 0)`, args: []any{id}}
		}
		first := insert("o1")
		first.done = func(int64) error { leave(); return nil }
		return t.addStatements(ctx, first, insert("o2"))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the one that left: %v", err)
	}
	if ids := g.organisations(); ids != "" {
		t.Errorf("stored are %s", ids)
	}
}

func TestColumnsAreScannedIntoWhatFitsThem(t *testing.T) {
	t.Parallel()
	type name string
	var text string
	var named name
	var number int64
	var small uint8
	var truth bool
	var real float64
	var whatever any
	for _, c := range []struct {
		column any
		to     any
		fits   bool
	}{
		{"a", &text, true}, {"a", &named, true}, {int64(7), &number, true}, {int64(7), &small, true}, {int64(1), &truth, true},
		{1.5, &real, true}, {nil, &whatever, true}, {"a", nil, true}, {[]byte{1}, scanner(func(any) error { return nil }), true},
		{nil, &text, false}, {int64(7), &text, false}, {"7", &number, false}, {int64(256), &small, false}, {int64(-1), &small, false},
		{int64(2), &truth, false}, {[]byte("a"), &named, false}, {int64(1), text, false},
	} {
		if err := scanColumns([]driver.Value{c.column}, []any{c.to}); (err == nil) != c.fits {
			t.Errorf("%T %v into %T: %v", c.column, c.column, c.to, err)
		}
	}
	if err := scanColumns(nil, []any{&text}); err == nil {
		t.Error("a column that does not exist was scanned")
	}
}
