package facts_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"slices"
	"testing"

	"segel/cms"
	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf/pdftest"
)

// negative is a certificate with its serial number made negative, which crypto/x509 does not read.
func negative(t testing.TB, c *x509.Certificate) *x509.Certificate {
	t.Helper()
	der := bytes.Clone(c.Raw)
	serial := must[[]byte](t)(asn1.Marshal(c.SerialNumber))
	at := bytes.Index(der, serial)
	if at < 0 || len(serial) < 4 {
		t.Fatalf("serial number %v", c.SerialNumber)
	}
	der[at+2] |= 0x80
	if _, err := x509.ParseCertificate(der); err == nil {
		t.Fatal("crypto/x509 reads it")
	}
	return must[*x509.Certificate](t)(cms.ParseCertificate(der))
}

func TestFileSignedWithAnOddCertificateIsIntact(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B"})
	p.sign("A", func(o *pades.Options) { o.Chain = []*x509.Certificate{negative(t, o.Chain[0])} }, shown).sign("B")
	f := runSteps(t, p.b)
	wantIntact(t, f, "A", "B")
	if c := f.Signatures[0].Signer; c.SerialNumber.Sign() >= 0 || c.Subject.CommonName != "Sari" || cms.CheckEncoding(c) == nil {
		t.Errorf("serial %v of %v", c.SerialNumber, c.Subject)
	}
}

// unreadable damages the signer's certificate in its container, which is not part of the signed bytes: the public key is not
// a sequence any more.
func unreadable(t *testing.T, b []byte) []byte {
	t.Helper()
	s := first(t, b)
	sd := must[*cms.SignedData](t)(cms.Parse(s.Contents))
	key := bytes.ToUpper([]byte(hex.EncodeToString(sd.Certificate(sd.Signers[0]).RawSubjectPublicKeyInfo)))
	gap := bytes.ToUpper(b[s.ContentsAt:s.ContentsEnd])
	at := bytes.Index(gap, key)
	if at < 0 {
		t.Fatal("no key")
	}
	b = bytes.Clone(b)
	b[s.ContentsAt+int64(at)] = '0' // 30 becomes 00
	return b
}

func TestSignerWhoseCertificateCannotBeReadIsNotSaidToBeMissing(t *testing.T) {
	t.Parallel()
	b := unreadable(t, on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}).sign("A").b)
	s := runSteps(t, b).Signatures[0]
	if !isErr(s.Integrity, facts.ErrNoSigner) || len(s.Refused) != 1 || s.Container == nil {
		t.Errorf("%v, refused %v", s.Integrity, s.Refused)
	}
	// The others in the container are as good as before.
	if whole := runSteps(t, on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}).sign("A").b).Signatures[0]; len(s.Certificates)+1 != len(whole.Certificates) || len(whole.Refused) > 0 {
		t.Errorf("%d certificates of %d", len(s.Certificates), len(whole.Certificates))
	}
}

func TestTimestampWhoseCertificateIsMissingIsNotSaidToContradictItself(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}).sign("A").addTimestamp()
	b := bytes.Clone(p.b)
	f := runSteps(t, b)
	last := f.Signatures[len(f.Signatures)-1]
	at := bytes.LastIndex(b, []byte(hex.EncodeToString(last.Signer.RawSubjectPublicKeyInfo)))
	if at < 0 {
		at = bytes.LastIndex(b, bytes.ToUpper([]byte(hex.EncodeToString(last.Signer.RawSubjectPublicKeyInfo))))
	}
	if at < 0 {
		t.Fatal("no key")
	}
	b[at] = '0'
	f = runSteps(t, b)
	s := f.Signatures[slices.IndexFunc(f.Signatures, func(s *facts.Signature) bool { return s.Kind == facts.Timestamp })]
	if !isErr(s.Integrity, facts.ErrNoSigner) {
		t.Errorf("%v", s.Integrity)
	}
}
