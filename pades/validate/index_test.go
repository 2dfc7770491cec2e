package validate

import (
	"bytes"
	"slices"
	"testing"
)

func TestProofIsFiledUnderWhatItSpeaksOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
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

// FuzzProof files anything and asks it about somebody: nothing may come of it but silence.
func FuzzProof(f *testing.F) {
	w := newWorld(f)
	f.Add(w.budi.good(date(2025, 6, 1)))
	f.Add(w.root.list(date(2025, 6, 1)))
	f.Add([]byte{0x30, 0x80})
	other := certificate(f, w.issuing, "Orang lain", person) // no proof is about him
	f.Fuzz(func(t *testing.T, der []byte) {
		v := newValidation(Options{At: date(2025, 6, 2)})
		for _, crl := range []bool{false, true} {
			v.revocationData.addItem(revocationItem{der: der, crl: crl, origin: fromStore, revision: 2})
		}
		for _, e := range v.findEvidence(other.cert, w.issuing.cert) {
			t.Errorf("%v about a certificate that nobody has ever spoken of", e.CertStatus)
		}
	})
}
