package workflow_test

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// ledgerIssuer records certificates in the store, as the service does.
type ledgerIssuer struct {
	workflow.Issuer
	store *sqlstore.Store
}

func (i ledgerIssuer) Certify(ctx context.Context, w workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, error) {
	chain, err := i.Issuer.Certify(ctx, w, key)
	if err != nil {
		return nil, err
	}
	return chain, i.store.AddCertificate(ctx, store.Certificate{
		Serial: fmt.Sprintf("%x", chain[0].SerialNumber), DER: chain[0].Raw, IssuedAt: chain[0].NotBefore, NotAfter: chain[0].NotAfter, Holder: w.ID,
	})
}

// TestADocumentCostsFewStatementsAndRoundTrips holds what a document with one guest costs, without the job queue's own statements,
// once the seal has its credential. More is a loss for everyone who waits for a database behind a network.
func TestADocumentCostsFewStatementsAndRoundTrips(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		s := h.store.Store
		h.Issuer = ledgerIssuer{h.Issuer, s}
		var d contract.Document
		steps := []struct {
			name               string
			run                func() error
			statements         int64 // at most, on SQLite
			roundTrips         int64 // at most, on PostgreSQL
			reading, committed int64 // transactions
		}{
			{"upload", func() error {
				st, err := h.Stage(ctx)
				if err != nil {
					return err
				}
				defer st.Abort()
				if _, err := st.Write(pdftest.Table(1)); err != nil {
					return err
				}
				d, err = h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, People: []workflow.PersonRequest{
					{Role: contract.Signer, Number: 1, Guest: true, Name: "Budi", Email: "tamu@example.test"},
				}})
				return err
			}, 15, 6, 1, 1},
			{"finalize", func() error { _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); return err }, 16, 5, 1, 1},
			{"sign", func() error {
				_, err := h.Sign(ctx, contract.Actor{Person: d.Participants[0].Person, Guest: d.ID}, d.ID, workflow.SignRequest{})
				return err
			}, 26, 10, 3, 3},
			{"complete", func() error { return h.Complete(ctx, d.ID) }, 16, 8, 4, 1},
		}
		for _, first := range []bool{true, false} { // the first makes the credential of the seal
			for _, step := range steps {
				before := s.Counts()
				if err := step.run(); err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				after := s.Counts()
				statements, trips := after.Statements-before.Statements, after.RoundTrips-before.RoundTrips
				reads, writes := after.Reads-before.Reads, after.Writes-before.Writes
				t.Logf("%s: %d statements, %d round trips, %d transactions that read, %d that write", step.name, statements, trips, reads, writes)
				if first {
					continue
				}
				if onSQLite := trips == 0; onSQLite && statements > step.statements || trips > step.roundTrips || reads > step.reading || writes > step.committed {
					t.Errorf("%s: %d statements, %d round trips, %d transactions that read, %d that write; want at most %d, %d, %d, %d", step.name,
						statements, trips, reads, writes, step.statements, step.roundTrips, step.reading, step.committed)
				}
			}
		}
	})
}
