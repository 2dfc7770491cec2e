package tsp

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"

	"segel/cms"
	"segel/der"
	"segel/memo"
)

// Responder is a time-stamp authority. It answers requests in process or over HTTP.
type Responder struct {
	Key   crypto.Signer
	Chain []*x509.Certificate // the authority's certificate first
	// Select returns the authority's key and chain at a given time, instead of Key and Chain; nil: they never change.
	Select func(at time.Time) (crypto.Signer, []*x509.Certificate)
	Policy asn1.ObjectIdentifier
	Clock  func() time.Time
	Random io.Reader // for serials and signatures
}

// Timestamp issues a token over a SHA-256 digest.
func (r *Responder) Timestamp(_ context.Context, digest []byte) ([]byte, error) {
	if len(digest) != sha256.Size {
		return nil, fmt.Errorf("digest of %d bytes is not SHA-256", len(digest))
	}
	return r.issueToken(Request{Hash: crypto.SHA256, Imprint: digest, CertReq: true})
}

// tokenSizes holds the sizes of tokens by the certificates of the authority and its policy.
var tokenSizes memo.Cache[int]

// TokenSize returns an upper bound of a token with all certificates.
func (r *Responder) TokenSize() int {
	chain := r.Chain
	if r.Select != nil {
		_, chain = r.Select(r.Clock())
	}
	inputs := [][]byte{[]byte(r.Policy.String())}
	for _, c := range chain {
		inputs = append(inputs, c.Raw)
	}
	key := memo.NewKey("token size", inputs...)
	if size, known := tokenSizes.Get(key); known {
		return size
	}
	token, err := r.issueToken(Request{Hash: crypto.SHA512, Imprint: make([]byte, 64), Nonce: new(big.Int).Lsh(big.NewInt(1), 128), CertReq: true})
	if err != nil {
		return 0
	}
	size := len(token) + 64 // integers of a signature vary in length
	tokenSizes.Put(key, size)
	return size
}

// Respond answers a DER request with a DER response, which may be a refusal.
func (r *Responder) Respond(der []byte) ([]byte, error) {
	request, err := ParseRequest(der)
	if err == nil {
		var token []byte
		if token, err = r.issueToken(request); err == nil {
			return marshalResponse(token)
		}
	}
	var no *Refusal
	switch {
	case errors.As(err, &no):
	case errors.Is(err, ErrMalformed):
		no = newRefusal(badRequest, "request cannot be read")
	default:
		no = newRefusal(systemFailure, "no token can be made now")
	}
	return no.marshalRefusal()
}

func (r *Responder) issueToken(request Request) ([]byte, error) {
	if request.Policy != nil && !request.Policy.Equal(r.Policy) {
		return nil, newRefusal(unacceptedPolicy, "policy is not supported")
	}
	now := r.Clock().UTC().Truncate(time.Second)
	if r.Select != nil {
		at := *r
		at.Key, at.Chain = r.Select(now)
		r = &at
	}
	if len(r.Chain) == 0 {
		return nil, newRefusal(systemFailure, "the authority has no certificate")
	}
	for _, c := range r.Chain {
		if now.Before(c.NotBefore) || now.After(c.NotAfter) {
			return nil, newRefusal(TimeNotAvailable, "the clock is outside the certificate's validity")
		}
	}
	// 159 random bits make serials unique (RFC 3161 §2.4.2 allows up to 160).
	serial := make([]byte, 20)
	if _, err := io.ReadFull(r.Random, serial); err != nil {
		return nil, fmt.Errorf("generate timestamp serial: %w", err)
	}
	serial[0] &= 0x7f
	info, err := encodeInfo(request, r.Policy, new(big.Int).SetBytes(serial), now)
	if err != nil {
		return nil, fmt.Errorf("encode TSTInfo: %w", err)
	}
	return r.signToken(info, request.CertReq)
}

// encodeInfo encodes a TSTInfo that states an accuracy of one second (RFC 3161 §2.4.2).
func encodeInfo(request Request, policy asn1.ObjectIdentifier, serial *big.Int, at time.Time) ([]byte, error) {
	id, err := cms.HashIdentifier(request.Hash)
	if err != nil {
		return nil, err
	}
	hash, err := der.EncodeAlgorithm(der.TagSequence, id)
	if err != nil {
		return nil, err
	}
	policyID, err := der.EncodeOID(policy)
	if err != nil {
		return nil, err
	}
	var nonce []byte
	if request.Nonce != nil {
		nonce = der.EncodeInteger(request.Nonce)
	}
	one := []byte{der.TagInteger, 1, 1}
	return der.EncodeElement(der.TagSequence,
		one, // version
		policyID,
		der.EncodeElement(der.TagSequence, hash, der.EncodeElement(der.TagOctetString, request.Imprint)),
		der.EncodeInteger(serial),
		der.EncodeTime(at),
		der.EncodeElement(der.TagSequence, one), // accuracy in seconds
		nonce), nil
}

func (r *Responder) signToken(info []byte, withCertificates bool) ([]byte, error) {
	scheme, err := cms.SchemeFor(r.Key.Public())
	if err != nil {
		return nil, err
	}
	h := scheme.Hash.New()
	h.Write(info)
	token, err := cms.Sign(r.Random, h.Sum(nil), r.Key, r.Chain, cms.Options{
		ContentType: cms.OIDTSTInfo, Content: info, OmitCertificates: !withCertificates,
	})
	if err != nil {
		return nil, fmt.Errorf("timestamp: %w", err)
	}
	return token, nil
}

// ServeHTTP answers requests as specified in RFC 3161 §3.4.
func (r *Responder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST a time-stamp query", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxRequest))
	if err != nil {
		http.Error(w, "the query is too long", http.StatusRequestEntityTooLarge)
		return
	}
	answer, err := r.Respond(body)
	if err != nil {
		http.Error(w, "no answer can be made now", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", replyType)
	_, _ = w.Write(answer) // an error means that the client went away
}
