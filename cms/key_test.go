package cms

import (
	"bytes"
	"crypto"
	"crypto/dsa" //lint:ignore SA1019 what is read is made here
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// keyInfo is a SubjectPublicKeyInfo.
func keyInfo(algorithm []byte, key []byte) []byte {
	return encodeDER(0x30, algorithm, encodeDER(3, append([]byte{0}, key...)))
}

func encodeOID(t testing.TB, id asn1.ObjectIdentifier) []byte {
	t.Helper()
	return marshalValue(t, id)
}

func TestPSSKeyVerifiesPSSSignaturesOnly(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, parameters := range map[string][]byte{"no parameters": nil, "parameters": encodeDER(0x30)} {
		b := ca.certify(t, key.Public(), func(p *parts) {
			p.key = keyInfo(encodeDER(0x30, encodeOID(t, oidPSS), parameters), x509.MarshalPKCS1PublicKey(&key.PublicKey))
		})
		sd, cert := signedBy(t, key, b, Options{Scheme: Scheme{Hash: crypto.SHA256, PSS: true}})
		wantSignature(t, sd)
		if kind, bits := KeySize(cert.PublicKey); kind != "RSA" || bits != 2048 || cert.PublicKeyAlgorithm != x509.RSA {
			t.Errorf("%s: %s-%d, %v", name, kind, bits, cert.PublicKeyAlgorithm)
		}
		sd, _ = signedBy(t, key, b, Options{Scheme: Scheme{Hash: crypto.SHA256}})
		if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content)); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s, PKCS #1 v1.5: %v", name, err)
		}
	}
}

func TestPSSWithoutParametersIsBySHA1(t *testing.T) {
	t.Parallel()
	s, err := parsePSSParameters(encodeDER(0x30))
	if err != nil || s != (Scheme{Hash: crypto.SHA1, PSS: true}) {
		t.Errorf("%v %v", s, err)
	}
	if _, err := parsePSSParameters(nil); !errors.Is(err, ErrAlgorithm) {
		t.Error(err)
	}
}

// largeKey makes an RSA key with an exponent of many bits, or of a few if it is given.
func largeKey(t *testing.T, bits, exponent int, given int64) (pub *LargeRSAKey, d *big.Int) {
	t.Helper()
	for {
		p, err1 := rand.Prime(rand.Reader, bits/2)
		q, err2 := rand.Prime(rand.Reader, bits/2)
		e, err3 := rand.Prime(rand.Reader, exponent)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		if given > 0 {
			e = big.NewInt(given)
		}
		one := big.NewInt(1)
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		n := new(big.Int).Mul(p, q)
		if d = new(big.Int).ModInverse(e, phi); d != nil && n.BitLen() == bits {
			return &LargeRSAKey{n, e}, d
		}
	}
}

// largeSigner signs with such a key.
type largeSigner struct {
	pub *LargeRSAKey
	d   *big.Int
}

func (k largeSigner) sign(s Scheme, digest []byte) []byte {
	size := (k.pub.N.BitLen() + 7) / 8
	var block []byte
	if s.PSS {
		block = encodePSS(s.Hash, digest, k.pub.N.BitLen()-1)
	} else {
		info, _ := asn1.Marshal(struct {
			Algorithm pkix.AlgorithmIdentifier
			Digest    []byte
		}{pkix.AlgorithmIdentifier{Algorithm: oidSHA256, Parameters: asn1Null}, digest})
		block = append([]byte{1}, bytes.Repeat([]byte{0xff}, size-3-len(info))...)
		block = append(append(block, 0), info...)
	}
	v := new(big.Int).SetBytes(block)
	return v.Exp(v, k.d, k.pub.N).FillBytes(make([]byte, size))
}

// encodePSS does EMSA-PSS-ENCODE (RFC 8017 §9.1.1).
func encodePSS(h crypto.Hash, digest []byte, bits int) []byte {
	size, salt := (bits+7)/8, bytes.Repeat([]byte{7}, h.Size())
	sum := computeHash(h, append(append(make([]byte, 8), digest...), salt...))
	db := append(append(make([]byte, size-2*h.Size()-2), 1), salt...)
	maskMGF1(db, h, sum)
	db[0] &= 0xff >> (8*size - bits)
	return append(append(db, sum...), 0xbc)
}

func TestRSAKeysThatTheStandardLibraryRefusesVerify(t *testing.T) {
	t.Parallel()
	digest := computeHash(crypto.SHA256, content)
	for name, c := range map[string]struct {
		bits, exponent int
		given          int64
	}{
		"exponent of 40 bits": {2048, 40, 0}, "exponent of 200 bits": {2048, 200, 0}, "1025 bits, exponent of 70": {1025 + 1, 70, 0}, "512 bits": {768, 17, 65537}, "odd number of bits": {2050, 65, 0},
	} {
		pub, d := largeKey(t, c.bits, c.exponent, c.given)
		read := parseRSAKey(marshalValue(t, struct{ N, E *big.Int }{pub.N, pub.E}))
		if _, is := read.(*LargeRSAKey); is != (pub.E.BitLen() > 63) {
			t.Errorf("%s is read as %T", name, read)
		}
		for _, s := range []Scheme{{Hash: crypto.SHA256}, {Hash: crypto.SHA256, PSS: true}} {
			signature := largeSigner{pub, d}.sign(s, digest)
			if err := s.verifyDigest(read, digest, signature); err != nil {
				t.Errorf("%s %+v: %v", name, s, err)
			}
			for what, bad := range map[string][]byte{"other": append(bytes.Clone(signature[:len(signature)-1]), signature[len(signature)-1]^1), "shorter": signature[1:], "longer": append([]byte{0}, signature...), "large": bytes.Repeat([]byte{0xff}, len(signature)), "empty": nil} {
				if err := s.verifyDigest(read, digest, bad); !errors.Is(err, ErrSignature) {
					t.Errorf("%s %+v, %s value: %v", name, s, what, err)
				}
			}
			if err := s.verifyDigest(read, computeHash(crypto.SHA256, []byte("lain")), signature); !errors.Is(err, ErrSignature) {
				t.Errorf("%s %+v, other digest: %v", name, s, err)
			}
			other := s
			other.PSS = !s.PSS
			if err := other.verifyDigest(read, digest, signature); !errors.Is(err, ErrSignature) {
				t.Errorf("%s by another scheme: %v", name, err)
			}
		}
	}
	n := new(big.Int).SetBit(big.NewInt(1), 2047, 1)
	for name, k := range map[string]crypto.PublicKey{
		"exponent 1": &rsa.PublicKey{N: n, E: 1}, "even exponent": &rsa.PublicKey{N: n, E: 4}, "even modulus": &rsa.PublicKey{N: new(big.Int).Lsh(n, 1), E: 65537},
		"exponent that costs too much": &LargeRSAKey{n, new(big.Int).SetBit(big.NewInt(1), maxExponent, 1)}, "modulus that costs too much": &LargeRSAKey{new(big.Int).SetBit(big.NewInt(1), maxRSA, 1), big.NewInt(3)},
	} {
		if err := (Scheme{Hash: crypto.SHA256}).verifyDigest(k, digest, make([]byte, 256)); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOwnPSSIsThatOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	digest := computeHash(crypto.SHA384, content)
	for _, bits := range []int{1024, 1025, 1031, 2048} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		for _, salt := range []int{0, 20, 48} {
			signature, err := rsa.SignPSS(rand.Reader, key, crypto.SHA384, digest, &rsa.PSSOptions{SaltLength: salt})
			if err != nil {
				t.Fatal(err)
			}
			k := &LargeRSAKey{key.N, big.NewInt(int64(key.E))}
			if err := (Scheme{Hash: crypto.SHA384, PSS: true}).verifyLargeRSA(k, digest, signature); err != nil {
				t.Errorf("%d bits, salt of %d: %v", bits, salt, err)
			}
		}
	}
}

// ecSigner signs with a key on a curve of our own.
type ecSigner struct {
	pub *ECKey
	d   *big.Int
}

func newECSigner(t testing.TB, c *Curve) ecSigner {
	t.Helper()
	d, err := rand.Int(rand.Reader, new(big.Int).Sub(c.n, big.NewInt(1)))
	if err != nil {
		t.Fatal(err)
	}
	d.Add(d, big.NewInt(1))
	x, y := c.affine(c.combinePoints(d, new(big.Int), &ECKey{c, c.gx, c.gy}))
	return ecSigner{&ECKey{c, x, y}, d}
}

func (c *Curve) affine(p point) (x, y *big.Int) {
	z := new(big.Int).ModInverse(p.z, c.p)
	zz := c.mul(z, z)
	return c.mul(p.x, zz), c.mul(p.y, c.mul(zz, z))
}

func (k ecSigner) sign(t testing.TB, digest []byte) []byte {
	t.Helper()
	c := k.pub.Curve
	e := new(big.Int).SetBytes(digest)
	if extra := 8*len(digest) - c.n.BitLen(); extra > 0 {
		e.Rsh(e, uint(extra))
	}
	once := newECSigner(t, c)
	r := new(big.Int).Mod(once.pub.X, c.n)
	s := new(big.Int).Mul(r, k.d)
	s.Add(s, e).Mul(s, new(big.Int).ModInverse(once.d, c.n)).Mod(s, c.n)
	return marshalValue(t, struct{ R, S *big.Int }{r, s})
}

func (k ecSigner) point() []byte {
	size := (k.pub.Curve.p.BitLen() + 7) / 8
	return append(append([]byte{4}, k.pub.X.FillBytes(make([]byte, size))...), k.pub.Y.FillBytes(make([]byte, size))...)
}

func TestCurvesThatTheStandardLibraryLacksVerify(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	for _, c := range curves() {
		if c.computeRightSide(c.gx).Cmp(c.mul(c.gy, c.gy)) != 0 || !c.n.ProbablyPrime(20) || !c.p.ProbablyPrime(20) {
			t.Fatalf("%s is misspelled", c.Name)
		}
		if p := c.combinePoints(c.n, new(big.Int), &ECKey{c, c.gx, c.gy}); p.z.Sign() != 0 {
			t.Fatalf("%s has another order", c.Name)
		}
		k := newECSigner(t, c)
		b := ca.certify(t, ca.key.Public(), func(p *parts) {
			p.key = keyInfo(encodeDER(0x30, encodeOID(t, oidKeyEC), encodeOID(t, c.OID)), k.point())
		})
		cert, err := ParseCertificate(b)
		if err != nil {
			t.Fatal(err)
		}
		if kind, bits := KeySize(cert.PublicKey); kind != "ECDSA" || bits != c.Bits() {
			t.Errorf("%s: %s-%d", c.Name, kind, bits)
		}
		for _, h := range []crypto.Hash{crypto.SHA1, crypto.SHA512} {
			digest := computeHash(h, content)
			signature := k.sign(t, digest)
			if err := (Scheme{Hash: h}).verifyDigest(cert.PublicKey, digest, signature); err != nil {
				t.Errorf("%s %v: %v", c.Name, h, err)
			}
			if err := (Scheme{Hash: h}).verifyDigest(cert.PublicKey, computeHash(h, []byte("lain")), signature); !errors.Is(err, ErrSignature) {
				t.Errorf("%s %v, other content: %v", c.Name, h, err)
			}
		}
		zero, order := new(big.Int), c.n
		for name, v := range map[string]struct{ R, S *big.Int }{"nothing": {zero, zero}, "r alone": {big.NewInt(1), zero}, "s alone": {zero, big.NewInt(1)}, "the order": {order, order}, "negative": {big.NewInt(-1), big.NewInt(1)}} {
			if err := (Scheme{Hash: crypto.SHA256}).verifyDigest(cert.PublicKey, computeHash(crypto.SHA256, content), marshalValue(t, v)); !errors.Is(err, ErrSignature) {
				t.Errorf("%s, %s: %v", c.Name, name, err)
			}
		}
	}
}

func TestPointOffTheCurveIsRefused(t *testing.T) {
	t.Parallel()
	c := curves()[0]
	k := newECSigner(t, c)
	good := k.point()
	size := len(good) / 2
	if got := parseECKey(c, append([]byte{2 + byte(k.pub.Y.Bit(0))}, good[1:1+size]...)); got == nil || got.Y.Cmp(k.pub.Y) != 0 {
		t.Error("a compressed point is another")
	}
	bad := bytes.Clone(good)
	bad[len(bad)-1] ^= 1
	for name, b := range map[string][]byte{
		"off the curve": bad, "cut off": good[:len(good)-1], "too long": append(bytes.Clone(good), 0), "infinity": {0}, "nothing": nil, "another form": append([]byte{6}, good[1:]...),
		"x beyond the field": append([]byte{4}, bytes.Repeat([]byte{0xff}, 2*size)...), "compressed, of no point": append([]byte{2}, newPointOff(c, size)...),
	} {
		if k := parseECKey(c, b); k != nil {
			t.Errorf("%s: %v", name, k)
		}
	}
}

// newPointOff is the x of no point.
func newPointOff(c *Curve, size int) []byte {
	x := big.NewInt(1)
	for new(big.Int).ModSqrt(c.computeRightSide(x), c.p) != nil {
		x.Add(x, big.NewInt(1))
	}
	return x.FillBytes(make([]byte, size))
}

// encodeParameters states a curve by its parameters (RFC 3279 §2.3.5).
func encodeParameters(t testing.TB, c *Curve, base []byte) []byte {
	t.Helper()
	size := (c.p.BitLen() + 7) / 8
	octets := func(n *big.Int) []byte { return encodeDER(4, n.FillBytes(make([]byte, size))) }
	return encodeDER(0x30, []byte{2, 1, 1}, encodeDER(0x30, encodeOID(t, asn1.ObjectIdentifier{1, 2, 840, 10045, 1, 1}), marshalValue(t, c.p)), encodeDER(0x30, octets(c.a), octets(c.b)), encodeDER(4, base), marshalValue(t, c.n), []byte{2, 1, 1})
}

func TestExplicitParametersMustAllBeThoseOfAKnownCurve(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := newIssuer(t)
	pub, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p := elliptic.P256().Params()
	curve := &Curve{p: p.P, a: new(big.Int).Sub(p.P, big.NewInt(3)), b: p.B, gx: p.Gx, gy: p.Gy, n: p.N}
	base := ecSigner{pub: &ECKey{curve, p.Gx, p.Gy}}.point()
	with := func(parameters, point []byte) []byte {
		return ca.certify(t, key.Public(), func(p *parts) { p.key = keyInfo(encodeDER(0x30, encodeOID(t, oidKeyEC), parameters), point) })
	}
	for name, b := range map[string][]byte{
		"stated":     with(encodeParameters(t, curve, base), pub),
		"compressed": with(encodeOID(t, asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}), append([]byte{2 + pub[64]&1}, pub[1:33]...)),
	} {
		if _, err := x509.ParseCertificate(b); err == nil {
			t.Errorf("%s: crypto/x509 reads it", name)
		}
		sd, cert := signedBy(t, key, b, Options{})
		wantSignature(t, sd)
		if !key.PublicKey.Equal(cert.PublicKey) {
			t.Errorf("%s: %v", name, cert.PublicKey)
		}
	}
	own := newECSigner(t, curves()[5])
	stated, err := ParseCertificate(with(encodeParameters(t, own.pub.Curve, ecSigner{pub: &ECKey{own.pub.Curve, own.pub.Curve.gx, own.pub.Curve.gy}}.point()), own.point()))
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := stated.PublicKey.(*ECKey); !ok || k.Curve != own.pub.Curve || k.X.Cmp(own.pub.X) != 0 {
		t.Errorf("%v", stated.PublicKey)
	}
	// An attacker who chooses the base point can choose the private key to it (CVE-2020-0601).
	for name, b := range map[string][]byte{
		"another base": with(encodeParameters(t, curve, pub), pub), "no parameters": with(nil, pub), "parameters of nothing": with(encodeDER(0x30), pub), "unknown name": with(encodeOID(t, asn1.ObjectIdentifier{1, 3, 132, 0, 1}), pub),
		"no point": with(encodeParameters(t, curve, base), pub[:30]),
	} {
		cert, err := ParseCertificate(b)
		if err != nil {
			t.Fatal(name, err)
		}
		k, ok := cert.PublicKey.(*UnsupportedKey)
		if !ok || !strings.Contains(k.String(), "ECDSA on ") {
			t.Errorf("%s: %v", name, cert.PublicKey)
		}
		s := Signer{SignatureID: pkix.AlgorithmIdentifier{Algorithm: oidECDSASHA256}, Digest: crypto.SHA256}
		if _, err := s.Scheme(cert); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsupportedKeyIsNamed(t *testing.T) {
	t.Parallel()
	for want, b := range map[string][]byte{
		"Ed448":                          keyInfo(encodeDER(0x30, encodeOID(t, oidKeyEd448)), make([]byte, 57)),
		"algorithm 1.2.3.4":              keyInfo(encodeDER(0x30, encodeOID(t, asn1.ObjectIdentifier{1, 2, 3, 4})), []byte{1}),
		"unreadable":                     {5, 0},
		"RSA":                            keyInfo(encodeDER(0x30, encodeOID(t, oidRSA)), marshalValue(t, struct{ N, E int }{35, 5})),
		"algorithm 1.2.840.113549.1.1.1": keyInfo(encodeDER(0x30, encodeOID(t, oidRSA)), marshalValue(t, struct{ N, E int }{-35, 5})),
	} {
		k, _ := parseKey(b)
		if kind, _ := KeySize(k); kind != want {
			t.Errorf("%s, want %s", kind, want)
		}
	}
	if kind, bits := KeySize(nil); kind != "<nil>" || bits != 0 {
		t.Errorf("%s %d", kind, bits)
	}
}

func TestOldDSASignatureVerifies(t *testing.T) {
	t.Parallel()
	key := &dsa.PrivateKey{}
	if err := dsa.GenerateParameters(&key.Parameters, rand.Reader, dsa.L1024N160); err != nil {
		t.Fatal(err)
	}
	if err := dsa.GenerateKey(key, rand.Reader); err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{PublicKey: &key.PublicKey}
	for _, id := range []asn1.ObjectIdentifier{oidDSASHA1, oidDSASHA256, oidKeyDSA} {
		s, err := parseScheme(pkix.AlgorithmIdentifier{Algorithm: id}, crypto.SHA1, cert)
		if err != nil {
			t.Fatal(err)
		}
		digest := computeHash(s.Hash, content)
		r, v, err := dsa.Sign(rand.Reader, key, digest[:20])
		if err != nil {
			t.Fatal(err)
		}
		signature := marshalValue(t, struct{ R, S *big.Int }{r, v})
		if err := s.verifyMessage(cert.PublicKey, content, signature); err != nil {
			t.Errorf("%v: %v", id, err)
		}
		if err := s.verifyMessage(cert.PublicKey, []byte("lain"), signature); !errors.Is(err, ErrSignature) {
			t.Errorf("%v, other content: %v", id, err)
		}
	}
	if _, err := parseScheme(pkix.AlgorithmIdentifier{Algorithm: oidRSA}, crypto.SHA1, cert); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("RSA with a DSA key: %v", err)
	}
}

func TestWhatOpenSSLSignsWithUncommonKeysVerifies(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Fatal("openssl is needed to sign: ", err)
	}
	for name, args := range map[string][]string{
		"brainpoolP256r1": {"ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"}, "brainpoolP512r1": {"ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP512r1"},
		"secp256k1": {"ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"}, "P-192": {"ec", "-pkeyopt", "ec_paramgen_curve:prime192v1"},
		"P-384, explicit": {"ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-pkeyopt", "ec_param_enc:explicit"},
		"large exponent":  {"rsa", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_keygen_pubexp:1099511627791"},
		"RSA-PSS":         {"rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			run := func(args ...string) {
				if out, err := exec.Command(openssl, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %v: %s", args, err, out)
				}
			}
			if err := os.WriteFile(in("content"), content, 0o600); err != nil {
				t.Fatal(err)
			}
			run(append([]string{"genpkey", "-out", in("key"), "-algorithm"}, args...)...)
			run("req", "-x509", "-new", "-key", in("key"), "-subj", "/CN=Sari", "-days", "30", "-out", in("cert"), "-sha256")
			sign := []string{"cms", "-sign", "-binary", "-in", in("content"), "-signer", in("cert"), "-inkey", in("key"), "-outform", "DER", "-md", "sha256", "-out", in("cms")}
			if name == "RSA-PSS" {
				sign = append(sign, "-keyopt", "rsa_padding_mode:pss")
			}
			run(sign...)
			b, err := os.ReadFile(in("cms"))
			if err != nil {
				t.Fatal(err)
			}
			sd, err := Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			s := sd.Signers[0]
			if err := sd.Verify(s, computeHash(s.Digest, content)); err != nil {
				t.Errorf("%v; refused %v", err, sd.Refused)
			}
			if err := sd.Verify(s, computeHash(s.Digest, []byte("lain"))); err == nil {
				t.Error("other content verifies")
			}
		})
	}
}
