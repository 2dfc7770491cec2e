package revocation

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
)

const (
	// maxOCSP bounds a response in bytes; a real one has a few thousand.
	maxOCSP = 256 << 10
	// maxResponders bounds how many certificates of a response are looked at; a real one has at most a short chain.
	maxResponders = 8
	// maxAnswers bounds the certificates that one response speaks of.
	maxAnswers = 1000
)

// Request encodes an OCSP request about cert. It names the certificate by SHA-1, which every responder understands
// and which nothing rests on.
func Request(cert, issuer *x509.Certificate) ([]byte, error) {
	return ocsp.CreateRequest(cert, issuer, &ocsp.RequestOptions{Hash: crypto.SHA1})
}

// ValidateOCSP checks a response about cert at a moment: all that [ReadOCSP] checks, current, and good. A certificate
// that was revoked by then is a [*RevokedError], everything else ErrUnfit; the status tells what was read.
func ValidateOCSP(der []byte, cert, issuer *x509.Certificate, at time.Time) (Status, error) {
	s, err := VerifyOCSP(der, cert, issuer)
	if err != nil {
		return s, err
	}
	return s, s.Check(cert, at)
}

// VerifyOCSP reads what a DER OCSPResponse says about cert, whatever that is. The response is signed by issuer, or by
// a responder whose certificate it carries and that issuer itself made one (RFC 6960 §4.2.2.2). Time is not looked
// at: see [Status.Current]. The error is ErrUnfit.
//
// What costs little is checked first, and no signature is verified with a key that [cms.CheckKey] refuses: at most
// two signatures by responders and one by issuer, however many certificates a stranger put in.
func VerifyOCSP(der []byte, cert, issuer *x509.Certificate) (Status, error) {
	return (*Responders)(nil).VerifyOCSP(der, cert, issuer)
}

// Responders remembers which certificates issuers have made responders: one responder answers about many certificates,
// and every answer carries its certificate. What is remembered is keyed by the bytes of both certificates, so neither
// name nor serial can stand for another. The zero value is empty. It is not safe for use by several goroutines at once.
type Responders struct {
	results map[[2][sha256.Size]byte]error
}

// maxResults bounds what is remembered.
const maxResults = 1024

// verifyDelegate holds a responder's certificate against its issuer's key.
func (m *Responders) verifyDelegate(c, issuer *x509.Certificate) error {
	signed := func() error { return issuer.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) }
	if m == nil {
		return signed()
	}
	key := [2][sha256.Size]byte{sha256.Sum256(c.Raw), sha256.Sum256(issuer.Raw)}
	err, known := m.results[key]
	if known {
		return err
	}
	if m.results == nil {
		m.results = map[[2][sha256.Size]byte]error{}
	}
	err = signed()
	if len(m.results) < maxResults {
		m.results[key] = err
	}
	return err
}

// VerifyOCSP does what the function of that name does, and checks each responder once.
func (m *Responders) VerifyOCSP(der []byte, cert, issuer *x509.Certificate) (Status, error) {
	basic, err := parseOCSP(der)
	if err != nil {
		return Status{}, err
	}
	one, err := basic.findResponse(cert, issuer)
	if err != nil {
		return Status{}, err
	}
	s, err := one.toStatus()
	if err != nil {
		return Status{}, err
	}
	s.Responder, err = basic.verifySignature(issuer, m)
	return s, err
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

var oidBasic = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}

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

// findResponse returns the answer about cert. Of several about the same serial it is the one about this issuer's.
func (b *basicResponse) findResponse(cert, issuer *x509.Certificate) (singleResponse, error) {
	err := newUnusable("OCSP response is about another certificate")
	for _, r := range b.Data.Responses {
		if r.ID.Serial.Cmp(cert.SerialNumber) != 0 {
			continue
		}
		if err = r.ID.checkIssuer(issuer); err == nil {
			return r, nil
		}
	}
	return singleResponse{}, err
}

func (r singleResponse) toStatus() (Status, error) {
	if hasCritical(r.Extensions) {
		return Status{}, newUnusable("answer of the OCSP response has a critical extension")
	}
	s := Status{ThisUpdate: r.ThisUpdate.UTC(), NextUpdate: toUTC(r.NextUpdate)}
	switch revoked := !r.Revoked.At.IsZero(); {
	case bool(r.Good) && !bool(r.Unknown) && !revoked:
		s.CertStatus = Good
	case revoked && !bool(r.Good) && !bool(r.Unknown):
		s.CertStatus, s.At, s.Reason = Revoked, r.Revoked.At.UTC(), Reason(r.Revoked.Reason)
	case bool(r.Unknown) && !bool(r.Good) && !revoked:
	default:
		return Status{}, newUnusable("answer of the OCSP response says not one thing")
	}
	return s, nil
}

// verifySignature returns the certificate whose key signed the response.
func (b *basicResponse) verifySignature(issuer *x509.Certificate, known *Responders) (*x509.Certificate, error) {
	algorithm, err := signatureAlgorithm(b.Algorithm)
	if err != nil {
		return nil, err
	}
	signed := func(c *x509.Certificate) error {
		if err := cms.CheckKey(c.PublicKey); err != nil {
			return newUnusable("responder's key: %w", err)
		}
		if err := c.CheckSignature(algorithm, b.Data.Raw, b.Signature.RightAlign()); err != nil {
			return newUnusable("signature of the OCSP response: %w", err)
		}
		return nil
	}
	delegate, err := b.findDelegate(issuer, known)
	if err != nil {
		return nil, err
	}
	if delegate == nil {
		return issuer, signed(issuer)
	}
	return delegate, signed(delegate)
}

// findDelegate returns the responder's certificate among those that the response carries, which issuer signed and made
// a responder; or nil if issuer itself is named as the responder, or nobody else could be.
func (b *basicResponse) findDelegate(issuer *x509.Certificate, known *Responders) (*x509.Certificate, error) {
	if b.isResponder(issuer) {
		return nil, nil
	}
	for _, v := range b.Certificates[:min(len(b.Certificates), maxResponders)] {
		c, err := cms.ParseCertificate(v.FullBytes)
		if err != nil || !b.isResponder(c) {
			continue
		}
		// The name decides which certificate it is; from here on there is one, and it fits or not.
		if err := cms.CheckKey(c.PublicKey); err != nil {
			return nil, newUnusable("responder's key: %w", err)
		}
		if !bytes.Equal(c.RawIssuer, issuer.RawSubject) {
			return nil, newUnusable("responder's certificate is of another issuer")
		}
		if !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) {
			return nil, newUnusable("responder's certificate is not for OCSP")
		}
		if err := cms.CheckKey(issuer.PublicKey); err != nil {
			return nil, newUnusable("key of the issuer: %w", err)
		}
		if err := known.verifyDelegate(c, issuer); err != nil {
			return nil, newUnusable("responder's certificate: %w", err)
		}
		return c, nil
	}
	return nil, newUnusable("OCSP response lacks its responder's certificate")
}

// isResponder reports whether the response says that c's key signed it, by name or by the SHA-1 of its key (RFC 6960
// §4.2.1).
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

// toUTC keeps the zero time zero.
func toUTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}
