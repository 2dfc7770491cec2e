package oidc

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Bounds on the keys of providers, which administrators of organisations choose.
const (
	minRSA   = 2048 // bits of the smallest RSA key that is trusted (RFC 7518 §3.3)
	maxRSA   = 8192 // bits of the largest RSA key: one of 90,000 bits, whose signature fits into a token, takes seconds of processor time
	maxTried = 8    // keys with which one token is verified: several may have the same identifier
)

// keySet holds the public keys of a provider. It implements oidclib.KeySet, whose implementation in package oidclib does not limit how often it
// fetches keys: a caller could make us send the provider a request with each token that they present.
type keySet struct {
	address string
	http    *http.Client
	clock   func() time.Time

	mu   sync.Mutex // guards keys
	keys []jose.JSONWebKey

	fetching sync.Mutex // held while keys are fetched; guards the fields below
	fetched  time.Time  // when they were last fetched, with or without success
	failed   error      // why the last fetch failed; nil: it succeeded
}

// tokenKeys are the keys for one token. Package oidclib reports errors of keys as text, so the error is remembered here.
type tokenKeys struct {
	*keySet
	failed error
}

// VerifySignature implements oidclib.KeySet.
func (v *tokenKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := v.keySet.VerifySignature(ctx, token)
	v.failed = err
	return payload, err
}

// VerifySignature returns the payload of a signed token. The caller checks its claims.
func (s *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	var allowed []jose.SignatureAlgorithm
	for _, a := range algorithms {
		allowed = append(allowed, jose.SignatureAlgorithm(a))
	}
	signed, err := jose.ParseSignedCompact(token, allowed)
	if err != nil {
		return nil, fmt.Errorf("parse a token: %w", err)
	}
	if len(signed.Signatures) != 1 {
		return nil, errors.New("a token must have one signature")
	}
	header := signed.Signatures[0].Header
	payload, known, err := verifyWith(s.currentKeys(), signed, header)
	if known {
		return payload, err
	}
	// The provider may have new keys.
	keys, err := s.fetchKeys(ctx)
	if err != nil {
		return nil, err
	}
	payload, known, err = verifyWith(keys, signed, header)
	if !known {
		return nil, fmt.Errorf("no key of the provider is %q", header.KeyID)
	}
	return payload, err
}

// verifyWith verifies a token with the keys that its header selects, at most maxTried of them. Known is false if the header selects none. A token
// without a key identifier selects all keys, and counts as known only if one of them verifies it.
func verifyWith(keys []jose.JSONWebKey, signed *jose.JSONWebSignature, header jose.Header) (payload []byte, known bool, err error) {
	tried := 0
	for i := range keys {
		k := &keys[i]
		if header.KeyID != "" && k.KeyID != header.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		payload, err = signed.Verify(k)
		if err == nil {
			return payload, true, nil
		}
		known = known || header.KeyID != ""
	}
	return nil, known, err
}

// currentKeys returns the keys that were fetched last.
func (s *keySet) currentKeys() []jose.JSONWebKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// fetchKeys fetches the keys, unless that was done a moment ago, and returns them. If the provider does not answer, the error is ErrUnreachable.
func (s *keySet) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	s.fetching.Lock()
	defer s.fetching.Unlock()
	now := s.clock()
	if !s.fetched.IsZero() && now.Sub(s.fetched) < keysEvery {
		return s.currentKeys(), s.failed
	}
	s.fetched = now
	// All callers share the result, so a caller who hangs up must not make it a failure.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	var found jose.JSONWebKeySet
	if err := fetchJSON(ctx, s.http, s.address, "", &found); err != nil {
		s.failed = fmt.Errorf("%w: %w", ErrUnreachable, err)
		return nil, s.failed
	}
	var keys []jose.JSONWebKey
	for _, k := range found.Keys[:min(len(found.Keys), maxKeys)] {
		r, isRSA := k.Key.(*rsa.PublicKey)
		if k.IsPublic() && k.Valid() && (k.Use == "" || k.Use == "sig") && (!isRSA || r.N.BitLen() >= minRSA && r.N.BitLen() <= maxRSA) {
			keys = append(keys, k)
		}
	}
	s.failed = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
	return keys, nil
}
