package pades

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/cms"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

// proof is the evidence about one signature, DER.
type proof struct{ certificates, ocsps, crls [][]byte }

// gatherer finds evidence. What was asked once is not asked again.
type gatherer struct {
	ctx   context.Context
	o     ValidationOptions
	store *store
	pool  []*x509.Certificate
	asked map[string]answer // by DER of the certificate
}

type answer struct {
	material revocation.Material
	err      error
}

// know adds certificates among which issuers are looked for.
func (g *gatherer) know(certs ...*x509.Certificate) {
	for _, c := range certs {
		if !slices.ContainsFunc(g.pool, c.Equal) {
			g.pool = append(g.pool, c)
		}
	}
}

// signature gathers what proves a signature or document timestamp.
func (g *gatherer) signature(s *pdf.Signature) (proof, error) {
	required := g.o.Required == nil || slices.Contains(g.o.Required, s.Field.Name)
	leaves, at, err := g.leaves(s)
	if err != nil {
		if required {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
		return proof{}, nil
	}
	w := walk{g: g, required: required, at: at}
	for _, leaf := range leaves {
		if err := w.prove(leaf, maxChain); err != nil {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
	}
	return w.proof, nil
}

// leaves returns the certificates that signed, the signer's and the time-stamp authority's, and the time that is
// proved, which is zero if none is.
func (g *gatherer) leaves(s *pdf.Signature) ([]*x509.Certificate, time.Time, error) {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return nil, time.Time{}, err
	}
	g.know(sd.Certificates...)
	if len(sd.Signers) != 1 {
		return nil, time.Time{}, fmt.Errorf("%d signers", len(sd.Signers))
	}
	signer := sd.Certificate(sd.Signers[0])
	if signer == nil {
		return nil, time.Time{}, errors.New("the signer's certificate is not included")
	}
	if sd.ContentType.Equal(cms.OIDTSTInfo) {
		token, err := tsp.Parse(s.Contents)
		if err != nil {
			return nil, time.Time{}, err
		}
		return []*x509.Certificate{signer}, token.Time, nil
	}
	token, err := signatureTimestamp(sd.Signers[0])
	if err != nil || token == nil {
		return []*x509.Certificate{signer}, time.Time{}, err
	}
	g.know(token.Chain...)
	return []*x509.Certificate{signer, token.Authority}, token.Time, nil
}

// maxChain bounds a chain of issuers, and of responders that need responders.
const maxChain = 10

// walk goes up the chains of one signature.
type walk struct {
	g        *gatherer
	proof    proof
	required bool
	at       time.Time
}

// prove adds a certificate, its issuers, and proof about all of them. Where an issuer or a proof is missing it is
// an error if the evidence is required, else the end of what can be said. That a certificate was revoked is no
// proof to be sealed in; it is treated as missing.
func (w *walk) prove(cert *x509.Certificate, depth int) error {
	if !add(&w.proof.certificates, cert.Raw) || selfSigned(cert) {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("chain of certificate %x is too long", cert.SerialNumber)
	}
	issuer := w.g.issuer(cert)
	if issuer == nil {
		return w.missing(fmt.Errorf("the issuer %q of certificate %x is not known", cert.Issuer.CommonName, cert.SerialNumber))
	}
	if !unchecked(cert) {
		m, err := w.g.ask(cert, issuer, w.at)
		if err := w.g.ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			err = w.missing(fmt.Errorf("certificate %x of %q: %w", cert.SerialNumber, cert.Subject.CommonName, err))
		}
		if err == nil {
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

// ask returns proof that a certificate was good at a time or later: what the file has, what was asked before, or
// what the source says now.
func (g *gatherer) ask(cert, issuer *x509.Certificate, at time.Time) (revocation.Material, error) {
	if m, ok := g.store.proof(cert, issuer, at); ok {
		return m, nil
	}
	if a, ok := g.asked[string(cert.Raw)]; ok {
		return a.material, a.err
	}
	m, err := g.o.Source.Revocation(g.ctx, cert, issuer)
	if g.asked == nil {
		g.asked = map[string]answer{}
	}
	g.asked[string(cert.Raw)] = answer{m, err}
	return m, err
}

// proof finds proof in the store that was made at a time or later. Nothing is proved about a time that is not
// proved itself.
func (s *store) proof(cert, issuer *x509.Certificate, at time.Time) (revocation.Material, bool) {
	if at.IsZero() {
		return revocation.Material{}, false
	}
	at = at.Truncate(time.Second) // proof states whole seconds
	for _, der := range s.lists["OCSPs"].der {
		r, err := revocation.ReadOCSP(der, cert, issuer)
		if err != nil || r.ThisUpdate.Before(at) {
			continue
		}
		if r.Check(cert, r.ThisUpdate) == nil {
			return revocation.Material{OCSP: der}, true
		}
	}
	for _, der := range s.lists["CRLs"].der {
		l, err := revocation.ReadCRL(der, cert, issuer)
		if err != nil || l.ThisUpdate.Before(at) {
			continue
		}
		if l.Check(cert, l.ThisUpdate) == nil {
			return revocation.Material{CRL: der}, true
		}
	}
	return revocation.Material{}, false
}

// issuer finds the certificate whose key signed cert.
func (g *gatherer) issuer(cert *x509.Certificate) *x509.Certificate {
	for _, c := range g.pool {
		if bytes.Equal(c.RawSubject, cert.RawIssuer) && cert.CheckSignatureFrom(c) == nil {
			return c
		}
	}
	return nil
}

func selfSigned(c *x509.Certificate) bool {
	return bytes.Equal(c.RawSubject, c.RawIssuer) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

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
