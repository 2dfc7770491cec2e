package validate

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	encodingasn1 "encoding/asn1"
	"errors"
	"slices"
	"time"

	"segel/revocation"
)

// Limits for revocation data from a file. Reading a CRL costs time for each certificate.
const (
	maxResponses     = 4096
	maxLists         = 512
	maxStatusQueries = 10_000 // for one file
)

// Origins of revocation data.
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
	// revision is the first that holds it; 0 if unknown or fetched.
	revision    int
	attributeOf *checkedSignature            // whose signed attributes hold it; or nil
	parsedList  *revocation.List             // parsed at the first query
	answers     map[statusQuery]statusAnswer // to earlier queries
}

// statusQuery is a query about a certificate and its issuer, each by SHA-256.
type statusQuery struct{ cert, issuer [sha256.Size]byte }

// statusAnswer is what an item says about one certificate; err is why it says nothing.
type statusAnswer struct {
	revocation.Status
	err error
}

// revocationData is all available revocation data.
type revocationData struct {
	responses     map[string][]*revocationItem // by the serial numbers in them
	lists         map[string][]*revocationItem // by issuer
	responseCount int
	listCount     int

	seen       map[[sha256.Size]byte]*revocationItem
	responders revocation.Responders
	queryCount int
	truncated  bool // some were left out
}

// addItems adds items that differ only in their bytes.
func (m *revocationData) addItems(ders [][]byte, like revocationItem) {
	for _, like.der = range ders {
		m.addItem(like)
	}
}

// addItem adds an item. For the same item in two places the older one counts.
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

// findEvidence returns what the available data says about a certificate.
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

// queryStatus returns what one item says about one certificate, and caches it.
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

// isResponderRevoked reports whether a CRL revokes a delegated responder. Most responders' certificates exempt them
// from checks (RFC 6960 §4.2.2.2.1), and for others a CRL is rarely available; OCSP for responders could be circular.
func (v *validation) isResponderRevoked(c, issuer *x509.Certificate) bool {
	if c == nil || c.Equal(issuer) {
		return false
	}
	return slices.ContainsFunc(v.revocationData.lists[string(issuer.RawSubject)], func(m *revocationItem) bool {
		s, ok := v.queryStatus(m, c, issuer)
		return ok && s.CertStatus == revocation.Revoked
	})
}

// skew is the tolerated difference between clocks.
const skew = 5 * time.Minute

// statusEvidence is an item with what it says about the certificate.
type statusEvidence struct {
	*revocationItem
	revocation.Status
}

// errResponder is a response made outside the validity period of the responder's certificate.
var errResponder = errors.New("responder's certificate is not valid when the proof was made")

// readStatus verifies one item and reads what it says about a certificate.
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

// fetchStatus fetches revocation data about a certificate, if Options.Online is set, and adds it. If that fails the
// report says that it is missing.
func (v *validation) fetchStatus(ctx context.Context, cert, issuer *x509.Certificate) error {
	id := v.certificateHash(cert)
	if v.o.Online == nil || v.statusFetched[id] || len(v.statusFetched) >= maxFetches {
		return ctx.Err()
	}
	v.statusFetched[id] = true
	asking, cancel := v.withOnlineDeadline(ctx)
	defer cancel()
	got, err := revocation.Data{}, asking.Err()
	if err == nil {
		got, err = v.o.Online.Revocation(asking, cert, issuer)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// For a revoked certificate there is an error and the data.
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

// withOnlineDeadline returns the context of a query to Online.
func (v *validation) withOnlineDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if v.onlineUntil.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, v.onlineUntil)
}

// maxFetches bounds the certificates of one file that are queried online.
const maxFetches = 32

var oidSigningTime = encodingasn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}
