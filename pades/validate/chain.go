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
	maxPool   = 512
	maxChains = 8
	maxKey    = 8192   // bits of an RSA key in the pool; one of an issuer has 4096
	perChain  = 100    // signatures that crypto/x509 checks at most for one certificate
	maxChecks = 20_000 // of signatures, for one file
)

// errTooMuch is a chain that was not looked for, because others had cost enough.
var errTooMuch = errors.New("too many certificates")

// fingerprint is the SHA-256 of a certificate, in hexadecimal.
func fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// sum is the SHA-256 of a certificate. Certificates live as long as the file is judged, so their addresses are theirs.
func (v *validation) sum(c *x509.Certificate) [sha256.Size]byte {
	sum, known := v.sums[c]
	if !known {
		sum = sha256.Sum256(c.Raw)
		v.sums[c] = sum
	}
	return sum
}

// pool is the certificates that chains may pass through. None of them is trusted for being here.
type pool struct {
	all    []*x509.Certificate
	byName map[string][]*x509.Certificate // by subject
	seen   map[string]bool
	x509   *x509.CertPool
	full   bool // some were left out
}

func newPool() *pool {
	return &pool{byName: map[string][]*x509.Certificate{}, seen: map[string]bool{}, x509: x509.NewCertPool()}
}

// add takes certificates up. Those whose keys are too costly to verify with are left out: a file can bring any
// number of keys of any size.
func (p *pool) add(certs ...*x509.Certificate) {
	for _, c := range certs {
		if p.seen[string(c.Raw)] || costly(c) {
			continue
		}
		if len(p.all) == maxPool {
			p.full = true
			return
		}
		p.seen[string(c.Raw)] = true
		p.all = append(p.all, c)
		p.byName[string(c.RawSubject)] = append(p.byName[string(c.RawSubject)], c)
		p.x509.AddCert(c)
	}
}

// costly reports whether a key is more than any issuer has.
func costly(c *x509.Certificate) bool {
	kind, bits := cms.KeySize(c.PublicKey)
	return kind == "RSA" && bits > maxKey
}

// issuers returns the certificates that bear the name of a certificate's issuer.
func (p *pool) issuers(c *x509.Certificate) []*x509.Certificate { return p.named(string(c.RawIssuer)) }

func (p *pool) named(subject string) []*x509.Certificate { return p.byName[subject] }

// chain is a certificate with its issuers, the trusted root last.
type chain []*x509.Certificate

// root returns the last.
func (c chain) root() *x509.Certificate { return c[len(c)-1] }

// failure is why there is no chain.
type failure struct {
	sub    SubIndication
	reason Reason
}

// chains builds what leads from a certificate to a root at a moment, at which every certificate of it has to be
// valid. What crypto/x509 checks: signatures, validity, names, basic constraints and path length, name constraints,
// critical extensions it does not know, and for a time-stamp authority the extended key usage down the chain.
func (v *validation) chains(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, *failure) {
	if c.NotBefore.IsZero() { // cms.ParseCertificate could not read it
		return nil, &failure{ChainConstraintsFailure, reason("certificate.validity_unreadable", "subject", name(c))}
	}
	found, err := v.verify(c, purpose, at)
	if err == nil {
		return found, nil
	}
	if v.trust().Len() == 0 {
		return nil, &failure{NoCertificateChainFound, reason("trust.empty")}
	}
	if at.Before(c.NotBefore) {
		return nil, &failure{NotYetValid, reason("certificate.not_yet_valid", "subject", name(c), "from", stamp(c.NotBefore), "at", stamp(at))}
	}
	// Is it the time alone? A chain that held once is another thing than none.
	for _, then := range []time.Time{c.NotAfter, c.NotBefore.Add(time.Second)} {
		if then.After(at) {
			continue
		}
		if found, err := v.verify(c, purpose, then); err == nil {
			return nil, &failure{OutOfBoundsNoPOE, expired(found[0], at)}
		}
	}
	return nil, v.whyNot(c, purpose, err)
}

// expired tells which certificate of a chain has run out.
func expired(c chain, at time.Time) Reason {
	for _, cert := range c {
		if at.After(cert.NotAfter) {
			return reason("certificate.expired", "subject", name(cert), "until", stamp(cert.NotAfter), "at", stamp(at))
		}
	}
	return reason("certificate.outside_validity", "subject", name(c[0]), "at", stamp(at))
}

// verify returns the chains that crypto/x509 finds for a certificate, the shortest first.
func (v *validation) verify(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, error) {
	key := v.chainKey(c, purpose, at)
	if known, ok := v.built[key]; ok {
		return known.chains, known.err
	}
	list, ok := v.throughIssuers(c, purpose, at)
	if !ok {
		return v.whole(c, purpose, at)
	}
	return v.keep(key, list, nil)
}

// whole asks crypto/x509 about a certificate and all above it, and keeps the answer: the same certificate stands in
// many signatures of one file, and above many of them.
func (v *validation) whole(c *x509.Certificate, purpose Purpose, at time.Time) ([]chain, error) {
	key := v.chainKey(c, purpose, at)
	if known, ok := v.built[key]; ok {
		return known.chains, known.err
	}
	if v.checks >= maxChecks {
		v.pool.full = true
		return nil, errTooMuch
	}
	usage := x509.ExtKeyUsageAny
	if purpose == ForTime {
		usage = x509.ExtKeyUsageTimeStamping
	}
	all, err := c.Verify(x509.VerifyOptions{
		Roots: v.trust().pool(purpose), Intermediates: v.pool.x509, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage},
	})
	if err != nil { // every certificate of the pool may have been tried
		v.checks += min(perChain, len(v.pool.all)+1)
	}
	list := make([]chain, 0, len(all))
	for _, one := range all {
		v.checks += len(one) - 1
		list = append(list, one)
	}
	return v.keep(key, list, err)
}

// keep remembers an answer for as long as the file is judged.
func (v *validation) keep(key chainKey, list []chain, err error) ([]chain, error) {
	slices.SortStableFunc(list, func(a, b chain) int { return len(a) - len(b) })
	list = list[:min(len(list), maxChains)]
	v.built[key] = built{list, err}
	return list, err
}

// chainKey is what the answer of crypto/x509 depends on, as long as no certificate is added to the pool: the very
// bytes of the certificate, and which of those concerned are valid.
type chainKey struct {
	certificate [sha256.Size]byte
	purpose     Purpose
	own, above  span
}

func (v *validation) chainKey(c *x509.Certificate, purpose Purpose, at time.Time) chainKey {
	own, above := v.spanOf(c, at)
	return chainKey{v.sum(c), purpose, own, above}
}

type built struct {
	chains []chain
	err    error
}

// whyNot names what crypto/x509 has against a certificate.
func (v *validation) whyNot(c *x509.Certificate, purpose Purpose, err error) *failure {
	if errors.Is(err, errTooMuch) {
		return &failure{NoCertificateChainFound, reason("revocation.too_much")}
	}
	var critical x509.UnhandledCriticalExtension
	var invalid x509.CertificateInvalidError
	switch irregular := cms.CheckEncoding(c); {
	case errors.As(err, &critical) && irregular != nil:
		return &failure{ChainConstraintsFailure, reason("certificate.irregular", "subject", name(c), "what", encodingFault(irregular))}
	case errors.As(err, &critical):
		return &failure{ChainConstraintsFailure, reason("chain.critical_extension", "subject", name(c))}
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return &failure{ChainConstraintsFailure, reason("chain.usage", "subject", name(c))}
	case errors.As(err, &invalid) && invalid.Reason != x509.Expired:
		return &failure{ChainConstraintsFailure, reason("chain.constraint", "subject", name(invalid.Cert), "what", invalid.Error())}
	}
	if weak := v.weakIssuer(c); weak != nil {
		return &failure{CryptoConstraintsFailureNoPOE, reason("algorithm.certificate_refused", "subject", name(weak), "algorithm", weak.SignatureAlgorithm.String())}
	}
	if signed, key := v.unverifiable(c); signed != nil {
		return &failure{NoCertificateChainFound, reason("chain.issuer_key", "subject", name(signed), "algorithm", key)}
	}
	if bytes.Equal(c.RawSubject, c.RawIssuer) {
		return &failure{NoCertificateChainFound, reason("chain.self_signed", "subject", name(c))}
	}
	if purpose == ForTime {
		return &failure{NoCertificateChainFound, reason("chain.unknown_root_time", "issuer", c.Issuer.String())}
	}
	return &failure{NoCertificateChainFound, reason("chain.unknown_root", "issuer", c.Issuer.String())}
}

// unverifiable walks up by names and returns a certificate whose issuer's key crypto/x509 does not verify with, and the
// kind of that key.
func (v *validation) unverifiable(c *x509.Certificate) (signed *x509.Certificate, key string) {
	for range 16 {
		up := append(v.pool.issuers(c), v.trust().named(c.RawIssuer)...)
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

// weakIssuer walks up by names and returns a certificate that is signed by an algorithm which crypto/x509 refuses
// whatever the time.
func (v *validation) weakIssuer(c *x509.Certificate) *x509.Certificate {
	for range 16 {
		if bytes.Equal(c.RawSubject, c.RawIssuer) {
			return nil
		}
		switch c.SignatureAlgorithm {
		case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1:
			return c
		}
		up := v.pool.issuers(c)
		if len(up) == 0 {
			return nil
		}
		c = up[0]
	}
	return nil
}
