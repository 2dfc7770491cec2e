package pades_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/internal/authority"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/revocation"
)

// addToStore adds data to the document security store of a file, like an attacker.
func addToStore(t *testing.T, p *testFile, lists map[pdf.Name][][]byte) {
	t.Helper()
	d := p.Open(t)
	root, _, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	u := d.NewUpdate()
	dss := pdf.Dict{"Type": pdf.Name("DSS")}
	for name, all := range lists {
		var refs pdf.Array
		for _, der := range all {
			refs = append(refs, u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: der}))
		}
		dss[name] = refs
	}
	must[pdf.Dict](t)(u.Edit(root))["DSS"] = dss
	p.Bytes, p.State = append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...), nil
}

// newLargeKeyCertificate returns a certificate with that subject whose key is costly to verify with.
func newLargeKeyCertificate(t *testing.T, subject pkix.Name, serial int64, bits int, purposes ...x509.ExtKeyUsage) *x509.Certificate {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: purposes == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: purposes,
	}
	public := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), bits-1, 1), E: 1<<31 - 1}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, public, key))
	return must[*x509.Certificate](t)(x509.ParseCertificate(der))
}

// newFalseSigner returns a signer whose certificate claims to be signed by a key of that many bits; only a verification
// with that key shows that it is not.
func newFalseSigner(t *testing.T, issuer pkix.Name, bits int) signer {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	by := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	template := &x509.Certificate{SerialNumber: big.NewInt(int64(bits)), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, &x509.Certificate{Subject: issuer}, key.Public(), by))
	var c struct {
		Signed    asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Value     asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &c); err != nil {
		t.Fatal(err)
	}
	c.Value = asn1.BitString{Bytes: append([]byte{0x3f}, make([]byte, bits/8-1)...), BitLength: bits}
	cert := must[*x509.Certificate](t)(x509.ParseCertificate(must[[]byte](t)(asn1.Marshal(c))))
	return signer{Name: "Hostile", Key: key, Chain: []*x509.Certificate{cert}}
}

// Verifying with a key of a million bits takes half a minute, and with each of the others some milliseconds.
func TestHostileStoreCostsLittle(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	leaf, issuer := who.Chain[0], who.Chain[1]
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	dear, many := pkix.Name{CommonName: "Dear"}, pkix.Name{CommonName: "Many"}
	certs := [][]byte{newLargeKeyCertificate(t, dear, 1, 1_000_000).Raw}
	var responses [][]byte
	for i := range 300 {
		certs = append(certs, newLargeKeyCertificate(t, many, int64(2+i), 16384).Raw)
		responder := newLargeKeyCertificate(t, pkix.Name{CommonName: "Responder"}, int64(2+i), 16384, x509.ExtKeyUsageOCSPSigning)
		r := ocsp.Response{SerialNumber: leaf.SerialNumber, ThisUpdate: time.Now().Add(time.Minute), NextUpdate: time.Now().Add(time.Hour), Certificate: responder}
		responses = append(responses, must[[]byte](t)(ocsp.CreateResponse(issuer, responder, r, key)))
	}
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"})
	p.Sign(t, newFalseSigner(t, dear, 1_000_000).Options(t, "B"))
	p.Sign(t, newFalseSigner(t, many, 16384).Options(t, "C"))
	o := who.Options(t, "A")
	o.Chain = o.Chain[:1] // its issuer has to be found
	p.Sign(t, o)
	addToStore(t, p, map[pdf.Name][][]byte{"Certs": certs, "OCSPs": responses})
	// One key of a million bits, or each certificate tried for each response, would take minutes. The bound is for a busy machine.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begun := time.Now()
	r, err := pades.AddDSS(ctx, p.Source(), pades.ValidationOptions{Source: signtest.Authority(t), Required: []string{"A"}, Certificates: who.Chain[1:]})
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("took %s", took)
	}
	p.Append(t)(r, err)
	lists, _ := readSecurityStore(t, p)
	if n := len(lists["OCSPs"]) - len(responses); n != 1 {
		t.Errorf("%d honest responses were added", n)
	}
}

func TestSignatureSurvivesRevocationOnlyIfItWasMadeBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration // time from the signature to the revocation
		ok    bool
	}{
		"revoked before it was used": {-time.Hour, false},
		"revoked in the same second": {0, false},
		"revoked afterwards":         {3 * time.Second, true},
	} {
		now := time.Now()
		ca := must[*authority.Authority](t)(authority.NewEphemeral("http://localhost", func() time.Time { return now }))
		who := signtest.NewSigner(t, "A")
		who.Chain = must[[]*x509.Certificate](t)(ca.Certify(t.Context(), authority.Holder{ID: "1", Name: "A", Organisation: "PT Contoh", Assurance: authority.Account}, who.Key.Public()))
		now = now.Add(2 * time.Hour)
		p := &testFile{Bytes: pdftest.Table(1)}
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		o := who.Options(t, "A")
		o.Timestamper, o.Time = ca.Timestamper(), now
		p.Sign(t, o)
		at := now.Add(c.after)
		now = now.Add(time.Minute)
		if err := ca.Revoke(t.Context(), fmt.Sprintf("%x", who.Chain[0].SerialNumber), revocation.KeyCompromise, at); err != nil {
			t.Fatal(err)
		}
		r, err := pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: ca})
		if !c.ok {
			var revoked *revocation.RevokedError
			if !errors.Is(err, pades.ErrRevocationData) || !errors.As(err, &revoked) || revoked.Status.Reason != revocation.KeyCompromise {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		p.Append(t)(r, err)
		lists, _ := readSecurityStore(t, p)
		if len(lists["OCSPs"]) != 1 {
			t.Fatalf("%s: %d responses", name, len(lists["OCSPs"]))
		}
		s, err := revocation.VerifyOCSP(lists["OCSPs"][0], who.Chain[0], who.Chain[1])
		if err != nil || s.CertStatus != revocation.Revoked || !s.At.Equal(at.Truncate(time.Second)) {
			t.Errorf("%s: the file says %+v, %v", name, s, err)
		}
		// The data in the file gives the same result when the store is extended, and the source is not queried about
		// the signer.
		source := &recordingSource{Source: ca}
		p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: source}))
		if source.serials[who.Chain[0].SerialNumber.String()] {
			t.Errorf("%s: the signer's issuer was queried again", name)
		}
	}
}

// recordingSource records which certificates it was queried about.
type recordingSource struct {
	revocation.Source
	mu      sync.Mutex // guards serials
	serials map[string]bool
}

func (a *recordingSource) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	a.mu.Lock()
	if a.serials == nil {
		a.serials = map[string]bool{}
	}
	a.serials[cert.SerialNumber.String()] = true
	a.mu.Unlock()
	return a.Source.Revocation(ctx, cert, issuer)
}
