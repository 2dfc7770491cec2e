package validate

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"testing"
	"time"

	"segel/cms"
	"segel/pades/validate/facts"
	"segel/revocation"
)

// responder answers about every certificate, in memory.
type responder struct {
	answers map[string]revocation.Data
	asked   []string
	err     error
}

func (r *responder) Revocation(_ context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	r.asked = append(r.asked, holderName(cert))
	if r.err != nil {
		return revocation.Data{}, r.err
	}
	m, ok := r.answers[holderName(cert)]
	if !ok {
		return m, errors.New("no answer")
	}
	return m, nil
}

func TestNetTellsWhatTheFileDoesNot(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	at := date(2025, 6, 3)
	net := &responder{answers: map[string]revocation.Data{
		"Budi": {OCSP: w.budi.good(at)}, "Issuing": {OCSP: w.issuing.good(at)}, "Clock": {CRL: w.timeRoot.list(at)},
	}}
	p := signed(t, w)
	is(t, p.validate(at), 0, CertificateChainGeneralFailure, LevelT)
	r := p.validate(at, func(o *Options) { o.Online = net })
	is(t, r, 0, "", LevelT) // fetched data is not in the file
	if by := r.Signatures[0].Chain[0].ProvedBy; by != revocation.FromNet {
		t.Errorf("proved by %q", by)
	}
	if len(net.asked) != 3 {
		t.Errorf("asked about %v", net.asked)
	}
}

func TestNetKnowsOfRevocationsThatTheFileHides(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	at := date(2025, 9, 1)
	net := &responder{answers: map[string]revocation.Data{"Budi": {OCSP: w.budi.revoked(date(2025, 5, 1), at, 1)}}}
	p := proved(signed(t, w), date(2025, 6, 2))
	is(t, p.validate(at), 0, "", LevelLT)
	is(t, p.validate(at, func(o *Options) { o.Online = net }), 0, RevokedNoPOE, LevelT)
}

func TestNetThatDoesNotAnswerIsOnlyAWarning(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	r := p.validate(date(2025, 6, 3), func(o *Options) { o.Online = &responder{err: errors.New("connection refused")} })
	is(t, r, 0, "", LevelLT)
	if !hasReason(r.Warnings, "revocation.offline") {
		t.Errorf("warnings %v", r.Warnings)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	_, err := ValidateFacts(gone, p.f, Options{At: date(2025, 6, 3), Trust: w.trust, Online: &responder{err: errors.New("x")}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

func TestProofAmongTheSignedAttributesIsAsOldAsTheSignature(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	archive := struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}{Responses: []asn1.RawValue{{FullBytes: w.budi.good(date(2025, 6, 1))}}, CRLs: []asn1.RawValue{{FullBytes: w.root.list(date(2025, 6, 1))}}}
	attribute := cms.NewAttribute(oidRevocationArchive, must[[]byte](t)(asn1.Marshal(archive)))
	p := w.newDocument()
	s := p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	der := must[[]byte](t)(cms.Sign(rand.Reader, content[:], w.budi.key, w.budi.chain(), cms.Options{Attributes: []cms.Attribute{attribute}}))
	s.Container = must[*cms.SignedData](t)(cms.Parse(der))
	s.Info = &s.Container.Signers[0]
	p.prove(nil, w.timeRoot.list(date(2025, 6, 1)))
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelLT)
	// Years later the issuer's key is known to be lost. What it said then is timestamped.
	p.prove([][]byte{w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	r := p.validate(date(2025, 9, 2))
	is(t, r, 0, "", LevelLT)
	if by := r.Signatures[0].Chain[0].ProvedBy; by != revocation.FromSignature {
		t.Errorf("proved by %q", by)
	}
}

func TestProofAmongTheAttributesOfABrokenSignatureIsAsOldAsTheValidation(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.DSS.OCSPs = p.f.DSS.OCSPs[1:] // without that about Budi
	// An attacker with the issuer's key adds a response to a copy of the signature, which keeps the value and its genuine timestamp.
	archive := struct {
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}{[]asn1.RawValue{{FullBytes: w.budi.good(date(2025, 6, 1))}}}
	attribute := cms.NewAttribute(oidRevocationArchive, must[[]byte](t)(asn1.Marshal(archive)))
	broken := p.sign(w.budi, p.f.Signatures[0].Tokens[0].Token)
	broken.Info.Signed = append(broken.Info.Signed, attribute)
	broken.Integrity = facts.ErrValue
	p.prove([][]byte{w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	r := p.validate(date(2025, 9, 2))
	is(t, r, 0, NoPOE, LevelT)
	is(t, r, 1, SigCryptoFailure, LevelNone)
}

func TestDocumentTimestampProvesNothingInItsOwnContainer(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.DSS.OCSPs = p.f.DSS.OCSPs[1:] // without that about Budi
	s := p.archive(w.tsa, date(2025, 6, 3))
	// Its revision has space for the container, and no signature covers the CRLs in that.
	s.Container = &cms.SignedData{CRLs: [][]byte{w.issuing.list(date(2025, 6, 1))}}
	s.Info = &cms.Signer{}
	is(t, p.validate(date(2025, 6, 4)), 0, "", LevelLT)
	p.prove([][]byte{w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	is(t, p.validate(date(2025, 9, 2)), 0, NoPOE, LevelT)
	// A later one covers the container.
	p.prove(nil, w.timeRoot.list(date(2025, 7, 2)))
	p.archive(w.tsa, date(2025, 7, 3))
	is(t, p.validate(date(2025, 9, 2)), 0, "", LevelLTA)
}

func TestProofInTheSignatureAloneIsNotTheBaselinesLongTerm(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	at := date(2025, 6, 1)
	p := signed(t, w)
	p.f.Signatures[0].Container.CRLs = [][]byte{w.issuing.list(at), w.root.list(at), w.timeRoot.list(at)}
	r := p.validate(date(2025, 6, 3))
	is(t, r, 0, "", LevelT)
	if !hasReason(r.Signatures[0].Reasons, "level.no_store") {
		t.Errorf("%v", r.Signatures[0].Reasons)
	}
	p.prove(nil)
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelLT)
}

func TestListsInTheContainerCount(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	s := p.sign(w.budi)
	s.Container.CRLs = [][]byte{w.issuing.list(date(2025, 6, 2)), w.root.list(date(2025, 6, 2))}
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelB)
}

func TestProofAmongTheUnsignedAttributesCounts(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	at := date(2025, 6, 1)
	basic := func(response []byte) asn1.RawValue {
		var r struct {
			Status asn1.Enumerated
			Bytes  struct {
				Type     asn1.ObjectIdentifier
				Response []byte
			} `asn1:"explicit,tag:0"`
		}
		if _, err := asn1.Unmarshal(response, &r); err != nil {
			t.Fatal(err)
		}
		return asn1.RawValue{FullBytes: r.Bytes.Response}
	}
	revocations := cms.NewAttribute(oidRevocationValues, must[[]byte](t)(asn1.Marshal(struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}{[]asn1.RawValue{{FullBytes: w.root.list(at)}}, []asn1.RawValue{basic(w.budi.good(at))}})))
	issuers := cms.NewAttribute(oidCertificateValues, must[[]byte](t)(asn1.Marshal([]asn1.RawValue{{FullBytes: w.issuing.cert.Raw}})))
	for what, c := range map[string]struct {
		attributes []cms.Attribute
		sub        SubIndication
	}{
		"none":        {nil, NoCertificateChainFound},
		"issuers":     {[]cms.Attribute{issuers}, CertificateChainGeneralFailure},
		"revocations": {[]cms.Attribute{revocations}, NoCertificateChainFound},
		"both":        {[]cms.Attribute{issuers, revocations}, ""},
		"broken":      {[]cms.Attribute{issuers, cms.NewAttribute(oidRevocationValues, []byte{0x30, 3, 0xa1, 1, 0})}, CertificateChainGeneralFailure},
	} {
		p := w.newDocument()
		s := p.sign(w.budi)
		s.Certificates = []*x509.Certificate{w.budi.cert}
		s.Info.Unsigned = append(s.Info.Unsigned, c.attributes...)
		r := p.validate(date(2025, 6, 3))
		if got := r.Signatures[0].SubIndication; got != c.sub {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// silent is a source that never answers.
type silent struct{}

func (silent) Revocation(ctx context.Context, _, _ *x509.Certificate) (revocation.Data, error) {
	<-ctx.Done()
	return revocation.Data{}, ctx.Err()
}

func (silent) Issuer(ctx context.Context, _ *x509.Certificate) (*x509.Certificate, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestSourceThatStaysSilentIsMissingAfterTheTimeForAllQuestions(t *testing.T) {
	t.Parallel()
	p := signed(t, newTestPKI(t))
	at := date(2025, 6, 3)
	began := time.Now()
	r := p.validate(at, func(o *Options) { o.Online, o.OnlineTimeout = silent{}, 50*time.Millisecond })
	is(t, r, 0, CertificateChainGeneralFailure, LevelT)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
