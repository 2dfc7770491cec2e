package validate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	encodingasn1 "encoding/asn1"
	"errors"
	"time"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"

	"segel/cms"
	"segel/revocation"
)

// Bounds of what a file can bring along as proof. Reading a list costs time for each certificate it is asked about.
const (
	maxMaterial = 1024
	maxAsked    = 4096 // statements read for one file
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
	within   *subject // whose signed attributes hold it; nil of others
	// issuer is the name that a list speaks for; nil of a response.
	issuer []byte
	read   map[string]statement // by certificate and issuer
}

// statement is what a proof says about one certificate; err is why it says nothing.
type statement struct {
	revocation.Status
	err error
}

// materials are all proof at hand.
type materials struct {
	all   []*material
	seen  map[[sha256.Size]byte]*material
	asked int
	full  bool // some were left out
}

// add takes proof up. The same proof at two places counts for the older one.
func (m *materials) add(one material) {
	if m.seen == nil {
		m.seen = map[[sha256.Size]byte]*material{}
	}
	id := sha256.Sum256(one.der)
	if known, ok := m.seen[id]; ok {
		if one.revision > 0 && (known.revision == 0 || one.revision < known.revision) {
			known.origin, known.revision, known.within = one.origin, one.revision, one.within
		}
		return
	}
	if len(m.all) == maxMaterial {
		m.full = true
		return
	}
	if one.crl {
		// A list that cannot be read says nothing; the one who is asked for tells so.
		if one.issuer = crlIssuer(one.der); one.issuer == nil {
			return
		}
	}
	one.read = map[string]statement{}
	m.seen[id] = &one
	m.all = append(m.all, &one)
}

// crlIssuer reads the issuer's name of a list without reading its entries (RFC 5280 §5.1); nil where there is none.
func crlIssuer(der []byte) []byte {
	outer := cryptobyte.String(der)
	var list, body, issuer cryptobyte.String
	if !outer.ReadASN1(&list, asn1.SEQUENCE) || !list.ReadASN1(&body, asn1.SEQUENCE) ||
		!body.SkipOptionalASN1(asn1.INTEGER) || !body.SkipASN1(asn1.SEQUENCE) || !body.ReadASN1Element(&issuer, asn1.SEQUENCE) {
		return nil
	}
	return issuer
}

// about returns what the proof at hand says about a certificate of an issuer, without what says nothing.
func (v *validation) about(cert, issuer *x509.Certificate) []evidence {
	var list []evidence
	id := askedAbout(cert, issuer)
	for _, m := range v.materials.all {
		if m.crl && !bytes.Equal(m.issuer, issuer.RawSubject) {
			continue
		}
		s, known := m.read[id]
		if !known {
			if v.materials.asked >= maxAsked {
				v.materials.full = true
				continue
			}
			v.materials.asked++
			s = read(m, cert, issuer)
			m.read[id] = s
		}
		if s.err == nil && !s.ThisUpdate.After(v.o.At.Add(skew)) && !v.responderRevoked(s.Responder, issuer) {
			list = append(list, evidence{m, s.Status})
		}
	}
	return list
}

// responderRevoked reports whether a list says that a delegated responder was revoked. Most certificates of responders
// say that nobody needs to ask (RFC 6960 §4.2.2.2.1), and of the others a list is seldom at hand; who asks responders
// about responders can be led in circles.
func (v *validation) responderRevoked(c, issuer *x509.Certificate) bool {
	if c == nil || c.Equal(issuer) {
		return false
	}
	for _, m := range v.materials.all {
		if !m.crl || !bytes.Equal(m.issuer, issuer.RawSubject) {
			continue
		}
		id := askedAbout(c, issuer)
		s, known := m.read[id]
		if !known {
			if v.materials.asked >= maxAsked {
				return false
			}
			v.materials.asked++
			s = read(m, c, issuer)
			m.read[id] = s
		}
		if s.err == nil && s.Standing == revocation.Revoked {
			return true
		}
	}
	return false
}

func askedAbout(cert, issuer *x509.Certificate) string {
	return fingerprint(cert) + fingerprint(issuer)
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
func read(m *material, cert, issuer *x509.Certificate) statement {
	var s statement
	if m.crl {
		s.Status, s.err = revocation.ReadCRL(m.der, cert, issuer)
	} else {
		s.Status, s.err = revocation.ReadOCSP(m.der, cert, issuer)
	}
	if c := s.Responder; s.err == nil && c != nil && (s.ThisUpdate.Before(c.NotBefore) || s.ThisUpdate.After(c.NotAfter)) {
		s.err = errResponder
	}
	return s
}

// fetch asks the net about a certificate, if that is wanted, and takes up what comes back. What it cannot get is
// only missing: the judgement says so.
func (v *validation) fetch(ctx context.Context, cert, issuer *x509.Certificate) error {
	id := fingerprint(cert)
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
	der, ok, err := cms.Value(s.Signed, oidRevocationArchive)
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
