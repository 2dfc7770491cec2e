package tsp

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"segel/cms"
	"segel/der"
)

// ErrMalformed is input that violates the protocol.
var ErrMalformed = errors.New("malformed timestamp")

func newMalformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

type messageImprint struct {
	Algorithm pkix.AlgorithmIdentifier
	Digest    []byte
}

type accuracy struct {
	Seconds int `asn1:"optional"`
	Millis  int `asn1:"optional,tag:0"`
	Micros  int `asn1:"optional,tag:1"`
}

// tstInfo is TSTInfo of RFC 3161 §2.4.2.
type tstInfo struct {
	Version    int
	Policy     asn1.ObjectIdentifier
	Imprint    messageImprint
	Serial     *big.Int
	GenTime    time.Time        `asn1:"generalized"`
	Accuracy   accuracy         `asn1:"optional"`
	Ordering   bool             `asn1:"optional"`
	Nonce      *big.Int         `asn1:"optional"`
	TSA        asn1.RawValue    `asn1:"optional,explicit,tag:0"`
	Extensions []pkix.Extension `asn1:"optional,tag:1"`
}

// Token is a parsed timestamp token.
type Token struct {
	Policy    asn1.ObjectIdentifier
	Hash      crypto.Hash
	Imprint   []byte
	Serial    *big.Int
	Time      time.Time // UTC
	Accuracy  time.Duration
	Nonce     *big.Int
	Signed    []crypto.Hash       // hashes that the authority's signature depends on
	Authority *x509.Certificate   // the signer's certificate
	Chain     []*x509.Certificate // every certificate in the token

	sd *cms.SignedData
}

// Parse parses a token and verifies it mathematically: it must hold a TSTInfo, signed by the included certificate that
// its signing-certificate attribute names, and that certificate must be a time-stamp authority's: time stamping is its
// only extended key usage, and critical (RFC 3161 §2.3). Trust is not checked; see [Token.Validate].
func Parse(der []byte) (*Token, error) {
	sd, err := cms.Parse(der)
	if err != nil {
		return nil, err
	}
	return NewToken(sd)
}

// NewToken is [Parse] for a container that is parsed already.
func NewToken(sd *cms.SignedData) (*Token, error) {
	if !sd.ContentType.Equal(cms.OIDTSTInfo) || sd.Content == nil {
		return nil, newMalformed("no TSTInfo")
	}
	if len(sd.Signers) != 1 {
		return nil, newMalformed("not exactly one signer")
	}
	info, ok := parseInfo(sd.Content)
	if !ok || info.Version != 1 {
		return nil, newMalformed("TSTInfo")
	}
	hash, err := cms.HashOf(info.Imprint.Algorithm)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(info.Extensions, func(x pkix.Extension) bool { return x.Critical }) {
		return nil, newMalformed("unknown critical extension")
	}
	if len(info.Imprint.Digest) != hash.Size() {
		return nil, newMalformed("imprint of another length than its hash")
	}
	within, err := info.Accuracy.toDuration()
	if err != nil {
		return nil, err
	}
	t := &Token{
		Policy: info.Policy, Hash: hash, Imprint: info.Imprint.Digest, Serial: info.Serial, Time: info.GenTime.UTC(),
		Accuracy: within, Nonce: info.Nonce, Chain: sd.Certificates, sd: sd,
	}
	return t, t.verifySignature()
}

// parseInfo parses a TSTInfo. Ok is false where [asn1.Unmarshal] returns an error or a rest.
func parseInfo(b []byte) (info tstInfo, ok bool) {
	whole := der.NewReader(b)
	r := whole.ReadSequence()
	info.Version, info.Policy = int(r.ReadInt()), r.ReadOID()

	imprint := r.ReadSequence()
	algorithm := imprint.ReadSequence()
	info.Imprint.Algorithm.Algorithm = algorithm.ReadOID()
	if algorithm.More() {
		info.Imprint.Algorithm.Parameters = algorithm.ReadValue()
	}
	info.Imprint.Digest = imprint.ReadContent(der.TagOctetString)

	info.Serial = r.ReadInteger()
	at, err := asn1.UnmarshalWithParams(r.ReadValue().FullBytes, &info.GenTime, "generalized")
	r.Require(err == nil && len(at) == 0 && !imprint.Failed() && !algorithm.Failed())
	if r.NextIs(der.TagSequence) {
		accuracy := r.ReadSequence()
		for _, part := range []struct {
			tag byte
			to  *int
		}{{der.TagInteger, &info.Accuracy.Seconds}, {tagMillis, &info.Accuracy.Millis}, {tagMicros, &info.Accuracy.Micros}} {
			if accuracy.NextIs(part.tag) {
				*part.to = int(accuracy.ReadTaggedInt(part.tag))
			}
		}
		r.Require(!accuracy.Failed())
	}
	if r.NextIs(asn1.TagBoolean) {
		ordering := r.ReadContent(asn1.TagBoolean)
		r.Require(len(ordering) == 1 && (ordering[0] == 0 || ordering[0] == 0xff))
		info.Ordering = !r.Failed() && ordering[0] != 0
	}
	if r.NextIs(der.TagInteger) {
		info.Nonce = r.ReadInteger()
	}
	info.TSA = r.ReadExplicit(0)
	if r.NextIs(der.TagContext | 1) {
		rest, err := asn1.UnmarshalWithParams(r.ReadValue().FullBytes, &info.Extensions, "tag:1")
		r.Require(err == nil && len(rest) == 0)
	}
	return info, whole.Complete() && !r.Failed()
}

// Identifier octets of the parts of an Accuracy.
const (
	tagMillis = asn1.ClassContextSpecific << 6 // [0]
	tagMicros = tagMillis | 1                  // [1]
)

// toDuration refuses more than a day, which would be useless; without a limit the seconds could overflow. Milliseconds
// and microseconds are below one second (RFC 3161 §2.4.2).
func (a accuracy) toDuration() (time.Duration, error) {
	if a.Seconds < 0 || a.Seconds > 24*60*60 || a.Millis < 0 || a.Millis > 999 || a.Micros < 0 || a.Micros > 999 {
		return 0, newMalformed("accuracy")
	}
	return time.Duration(a.Seconds)*time.Second + time.Duration(a.Millis)*time.Millisecond + time.Duration(a.Micros)*time.Microsecond, nil
}

func (t *Token) verifySignature() error {
	s := t.sd.Signers[0]
	h := s.Digest.New()
	h.Write(t.sd.Content)
	if err := t.sd.Verify(s, h.Sum(nil)); err != nil {
		return fmt.Errorf("timestamp: %w", err)
	}
	t.Authority = t.sd.Certificate(s)
	t.Signed = s.Hashes(t.Authority)
	if !t.sd.NamesCertificate(s) {
		return errors.New("timestamp: its certificate is not named by a signed attribute")
	}
	return checkUsage(t.Authority)
}

var oidExtKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}

// checkUsage checks that time stamping is the only extended key usage and is critical.
func checkUsage(c *x509.Certificate) error {
	if len(c.ExtKeyUsage) != 1 || c.ExtKeyUsage[0] != x509.ExtKeyUsageTimeStamping || len(c.UnknownExtKeyUsage) > 0 {
		return errors.New("timestamp: certificate is not only for time stamping")
	}
	for _, e := range c.Extensions {
		if e.Id.Equal(oidExtKeyUsage) && !e.Critical {
			return errors.New("timestamp: time stamping purpose is not critical")
		}
	}
	return nil
}

// Covers reports whether the token's imprint is that SHA-256 digest.
func (t *Token) Covers(digest []byte) bool {
	return t.Hash == crypto.SHA256 && len(digest) == sha256.Size && bytes.Equal(t.Imprint, digest)
}

// Validate checks that the authority's certificate leads to one of the roots, as a time-stamp authority's, through
// certificates in the token, each valid at that time. It returns the chain, the authority's certificate first.
// Revocation is not checked.
func (t *Token) Validate(roots *x509.CertPool, at time.Time) ([]*x509.Certificate, error) {
	if roots == nil {
		return nil, errors.New("timestamp: no roots to trust") // package x509 would use the system's roots
	}
	between := x509.NewCertPool()
	for _, c := range t.Chain {
		between.AddCert(c)
	}
	chains, err := t.Authority.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	})
	if err != nil {
		return nil, fmt.Errorf("timestamp by %q: %w", t.Authority.Subject.CommonName, err)
	}
	return chains[0], nil
}

// ParseLenient parses a token from a file like Parse, and also accepts BER, which older authorities wrote; basic
// reports that. The TSTInfo must be DER in any case (RFC 3161 §2.4.2). Use Parse for new tokens.
func ParseLenient(b []byte) (t *Token, basic bool, err error) {
	t, err = Parse(b)
	if !errors.Is(err, cms.ErrMalformed) {
		return t, false, err
	}
	der, changed, berErr := cms.ConvertToDER(b)
	if berErr != nil || !changed {
		return nil, false, err
	}
	t, err = Parse(der)
	return t, err == nil, err
}
