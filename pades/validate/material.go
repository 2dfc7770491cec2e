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
	maxResponses     = 4096
	maxLists         = 512
	maxStatusQueries = 10_000 // statements read for one file
)

// Where proof came from.
const (
	fromStore     = "dss"
	fromSignature = "signature"
	fromNet       = "net"
)

// revocationItem is one OCSP response or CRL.
type revocationItem struct {
	der    []byte
	crl    bool
	origin string
	// revision is the first that holds it; 0 where that is not known, and of proof from the net.
	revision    int
	attributeOf *checkedSignature            // whose signed attributes hold it; nil of others
	parsedList  *revocation.List             // opened when it is asked for the first time
	answers     map[statusQuery]statusAnswer // what it said
}

// statusQuery is a certificate and an issuer that proof was asked about, each by the SHA-256 of all its bytes.
type statusQuery struct{ cert, issuer [sha256.Size]byte }

// statusAnswer is what a proof says about one certificate; err is why it says nothing.
type statusAnswer struct {
	revocation.Status
	err error
}

// revocationData are all proof at hand.
type revocationData struct {
	responses     map[string][]*revocationItem // by the serials they speak of
	lists         map[string][]*revocationItem // by issuer
	responseCount int                          // responses
	listCount     int                          // lists

	seen       map[[sha256.Size]byte]*revocationItem
	responders revocation.Responders
	queryCount int
	truncated  bool // some were left out
}

// addItem takes proof up. The same proof at two places counts for the older one.
func (m *revocationData) addItem(one revocationItem) {
	if m.seen == nil {
		m.seen, m.responses, m.lists = map[[sha256.Size]byte]*revocationItem{}, map[string][]*revocationItem{}, map[string][]*revocationItem{}
	}
	id := sha256.Sum256(one.der)
	if known, ok := m.seen[id]; ok {
		if one.revision > 0 && (known.revision == 0 || one.revision < known.revision) {
			known.origin, known.revision, known.attributeOf = one.origin, one.revision, one.attributeOf
		}
		return
	}
	one.answers = map[statusQuery]statusAnswer{}
	if one.crl {
		m.addList(&one, id)
	} else {
		m.addResponse(&one, id)
	}
}

func (m *revocationData) addList(one *revocationItem, id [sha256.Size]byte) {
	issuer := crlIssuer(one.der)
	if issuer == nil {
		return
	}
	if m.listCount == maxLists {
		m.truncated = true
		return
	}
	m.listCount++
	m.seen[id] = one
	m.lists[string(issuer)] = append(m.lists[string(issuer)], one)
}

func (m *revocationData) addResponse(one *revocationItem, id [sha256.Size]byte) {
	serials := ocspSerials(one.der)
	if len(serials) == 0 {
		return
	}
	if m.responseCount == maxResponses {
		m.truncated = true
		return
	}
	m.responseCount++
	m.seen[id] = one
	for _, n := range slices.Compact(serials) {
		m.responses[n] = append(m.responses[n], one)
	}
}

// findEvidence returns what the proof at hand says about a certificate of an issuer, without what says nothing.
func (v *validation) findEvidence(cert, issuer *x509.Certificate) []statusEvidence {
	var list []statusEvidence
	for _, m := range slices.Concat(v.revocationData.responses[cert.SerialNumber.String()], v.revocationData.lists[string(issuer.RawSubject)]) {
		s, ok := v.queryStatus(m, cert, issuer)
		if ok && !s.ThisUpdate.After(v.o.At.Add(skew)) && !v.isResponderRevoked(s.Responder, issuer) {
			list = append(list, statusEvidence{m, s.Status})
		}
	}
	return list
}

// queryStatus reads what one proof says about one certificate, once.
func (v *validation) queryStatus(m *revocationItem, cert, issuer *x509.Certificate) (statusAnswer, bool) {
	id := statusQuery{v.certificateHash(cert), v.certificateHash(issuer)}
	s, known := m.answers[id]
	if !known {
		if v.revocationData.queryCount >= maxStatusQueries {
			v.revocationData.truncated = true
			return s, false
		}
		v.revocationData.queryCount++
		s = v.readStatus(m, cert, issuer)
		m.answers[id] = s
	}
	return s, s.err == nil
}

// isResponderRevoked reports whether a list says that a delegated responder was revoked. Most certificates of responders
// say that nobody needs to ask (RFC 6960 §4.2.2.2.1), and of the others a list is seldom at hand; who asks responders
// about responders can be led in circles.
func (v *validation) isResponderRevoked(c, issuer *x509.Certificate) bool {
	if c == nil || c.Equal(issuer) {
		return false
	}
	return slices.ContainsFunc(v.revocationData.lists[string(issuer.RawSubject)], func(m *revocationItem) bool {
		s, ok := v.queryStatus(m, c, issuer)
		return ok && s.CertStatus == revocation.Revoked
	})
}

// skew is how far clocks may be apart.
const skew = 5 * time.Minute

// statusEvidence is one proof with what it says about the certificate that was asked about.
type statusEvidence struct {
	*revocationItem
	revocation.Status
}

// errResponder is a proof that its responder made while its certificate was not valid.
var errResponder = errors.New("responder's certificate is not valid when the proof was made")

// readStatus asks one proof about one certificate.
func (v *validation) readStatus(m *revocationItem, cert, issuer *x509.Certificate) statusAnswer {
	var s statusAnswer
	switch {
	case !m.crl:
		s.Status, s.err = v.revocationData.responders.VerifyOCSP(m.der, cert, issuer)
	case m.parsedList == nil:
		if m.parsedList, s.err = revocation.ParseList(m.der); s.err != nil {
			return s
		}
		fallthrough
	default:
		s.Status, s.err = m.parsedList.Verify(cert, issuer)
	}
	if c := s.Responder; s.err == nil && c != nil && (s.ThisUpdate.Before(c.NotBefore) || s.ThisUpdate.After(c.NotAfter)) {
		s.err = errResponder
	}
	return s
}

// fetchStatus asks the net about a certificate, if that is wanted, and takes up what comes back. What it cannot get is
// only missing: the judgement says so.
func (v *validation) fetchStatus(ctx context.Context, cert, issuer *x509.Certificate) error {
	id := v.certificateHash(cert)
	if v.o.Online == nil || v.statusFetched[id] || len(v.statusFetched) >= maxFetches {
		return ctx.Err()
	}
	v.statusFetched[id] = true
	asking, cancel := v.asking(ctx)
	defer cancel()
	got, err := revocation.Data{}, asking.Err()
	if err == nil {
		got, err = v.o.Online.Revocation(asking, cert, issuer)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Of a certificate that was revoked there is an error, and the proof beside it.
	if err != nil && !errors.Is(err, revocation.ErrRevoked) {
		v.unreachable = append(v.unreachable, holderName(cert))
		return nil
	}
	if got.OCSP != nil {
		v.revocationData.addItem(revocationItem{der: got.OCSP, origin: fromNet})
	}
	if got.CRL != nil {
		v.revocationData.addItem(revocationItem{der: got.CRL, crl: true, origin: fromNet})
	}
	return nil
}

// asking returns the context of a question to Online.
func (v *validation) asking(ctx context.Context) (context.Context, context.CancelFunc) {
	if v.askUntil.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, v.askUntil)
}

// maxFetches bounds the certificates of one file that the net is asked about.
const maxFetches = 32

var oidSigningTime = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}

var oidRevocationArchive = encodingasn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}

// parseRevocationArchive reads the attribute adbe-revocationInfoArchival (ISO 32000-1 §12.8.3.3.2), which older forms keep proof in.
func parseRevocationArchive(s cms.Signer) (crls, responses [][]byte) {
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
