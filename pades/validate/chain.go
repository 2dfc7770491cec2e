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

// maxPool bounds the certificates that a file can bring along, and maxChains the chains that are looked at for one
// certificate. crypto/x509 bounds the signatures it checks for one certificate by itself.
const (
	maxPoolSize       = 512
	maxChains         = 8
	maxRSABits        = 8192   // bits of an RSA key in the pool; one of an issuer has 4096
	maxChecksPerChain = 100    // signatures that crypto/x509 checks at most for one certificate
	maxChecks         = 20_000 // of signatures, for one file
)

// errTooManyCertificates is a chain that was not looked for, because others had cost enough.
var errTooManyCertificates = errors.New("too many certificates")

// certificateFingerprint is the SHA-256 of a certificate, in hexadecimal.
func certificateFingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// certificateHash is the SHA-256 of a certificate. Certificates live as long as the file is judged, so their addresses are theirs.
func (v *validation) certificateHash(c *x509.Certificate) [sha256.Size]byte {
	sum, known := v.fingerprints[c]
	if !known {
		sum = sha256.Sum256(c.Raw)
		v.fingerprints[c] = sum
	}
	return sum
}

// certificatePool is the certificates that chains may pass through. None of them is trusted for being here.
type certificatePool struct {
	all       []*x509.Certificate
	bySubject map[string][]*x509.Certificate // by subject
	seen      map[string]bool
	x509      *x509.CertPool
	truncated bool // some were left out
}

func newCertificatePool() *certificatePool {
	return &certificatePool{bySubject: map[string][]*x509.Certificate{}, seen: map[string]bool{}, x509: x509.NewCertPool()}
}

// addCertificates takes certificates up. Those whose keys are too costly to verify with are left out: a file can bring any
// number of keys of any size.
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

// hasOversizedKey reports whether a key is more than any issuer has.
func hasOversizedKey(c *x509.Certificate) bool {
	kind, bits := cms.KeySize(c.PublicKey)
	return kind == "RSA" && bits > maxRSABits
}

// findIssuers returns the certificates that bear the name of a certificate's issuer.
func (p *certificatePool) findIssuers(c *x509.Certificate) []*x509.Certificate {
	return p.findBySubject(string(c.RawIssuer))
}

func (p *certificatePool) findBySubject(subject string) []*x509.Certificate {
	return p.bySubject[subject]
}

// chain is a certificate with its issuers, the trusted root last.
type chain []*x509.Certificate

// trustAnchor returns the last.
func (c chain) trustAnchor() *x509.Certificate { return c[len(c)-1] }

// failure is why there is no chain.
type failure struct {
	sub    SubIndication
	reason Reason
}

// buildChains builds what leads from a certificate to a root at a moment, at which every certificate of it has to be
// valid. What crypto/x509 checks: signatures, validity, names, basic constraints and path length, name constraints,
// critical extensions it does not know, and for a time-stamp authority the extended key usage down the chain.
func (v *validation) buildChains(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, *failure) {
	if c.NotBefore.IsZero() { // cms.ParseCertificate could not read it
		return nil, &failure{ChainConstraintsFailure, newReason("certificate.validity_unreadable", "subject", holderName(c))}
	}
	found, err := v.findChains(c, purpose, at)
	if err == nil {
		return found, nil
	}
	if v.trustAnchors().Len() == 0 {
		return nil, &failure{NoCertificateChainFound, newReason("trust.empty")}
	}
	if at.Before(c.NotBefore) {
		return nil, &failure{NotYetValid, newReason("certificate.not_yet_valid", "subject", holderName(c), "from", formatTime(c.NotBefore), "at", formatTime(at))}
	}
	// Is it the time alone? A chain that held once is another thing than none.
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

// expiredReason tells which certificate of a chain has run out.
func expiredReason(c chain, at time.Time) Reason {
	for _, cert := range c {
		if at.After(cert.NotAfter) {
			return newReason("certificate.expired", "subject", holderName(cert), "until", formatTime(cert.NotAfter), "at", formatTime(at))
		}
	}
	return newReason("certificate.outside_validity", "subject", holderName(c[0]), "at", formatTime(at))
}

// findChains returns the chains that crypto/x509 finds for a certificate, the shortest first.
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

// verifyWithX509 asks crypto/x509 about a certificate and all above it, and keeps the answer: the same certificate stands in
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

// cacheChains remembers an answer for as long as the file is judged.
func (v *validation) cacheChains(key chainKey, list []chain, err error) ([]chain, error) {
	slices.SortStableFunc(list, func(a, b chain) int { return len(a) - len(b) })
	list = list[:min(len(list), maxChains)]
	v.chainCache[key] = chainResult{list, err}
	return list, err
}

// chainKey is what the answer of crypto/x509 depends on, as long as no certificate is added to the pool: the very
// bytes of the certificate, and which of those concerned are valid.
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

// explainMissingChain names what crypto/x509 has against a certificate.
func (v *validation) explainMissingChain(c *x509.Certificate, purpose Purpose, err error) *failure {
	if errors.Is(err, errTooManyCertificates) {
		return &failure{NoCertificateChainFound, newReason("revocation.too_much")}
	}
	var critical x509.UnhandledCriticalExtension
	var invalid x509.CertificateInvalidError
	switch irregular := cms.CheckEncoding(c); {
	case errors.As(err, &critical) && irregular != nil:
		return &failure{ChainConstraintsFailure, newReason("certificate.irregular", "subject", holderName(c), "what", encodingFault(irregular))}
	case errors.As(err, &critical):
		return &failure{ChainConstraintsFailure, newReason("chain.critical_extension", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return &failure{ChainConstraintsFailure, newReason("chain.usage", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason != x509.Expired:
		return &failure{ChainConstraintsFailure, newReason("chain.constraint", "subject", holderName(invalid.Cert), "what", invalid.Error())}
	}
	if weak := v.findWeakIssuer(c); weak != nil {
		return &failure{CryptoConstraintsFailureNoPOE, newReason("algorithm.certificate_refused", "subject", holderName(weak), "algorithm", weak.SignatureAlgorithm.String())}
	}
	if signed, key := v.findUnsupportedKey(c); signed != nil {
		return &failure{NoCertificateChainFound, newReason("chain.issuer_key", "subject", holderName(signed), "algorithm", key)}
	}
	if bytes.Equal(c.RawSubject, c.RawIssuer) {
		return &failure{NoCertificateChainFound, newReason("chain.self_signed", "subject", holderName(c))}
	}
	if purpose == ForTime {
		return &failure{NoCertificateChainFound, newReason("chain.unknown_root_time", "issuer", c.Issuer.String())}
	}
	return &failure{NoCertificateChainFound, newReason("chain.unknown_root", "issuer", c.Issuer.String())}
}

// findUnsupportedKey walks up by names and returns a certificate whose issuer's key crypto/x509 does not verify with, and the
// kind of that key.
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

// findWeakIssuer walks up by names and returns a certificate that is signed by an algorithm which crypto/x509 refuses
// whatever the time.
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
