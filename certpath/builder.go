// Package certpath builds certificate paths (RFC 5280 §6.1) for signing and for validation.
//
// A [Builder] belongs to one operation on one file. It holds the candidates: certificates of the file, of the caller
// and from the network, none of which is trusted for being there. Candidates for an issuer are the certificates with
// its name, in the order in which they were added (RFC 4158 §3.5 leaves the order to the implementation).
//
// [Builder.FindPaths] serves validation: crypto/x509 verifies each path to a trust anchor, and the paths of issuers are
// built once for all certificates below them. [Builder.BuildPath] serves signing, which needs issuers before anything is
// decided about trust: it follows the signatures as far as issuers are known. Both use the same candidates, and a
// signature between two certificates is verified once. Missing issuers are fetched in one place, [Builder.FetchIssuer].
//
// A file can bring any number of certificates with keys of any size, so [Limits] bound the candidates, the signatures
// verified and the issuers fetched.
package certpath

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"slices"

	"segel/cms"
	"segel/memo"
)

// Path is a certificate with its issuers. A path of FindPaths ends with a trust anchor.
type Path []*x509.Certificate

// Anchors are trust anchors, each for some usages. The zero value has none. Fill it before use; then several
// goroutines may use it at once.
type Anchors struct {
	bySubject map[string][]*x509.Certificate
	pools     map[x509.ExtKeyUsage]*x509.CertPool
	usages    map[[sha256.Size]byte][]x509.ExtKeyUsage // by the hash of the anchor
	count     int
}

// Add adds a trust anchor for usages: ExtKeyUsageAny for signing certificates, ExtKeyUsageTimeStamping for those of
// time-stamp authorities.
func (a *Anchors) Add(c *x509.Certificate, usages ...x509.ExtKeyUsage) {
	if a.bySubject == nil {
		a.bySubject, a.pools = map[string][]*x509.Certificate{}, map[x509.ExtKeyUsage]*x509.CertPool{}
		a.usages = map[[sha256.Size]byte][]x509.ExtKeyUsage{}
	}
	id := sha256.Sum256(c.Raw)
	a.usages[id] = append(a.usages[id], usages...)
	for _, u := range usages {
		if a.pools[u] == nil {
			a.pools[u] = x509.NewCertPool()
		}
		a.pools[u].AddCert(c)
	}
	if !a.Contains(c) {
		a.bySubject[string(c.RawSubject)] = append(a.bySubject[string(c.RawSubject)], c)
		a.count++
	}
}

// Len returns the number of trust anchors.
func (a *Anchors) Len() int { return a.count }

// Contains reports whether a certificate is a trust anchor for any usage.
func (a *Anchors) Contains(c *x509.Certificate) bool {
	return slices.ContainsFunc(a.FindBySubject(c.RawSubject), c.Equal)
}

// FindBySubject returns the trust anchors with a subject in DER, for any usage.
func (a *Anchors) FindBySubject(subject []byte) []*x509.Certificate {
	return a.bySubject[string(subject)]
}

// pool returns the trust anchors for a usage. It is never nil, which for crypto/x509 means the roots of the system.
func (a *Anchors) pool(usage x509.ExtKeyUsage) *x509.CertPool {
	if p := a.pools[usage]; p != nil {
		return p
	}
	return x509.NewCertPool()
}

// Limits bound what the certificates of a file can cost. Zero sets no limit.
type Limits struct {
	Candidates int // certificates that a Builder holds
	RSABits    int // of a candidate's key; larger ones are left out
	Checks     int // signatures verified
	Fetches    int // issuers fetched
}

// Builder builds certificate paths. It is not safe for concurrent use.
type Builder struct {
	Limits Limits
	// Checks is an upper bound of the signatures that were verified so far. Beyond Limits.Checks no path and no issuer
	// is found.
	Checks int
	// Truncated is whether candidates were left out, or paths not built, because of the limits.
	Truncated bool

	anchors       *Anchors
	candidates    map[string][]*x509.Certificate // by subject
	intermediates *x509.CertPool                 // the same certificates
	known         map[[sha256.Size]byte]bool     // the same certificates, by their hash

	hashes   map[*x509.Certificate][sha256.Size]byte
	signed   map[[2][sha256.Size]byte]bool // whether the second certificate's key signed the first
	paths    map[pathKey]pathResult
	closures map[string]*closure        // by issuer name
	fetched  map[[sha256.Size]byte]bool // issuers that were fetched
	// fetchedFor holds the fetched issuer by the hash of the certificate it issued; nil: it could not be fetched.
	fetchedFor map[[sha256.Size]byte]*x509.Certificate
}

// NewBuilder returns a Builder without candidates.
func NewBuilder(anchors *Anchors, limits Limits) *Builder {
	return &Builder{
		Limits: limits, anchors: anchors, candidates: map[string][]*x509.Certificate{}, intermediates: x509.NewCertPool(),
		known: map[[sha256.Size]byte]bool{}, hashes: map[*x509.Certificate][sha256.Size]byte{}, signed: map[[2][sha256.Size]byte]bool{},
		paths: map[pathKey]pathResult{}, closures: map[string]*closure{},
		fetched: map[[sha256.Size]byte]bool{}, fetchedFor: map[[sha256.Size]byte]*x509.Certificate{},
	}
}

// Hash returns the SHA-256 of a certificate. The Builder keeps the certificate, so that its address identifies it.
func (b *Builder) Hash(c *x509.Certificate) [sha256.Size]byte {
	sum, known := b.hashes[c]
	if !known {
		sum = sha256.Sum256(c.Raw)
		b.hashes[c] = sum
	}
	return sum
}

// Add adds candidates.
func (b *Builder) Add(certs ...*x509.Certificate) {
	for _, c := range certs {
		id := b.Hash(c)
		if b.known[id] || b.hasOversizedKey(c) {
			continue
		}
		if b.Limits.Candidates > 0 && len(b.known) == b.Limits.Candidates {
			b.Truncated = true
			return
		}
		b.known[id] = true
		b.candidates[string(c.RawSubject)] = append(b.candidates[string(c.RawSubject)], c)
		b.intermediates.AddCert(c)
		clear(b.closures)
	}
}

func (b *Builder) hasOversizedKey(c *x509.Certificate) bool {
	kind, bits := cms.KeySize(c.PublicKey)
	return b.Limits.RSABits > 0 && kind == "RSA" && bits > b.Limits.RSABits
}

// Candidates returns the candidates whose subject is the issuer of c.
func (b *Builder) Candidates(c *x509.Certificate) []*x509.Certificate {
	return b.candidates[string(c.RawIssuer)]
}

// Spend counts signatures that are about to be verified, and reports whether they are within the limit.
func (b *Builder) Spend(n int) bool {
	b.Checks += n
	return b.Limits.Checks == 0 || b.Checks <= b.Limits.Checks
}

// IsSignedBy reports whether the key of issuer signed c. It is false for a key that is too costly to verify with, and
// beyond the limit.
func (b *Builder) IsSignedBy(c, issuer *x509.Certificate) bool {
	key := [2][sha256.Size]byte{b.Hash(c), b.Hash(issuer)}
	signed, known := b.signed[key]
	if known || !b.Spend(1) {
		return signed
	}
	if c.Equal(issuer) { // a trust anchor need not be a CA
		verify := func() error { return c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) }
		signed = cms.CheckKey(c.PublicKey) == nil && memo.VerifyOnce(verify, "self-signed certificate", c.Raw) == nil
	} else {
		signed = CheckIssuedBy(c, issuer) == nil
	}
	b.signed[key] = signed
	return signed
}

// CheckIssuedBy verifies that the key of issuer, a CA, signed c, unless that key is too costly to verify with.
func CheckIssuedBy(c, issuer *x509.Certificate) error {
	if err := cms.CheckKey(issuer.PublicKey); err != nil {
		return err
	}
	return memo.VerifyOnce(func() error { return c.CheckSignatureFrom(issuer) }, "certificate", c.Raw, issuer.Raw)
}

// IsSelfIssued reports whether the subject of a certificate is its issuer.
func IsSelfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

const (
	// MaxPath limits the issuers in a path of BuildPath.
	MaxPath = 10
	// maxIssuerCandidates limits how many certificates of one subject are tried as the issuer of one certificate.
	maxIssuerCandidates = 16
)

// BuildPath returns a certificate with its issuers, as far as they are known, by their names and signatures alone. The
// path ends with a self-signed certificate, where no issuer is found that it does not have yet, or after MaxPath issuers.
// Missing issuers are fetched unless source is nil.
func (b *Builder) BuildPath(ctx context.Context, c *x509.Certificate, source IssuerSource) Path {
	path := Path{c}
	for len(path) <= MaxPath {
		mayFetch := source != nil && len(c.IssuingCertificateURL) > 0
		// The signature of a root is verified only if something else could be its issuer: with P-384 that takes as long as
		// the rest of a signature.
		if IsSelfIssued(c) && (!mayFetch && !b.hasOtherCandidate(c) || b.IsSignedBy(c, c)) {
			break
		}
		issuer := b.findIssuer(c, path)
		if issuer == nil && mayFetch {
			issuer = b.FetchIssuer(ctx, c, source)
		}
		if issuer == nil || slices.ContainsFunc(path, issuer.Equal) {
			break
		}
		path, c = append(path, issuer), issuer
	}
	return path
}

// hasOtherCandidate reports whether a certificate other than c itself has the name of its issuer.
func (b *Builder) hasOtherCandidate(c *x509.Certificate) bool {
	return slices.ContainsFunc(b.Candidates(c), func(other *x509.Certificate) bool { return !other.Equal(c) })
}

// findIssuer returns the fetched issuer of c, or else the first candidate whose key signed c, if it is not part of the
// path yet; nil if there is none.
func (b *Builder) findIssuer(c *x509.Certificate, path Path) *x509.Certificate {
	// A file can hold so many candidates of the same name that the fetched issuer is not among those tried below.
	if issuer := b.fetchedFor[b.Hash(c)]; issuer != nil && !slices.ContainsFunc(path, issuer.Equal) {
		return issuer
	}
	named := b.Candidates(c)
	for _, issuer := range named[:min(len(named), maxIssuerCandidates)] {
		if !slices.ContainsFunc(path, issuer.Equal) && b.IsSignedBy(c, issuer) {
			return issuer
		}
	}
	return nil
}

// IssuerSource fetches issuers, for example from the addresses in certificates (RFC 5280 §4.2.2.1).
type IssuerSource interface {
	// Issuer returns the certificate whose key signed c, verified.
	Issuer(ctx context.Context, c *x509.Certificate) (*x509.Certificate, error)
}

// FetchIssuer fetches the issuer of a certificate and makes it the first candidate of its name; nil if that fails, was
// tried before, or exceeds the limit. A fetched certificate is not trusted for that.
func (b *Builder) FetchIssuer(ctx context.Context, c *x509.Certificate, source IssuerSource) *x509.Certificate {
	id := b.Hash(c)
	_, queried := b.fetchedFor[id]
	if queried || b.Limits.Fetches > 0 && len(b.fetchedFor) == b.Limits.Fetches || ctx.Err() != nil {
		return nil
	}
	b.fetchedFor[id] = nil
	issuer, err := source.Issuer(ctx, c)
	if err != nil {
		return nil // the caller reports the missing issuer
	}
	b.fetchedFor[id] = issuer
	b.Add(issuer)
	// It is the issuer of other certificates too, which may have no address of it: no candidates may hide it.
	named := b.candidates[string(issuer.RawSubject)]
	if i := slices.IndexFunc(named, issuer.Equal); i > 0 {
		copy(named[1:i+1], named[:i])
		named[0] = issuer
		b.intermediates = x509.NewCertPool() // which keeps the order of each name
		for _, sameName := range b.candidates {
			for _, other := range sameName {
				b.intermediates.AddCert(other)
			}
		}
	}
	b.fetched[b.Hash(issuer)] = true
	// Earlier results were computed without it.
	clear(b.paths)
	clear(b.closures)
	return issuer
}

// maxIssuerDepth limits how far above a certificate FetchIssuers fetches.
const maxIssuerDepth = 4

// FetchIssuers fetches the issuers that the paths of a certificate lack, and reports whether there is a new one.
func (b *Builder) FetchIssuers(ctx context.Context, c *x509.Certificate, source IssuerSource) (found bool) {
	for range maxIssuerDepth {
		if IsSelfIssued(c) || len(b.anchors.FindBySubject(c.RawIssuer)) > 0 {
			break
		}
		if known := b.Candidates(c); len(known) > 0 {
			c = known[0]
			continue
		}
		if c = b.FetchIssuer(ctx, c, source); c == nil {
			break
		}
		found = true
	}
	return found
}

// IsFetched reports whether a certificate came from an IssuerSource.
func (b *Builder) IsFetched(c *x509.Certificate) bool { return b.fetched[b.Hash(c)] }
