package revocation

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cryptoasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Origins of an [Item].
const (
	FromDSS       = "dss"       // the document security store of the file
	FromSignature = "signature" // an attribute or the container of a signature
	FromNet       = "net"       // fetched
)

// Item is one OCSP response or CRL of a Store. Only one field of Data is set.
type Item struct {
	Data
	Origin   string
	Revision int // the first revision of the file that holds it, from 1; 0 if unknown or fetched
	// SignedBy is the number of the signature whose signed attributes hold the item, from 1; 0: none.
	SignedBy int

	response *basicResponse          // nil for a CRL
	list     *List                   // of a CRL; parsed at the first query
	results  map[certPair]itemResult // of earlier queries
}

func (m Data) hash() [sha256.Size]byte {
	if m.OCSP != nil {
		return sha256.Sum256(m.OCSP)
	}
	return sha256.Sum256(m.CRL)
}

// certPair is a certificate and its issuer, each by SHA-256.
type certPair struct{ cert, issuer [sha256.Size]byte }

type itemResult struct {
	status Status
	err    error
}

// Evidence is an item with what it says about a certificate.
type Evidence struct {
	*Item
	Status
}

// Limits of a Store. Reading a CRL costs time for each certificate.
const (
	maxResponses  = 4096
	maxLists      = 512
	maxQueries    = 10_000  // of items about certificates
	maxLookups    = 100_000 // of certificates in CRLs that were read already; each result takes memory
	maxCandidates = 8       // items of each kind that FindNewest verifies for one certificate; a normal file has one
)

// Store is the revocation data that one operation on a file uses: from the file and from the network. The file is
// untrusted: items are indexed by the certificates that they claim to be about, and verified at the first query about
// one of these. Each item is verified once for a certificate, and each responder once for all. The zero value is empty.
// It is not safe for concurrent use.
type Store struct {
	Truncated bool // some items were left out, or not read, because of the limits

	bySubject  map[string][]indexedItem // by Subject.ID
	newest     map[string][]indexedItem // the same, newest first; filled by FindNewest, emptied by addItem
	known      map[[sha256.Size]byte]*Item
	counts     struct{ responses, lists, queries, lookups int }
	responders responders
	fetched    map[[sha256.Size]byte]*fetchResult // by SHA-256 of the certificate
}

// indexedItem is an item with the time that it states, unverified.
type indexedItem struct {
	*Item
	at time.Time
}

type fetchResult struct {
	data Data
	err  error
}

// NewItems returns items with the responses and the CRLs in DER, which otherwise are like that item.
func NewItems(responses, crls [][]byte, like Item) []Item {
	items := make([]Item, 0, len(responses)+len(crls))
	for _, der := range responses {
		like.Data = Data{OCSP: der}
		items = append(items, like)
	}
	for _, der := range crls {
		like.Data = Data{CRL: der}
		items = append(items, like)
	}
	return items
}

// Add adds items. Unreadable ones are skipped. Beyond the limits, the first ones stay. For the same data in two places
// the older one counts.
func (s *Store) Add(items ...Item) {
	for _, one := range items {
		s.addItem(one)
	}
}

func (s *Store) addItem(one Item) {
	if s.known == nil {
		s.known, s.responders = map[[sha256.Size]byte]*Item{}, responders{}
		s.bySubject, s.newest = map[string][]indexedItem{}, map[string][]indexedItem{}
	}
	count, most := &s.counts.responses, maxResponses
	if one.CRL != nil {
		count, most = &s.counts.lists, maxLists
	}
	id := one.Data.hash()
	if k, ok := s.known[id]; ok {
		if one.Revision > 0 && (k.Revision == 0 || one.Revision < k.Revision) {
			k.Origin, k.Revision, k.SignedBy = one.Origin, one.Revision, one.SignedBy
		}
		return
	}
	subjects, err := one.parseSubjects()
	if err != nil {
		return
	}
	if *count >= most && one.Origin != FromNet { // what was fetched is limited by the queries, and a file must not keep it out
		s.Truncated = true
		return
	}
	*count++
	one.results = map[certPair]itemResult{}
	s.known[id] = &one
	for i, about := range subjects {
		if !slices.ContainsFunc(subjects[:i], func(x Subject) bool { return x.ID == about.ID }) {
			s.bySubject[about.ID] = append(s.bySubject[about.ID], indexedItem{&one, about.At})
			delete(s.newest, about.ID)
		}
	}
}

// parseSubjects parses the item as far as the index needs it.
func (m *Item) parseSubjects() (subjects []Subject, err error) {
	if m.CRL != nil {
		subject, err := CRLSubject(m.CRL)
		return []Subject{subject}, err
	}
	if m.response, err = parseOCSP(m.OCSP); err != nil {
		return nil, err
	}
	return m.response.listSubjects()
}

// FindAll returns what the store says about a certificate. Data that was made outside the validity period of its
// responder is left out. Complete is false if some of the data was not verified because of the limits.
func (s *Store) FindAll(cert, issuer *x509.Certificate) (all []Evidence, complete bool) {
	responses, complete1 := s.findAbout(serialSubject(cert.SerialNumber), cert, issuer)
	lists, complete2 := s.findAbout(issuerSubject(issuer.RawSubject), cert, issuer)
	return append(responses, lists...), complete1 && complete2
}

func (s *Store) findAbout(subject string, cert, issuer *x509.Certificate) (all []Evidence, complete bool) {
	complete = true
	about := certPair{sha256.Sum256(cert.Raw), sha256.Sum256(issuer.Raw)}
	for _, m := range s.bySubject[subject] {
		status, err := s.verifyItem(m.Item, about, cert, issuer)
		switch c := status.Responder; {
		case errors.Is(err, errTooManyQueries):
			complete = false
		case err == nil && !status.ThisUpdate.Before(c.NotBefore) && !status.ThisUpdate.After(c.NotAfter):
			all = append(all, Evidence{m.Item, status})
		}
	}
	return all, complete
}

// FindNewest returns the newest data of the file about a certificate that is not older than since and whose signer was
// valid when it was made: the certificate was good, or revoked at a time. OCSP responses come before CRLs.
func (s *Store) FindNewest(cert, issuer *x509.Certificate, since time.Time) (Evidence, bool) {
	since = since.Truncate(time.Second) // revocation data states whole seconds
	about := certPair{sha256.Sum256(cert.Raw), sha256.Sum256(issuer.Raw)}
	for _, subject := range []string{serialSubject(cert.SerialNumber), issuerSubject(issuer.RawSubject)} {
		tried := 0
		for _, m := range s.sortItems(subject) {
			if m.at.Before(since) || tried == maxCandidates {
				break
			}
			if m.Origin == FromNet {
				continue
			}
			tried++
			status, err := s.verifyItem(m.Item, about, cert, issuer)
			if err == nil && status.Current(status.ThisUpdate) == nil && status.CertStatus != Unknown {
				return Evidence{m.Item, status}, true
			}
		}
	}
	return Evidence{}, false
}

// sortItems returns the items about a subject, the newest first. It sorts once for all certificates of an issuer, because
// a file can hold hundreds of CRLs and thousands of responses about one subject.
func (s *Store) sortItems(subject string) []indexedItem {
	sorted, known := s.newest[subject]
	if !known && len(s.bySubject[subject]) > 0 {
		sorted = slices.SortedStableFunc(slices.Values(s.bySubject[subject]), func(x, y indexedItem) int { return y.at.Compare(x.at) })
		s.newest[subject] = sorted
	}
	return sorted
}

// IsResponderRevoked reports whether a CRL revokes the delegated responder that signed data of an issuer, or may do so
// beyond the limits. Most responders' certificates exempt them from checks (RFC 6960 §4.2.2.2.1), and for others a CRL is
// rarely available; OCSP for responders could be circular.
func (s *Store) IsResponderRevoked(responder, issuer *x509.Certificate) bool {
	if responder.Equal(issuer) {
		return false
	}
	all, complete := s.findAbout(issuerSubject(issuer.RawSubject), responder, issuer)
	return !complete || slices.ContainsFunc(all, func(e Evidence) bool { return e.CertStatus == Revoked })
}

var errTooManyQueries = newUnusable("too many queries")

// Verify is [Data.Verify], but verifies data of the store only once.
func (s *Store) Verify(data Data, cert, issuer *x509.Certificate) (Status, error) {
	m := s.known[data.hash()]
	if m == nil {
		return data.Verify(cert, issuer)
	}
	return s.verifyItem(m, certPair{sha256.Sum256(cert.Raw), sha256.Sum256(issuer.Raw)}, cert, issuer)
}

// verifyItem returns what an item says about a certificate.
func (s *Store) verifyItem(m *Item, about certPair, cert, issuer *x509.Certificate) (Status, error) {
	if r, known := m.results[about]; known {
		return r.status, r.err
	}
	if s.counts.queries >= maxQueries || s.counts.lookups >= maxLookups {
		s.Truncated = true
		return Status{}, errTooManyQueries
	}
	count := &s.counts.queries
	var r itemResult
	switch {
	case m.response != nil:
		r.status, r.err = m.response.verify(cert, issuer, s.responders)
	case m.list == nil:
		if m.list, r.err = ParseList(m.CRL); r.err == nil {
			r.status, r.err = m.list.Verify(cert, issuer)
		}
	default:
		before := m.list.work
		if r.status, r.err = m.list.Verify(cert, issuer); m.list.work == before {
			count = &s.counts.lookups
		}
	}
	*count++
	m.results[about] = r
	return r.status, r.err
}

// Query is a certificate with its issuer, about which a source is queried.
type Query struct{ Cert, Issuer *x509.Certificate }

// Fetch queries a source about certificates, concurrently and about each at most once, and adds the answers.
func (s *Store) Fetch(ctx context.Context, source Source, queries ...Query) {
	if s.fetched == nil {
		s.fetched = map[[sha256.Size]byte]*fetchResult{}
	}
	var done sync.WaitGroup
	var results []*fetchResult
	for _, q := range queries {
		id := sha256.Sum256(q.Cert.Raw)
		if s.fetched[id] != nil {
			continue
		}
		r := &fetchResult{}
		s.fetched[id], results = r, append(results, r)
		done.Go(func() {
			r.data, r.err = runRecovered(func() (Data, error) { return source.Revocation(ctx, q.Cert, q.Issuer) })
		})
	}
	done.Wait()
	for _, r := range results {
		for _, m := range []Item{{Data: Data{OCSP: r.data.OCSP}, Origin: FromNet}, {Data: Data{CRL: r.data.CRL}, Origin: FromNet}} {
			if usable := r.err == nil || errors.Is(r.err, ErrRevoked); usable && (m.OCSP != nil || m.CRL != nil) {
				s.addItem(m)
			}
		}
	}
}

// FetchResult returns what the source answered about a certificate, as [Source] describes it. Known is false if the
// source was not queried.
func (s *Store) FetchResult(cert *x509.Certificate) (data Data, known bool, err error) {
	r := s.fetched[sha256.Sum256(cert.Raw)]
	if r == nil {
		return Data{}, false, nil
	}
	return r.data, true, r.err
}

// Subject is what an OCSP response or a CRL claims to be about, unverified: a certificate by its serial number, or all
// certificates of an issuer. Equal subjects have equal IDs.
type Subject struct {
	ID string
	At time.Time // thisUpdate, UTC
}

func serialSubject(serial *big.Int) string { return "serial " + serial.String() }

// issuerSubject takes the name in DER.
func issuerSubject(name []byte) string { return "issuer " + hex.EncodeToString(name) }

// OCSPSubjects returns the certificates that a DER OCSPResponse, or the BasicOCSPResponse in one, is about. The error
// is ErrUnusable.
func OCSPSubjects(der []byte) ([]Subject, error) {
	basic, err := parseOCSP(der)
	if err != nil {
		basic = &basicResponse{}
		if rest, bad := asn1.Unmarshal(der, basic); len(der) > maxOCSP || bad != nil || len(rest) > 0 || len(basic.Data.Responses) > maxAnswers {
			return nil, err
		}
	}
	return basic.listSubjects()
}

func (b *basicResponse) listSubjects() (all []Subject, err error) {
	if len(b.Data.Responses) == 0 {
		return nil, newUnusable("OCSP response about no certificate")
	}
	for _, r := range b.Data.Responses {
		all = append(all, Subject{serialSubject(r.ID.Serial), r.ThisUpdate.UTC()})
	}
	return all, nil
}

// CRLSubject returns the issuer whose certificates a DER CertificateList is about. Its entries and extensions are not
// read. The error is ErrUnusable.
func CRLSubject(der []byte) (Subject, error) {
	bad := newUnusable("CRL cannot be read")
	whole := cryptobyte.String(der)
	var outer, body, issuer, element cryptobyte.String
	var tag cryptoasn1.Tag
	if len(der) > MaxSize || !whole.ReadASN1(&outer, cryptoasn1.SEQUENCE) || !whole.Empty() || !outer.ReadASN1(&body, cryptoasn1.SEQUENCE) ||
		!outer.SkipASN1(cryptoasn1.SEQUENCE) || !outer.SkipASN1(cryptoasn1.BIT_STRING) || !outer.Empty() {
		return Subject{}, bad
	}
	if !body.SkipOptionalASN1(cryptoasn1.INTEGER) || !body.SkipASN1(cryptoasn1.SEQUENCE) || !body.ReadASN1Element(&issuer, cryptoasn1.SEQUENCE) {
		return Subject{}, bad
	}
	s := Subject{ID: issuerSubject(issuer)}
	if err := readTime(&body, &s.At); err != nil {
		return Subject{}, err
	}
	for !body.Empty() {
		if !body.ReadAnyASN1Element(&element, &tag) {
			return Subject{}, bad
		}
	}
	return s, nil
}
