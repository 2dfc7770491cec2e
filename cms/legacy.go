package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"fmt"
)

// VerifyLegacy checks what Verify does, of signatures that were made long ago as well: by MD5, or without signed
// attributes, where the key signed the content itself (RFC 5652 §5.4) and nothing binds the certificate. It says
// nothing about what such a signature is worth today.
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

// Hashes are those that a signature by a certificate's key rests on: that of the content, and that of the signed
// attributes if it is another.
func (s Signer) Hashes(cert *x509.Certificate) []crypto.Hash {
	if scheme, err := s.Scheme(cert); err == nil && scheme.Hash != s.Digest {
		return []crypto.Hash{s.Digest, scheme.Hash}
	}
	return []crypto.Hash{s.Digest}
}

// Scheme returns how the signer says that he signed, with the key of that certificate. Errors: ErrAlgorithm.
func (s Signer) Scheme(cert *x509.Certificate) (Scheme, error) {
	return parseScheme(s.SignatureID, s.Digest, cert)
}

// VerifyRSA checks a bare RSA signature over a SHA-1 digest, which is all that the form adbe.x509.rsa_sha1 of PDF has.
// Errors: ErrAlgorithm, ErrSignature.
func VerifyRSA(cert *x509.Certificate, digest, signature []byte) error {
	kind, bits := KeySize(cert.PublicKey)
	if kind != "RSA" {
		return fmt.Errorf("%w: key of %s", ErrAlgorithm, kind)
	}
	if err := CheckKey(cert.PublicKey); err != nil {
		return err
	}
	// Some writers leave out leading zeros, as a number has none.
	if n := (bits+7)/8 - len(signature); n > 0 {
		signature = append(bytes.Repeat([]byte{0}, n), signature...)
	}
	return Scheme{Hash: crypto.SHA1}.verifyDigest(cert.PublicKey, digest, signature)
}
