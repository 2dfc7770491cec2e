package validate

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strconv"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/tsp"
)

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// date is noon of a day; all that happens in these tests has a date.
func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// holder has a key and a certificate, and may be an authority.
type holder struct {
	t      testing.TB
	key    crypto.Signer
	cert   *x509.Certificate
	issuer *holder
}

// with changes the template of a certificate.
type with func(*x509.Certificate)

func valid(from, to time.Time) with {
	return func(c *x509.Certificate) { c.NotBefore, c.NotAfter = from, to }
}

func certificate(t testing.TB, issuer *holder, cn string, changes ...with) *holder {
	t.Helper()
	return keyed(t, issuer, cn, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), changes...)
}

func keyed(t testing.TB, issuer *holder, cn string, key crypto.Signer, changes ...with) *holder {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: must[*big.Int](t)(rand.Int(rand.Reader, big.NewInt(1<<62))), Subject: pkix.Name{CommonName: cn},
		NotBefore: date(2020, 1, 1), NotAfter: date(2050, 1, 1),
	}
	for _, c := range changes {
		c(template)
	}
	parent, signer := template, key
	if issuer != nil {
		parent, signer = issuer.cert, issuer.key
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return &holder{t: t, key: key, cert: must[*x509.Certificate](t)(x509.ParseCertificate(der)), issuer: issuer}
}

func ca(c *x509.Certificate) {
	c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
}

func person(c *x509.Certificate) {
	c.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
}

func forOCSP(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning} }

func clock(c *x509.Certificate) {
	purpose, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		panic(err) // a constant
	}
	c.KeyUsage = x509.KeyUsageDigitalSignature
	c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: purpose}}
}

// chain is a holder's certificate and its issuers', without the root unless that is all.
func (h *holder) chain() []*x509.Certificate {
	list := []*x509.Certificate{h.cert}
	if h.issuer != nil {
		h = h.issuer
	}
	for ; h.issuer != nil; h = h.issuer {
		list = append(list, h.cert)
	}
	return list
}

// good is an OCSP response of the issuer about a holder, made at that moment and good for a week.
func (h *holder) good(at time.Time) []byte {
	return h.response(ocsp.Response{Status: ocsp.Good, ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7)})
}

// revoked is a response that says since when he is revoked, made at another moment.
func (h *holder) revoked(since, at time.Time, reason int) []byte {
	return h.response(ocsp.Response{Status: ocsp.Revoked, RevokedAt: since, RevocationReason: reason, ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7)})
}

func (h *holder) response(r ocsp.Response) []byte {
	h.t.Helper()
	r.SerialNumber = h.cert.SerialNumber
	return must[[]byte](h.t)(ocsp.CreateResponse(h.issuer.cert, h.issuer.cert, r, h.issuer.key))
}

// responseBy is a response of a delegated responder that is good for a week.
func (h *holder) responseBy(responder *holder, at time.Time) []byte {
	h.t.Helper()
	r := ocsp.Response{Status: ocsp.Good, SerialNumber: h.cert.SerialNumber, ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7), Certificate: responder.cert}
	return must[[]byte](h.t)(ocsp.CreateResponse(h.issuer.cert, responder.cert, r, responder.key))
}

// list is a CRL of an authority.
func (h *holder) list(at time.Time, entries ...x509.RevocationListEntry) []byte {
	h.t.Helper()
	return must[[]byte](h.t)(x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(at.Unix()), ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7), RevokedCertificateEntries: entries,
	}, h.cert, h.key))
}

// token is a timestamp by a holder over a digest.
func (h *holder) token(at time.Time, digest []byte) *tsp.Token {
	h.t.Helper()
	r := &tsp.Responder{Key: h.key, Chain: h.chain(), Policy: asn1.ObjectIdentifier{1, 2, 3}, Clock: func() time.Time { return at }, Random: rand.Reader}
	return must[*tsp.Token](h.t)(tsp.Parse(must[[]byte](h.t)(r.Timestamp(context.Background(), digest))))
}

// testPKI is two authorities, one for people and one for time, and who they certified.
type testPKI struct {
	t                   testing.TB
	root, issuing, budi *holder
	timeRoot, tsa       *holder
	trust               *Trust
}

func newTestPKI(t testing.TB) *testPKI {
	t.Helper()
	w := &testPKI{t: t, trust: &Trust{}}
	w.root = certificate(t, nil, "Root", ca)
	w.issuing = certificate(t, w.root, "Issuing", ca, valid(date(2020, 1, 1), date(2040, 1, 1)))
	w.budi = certificate(t, w.issuing, "Budi", person, valid(date(2024, 1, 1), date(2026, 1, 1)))
	w.timeRoot = certificate(t, nil, "Time Root", ca)
	w.tsa = certificate(t, w.timeRoot, "Clock", clock, valid(date(2020, 1, 1), date(2030, 1, 1)))
	w.trust.Add(ForSigning, "roots/people.pem", w.root.cert)
	w.trust.Add(ForTime, "roots/time.pem", w.timeRoot.cert)
	return w
}

// testDocument is the facts of a file that grows.
type testDocument struct {
	w *testPKI
	f *facts.File
}

func (w *testPKI) newDocument() *testDocument {
	return &testDocument{w, &facts.File{Size: 1000, Pages: 1, Revisions: []facts.Revision{{Number: 1, End: 1000}}}}
}

// grow adds a revision that all signatures so far permit.
func (p *testDocument) grow(code diff.Code) int {
	n := len(p.f.Revisions) + 1
	changes := []diff.Change{{Operation: diff.Added, Rule: "test", Code: code, Level: diff.LTA}}
	p.f.Revisions = append(p.f.Revisions, facts.Revision{Number: n, End: int64(n) * 1000, Changes: changes, Level: diff.LTA})
	p.f.Size = int64(n) * 1000
	for _, s := range p.f.Signatures {
		if s.Coverage.State == facts.WholeFile {
			s.Coverage.State = facts.WholeRevision
		}
		s.Later = append(s.Later, facts.Later{Revision: n, Changes: changes, Level: diff.LTA})
	}
	return n
}

var content = sha256.Sum256([]byte("Perjanjian"))

// sign adds a signature, with timestamps on it.
func (p *testDocument) sign(h *holder, stamps ...*tsp.Token) *facts.Signature {
	p.w.t.Helper()
	der := must[[]byte](p.w.t)(cms.Sign(rand.Reader, content[:], h.key, h.chain(), cms.Options{}))
	sd := must[*cms.SignedData](p.w.t)(cms.Parse(der))
	n := p.grow(diff.CodeSigned)
	s := &facts.Signature{
		Field: "Tanda" + strconv.Itoa(n), Kind: facts.Approval, Form: facts.FormCAdES, SubFilter: "ETSI.CAdES.detached", Revision: n,
		Claimed: date(2025, 6, 1), Coverage: facts.Coverage{State: facts.WholeFile, End: int64(n) * 1000},
		Container: sd, Info: &sd.Signers[0], Signer: sd.Certificate(sd.Signers[0]), Certificates: sd.Certificates, Digest: crypto.SHA256, Page: 1, Visible: true,
	}
	for _, t := range stamps {
		s.Tokens = append(s.Tokens, facts.Token{Token: t})
	}
	p.f.Signatures = append(p.f.Signatures, s)
	return s
}

// prove adds validation data in the document security store.
func (p *testDocument) prove(responses [][]byte, lists ...[]byte) {
	n := p.grow(diff.CodeStore)
	if p.f.DSS == nil {
		p.f.DSS = &facts.Store{}
	}
	for _, der := range responses {
		p.f.DSS.OCSPs = append(p.f.DSS.OCSPs, facts.StoreItem{DER: der, Revision: n})
	}
	for _, der := range lists {
		p.f.DSS.CRLs = append(p.f.DSS.CRLs, facts.StoreItem{DER: der, Revision: n})
	}
}

// archive adds a document timestamp.
func (p *testDocument) archive(h *holder, at time.Time) *facts.Signature {
	n := p.grow(diff.CodeTimestamp)
	token := h.token(at, content[:])
	s := &facts.Signature{
		Field: "Waktu" + strconv.Itoa(n), Kind: facts.Timestamp, Form: facts.FormRFC3161, SubFilter: "ETSI.RFC3161", Revision: n,
		Coverage: facts.Coverage{State: facts.WholeFile, End: int64(n) * 1000}, Token: token, Signer: token.Authority,
		Certificates: token.Chain, Digest: crypto.SHA256,
	}
	p.f.Signatures = append(p.f.Signatures, s)
	return s
}

// validate validates the file at a time.
func (p *testDocument) validate(at time.Time, changes ...func(*Options)) *Report {
	p.w.t.Helper()
	o := Options{At: at, Trust: p.w.trust, Explain: true, Name: "perjanjian.pdf"}
	for _, c := range changes {
		c(&o)
	}
	return must[*Report](p.w.t)(ValidateFacts(context.Background(), p.f, o))
}

// is checks the result for one signature.
func is(t testing.TB, r *Report, i int, sub SubIndication, level Level) {
	t.Helper()
	s := r.Signatures[i]
	if s.SubIndication != sub || s.Indication != sub.mainIndication() || s.Level != level {
		t.Errorf("signature %d is %s %s %s, want %s %s %s\n%v", i, s.Indication, s.SubIndication, s.Level, sub.mainIndication(), sub, level, s.Reasons)
	}
}
