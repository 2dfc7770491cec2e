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

// validationData is the evidence about one signature, DER.
type validationData struct{ certificates, ocsps, crls [][]byte }

// dataCollector finds evidence. What was asked once is not asked again. The file may be a stranger's: for what is not
// required it verifies and asks a bounded number of times.
type dataCollector struct {
	ctx         context.Context
	o           ValidationOptions
	archive     *revocation.Archive            // what the file has
	pool        map[string][]*x509.Certificate // by DER of the subject's name; those we were given first
	seen        map[[32]byte]bool              // by SHA-256: what is in the pool
	answers     map[[32]byte]revocationAnswer  // by SHA-256 of the certificate
	issuers     map[[32]byte]*x509.Certificate // by SHA-256 of the certificate
	checksLeft  int                            // signatures that may still be verified for what is not required
	queriesLeft int                            // questions that may still be asked for what is not required
	roots       map[[32]byte]bool              // by SHA-256: where chains of what is not required have to end
}

type revocationAnswer struct {
	data revocation.Data
	err  error
}

const (
	// maxChecks bounds the signatures verified for signatures that came with the file; one costs at most some
	// milliseconds, with the largest key that package cms lets pass.
	maxChecks = 2000
	// parsingChecks is what reading one such signature counts as.
	parsingChecks = 4
	// maxQueries bounds the certificates of such signatures about which others are asked, over the network perhaps.
	maxQueries = 40
	// maxIssuerCandidates bounds the certificates of one name that are tried as an issuer.
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

// addCertificates adds certificates among which issuers are looked for.
func (g *dataCollector) addCertificates(certs ...*x509.Certificate) {
	for _, c := range certs {
		if id := sha256.Sum256(c.Raw); !g.seen[id] {
			g.seen[id] = true
			g.pool[string(c.RawSubject)] = append(g.pool[string(c.RawSubject)], c)
		}
	}
}

// collectForSignature gathers what proves a signature or document timestamp.
func (g *dataCollector) collectForSignature(s *pdf.Signature, required bool) (validationData, error) {
	if !required {
		// Reading it verifies a timestamp, among other things.
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

// parseSigningCertificates returns the certificates that signed, the signer's and the time-stamp authority's, which is last, and the
// token that proves when; nil if none does.
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

// maxChain bounds a chain of issuers, and of responders that need responders.
const maxChain = 10

// chainWalk goes up the chains of one signature.
type chainWalk struct {
	collector  *dataCollector
	data       validationData
	required   bool
	provenTime time.Time // when the signature was timestamped; zero: nobody knows
	latestTime time.Time // the same, as late as the authority's accuracy allows
	isTSA      bool      // the chain is a time-stamp authority's
}

// collectForChain adds a certificate, its issuers, and proof about all of them. Where an issuer or a proof is missing it is
// an error if the evidence is required, else the end of what can be said.
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

// errorIfRequired passes on an error that matters.
func (w *chainWalk) errorIfRequired(err error) error {
	if w.required {
		return err
	}
	return nil
}

// addRevocationData adds proof, and proof about the responder that signed it.
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
		return w.errorIfRequired(fmt.Errorf("proof by %q: %w", issuer.Subject.CommonName, err))
	}
	if s.Responder.Equal(issuer) {
		return nil
	}
	w.collector.addCertificates(s.Responder)
	return w.collectForChain(s.Responder, depth-1)
}

// findRevocationData returns proof about a certificate of the signature's time or later: what the file has, what was asked before,
// or what the source says now. That it was revoked is proof as well if the signature stood before (docs/decisions),
// and an error otherwise.
func (w *chainWalk) findRevocationData(cert, issuer *x509.Certificate) (revocation.Data, error) {
	g := w.collector
	// Nothing that the file has proves anything about a time that is not proved itself.
	if !w.provenTime.IsZero() && w.spendCheck() {
		if m, s, ok := g.archive.Find(cert, issuer, w.provenTime); ok {
			return m, w.requireGoodWhenSigned(cert, s)
		}
	}
	id := sha256.Sum256(cert.Raw)
	a, ok := g.answers[id]
	if !ok {
		if !w.spendQuery(cert) {
			return revocation.Data{}, errors.New("issued by an issuer that is not trusted, or too many certificates to ask about")
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

// requireGoodWhenSigned is nil if the certificate was good when the signature stood: it still is, or it was revoked afterwards,
// for a reason that leaves earlier timestamps of its key alone where it is a time-stamp authority's.
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
		w.collector.issuers[id] = c // nil, too: it is not looked for again
	}
	return c
}

// fetchIssuer asks the source for an issuer that nobody brought along.
func (w *chainWalk) fetchIssuer(cert *x509.Certificate) *x509.Certificate {
	finder, ok := w.collector.o.Source.(revocation.IssuerSource)
	if !ok || len(cert.IssuingCertificateURL) == 0 || !w.required {
		return nil // a chain without this issuer ends in no root
	}
	c, err := finder.Issuer(w.collector.ctx, cert)
	if err != nil {
		return nil // who misses it says so
	}
	w.collector.addCertificates(c)
	return c
}

// isSignedBy verifies with a key that is not too costly, as long as we are willing to.
func (w *chainWalk) isSignedBy(cert, issuer *x509.Certificate) bool {
	if cms.CheckKey(issuer.PublicKey) != nil || !w.spendCheck() {
		return false
	}
	if cert == issuer {
		return cert.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature) == nil
	}
	return cert.CheckSignatureFrom(issuer) == nil
}

// spendCheck takes one verification off what may be spent on what is not required.
func (w *chainWalk) spendCheck() bool {
	if w.required {
		return true
	}
	w.collector.checksLeft--
	return w.collector.checksLeft >= 0
}

// spendQuery reports whether others may be asked about a certificate. If it is not required, its chain has to end in a root,
// and one question is taken off what may be asked.
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

// leadsToRoot reports whether the chain of a certificate ends in a root.
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

// maxConcurrentQueries bounds the questions of one signature that are under way at a time.
const maxConcurrentQueries = 8

// fetchAhead asks about all certificates of a signature at a time that nothing in the file proves, instead of one after the
// other. What it learns is found by ask.
func (w *chainWalk) fetchAhead(leaves []*x509.Certificate) {
	type question struct {
		id           [32]byte
		cert, issuer *x509.Certificate
		answer       revocationAnswer
	}
	g := w.collector
	var all []*question
	for _, cert := range leaves {
		for range maxChain {
			id := sha256.Sum256(cert.Raw)
			issuer := w.findIssuer(cert)
			if issuer == nil || issuer.Equal(cert) || len(all) == maxConcurrentQueries {
				break
			}
			_, asked := g.answers[id]
			asked = asked || slices.ContainsFunc(all, func(q *question) bool { return q.id == id })
			if !asked && !hasNoCheck(cert) && !w.hasArchivedData(cert, issuer) && w.spendQuery(cert) {
				all = append(all, &question{id: id, cert: cert, issuer: issuer})
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

// hasArchivedData reports whether the file proves something about a certificate.
func (w *chainWalk) hasArchivedData(cert, issuer *x509.Certificate) bool {
	if w.provenTime.IsZero() || !w.spendCheck() {
		return false
	}
	_, _, ok := w.collector.archive.Find(cert, issuer, w.provenTime)
	return ok
}

func isSelfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

var oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}

// hasNoCheck tells a responder whose issuer vouches for it as long as it lives (RFC 6960 §4.2.2.2.1).
func hasNoCheck(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNoCheck) {
			return true
		}
	}
	return false
}

// appendNew appends evidence that is new.
func appendNew(list *[][]byte, der []byte) bool {
	if slices.ContainsFunc(*list, func(b []byte) bool { return bytes.Equal(b, der) }) {
		return false
	}
	*list = append(*list, der)
	return true
}
