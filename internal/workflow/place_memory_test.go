package workflow_test

import (
	"bytes"
	"errors"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
)

// densePages returns a small file with n pages, whose contents decompress to many megabytes of words.
func densePages(n int) []byte {
	s := newStreamed()
	s.object(1, "<</Type /Catalog /Pages 2 0 R>>")
	kids := strings.Builder{}
	words := squeezed(bytes.Repeat([]byte("BT /F 1 Tf 10 20 Td (words) Tj ET\n"), 300_000))
	s.object(3, "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>")
	s.stream(4, "", words)
	for i := range n {
		number := 5 + i
		s.object(number, "<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F 3 0 R>>>>>>")
		kids.WriteString(" " + strconv.Itoa(number) + " 0 R")
	}
	s.object(2, "<</Type /Pages /Kids ["+kids.String()+"] /Count "+strconv.Itoa(n)+">>")
	return s.end(5 + n + 1)
}

// This test is not parallel because it measures the memory of the process.
func TestManyPlacementsAtOnceTakeTheMemoryOfAFew(t *testing.T) {
	h := newHarness(t)
	file := densePages(6)
	if len(file) > 200<<10 {
		t.Fatalf("the file has %d bytes, want a small one", len(file))
	}
	d, err := h.take(file)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before := read()
	done, measured := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				measured <- most
				return
			case <-tick.C:
				most = max(most, read())
			}
		}
	}()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			box := contract.PlaceRequest{Kind: contract.PlaceInitials, Page: 1 + i%6, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 360, URY: 260}}
			if _, err := h.Place(t.Context(), h.owner, d.ID, 0, []contract.PlaceRequest{box}); err != nil && !errors.Is(err, contract.ErrRace) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(done)
	grown := (<-measured - before) >> 20
	t.Logf("%d bytes, the heap grew by %d MiB", len(file), grown)
	if limit := uint64(128 * max(2, runtime.GOMAXPROCS(0))); grown > limit {
		t.Errorf("more than %d MiB", limit)
	}
}
