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

// minRSA is the smallest RSA key that is trusted, in bits (RFC 7518 §3.3).
const minRSA = 2048

// keySet is the public keys of a provider. It implements the KeySet of package oidclib, which has no limit on how often keys are read
// again: anyone who can present a token could make us ask the provider as often as they like.
type keySet struct {
	address string
	http    *http.Client
	clock   func() time.Time

	mu   sync.Mutex // guards keys
	keys []jose.JSONWebKey

	asking sync.Mutex // held while keys are read; guards the fields below
	asked  time.Time  // when they were last asked for
	failed error      // what then went wrong
}

// verifying is the keys for one token. Package oidclib reports errors of keys as text, so the error is remembered here.
type verifying struct {
	*keySet
	failed error
}

// VerifySignature implements oidclib.KeySet.
func (v *verifying) VerifySignature(ctx context.Context, token string) ([]byte, error) {
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
		return nil, errors.New("a token has not one signature")
	}
	header := signed.Signatures[0].Header
	payload, known, err := verifyWith(s.current(), signed, header)
	if known {
		return payload, err
	}
	// The provider may have new keys.
	keys, err := s.refresh(ctx)
	if err != nil {
		return nil, err
	}
	payload, known, err = verifyWith(keys, signed, header)
	if !known {
		return nil, fmt.Errorf("no key of the provider is %q", header.KeyID)
	}
	return payload, err
}

// verifyWith verifies a token with the keys that its header selects. Known is false if there is none. A token without a key identifier
// selects all keys, and is known only if one of them verifies it.
func verifyWith(keys []jose.JSONWebKey, signed *jose.JSONWebSignature, header jose.Header) (payload []byte, known bool, err error) {
	for i := range keys {
		k := &keys[i]
		if header.KeyID != "" && k.KeyID != header.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			continue
		}
		payload, err = signed.Verify(k)
		if err == nil {
			return payload, true, nil
		}
		known = known || header.KeyID != ""
	}
	return nil, known, err
}

func (s *keySet) current() []jose.JSONWebKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// refresh asks for the keys, unless that was done a moment ago, and returns them. If the provider does not answer, the error is ErrUnreachable.
func (s *keySet) refresh(ctx context.Context) ([]jose.JSONWebKey, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	now := s.clock()
	if !s.asked.IsZero() && now.Sub(s.asked) < keysEvery {
		return s.current(), s.failed
	}
	s.asked = now
	var found jose.JSONWebKeySet
	if err := getJSON(ctx, s.http, s.address, "", &found); err != nil {
		s.failed = fmt.Errorf("%w: %w", ErrUnreachable, err)
		return nil, s.failed
	}
	var keys []jose.JSONWebKey
	for _, k := range found.Keys[:min(len(found.Keys), maxKeys)] {
		r, isRSA := k.Key.(*rsa.PublicKey)
		if k.IsPublic() && k.Valid() && (k.Use == "" || k.Use == "sig") && (!isRSA || r.N.BitLen() >= minRSA) {
			keys = append(keys, k)
		}
	}
	s.failed = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
	return keys, nil
}
