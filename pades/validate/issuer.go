package validate

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"
)

// Extensions that make a chain more than the sum of its links: what one certificate says in them binds others further
// down or up (RFC 5280 §4.2.1.10, §4.2.1.11, §4.2.1.14).
var (
	oidNameConstraints   = asn1.ObjectIdentifier{2, 5, 29, 30}
	oidPolicyConstraints = asn1.ObjectIdentifier{2, 5, 29, 36}
	oidInhibitAnyPolicy  = asn1.ObjectIdentifier{2, 5, 29, 54}
)

// maxSameSubject bounds the certificates of one name that are looked at by themselves: a file can bring hundreds, and
// crypto/x509 gives up the search through them after so many signatures.
const maxSameSubject = 4

// chainsThroughIssuers builds the chains of a signer's certificate out of those of its issuers, which are built once for a
// file. Fifty signers of one authority then cost fifty signatures of certificates, not fifty of every certificate
// above them. Ok is false where that would not be the same as to ask crypto/x509 about the whole: a root is among
// those concerned, or a chain has a condition that no link shows by itself.
func (v *validation) chainsThroughIssuers(c *x509.Certificate, purpose Purpose, at time.Time) (list []chain, ok bool) {
	if purpose != ForSigning || v.trustAnchors().hasRoot(c) || hasChainConstraints(c) {
		return nil, false // key usage of a time-stamp authority is a matter of the whole chain
	}
	candidates := v.certificates.findIssuers(c)
	if len(candidates) > maxSameSubject {
		return nil, false
	}
	issuers := x509.NewCertPool()
	above := map[*x509.Certificate][]chain{}
	for _, i := range candidates {
		chains, err := v.verifyWithX509(i, purpose, at)
		if err != nil {
			continue // nothing leads through it, whomever it certified
		}
		binds := func(up chain) bool { return !up.canExtend(c) }
		if v.trustAnchors().hasRoot(i) || !i.IsCA || !i.BasicConstraintsValid || slices.ContainsFunc(chains, binds) {
			return nil, false
		}
		issuers.AddCert(i)
		above[i] = chains
	}
	if len(above) == 0 || len(v.trustAnchors().findRoots(c.RawIssuer)) > 0 {
		return nil, false
	}
	v.chainChecks += len(above)
	found, err := c.Verify(x509.VerifyOptions{Roots: issuers, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return nil, false // crypto/x509 is to say what it has against the whole
	}
	for _, link := range found {
		for _, up := range above[link[1]] {
			list = append(list, append(chain{c}, up...))
		}
	}
	return list, true
}

// canExtend reports whether an issuer's chain with one more certificate below is as good as by itself.
func (up chain) canExtend(c *x509.Certificate) bool {
	for below, x := range up {
		tooLong := x.BasicConstraintsValid && x.MaxPathLen >= 0 && below > x.MaxPathLen
		if tooLong || hasChainConstraints(x) || bytes.Equal(x.RawSubject, c.RawSubject) {
			return false
		}
	}
	return true
}

// hasChainConstraints reports whether a certificate sets conditions for whole chains.
func hasChainConstraints(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNameConstraints) || e.Id.Equal(oidPolicyConstraints) || e.Id.Equal(oidInhibitAnyPolicy) {
			return true
		}
	}
	return false
}
