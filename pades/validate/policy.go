package validate

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"fmt"
	"time"

	"segel/cms"
	"segel/revocation"
)

// Policy states until when algorithms are relied on. A signature with an expired algorithm counts only if it provably
// existed before. The zero value is DefaultPolicy.
type Policy struct {
	Hashes []HashRule
	Keys   []KeyRule
}

// HashRule is the last time at which a hash is relied on; zero is no end.
type HashRule struct {
	Hash  crypto.Hash
	Until time.Time
}

// KeyRule is the last time at which keys of a type are relied on that have fewer than Below bits, and at least as many
// as any smaller rule. Zero is no end.
type KeyRule struct {
	Kind  string // "RSA" or "ECDSA"
	Below int    // bits of the modulus or of the curve; 0: any number
	Until time.Time
}

func utcDate(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

// DefaultPolicy is the policy explained in docs/validation.md.
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

// withDefaults returns p, with the rules of d where p has none.
func (p Policy) withDefaults(d Policy) Policy {
	if len(p.Hashes) == 0 {
		p.Hashes = d.Hashes
	}
	if len(p.Keys) == 0 {
		p.Keys = d.Keys
	}
	return p
}

// algorithmRule is what the policy says about an algorithm in use.
type algorithmRule struct {
	name  string
	until time.Time // zero: no end
	known bool      // to the policy
}

// findHashRule returns the rule for a hash.
func (p Policy) findHashRule(h crypto.Hash) algorithmRule {
	for _, r := range p.Hashes {
		if r.Hash == h {
			return algorithmRule{name: h.String(), until: r.Until, known: true}
		}
	}
	return algorithmRule{name: h.String()}
}

// findKeyRule returns the rule for a public key: of those that match, the one for the smallest keys.
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

// signatureHashes are the hashes of the signature algorithms of certificates and revocation data.
var signatureHashes = map[x509.SignatureAlgorithm]crypto.Hash{
	x509.MD5WithRSA: crypto.MD5, x509.SHA1WithRSA: crypto.SHA1, x509.ECDSAWithSHA1: crypto.SHA1,
	x509.SHA256WithRSA: crypto.SHA256, x509.SHA256WithRSAPSS: crypto.SHA256, x509.ECDSAWithSHA256: crypto.SHA256,
	x509.SHA384WithRSA: crypto.SHA384, x509.SHA384WithRSAPSS: crypto.SHA384, x509.ECDSAWithSHA384: crypto.SHA384,
	x509.SHA512WithRSA: crypto.SHA512, x509.SHA512WithRSAPSS: crypto.SHA512, x509.ECDSAWithSHA512: crypto.SHA512,
	x509.PureEd25519: crypto.SHA512,
}

// findCertificateRules returns the rules for a certificate's signature and for its key.
func (p Policy) findCertificateRules(c *x509.Certificate) []algorithmRule {
	return []algorithmRule{p.findSignatureRule(c.SignatureAlgorithm), p.findKeyRule(c.PublicKey)}
}

// findEvidenceRules returns the rules for the signature of revocation data and for the key that made it.
func (p Policy) findEvidenceRules(s revocation.Status) []algorithmRule {
	return []algorithmRule{p.findSignatureRule(s.Algorithm), p.findKeyRule(s.Responder.PublicKey)}
}

// findSignatureRule returns the rule for the hash of a signature algorithm.
func (p Policy) findSignatureRule(a x509.SignatureAlgorithm) algorithmRule {
	if h, ok := signatureHashes[a]; ok {
		return p.findHashRule(h)
	}
	return algorithmRule{name: a.String()}
}
