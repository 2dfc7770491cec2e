package validate

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"segel/certpath"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

// fresh validates a file with one signature and revocation data of the same day about the signer and the issuer.
func fresh(w *testPKI, h *holder, more ...[]byte) *Report {
	w.t.Helper()
	p := w.newDocument()
	p.sign(h)
	var responses [][]byte
	for c := h; c.issuer != nil; c = c.issuer {
		responses = append(responses, c.good(date(2025, 6, 2)))
	}
	p.prove(append(responses, more...))
	return p.validate(date(2025, 6, 3))
}

func TestNoCertificateIsTrustedWithoutRoots(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	for name, trust := range map[string]*Trust{"nil": nil, "empty": {}} {
		r := p.validate(date(2025, 6, 3), func(o *Options) { o.Trust = trust })
		is(t, r, 0, NoCertificateChainFound, LevelB)
		if r.Integrity != IntactLater {
			t.Errorf("%s: content is %s", name, r.Integrity)
		}
	}
}

func TestOtherRootsAreOfNoUse(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	other := newTestPKI(t).trust
	is(t, p.validate(date(2025, 6, 3), func(o *Options) { o.Trust = other }), 0, NoCertificateChainFound, LevelB)
}

func TestRootForTimeIsNoneForSigning(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	only := &Trust{}
	only.Add(ForTime, "time", w.root.cert, w.timeRoot.cert)
	p := proved(signed(t, w), date(2025, 6, 2))
	is(t, p.validate(date(2025, 6, 3), func(o *Options) { o.Trust = only }), 0, NoCertificateChainFound, LevelT)
}

func TestSelfSignedCertificateIsTrustedOnlyAsARoot(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	self := certificate(t, nil, "Sendiri", person)
	p := w.newDocument()
	p.sign(self)
	r := p.validate(date(2025, 6, 3))
	is(t, r, 0, NoCertificateChainFound, LevelB)
	if !hasReason(r.Signatures[0].Reasons, "chain.self_signed") {
		t.Error("self-signed is not reported")
	}
	w.trust.Add(ForSigning, "self", self.cert)
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelB)
}

func TestCertificatesForOtherThingsDoNotSign(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	unknown, err := asn1.Marshal("x")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change with
		code   string
	}{
		"key usage": {func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment }, "certificate.key_usage"},
		"purpose":   {func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }, "certificate.purpose"},
		"critical extension": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Critical: true, Value: unknown}}
		}, "chain.critical_extension"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fresh(w, certificate(t, w.issuing, "Budi", person, c.change))
			is(t, r, 0, ChainConstraintsFailure, LevelB)
			if !hasReason(r.Signatures[0].Reasons, c.code) {
				t.Errorf("reasons %v", r.Signatures[0].Reasons)
			}
		})
	}
	for name, change := range map[string]with{
		"e-mail": func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection} },
		"documents": func(c *x509.Certificate) {
			c.UnknownExtKeyUsage = []asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 36}}
		},
		"both": func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is(t, fresh(w, certificate(t, w.issuing, "Budi", person, change)), 0, "", LevelB)
		})
	}
}

func TestNameConstraintsOfAnIssuerHold(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	narrow := certificate(t, w.root, "Narrow", ca, func(c *x509.Certificate) {
		c.PermittedDNSDomainsCritical, c.PermittedEmailAddresses = true, []string{"contoh.id"}
	})
	mail := func(address string) with {
		return func(c *x509.Certificate) { c.EmailAddresses = []string{address} }
	}
	is(t, fresh(w, certificate(t, narrow, "Budi", person, mail("budi@contoh.id"))), 0, "", LevelB)
	is(t, fresh(w, certificate(t, narrow, "Budi", person, mail("budi@lain.id"))), 0, ChainConstraintsFailure, LevelB)
}

func TestCertificateOfAPersonCertifiesNoOthers(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	r := fresh(w, certificate(t, w.budi, "Palsu", person, valid(date(2024, 1, 1), date(2026, 1, 1))))
	if s := r.Signatures[0]; s.Indication == TotalPassed {
		t.Errorf("%s %s", s.Indication, s.SubIndication)
	}
}

func TestShortLivedCertificateNeedsNoProof(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	short := certificate(t, w.issuing, "Budi", person, func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: oidNoRevAvail, Value: asn1.NullBytes}}
	})
	p := w.newDocument()
	p.sign(short)
	p.prove([][]byte{w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelB)
}

func TestCertificateThatSaysItIsNeverRevokedIsOfNoIssuerAndNamesNoRevocationData(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	never := func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: oidNoRevAvail, Value: asn1.NullBytes}}
	}
	issuing := certificate(t, w.root, "Issuing", ca, never)
	freshest := must[[]byte](t)(asn1.Marshal([]struct{}{}))
	for name, h := range map[string]*holder{
		"issuer":    certificate(t, issuing, "Budi", person),
		"CRL":       certificate(t, w.issuing, "Budi", person, never, func(c *x509.Certificate) { c.CRLDistributionPoints = []string{"http://contoh.id/crl"} }),
		"responder": certificate(t, w.issuing, "Budi", person, never, func(c *x509.Certificate) { c.OCSPServer = []string{"http://contoh.id/ocsp"} }),
		"freshest CRL": certificate(t, w.issuing, "Budi", person, never, func(c *x509.Certificate) {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 46}, Value: freshest})
		}),
	} {
		p := w.newDocument()
		p.sign(h)
		p.prove([][]byte{h.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
		if s := p.validate(date(2025, 6, 3)).Signatures[0]; s.SubIndication != ChainConstraintsFailure || !hasReason(s.Reasons, "chain.constraint") {
			t.Errorf("%s: %s %s %v", name, s.Indication, s.SubIndication, s.Reasons)
		}
	}
}

func TestWeakKeysCountUntilTheirDay(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	key := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 1024))
	p := w.newDocument()
	p.sign(keyed(t, w.issuing, "Lemah", key, person))
	is(t, p.validate(date(2025, 6, 3)), 0, CryptoConstraintsFailure, LevelB) // the certificate itself began later
	early := keyed(t, w.issuing, "Lemah", key, person, valid(date(2010, 1, 1), date(2030, 1, 1)))
	p = w.newDocument()
	p.sign(early)
	p.prove([][]byte{early.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, CryptoConstraintsFailureNoPOE, LevelB)
	lenient := DefaultPolicy()
	lenient.Keys = []KeyRule{{"RSA", 0, time.Time{}}, {"ECDSA", 0, time.Time{}}}
	is(t, p.validate(date(2025, 6, 3), func(o *Options) { o.Policy = lenient }), 0, "", LevelB)
}

func TestWeakHashCountsUntilItsDay(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	s := p.sign(w.budi)
	s.Digest = 3 // crypto.SHA1
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, CryptoConstraintsFailure, LevelB)
}

func TestWeakHashOfTheSignedAttributesCountsToo(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	s := p.sign(w.budi)
	s.Info.SignatureID.Algorithm = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1} // ECDSA with SHA-1
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, CryptoConstraintsFailure, LevelB)
}

func TestWeakHashOfATimestampsOwnSignatureCountsUntilItsDay(t *testing.T) {
	t.Parallel()
	for hash, want := range map[crypto.Hash]bool{crypto.SHA256: true, crypto.SHA1: false} {
		w := newTestPKI(t)
		p := w.newDocument()
		token := w.tsa.token(date(2025, 6, 1), content[:])
		token.Signed = []crypto.Hash{hash}
		p.sign(w.budi, token)
		p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2)), w.tsa.good(date(2025, 6, 2))})
		s := p.validate(date(2025, 6, 3)).Signatures[0]
		if proved := s.Proven != nil; proved != want {
			t.Errorf("%v: proven %v, timestamp %s %s", hash, s.Proven, s.Timestamps[0].Indication, s.Timestamps[0].SubIndication)
		}
	}
}

func TestRevocationDataSignedWithAWeakAlgorithmCountsOnlyWhatExistedUntilItsDay(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	weakList := func(h *holder, at time.Time) []byte {
		return must[[]byte](t)(x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
			Number: big.NewInt(at.Unix()), ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7), SignatureAlgorithm: x509.ECDSAWithSHA1,
		}, h.cert, h.key))
	}
	weakKey := keyed(t, w.issuing, "Responder", must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 1024)), forOCSP)
	untilJuly := func(o *Options) {
		o.Policy = DefaultPolicy()
		o.Policy.Hashes = append([]HashRule{{crypto.SHA1, date(2025, 7, 1)}}, o.Policy.Hashes...)
		o.Policy.Keys = append([]KeyRule{{"RSA", 1025, date(2025, 7, 1)}}, o.Policy.Keys...)
	}
	for name, c := range map[string]struct{ responses, lists [][]byte }{
		"hash": {nil, [][]byte{weakList(w.issuing, date(2025, 6, 2))}},
		"key":  {[][]byte{w.budi.responseBy(weakKey, date(2025, 6, 2))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := signed(t, w)
			p.prove(append(c.responses, w.issuing.good(date(2025, 6, 2))), append(c.lists, w.timeRoot.list(date(2025, 6, 2)))...)
			r := p.validate(date(2025, 6, 3))
			is(t, r, 0, NoPOE, LevelT)
			if !hasReason(r.Signatures[0].Reasons, "algorithm.revocation") {
				t.Errorf("reasons %v", r.Signatures[0].Reasons)
			}
			is(t, p.validate(date(2025, 6, 30), untilJuly), 0, "", LevelLT)
			is(t, p.validate(date(2025, 7, 2), untilJuly), 0, NoPOE, LevelT)
			p.archive(w.tsa, date(2025, 6, 3))
			is(t, p.validate(date(2025, 7, 2), untilJuly), 0, "", LevelLTA)
		})
	}
}

func TestResponseSpeaksForNoTimeAfterItsResponderExpired(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	responder := certificate(t, w.issuing, "Responder", forOCSP, valid(date(2025, 1, 1), date(2025, 6, 4)))
	p := w.newDocument()
	p.sign(w.budi)
	// It states a week.
	p.prove([][]byte{w.budi.responseBy(responder, date(2025, 6, 2)), w.issuing.good(date(2025, 6, 4))})
	is(t, p.validate(date(2025, 6, 4)), 0, "", LevelB)
	is(t, p.validate(date(2025, 6, 5)), 0, TryLater, LevelB)
}

func TestContainerWithASecondSignerDoesNotPass(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	s := p.sign(w.budi)
	s.Container.Signers = append(s.Container.Signers, s.Container.Signers[0])
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, SigConstraintsFailure, LevelB)
}

func TestPolicyChoosesTheRuleForTheSmallestKeys(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	for bits, until := range map[int]time.Time{
		512: utcDate(2000, 1, 1), 1024: utcDate(2011, 1, 1), 1535: utcDate(2011, 1, 1), 1536: utcDate(2014, 1, 1), 2047: utcDate(2014, 1, 1), 2048: {}, 4096: {},
	} {
		n := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		if a := p.findKeyRule(&rsa.PublicKey{N: n, E: 65537}); !a.known || !a.until.Equal(until) {
			t.Errorf("RSA of %d bits until %s, want %s", bits, a.until, until)
		}
	}
	for curve, known := range map[elliptic.Curve]time.Time{elliptic.P224(): utcDate(2014, 1, 1), elliptic.P256(): {}, elliptic.P521(): {}} {
		if a := p.findKeyRule(&ecdsa.PublicKey{Curve: curve}); !a.known || !a.until.Equal(known) {
			t.Errorf("%s until %s", a.name, a.until)
		}
	}
	if p.findKeyRule("no key").known {
		t.Error("a key of no kind is known")
	}
}

func TestFoldersOfRootsSayWhatForByTheirName(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	self := certificate(t, nil, "Sendiri", person)
	block := func(c *holder) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.cert.Raw}) }
	folder := fstest.MapFS{
		"national/all.pem":      {Data: append(append([]byte("# daftar\n"), block(w.root)...), block(w.issuing)...)},
		"timestamping/tsa.CER":  {Data: w.timeRoot.cert.Raw},
		"signing/deep/one.crt":  {Data: block(self)},
		"stamping/kantor.pem":   {Data: block(w.tsa)},
		"signing/odd.pem":       {Data: append(block(self), []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")...)},
		"notes.txt":             {Data: []byte("no certificate")},
		"timestamping/none.der": {Data: []byte("nothing")},
	}
	trust := &Trust{}
	odd, err := trust.AddFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(odd, " "); got != "signing/odd.pem timestamping/none.der" {
		t.Errorf("odd files %q", got)
	}
	if trust.Len() != 5 {
		t.Errorf("%d roots", trust.Len())
	}
	for _, c := range []struct {
		h             *holder
		signing, time bool
	}{{w.root, true, true}, {w.timeRoot, false, true}, {self, true, false}, {w.tsa, true, true}} {
		for purpose, want := range map[Purpose]bool{ForSigning: c.signing, ForTime: c.time} {
			_, err := certpath.NewBuilder(&trust.anchors, certpath.Limits{}).FindPaths(c.h.cert, purpose.keyUsage(), date(2025, 1, 1))
			if (err == nil) != want {
				t.Errorf("%s for purpose %d: %v", c.h.cert.Subject.CommonName, purpose, err)
			}
		}
	}
	names := func(list []*x509.Certificate) string {
		var all []string
		for _, c := range list {
			all = append(all, c.Subject.CommonName)
		}
		return strings.Join(all, ", ")
	}
	if got := names(trust.Roots(ForTime)); got != "Root, Issuing, Clock, Time Root" {
		t.Errorf("trusted for time: %s", got)
	}
	if got := names(trust.Roots(ForSigning)); got != "Root, Issuing, Sendiri, Sendiri, Clock" {
		t.Errorf("trusted for signatures: %s", got)
	}
	stamps := func(c *x509.Certificate) bool { return trust.purposes[certificateFingerprint(c)]&ForStamps != 0 }
	if !stamps(w.tsa.cert) || stamps(w.root.cert) {
		t.Error("wrong office")
	}
}

func TestHostileStoreIsBounded(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	began := time.Now()
	for i := range 5000 {
		if i < maxCandidates+8 {
			p.f.DSS.Certs = append(p.f.DSS.Certs, facts.StoreItem{DER: certificate(t, nil, "Issuing", ca).cert.Raw, Revision: 3})
		}
		if i < 1500 {
			p.f.DSS.OCSPs = append(p.f.DSS.OCSPs, facts.StoreItem{DER: []byte(fmt.Sprint("nonsense ", i)), Revision: 3})
		}
	}
	made := time.Since(began)
	began = time.Now()
	r := p.validate(date(2025, 6, 3))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("validated in %v, made in %v", took, made)
	}
	is(t, r, 0, "", LevelLT)
	if !hasReason(r.Warnings, "revocation.too_much") {
		t.Error("omissions are not reported")
	}
}

func TestLaterWriterCrowdsOutNoRevocation(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	// The signature of what is left out does not matter.
	response := w.budi.good(date(2025, 6, 10))
	junk := func(i int) []byte {
		der := bytes.Clone(response)
		binary.BigEndian.PutUint16(der[len(der)-2:], uint16(i))
		return der
	}
	hidden := func(count int) *testDocument {
		p := proved(signed(t, w), date(2025, 6, 2))
		p.prove([][]byte{w.budi.revoked(date(2025, 5, 1), date(2025, 6, 3), 1)})
		n := p.grow(diff.CodeStoreReplaced)
		// The last writer lists its own items before the revocation.
		had := p.f.DSS.OCSPs
		p.f.DSS.OCSPs = slices.Clone(had[:2])
		for i := range count {
			p.f.DSS.OCSPs = append(p.f.DSS.OCSPs, facts.StoreItem{DER: junk(i), Revision: n})
		}
		p.f.DSS.OCSPs = append(p.f.DSS.OCSPs, had[2:]...)
		return p
	}
	is(t, hidden(4096).validate(date(2025, 6, 11)), 0, RevokedNoPOE, LevelT)

	// Too little is left for the revocation.
	v := newValidation(Options{At: date(2025, 6, 11), Trust: w.trust})
	p := hidden(0)
	v.collectFacts(p.f)
	twin := func(c *x509.Certificate, i int) *x509.Certificate {
		other := *c
		other.Raw = binary.BigEndian.AppendUint16(bytes.Clone(c.Raw), uint16(i))
		return &other
	}
	for i := range 4998 {
		v.revocations.FindAll(twin(w.budi.cert, i), w.issuing.cert) // two queries
	}
	v.revocations.FindAll(twin(w.issuing.cert, 0), w.root.cert)
	if err := v.validateSignatures(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := v.buildReport(p.f)
	is(t, r, 0, CertificateChainGeneralFailure, LevelT)
	if !hasReason(r.Signatures[0].Reasons, "revocation.too_much") {
		t.Errorf("reasons %v", r.Signatures[0].Reasons)
	}
}

func TestLookingForChainsIsGivenUpWhenItHasCostEnough(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.f.DSS = &facts.Store{}
	for range 20 {
		p.f.DSS.Certs = append(p.f.DSS.Certs, facts.StoreItem{DER: certificate(t, nil, "Kepala", ca).cert.Raw, Revision: 1})
	}
	head := certificate(t, nil, "Kepala", ca)
	for range 10 {
		p.sign(certificate(t, head, "Budi", person))
	}
	v := newValidation(Options{At: date(2025, 6, 3), Trust: w.trust})
	v.collectFacts(p.f)
	v.paths.Checks = maxChecks - 100
	if err := v.validateSignatures(t.Context()); err != nil {
		t.Fatal(err)
	}
	const maxChecksPerPath = 100 // of crypto/x509
	if v.paths.Checks > maxChecks+maxChecksPerPath {
		t.Errorf("%d checks", v.paths.Checks)
	}
	r := v.buildReport(p.f)
	if r.Indication != Indeterminate || r.SubIndication != NoCertificateChainFound || !hasReason(r.Warnings, "revocation.too_much") {
		t.Errorf("%s %s %v", r.Indication, r.SubIndication, r.Warnings)
	}
}
