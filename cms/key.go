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
	"sync"
)

var (
	oidKeyEC    = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidKeyDSA   = asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 1}
	oidKeyEd448 = asn1.ObjectIdentifier{1, 3, 101, 113}
)

// UnsupportedKey is a public key that this package cannot verify with.
type UnsupportedKey struct {
	Algorithm asn1.ObjectIdentifier // of the key; nil if unreadable
	Curve     asn1.ObjectIdentifier // of a named elliptic curve; else nil
}

// String returns the algorithm, and the curve if there is one.
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

// LargeRSAKey is an RSA public key whose exponent does not fit an int.
type LargeRSAKey struct{ N, E *big.Int }

// KeySize returns the type of a public key and its size in bits; 0 if unknown.
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

// parseKey parses a SubjectPublicKeyInfo. The algorithm is the one for x509.Certificate, which verifies only with key
// types that it supports.
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

// parseRSAKey parses an RSAPublicKey (RFC 8017 §A.1.1), or returns nil.
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

// parseCurveKey parses a point on a named curve, or on a known curve that is given by its parameters. All parameters
// must match: a curve with another base point is refused.
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

// hasParameters reports whether ECParameters (RFC 3279 §2.3.5) describe the curve: field, equation, base point and
// order.
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

// Curve is an elliptic curve y² = x³ + ax + b over a prime field that crypto/elliptic lacks.
type Curve struct {
	Name string
	OID  asn1.ObjectIdentifier

	p, a, b, gx, gy, n *big.Int
}

// Bits returns the length of the field in bits.
func (c *Curve) Bits() int { return c.p.BitLen() }

// curves are those of RFC 5639 §3 and SEC 2 that occur in certificates.
var curves = sync.OnceValue(func() []*Curve {
	var all []*Curve
	for _, k := range []struct {
		name               string
		oid                asn1.ObjectIdentifier
		p, a, b, gx, gy, n string
	}{
		{
			"P-192", asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 1},
			"fffffffffffffffffffffffffffffffeffffffffffffffff", "fffffffffffffffffffffffffffffffefffffffffffffffc",
			"64210519e59c80e70fa7e9ab72243049feb8deecc146b9b1", "188da80eb03090f67cbf20eb43a18800f4ff0afd82ff1012",
			"07192b95ffc8da78631011ed6b24cdd573f977a11e794811", "ffffffffffffffffffffffff99def836146bc9b1b4d22831",
		},
		{
			"secp256k1", asn1.ObjectIdentifier{1, 3, 132, 0, 10},
			"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", "0",
			"7", "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
			"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
		},
		{
			"brainpoolP160r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 1},
			"e95e4a5f737059dc60dfc7ad95b3d8139515620f", "340e7be2a280eb74e2be61bada745d97e8f7c300",
			"1e589a8595423412134faa2dbdec95c8d8675e58", "bed5af16ea3f6a4f62938c4631eb5af7bdbcdbc3",
			"1667cb477a1a8ec338f94741669c976316da6321", "e95e4a5f737059dc60df5991d45029409e60fc09",
		},
		{
			"brainpoolP192r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 3},
			"c302f41d932a36cda7a3463093d18db78fce476de1a86297", "6a91174076b1e0e19c39c031fe8685c1cae040e5c69a28ef",
			"469a28ef7c28cca3dc721d044f4496bcca7ef4146fbf25c9", "c0a0647eaab6a48753b033c56cb0f0900a2f5c4853375fd6",
			"14b690866abd5bb88b5f4828c1490002e6773fa2fa299b8f", "c302f41d932a36cda7a3462f9e9e916b5be8f1029ac4acc1",
		},
		{
			"brainpoolP224r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 5},
			"d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0ff", "68a5e62ca9ce6c1c299803a6c1530b514e182ad8b0042a59cad29f43",
			"2580f63ccfe44138870713b1a92369e33e2135d266dbb372386c400b", "0d9029ad2c7e5cf4340823b2a87dc68c9e4ce3174c1e6efdee12c07d",
			"58aa56f772c0726f24c6b89e4ecdac24354b9e99caa3f6d3761402cd", "d7c134aa264366862a18302575d0fb98d116bc4b6ddebca3a5a7939f",
		},
		{
			"brainpoolP256r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 7},
			"a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377", "7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
			"26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6", "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
			"547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997", "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7",
		},
		{
			"brainpoolP320r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 9},
			"d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27", "3ee30b568fbab0f883ccebd46d3f3bb8a2a73513f5eb79da66190eb085ffa9f492f375a97d860eb4",
			"520883949dfdbc42d3ad198640688a6fe13f41349554b49acc31dccd884539816f5eb4ac8fb1f1a6", "43bd7e9afb53d8b85289bcc48ee5bfe6f20137d10a087eb6e7871e2a10a599c710af8d0d39e20611",
			"14fdd05545ec1cc8ab4093247f77275e0743ffed117182eaa9c77877aaac6ac7d35245d1692e8ee1", "d35e472036bc4fb7e13c785ed201e065f98fcfa5b68f12a32d482ec7ee8658e98691555b44c59311",
		},
		{
			"brainpoolP384r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 11},
			"8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53", "7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f8aa5814a503ad4eb04a8c7dd22ce2826",
			"04a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d57cb4390295dbc9943ab78696fa504c11", "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8e826e03436d646aaef87b2e247d4af1e",
			"8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff99129280e4646217791811142820341263c5315", "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565",
		},
		{
			"brainpoolP512r1", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 13},
			"aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3", "7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94ca",
			"3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94cadc083e67984050b75ebae5dd2809bd638016f723", "81aee4bdd82ed9645a21322e9c4c6a9385ed9f70b5d916c1b43b62eef4d0098eff3b1f78e2d0d48d50d1687b93b97d5f7c6d5047406a5e688b352209bcb9f822",
			"7dde385d566332ecc0eabfa9cf7822fdf209f70024a57b1aa000c55b881f8111b2dcde494a5f485e5bca4bd88a2763aed1ca2b2fa8f0540678cd1e0f3ad80892", "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069",
		},
	} {
		c := &Curve{Name: k.name, OID: k.oid}
		for _, v := range []struct {
			to  **big.Int
			hex string
		}{{&c.p, k.p}, {&c.a, k.a}, {&c.b, k.b}, {&c.gx, k.gx}, {&c.gy, k.gy}, {&c.n, k.n}} {
			*v.to, _ = new(big.Int).SetString(v.hex, 16)
		}
		all = append(all, c)
	}
	return all
})

// ECKey is a public key on a curve that crypto/ecdsa does not support.
type ECKey struct {
	Curve *Curve
	X, Y  *big.Int
}

// parseECKey parses a point (SEC 1 §2.3.4). It returns nil if the bytes are not a point of the curve.
func parseECKey(c *Curve, b []byte) *ECKey {
	size := (c.p.BitLen() + 7) / 8
	if len(b) < 1+size {
		return nil
	}
	k := &ECKey{c, new(big.Int).SetBytes(b[1 : 1+size]), nil}
	right := c.computeRightSide(k.X)
	switch {
	case k.X.Cmp(c.p) >= 0:
		return nil
	case b[0] == 4 && len(b) == 1+2*size:
		k.Y = new(big.Int).SetBytes(b[1+size:])
		if square := new(big.Int).Mul(k.Y, k.Y); k.Y.Cmp(c.p) >= 0 || square.Mod(square, c.p).Cmp(right) != 0 {
			return nil
		}
	case (b[0] == 2 || b[0] == 3) && len(b) == 1+size:
		if k.Y = new(big.Int).ModSqrt(right, c.p); k.Y == nil {
			return nil
		}
		if k.Y.Bit(0) != uint(b[0]&1) {
			k.Y.Sub(c.p, k.Y)
		}
	default:
		return nil
	}
	return k
}

// computeRightSide returns x³ + ax + b.
func (c *Curve) computeRightSide(x *big.Int) *big.Int {
	v := new(big.Int).Mul(x, x)
	v.Add(v, c.a).Mul(v, x).Add(v, c.b)
	return v.Mod(v, c.p)
}

// verifyECDSA verifies a signature over a digest (FIPS 186-5 §6.4.2). All inputs are public, so it need not run in
// constant time.
func (k *ECKey) verifyECDSA(digest, signature []byte) bool {
	r, s, ok := parseSignaturePair(signature)
	n := k.Curve.n
	if !ok || r.Sign() <= 0 || s.Sign() <= 0 || r.Cmp(n) >= 0 || s.Cmp(n) >= 0 {
		return false
	}
	e := new(big.Int).SetBytes(digest)
	if extra := 8*len(digest) - n.BitLen(); extra > 0 {
		e.Rsh(e, uint(extra))
	}
	w := new(big.Int).ModInverse(s, n)
	u1, u2 := e.Mul(e, w), w.Mul(w, r)
	sum := k.Curve.combinePoints(u1.Mod(u1, n), u2.Mod(u2, n), k)
	if sum.z.Sign() == 0 {
		return false
	}
	// x is X/Z².
	z := new(big.Int).ModInverse(sum.z, k.Curve.p)
	x := sum.x.Mul(sum.x, z.Mul(z, z))
	x.Mod(x, k.Curve.p)
	return x.Mod(x, n).Cmp(r) == 0
}

// parseSignaturePair parses the two integers of an ECDSA or DSA signature (RFC 3279 §2.2.2).
func parseSignaturePair(b []byte) (r, s *big.Int, ok bool) {
	var v struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(b, &v)
	return v.R, v.S, err == nil && len(rest) == 0
}

// point is a point of a curve in Jacobian coordinates (X/Z², Y/Z³); Z is 0 for the point at infinity.
type point struct{ x, y, z *big.Int }

// combinePoints returns u1·G + u2·K.
func (c *Curve) combinePoints(u1, u2 *big.Int, k *ECKey) point {
	one := big.NewInt(1)
	g, q := point{c.gx, c.gy, one}, point{k.X, k.Y, one}
	both := c.addPoints(g, q)
	sum := point{big.NewInt(1), big.NewInt(1), new(big.Int)}
	for i := max(u1.BitLen(), u2.BitLen()) - 1; i >= 0; i-- {
		sum = c.double(sum)
		switch u1.Bit(i) | u2.Bit(i)<<1 {
		case 1:
			sum = c.addPoints(sum, g)
		case 2:
			sum = c.addPoints(sum, q)
		case 3:
			sum = c.addPoints(sum, both)
		}
	}
	return sum
}

func (c *Curve) mul(a, b *big.Int) *big.Int {
	v := new(big.Int).Mul(a, b)
	return v.Mod(v, c.p)
}

func (c *Curve) sub(a, b *big.Int) *big.Int {
	v := new(big.Int).Sub(a, b)
	return v.Mod(v, c.p)
}

// double returns 2·a.
func (c *Curve) double(a point) point {
	if a.z.Sign() == 0 || a.y.Sign() == 0 {
		return point{big.NewInt(1), big.NewInt(1), new(big.Int)}
	}
	yy, zz := c.mul(a.y, a.y), c.mul(a.z, a.z)
	s := c.mul(big.NewInt(4), c.mul(a.x, yy))
	m := c.mul(big.NewInt(3), c.mul(a.x, a.x))
	m.Add(m, c.mul(c.a, c.mul(zz, zz)))
	x := c.sub(c.sub(c.mul(m, m), s), s)
	y := c.sub(c.mul(m, c.sub(s, x)), c.mul(big.NewInt(8), c.mul(yy, yy)))
	return point{x, y, c.mul(big.NewInt(2), c.mul(a.y, a.z))}
}

// addPoints returns a + b.
func (c *Curve) addPoints(a, b point) point {
	switch {
	case a.z.Sign() == 0:
		return b
	case b.z.Sign() == 0:
		return a
	}
	za, zb := c.mul(a.z, a.z), c.mul(b.z, b.z)
	u, v := c.mul(a.x, zb), c.mul(b.x, za)
	s, t := c.mul(a.y, c.mul(zb, b.z)), c.mul(b.y, c.mul(za, a.z))
	h, r := c.sub(v, u), c.sub(t, s)
	if h.Sign() == 0 {
		if r.Sign() == 0 {
			return c.double(a)
		}
		return point{big.NewInt(1), big.NewInt(1), new(big.Int)}
	}
	hh := c.mul(h, h)
	hhh, uhh := c.mul(hh, h), c.mul(u, hh)
	x := c.sub(c.sub(c.sub(c.mul(r, r), hhh), uhh), uhh)
	y := c.sub(c.mul(r, c.sub(uhh, x)), c.mul(s, hhh))
	return point{x, y, c.mul(h, c.mul(a.z, b.z))}
}
