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

// old signs a digest with an RSA key and nothing else, as software did that is long gone.
func old(t *testing.T, h crypto.Hash, digest []byte) (value []byte, cert *x509.Certificate) {
	t.Helper()
	key, cert := credential(t, "RSA")
	value, err := rsa.SignPKCS1v15(rand.Reader, key.(*rsa.PrivateKey), h, digest)
	if err != nil {
		t.Fatal(err)
	}
	return value, cert
}

func TestBareSignatureHoldsForItsKeyAndDigestAlone(t *testing.T) {
	t.Parallel()
	digest := hash(crypto.SHA1, []byte("lama"))
	value, cert := old(t, crypto.SHA1, digest)
	if err := VerifyRSA(cert, digest, value); err != nil {
		t.Error(err)
	}
	if err := VerifyRSA(cert, hash(crypto.SHA1, []byte("lain")), value); !errors.Is(err, ErrSignature) {
		t.Errorf("another digest: %v", err)
	}
	_, other := credential(t, "P-256")
	if err := VerifyRSA(other, digest, value); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("another kind of key: %v", err)
	}
}

func TestSignatureByMD5WithoutAttributesIsVerifiedOnlyAsOld(t *testing.T) {
	t.Parallel()
	digest := hash(crypto.MD5, []byte("lama"))
	value, cert := old(t, crypto.MD5, digest)
	sd := &SignedData{ContentType: OIDData, Certificates: []*x509.Certificate{cert}}
	s := Signer{
		Issuer: cert.RawIssuer, Serial: cert.SerialNumber, Digest: crypto.MD5, DigestID: pkix.AlgorithmIdentifier{Algorithm: oidMD5},
		SignatureID: pkix.AlgorithmIdentifier{Algorithm: oidRSA}, Signature: value,
	}
	if err := sd.Verify(s, digest); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("Verify: %v", err)
	}
	if err := sd.VerifyOld(s, digest); err != nil {
		t.Errorf("VerifyOld: %v", err)
	}
	if err := sd.VerifyOld(s, hash(crypto.MD5, []byte("lain"))); !errors.Is(err, ErrSignature) {
		t.Errorf("VerifyOld of another digest: %v", err)
	}
	if _, err := HashOf(s.DigestID); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("HashOf: %v", err)
	}
}
