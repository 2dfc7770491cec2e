package workflow_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"segel/cms"
	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/revocation"
)

// signers returns the signing certificates of the document's file, by field.
func (h *harness) signers(id contract.DocumentID) map[string]*x509.Certificate {
	h.t.Helper()
	c, err := h.Preview(context.Background(), h.owner, id)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	if err != nil {
		h.t.Fatal(err)
	}
	d, err := pdf.Open(strings.NewReader(string(b)), int64(len(b)), pdf.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	signatures, err := d.Signatures()
	if err != nil {
		h.t.Fatal(err)
	}
	all := map[string]*x509.Certificate{}
	for _, s := range signatures {
		sd, err := cms.Parse(s.Contents)
		if err != nil {
			h.t.Fatal(err)
		}
		all[s.Field.Name] = sd.Certificate(sd.Signers[0])
	}
	return all
}

// signedBy returns the signer's certificate.
func (h *harness) signedBy(id contract.DocumentID) *x509.Certificate {
	h.t.Helper()
	d := h.read(id)
	c := h.signers(id)[d.Participant(h.signer.ID).Field]
	if c == nil {
		h.t.Fatal("the signer's field is not signed")
	}
	return c
}

func TestDocumentCompletesWhenACertificateIsRevokedAfterItSigned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(true, 0)
	if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.later(time.Minute)
	if err := h.ca.Revoke(ctx, fmt.Sprintf("%x", h.signedBy(id).SerialNumber), revocation.KeyCompromise, h.now()); err != nil {
		t.Fatal(err)
	}
	h.later(time.Minute)
	h.work(id)
	if d := h.read(id); d.State != contract.Completed {
		t.Fatalf("%s: %s", d.State, d.Reason)
	}
	next := h.draft(true, 0)
	if _, err := h.Sign(ctx, h.signer, next, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if h.signedBy(next).Equal(h.signedBy(id)) {
		t.Error("signed again with the revoked certificate")
	}
	h.work(next)
	if d := h.read(next); d.State != contract.Completed {
		t.Errorf("%s: %s", d.State, d.Reason)
	}
}

func TestDocumentFailsInWordsWhenACertificateHadBeenRevokedBeforeItSigned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(true, 0)
	h.later(time.Hour)
	if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	since := h.now()
	h.later(time.Hour)
	if err := h.ca.Revoke(ctx, fmt.Sprintf("%x", h.signedBy(id).SerialNumber), revocation.KeyCompromise, since.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	revisions := len(h.read(id).Revisions)
	for range 2 { // the second time is after a restamp
		if err := h.Complete(ctx, id); err != nil {
			t.Fatal(err)
		}
		d := h.read(id)
		if d.State != contract.Failed || !strings.HasPrefix(d.Reason, "closing.revoked: ") || !strings.Contains(d.Reason, "keyCompromise") || len(d.Revisions) != revisions {
			t.Fatalf("%s %q, %d revisions", d.State, d.Reason, len(d.Revisions))
		}
		if _, err := h.Restamp(ctx, h.owner, id, false); err != nil {
			t.Fatal(err)
		}
	}
}
