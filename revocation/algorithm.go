package revocation

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"time"
)

// signatureAlgorithm returns what an identifier, parameters included, means to crypto/x509. That package tells it
// of lists and certificates only, so a list of nothing is made with it.
func signatureAlgorithm(id pkix.AlgorithmIdentifier) (x509.SignatureAlgorithm, error) {
	type tbs struct {
		Version    int
		Signature  pkix.AlgorithmIdentifier
		Issuer     pkix.RDNSequence
		ThisUpdate time.Time
		NextUpdate time.Time
	}
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	der, err := asn1.Marshal(struct {
		TBS       tbs
		Algorithm pkix.AlgorithmIdentifier
		Value     asn1.BitString
	}{tbs{1, id, pkix.RDNSequence{}, epoch, epoch}, id, asn1.BitString{}})
	if err != nil {
		return 0, newUnusable("signature algorithm %v: %w", id.Algorithm, err)
	}
	l, err := x509.ParseRevocationList(der)
	if err != nil || l.SignatureAlgorithm == x509.UnknownSignatureAlgorithm {
		return 0, newUnusable("signature algorithm %v", id.Algorithm)
	}
	return l.SignatureAlgorithm, nil
}
