package validate

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"fmt"
	"time"

	"segel/cms"
)

// Policy says until when algorithms are relied on. A signature by one that has run out counts only if it provably
// existed before. The zero value is DefaultPolicy.
type Policy struct {
	Hashes []HashRule
	Keys   []KeyRule
}

// HashRule is the last moment for which a hash is relied on; zero is no end in sight.
type HashRule struct {
	Hash  crypto.Hash
	Until time.Time
}

// KeyRule is the last moment for which keys of a kind are relied on that have fewer than Below bits and no fewer than
// any smaller rule's. Zero is no end in sight.
type KeyRule struct {
	Kind  string // "RSA" or "ECDSA"
	Below int    // bits of the modulus or of the curve; 0: any number
	Until time.Time
}

func utcDate(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

// DefaultPolicy is what we rely on. docs/validation.md has it as a table, with the reasons.
func DefaultPolicy() Policy {
	return Policy{
		Hashes: []HashRule{
			{crypto.MD5, utcDate(2004, 8, 17)},
			{crypto.SHA1, utcDate(2017, 2, 23)},
			{crypto.SHA256, time.Time{}},
			{crypto.SHA384, time.Time{}},
			{crypto.SHA512, time.Time{}},
			{crypto.SHA3_256, time.Time{}},
			{crypto.SHA3_384, time.Time{}},
			{crypto.SHA3_512, time.Time{}},
		},
		Keys: []KeyRule{
			{"RSA", 1024, utcDate(2000, 1, 1)},
			{"RSA", 1536, utcDate(2011, 1, 1)},
			{"RSA", 2048, utcDate(2014, 1, 1)},
			{"RSA", 0, time.Time{}},
			{"ECDSA", 224, utcDate(2011, 1, 1)},
			{"ECDSA", 256, utcDate(2014, 1, 1)},
			{"ECDSA", 0, time.Time{}},
		},
	}
}

// withDefaults returns p, or the default where p says nothing.
func (p Policy) withDefaults(d Policy) Policy {
	if len(p.Hashes) == 0 {
		p.Hashes = d.Hashes
	}
	if len(p.Keys) == 0 {
		p.Keys = d.Keys
	}
	return p
}

// algorithmRule is one that something was signed with.
type algorithmRule struct {
	name  string
	until time.Time // zero: no end in sight
	known bool      // by the policy
}

// findHashRule returns the rule about a hash.
func (p Policy) findHashRule(h crypto.Hash) algorithmRule {
	for _, r := range p.Hashes {
		if r.Hash == h {
			return algorithmRule{name: h.String(), until: r.Until, known: true}
		}
	}
	return algorithmRule{name: h.String()}
}

// findKeyRule returns the rule about a public key: of those that fit, the one for the smallest keys.
func (p Policy) findKeyRule(pub crypto.PublicKey) algorithmRule {
	kind, bits := cms.KeySize(pub)
	a := algorithmRule{name: fmt.Sprintf("%s-%d", kind, bits)}
	if bits == 0 {
		a.name = kind
	}
	if kind == "Ed25519" {
		return algorithmRule{name: kind, known: true}
	}
	best := 0
	for _, r := range p.Keys {
		below := cmp.Or(r.Below, 1<<30)
		if r.Kind == kind && bits < below && (best == 0 || below < best) {
			best, a.until, a.known = below, r.Until, true
		}
	}
	return a
}

// certificateHashes are the hashes within the algorithms that certificates are signed by.
var certificateHashes = map[x509.SignatureAlgorithm]crypto.Hash{
	x509.MD5WithRSA: crypto.MD5, x509.SHA1WithRSA: crypto.SHA1, x509.ECDSAWithSHA1: crypto.SHA1,
	x509.SHA256WithRSA: crypto.SHA256, x509.SHA256WithRSAPSS: crypto.SHA256, x509.ECDSAWithSHA256: crypto.SHA256,
	x509.SHA384WithRSA: crypto.SHA384, x509.SHA384WithRSAPSS: crypto.SHA384, x509.ECDSAWithSHA384: crypto.SHA384,
	x509.SHA512WithRSA: crypto.SHA512, x509.SHA512WithRSAPSS: crypto.SHA512, x509.ECDSAWithSHA512: crypto.SHA512,
	x509.PureEd25519: crypto.SHA512,
}

// findCertificateRules returns the rules about what a certificate was signed with and about its own key.
func (p Policy) findCertificateRules(c *x509.Certificate) []algorithmRule {
	signed := algorithmRule{name: c.SignatureAlgorithm.String()}
	if h, ok := certificateHashes[c.SignatureAlgorithm]; ok {
		signed = p.findHashRule(h)
	}
	return []algorithmRule{signed, p.findKeyRule(c.PublicKey)}
}
