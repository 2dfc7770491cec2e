package cms

import (
	"crypto"
	"crypto/dsa" //lint:ignore SA1019 read in old signatures only
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"
)

var (
	oidKeyEC    = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidKeyDSA   = asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 1}
	oidKeyEd448 = asn1.ObjectIdentifier{1, 3, 101, 113}
)

// UnsupportedKey is a public key that this package cannot verify with.
type UnsupportedKey struct {
	Algorithm asn1.ObjectIdentifier // of the key; nil if not even that can be read
	Curve     asn1.ObjectIdentifier // of an elliptic curve that is named; else nil
}

// String names the algorithm, and the curve if there is one.
func (k *UnsupportedKey) String() string {
	switch {
	case k.Algorithm == nil:
		return "unreadable"
	case k.Algorithm.Equal(oidKeyEd448):
		return "Ed448"
	case k.Algorithm.Equal(oidKeyEC) && k.Curve != nil:
		return fmt.Sprintf("ECDSA on curve %v", k.Curve)
	case k.Algorithm.Equal(oidKeyEC):
		return "ECDSA on an unknown curve"
	}
	return fmt.Sprintf("algorithm %v", k.Algorithm)
}

// LargeRSAKey is an RSA public key whose exponent an int does not hold.
type LargeRSAKey struct{ N, E *big.Int }

// KeySize names the kind of a public key and the bits that state its strength; 0 if unknown.
func KeySize(pub crypto.PublicKey) (kind string, bits int) {
	switch k := pub.(type) {
	case *rsa.PublicKey:
		return "RSA", k.N.BitLen()
	case *LargeRSAKey:
		return "RSA", k.N.BitLen()
	case *ecdsa.PublicKey:
		return "ECDSA", k.Curve.Params().BitSize
	case *ECKey:
		return "ECDSA", k.Curve.Bits()
	case *dsa.PublicKey:
		return "DSA", k.P.BitLen()
	case ed25519.PublicKey:
		return "Ed25519", 256
	case *UnsupportedKey:
		return k.String(), 0
	}
	return fmt.Sprintf("%T", pub), 0
}

// parseKey reads a SubjectPublicKeyInfo. The algorithm is what crypto/x509 is to take the key for, which it can verify
// signatures of certificates with only if it knows the key's type.
func parseKey(der []byte) (crypto.PublicKey, x509.PublicKeyAlgorithm) {
	if pub, err := x509.ParsePKIXPublicKey(der); err == nil {
		switch pub.(type) {
		case *rsa.PublicKey:
			return pub, x509.RSA
		case *ecdsa.PublicKey:
			return pub, x509.ECDSA
		case ed25519.PublicKey:
			return pub, x509.Ed25519
		case *dsa.PublicKey:
			return pub, x509.DSA
		}
	}
	unsupported := &UnsupportedKey{}
	info, _, ok := parseElement(der)
	if !ok {
		return unsupported, x509.UnknownPublicKeyAlgorithm
	}
	algorithm, rest, ok := parseElement(info.content)
	if !ok {
		return unsupported, x509.UnknownPublicKeyAlgorithm
	}
	id, parameters, ok := parseElement(algorithm.content)
	if !ok {
		return unsupported, x509.UnknownPublicKeyAlgorithm
	}
	if _, err := asn1.Unmarshal(id.full, &unsupported.Algorithm); err != nil {
		return &UnsupportedKey{}, x509.UnknownPublicKeyAlgorithm
	}
	bits, _, ok := parseElement(rest)
	if !ok || bits.tag != asn1.TagBitString || len(bits.content) < 2 || bits.content[0] != 0 {
		return unsupported, x509.UnknownPublicKeyAlgorithm
	}
	switch key := bits.content[1:]; {
	case unsupported.Algorithm.Equal(oidRSA), unsupported.Algorithm.Equal(oidPSS):
		if pub := parseRSAKey(key); pub != nil {
			if _, small := pub.(*rsa.PublicKey); small {
				return pub, x509.RSA
			}
			return pub, x509.UnknownPublicKeyAlgorithm
		}
	case unsupported.Algorithm.Equal(oidKeyEC):
		return parseCurveKey(unsupported, parameters, key)
	}
	return unsupported, x509.UnknownPublicKeyAlgorithm
}

// parseRSAKey reads an RSAPublicKey (RFC 8017 §A.1.1), or returns nil.
func parseRSAKey(b []byte) crypto.PublicKey {
	list := splitSequence(b)
	if len(list) < 2 || list[0].tag != asn1.TagInteger || list[1].tag != asn1.TagInteger {
		return nil
	}
	n, e := parseInteger(list[0].content), parseInteger(list[1].content)
	if n.Sign() <= 0 || e.Sign() <= 0 {
		return nil
	}
	const intSize = 32 << (^uint(0) >> 63) // bits of an int
	if e.BitLen() < intSize {
		return &rsa.PublicKey{N: n, E: int(e.Int64())}
	}
	return &LargeRSAKey{n, e}
}

// parseCurveKey reads a point on a curve that is named, or stated by its parameters and known. Parameters are held
// against those of known curves as a whole: a curve with another base point is refused.
func parseCurveKey(unsupported *UnsupportedKey, parameters, b []byte) (crypto.PublicKey, x509.PublicKeyAlgorithm) {
	stated, _, ok := parseElement(parameters)
	if !ok {
		return unsupported, x509.UnknownPublicKeyAlgorithm
	}
	if stated.tag == asn1.TagOID {
		if _, err := asn1.Unmarshal(stated.full, &unsupported.Curve); err != nil {
			unsupported.Curve = nil
		}
	}
	for _, c := range curves() {
		if !unsupported.Curve.Equal(c.OID) && !c.hasParameters(stated) {
			continue
		}
		if k := parseECKey(c, b); k != nil {
			return k, x509.UnknownPublicKeyAlgorithm
		}
	}
	for _, known := range standardCurves {
		p := known.curve.Params()
		c := &Curve{p: p.P, a: new(big.Int).Sub(p.P, big.NewInt(3)), b: p.B, gx: p.Gx, gy: p.Gy, n: p.N}
		if !unsupported.Curve.Equal(known.oid) && !c.hasParameters(stated) {
			continue
		}
		if k := parseECKey(c, b); k != nil {
			size := (p.BitSize + 7) / 8
			point := append([]byte{4}, append(k.X.FillBytes(make([]byte, size)), k.Y.FillBytes(make([]byte, size))...)...)
			if pub, err := ecdsa.ParseUncompressedPublicKey(known.curve, point); err == nil {
				return pub, x509.ECDSA
			}
		}
	}
	return unsupported, x509.UnknownPublicKeyAlgorithm
}

var standardCurves = []struct {
	curve elliptic.Curve
	oid   asn1.ObjectIdentifier
}{
	{elliptic.P224(), asn1.ObjectIdentifier{1, 3, 132, 0, 33}}, {elliptic.P256(), asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}},
	{elliptic.P384(), asn1.ObjectIdentifier{1, 3, 132, 0, 34}}, {elliptic.P521(), asn1.ObjectIdentifier{1, 3, 132, 0, 35}},
}

// hasParameters reports whether ECParameters (RFC 3279 §2.3.5) state the curve: field, equation, base point and order.
func (c *Curve) hasParameters(e element) bool {
	if e.tag != tagSequence {
		return false
	}
	list := splitElements(e.content, 8) // version, field, curve, base, order, cofactor
	if len(list) < 5 {
		return false
	}
	field, equation := splitElements(list[1].content, 4), splitElements(list[2].content, 4)
	if len(field) < 2 || len(equation) < 2 {
		return false
	}
	is := func(e element, tag byte, want *big.Int) bool {
		return e.tag == tag && new(big.Int).SetBytes(e.content).Cmp(want) == 0
	}
	base := parseECKey(c, list[3].content)
	return is(field[1], asn1.TagInteger, c.p) && is(equation[0], asn1.TagOctetString, c.a) && is(equation[1], asn1.TagOctetString, c.b) &&
		is(list[4], asn1.TagInteger, c.n) && base != nil && base.X.Cmp(c.gx) == 0 && base.Y.Cmp(c.gy) == 0
}
