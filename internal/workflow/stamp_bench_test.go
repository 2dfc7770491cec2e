package workflow_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"segel/internal/blob/file"
	"segel/internal/store"
	"segel/pdf"
)

// BenchmarkStampCaches measures one stamp in a run of six, and what each of its caches saves once per stamp: the
// query of the paying organisation, the query of free serials, opening the file and checking that its bytes are
// present, parsing it, and parsing it without the cache of small reads. Database and blobs are files.
func BenchmarkStampCaches(b *testing.B) {
	ctx := context.Background()
	h := newHarness(b)
	blobs, err := file.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	h.Blobs = blobs
	const stamps = 6 // as many as fit beside each other
	var d = h.read(h.draft(false, 1))
	b.Run("stamp", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			id := h.draft(false, stamps)
			b.StartTimer()
			h.stamp(id)
			d = h.read(id)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*stamps), "ns/stamp")
	})
	measure := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	measure("without payer", func() error {
		_, err := h.store.Organisation(ctx, d.Organisation)
		return err
	})
	measure("without noneFreeAt", func() error {
		if _, err := h.store.FreeSerial(ctx, d.Organisation, d.ID); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(err, errors.New("a serial is free"))
		}
		return nil
	})
	measure("without the open file", func() error {
		f, err := h.OpenFile(ctx, d.Revisions)
		if err != nil {
			return err
		}
		return f.Close()
	})
	f, err := h.OpenFile(ctx, d.Revisions)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	parse := func(r io.ReaderAt) func() error {
		return func() error {
			doc, err := pdf.Open(r, f.Size(), pdf.Options{})
			if err == nil {
				_, err = doc.Signatures()
			}
			return err
		}
	}
	measure("without the parsed file", parse(f.Reader))
	measure("without the parsed file and the cached reader", parse(f.Stack))
}
