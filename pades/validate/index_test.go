package validate

import (
	"bytes"
	"slices"
	"testing"
)

func TestProofIsFiledUnderWhatItSpeaksOf(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	if got := ocspSerials(w.budi.good(date(2025, 6, 1))); !slices.Equal(got, []string{w.budi.cert.SerialNumber.String()}) {
		t.Errorf("response about %v", got)
	}
	if got := crlIssuer(w.root.list(date(2025, 6, 1))); !bytes.Equal(got, w.root.cert.RawSubject) {
		t.Errorf("list of %x", got)
	}
	if got := ocspSerials(w.root.list(date(2025, 6, 1))); got != nil {
		t.Errorf("a list speaks as a response about %v", got)
	}
}

// FuzzProof queries arbitrary data about a certificate: it must have no answer.
func FuzzProof(f *testing.F) {
	w := newTestPKI(f)
	f.Add(w.budi.good(date(2025, 6, 1)))
	f.Add(w.root.list(date(2025, 6, 1)))
	f.Add([]byte{0x30, 0x80})
	other := certificate(f, w.issuing, "Orang lain", person) // no data is about this certificate
	f.Fuzz(func(t *testing.T, der []byte) {
		v := newValidation(Options{At: date(2025, 6, 2)})
		for _, crl := range []bool{false, true} {
			v.revocationData.addItem(revocationItem{der: der, crl: crl, origin: fromStore, revision: 2})
		}
		for _, e := range v.findEvidence(other.cert, w.issuing.cert) {
			t.Errorf("%v about an unknown certificate", e.CertStatus)
		}
	})
}
