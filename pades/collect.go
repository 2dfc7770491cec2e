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

// proof is the evidence about one signature, DER.
type proof struct{ certificates, ocsps, crls [][]byte }

// gatherer finds evidence. What was asked once is not asked again. The file may be a stranger's: for what is not
// required it verifies and asks a bounded number of times.
type gatherer struct {
	ctx     context.Context
	o       ValidationOptions
	archive *revocation.Archive            // what the file has
	pool    map[string][]*x509.Certificate // by DER of the subject's name; those we were given first
	known   map[[32]byte]bool              // by SHA-256: what is in the pool
	asked   map[[32]byte]answer            // by SHA-256 of the certificate
	issuers map[[32]byte]*x509.Certificate // by SHA-256 of the certificate
	checks  int                            // signatures that may still be verified for what is not required
	asks    int                            // questions that may still be asked for what is not required
	roots   map[[32]byte]bool              // by SHA-256: where chains of what is not required have to end
}

type answer struct {
	material revocation.Material
	err      error
}

const (
	// maxChecks bounds the signatures verified for signatures that came with the file; one costs at most some
	// milliseconds, with the largest key that package cms lets pass.
	maxChecks = 2000
	// readingChecks is what reading one such signature counts as.
	readingChecks = 4
	// maxAsks bounds the certificates of such signatures about which others are asked, over the network perhaps.
	maxAsks = 40
	// maxNamesakes bounds the certificates of one name that are tried as an issuer.
	maxNamesakes = 16
)

func newGatherer(o ValidationOptions, s *store) *gatherer {
	g := &gatherer{
		o: o, archive: revocation.NewArchive(s.lists["OCSPs"].der, s.lists["CRLs"].der),
		pool: map[string][]*x509.Certificate{}, known: map[[32]byte]bool{}, asked: map[[32]byte]answer{}, issuers: map[[32]byte]*x509.Certificate{},
		checks: maxChecks, asks: maxAsks, roots: map[[32]byte]bool{},
	}
	g.know(o.Roots...)
	for _, c := range o.Roots {
		g.roots[sha256.Sum256(c.Raw)] = true
	}
	g.know(o.Certificates...)
	g.know(s.certificates()...)
	return g
}

// know adds certificates among which issuers are looked for.
func (g *gatherer) know(certs ...*x509.Certificate) {
	for _, c := range certs {
		if id := sha256.Sum256(c.Raw); !g.known[id] {
			g.known[id] = true
			g.pool[string(c.RawSubject)] = append(g.pool[string(c.RawSubject)], c)
		}
	}
}

// signature gathers what proves a signature or document timestamp.
func (g *gatherer) signature(s *pdf.Signature, required bool) (proof, error) {
	if !required {
		// Reading it verifies a timestamp, among other things.
		if g.checks -= readingChecks; g.checks < 0 {
			return proof{}, nil
		}
	}
	leaves, token, err := g.leaves(s)
	if err != nil {
		if required {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
		return proof{}, nil
	}
	w := walk{g: g, required: required}
	if token != nil {
		w.at, w.latest = token.Time, token.Time.Add(token.Accuracy)
	}
	w.askAhead(leaves)
	for i, leaf := range leaves {
		w.time = token != nil && i == len(leaves)-1
		if err := w.prove(leaf, maxChain); err != nil {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
	}
	return w.proof, nil
}

// leaves returns the certificates that signed, the signer's and the time-stamp authority's, which is last, and the
// token that proves when; nil if none does.
func (g *gatherer) leaves(s *pdf.Signature) ([]*x509.Certificate, *tsp.Token, error) {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return nil, nil, err
	}
	g.know(sd.Certificates...)
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
	token, err := signatureTimestamp(sd.Signers[0])
	if err != nil || token == nil {
		return []*x509.Certificate{signer}, nil, err
	}
	g.know(token.Chain...)
	return []*x509.Certificate{signer, token.Authority}, token, nil
}

// maxChain bounds a chain of issuers, and of responders that need responders.
const maxChain = 10

// walk goes up the chains of one signature.
type walk struct {
	g        *gatherer
	proof    proof
	required bool
	at       time.Time // when the signature was timestamped; zero: nobody knows
	latest   time.Time // the same, as late as the authority's accuracy allows
	time     bool      // the chain is a time-stamp authority's
}

// prove adds a certificate, its issuers, and proof about all of them. Where an issuer or a proof is missing it is
// an error if the evidence is required, else the end of what can be said.
func (w *walk) prove(cert *x509.Certificate, depth int) error {
	if !add(&w.proof.certificates, cert.Raw) || selfIssued(cert) && w.signedBy(cert, cert) {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("chain of certificate %x is too long", cert.SerialNumber)
	}
	issuer := w.issuer(cert)
	if issuer == nil {
		return w.missing(fmt.Errorf("the issuer %q of certificate %x is not known", cert.Issuer.CommonName, cert.SerialNumber))
	}
	if !unchecked(cert) {
		m, err := w.ask(cert, issuer)
		if err != nil {
			err = w.missing(fmt.Errorf("certificate %x of %q: %w", cert.SerialNumber, cert.Subject.CommonName, err))
		} else {
			err = w.keep(m, cert, issuer, depth)
		}
		if err != nil {
			return err
		}
	}
	return w.prove(issuer, depth-1)
}

// missing passes on an error that matters.
func (w *walk) missing(err error) error {
	if w.required {
		return err
	}
	return nil
}

// keep adds proof, and proof about the responder that signed it.
func (w *walk) keep(m revocation.Material, cert, issuer *x509.Certificate, depth int) error {
	if m.CRL != nil {
		add(&w.proof.crls, m.CRL)
	}
	if m.OCSP == nil {
		return nil
	}
	add(&w.proof.ocsps, m.OCSP)
	s, err := revocation.ReadOCSP(m.OCSP, cert, issuer)
	if err != nil {
		return w.missing(fmt.Errorf("proof by %q: %w", issuer.Subject.CommonName, err))
	}
	if s.Responder.Equal(issuer) {
		return nil
	}
	w.g.know(s.Responder)
	return w.prove(s.Responder, depth-1)
}

// ask returns proof about a certificate of the signature's time or later: what the file has, what was asked before,
// or what the source says now. That it was revoked is proof as well if the signature stood before (docs/decisions),
// and an error otherwise.
func (w *walk) ask(cert, issuer *x509.Certificate) (revocation.Material, error) {
	g := w.g
	// Nothing that the file has proves anything about a time that is not proved itself.
	if !w.at.IsZero() && w.spend() {
		if m, s, ok := g.archive.Find(cert, issuer, w.at); ok {
			return m, w.standing(cert, s)
		}
	}
	id := sha256.Sum256(cert.Raw)
	a, ok := g.asked[id]
	if !ok {
		if !w.mayAsk(cert) {
			return revocation.Material{}, errors.New("issued by an issuer that is not trusted, or too many certificates to ask about")
		}
		a.material, a.err = g.o.Source.Revocation(g.ctx, cert, issuer)
		g.asked[id] = a
	}
	var revoked *revocation.RevokedError
	if errors.As(a.err, &revoked) && (a.material.OCSP != nil || a.material.CRL != nil) {
		return a.material, w.standing(cert, revoked.Status)
	}
	return a.material, a.err
}

// standing is nil if the certificate was good when the signature stood: it still is, or it was revoked afterwards,
// for a reason that leaves earlier timestamps of its key alone where it is a time-stamp authority's.
func (w *walk) standing(cert *x509.Certificate, s revocation.Status) error {
	if s.Standing != revocation.Revoked || !w.at.IsZero() && !s.RevokedBy(w.latest) && !(w.time && s.Taints()) {
		return nil
	}
	return &revocation.RevokedError{Serial: cert.SerialNumber, Status: s}
}

// issuer finds the certificate whose key signed cert.
func (w *walk) issuer(cert *x509.Certificate) *x509.Certificate {
	id := sha256.Sum256(cert.Raw)
	if c, ok := w.g.issuers[id]; ok {
		return c
	}
	named := w.g.pool[string(cert.RawIssuer)]
	for _, c := range named[:min(len(named), maxNamesakes)] {
		if w.signedBy(cert, c) {
			w.g.issuers[id] = c
			return c
		}
	}
	c := w.fetched(cert)
	if c != nil || w.required {
		w.g.issuers[id] = c // nil, too: it is not looked for again
	}
	return c
}

// fetched asks the source for an issuer that nobody brought along.
func (w *walk) fetched(cert *x509.Certificate) *x509.Certificate {
	finder, ok := w.g.o.Source.(revocation.IssuerSource)
	if !ok || len(cert.IssuingCertificateURL) == 0 || !w.required {
		return nil // a chain without this issuer ends in no root
	}
	c, err := finder.Issuer(w.g.ctx, cert)
	if err != nil {
		return nil // who misses it says so
	}
	w.g.know(c)
	return c
}

// signedBy verifies with a key that is not too costly, as long as we are willing to.
func (w *walk) signedBy(cert, issuer *x509.Certificate) bool {
	if cms.CheckKey(issuer.PublicKey) != nil || !w.spend() {
		return false
	}
	if cert == issuer {
		return cert.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature) == nil
	}
	return cert.CheckSignatureFrom(issuer) == nil
}

// spend takes one verification off what may be spent on what is not required.
func (w *walk) spend() bool {
	if w.required {
		return true
	}
	w.g.checks--
	return w.g.checks >= 0
}

// mayAsk reports whether others may be asked about a certificate. If it is not required, its chain has to end in a root,
// and one question is taken off what may be asked.
func (w *walk) mayAsk(cert *x509.Certificate) bool {
	if w.required {
		return true
	}
	if w.g.asks <= 0 || !w.trusted(cert) {
		return false
	}
	w.g.asks--
	return true
}

// trusted reports whether the chain of a certificate ends in a root.
func (w *walk) trusted(cert *x509.Certificate) bool {
	for range maxChain {
		if w.g.roots[sha256.Sum256(cert.Raw)] {
			return true
		}
		if cert = w.issuer(cert); cert == nil {
			return false
		}
	}
	return false
}

// maxAsked bounds the questions of one signature that are under way at a time.
const maxAsked = 8

// askAhead asks about all certificates of a signature at a time that nothing in the file proves, instead of one after the
// other. What it learns is found by ask.
func (w *walk) askAhead(leaves []*x509.Certificate) {
	type question struct {
		id           [32]byte
		cert, issuer *x509.Certificate
		answer       answer
	}
	g := w.g
	var all []*question
	for _, cert := range leaves {
		for range maxChain {
			id := sha256.Sum256(cert.Raw)
			issuer := w.issuer(cert)
			if issuer == nil || issuer.Equal(cert) || len(all) == maxAsked {
				break
			}
			_, asked := g.asked[id]
			asked = asked || slices.ContainsFunc(all, func(q *question) bool { return q.id == id })
			if !asked && !unchecked(cert) && !w.archived(cert, issuer) && w.mayAsk(cert) {
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
		done.Go(func() { q.answer.material, q.answer.err = g.o.Source.Revocation(g.ctx, q.cert, q.issuer) })
	}
	done.Wait()
	for _, q := range all {
		g.asked[q.id] = q.answer
	}
}

// archived reports whether the file proves something about a certificate.
func (w *walk) archived(cert, issuer *x509.Certificate) bool {
	if w.at.IsZero() || !w.spend() {
		return false
	}
	_, _, ok := w.g.archive.Find(cert, issuer, w.at)
	return ok
}

func selfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

var oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}

// unchecked tells a responder whose issuer vouches for it as long as it lives (RFC 6960 §4.2.2.2.1).
func unchecked(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNoCheck) {
			return true
		}
	}
	return false
}

// add appends evidence that is new.
func add(list *[][]byte, der []byte) bool {
	if slices.ContainsFunc(*list, func(b []byte) bool { return bytes.Equal(b, der) }) {
		return false
	}
	*list = append(*list, der)
	return true
}
