package validate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
	"segel/pades/validate/facts"
	"segel/tsp"
)

// irregular replaces bytes in a holder's certificate by as many others and has the issuer sign the result.
func irregular(t testing.TB, h *holder, old, now []byte) *holder {
	t.Helper()
	var outer struct {
		TBS       asn1.RawValue
		Algorithm asn1.RawValue
		Value     asn1.BitString
	}
	if _, err := asn1.Unmarshal(h.cert.Raw, &outer); err != nil {
		t.Fatal(err)
	}
	tbs := bytes.Replace(outer.TBS.FullBytes, old, now, 1)
	if len(old) != len(now) || bytes.Equal(tbs, outer.TBS.FullBytes) {
		t.Fatalf("cannot put %x for %x", now, old)
	}
	sum := sha256.Sum256(tbs)
	outer.TBS = asn1.RawValue{FullBytes: tbs}
	outer.Value.Bytes = must[[]byte](t)(ecdsa.SignASN1(rand.Reader, h.issuer.key.(*ecdsa.PrivateKey), sum[:]))
	outer.Value.BitLength = 8 * len(outer.Value.Bytes)
	c := *h
	c.cert = must[*x509.Certificate](t)(cms.ParseCertificate(must[[]byte](t)(asn1.Marshal(outer))))
	if cms.CheckEncoding(c.cert) == nil {
		t.Fatal("crypto/x509 reads it")
	}
	return &c
}

// negative makes the serial number of a holder's certificate negative.
func negative(t testing.TB, h *holder) *holder {
	t.Helper()
	serial := must[[]byte](t)(asn1.Marshal(h.cert.SerialNumber))
	now := bytes.Clone(serial)
	now[2] |= 0x80
	return irregular(t, h, serial, now)
}

func TestOddCertificateIsTrustedForWhatItsIssuerSigned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	odd := negative(t, w.budi)
	r := fresh(w, odd)
	is(t, r, 0, "", LevelB)
	if !hasReason(r.Signatures[0].Reasons, "certificate.irregular") || r.Signatures[0].Signer.Serial[0] != '-' {
		t.Errorf("serial %s, %v", r.Signatures[0].Signer.Serial, r.Signatures[0].Reasons)
	}
	// Its revocation counts as that of any other.
	p := w.paper()
	p.sign(odd)
	p.prove([][]byte{odd.revoked(date(2025, 1, 1), date(2025, 6, 2), ocsp.KeyCompromise), w.issuing.good(date(2025, 6, 2))})
	is(t, p.judge(date(2025, 6, 3)), 0, RevokedNoPOE, LevelB)
	// An issuer may be as odd; one who is not trusted is not for being odd.
	sub := negative(t, certificate(t, w.root, "Odd Issuing", ca))
	is(t, fresh(w, certificate(t, sub, "Sari", person)), 0, "", LevelB)
	self := certificate(t, nil, "Odd Root", ca)
	self.issuer = self
	root := negative(t, self)
	root.issuer = nil
	w.trust.Add(ForSigning, "odd.pem", root.cert)
	is(t, fresh(w, certificate(t, root, "Sari", person)), 0, "", LevelB)
	untrusted := negative(t, certificate(t, certificate(t, nil, "Untrusted", ca), "Budi", person))
	is(t, fresh(w, untrusted), 0, NoCertificateChainFound, LevelB)
	forged := *odd
	forged.cert = must[*x509.Certificate](t)(cms.ParseCertificate(append(bytes.Clone(odd.cert.Raw[:len(odd.cert.Raw)-1]), odd.cert.Raw[len(odd.cert.Raw)-1]^1)))
	is(t, fresh(w, &forged), 0, NoCertificateChainFound, LevelB)
}

func TestWhatKeepsAnOddCertificateFromBeingTrustedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	usage := []byte{0x55, 0x1d, 0x0f, 0x01, 0x01, 0xff, 0x04, 0x04, 0x03, 0x02}
	broken := append(bytes.Clone(usage[:8]), 5, 2) // no bit string
	for _, c := range []struct {
		signer *holder
		sub    SubIndication
		code   string
	}{
		{irregular(t, w.budi, []byte("240101120000Z"), []byte("24o1o112oooo?")), ChainConstraintsFailure, "certificate.validity_unreadable"},
		{irregular(t, w.budi, usage, broken), ChainConstraintsFailure, "certificate.irregular"},
	} {
		r := fresh(w, c.signer)
		is(t, r, 0, c.sub, LevelB)
		if s := r.Signatures[0]; s.Reasons[0].Code != c.code || s.Integrity != IntactLater {
			t.Errorf("%s: %s %v", c.code, s.Integrity, s.Reasons[0])
		}
	}
}

func TestIssuerWhoseKeyChainsAreNotCheckedWithIsNamed(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Fatal("openssl is needed to make a key on that curve: ", err)
	}
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(openssl, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1", "-out", "ca.key")
	run("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=Brainpool", "-days", "9000", "-out", "ca.crt")
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := must[[]byte](t)(x509.MarshalPKCS8PrivateKey(key))
	if err := os.WriteFile(filepath.Join(dir, "leaf.der"), der, 0o600); err != nil {
		t.Fatal(err)
	}
	run("req", "-new", "-key", "leaf.der", "-keyform", "DER", "-subj", "/CN=Budi", "-out", "leaf.csr")
	leaf := run("x509", "-req", "-in", "leaf.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "8000", "-outform", "DER")
	root := must[*x509.Certificate](t)(cms.ParseCertificate(run("x509", "-in", "ca.crt", "-outform", "DER")))
	w := newWorld(t)
	w.trust.Add(ForSigning, "brainpool.pem", root)
	budi := &holder{t: t, key: key, cert: must[*x509.Certificate](t)(x509.ParseCertificate(leaf))}
	p := w.paper()
	p.sign(budi)
	r := p.judge(root.NotBefore.AddDate(0, 0, 1))
	is(t, r, 0, NoCertificateChainFound, LevelB)
	if s := r.Signatures[0]; s.Reasons[0].Code != "chain.issuer_key" || !strings.Contains(s.Reasons[0].English, "ECDSA-256") {
		t.Errorf("%v", s.Reasons[0])
	}
}

func TestSentenceAboutWhatCannotBeCheckedClaimsNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := errors.New("certificate: x509: malformed spki")
	for name, c := range map[string]struct {
		change func(*facts.Signature)
		sub    SubIndication
		code   string
	}{
		"certificate that cannot be read": {func(s *facts.Signature) {
			s.Integrity, s.Signer, s.Refused = facts.ErrNoSigner, nil, []error{refused}
		}, NoSigningCertificateFound, "certificate.unreadable"},
		"certificate that is not there": {func(s *facts.Signature) { s.Integrity, s.Signer = facts.ErrNoSigner, nil }, NoSigningCertificateFound, "certificate.missing"},
		"space that holds more":         {func(s *facts.Signature) { s.Integrity = fmt.Errorf("%w: %w", facts.ErrContainer, cms.ErrTrailing) }, FormatFailure, "format.trailing"},
		"statements that differ":        {func(s *facts.Signature) { s.Integrity = facts.ErrAttributes }, FormatFailure, "format.attributes"},
		"container that cannot be read": {func(s *facts.Signature) { s.Integrity = facts.ErrContainer }, FormatFailure, "format.broken"},
		"algorithm":                     {func(s *facts.Signature) { s.Integrity = fmt.Errorf("%w: Ed448", facts.ErrAlgorithm) }, CryptoConstraintsFailure, "signature.algorithm"},
	} {
		p := w.paper()
		c.change(p.sign(w.budi))
		r := p.judge(date(2025, 6, 3))
		s := r.Signatures[0]
		if s.SubIndication != c.sub || s.Reasons[0].Code != c.code {
			t.Errorf("%s: %s %v", name, s.SubIndication, s.Reasons[0])
		}
		if c.code == "certificate.unreadable" && (s.Indication != Indeterminate || !strings.Contains(s.Reasons[0].English, "malformed spki")) {
			t.Errorf("%s %v", s.Indication, s.Reasons[0])
		}
	}
	for name, c := range map[string]struct {
		err  error
		sub  SubIndication
		code string
	}{
		"of another file":     {facts.ErrDigest, HashFailure, "time.token_broken"},
		"unknown algorithm":   {fmt.Errorf("timestamp: %w", cms.ErrAlgorithm), CryptoConstraintsFailure, "time.token_algorithm"},
		"no certificate":      {fmt.Errorf("timestamp: %w", cms.ErrNoCertificate), NoSigningCertificateFound, "time.token_certificate"},
		"container":           {cms.ErrMalformed, FormatFailure, "time.token_broken"},
		"token":               {tsp.ErrMalformed, FormatFailure, "time.token_broken"},
		"value":               {cms.ErrSignature, SigCryptoFailure, "time.token_broken"},
		"whatever else it is": {errors.New("timestamp: odd"), SigCryptoFailure, "time.token_broken"},
	} {
		p := w.paper()
		s := p.sign(w.budi)
		s.Tokens = []facts.Token{{Err: c.err}}
		r := p.judge(date(2025, 6, 3))
		one := r.Signatures[0].Timestamps[0]
		if one.SubIndication != c.sub || one.Reasons[0].Code != c.code {
			t.Errorf("%s: %s %v", name, one.SubIndication, one.Reasons)
		}
	}
}

func TestProofThatALaterStoreLeftOutCountsForTheVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// replaced takes what the store has out of it, as a writer does who writes another one behind it.
	replaced := func(p *paper) {
		was := p.f.DSS
		p.f.DSS = nil
		other := certificate(t, certificate(t, nil, "Lain", ca), "Orang Lain", person)
		p.prove([][]byte{other.good(date(2025, 6, 4))}, other.issuer.list(date(2025, 6, 4)))
		p.f.Earlier = *was
	}
	good := func() *paper {
		p := w.paper()
		p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
		proved(p, date(2025, 6, 2))
		return p
	}
	is(t, good().judge(date(2025, 6, 3)), 0, "", LevelLT)
	p := good()
	replaced(p)
	is(t, p.judge(date(2025, 6, 5)), 0, "", LevelLT)
	p.archive(w.tsa, date(2025, 6, 5))
	is(t, p.judge(date(2025, 6, 6)), 0, "", LevelLTA)

	// A certificate does not become good because its revocation was replaced by a newer good answer.
	p = w.paper()
	p.sign(w.budi)
	p.prove([][]byte{w.budi.revoked(date(2025, 1, 1), date(2025, 6, 2), ocsp.KeyCompromise), w.issuing.good(date(2025, 6, 2))})
	is(t, p.judge(date(2025, 6, 3)), 0, RevokedNoPOE, LevelB)
	was := p.f.DSS
	p.f.DSS = nil
	p.prove([][]byte{w.budi.good(date(2025, 6, 4)), w.issuing.good(date(2025, 6, 4))})
	p.f.Earlier = *was
	is(t, p.judge(date(2025, 6, 5)), 0, RevokedNoPOE, LevelB)

	// Replaced items are not older than the revision that brought them.
	late := good()
	late.archive(w.tsa, date(2025, 6, 2))
	late.f.DSS = nil
	late.f.Earlier = facts.Store{OCSPs: []facts.StoreItem{{DER: w.budi.good(date(2025, 6, 4)), Revision: late.grow("store")}, {DER: w.issuing.good(date(2025, 6, 4)), Revision: late.grow("store")}}}
	if r := late.judge(date(2025, 6, 5)); r.Signatures[0].Level == LevelLTA {
		t.Error("a timestamp covers proof that came after it")
	}
}
