package workflow_test

import (
	"context"
	"crypto/x509"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// issuerOf returns the issuing certificate of the authority that signed a certificate.
func (h *harness) issuerOf(c *x509.Certificate) *x509.Certificate {
	h.t.Helper()
	for _, i := range h.ca.Issuers() {
		if c.CheckSignatureFrom(i.Certificate) == nil {
			return i.Certificate
		}
	}
	h.t.Fatalf("no issuer of %s", c.Subject)
	return nil
}

func TestADocumentThatWaitsForElevenMonthsAfterASignatureCompletes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	first := h.draft(true, 0)
	if _, err := h.Sign(ctx, h.signer, first, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	certificate := h.signedBy(first)
	h.later(certificate.NotAfter.Sub(h.now()) - year - time.Hour)
	last := h.draft(true, 0)
	if _, err := h.Sign(ctx, h.signer, last, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if !h.signedBy(last).Equal(certificate) {
		t.Fatal("more than a year before its end the certificate is not used any more")
	}
	h.later(335 * 24 * time.Hour)
	h.work(last)
	if d := h.read(last); d.State != contract.Completed {
		t.Fatalf("%s: %s", d.State, d.Reason)
	}
	h.isValid(last)
	next := h.draft(true, 0)
	if _, err := h.Sign(ctx, h.signer, next, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	if h.signedBy(next).Equal(certificate) {
		t.Error("signed with a certificate that expires within a year")
	}
}

func TestSignersAndSealsGetCertificatesOfTheNextIssuerWhileTheFormerOneStillStatesTheirStatus(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	first := h.ca.Issuers()[0].Certificate
	h.later(16*year + year/2)
	former, latter := 0, 0
	for range 9 {
		if err := h.ca.Succeed(ctx); err != nil {
			t.Fatal(err)
		}
		id := h.draft(true, 0)
		if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
			t.Fatal(err)
		}
		h.work(id)
		if d := h.read(id); d.State != contract.Completed {
			t.Fatalf("%s: %s", d.State, d.Reason)
		}
		h.isValid(id)
		found := 0
		for field, c := range h.signers(id) {
			if len(c.ExtKeyUsage) > 0 { // of the time-stamp authority
				continue
			}
			found++
			by := h.issuerOf(c)
			if left := by.NotAfter.Sub(h.now()); left < year {
				t.Errorf("%s: the issuer of %s states the status for %s", field, c.Subject, left)
			}
			if c.NotAfter.Sub(h.now()) < year-time.Hour || by.NotAfter.Sub(c.NotAfter) < year-48*time.Hour {
				t.Errorf("%s: %s until %s, the issuer until %s", field, c.Subject, c.NotAfter, by.NotAfter)
			}
			if by.Equal(first) {
				former++
			} else {
				latter++
			}
		}
		if found != 2 {
			t.Errorf("%d certificates, want those of the signer and of the seal", found)
		}
		h.later(year / 2)
	}
	if former == 0 || latter < 6 {
		t.Errorf("%d of the former issuer, %d of the next", former, latter)
	}
}
