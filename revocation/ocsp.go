package revocation

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" // used in certificate identifiers
	"crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/certpath"
	"segel/cms"
	"segel/der"
	"segel/memo"
)

const (
	// maxOCSP limits a response in bytes; a real one has a few thousand.
	maxOCSP = 256 << 10
	// maxResponders limits how many certificates of a response are tried; a real one has at most a short chain.
	maxResponders = 8
	// maxAnswers limits the certificates that one response is about.
	maxAnswers = 1000
)

// Request encodes an OCSP request about cert. It identifies the certificate by SHA-1, which every responder supports;
// no security depends on it.
func Request(cert, issuer *x509.Certificate) ([]byte, error) {
	return ocsp.CreateRequest(cert, issuer, &ocsp.RequestOptions{Hash: crypto.SHA1})
}

// VerifyOCSP returns the status of cert in a DER OCSPResponse. It must be signed by issuer, or by a responder whose
// certificate it includes and that issuer authorised (RFC 6960 §4.2.2.2). Time is not checked: see [Status.Current].
// The error is ErrUnusable.
//
// Cheap checks come first, and keys that [cms.CheckKey] refuses are not used: it verifies at most two signatures by
// responders and one by issuer, however many certificates the response includes.
func VerifyOCSP(der []byte, cert, issuer *x509.Certificate) (Status, error) {
	b, err := parseOCSP(der)
	if err != nil {
		return Status{}, err
	}
	return b.verify(cert, issuer, nil)
}

// responders caches which responders are authorised by which issuers: one responder answers about many certificates,
// and each answer includes its certificate. The keys are the bytes of both certificates, so a name or serial cannot be
// confused.
type responders map[certPair]error

// maxResults limits the cache.
const maxResults = 1024

// verifyDelegate verifies a responder's certificate with its issuer's key. A nil cache stores nothing.
func (known responders) verifyDelegate(c, issuer *x509.Certificate) error {
	key := certPair{sha256.Sum256(c.Raw), sha256.Sum256(issuer.Raw)}
	err, ok := known[key]
	if !ok {
		err = certpath.CheckIssuedBy(c, issuer)
		if known != nil && len(known) < maxResults {
			known[key] = err
		}
	}
	return err
}

// basicResponse is a BasicOCSPResponse (RFC 6960 §4.2.1).
type basicResponse struct {
	Data         responseData
	Algorithm    pkix.AlgorithmIdentifier
	Signature    asn1.BitString
	Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
}

type responseData struct {
	Raw        asn1.RawContent
	Version    int `asn1:"optional,default:0,explicit,tag:0"`
	Responder  asn1.RawValue
	ProducedAt time.Time `asn1:"generalized"`
	Responses  []singleResponse
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

type singleResponse struct {
	ID         certID
	Good       asn1.Flag        `asn1:"tag:0,optional"`
	Revoked    revokedInfo      `asn1:"tag:1,optional"`
	Unknown    asn1.Flag        `asn1:"tag:2,optional"`
	ThisUpdate time.Time        `asn1:"generalized"`
	NextUpdate time.Time        `asn1:"generalized,explicit,tag:0,optional"`
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

type revokedInfo struct {
	At     time.Time       `asn1:"generalized"`
	Reason asn1.Enumerated `asn1:"explicit,tag:0,optional"`
}

var (
	oidBasic   = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
	oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5} // RFC 6960 §4.2.2.2.1
)

func parseOCSP(der []byte) (*basicResponse, error) {
	if len(der) > maxOCSP {
		return nil, newUnusable("response of %d bytes", len(der))
	}
	var outer struct {
		Status asn1.Enumerated
		Body   struct {
			Type     asn1.ObjectIdentifier
			Response []byte
		} `asn1:"explicit,tag:0,optional"`
	}
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		return nil, newUnusable("OCSP response cannot be read")
	}
	if outer.Status != 0 {
		return nil, newUnusable("OCSP responder answers with status %d", outer.Status)
	}
	if !outer.Body.Type.Equal(oidBasic) {
		return nil, newUnusable("OCSP response of type %v", outer.Body.Type)
	}
	var basic basicResponse
	if rest, err := asn1.Unmarshal(outer.Body.Response, &basic); err != nil || len(rest) > 0 {
		return nil, newUnusable("basic OCSP response cannot be read")
	}
	if n := len(basic.Data.Responses); n > maxAnswers {
		return nil, newUnusable("OCSP response about %d certificates", n)
	}
	if hasCritical(basic.Data.Extensions) {
		return nil, newUnusable("OCSP response has a critical extension")
	}
	return &basic, nil
}

// verify returns the status of cert; see [VerifyOCSP].
func (b *basicResponse) verify(cert, issuer *x509.Certificate, known responders) (Status, error) {
	one, err := b.findResponse(cert, issuer)
	if err != nil {
		return Status{}, err
	}
	s, err := one.toStatus()
	if err != nil {
		return Status{}, err
	}
	s.Responder, s.Algorithm, err = b.verifySignature(issuer, known)
	return s, err
}

// findResponse returns the single response about cert. If several have its serial, it returns the one with this issuer.
func (b *basicResponse) findResponse(cert, issuer *x509.Certificate) (singleResponse, error) {
	var err error
	for _, r := range b.Data.Responses {
		if r.ID.Serial.Cmp(cert.SerialNumber) != 0 {
			continue
		}
		if err = r.ID.checkIssuer(issuer); err == nil {
			return r, nil
		}
	}
	if err == nil {
		err = newUnusable("OCSP response is about another certificate")
	}
	return singleResponse{}, err
}

func (r singleResponse) toStatus() (Status, error) {
	if hasCritical(r.Extensions) {
		return Status{}, newUnusable("single response has a critical extension")
	}
	s := Status{ThisUpdate: r.ThisUpdate.UTC(), NextUpdate: toUTC(r.NextUpdate)}
	switch revoked := !r.Revoked.At.IsZero(); {
	case bool(r.Good) && !bool(r.Unknown) && !revoked:
		s.CertStatus = Good
	case revoked && !bool(r.Good) && !bool(r.Unknown):
		s.CertStatus, s.At, s.Reason = Revoked, r.Revoked.At.UTC(), Reason(r.Revoked.Reason)
	case bool(r.Unknown) && !bool(r.Good) && !revoked:
	default:
		return Status{}, newUnusable("single response has no unambiguous status")
	}
	return s, nil
}

// verifySignature verifies the response and returns the certificate of its signer and the algorithm.
func (b *basicResponse) verifySignature(issuer *x509.Certificate, known responders) (*x509.Certificate, x509.SignatureAlgorithm, error) {
	algorithm, err := signatureAlgorithm(b.Algorithm)
	if err != nil {
		return nil, 0, err
	}
	signed := func(c *x509.Certificate) error {
		if err := cms.CheckKey(c.PublicKey); err != nil {
			return newUnusable("responder's key: %w", err)
		}
		signature := b.Signature.RightAlign()
		verify := func() error { return c.CheckSignature(algorithm, b.Data.Raw, signature) }
		if err := memo.VerifyOnce(verify, "OCSP response", c.Raw, []byte(algorithm.String()), b.Data.Raw, signature); err != nil {
			return newUnusable("signature of the OCSP response: %w", err)
		}
		return nil
	}
	signer, err := b.findDelegate(issuer, known)
	if err != nil {
		return nil, 0, err
	}
	if signer == nil {
		signer = issuer
	}
	return signer, algorithm, signed(signer)
}

// findDelegate returns the responder's certificate from the response, which issuer must have signed for OCSP; nil if
// issuer itself is the responder.
func (b *basicResponse) findDelegate(issuer *x509.Certificate, known responders) (*x509.Certificate, error) {
	if b.isResponder(issuer) {
		return nil, nil
	}
	for _, v := range b.Certificates[:min(len(b.Certificates), maxResponders)] {
		c, err := cms.ParseCertificate(v.FullBytes)
		if err != nil || !b.isResponder(c) {
			continue
		}
		// The name selects the certificate; from here on a failed check is final.
		if err := cms.CheckKey(c.PublicKey); err != nil {
			return nil, newUnusable("responder's key: %w", err)
		}
		if !bytes.Equal(c.RawIssuer, issuer.RawSubject) {
			return nil, newUnusable("responder's certificate is of another issuer")
		}
		if !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) {
			return nil, newUnusable("responder's certificate is not for OCSP")
		}
		if slices.ContainsFunc(c.UnhandledCriticalExtensions, func(id asn1.ObjectIdentifier) bool { return !id.Equal(oidNoCheck) }) {
			return nil, newUnusable("responder's certificate has an unknown critical extension")
		}
		if err := known.verifyDelegate(c, issuer); err != nil {
			return nil, newUnusable("responder's certificate: %w", err)
		}
		return c, nil
	}
	return nil, newUnusable("OCSP response lacks its responder's certificate")
}

// isResponder reports whether the response names c as its signer, by name or by the SHA-1 of its key (RFC 6960 §4.2.1).
func (b *basicResponse) isResponder(c *x509.Certificate) bool {
	switch id := b.Data.Responder; id.Tag {
	case 1:
		return bytes.Equal(id.Bytes, c.RawSubject)
	case 2:
		var hash []byte
		key, err := publicKeyBits(c)
		if _, bad := asn1.Unmarshal(id.Bytes, &hash); err != nil || bad != nil {
			return false
		}
		return bytes.Equal(hash, computeDigest(crypto.SHA1, key))
	}
	return false
}

func hasCritical(all []pkix.Extension) bool {
	return slices.ContainsFunc(all, func(x pkix.Extension) bool { return x.Critical })
}

// toUTC keeps the zero time.
func toUTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// certID is CertID of RFC 6960 §4.1.1.
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

// checkIssuer compares the identifier with an issuer. The serial alone is not enough, because different issuers use the
// same serials.
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

// publicKeyBits returns the content of the BIT STRING of a certificate's public key, which OCSP hashes.
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

// signatureAlgorithm returns the crypto/x509 algorithm of an identifier, parameters included. That package exposes this
// only through certificates and lists, so an empty list is parsed with it.
func signatureAlgorithm(id pkix.AlgorithmIdentifier) (x509.SignatureAlgorithm, error) {
	encoded, err := der.EncodeAlgorithm(der.TagSequence, id)
	if err != nil {
		return 0, newUnusable("signature algorithm %v: %w", id.Algorithm, err)
	}
	key := memo.NewKey("signature algorithm", encoded)
	if known, ok := signatureAlgorithms.Get(key); ok {
		return known, nil
	}
	type tbs struct {
		Version    int
		Signature  pkix.AlgorithmIdentifier
		Issuer     pkix.RDNSequence
		ThisUpdate time.Time
		NextUpdate time.Time
	}
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	list, err := asn1.Marshal(struct {
		TBS       tbs
		Algorithm pkix.AlgorithmIdentifier
		Value     asn1.BitString
	}{tbs{1, id, pkix.RDNSequence{}, epoch, epoch}, id, asn1.BitString{}})
	if err != nil {
		return 0, newUnusable("signature algorithm %v: %w", id.Algorithm, err)
	}
	l, err := x509.ParseRevocationList(list)
	if err != nil || l.SignatureAlgorithm == x509.UnknownSignatureAlgorithm {
		return 0, newUnusable("signature algorithm %v", id.Algorithm)
	}
	signatureAlgorithms.Put(key, l.SignatureAlgorithm)
	return l.SignatureAlgorithm, nil
}

// signatureAlgorithms holds the results of signatureAlgorithm.
var signatureAlgorithms memo.Cache[x509.SignatureAlgorithm]
