package workflow_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// book is a file of that many pages, each with so many bytes of content that cannot be squeezed.
func book(tb testing.TB, pages, content int) []byte {
	tb.Helper()
	file := pdftest.Table(pages)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	u := d.NewUpdate()
	for i := range pages {
		noise := make([]byte, content)
		for j := range noise {
			noise[j] = byte(random.Uint32())
		}
		dict, err := u.Edit(pdf.Ref{Number: uint32(pdftest.FirstPageNumber + 2*i)})
		if err != nil {
			tb.Fatal(err)
		}
		dict["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: noise})}}
	}
	tail, err := u.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return append(file, tail.Bytes...)
}

// BenchmarkUpload is what it takes to store and examine an unsigned file, to finalize it for one signer, and to complete
// it.
func BenchmarkUpload(b *testing.B) {
	for _, size := range []struct{ pages, content int }{{10, 20_000}, {20, 2_500_000}, {2000, 25_000}} {
		file := book(b, size.pages, size.content)
		b.Run(fmt.Sprintf("bytes=%d/pages=%d", len(file), size.pages), func(b *testing.B) {
			h := newHouse(b)
			var id contract.DocumentID
			b.Run("upload", func(b *testing.B) {
				for b.Loop() {
					d, err := h.take(file)
					if err != nil {
						b.Fatal(err)
					}
					id = d.ID
				}
			})
			b.Run("finalize", func(b *testing.B) {
				ctx := context.Background()
				for b.Loop() {
					b.StopTimer()
					d, err := h.take(file)
					if err != nil {
						b.Fatal(err)
					}
					id = d.ID
					b.StartTimer()
					if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("complete", func(b *testing.B) {
				ctx := context.Background()
				for b.Loop() {
					b.StopTimer()
					d, err := h.take(file)
					if err != nil {
						b.Fatal(err)
					}
					id = d.ID
					if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); err != nil {
						b.Fatal(err)
					}
					if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if err := h.Complete(ctx, id); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
