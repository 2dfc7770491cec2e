package validate

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/certpath"
	"segel/cms"
)

// maxCandidates bounds the certificates that a file can bring for certificate paths.
const (
	maxCandidates = 512
	maxRSABits    = 8192   // of their keys; issuers have up to 4096
	maxChecks     = 20_000 // of certificate signatures, for one file
	maxFetches    = 16     // of issuers
)

// certificateFingerprint is the SHA-256 of a certificate in hexadecimal.
func certificateFingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// failure is a sub-indication with its reason.
type failure struct {
	sub    SubIndication
	reason Reason
}

// findPaths returns the paths from a certificate to trust anchors for a time, or why there is none.
func (v *validation) findPaths(c *x509.Certificate, purpose Purpose, at time.Time) ([]certpath.Path, *failure) {
	if c.NotBefore.IsZero() { // cms.ParseCertificate could not read it
		return nil, &failure{ChainConstraintsFailure, NewReason("certificate.validity_unreadable", "subject", holderName(c))}
	}
	found, err := v.paths.FindPaths(c, purpose.keyUsage(), at)
	if err == nil {
		return found, nil
	}
	if v.o.Trust.Len() == 0 {
		return nil, &failure{NoCertificateChainFound, NewReason("trust.empty")}
	}
	if at.Before(c.NotBefore) {
		return nil, &failure{NotYetValid, NewReason("certificate.not_yet_valid", "subject", holderName(c), "from", formatTime(c.NotBefore), "at", formatTime(at))}
	}
	// Only the time may be the problem: a chain that was valid once is better than none.
	for _, then := range []time.Time{c.NotAfter, c.NotBefore.Add(time.Second)} {
		if then.After(at) {
			continue
		}
		if found, err := v.paths.FindPaths(c, purpose.keyUsage(), then); err == nil {
			return nil, &failure{OutOfBoundsNoPOE, expiredReason(found[0], at)}
		}
	}
	return nil, v.explainMissingPath(c, purpose, err)
}

// expiredReason names the certificate of a path that has expired.
func expiredReason(c certpath.Path, at time.Time) Reason {
	for _, cert := range c {
		if at.After(cert.NotAfter) {
			return NewReason("certificate.expired", "subject", holderName(cert), "until", formatTime(cert.NotAfter), "at", formatTime(at))
		}
	}
	return NewReason("certificate.outside_validity", "subject", holderName(c[0]), "at", formatTime(at))
}

// explainMissingPath returns why crypto/x509 rejects a certificate.
func (v *validation) explainMissingPath(c *x509.Certificate, purpose Purpose, err error) *failure {
	if errors.Is(err, certpath.ErrTooMuch) {
		return &failure{NoCertificateChainFound, NewReason("revocation.too_much")}
	}
	var critical x509.UnhandledCriticalExtension
	var invalid x509.CertificateInvalidError
	switch irregular := cms.CheckEncoding(c); {
	case errors.As(err, &critical) && irregular != nil:
		return &failure{ChainConstraintsFailure, NewReason("certificate.irregular", "subject", holderName(c), "what", encodingFault(irregular))}
	case errors.As(err, &critical):
		return &failure{ChainConstraintsFailure, NewReason("chain.critical_extension", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return &failure{ChainConstraintsFailure, NewReason("chain.usage", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason != x509.Expired:
		return &failure{ChainConstraintsFailure, NewReason("chain.constraint", "subject", holderName(invalid.Cert), "what", invalid.Error())}
	}
	if weak := v.findWeakIssuer(c); weak != nil {
		return &failure{CryptoConstraintsFailureNoPOE, NewReason("algorithm.certificate_refused", "subject", holderName(weak), "algorithm", weak.SignatureAlgorithm.String())}
	}
	if signed, key := v.findUnsupportedKey(c); signed != nil {
		return &failure{NoCertificateChainFound, NewReason("chain.issuer_key", "subject", holderName(signed), "algorithm", key)}
	}
	if certpath.IsSelfIssued(c) {
		return &failure{NoCertificateChainFound, NewReason("chain.self_signed", "subject", holderName(c))}
	}
	if purpose == ForTime {
		return &failure{NoCertificateChainFound, NewReason("chain.unknown_root_time", "issuer", c.Issuer.String())}
	}
	return &failure{NoCertificateChainFound, NewReason("chain.unknown_root", "issuer", c.Issuer.String())}
}

// findUnsupportedKey walks up by names and returns a certificate whose issuer has a key that crypto/x509 does not
// support, and the type of that key.
func (v *validation) findUnsupportedKey(c *x509.Certificate) (signed *x509.Certificate, key string) {
	for range 16 {
		up := slices.Concat(v.paths.Candidates(c), v.o.Trust.anchors.FindBySubject(c.RawIssuer))
		if len(up) == 0 {
			return nil, ""
		}
		switch k := up[0].PublicKey.(type) {
		case *cms.ECKey, *cms.LargeRSAKey, *cms.UnsupportedKey:
			kind, bits := cms.KeySize(k)
			return c, fmt.Sprintf("%s-%d", kind, bits)
		}
		if certpath.IsSelfIssued(c) {
			return nil, ""
		}
		c = up[0]
	}
	return nil, ""
}

// findWeakIssuer walks up by names and returns a certificate with a signature algorithm that crypto/x509 never accepts.
func (v *validation) findWeakIssuer(c *x509.Certificate) *x509.Certificate {
	for range 16 {
		if certpath.IsSelfIssued(c) {
			return nil
		}
		switch c.SignatureAlgorithm {
		case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1:
			return c
		}
		up := v.paths.Candidates(c)
		if len(up) == 0 {
			return nil
		}
		c = up[0]
	}
	return nil
}
