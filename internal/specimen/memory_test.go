package specimen

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"segel/pades/appearance"
)

// largePNG is a small file with as many pixels of eight bytes as are accepted.
func largePNG(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA64(image.Rect(0, 0, 2048, 2048))
	m.SetNRGBA64(1000, 1000, color.NRGBA64{A: 0xFFFF})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// This test is not parallel, as it measures what the process takes.
func TestHundredLargePicturesAtOnceTakeTheMemoryOfAFew(t *testing.T) {
	file := largePNG(t)
	if len(file) > 64<<10 {
		t.Fatalf("%d bytes are no small file", len(file))
	}
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	done, measured := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				measured <- most
				return
			case <-tick.C:
				metrics.Read(s)
				most = max(most, s[0].Value.Uint64())
			}
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	finished := make(chan struct{}, 100)
	for range 100 {
		all.Go(func() {
			_, err := ExtractStrokes(ctx, file)
			if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errNoStrokes) {
				t.Error(err)
			}
			finished <- struct{}{}
		})
	}
	for range 6 {
		<-finished
	}
	cancel() // the others would show the same
	all.Wait()
	close(done)
	// What the collector has not freed yet counts too: it runs when the heap has doubled.
	if grown := <-measured - before; grown > 2*decodingMemory {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	} else {
		t.Logf("the heap grew by %d MiB", grown>>20)
	}
	if decodingBudget.acquired != 0 || len(decodingBudget.waiting) != 0 {
		t.Errorf("%d bytes are still lent, %d wait", decodingBudget.acquired, len(decodingBudget.waiting))
	}
}

// What decoding allocates in all is an upper bound of what it takes at a time.
func TestMemoryOfAPictureIsEstimatedFromItsHeader(t *testing.T) {
	var gray, baseline bytes.Buffer
	m := image.NewGray(image.Rect(0, 0, 1500, 1500))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	if err := errors.Join(png.Encode(&gray, m), jpeg.Encode(&baseline, m, nil)); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"16 bits": largePNG(t), "gray": gray.Bytes(), "JPEG": baseline.Bytes()} {
		estimated, err := appearance.PictureMemory(file)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = appearance.ExtractStrokes(file)
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > estimated*5/4 {
			t.Errorf("%s: %d KiB were allocated, %d estimated", name, took>>10, estimated>>10)
		} else {
			t.Logf("%s: %d KiB were allocated, %d estimated", name, took>>10, estimated>>10)
		}
	}
}

func TestMemoryIsLentInTurn(t *testing.T) {
	t.Parallel()
	m := newMemory(10)
	first, err := m.acquireBytes(t.Context(), 6)
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := m.acquireBytes(gone, 100) // counts as 10
		left <- err
	}()
	for waits := false; !waits; runtime.Gosched() {
		m.mu.Lock()
		waits = len(m.waiting) == 1
		m.mu.Unlock()
	}
	next := make(chan func())
	go func() {
		release, err := m.acquireBytes(context.WithoutCancel(t.Context()), 4) // would fit, but stands behind
		if err != nil {
			t.Error(err)
		}
		next <- release
	}()
	for waits := false; !waits; runtime.Gosched() {
		m.mu.Lock()
		waits = len(m.waiting) == 2
		m.mu.Unlock()
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	release := <-next
	release()
	release() // twice is once
	first()
	if m.acquired != 0 || len(m.waiting) != 0 {
		t.Errorf("%d are lent, %d wait", m.acquired, len(m.waiting))
	}
}
