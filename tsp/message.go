package tsp

import (
	"crypto"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"segel/cms"
)

// Request is a TimeStampReq of RFC 3161 §2.4.1.
type Request struct {
	Hash    crypto.Hash
	Imprint []byte
	Policy  asn1.ObjectIdentifier // nil: the authority's choice
	Nonce   *big.Int              // nil: none
	CertReq bool                  // the token shall include the authority's certificate
}

type timeStampReq struct {
	Version    int
	Imprint    messageImprint
	Policy     asn1.ObjectIdentifier `asn1:"optional"`
	Nonce      *big.Int              `asn1:"optional"`
	CertReq    bool                  `asn1:"optional"`
	Extensions []pkix.Extension      `asn1:"optional,tag:0"`
}

// Marshal encodes the request.
func (r Request) Marshal() ([]byte, error) {
	id, err := cms.HashIdentifier(r.Hash)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(timeStampReq{Version: 1, Imprint: messageImprint{id, r.Imprint}, Policy: r.Policy, Nonce: r.Nonce, CertReq: r.CertReq})
}

// maxRequest limits a request in bytes; a real one has about a hundred.
const maxRequest = 8 << 10

// ParseRequest parses a request.
func ParseRequest(der []byte) (Request, error) {
	var v timeStampReq
	if len(der) > maxRequest {
		return Request{}, newMalformed("request is too long")
	}
	if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 || v.Version != 1 {
		return Request{}, newMalformed("request")
	}
	if len(v.Extensions) > 0 {
		return Request{}, newRefusal(unacceptedExtension, "extensions are not supported")
	}
	h, err := cms.HashOf(v.Imprint.Algorithm)
	if err != nil || h == crypto.SHA1 {
		return Request{}, newRefusal(badAlgorithm, "hash is not supported")
	}
	if len(v.Imprint.Digest) != h.Size() {
		return Request{}, newRefusal(badDataFormat, "imprint of another length than its hash")
	}
	return Request{Hash: h, Imprint: v.Imprint.Digest, Policy: v.Policy, Nonce: v.Nonce, CertReq: v.CertReq}, nil
}

// TimeNotAvailable is the bit of PKIFailureInfo (RFC 3161 §2.4.2) with which an authority says that its time source is
// not available.
const TimeNotAvailable = 14

// Further failure bits of PKIFailureInfo.
const (
	badAlgorithm        = 0
	badRequest          = 2
	badDataFormat       = 5
	unacceptedPolicy    = 15
	unacceptedExtension = 16
	systemFailure       = 25
)

// Refusal is an authority's answer without a token.
type Refusal struct {
	Status  int // PKIStatus
	Failure int // bit of PKIFailureInfo, or -1
	Text    string
}

func (r *Refusal) Error() string {
	// Quoted, because the text is untrusted and goes to logs.
	return fmt.Sprintf("time-stamp authority refused with status %d, failure %d: %q", r.Status, r.Failure, r.Text)
}

func newRefusal(failure int, text string) *Refusal {
	return &Refusal{Status: 2, Failure: failure, Text: text}
}

type statusInfo struct {
	Status  int
	Text    []asn1.RawValue `asn1:"optional"` // UTF8String
	Failure asn1.BitString  `asn1:"optional"`
}

type timeStampResp struct {
	Status statusInfo
	Token  asn1.RawValue `asn1:"optional"`
}

func marshalResponse(token []byte) ([]byte, error) {
	return asn1.Marshal(timeStampResp{Token: asn1.RawValue{FullBytes: token}})
}

func (r *Refusal) marshalRefusal() ([]byte, error) {
	s := statusInfo{Status: r.Status}
	if r.Text != "" {
		s.Text = []asn1.RawValue{{Tag: asn1.TagUTF8String, Bytes: []byte(r.Text)}}
	}
	if r.Failure >= 0 {
		b := make([]byte, r.Failure/8+1)
		b[r.Failure/8] = 0x80 >> (r.Failure % 8)
		s.Failure = asn1.BitString{Bytes: b, BitLength: r.Failure + 1}
	}
	return asn1.Marshal(timeStampResp{Status: s})
}

// maxText limits the authority's text in a refusal, in bytes.
const maxText = 200

func (s statusInfo) toRefusal() *Refusal {
	r := &Refusal{Status: s.Status, Failure: -1}
	if len(s.Text) > 0 {
		b := s.Text[0].Bytes
		r.Text = strings.ToValidUTF8(string(b[:min(len(b), maxText)]), "?")
	}
	for bit := range min(s.Failure.BitLength, systemFailure+1) {
		if s.Failure.At(bit) == 1 {
			r.Failure = bit
			break
		}
	}
	return r
}

// parseResponse checks a response against its request and returns the token, without checking its time: it must be
// granted, have the same imprint, nonce and policy, and pass [Parse].
func (r Request) parseResponse(response []byte) ([]byte, *Token, error) {
	var v timeStampResp
	if rest, err := asn1.Unmarshal(response, &v); err != nil || len(rest) > 0 {
		return nil, nil, newMalformed("response")
	}
	if v.Status.Status != 0 && v.Status.Status != 1 {
		return nil, nil, v.Status.toRefusal()
	}
	t, err := Parse(v.Token.FullBytes)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case t.Hash != r.Hash || string(t.Imprint) != string(r.Imprint):
		return nil, nil, errors.New("timestamp covers something else")
	case r.Nonce != nil && (t.Nonce == nil || t.Nonce.Cmp(r.Nonce) != 0):
		return nil, nil, errors.New("timestamp answers another request: its nonce differs")
	case r.Policy != nil && !t.Policy.Equal(r.Policy):
		return nil, nil, errors.New("timestamp was made under another policy")
	case t.Accuracy > cms.ClockSkew:
		return nil, nil, fmt.Errorf("timestamp is accurate to %s only", t.Accuracy)
	}
	return v.Token.FullBytes, t, nil
}

// requireAuthorityValid returns an error unless the authority's certificate is valid now and was valid at the token's
// time.
func (t *Token) requireAuthorityValid(now time.Time) error {
	for _, at := range []time.Time{t.Time, now} {
		if at.Before(t.Authority.NotBefore) || at.After(t.Authority.NotAfter) {
			return errors.New("the time-stamp authority's certificate is not valid now")
		}
	}
	return nil
}
