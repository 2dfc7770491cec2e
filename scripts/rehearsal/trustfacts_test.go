package main

import (
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestFactsOfAFileAreComputedFromItsCertificatesAndLists(t *testing.T) {
	t.Parallel()
	by, signer := signtest.Authority(t), signtest.NewSigner(t, "Sari")
	f := &signtest.File{Bytes: pdftest.Table(1)}
	f.AddFields(t, pades.FieldSpec{Name: "A", Page: 1, Rect: pdf.Rect{LLX: 60, LLY: 60, URX: 260, URY: 130}})
	f.Sign(t, signer.Options(t, "A"))
	f.Complete(t, by)
	known, err := readTrustFacts(f.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	issuer := signer.Chain[1].NotAfter
	if got := known.signers["A"]; len(known.signers) != 1 || len(got.issuers) != 1 || !got.issuers[0].Equal(issuer) || !got.root.Equal(by.Root()) {
		t.Errorf("%+v, want an issuing certificate until %s below %s", known.signers, issuer, by.Root().Subject)
	}
	for at, want := range map[time.Time]bool{issuer: false, issuer.Add(time.Second): true} {
		if got := known.hasExpiredIssuer("A", at); got != want {
			t.Errorf("%s: an issuing certificate has expired: %v", at, got)
		}
		if known.hasExpiredIssuer("B", at) || known.hasExpiredIssuer("", at) {
			t.Errorf("%s: an issuing certificate of a signature that does not exist has expired", at)
		}
	}
	if len(known.stamps) != 1 || len(known.stamps[0].lists) == 0 {
		t.Fatalf("timestamps %+v, want one whose issuer has a list", known.stamps)
	}
	stamp := known.stamps[0]
	if !stamp.root.Equal(by.Root()) {
		t.Errorf("the timestamp leads to %s, want %s", stamp.root.Subject, by.Root().Subject)
	}
	if age := time.Since(stamp.lists[0].issued); age < 0 || age > 2*time.Hour || !stamp.lists[0].next.Before(stamp.expiry) {
		t.Errorf("list of %s to %s, and a certificate until %s", stamp.lists[0].issued, stamp.lists[0].next, stamp.expiry)
	}
	if known.hasListAfterExpiry("A", stamp.expiry.Add(time.Second)) {
		t.Error("the list is of after the expiry of the timestamp's certificate")
	}
	if _, err := readTrustFacts(pdftest.Table(1)); err == nil {
		t.Error("facts of a file without a store")
	}
}
