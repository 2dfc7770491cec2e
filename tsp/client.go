package tsp

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"encoding/asn1"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"
)

// maxResponse bounds what is read of a response.
const maxResponse = 256 << 10

// Client asks an authority over HTTP (RFC 3161 §3.4).
type Client struct {
	URL    string
	HTTP   *http.Client          // its transport decides where connections may go
	Policy asn1.ObjectIdentifier // nil: the authority's choice
	Clock  func() time.Time      // nil: time.Now
	Random io.Reader             // nil: crypto/rand
}

// TokenSize returns 0: nobody knows before the authority has answered.
func (c *Client) TokenSize() int { return 0 }

// Timestamp obtains a token over a SHA-256 digest and checks it in every respect.
func (c *Client) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	random, clock := c.Random, c.Clock
	if random == nil {
		random = rand.Reader
	}
	if clock == nil {
		clock = time.Now
	}
	request, err := newRequest(random, digest, c.Policy)
	if err != nil {
		return nil, err
	}
	response, err := c.post(ctx, request)
	if err != nil {
		return nil, err
	}
	token, _, err := request.Accept(response, clock())
	return token, err
}

func newRequest(random io.Reader, digest []byte, policy asn1.ObjectIdentifier) (Request, error) {
	var nonce [16]byte
	if _, err := io.ReadFull(random, nonce[:]); err != nil {
		return Request{}, fmt.Errorf("draw nonce: %w", err)
	}
	return Request{Hash: crypto.SHA256, Imprint: digest, Policy: policy, Nonce: new(big.Int).SetBytes(nonce[:]), CertReq: true}, nil
}

func (c *Client) post(ctx context.Context, request Request) ([]byte, error) {
	body, err := request.Marshal()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("address of the time-stamp authority: %w", err)
	}
	r.Header.Set("Content-Type", "application/timestamp-query")
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask time-stamp authority: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("time-stamp authority answers %s", answer.Status)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse+1))
	if err != nil {
		return nil, fmt.Errorf("read timestamp: %w", err)
	}
	if len(b) > maxResponse {
		return nil, malformed("response is too long")
	}
	return b, nil
}
