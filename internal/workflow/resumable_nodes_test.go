package workflow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

func TestAnUploadContinuesInAnotherProcessOnTheSameDatabaseAndStore(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		docs := &documents.Documents{Store: h.store, Blobs: h.Blobs, Trust: h.Trust, Limits: h.Limits, Clock: h.now, Random: h.Random, Log: h.Log}
		nodes := []*workflow.Service{h.Service, {Documents: docs, Stamping: h.Stamping, Store: h.store, Scratch: h.scratches.Scratch, Sealer: h.Sealer, LogKey: h.LogKey, Issuer: h.Issuer, Timestamper: h.clock, Revocation: h.Revocation}}
		file := pdftest.Table(2000)
		u, err := nodes[0].BeginUpload(ctx, h.owner, "kontrak.pdf", int64(len(file)), sha256.Sum256(file))
		if err != nil {
			t.Fatal(err)
		}
		step := max(int(u.LeastPart()), 64<<10)
		for n := 0; u.Received < u.Size; n++ {
			part := file[u.Received:min(int(u.Received)+step, len(file))]
			var wg sync.WaitGroup
			errs := make([]error, len(nodes))
			for i, node := range nodes {
				if n%2 == 0 && i != n/2%2 { // in turn, and every other part by both at once
					continue
				}
				wg.Go(func() { _, errs[i] = node.ContinueUpload(ctx, h.owner, u.ID, u.Received, bytes.NewReader(part)) })
			}
			wg.Wait()
			lost := 0
			for _, err := range errs {
				switch {
				case errors.Is(err, contract.ErrUploadOffset):
					lost++
				case err != nil:
					t.Fatal(err)
				}
			}
			if lost != n%2 {
				t.Errorf("part %d: %v", n, errs)
			}
			before := u.Received
			if u, err = nodes[n%2].FindUpload(ctx, h.owner, u.ID); err != nil || u.Received != before+int64(len(part)) {
				t.Fatalf("part %d: %d bytes are there, %v", n, u.Received, err)
			}
		}
		if u.Digest != sha256.Sum256(file) {
			t.Error("what arrived are other bytes")
		}
	})
}
