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
)

const (
	// maxResponse bounds what is read of a response, in bytes; a real one has at most some ten thousand.
	maxResponse = 256 << 10
	// defaultTimeout is how long one authority may take; a working one answers within a second.
	defaultTimeout = 15 * time.Second
)

// Client asks one authority over HTTP (RFC 3161 §3.4). Its members are not changed once it is in use; any number of
// callers may ask at once.
type Client struct {
	// URL of the authority. A user and password in it are sent as HTTP basic authentication, and appear in no error.
	URL     string
	HTTP    *http.Client          // its transport decides where connections may go
	Timeout time.Duration         // of one question with its answer; 0 is 15 seconds
	Policy  asn1.ObjectIdentifier // asked for, and demanded of the answer; nil: the authority's choice
	// Roots are where the authority's chain has to lead. Nil: nobody asks whom it was certified by.
	Roots  *x509.CertPool
	Clock  func() time.Time // nil: time.Now
	Random io.Reader        // of nonces; nil: crypto/rand
	// Tolerance is how far a token's time may be from the clock; 0 is Skew. What is further away is a [*ClockError].
	Tolerance time.Duration

	largest atomic.Int64 // bytes of the largest token so far
}

// TokenSize returns an upper bound of a token once the authority has given one: what it includes hardly changes.
// Before that it returns 0.
func (c *Client) TokenSize() int {
	n := int(c.largest.Load())
	if n == 0 {
		return 0
	}
	return n + n/16 + 64 // integers vary in length
}

// Timestamp obtains a token over a SHA-256 digest and checks it in every respect; see [Request.Accept] and
// [Token.Validate]. The error names the authority by its host; it is a [*ClockError] where everything is as it should be
// but the time.
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
	request, err := newRequest(random, digest, c.Policy)
	if err != nil {
		return nil, err
	}
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

// splitURL takes the user off an address. Words of the parser would repeat the password.
func splitURL(s string) (*url.URL, *url.Userinfo, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, errors.New("address of the time-stamp authority is no http or https address")
	}
	user := u.User
	u.User = nil
	return u, user, nil
}

func newRequest(random io.Reader, digest []byte, policy asn1.ObjectIdentifier) (Request, error) {
	var nonce [16]byte
	if _, err := io.ReadFull(random, nonce[:]); err != nil {
		return Request{}, fmt.Errorf("draw nonce: %w", err)
	}
	return Request{Hash: crypto.SHA256, Imprint: digest, Policy: policy, Nonce: new(big.Int).SetBytes(nonce[:]), CertReq: true}, nil
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
	// The authority is judged at its own time: where the two clocks disagree, the local one may be wrong.
	if c.Roots != nil {
		if _, err := token.Validate(c.Roots, token.Time); err != nil {
			return nil, err
		}
	}
	if err := token.CheckClock(now, cmp.Or(c.Tolerance, Skew)); err != nil {
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
		// The address, whose query may hold a secret, is not repeated.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("ask: %w", err)
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

// Media types of RFC 3161 §3.4, which calls the last of them timestamp-reply where it defines it and
// timestamp-response where it demands it.
const (
	queryType    = "application/timestamp-query"
	replyType    = "application/timestamp-reply"
	responseType = "application/timestamp-response"
)
