package validate

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"
)

// Extensions of one certificate that constrain others in the chain (RFC 5280 §4.2.1.10, §4.2.1.11, §4.2.1.14).
var (
	oidNameConstraints   = asn1.ObjectIdentifier{2, 5, 29, 30}
	oidPolicyConstraints = asn1.ObjectIdentifier{2, 5, 29, 36}
	oidInhibitAnyPolicy  = asn1.ObjectIdentifier{2, 5, 29, 54}
)

// maxSameSubject bounds the certificates of one subject that are examined one by one: a file can bring hundreds, and
// crypto/x509 stops searching after a number of signatures.
const maxSameSubject = 4

// chainsThroughIssuers builds the chains of a signer's certificate from those of its issuers, which are built once per
// file. Fifty signers of one authority then cost fifty certificate signatures, not fifty for every certificate above
// them. Ok is false if the result could differ from that of crypto/x509 for the whole chain: a trust anchor is among
// the certificates concerned, or a chain has constraints beyond single links.
func (v *validation) chainsThroughIssuers(c *x509.Certificate, purpose Purpose, at time.Time) (list []chain, ok bool) {
	if purpose != ForSigning || v.trustAnchors().hasRoot(c) || hasChainConstraints(c) {
		return nil, false // for a time-stamp authority the key usage of the whole chain counts
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
			continue // no chain leads through it
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
		return nil, false // crypto/x509 explains the failure for the whole chain
	}
	for _, link := range found {
		for _, up := range above[link[1]] {
			list = append(list, append(chain{c}, up...))
		}
	}
	return list, true
}

// canExtend reports whether an issuer's chain remains valid with one more certificate below.
func (up chain) canExtend(c *x509.Certificate) bool {
	for below, x := range up {
		tooLong := x.BasicConstraintsValid && x.MaxPathLen >= 0 && below > x.MaxPathLen
		if tooLong || hasChainConstraints(x) || bytes.Equal(x.RawSubject, c.RawSubject) {
			return false
		}
	}
	return true
}

// hasChainConstraints reports whether a certificate constrains whole chains.
func hasChainConstraints(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNameConstraints) || e.Id.Equal(oidPolicyConstraints) || e.Id.Equal(oidInhibitAnyPolicy) {
			return true
		}
	}
	return false
}
