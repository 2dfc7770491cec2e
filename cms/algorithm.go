package cms

import (
	"crypto"
	"crypto/dsa" //lint:ignore SA1019 read in old signatures only
	"crypto/ecdsa"
	"crypto/ed25519"
	_ "crypto/md5" // read in old signatures only
	"crypto/rsa"
	_ "crypto/sha1" // the same
	_ "crypto/sha256"
	_ "crypto/sha3"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
)

// ErrAlgorithm is an algorithm that is unknown, or not to be used with that key.
var ErrAlgorithm = errors.New("unsupported algorithm")

var hashes = []struct {
	hash       crypto.Hash
	oid        asn1.ObjectIdentifier
	rsa, ecdsa asn1.ObjectIdentifier
}{
	{crypto.SHA256, oidSHA256, oidRSASHA256, oidECDSASHA256},
	{crypto.SHA384, oidSHA384, oidRSASHA384, oidECDSASHA384},
	{crypto.SHA512, oidSHA512, oidRSASHA512, oidECDSASHA512},
	{crypto.SHA224, oidSHA224, oidRSASHA224, oidECDSASHA224},
	{crypto.SHA3_256, oidSHA3_256, oidRSASHA3_256, oidECDSASHA3_256},
	{crypto.SHA3_384, oidSHA3_384, oidRSASHA3_384, oidECDSASHA3_384},
	{crypto.SHA3_512, oidSHA3_512, oidRSASHA3_512, oidECDSASHA3_512},
	{crypto.SHA1, oidSHA1, oidRSASHA1, oidECDSASHA1},
	{crypto.MD5, oidMD5, oidRSAMD5, nil},
}

// isSigningHash are the hashes that signatures are made with. The others are read.
func isSigningHash(h crypto.Hash) bool {
	return h == crypto.SHA256 || h == crypto.SHA384 || h == crypto.SHA512
}

// HashOf returns the hash that an identifier names. MD5 counts as unknown.
func HashOf(id pkix.AlgorithmIdentifier) (crypto.Hash, error) {
	h, err := parseHash(id)
	if h == crypto.MD5 {
		return 0, fmt.Errorf("%w: hash %v", ErrAlgorithm, h)
	}
	return h, err
}

func parseHash(id pkix.AlgorithmIdentifier) (crypto.Hash, error) {
	for _, h := range hashes {
		if h.oid.Equal(id.Algorithm) {
			return h.hash, nil
		}
	}
	return 0, fmt.Errorf("%w: hash %v", ErrAlgorithm, id.Algorithm)
}

// HashIdentifier names a hash; SHA-2 identifiers have no parameters (RFC 5754 §2).
func HashIdentifier(h crypto.Hash) (pkix.AlgorithmIdentifier, error) {
	for _, k := range hashes {
		if k.hash == h {
			return pkix.AlgorithmIdentifier{Algorithm: k.oid}, nil
		}
	}
	return pkix.AlgorithmIdentifier{}, fmt.Errorf("%w: hash %v", ErrAlgorithm, h)
}

// Scheme is how a key signs.
type Scheme struct {
	Hash crypto.Hash
	PSS  bool // RSA with PSS padding instead of PKCS #1 v1.5; the salt is as long as the hash
}

// SchemeFor returns the usual scheme of a key: the hash that fits the curve, SHA-256 for RSA.
func SchemeFor(pub crypto.PublicKey) (Scheme, error) {
	switch k := pub.(type) {
	case *rsa.PublicKey:
		return Scheme{Hash: crypto.SHA256}, nil
	case *ecdsa.PublicKey:
		switch bits := k.Curve.Params().BitSize; {
		case bits <= 256:
			return Scheme{Hash: crypto.SHA256}, nil
		case bits <= 384:
			return Scheme{Hash: crypto.SHA384}, nil
		default:
			return Scheme{Hash: crypto.SHA512}, nil
		}
	case ed25519.PublicKey:
		return Scheme{Hash: crypto.SHA512}, nil // RFC 8419 §3: the message digest with Ed25519 is SHA-512
	}
	return Scheme{}, fmt.Errorf("%w: key of type %T", ErrAlgorithm, pub)
}

// IsCompatible reports whether a key can sign by that scheme.
func IsCompatible(s Scheme, pub crypto.PublicKey) bool {
	_, err := s.buildIdentifier(pub)
	return err == nil
}

// maxRSA bounds an RSA modulus in bits, and a prime of DSA. The cost of verifying grows with the square: a modulus of a
// million bits, which a certificate of 128 KiB can state, takes half a minute. Exponents are bounded as FIPS 186-5 §5.1
// has it.
const (
	maxRSA      = 16384
	maxExponent = 256
)

// CheckKey refuses a public key that would be too costly to verify with. Whoever verifies with the keys of
// certificates that a stranger sent asks first; [Parse] has done so for those in a container.
func CheckKey(pub crypto.PublicKey) error {
	kind, bits := KeySize(pub)
	if bits > maxRSA {
		return fmt.Errorf("%w: %s key of %d bits", ErrAlgorithm, kind, bits)
	}
	if k, ok := pub.(*LargeRSAKey); ok && k.E.BitLen() > maxExponent {
		return fmt.Errorf("%w: RSA key with an exponent of %d bits", ErrAlgorithm, k.E.BitLen())
	}
	return nil
}

type pssParameters struct {
	Hash         pkix.AlgorithmIdentifier `asn1:"optional,explicit,tag:0"`
	MGF          pkix.AlgorithmIdentifier `asn1:"optional,explicit,tag:1"`
	SaltLength   int                      `asn1:"optional,explicit,tag:2,default:20"`
	TrailerField int                      `asn1:"optional,explicit,tag:3,default:1"`
}

var asn1Null = asn1.RawValue{Tag: asn1.TagNull}

// buildIdentifier names the signature algorithm: RSA with NULL parameters, ECDSA and Ed25519 with none, PSS with
// all of them spelled out (RFC 4055 §3.1, RFC 5758 §3.2, RFC 8410 §3).
func (s Scheme) buildIdentifier(pub crypto.PublicKey) (pkix.AlgorithmIdentifier, error) {
	for _, h := range hashes {
		if h.hash != s.Hash || !isSigningHash(h.hash) {
			continue
		}
		switch pub.(type) {
		case *rsa.PublicKey:
			if !s.PSS {
				return pkix.AlgorithmIdentifier{Algorithm: h.rsa, Parameters: asn1Null}, nil
			}
			return buildPSSIdentifier(h.hash, h.oid)
		case *ecdsa.PublicKey:
			return pkix.AlgorithmIdentifier{Algorithm: h.ecdsa}, nil
		case ed25519.PublicKey:
			if s.Hash == crypto.SHA512 { // RFC 8419 §3: no other
				return pkix.AlgorithmIdentifier{Algorithm: oidEd25519}, nil
			}
		}
	}
	return pkix.AlgorithmIdentifier{}, fmt.Errorf("%w: %v with a key of type %T", ErrAlgorithm, s.Hash, pub)
}

func buildPSSIdentifier(h crypto.Hash, oid asn1.ObjectIdentifier) (pkix.AlgorithmIdentifier, error) {
	id := pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1Null}
	inner, err := asn1.Marshal(id)
	if err != nil {
		return pkix.AlgorithmIdentifier{}, err
	}
	params, err := asn1.Marshal(pssParameters{
		Hash: id, MGF: pkix.AlgorithmIdentifier{Algorithm: oidMGF1, Parameters: asn1.RawValue{FullBytes: inner}},
		SaltLength: h.Size(), TrailerField: 1,
	})
	if err != nil {
		return pkix.AlgorithmIdentifier{}, err
	}
	return pkix.AlgorithmIdentifier{Algorithm: oidPSS, Parameters: asn1.RawValue{FullBytes: params}}, nil
}

// signerOptions are what crypto.Signer wants to know.
func (s Scheme) signerOptions(pub crypto.PublicKey) crypto.SignerOpts {
	switch {
	case isEd25519(pub):
		return crypto.Hash(0) // Ed25519 signs the message itself
	case s.PSS:
		return &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: s.Hash}
	}
	return s.Hash
}

func isEd25519(pub crypto.PublicKey) bool {
	_, ok := pub.(ed25519.PublicKey)
	return ok
}

// parseScheme reads a signature algorithm as a signer info names it: with its own identifier, or with the plain
// key's and the hash from digestAlgorithm. The algorithm has to be one of the certificate's kind of key; else what
// is named and protected by the attributes would not be what is verified.
func parseScheme(id pkix.AlgorithmIdentifier, digest crypto.Hash, cert *x509.Certificate) (Scheme, error) {
	var isRSA, isECDSA, isDSA bool
	switch cert.PublicKey.(type) {
	case *rsa.PublicKey, *LargeRSAKey:
		isRSA = true
	case *ecdsa.PublicKey, *ECKey:
		isECDSA = true
	case *dsa.PublicKey:
		isDSA = true
	}
	// A key that is certified for PSS is for nothing else (RFC 4055 §1.2).
	if isRSA && !id.Algorithm.Equal(oidPSS) && isPSSKey(cert.RawSubjectPublicKeyInfo) {
		return Scheme{}, fmt.Errorf("%w: signature %v with a key for PSS alone", ErrAlgorithm, id.Algorithm)
	}
	for _, h := range hashes {
		if isRSA && h.rsa.Equal(id.Algorithm) || isECDSA && h.ecdsa.Equal(id.Algorithm) {
			return Scheme{Hash: h.hash}, nil
		}
	}
	switch {
	case isRSA && id.Algorithm.Equal(oidRSA), isECDSA && id.Algorithm.Equal(oidKeyEC), isDSA && id.Algorithm.Equal(oidKeyDSA):
		return Scheme{Hash: digest}, nil
	case isDSA && id.Algorithm.Equal(oidDSASHA1):
		return Scheme{Hash: crypto.SHA1}, nil
	case isDSA && id.Algorithm.Equal(oidDSASHA256):
		return Scheme{Hash: crypto.SHA256}, nil
	case isEd25519(cert.PublicKey) && id.Algorithm.Equal(oidEd25519):
		return Scheme{Hash: crypto.SHA512}, nil
	case isRSA && id.Algorithm.Equal(oidPSS):
		return parsePSSParameters(id.Parameters.FullBytes)
	}
	kind, _ := KeySize(cert.PublicKey)
	return Scheme{}, fmt.Errorf("%w: signature %v with a key of %s", ErrAlgorithm, id.Algorithm, kind)
}

// isPSSKey reports whether a SubjectPublicKeyInfo is that of a key for PSS alone.
func isPSSKey(der []byte) bool {
	info, _, _ := parseElement(der)
	algorithm, _, _ := parseElement(info.content)
	id, _, _ := parseElement(algorithm.content)
	var oid asn1.ObjectIdentifier
	_, err := asn1.Unmarshal(id.full, &oid)
	return err == nil && oid.Equal(oidPSS)
}

// parsePSSParameters reads the parameters of PSS. What they leave out is SHA-1 and 20 bytes of salt (RFC 4055 §3.1).
func parsePSSParameters(der []byte) (Scheme, error) {
	unsupported := fmt.Errorf("%w: PSS parameters", ErrAlgorithm)
	var p pssParameters
	if rest, err := asn1.Unmarshal(der, &p); err != nil || len(rest) > 0 {
		return Scheme{}, unsupported
	}
	sha1 := pkix.AlgorithmIdentifier{Algorithm: oidSHA1}
	if p.Hash.Algorithm == nil {
		p.Hash = sha1
	}
	h, err := HashOf(p.Hash)
	if err != nil {
		return Scheme{}, err
	}
	mgf := sha1
	if p.MGF.Algorithm != nil {
		mgf = pkix.AlgorithmIdentifier{}
		if _, err := asn1.Unmarshal(p.MGF.Parameters.FullBytes, &mgf); err != nil || !p.MGF.Algorithm.Equal(oidMGF1) {
			return Scheme{}, unsupported
		}
	}
	if !mgf.Algorithm.Equal(p.Hash.Algorithm) || p.TrailerField != 1 {
		return Scheme{}, unsupported
	}
	return Scheme{Hash: h, PSS: true}, nil
}

// ErrSignature is a signature value that is not what the key makes of the message.
var ErrSignature = errors.New("the signature does not match")

// verifyMessage checks a signature over the message.
func (s Scheme) verifyMessage(pub crypto.PublicKey, message, signature []byte) error {
	if k, ok := pub.(ed25519.PublicKey); ok {
		if !ed25519.Verify(k, message, signature) {
			return ErrSignature
		}
		return nil
	}
	if !s.Hash.Available() {
		return fmt.Errorf("%w: hash %v", ErrAlgorithm, s.Hash)
	}
	h := s.Hash.New()
	h.Write(message)
	return s.verifyDigest(pub, h.Sum(nil), signature)
}

// verifyDigest checks a signature over what has that digest. The error is ErrSignature only if the signature value was
// compared with what the key makes of the digest.
func (s Scheme) verifyDigest(pub crypto.PublicKey, digest, signature []byte) error {
	holds := false
	switch k := pub.(type) {
	case *rsa.PublicKey:
		err := s.verifyRSA(k, digest, signature)
		if err != nil && !errors.Is(err, rsa.ErrVerification) {
			// crypto/rsa refuses the key, for its size or its exponent.
			return s.verifyLargeRSA(&LargeRSAKey{k.N, big.NewInt(int64(k.E))}, digest, signature)
		}
		holds = err == nil
	case *LargeRSAKey:
		return s.verifyLargeRSA(k, digest, signature)
	case *ecdsa.PublicKey:
		holds = ecdsa.VerifyASN1(k, digest, signature)
	case *ECKey:
		holds = k.verifyECDSA(digest, signature)
	case *dsa.PublicKey:
		r, t, ok := parseSignaturePair(signature)
		holds = ok && dsa.Verify(k, digest[:min(len(digest), (k.Q.BitLen()+7)/8)], r, t)
	default:
		kind, _ := KeySize(pub)
		return fmt.Errorf("%w: key of %s with a digest", ErrAlgorithm, kind)
	}
	if !holds {
		return ErrSignature
	}
	return nil
}

func (s Scheme) verifyRSA(k *rsa.PublicKey, digest, signature []byte) error {
	if s.PSS {
		return rsa.VerifyPSS(k, s.Hash, digest, signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthAuto, Hash: s.Hash})
	}
	return rsa.VerifyPKCS1v15(k, s.Hash, digest, signature)
}
