package revocation

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	_ "crypto/sha1" // responders name certificates by it
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"time"
)

// maxRSA bounds the modulus, in bits, of a responder's key. A response brings that key along and the library
// verifies with it before the issuer is asked, at a cost that grows with the square.
const maxRSA = 16384

// certID names a certificate (RFC 6960 §4.1.1).
type certID struct {
	Hash     pkix.AlgorithmIdentifier
	NameHash []byte
	KeyHash  []byte
	Serial   *big.Int
}

// basicResponse is as much of a BasicOCSPResponse as is looked at here (RFC 6960 §4.2.1).
type basicResponse struct {
	Data struct {
		Version    int `asn1:"optional,default:0,explicit,tag:0"`
		Responder  asn1.RawValue
		ProducedAt time.Time `asn1:"generalized"`
		Responses  []struct{ ID certID }
	}
	Algorithm    pkix.AlgorithmIdentifier
	Signature    asn1.BitString
	Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
}

// checkNames does what golang.org/x/crypto/ocsp leaves out: it holds the names of the answer against issuer, not the
// serial alone, and refuses a responder's key that is too costly to verify with. It says nothing of signatures.
func checkNames(der []byte, cert, issuer *x509.Certificate) error {
	var outer struct {
		Status asn1.Enumerated
		Body   struct {
			Type     asn1.ObjectIdentifier
			Response []byte
		} `asn1:"explicit,tag:0,optional"`
	}
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		return unfit("OCSP response cannot be read")
	}
	if outer.Status != 0 {
		return unfit("OCSP responder answers with status %d", outer.Status)
	}
	var basic basicResponse
	if rest, err := asn1.Unmarshal(outer.Body.Response, &basic); err != nil || len(rest) > 0 {
		return unfit("basic OCSP response cannot be read")
	}
	if len(basic.Certificates) > 0 {
		responder, err := x509.ParseCertificate(basic.Certificates[0].FullBytes)
		if err != nil {
			return unfit("responder's certificate: %w", err)
		}
		if k, ok := responder.PublicKey.(*rsa.PublicKey); ok && k.N.BitLen() > maxRSA {
			return unfit("responder's RSA key has %d bits", k.N.BitLen())
		}
	}
	for _, r := range basic.Data.Responses {
		// The first with the serial is the one that the library takes.
		if r.ID.Serial.Cmp(cert.SerialNumber) == 0 {
			return r.ID.check(issuer)
		}
	}
	return unfit("OCSP response is about another certificate")
}

var certIDHashes = map[string]crypto.Hash{
	"1.3.14.3.2.26":          crypto.SHA1,
	"2.16.840.1.101.3.4.2.1": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

func (id certID) check(issuer *x509.Certificate) error {
	hash, ok := certIDHashes[id.Hash.Algorithm.String()]
	if !ok {
		return unfit("OCSP response names certificates by hash %v", id.Hash.Algorithm)
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(issuer.RawSubjectPublicKeyInfo, &info); err != nil {
		return unfit("key of the issuer: %w", err)
	}
	if !bytes.Equal(id.NameHash, digest(hash, issuer.RawSubject)) || !bytes.Equal(id.KeyHash, digest(hash, info.Key.RightAlign())) {
		return unfit("OCSP response is about a certificate of another issuer")
	}
	return nil
}

func digest(hash crypto.Hash, b []byte) []byte {
	h := hash.New()
	h.Write(b)
	return h.Sum(nil)
}
