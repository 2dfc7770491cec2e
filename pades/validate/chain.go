package validate

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/cms"
)

// maxPoolSize bounds the certificates that a file can bring, and maxChains the chains examined for one certificate.
// crypto/x509 itself bounds the signatures it checks for one certificate.
const (
	maxPoolSize       = 512
	maxChains         = 8
	maxRSABits        = 8192   // of a key in the pool; issuers have up to 4096
	maxChecksPerChain = 100    // signatures that crypto/x509 checks for one certificate
	maxChecks         = 20_000 // of certificate signatures, for one file
)

// errTooManyCertificates is a chain that was not built because others had cost too much.
var errTooManyCertificates = errors.New("too many certificates")

// certificateFingerprint is the SHA-256 of a certificate in hexadecimal.
func certificateFingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// certificateHash is the SHA-256 of a certificate. Certificates live as long as the validation, so their addresses
// identify them.
func (v *validation) certificateHash(c *x509.Certificate) [sha256.Size]byte {
	sum, known := v.fingerprints[c]
	if !known {
		sum = sha256.Sum256(c.Raw)
		v.fingerprints[c] = sum
	}
	return sum
}

// certificatePool holds the certificates that chains may use. They are not trusted for being in it.
type certificatePool struct {
	all       []*x509.Certificate
	bySubject map[string][]*x509.Certificate
	seen      map[string]bool
	x509      *x509.CertPool
	truncated bool // some were left out
}

func newCertificatePool() *certificatePool {
	return &certificatePool{bySubject: map[string][]*x509.Certificate{}, seen: map[string]bool{}, x509: x509.NewCertPool()}
}

// addCertificates adds certificates, except those with keys too expensive to verify with: a file can bring any number
// of keys of any size.
func (p *certificatePool) addCertificates(certs ...*x509.Certificate) {
	for _, c := range certs {
		if p.seen[string(c.Raw)] || hasOversizedKey(c) {
			continue
		}
		if len(p.all) == maxPoolSize {
			p.truncated = true
			return
		}
		p.seen[string(c.Raw)] = true
		p.all = append(p.all, c)
		p.bySubject[string(c.RawSubject)] = append(p.bySubject[string(c.RawSubject)], c)
		p.x509.AddCert(c)
	}
}

// hasOversizedKey reports whether a key is larger than those of real issuers.
func hasOversizedKey(c *x509.Certificate) bool {
	kind, bits := cms.KeySize(c.PublicKey)
	return kind == "RSA" && bits > maxRSABits
}

// findIssuers returns the certificates whose subject is the issuer of c.
func (p *certificatePool) findIssuers(c *x509.Certificate) []*x509.Certificate {
	return p.findBySubject(string(c.RawIssuer))
}

func (p *certificatePool) findBySubject(subject string) []*x509.Certificate {
	return p.bySubject[subject]
}

// chain is a certificate with its issuers, the trust anchor last.
type chain []*x509.Certificate

// failure is a sub-indication with its reason.
type failure struct {
	sub    SubIndication
	reason Reason
}

// buildChains builds the chains from a certificate to trust anchors for a time at which all their certificates are
// valid. crypto/x509 checks signatures, validity, names, basic constraints and path length, name constraints, unknown
// critical extensions, and for a time-stamp authority the extended key usage along the chain.
func (v *validation) buildChains(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, *failure) {
	if c.NotBefore.IsZero() { // cms.ParseCertificate could not read it
		return nil, &failure{ChainConstraintsFailure, NewReason("certificate.validity_unreadable", "subject", holderName(c))}
	}
	found, err := v.findChains(c, purpose, at)
	if err == nil {
		return found, nil
	}
	if v.trustAnchors().Len() == 0 {
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
		if found, err := v.findChains(c, purpose, then); err == nil {
			return nil, &failure{OutOfBoundsNoPOE, expiredReason(found[0], at)}
		}
	}
	return nil, v.explainMissingChain(c, purpose, err)
}

// expiredReason names the certificate of a chain that has expired.
func expiredReason(c chain, at time.Time) Reason {
	for _, cert := range c {
		if at.After(cert.NotAfter) {
			return NewReason("certificate.expired", "subject", holderName(cert), "until", formatTime(cert.NotAfter), "at", formatTime(at))
		}
	}
	return NewReason("certificate.outside_validity", "subject", holderName(c[0]), "at", formatTime(at))
}

// findChains returns the chains to a certificate, the shortest first.
func (v *validation) findChains(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, error) {
	key := v.chainKey(c, purpose, at)
	if known, ok := v.chainCache[key]; ok {
		return known.chains, known.err
	}
	list, ok := v.chainsThroughIssuers(c, purpose, at)
	if !ok {
		return v.verifyWithX509(c, purpose, at)
	}
	return v.cacheChains(key, list, nil)
}

// verifyWithX509 builds the chains of a certificate with crypto/x509 and caches them: the same certificate occurs in
// many signatures of one file, and above many of them.
func (v *validation) verifyWithX509(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, error) {
	key := v.chainKey(c, purpose, at)
	if known, ok := v.chainCache[key]; ok {
		return known.chains, known.err
	}
	if v.chainChecks >= maxChecks {
		v.certificates.truncated = true
		return nil, errTooManyCertificates
	}
	usage := x509.ExtKeyUsageAny
	if purpose == ForTime {
		usage = x509.ExtKeyUsageTimeStamping
	}
	all, err := c.Verify(x509.VerifyOptions{
		Roots: v.trustAnchors().rootPool(purpose), Intermediates: v.certificates.x509, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage},
	})
	if err != nil { // every certificate of the pool may have been tried
		v.chainChecks += min(maxChecksPerChain, len(v.certificates.all)+1)
	}
	list := make([]chain, 0, len(all))
	for _, one := range all {
		v.chainChecks += len(one) - 1
		list = append(list, one)
	}
	return v.cacheChains(key, list, err)
}

// cacheChains caches a result during the validation.
func (v *validation) cacheChains(key chainKey, list []chain, err error) ([]chain, error) {
	slices.SortStableFunc(list, func(a, b chain) int { return len(a) - len(b) })
	list = list[:min(len(list), maxChains)]
	v.chainCache[key] = chainResult{list, err}
	return list, err
}

// chainKey is what the result of crypto/x509 depends on, as long as the pool does not change: the bytes of the
// certificate, and which of the certificates concerned are valid.
type chainKey struct {
	certificate [sha256.Size]byte
	purpose     Purpose
	own, above  validityInterval
}

func (v *validation) chainKey(c *x509.Certificate, purpose Purpose, at time.Time) chainKey {
	own, above := v.intervalsAt(c, at)
	return chainKey{v.certificateHash(c), purpose, own, above}
}

type chainResult struct {
	chains []chain
	err    error
}

// explainMissingChain returns why crypto/x509 rejects a certificate.
func (v *validation) explainMissingChain(c *x509.Certificate, purpose Purpose, err error) *failure {
	if errors.Is(err, errTooManyCertificates) {
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
	if bytes.Equal(c.RawSubject, c.RawIssuer) {
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
		up := append(v.certificates.findIssuers(c), v.trustAnchors().findRoots(c.RawIssuer)...)
		if len(up) == 0 {
			return nil, ""
		}
		switch k := up[0].PublicKey.(type) {
		case *cms.ECKey, *cms.LargeRSAKey, *cms.UnsupportedKey:
			kind, bits := cms.KeySize(k)
			return c, fmt.Sprintf("%s-%d", kind, bits)
		}
		if bytes.Equal(c.RawSubject, c.RawIssuer) {
			return nil, ""
		}
		c = up[0]
	}
	return nil, ""
}

// findWeakIssuer walks up by names and returns a certificate with a signature algorithm that crypto/x509 never accepts.
func (v *validation) findWeakIssuer(c *x509.Certificate) *x509.Certificate {
	for range 16 {
		if bytes.Equal(c.RawSubject, c.RawIssuer) {
			return nil
		}
		switch c.SignatureAlgorithm {
		case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1:
			return c
		}
		up := v.certificates.findIssuers(c)
		if len(up) == 0 {
			return nil
		}
		c = up[0]
	}
	return nil
}
