package workflow

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"segel/internal/contract"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestAsManyFilesAreExaminedAtATimeAsThereAreProcessors(t *testing.T) {
	t.Parallel()
	var f fileSlots
	most := int64(max(2, runtime.GOMAXPROCS(0)))
	var now, seen atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			release, err := f.acquire(t.Context(), "org")
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			n := now.Add(1)
			for m := seen.Load(); n > m && !seen.CompareAndSwap(m, n); m = seen.Load() {
			}
			runtime.Gosched()
			now.Add(-1)
		})
	}
	all.Wait()
	if seen.Load() > most {
		t.Errorf("%d at a time, want %d", seen.Load(), most)
	}
	for range most {
		if _, err := f.acquire(t.Context(), "org"); err != nil {
			t.Fatal(err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := f.acquire(gone, "org"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled client: %v", err)
	}
}

func TestPageIsLookedThroughOnceForARevision(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	budget := pdf.NewBudget(t.Context(), 1<<40)
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	var cache pageCache
	revision := [32]byte{1}
	first := newPageReader(doc, revision, &cache)
	covered, complete := first.ListContent(1)
	if len(covered) == 0 || !complete {
		t.Fatalf("%d words, complete: %v", len(covered), complete)
	}
	again := newPageReader(doc, revision, &cache)
	if more, complete := again.ListContent(1); len(more) != len(covered) || !complete || again.reader != nil {
		t.Errorf("%d words; examined again: %v", len(more), again.reader != nil)
	}
	other := newPageReader(doc, [32]byte{2}, &cache)
	if _, _ = other.ListContent(1); other.reader == nil {
		t.Error("the page of another revision came from the cache")
	}
}

func TestPageOfAClientWhoHungUpIsNotRemembered(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	ctx, cancel := context.WithCancel(t.Context())
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Budget: pdf.NewBudget(ctx, 1<<40)})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	var cache pageCache
	if _, complete := newPageReader(doc, [32]byte{1}, &cache).ListContent(1); complete || len(cache.known) != 0 {
		t.Errorf("complete: %v, %d pages cached", complete, len(cache.known))
	}
}

func TestPagesAreRememberedWithinABound(t *testing.T) {
	t.Parallel()
	var cache pageCache
	page := pageItems{covered: []contract.PageItem{{Text: strings.Repeat("x", 1<<20)}}, complete: true}
	for i := range 200 {
		cache.addPage(pageKey{page: i}, page)
		cache.addPage(pageKey{page: i}, page)
		if cache.cost > maxPageCache || cache.cost != len(cache.known)*cacheCost(page) {
			t.Fatalf("%d bytes of %d pages", cache.cost, len(cache.known))
		}
	}
	page.covered[0].Text = strings.Repeat("x", maxPageCache)
	if cache.addPage(pageKey{page: -1}, page); len(cache.known) == 0 {
		t.Error("one page evicted all others")
	}
}
