package validate

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	encodingasn1 "encoding/asn1"
	"errors"
	"slices"
	"time"

	"segel/cms"
	"segel/revocation"
)

// Bounds of what a file can bring along as proof. Reading a list costs time for each certificate it is asked about.
const (
	maxResponses = 4096
	maxLists     = 512
	maxAsked     = 10_000 // statements read for one file
)

// Where proof came from.
const (
	fromStore     = "dss"
	fromSignature = "signature"
	fromNet       = "net"
)

// material is one OCSP response or CRL.
type material struct {
	der    []byte
	crl    bool
	origin string
	// revision is the first that holds it; 0 where that is not known, and of proof from the net.
	revision int
	within   *subject            // whose signed attributes hold it; nil of others
	list     *revocation.List    // opened when it is asked for the first time
	read     map[asked]statement // what it said
}

// asked is a certificate and an issuer that proof was asked about, each by the SHA-256 of all its bytes.
type asked struct{ cert, issuer [sha256.Size]byte }

// statement is what a proof says about one certificate; err is why it says nothing.
type statement struct {
	revocation.Status
	err error
}

// materials are all proof at hand.
type materials struct {
	responses map[string][]*material // by the serials they speak of
	lists     map[string][]*material // by issuer
	counted   int                    // responses
	listed    int                    // lists

	seen       map[[sha256.Size]byte]*material
	responders revocation.Responders
	asked      int
	full       bool // some were left out
}

// add takes proof up. The same proof at two places counts for the older one.
func (m *materials) add(one material) {
	if m.seen == nil {
		m.seen, m.responses, m.lists = map[[sha256.Size]byte]*material{}, map[string][]*material{}, map[string][]*material{}
	}
	id := sha256.Sum256(one.der)
	if known, ok := m.seen[id]; ok {
		if one.revision > 0 && (known.revision == 0 || one.revision < known.revision) {
			known.origin, known.revision, known.within = one.origin, one.revision, one.within
		}
		return
	}
	one.read = map[asked]statement{}
	if one.crl {
		m.addList(&one, id)
	} else {
		m.addResponse(&one, id)
	}
}

func (m *materials) addList(one *material, id [sha256.Size]byte) {
	issuer := crlIssuer(one.der)
	if issuer == nil {
		return
	}
	if m.listed == maxLists {
		m.full = true
		return
	}
	m.listed++
	m.seen[id] = one
	m.lists[string(issuer)] = append(m.lists[string(issuer)], one)
}

func (m *materials) addResponse(one *material, id [sha256.Size]byte) {
	serials := ocspSerials(one.der)
	if len(serials) == 0 {
		return
	}
	if m.counted == maxResponses {
		m.full = true
		return
	}
	m.counted++
	m.seen[id] = one
	for _, n := range slices.Compact(serials) {
		m.responses[n] = append(m.responses[n], one)
	}
}

// about returns what the proof at hand says about a certificate of an issuer, without what says nothing.
func (v *validation) about(cert, issuer *x509.Certificate) []evidence {
	var list []evidence
	for _, m := range slices.Concat(v.materials.responses[cert.SerialNumber.String()], v.materials.lists[string(issuer.RawSubject)]) {
		s, ok := v.ask(m, cert, issuer)
		if ok && !s.ThisUpdate.After(v.o.At.Add(skew)) && !v.responderRevoked(s.Responder, issuer) {
			list = append(list, evidence{m, s.Status})
		}
	}
	return list
}

// ask reads what one proof says about one certificate, once.
func (v *validation) ask(m *material, cert, issuer *x509.Certificate) (statement, bool) {
	id := asked{v.sum(cert), v.sum(issuer)}
	s, known := m.read[id]
	if !known {
		if v.materials.asked >= maxAsked {
			v.materials.full = true
			return s, false
		}
		v.materials.asked++
		s = v.read(m, cert, issuer)
		m.read[id] = s
	}
	return s, s.err == nil
}

// responderRevoked reports whether a list says that a delegated responder was revoked. Most certificates of responders
// say that nobody needs to ask (RFC 6960 §4.2.2.2.1), and of the others a list is seldom at hand; who asks responders
// about responders can be led in circles.
func (v *validation) responderRevoked(c, issuer *x509.Certificate) bool {
	if c == nil || c.Equal(issuer) {
		return false
	}
	return slices.ContainsFunc(v.materials.lists[string(issuer.RawSubject)], func(m *material) bool {
		s, ok := v.ask(m, c, issuer)
		return ok && s.CertStatus == revocation.Revoked
	})
}

// skew is how far clocks may be apart.
const skew = 5 * time.Minute

// evidence is one proof with what it says about the certificate that was asked about.
type evidence struct {
	*material
	revocation.Status
}

// errResponder is a proof that its responder made while its certificate was not valid.
var errResponder = errors.New("responder's certificate is not valid when the proof was made")

// read asks one proof about one certificate.
func (v *validation) read(m *material, cert, issuer *x509.Certificate) statement {
	var s statement
	switch {
	case !m.crl:
		s.Status, s.err = v.materials.responders.VerifyOCSP(m.der, cert, issuer)
	case m.list == nil:
		if m.list, s.err = revocation.ParseList(m.der); s.err != nil {
			return s
		}
		fallthrough
	default:
		s.Status, s.err = m.list.Verify(cert, issuer)
	}
	if c := s.Responder; s.err == nil && c != nil && (s.ThisUpdate.Before(c.NotBefore) || s.ThisUpdate.After(c.NotAfter)) {
		s.err = errResponder
	}
	return s
}

// fetch asks the net about a certificate, if that is wanted, and takes up what comes back. What it cannot get is
// only missing: the judgement says so.
func (v *validation) fetch(ctx context.Context, cert, issuer *x509.Certificate) error {
	id := v.sum(cert)
	if v.o.Online == nil || v.fetched[id] || len(v.fetched) >= maxFetches {
		return ctx.Err()
	}
	v.fetched[id] = true
	got, err := v.o.Online.Revocation(ctx, cert, issuer)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Of a certificate that was revoked there is an error, and the proof beside it.
	if err != nil && !errors.Is(err, revocation.ErrRevoked) {
		v.offline = append(v.offline, name(cert))
		return nil
	}
	if got.OCSP != nil {
		v.materials.add(material{der: got.OCSP, origin: fromNet})
	}
	if got.CRL != nil {
		v.materials.add(material{der: got.CRL, crl: true, origin: fromNet})
	}
	return nil
}

// maxFetches bounds the certificates of one file that the net is asked about.
const maxFetches = 32

var oidSigningTime = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}

var oidRevocationArchive = encodingasn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}

// archived reads the attribute adbe-revocationInfoArchival (ISO 32000-1 §12.8.3.3.2), which older forms keep proof in.
func archived(s cms.Signer) (crls, responses [][]byte) {
	der, ok, err := cms.FindAttributeValue(s.Signed, oidRevocationArchive)
	if err != nil || !ok {
		return nil, nil
	}
	var v struct {
		CRLs      []encodingasn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []encodingasn1.RawValue `asn1:"optional,explicit,tag:1"`
		Other     encodingasn1.RawValue   `asn1:"optional,explicit,tag:2"`
	}
	if _, err := encodingasn1.Unmarshal(der, &v); err != nil {
		return nil, nil
	}
	for _, c := range v.CRLs {
		crls = append(crls, c.FullBytes)
	}
	for _, r := range v.Responses {
		responses = append(responses, r.FullBytes)
	}
	return crls, responses
}
