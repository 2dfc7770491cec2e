package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"fmt"
)

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
