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

// This test is not parallel, because it measures the memory of the process.
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
	// Memory that the collector has not freed yet counts too: it runs when the heap has doubled.
	if grown := <-measured - before; grown > 2*decodingMemory {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	} else {
		t.Logf("the heap grew by %d MiB", grown>>20)
	}
	if !decodingBudget.TryAcquire(decodingMemory) {
		t.Fatal("bytes are still lent")
	}
	decodingBudget.Release(decodingMemory)
}

// The total allocation of decoding is an upper bound of the memory in use at a time.
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

// This test is not parallel, because it takes the memory that other tests decode pictures in.
func TestMemoryIsLentInTurn(t *testing.T) {
	const taken = decodingMemory - 1<<20
	if err := decodingBudget.Acquire(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := ExtractStrokes(gone, largePNG(t))
		left <- err
	}()
	for decodingBudget.TryAcquire(1) { // would fit, but the large picture comes first
		decodingBudget.Release(1)
		runtime.Gosched()
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	if !decodingBudget.TryAcquire(1) {
		t.Fatal("nothing is free after the large picture left")
	}
	decodingBudget.Release(1)
	decodingBudget.Release(taken)
	if !decodingBudget.TryAcquire(decodingMemory) {
		t.Fatal("bytes are still lent")
	}
	decodingBudget.Release(decodingMemory)
}
