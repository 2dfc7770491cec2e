package certpath

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"segel/memo"
)

const (
	maxPaths         = 8   // kept for one certificate
	maxChecksPerPath = 100 // signatures that crypto/x509 verifies for one certificate
	maxSameSubject   = 4   // issuers of one subject that are examined one by one: a file can bring hundreds
)

// ErrTooMuch is a path that was not built because others had cost too much.
var ErrTooMuch = errors.New("too many certificates")

// FindPaths returns the paths from a certificate to trust anchors for a usage and a time at which all their
// certificates are valid, the shortest first. crypto/x509 checks signatures, validity, names, basic constraints and path
// length, name constraints, unknown critical extensions, and the extended key usage along the path; constraints of
// directory names are checked here. The error is ErrTooMuch, or that of crypto/x509.
func (b *Builder) FindPaths(c *x509.Certificate, usage x509.ExtKeyUsage, at time.Time) ([]Path, error) {
	key := b.newPathKey(c, usage, at)
	if known, ok := b.paths[key]; ok {
		return known.paths, known.err
	}
	if paths, ok := b.extendIssuerPaths(c, usage, at); ok {
		return b.storePaths(key, paths, nil)
	}
	return b.verifyPaths(c, usage, at)
}

// verifyPaths builds the paths of a certificate with crypto/x509.
func (b *Builder) verifyPaths(c *x509.Certificate, usage x509.ExtKeyUsage, at time.Time) ([]Path, error) {
	key := b.newPathKey(c, usage, at)
	if known, ok := b.paths[key]; ok {
		return known.paths, known.err
	}
	if b.Limits.Checks > 0 && b.Checks >= b.Limits.Checks {
		b.Truncated = true
		return nil, ErrTooMuch
	}
	above := b.closureOf(c.RawIssuer)
	anchors := b.anchorsFor(usage, above.anchors, b.anchors.FindBySubject(c.RawSubject))
	found, err := b.verifyChains(c, usage, at, b.intermediates, above.candidates, b.anchors.pool(usage), anchors)
	var paths []Path
	for _, one := range found {
		if bad := one.checkDirectoryNames(); bad != nil {
			err = bad
		} else {
			paths = append(paths, one)
		}
	}
	if len(paths) > 0 {
		err = nil
	}
	if err != nil { // every candidate may have been tried
		b.Checks += min(maxChecksPerPath, len(b.known)+1)
	}
	for _, one := range paths {
		b.Checks += len(one) - 1 // also if the paths are remembered, so that a verdict does not depend on that
	}
	return b.storePaths(key, paths, err)
}

// anchorsFor returns those of the anchors that are for a usage.
func (b *Builder) anchorsFor(usage x509.ExtKeyUsage, anchors ...[]*x509.Certificate) (found []*x509.Certificate) {
	for _, a := range slices.Concat(anchors...) {
		if slices.Contains(b.anchors.usages[b.Hash(a)], usage) {
			found = append(found, a)
		}
	}
	return found
}

// maxRemembered is how many certificates the paths of a certificate may have together to be remembered.
const maxRemembered = 32

// rememberedPaths holds the paths that crypto/x509 found, as the hashes of their certificates; none if no path leads to a
// trust anchor.
var rememberedPaths memo.Cache[[][][sha256.Size]byte]

// verifyChains returns the paths that crypto/x509 finds from c through intermediates to roots, and remembers them for other
// files. The slices hold at least those certificates of the pools that a path from c can contain, in the order of the pools:
// the result depends on them and on which of them are valid at that time. Of failures it remembers only that no path leads to a
// trust anchor.
func (b *Builder) verifyChains(c *x509.Certificate, usage x509.ExtKeyUsage, at time.Time, intermediates *x509.CertPool, between []*x509.Certificate, roots *x509.CertPool, anchors []*x509.Certificate) ([]Path, error) {
	inputs := [][]byte{binary.BigEndian.AppendUint64(nil, uint64(usage))}
	for _, group := range [][]*x509.Certificate{{c}, between, anchors} {
		var all []byte
		for _, x := range group {
			id := b.Hash(x)
			all = append(append(all, id[:]...), byte(at.Compare(x.NotBefore)+1), byte(at.Compare(x.NotAfter)+1))
		}
		inputs = append(inputs, all)
	}
	key := memo.NewKey("paths", inputs...)
	if known, ok := rememberedPaths.Get(key); ok {
		if len(known) == 0 {
			return nil, x509.UnknownAuthorityError{Cert: c}
		}
		return b.resolvePaths(known, slices.Concat(between, anchors, []*x509.Certificate{c})), nil
	}
	found, err := c.Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
	if err != nil {
		if errors.As(err, new(x509.UnknownAuthorityError)) {
			rememberedPaths.Put(key, nil)
		}
		return nil, err
	}
	paths, hashes, length := make([]Path, len(found)), make([][][sha256.Size]byte, len(found)), 0
	for i, one := range found {
		paths[i] = one
		for _, x := range one {
			hashes[i] = append(hashes[i], b.Hash(x))
		}
		length += len(one)
	}
	if length <= maxRemembered {
		rememberedPaths.Put(key, hashes)
	}
	return paths, nil
}

// resolvePaths returns remembered paths with these certificates, which are all that the paths contain.
func (b *Builder) resolvePaths(known [][][sha256.Size]byte, certs []*x509.Certificate) []Path {
	byHash := map[[sha256.Size]byte]*x509.Certificate{}
	for _, x := range certs {
		byHash[b.Hash(x)] = x
	}
	paths := make([]Path, len(known))
	for i, one := range known {
		for _, id := range one {
			paths[i] = append(paths[i], byHash[id])
		}
	}
	return paths
}

// storePaths stores a result for the same certificate in other signatures of the file, and above them.
func (b *Builder) storePaths(key pathKey, paths []Path, err error) ([]Path, error) {
	slices.SortStableFunc(paths, func(x, y Path) int { return len(x) - len(y) })
	paths = paths[:min(len(paths), maxPaths)]
	b.paths[key] = pathResult{paths, err}
	return paths, err
}

// extendIssuerPaths builds the paths of a signer's certificate from those of its issuers, which are built once per
// file. Fifty signers of one authority then cost fifty certificate signatures, not fifty for every certificate above
// them. Ok is false if the result could differ from that of crypto/x509 for the whole path: a trust anchor is among
// the certificates concerned, or a path has constraints beyond single links.
func (b *Builder) extendIssuerPaths(c *x509.Certificate, usage x509.ExtKeyUsage, at time.Time) (paths []Path, ok bool) {
	if usage != x509.ExtKeyUsageAny || b.anchors.Contains(c) || hasPathConstraints(c) {
		return nil, false // for a time-stamp authority the key usage of the whole path counts
	}
	candidates := b.Candidates(c)
	if len(candidates) > maxSameSubject {
		return nil, false
	}
	issuers, trusted := x509.NewCertPool(), []*x509.Certificate{}
	above := map[*x509.Certificate][]Path{}
	for _, i := range candidates {
		up, err := b.verifyPaths(i, usage, at)
		if err != nil {
			continue // no path leads through it
		}
		binds := func(p Path) bool { return !p.canExtend(c) }
		if b.anchors.Contains(i) || !i.IsCA || !i.BasicConstraintsValid || slices.ContainsFunc(up, binds) {
			return nil, false
		}
		issuers.AddCert(i)
		trusted = append(trusted, i)
		above[i] = up
	}
	if len(above) == 0 || len(b.anchors.FindBySubject(c.RawIssuer)) > 0 {
		return nil, false
	}
	b.Checks += len(above)
	found, err := b.verifyChains(c, usage, at, nil, nil, issuers, trusted)
	if err != nil {
		return nil, false // crypto/x509 explains the failure for the whole path
	}
	for _, link := range found {
		for _, up := range above[link[1]] {
			paths = append(paths, append(Path{c}, up...))
		}
	}
	return paths, true
}

// canExtend reports whether an issuer's path remains valid with one more certificate below.
func (p Path) canExtend(c *x509.Certificate) bool {
	for below, x := range p {
		tooLong := x.BasicConstraintsValid && x.MaxPathLen >= 0 && below > x.MaxPathLen
		if tooLong || hasPathConstraints(x) || bytes.Equal(x.RawSubject, c.RawSubject) {
			return false
		}
	}
	return true
}

// Extensions of one certificate that constrain others in the path (RFC 5280 §4.2.1.10, §4.2.1.11, §4.2.1.14).
var (
	oidNameConstraints   = asn1.ObjectIdentifier{2, 5, 29, 30}
	oidPolicyConstraints = asn1.ObjectIdentifier{2, 5, 29, 36}
	oidInhibitAnyPolicy  = asn1.ObjectIdentifier{2, 5, 29, 54}
)

// hasPathConstraints reports whether a certificate constrains whole paths.
func hasPathConstraints(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidNameConstraints) || e.Id.Equal(oidPolicyConstraints) || e.Id.Equal(oidInhibitAnyPolicy) {
			return true
		}
	}
	return false
}

// pathKey is what the result of crypto/x509 depends on, as long as the candidates do not change: the bytes of the
// certificate, and which of the certificates concerned are valid.
type pathKey struct {
	certificate [sha256.Size]byte
	usage       x509.ExtKeyUsage
	own, above  validityInterval
}

type pathResult struct {
	paths []Path
	err   error
}

func (b *Builder) newPathKey(c *x509.Certificate, usage x509.ExtKeyUsage, at time.Time) pathKey {
	own := validityBounds{[]time.Time{c.NotBefore}, []time.Time{c.NotAfter}}
	return pathKey{b.Hash(c), usage, own.intervalAt(at), b.closureOf(c.RawIssuer).bounds.intervalAt(at)}
}

// validityInterval is a period in which none of the certificates concerned begins or ends to be valid. A path depends
// on time only through that, so the result of crypto/x509 for one time holds for the whole interval.
type validityInterval struct{ begun, ended int }

// validityBounds are the begins and ends of validity of the certificates concerned, in order.
type validityBounds struct{ begin, end []time.Time }

func (v *validityBounds) intervalAt(t time.Time) validityInterval {
	// Both ends are part of the validity period (RFC 5280 §4.1.2.5).
	begun, _ := slices.BinarySearchFunc(v.begin, t, func(from, t time.Time) int {
		if from.After(t) {
			return 1
		}
		return -1
	})
	ended, _ := slices.BinarySearchFunc(v.end, t, func(until, t time.Time) int {
		if until.Before(t) {
			return -1
		}
		return 1
	})
	return validityInterval{begun, ended}
}

// closure is all certificates that paths through an issuer of one name may contain.
type closure struct {
	candidates []*x509.Certificate // in the order in which they were added, name by name
	anchors    []*x509.Certificate // for any usage
	bounds     validityBounds
}

// closureOf collects the closure of an issuer's name: crypto/x509 finds issuers by their names.
func (b *Builder) closureOf(name []byte) *closure {
	if c := b.closures[string(name)]; c != nil {
		return c
	}
	c, seen, queue := &closure{}, map[string]bool{}, []string{string(name)}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		candidates, anchors := b.candidates[n], b.anchors.FindBySubject([]byte(n))
		c.candidates, c.anchors = append(c.candidates, candidates...), append(c.anchors, anchors...)
		for _, x := range slices.Concat(candidates, anchors) {
			c.bounds.begin, c.bounds.end = append(c.bounds.begin, x.NotBefore), append(c.bounds.end, x.NotAfter)
			queue = append(queue, string(x.RawIssuer))
		}
	}
	slices.SortFunc(c.bounds.begin, time.Time.Compare)
	slices.SortFunc(c.bounds.end, time.Time.Compare)
	b.closures[string(name)] = c
	return c
}
