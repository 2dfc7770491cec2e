package pades

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/ocsp"

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
	leaves, err := g.leaves(s)
	if err != nil {
		if required {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
		return proof{}, nil
	}
	var p proof
	for _, leaf := range leaves {
		if err := g.prove(&p, leaf, required, maxChain); err != nil {
			return proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
	}
	return p, nil
}

// leaves returns the certificates that signed: the signer's and the time-stamp authority's.
func (g *gatherer) leaves(s *pdf.Signature) ([]*x509.Certificate, error) {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return nil, err
	}
	g.know(sd.Certificates...)
	if len(sd.Signers) != 1 {
		return nil, fmt.Errorf("%d signers", len(sd.Signers))
	}
	signer := sd.Certificate(sd.Signers[0])
	if signer == nil {
		return nil, errors.New("the signer's certificate is not included")
	}
	leaves := []*x509.Certificate{signer}
	der, ok, err := cms.Value(sd.Signers[0].Unsigned, cms.OIDSignatureTimestamp)
	if err != nil || !ok {
		return leaves, err
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, err
	}
	g.know(token.Chain...)
	return append(leaves, token.Authority), nil
}

// maxChain bounds a chain of issuers, and of responders that need responders.
const maxChain = 10

// prove adds a certificate, its issuers, and proof about all of them. Where an issuer or a proof is missing it is
// an error if the evidence is required, else the end of what can be said. A revoked certificate has proof too, but
// not one to be sealed in; it is treated as missing.
func (g *gatherer) prove(p *proof, cert *x509.Certificate, required bool, depth int) error {
	if !add(&p.certificates, cert.Raw) || selfSigned(cert) {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("chain of certificate %x is too long", cert.SerialNumber)
	}
	issuer := g.issuer(cert)
	if issuer == nil {
		return unless(required, fmt.Errorf("the issuer %q of certificate %x is not known", cert.Issuer.CommonName, cert.SerialNumber))
	}
	if !unchecked(cert) {
		m, err := g.ask(cert, issuer)
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			if err := unless(required, fmt.Errorf("certificate %x of %q: %w", cert.SerialNumber, cert.Subject.CommonName, err)); err != nil {
				return err
			}
		}
		if err := g.keep(p, m, cert, issuer, required, depth); err != nil {
			return err
		}
	}
	return g.prove(p, issuer, required, depth-1)
}

// unless passes on an error that matters.
func unless(required bool, err error) error {
	if required {
		return err
	}
	return nil
}

// keep adds proof, and proof about the responder that signed it.
func (g *gatherer) keep(p *proof, m revocation.Material, cert, issuer *x509.Certificate, required bool, depth int) error {
	if m.CRL != nil {
		add(&p.crls, m.CRL)
	}
	if m.OCSP == nil {
		return nil
	}
	add(&p.ocsps, m.OCSP)
	r, err := ocsp.ParseResponseForCert(m.OCSP, cert, issuer)
	if err != nil {
		return unless(required, fmt.Errorf("proof by %q: %w", issuer.Subject.CommonName, err))
	}
	if r.Certificate == nil || r.Certificate.Equal(issuer) {
		return nil
	}
	g.know(r.Certificate)
	return g.prove(p, r.Certificate, required, depth-1)
}

func (g *gatherer) ask(cert, issuer *x509.Certificate) (revocation.Material, error) {
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
