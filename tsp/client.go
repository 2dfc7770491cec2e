package tsp

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"segel/cms"
)

const (
	// maxResponse limits a response in bytes; a real one has at most some ten thousand.
	maxResponse = 256 << 10
	// defaultTimeout limits one query; a working authority answers within a second.
	defaultTimeout = 15 * time.Second
)

// Client queries one authority over HTTP (RFC 3161 §3.4). Do not change its fields once it is in use. It is safe for
// concurrent use.
type Client struct {
	// URL of the authority. A user and password in it are sent as HTTP basic authentication; they never appear in
	// errors.
	URL     string
	HTTP    *http.Client          // its transport restricts connections
	Timeout time.Duration         // of one query; 0 is 15 seconds
	Policy  asn1.ObjectIdentifier // requested, and required of the token; nil: the authority's choice
	// Roots are the trust anchors of the authority's chain. Nil: the chain is not validated.
	Roots  *x509.CertPool
	Clock  func() time.Time // nil: time.Now
	Random io.Reader        // of nonces; nil: crypto/rand
	// Tolerance is the maximum difference between a token's time and the clock; 0 is [cms.ClockSkew]. A larger one is a
	// [*ClockError].
	Tolerance time.Duration

	largest atomic.Int64 // bytes of the largest token so far
}

// TokenSize returns an upper bound for tokens of this authority, or 0 before the first token. Their size hardly varies.
func (c *Client) TokenSize() int {
	n := int(c.largest.Load())
	if n == 0 {
		return 0
	}
	return n + n/16 + 64 // integers vary in length
}

// Timestamp fetches a token over a SHA-256 digest and checks it completely: against the request, and its chain and time.
// Errors name the authority by its host; if only the time is wrong, the error is a [*ClockError].
func (c *Client) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	random, clock, timeout := c.Random, c.Clock, c.Timeout
	if random == nil {
		random = rand.Reader
	}
	if clock == nil {
		clock = time.Now
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	address, user, err := splitURL(c.URL)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var nonce [16]byte
	if _, err := io.ReadFull(random, nonce[:]); err != nil {
		return nil, fmt.Errorf("generate nonce: %w", err)
	}
	request := Request{Hash: crypto.SHA256, Imprint: digest, Policy: c.Policy, Nonce: new(big.Int).SetBytes(nonce[:]), CertReq: true}
	der, err := c.fetchToken(ctx, address, user, request, clock)
	if err != nil {
		return nil, fmt.Errorf("time-stamp authority %s: %w", address.Host, err)
	}
	for n := int64(len(der)); ; {
		if have := c.largest.Load(); n <= have || c.largest.CompareAndSwap(have, n) {
			return der, nil
		}
	}
}

// splitURL removes the user from a URL. It does not wrap the parser's error, which would contain the password.
func splitURL(s string) (*url.URL, *url.Userinfo, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, errors.New("address of the time-stamp authority is not an http or https URL")
	}
	user := u.User
	u.User = nil
	return u, user, nil
}

func (c *Client) fetchToken(ctx context.Context, address *url.URL, user *url.Userinfo, request Request, clock func() time.Time) ([]byte, error) {
	response, err := c.postRequest(ctx, address, user, request)
	if err != nil {
		return nil, err
	}
	now := clock()
	der, token, err := request.parseResponse(response)
	if err != nil {
		return nil, err
	}
	// The chain is validated at the token's time: if the two clocks differ, the local one may be wrong.
	if c.Roots != nil {
		if _, err := token.Validate(c.Roots, token.Time); err != nil {
			return nil, err
		}
	}
	if err := token.CheckClock(now, cmp.Or(c.Tolerance, cms.ClockSkew)); err != nil {
		var e *ClockError
		if errors.As(err, &e) {
			e.Trusted = c.Roots != nil
		}
		return nil, err
	}
	if err := token.requireAuthorityValid(now); err != nil {
		return nil, err
	}
	return der, nil
}

func (c *Client) postRequest(ctx context.Context, address *url.URL, user *url.Userinfo, request Request) ([]byte, error) {
	body, err := request.Marshal()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", queryType)
	r.Header.Set("Accept", replyType)
	if user != nil {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	answer, err := c.HTTP.Do(r)
	if err != nil {
		// The URL is left out of the error because its query may hold a secret.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("query: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answers %s", answer.Status)
	}
	if t, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || t != replyType && t != responseType {
		return nil, newMalformed(fmt.Sprintf("answer of type %.60q", answer.Header.Get("Content-Type")))
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse+1))
	if err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	if len(b) > maxResponse {
		return nil, newMalformed("response is too long")
	}
	return b, nil
}

// Media types of RFC 3161 §3.4, which defines the last one as timestamp-reply but requires timestamp-response.
const (
	queryType    = "application/timestamp-query"
	replyType    = "application/timestamp-reply"
	responseType = "application/timestamp-response"
)
