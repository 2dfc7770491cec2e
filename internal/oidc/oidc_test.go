package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// host is an identity provider whose answers wait until they are released.
type host struct {
	*httptest.Server
	asked   chan struct{} // has an element for each request that arrived
	release chan struct{} // closed: requests are answered
	key     *ecdsa.PrivateKey
	keys    []jose.JSONWebKey // that it publishes
}

func startHost(t *testing.T) *host {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{asked: make(chan struct{}, 10), release: make(chan struct{}), key: key}
	h.keys = []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked <- struct{}{}
		<-h.release
		w.Header().Set("Content-Type", "application/json")
		answer := any(jose.JSONWebKeySet{Keys: h.keys})
		if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
			answer = map[string]string{"issuer": h.URL, "authorization_endpoint": h.URL + "/login", "token_endpoint": h.URL + "/token", "jwks_uri": h.URL + "/keys"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(h.Close)
	return h
}

// sign returns a token with some claims.
func (h *host) sign(t *testing.T, claims string) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: h.key, KeyID: "1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign([]byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (h *host) providers() *Providers {
	return &Providers{HTTP: h.Client(), Clock: time.Now, Plain: func(string) bool { return true }}
}

func TestACallerWhoHangsUpDoesNotMakeAProviderUnreachable(t *testing.T) {
	t.Parallel()
	h := startHost(t)
	known := h.providers()
	hangUp := func(read func(ctx context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- read(ctx) }()
		<-h.asked
		cancel()
		close(h.release)
		if err := <-done; errors.Is(err, ErrUnreachable) {
			t.Errorf("the caller who hung up: %v", err)
		}
	}
	hangUp(func(ctx context.Context) error {
		_, err := known.Load(ctx, h.URL)
		return err
	})
	p, err := known.Load(t.Context(), h.URL)
	if err != nil {
		t.Fatalf("metadata for the next caller: %v", err)
	}
	h.release = make(chan struct{})
	token := h.sign(t, `{"sub":"siti"}`)
	hangUp(func(ctx context.Context) error {
		_, err := p.keys.VerifySignature(ctx, token)
		return err
	})
	if _, err := p.keys.VerifySignature(t.Context(), token); err != nil {
		t.Errorf("keys for the next caller: %v", err)
	}
}

// A provider is chosen by the administrator of an organisation, who may be malicious: with a key of a million bits, one token would take a processor for seconds.
func TestRSAKeysAreUsedOnlyIfTheyAreStrongAndVerifyQuickly(t *testing.T) {
	t.Parallel()
	h := startHost(t)
	close(h.release)
	for _, bits := range []int{2047, 2048, 8192, 8193, 100_000} {
		n := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		h.keys = append(h.keys, jose.JSONWebKey{Key: &rsa.PublicKey{N: n.SetBit(n, 0, 1), E: 65537}, KeyID: strconv.Itoa(bits), Algorithm: "RS256", Use: "sig"})
	}
	p, err := h.providers().Load(t.Context(), h.URL)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := p.keys.fetchKeys(t.Context())
	var used []string
	for _, k := range keys {
		used = append(used, k.KeyID)
	}
	if err != nil || !slices.Equal(used, []string{"1", "2048", "8192"}) {
		t.Errorf("%v, %v", used, err)
	}
}

func TestATokenIsVerifiedWithFewKeys(t *testing.T) {
	t.Parallel()
	h := startHost(t)
	close(h.release)
	right := h.keys[0]
	for others, verified := range map[int]bool{0: true, maxTried - 1: true, maxTried: false} {
		h.keys = nil
		for range others {
			other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			h.keys = append(h.keys, jose.JSONWebKey{Key: other.Public(), KeyID: right.KeyID, Algorithm: "ES256", Use: "sig"})
		}
		h.keys = append(h.keys, right)
		p, err := h.providers().Load(t.Context(), h.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.keys.VerifySignature(t.Context(), h.sign(t, `{"sub":"siti"}`)); (err == nil) != verified {
			t.Errorf("after %d other keys: %v", others, err)
		}
	}
}

func TestMetadataMayNameHTTPAddressesOfAllowedHostsOnly(t *testing.T) {
	t.Parallel()
	h := startHost(t)
	close(h.release)
	for name, plain := range map[string]func(string) bool{"none": nil, "others": func(host string) bool { return host == "login.internal" }} {
		p := h.providers()
		p.Plain = plain
		if _, err := p.Load(t.Context(), h.URL); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "not an https address") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClaimsAreReadByTheirExactNames(t *testing.T) {
	t.Parallel()
	var c Claims
	err := parseClaims([]byte(`{"sub":"mallory","email":"siti@contoh.id","email_verified":false,"Email_Verified":true,"SUB":"siti-1","EMAIL":"ceo@contoh.id","Groups":["a"]}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Subject != "mallory" || c.Email != "siti@contoh.id" || c.EmailVerified {
		t.Errorf("read %+v", c)
	}
	if groups, given := c.Groups("Groups"); !given || len(groups) != 1 { // an admin names this claim
		t.Errorf("groups %v, %v", groups, given)
	}
	for _, name := range []string{"ISS", "Aud", "NONCE", "At_Hash", "Exp"} {
		if err := parseClaims([]byte(`{"sub":"mallory","`+name+`":"x"}`), &c); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestASubjectIsPrintableASCII(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{
		"siti": true, "a|b c": true, strings.Repeat("x", 255): true, "": false, strings.Repeat("x", 256): false, "siti\x00": false, "sit\u00ef": false, "\xff": false,
	} {
		if isSubject(subject) != want {
			t.Errorf("%q: %v", subject, !want)
		}
	}
}
