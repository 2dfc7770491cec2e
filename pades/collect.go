package pades

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"segel/cms"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

// validationData is the validation data of one signature, as DER.
type validationData struct{ certificates, ocsps, crls [][]byte }

// dataCollector collects validation data. It queries each certificate at most once. The file may come from an attacker,
// so verifications and queries are limited for signatures that are not required.
type dataCollector struct {
	ctx         context.Context
	o           ValidationOptions
	archive     *revocation.Archive            // revocation data in the file
	pool        map[string][]*x509.Certificate // by DER of the subject's name; the caller's certificates first
	seen        map[[32]byte]bool              // by SHA-256: certificates in the pool
	answers     map[[32]byte]revocationAnswer  // by SHA-256 of the certificate
	issuers     map[[32]byte]*x509.Certificate // by SHA-256 of the certificate
	checksLeft  int                            // signature verifications left for signatures that are not required
	queriesLeft int                            // queries left for signatures that are not required
	roots       map[[32]byte]bool              // by SHA-256: trust anchors of signatures that are not required
}

type revocationAnswer struct {
	data revocation.Data
	err  error
}

const (
	// maxChecks limits the verifications for signatures that are not required. One costs at most some milliseconds,
	// with the largest key that package cms accepts.
	maxChecks = 2000
	// parsingChecks is how many verifications the parsing of one such signature counts as.
	parsingChecks = 4
	// maxQueries limits the certificates of such signatures for which the source is queried, perhaps over the network.
	maxQueries = 40
	// maxIssuerCandidates limits how many certificates with the same subject are tried as an issuer.
	maxIssuerCandidates = 16
)

func newDataCollector(o ValidationOptions, s *securityStore) *dataCollector {
	g := &dataCollector{
		o: o, archive: revocation.NewArchive(s.lists["OCSPs"].der, s.lists["CRLs"].der),
		pool: map[string][]*x509.Certificate{}, seen: map[[32]byte]bool{}, answers: map[[32]byte]revocationAnswer{}, issuers: map[[32]byte]*x509.Certificate{},
		checksLeft: maxChecks, queriesLeft: maxQueries, roots: map[[32]byte]bool{},
	}
	g.addCertificates(o.Roots...)
	for _, c := range o.Roots {
		g.roots[sha256.Sum256(c.Raw)] = true
	}
	g.addCertificates(o.Certificates...)
	g.addCertificates(s.parseCertificates()...)
	return g
}

// addCertificates adds certificates to the pool in which issuers are searched.
func (g *dataCollector) addCertificates(certs ...*x509.Certificate) {
	for _, c := range certs {
		if id := sha256.Sum256(c.Raw); !g.seen[id] {
			g.seen[id] = true
			g.pool[string(c.RawSubject)] = append(g.pool[string(c.RawSubject)], c)
		}
	}
}

// collectForSignature collects the validation data of a signature or document timestamp.
func (g *dataCollector) collectForSignature(s *pdf.Signature, required bool) (validationData, error) {
	if !required {
		// Parsing also verifies a timestamp.
		if g.checksLeft -= parsingChecks; g.checksLeft < 0 {
			return validationData{}, nil
		}
	}
	leaves, token, err := g.parseSigningCertificates(s)
	if err != nil {
		if required {
			return validationData{}, fmt.Errorf("%w: %w", ErrRevocationData, err)
		}
		return validationData{}, nil
	}
	w := chainWalk{collector: g, required: required}
	if token != nil {
		w.provenTime, w.latestTime = token.Time, token.Time.Add(token.Accuracy)
	}
	w.fetchAhead(leaves)
	for i, leaf := range leaves {
		w.isTSA = token != nil && i == len(leaves)-1
		if err := w.collectForChain(leaf, maxChain); err != nil {
			return validationData{}, fmt.Errorf("%w: %w", ErrRevocationData, err)
		}
	}
	return w.data, nil
}

// parseSigningCertificates returns the signer's certificate, then the time-stamp authority's, and the token that proves
// the signing time. Token is nil if there is no timestamp.
func (g *dataCollector) parseSigningCertificates(s *pdf.Signature) ([]*x509.Certificate, *tsp.Token, error) {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return nil, nil, err
	}
	g.addCertificates(sd.Certificates...)
	if len(sd.Signers) != 1 {
		return nil, nil, fmt.Errorf("%d signers", len(sd.Signers))
	}
	signer := sd.Certificate(sd.Signers[0])
	if signer == nil {
		return nil, nil, errors.New("the signer's certificate is not included")
	}
	if sd.ContentType.Equal(cms.OIDTSTInfo) {
		token, err := tsp.Parse(s.Contents)
		return []*x509.Certificate{signer}, token, err
	}
	token, err := parseSignatureTimestamp(sd.Signers[0])
	if err != nil || token == nil {
		return []*x509.Certificate{signer}, nil, err
	}
	g.addCertificates(token.Chain...)
	return []*x509.Certificate{signer, token.Authority}, token, nil
}

// maxChain limits the length of a chain of issuers, and of responders that have responders.
const maxChain = 10

// chainWalk walks the certificate chains of one signature.
type chainWalk struct {
	collector  *dataCollector
	data       validationData
	required   bool
	provenTime time.Time // time of the timestamp; zero: there is none
	latestTime time.Time // provenTime plus the accuracy that the authority states
	isTSA      bool      // the chain is a time-stamp authority's
}

// collectForChain adds a certificate, its issuers, and revocation data for each. If an issuer or revocation data is
// missing, it returns an error for a required signature; for any other, the walk ends there.
func (w *chainWalk) collectForChain(cert *x509.Certificate, depth int) error {
	if !appendNew(&w.data.certificates, cert.Raw) || isSelfIssued(cert) && w.isSignedBy(cert, cert) {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("chain of certificate %x is too long", cert.SerialNumber)
	}
	issuer := w.findIssuer(cert)
	if issuer == nil {
		return w.errorIfRequired(fmt.Errorf("the issuer %q of certificate %x is not known", cert.Issuer.CommonName, cert.SerialNumber))
	}
	if !hasNoCheck(cert) {
		m, err := w.findRevocationData(cert, issuer)
		if err != nil {
			err = w.errorIfRequired(fmt.Errorf("certificate %x of %q: %w", cert.SerialNumber, cert.Subject.CommonName, err))
		} else {
			err = w.addRevocationData(m, cert, issuer, depth)
		}
		if err != nil {
			return err
		}
	}
	return w.collectForChain(issuer, depth-1)
}

// errorIfRequired returns err if the signature is required, else nil.
func (w *chainWalk) errorIfRequired(err error) error {
	if w.required {
		return err
	}
	return nil
}

// addRevocationData adds revocation data, and validation data of the responder that signed it.
func (w *chainWalk) addRevocationData(m revocation.Data, cert, issuer *x509.Certificate, depth int) error {
	if m.CRL != nil {
		appendNew(&w.data.crls, m.CRL)
	}
	if m.OCSP == nil {
		return nil
	}
	appendNew(&w.data.ocsps, m.OCSP)
	s, err := revocation.VerifyOCSP(m.OCSP, cert, issuer)
	if err != nil {
		return w.errorIfRequired(fmt.Errorf("OCSP response of %q: %w", issuer.Subject.CommonName, err))
	}
	if s.Responder.Equal(issuer) {
		return nil
	}
	w.collector.addCertificates(s.Responder)
	return w.collectForChain(s.Responder, depth-1)
}

// findRevocationData returns revocation data that is not older than the signature: from the file, from an earlier
// query, or from the source. A revocation counts as validation data if the signature is proven to be older
// (docs/decisions/0021-revoked.md); otherwise it is an error.
func (w *chainWalk) findRevocationData(cert, issuer *x509.Certificate) (revocation.Data, error) {
	g := w.collector
	// Without a proven signing time, nothing in the file can show that it is new enough.
	if !w.provenTime.IsZero() && w.spendCheck() {
		if m, s, ok := g.archive.Find(cert, issuer, w.provenTime); ok {
			return m, w.requireGoodWhenSigned(cert, s)
		}
	}
	id := sha256.Sum256(cert.Raw)
	a, ok := g.answers[id]
	if !ok {
		if !w.spendQuery(cert) {
			return revocation.Data{}, errors.New("not queried: the chain leads to no root, or the limit of queries is reached")
		}
		a.data, a.err = g.o.Source.Revocation(g.ctx, cert, issuer)
		g.answers[id] = a
	}
	var revoked *revocation.RevokedError
	if errors.As(a.err, &revoked) && (a.data.OCSP != nil || a.data.CRL != nil) {
		return a.data, w.requireGoodWhenSigned(cert, revoked.Status)
	}
	return a.data, a.err
}

// requireGoodWhenSigned returns an error unless the certificate was good when the signature was made: it is still good,
// or it was revoked later. A time-stamp authority's certificate must also not be revoked for a reason that invalidates
// its earlier timestamps.
func (w *chainWalk) requireGoodWhenSigned(cert *x509.Certificate, s revocation.Status) error {
	if s.CertStatus != revocation.Revoked || !w.provenTime.IsZero() && !s.RevokedBy(w.latestTime) && !(w.isTSA && s.InvalidatesTimestamps()) {
		return nil
	}
	return &revocation.RevokedError{Serial: cert.SerialNumber, Status: s}
}

// findIssuer finds the certificate whose key signed cert.
func (w *chainWalk) findIssuer(cert *x509.Certificate) *x509.Certificate {
	id := sha256.Sum256(cert.Raw)
	if c, ok := w.collector.issuers[id]; ok {
		return c
	}
	named := w.collector.pool[string(cert.RawIssuer)]
	for _, c := range named[:min(len(named), maxIssuerCandidates)] {
		if w.isSignedBy(cert, c) {
			w.collector.issuers[id] = c
			return c
		}
	}
	c := w.fetchIssuer(cert)
	if c != nil || w.required {
		w.collector.issuers[id] = c // nil, too, so that the search is not repeated
	}
	return c
}

// fetchIssuer fetches an issuer that neither the file nor the caller supplied.
func (w *chainWalk) fetchIssuer(cert *x509.Certificate) *x509.Certificate {
	finder, ok := w.collector.o.Source.(revocation.IssuerSource)
	if !ok || len(cert.IssuingCertificateURL) == 0 || !w.required {
		return nil // a chain without this issuer leads to no trust anchor
	}
	c, err := finder.Issuer(w.collector.ctx, cert)
	if err != nil {
		return nil // the caller reports the missing issuer
	}
	w.collector.addCertificates(c)
	return c
}

// isSignedBy verifies a certificate's signature unless the key is too costly or the limit is used up.
func (w *chainWalk) isSignedBy(cert, issuer *x509.Certificate) bool {
	if cms.CheckKey(issuer.PublicKey) != nil || !w.spendCheck() {
		return false
	}
	if cert == issuer {
		return cert.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature) == nil
	}
	return cert.CheckSignatureFrom(issuer) == nil
}

// spendCheck counts one verification and reports whether it is within the limit.
func (w *chainWalk) spendCheck() bool {
	if w.required {
		return true
	}
	w.collector.checksLeft--
	return w.collector.checksLeft >= 0
}

// spendQuery reports whether the source may be queried for a certificate, and counts the query. If the signature is not
// required, the chain of the certificate must lead to a root.
func (w *chainWalk) spendQuery(cert *x509.Certificate) bool {
	if w.required {
		return true
	}
	if w.collector.queriesLeft <= 0 || !w.leadsToRoot(cert) {
		return false
	}
	w.collector.queriesLeft--
	return true
}

// leadsToRoot reports whether the chain of a certificate leads to a root.
func (w *chainWalk) leadsToRoot(cert *x509.Certificate) bool {
	for range maxChain {
		if w.collector.roots[sha256.Sum256(cert.Raw)] {
			return true
		}
		if cert = w.findIssuer(cert); cert == nil {
			return false
		}
	}
	return false
}

// maxConcurrentQueries limits the queries of one signature that run at a time.
const maxConcurrentQueries = 8

// fetchAhead queries the source concurrently for all certificates of a signature for which the file has no revocation
// data. findRevocationData then finds the answers.
func (w *chainWalk) fetchAhead(leaves []*x509.Certificate) {
	type query struct {
		id           [32]byte
		cert, issuer *x509.Certificate
		answer       revocationAnswer
	}
	g := w.collector
	var all []*query
	for _, cert := range leaves {
		for range maxChain {
			id := sha256.Sum256(cert.Raw)
			issuer := w.findIssuer(cert)
			if issuer == nil || issuer.Equal(cert) || len(all) == maxConcurrentQueries {
				break
			}
			_, known := g.answers[id]
			known = known || slices.ContainsFunc(all, func(q *query) bool { return q.id == id })
			if !known && !hasNoCheck(cert) && !w.hasArchivedData(cert, issuer) && w.spendQuery(cert) {
				all = append(all, &query{id: id, cert: cert, issuer: issuer})
			}
			cert = issuer
		}
	}
	if len(all) == 0 {
		return
	}
	var done sync.WaitGroup
	for _, q := range all {
		done.Go(func() { q.answer.data, q.answer.err = g.o.Source.Revocation(g.ctx, q.cert, q.issuer) })
	}
	done.Wait()
	for _, q := range all {
		g.answers[q.id] = q.answer
	}
}

// hasArchivedData reports whether the file has revocation data for a certificate.
func (w *chainWalk) hasArchivedData(cert, issuer *x509.Certificate) bool {
	if w.provenTime.IsZero() || !w.spendCheck() {
		return false
	}
	_, _, ok := w.collector.archive.Find(cert, issuer, w.provenTime)
	return ok
}

func isSelfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

var oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}

// hasNoCheck reports whether a responder's certificate has the extension id-pkix-ocsp-nocheck: its revocation is not
// checked (RFC 6960 §4.2.2.2.1).
func hasNoCheck(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNoCheck) {
			return true
		}
	}
	return false
}

// appendNew appends DER that the list does not have yet, and reports whether it did.
func appendNew(list *[][]byte, der []byte) bool {
	if slices.ContainsFunc(*list, func(b []byte) bool { return bytes.Equal(b, der) }) {
		return false
	}
	*list = append(*list, der)
	return true
}
