package cms

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"testing"
)

// signBare signs a digest with an RSA key and nothing else, as software did that is long gone.
func signBare(t *testing.T, h crypto.Hash, digest []byte) (value []byte, cert *x509.Certificate) {
	t.Helper()
	key, cert := newCredential(t, "RSA")
	value, err := rsa.SignPKCS1v15(rand.Reader, key.(*rsa.PrivateKey), h, digest)
	if err != nil {
		t.Fatal(err)
	}
	return value, cert
}

func TestBareSignatureHoldsForItsKeyAndDigestAlone(t *testing.T) {
	t.Parallel()
	digest := computeHash(crypto.SHA1, []byte("lama"))
	value, cert := signBare(t, crypto.SHA1, digest)
	if err := VerifyRSA(cert, digest, value); err != nil {
		t.Error(err)
	}
	if err := VerifyRSA(cert, computeHash(crypto.SHA1, []byte("lain")), value); !errors.Is(err, ErrSignature) {
		t.Errorf("another digest: %v", err)
	}
	_, other := newCredential(t, "P-256")
	if err := VerifyRSA(other, digest, value); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("another kind of key: %v", err)
	}
}

func TestSignatureByMD5WithoutAttributesIsVerifiedOnlyAsLegacy(t *testing.T) {
	t.Parallel()
	digest := computeHash(crypto.MD5, []byte("lama"))
	value, cert := signBare(t, crypto.MD5, digest)
	sd := &SignedData{ContentType: OIDData, Certificates: []*x509.Certificate{cert}}
	s := Signer{
		Issuer: cert.RawIssuer, Serial: cert.SerialNumber, Digest: crypto.MD5, DigestID: pkix.AlgorithmIdentifier{Algorithm: oidMD5},
		SignatureID: pkix.AlgorithmIdentifier{Algorithm: oidRSA}, Signature: value,
	}
	if err := sd.Verify(s, digest); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("Verify: %v", err)
	}
	if err := sd.VerifyLegacy(s, digest); err != nil {
		t.Errorf("VerifyOld: %v", err)
	}
	if err := sd.VerifyLegacy(s, computeHash(crypto.MD5, []byte("lain"))); !errors.Is(err, ErrSignature) {
		t.Errorf("VerifyOld of another digest: %v", err)
	}
	if _, err := HashOf(s.DigestID); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("HashOf: %v", err)
	}
}
