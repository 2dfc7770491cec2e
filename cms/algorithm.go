package cms

import (
	"bytes"
	"crypto"
	"crypto/dsa" //lint:ignore SA1019 read in old signatures only
	"crypto/ecdsa"
	"crypto/ed25519"
	_ "crypto/md5" // only for old signatures
	"crypto/rsa"
	_ "crypto/sha1" // only for old signatures
	_ "crypto/sha256"
	_ "crypto/sha3"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"segel/der"
)

// ErrAlgorithm is an algorithm that is unknown or that does not fit the key.
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

// isSigningHash reports whether new signatures may use a hash. The others are for verification only.
func isSigningHash(h crypto.Hash) bool {
	return h == crypto.SHA256 || h == crypto.SHA384 || h == crypto.SHA512
}

// HashOf returns the hash that an identifier names. MD5 is refused.
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

// HashIdentifier returns the identifier of a hash; SHA-2 identifiers have no parameters (RFC 5754 §2).
func HashIdentifier(h crypto.Hash) (pkix.AlgorithmIdentifier, error) {
	for _, k := range hashes {
		if k.hash == h {
			return pkix.AlgorithmIdentifier{Algorithm: k.oid}, nil
		}
	}
	return pkix.AlgorithmIdentifier{}, fmt.Errorf("%w: hash %v", ErrAlgorithm, h)
}

// Scheme is a signature scheme of a key.
type Scheme struct {
	Hash crypto.Hash
	PSS  bool // RSA with PSS padding instead of PKCS #1 v1.5; the salt is as long as the hash
}

// SchemeFor returns the default scheme of a key: the hash that fits the curve, SHA-256 for RSA.
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

// IsCompatible reports whether a key can sign with that scheme.
func IsCompatible(s Scheme, pub crypto.PublicKey) bool {
	_, err := s.BuildIdentifier(pub)
	return err == nil
}

// Limits in bits: an RSA modulus or a prime of DSA, and an RSA exponent. The cost of verification grows with the square
// of the modulus: one of a million bits, which fits a certificate of 128 KiB, takes half a minute. The limit of
// exponents is that of FIPS 186-5 §5.1.
const (
	maxRSA      = 16384
	maxExponent = 256
)

// CheckKey refuses a public key that would be too costly to verify with. Call it before verifying with a key from an
// untrusted certificate; [Parse] has checked those in a container.
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

// BuildIdentifier returns the identifier of the signature algorithm: RSA with NULL parameters, ECDSA and Ed25519 with
// none, PSS with all of them explicit (RFC 4055 §3.1, RFC 5758 §3.2, RFC 8410 §3).
func (s Scheme) BuildIdentifier(pub crypto.PublicKey) (pkix.AlgorithmIdentifier, error) {
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

// buildIdentifiers returns the identifiers of the hash and of the signature algorithm.
func (s Scheme) buildIdentifiers(pub crypto.PublicKey) (hash, signature pkix.AlgorithmIdentifier, err error) {
	if hash, err = HashIdentifier(s.Hash); err == nil {
		signature, err = s.BuildIdentifier(pub)
	}
	return hash, signature, err
}

func buildPSSIdentifier(h crypto.Hash, oid asn1.ObjectIdentifier) (pkix.AlgorithmIdentifier, error) {
	id := pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1Null}
	hash, err := der.EncodeAlgorithm(der.TagSequence, id)
	if err != nil {
		return pkix.AlgorithmIdentifier{}, err
	}
	mgf, err := der.EncodeAlgorithm(der.TagSequence, pkix.AlgorithmIdentifier{Algorithm: oidMGF1, Parameters: asn1.RawValue{FullBytes: hash}})
	if err != nil {
		return pkix.AlgorithmIdentifier{}, err
	}
	params := der.EncodeElement(der.TagSequence, // without the trailer field, which has its default
		der.EncodeElement(der.TagContext, hash),
		der.EncodeElement(der.TagContext|1, mgf),
		der.EncodeElement(der.TagContext|2, der.EncodeInteger(big.NewInt(int64(h.Size())))))
	return pkix.AlgorithmIdentifier{Algorithm: oidPSS, Parameters: asn1.RawValue{FullBytes: params}}, nil
}

// readAlgorithm reads the contents of an AlgorithmIdentifier.
func readAlgorithm(r der.Reader) (id pkix.AlgorithmIdentifier, ok bool) {
	id.Algorithm = readOID(&r)
	if r.More() {
		id.Parameters = r.ReadValue()
	}
	return id, !r.Failed()
}

// readOID reads an object identifier. Those of this package are not allocated again.
func readOID(r *der.Reader) asn1.ObjectIdentifier {
	content := r.ReadContent(der.TagOID)
	if id, known := knownOIDs[string(content)]; known {
		return id
	}
	id, ok := der.ParseOID(content)
	r.Require(ok)
	return id
}

// signerOptions returns the options for crypto.Signer.
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

// parseScheme returns the signature scheme of a signer info: its algorithm identifier may name the hash, or only the
// key, with the hash from digestAlgorithm. The algorithm must fit the certificate's key; otherwise the algorithm that
// the attributes protect would not be the one that is verified.
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
	// A key that is certified for PSS must not be used otherwise (RFC 4055 §1.2).
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

// isPSSKey reports whether a SubjectPublicKeyInfo is for PSS only.
func isPSSKey(publicKey []byte) bool {
	info, _, _ := parseElement(publicKey)
	algorithm, _, _ := parseElement(info.content)
	id, _, _ := parseElement(algorithm.content)
	r := der.NewReader(id.full)
	return readOID(&r).Equal(oidPSS)
}

// parsePSSParameters parses the parameters of PSS. The defaults are SHA-1 and 20 bytes of salt (RFC 4055 §3.1).
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

// ErrSignature is a signature value that does not verify.
var ErrSignature = errors.New("the signature does not match")

// encode returns bytes that differ for different schemes.
func (s Scheme) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(s.Hash))
	return strconv.AppendBool(b, s.PSS)
}

// verifyMessage verifies a signature over a message.
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

// verifyDigest verifies a signature over a digest. The error is ErrSignature only if the signature value was computed
// and differs.
func (s Scheme) verifyDigest(pub crypto.PublicKey, digest, signature []byte) error {
	holds := false
	switch k := pub.(type) {
	case *rsa.PublicKey:
		var err error
		if s.PSS {
			err = rsa.VerifyPSS(k, s.Hash, digest, signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthAuto, Hash: s.Hash})
		} else {
			err = rsa.VerifyPKCS1v15(k, s.Hash, digest, signature)
		}
		if err != nil && !errors.Is(err, rsa.ErrVerification) {
			// crypto/rsa refuses the key because of its size or exponent.
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

// verifyLargeRSA verifies with a key that crypto/rsa refuses, such as one with an exponent of more than 31 bits.
// Errors: ErrAlgorithm, ErrSignature.
func (s Scheme) verifyLargeRSA(k *LargeRSAKey, digest, signature []byte) error {
	if err := CheckKey(k); err != nil {
		return err
	}
	if !s.Hash.Available() || len(digest) != s.Hash.Size() {
		return fmt.Errorf("%w: hash %v", ErrAlgorithm, s.Hash)
	}
	// Such keys are insecure, so crypto/rsa refuses them too.
	if k.N.Bit(0) == 0 || k.E.Bit(0) == 0 || k.E.BitLen() < 2 {
		return fmt.Errorf("%w: RSA key with an even modulus or exponent, or the exponent 1", ErrAlgorithm)
	}
	size := (k.N.BitLen() + 7) / 8
	v := new(big.Int).SetBytes(signature)
	if len(signature) != size || v.Cmp(k.N) >= 0 {
		return ErrSignature
	}
	block := v.Exp(v, k.E, k.N).FillBytes(make([]byte, size))
	holds := s.verifyPSSBlock
	if !s.PSS {
		holds = s.verifyPKCS1Block
	}
	if !holds(block, k.N.BitLen()-1, digest) {
		return ErrSignature
	}
	return nil
}

// verifyPKCS1Block compares a block with the EMSA-PKCS1-v1_5 encoding of a digest (RFC 8017 §9.2).
func (s Scheme) verifyPKCS1Block(block []byte, _ int, digest []byte) bool {
	for _, h := range hashes {
		if h.hash != s.Hash {
			continue
		}
		info, err := asn1.Marshal(struct {
			Algorithm pkix.AlgorithmIdentifier
			Digest    []byte
		}{pkix.AlgorithmIdentifier{Algorithm: h.oid, Parameters: asn1Null}, digest})
		padding := len(block) - 3 - len(info)
		if err != nil || padding < 8 {
			return false
		}
		want := append([]byte{0, 1}, bytes.Repeat([]byte{0xff}, padding)...)
		return bytes.Equal(block, append(append(want, 0), info...))
	}
	return false
}

// verifyPSSBlock is EMSA-PSS-VERIFY with a salt of any length (RFC 8017 §9.1.2). Bits is the length of the encoded
// message.
func (s Scheme) verifyPSSBlock(block []byte, bits int, digest []byte) bool {
	size := (bits + 7) / 8
	if size < len(block) { // the modulus is one bit longer than whole bytes
		if block[0] != 0 {
			return false
		}
		block = block[len(block)-size:]
	}
	h := s.Hash.New()
	length := h.Size()
	if size < length+2 || block[size-1] != 0xbc {
		return false
	}
	db, sum := bytes.Clone(block[:size-length-1]), block[size-length-1:size-1]
	unused := byte(0xff) << (8 - (8*size - bits))
	if db[0]&unused != 0 {
		return false
	}
	maskMGF1(db, s.Hash, sum)
	db[0] &^= unused
	i := bytes.IndexByte(db, 1)
	if i < 0 || len(bytes.Trim(db[:i], "\x00")) > 0 {
		return false
	}
	h.Write(make([]byte, 8))
	h.Write(digest)
	h.Write(db[i+1:])
	return bytes.Equal(h.Sum(nil), sum)
}

// maskMGF1 applies the MGF1 mask of a seed (RFC 8017 §B.2.1).
func maskMGF1(b []byte, hash crypto.Hash, seed []byte) {
	for counter := uint32(0); len(b) > 0; counter++ {
		h := hash.New()
		h.Write(seed)
		h.Write([]byte{byte(counter >> 24), byte(counter >> 16), byte(counter >> 8), byte(counter)})
		for _, m := range h.Sum(nil) {
			if len(b) == 0 {
				return
			}
			b[0] ^= m
			b = b[1:]
		}
	}
}

// VerifyLegacy verifies like Verify, and also accepts old signatures: with MD5, or without signed attributes, where the
// key signed the content itself (RFC 5652 §5.4) and the certificate is not protected. The result says nothing about the
// strength of such a signature today.
func (sd *SignedData) VerifyLegacy(s Signer, digest []byte) error {
	cert := sd.Certificate(s)
	if cert == nil {
		return sd.newMissingCertificate()
	}
	scheme, err := parseScheme(s.SignatureID, s.Digest, cert)
	if err != nil {
		return err
	}
	if s.SignedDER != nil {
		return sd.verifyAttributes(s, cert, scheme, digest)
	}
	if scheme.Hash != s.Digest {
		return fmt.Errorf("%w: a signature by %v over a digest by %v", ErrAlgorithm, scheme.Hash, s.Digest)
	}
	return scheme.verifyDigest(cert.PublicKey, digest, s.Signature)
}

// Hashes returns the hashes that a signature depends on: that of the content, and that of the signed attributes if it
// differs.
func (s Signer) Hashes(cert *x509.Certificate) []crypto.Hash {
	if scheme, err := s.Scheme(cert); err == nil && scheme.Hash != s.Digest {
		return []crypto.Hash{s.Digest, scheme.Hash}
	}
	return []crypto.Hash{s.Digest}
}

// Scheme returns the signature scheme of the signer with the key of that certificate. Errors: ErrAlgorithm.
func (s Signer) Scheme(cert *x509.Certificate) (Scheme, error) {
	return parseScheme(s.SignatureID, s.Digest, cert)
}

// VerifyRSA verifies a bare RSA signature over a SHA-1 digest, as in the PDF format adbe.x509.rsa_sha1. Errors:
// ErrAlgorithm, ErrSignature.
func VerifyRSA(cert *x509.Certificate, digest, signature []byte) error {
	kind, bits := KeySize(cert.PublicKey)
	if kind != "RSA" {
		return fmt.Errorf("%w: key of %s", ErrAlgorithm, kind)
	}
	if err := CheckKey(cert.PublicKey); err != nil {
		return err
	}
	// Some writers omit leading zeros, as if the value were a number.
	if n := (bits+7)/8 - len(signature); n > 0 {
		signature = append(bytes.Repeat([]byte{0}, n), signature...)
	}
	return Scheme{Hash: crypto.SHA1}.verifyDigest(cert.PublicKey, digest, signature)
}
