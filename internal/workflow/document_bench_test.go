package workflow_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/workflow"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// book returns a file with that many pages, each with that many bytes of incompressible content.
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

// signedBook returns a book with a signature of an unknown issuer.
func signedBook(tb testing.TB, pages, content int) []byte {
	tb.Helper()
	a, err := authority.NewEphemeral("http://elsewhere.test", time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	chain, err := a.Certify(context.Background(), authority.Holder{ID: "1", Name: "Orang lain", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		tb.Fatal(err)
	}
	file := book(tb, pages, content)
	r, err := pades.Sign(context.Background(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
		NewField: &pades.FieldSpec{Name: "Lain"}, Key: key, Chain: chain, Time: time.Now(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return append(file, r.Tail...)
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails only for other arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDocument measures each step of a document, by the size and the number of objects of its file: upload,
// unsigned and signed; finalize for one signer; that signature; sealing, validation and completion; and the evidence certificate.
func BenchmarkDocument(b *testing.B) {
	for _, size := range []struct{ pages, content int }{{10, 20_000}, {20, 2_500_000}, {2000, 25_000}, {40, 2_500_000}} {
		file := book(b, size.pages, size.content)
		b.Run(fmt.Sprintf("bytes=%d/pages=%d", len(file), size.pages), func(b *testing.B) {
			ctx := context.Background()
			dsn := storetest.SQLite(b, sqlstore.Migrate)
			h := newHarnessOn(b, dsn)
			h.Limits.FileSize = 1 << 30
			db, err := sql.Open("sqlite", dsn+"?_pragma=busy_timeout(60000)")
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			fatal := func(err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			upload := func(file []byte) contract.DocumentID {
				d, err := h.take(file)
				fatal(err)
				return d.ID
			}
			finalize := func(id contract.DocumentID) contract.DocumentID {
				_, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{})
				fatal(err)
				return id
			}
			sign := func(id contract.DocumentID) contract.DocumentID {
				_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
				fatal(err)
				return id
			}
			// measure excludes the preparation of a step. It reports the least processor time, which varies less than
			// elapsed time on a shared machine.
			measure := func(name string, before func() contract.DocumentID, step func(contract.DocumentID)) {
				b.Run(name, func(b *testing.B) {
					least := time.Hour
					for b.Loop() {
						b.StopTimer()
						h.Blobs = &blobtest.Memory{}
						id := before()
						// No worker runs here. A job that waits from the step before would be an equal one.
						if _, err := db.ExecContext(ctx, `DELETE FROM river_job`); err != nil {
							b.Fatal(err)
						}
						runtime.GC()
						began := processorTime()
						b.StartTimer()
						step(id)
						b.StopTimer()
						least = min(least, processorTime()-began)
						b.StartTimer()
					}
					b.ReportMetric(float64(least.Microseconds())/1000, "cpu-ms/op")
				})
			}
			none := func() contract.DocumentID { return 0 }
			signed := signedBook(b, size.pages, size.content)
			measure("upload", none, func(contract.DocumentID) { upload(file) })
			measure("upload-signed", none, func(contract.DocumentID) { upload(signed) })
			measure("finalize", func() contract.DocumentID { return upload(file) }, func(id contract.DocumentID) { finalize(id) })
			measure("sign", func() contract.DocumentID { return finalize(upload(file)) }, func(id contract.DocumentID) { sign(id) })
			complete := func(id contract.DocumentID) contract.DocumentID {
				fatal(h.Complete(ctx, id))
				return id
			}
			measure("complete", func() contract.DocumentID { return sign(finalize(upload(file))) }, func(id contract.DocumentID) { complete(id) })
			measure("evidence", func() contract.DocumentID { return complete(sign(finalize(upload(file)))) }, func(id contract.DocumentID) { fatal(h.MakeEvidence(ctx, id)) })
		})
	}
}
