// Package oidctest is an OpenID Connect provider for tests, which says what a test wants.
package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Object is a JSON object.
type Object = map[string]any

// The client that the provider knows, and the person whom it names unless Claims say otherwise.
const (
	ClientID     = "segel"
	ClientSecret = "rahasia klien"
	Email        = "siti@contoh.id"
)

// Provider is a provider that runs until the test ends. Its fields may be changed within [Provider.Set] alone.
type Provider struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex // guards all below
	Key      crypto.Signer
	KeyID    string
	Alg      jose.SignatureAlgorithm
	Down     bool
	Claims   Object                                  // of the next ID tokens, over what is usual
	UserInfo Object                                  // nil: there is none
	Metadata Object                                  // over the usual metadata
	Sign     func(p *Provider, claims Object) string // nil: with the key
	Asked    map[string]int                          // requests by path
	Login    url.Values                              // the last request of a login
	Exchange url.Values                              // the last exchange of a code
}

// Start starts a provider.
func Start(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{t: t, Asked: map[string]int{}}
	p.Rotate("first")
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// Rotate gives the provider a new key, and forgets the former one.
func (p *Provider) Rotate(keyID string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Set(func() { p.Key, p.KeyID, p.Alg = key, keyID, jose.ES256 })
}

// Set changes the provider.
func (p *Provider) Set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// Count returns how many requests there were to a path.
func (p *Provider) Count(path string) (n int) {
	p.Set(func() { n = p.Asked[path] })
	return n
}

// ServeHTTP answers as a provider does.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Asked[r.URL.Path]++
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	if p.Down {
		answer(http.StatusServiceUnavailable, Object{"error": "down"})
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		m := Object{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"end_session_endpoint": p.URL + "/end", "authorization_response_iss_parameter_supported": true, "code_challenge_methods_supported": []string{"S256"},
		}
		if p.UserInfo != nil {
			m["userinfo_endpoint"] = p.URL + "/me"
		}
		maps.Copy(m, p.Metadata)
		answer(http.StatusOK, m)
	case "/keys":
		answer(http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.Key.Public(), KeyID: p.KeyID, Use: "sig"}}})
	case "/token":
		_ = r.ParseForm()
		p.Exchange = r.Form
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != p.Login.Get("code_challenge") || r.Form.Get("redirect_uri") != p.Login.Get("redirect_uri") {
			answer(http.StatusBadRequest, Object{"error": "invalid_grant"})
			return
		}
		id, secret, _ := r.BasicAuth()
		secret, _ = url.QueryUnescape(secret) // RFC 6749 §2.3.1
		if id != ClientID || secret != ClientSecret {
			answer(http.StatusUnauthorized, Object{"error": "invalid_client"})
			return
		}
		claims := Object{
			"iss": p.URL, "aud": ClientID, "sub": "siti-1", "email": Email, "email_verified": true, "name": "Siti Rahma", "nonce": p.Login.Get("nonce"),
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "sid": "s1",
		}
		maps.Copy(claims, p.Claims)
		answer(http.StatusOK, Object{"access_token": "at", "token_type": "Bearer", "id_token": p.SignClaims(claims)})
	case "/me":
		answer(http.StatusOK, p.UserInfo)
	default:
		http.NotFound(w, r)
	}
}

// SignClaims returns a token. Call it within [Provider.Set].
func (p *Provider) SignClaims(claims Object) string {
	if p.Sign != nil {
		return p.Sign(p, claims)
	}
	return SignToken(p.t, jose.SigningKey{Algorithm: p.Alg, Key: jose.JSONWebKey{Key: p.Key, KeyID: p.KeyID}}, claims)
}

// SignToken returns a token that another key signed.
func SignToken(t testing.TB, key jose.SigningKey, claims Object) string {
	s, err := jose.NewSigner(key, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	b, _ := json.Marshal(claims)
	signed, err := s.Sign(b)
	if err != nil {
		t.Error(err)
		return ""
	}
	token, _ := signed.CompactSerialize()
	return token
}

// SignWith returns a Sign of a provider whose tokens another key signs.
func SignWith(t testing.TB, alg jose.SignatureAlgorithm, key any) func(*Provider, Object) string {
	return func(p *Provider, claims Object) string {
		return SignToken(t, jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: p.KeyID}}, claims)
	}
}

// Unsigned is a Sign of a provider whose tokens have the algorithm "none".
func Unsigned(_ *Provider, claims Object) string {
	b, _ := json.Marshal(claims)
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(b) + "."
}
