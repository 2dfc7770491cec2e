package revocation

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" // responders name certificates by it
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
)

// certID names a certificate (RFC 6960 §4.1.1).
type certID struct {
	Hash     pkix.AlgorithmIdentifier
	NameHash []byte
	KeyHash  []byte
	Serial   *big.Int
}

var certIDHashes = map[string]crypto.Hash{
	"1.3.14.3.2.26":          crypto.SHA1,
	"2.16.840.1.101.3.4.2.1": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

// checkIssuer holds the name against an issuer, not against a serial alone, of which every issuer has the same.
func (id certID) checkIssuer(issuer *x509.Certificate) error {
	hash, ok := certIDHashes[id.Hash.Algorithm.String()]
	if !ok {
		return newUnusable("OCSP response names certificates by hash %v", id.Hash.Algorithm)
	}
	key, err := publicKeyBits(issuer)
	if err != nil {
		return err
	}
	if !bytes.Equal(id.NameHash, computeDigest(hash, issuer.RawSubject)) || !bytes.Equal(id.KeyHash, computeDigest(hash, key)) {
		return newUnusable("OCSP response is about a certificate of another issuer")
	}
	return nil
}

// publicKeyBits returns the content of the BIT STRING that holds a certificate's public key, which OCSP hashes.
func publicKeyBits(c *x509.Certificate) ([]byte, error) {
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(c.RawSubjectPublicKeyInfo, &info); err != nil {
		return nil, newUnusable("key of %q: %w", c.Subject.CommonName, err)
	}
	return info.Key.RightAlign(), nil
}

func computeDigest(hash crypto.Hash, b []byte) []byte {
	h := hash.New()
	h.Write(b)
	return h.Sum(nil)
}
