package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	oidclib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// ErrUnreachable says that a provider does not answer, or that its metadata or keys cannot be used.
var ErrUnreachable = errors.New("the provider does not answer as a provider")

// ErrIssuer says that metadata states another issuer (OpenID Connect Discovery 1.0 §4.3).
var ErrIssuer = errors.New("the issuer is another one")

// metadataError says why metadata was not read. It shortens the errors of package oidclib, which contain the whole answer of the host.
type metadataError struct {
	issuer string
	cause  error
}

func (e *metadataError) Error() string {
	return fmt.Sprintf("read the metadata of %s: %.200q", e.issuer, e.cause.Error())
}

func (e *metadataError) Unwrap() error { return e.cause }

const (
	metadataFresh = time.Hour        // how long metadata is used without asking again
	metadataStale = 24 * time.Hour   // how long it is used while the provider does not answer
	retryAfter    = 5 * time.Second  // after a provider did not answer, until it is asked again
	keysEvery     = 10 * time.Second // at least, between two requests for keys
	readTimeout   = 10 * time.Second // of reading metadata or keys
	maxProviders  = 1000
	maxKeys       = 100
	maxMetadata   = 1 << 20 // bytes of any answer; the client has a limit too
)

// algorithms are the signature algorithms that tokens may have. They exclude "none" and those with a shared secret (HMAC).
var algorithms = []string{
	oidclib.RS256, oidclib.RS384, oidclib.RS512, oidclib.PS256, oidclib.PS384, oidclib.PS512, oidclib.ES256, oidclib.ES384, oidclib.ES512, oidclib.EdDSA,
}

// Providers keeps the metadata and keys of providers in memory. It is safe for concurrent use.
type Providers struct {
	// HTTP sends all requests. It must be a client of internal/outbound that follows no redirect.
	HTTP  *http.Client
	Clock func() time.Time
	// Plain reports whether addresses of a host may be http, for providers in a private network that the operator allowed. Nil: none may.
	Plain func(host string) bool

	mu    sync.Mutex // guards known
	known map[string]*cachedProvider
}

// cachedProvider is what is known of one issuer.
type cachedProvider struct {
	busy     chan struct{} // full while the metadata is read
	provider *Provider     // nil: not read yet
	failed   time.Time     // when it last did not answer; zero: it did
	problem  error
}

// Provider is a provider whose metadata was read.
type Provider struct {
	Issuer     string
	EndSession string // where people log out at the provider; empty: it has no such page

	endpoint     oauth2.Endpoint
	userInfo     string
	statesIssuer bool // its answers have the parameter iss (RFC 9207)
	keys         *keySet
	readAt       time.Time
	http         *http.Client
	clock        func() time.Time
}

// metadata are the members of OpenID Connect Discovery 1.0 §3, OpenID Connect RP-Initiated Logout 1.0 §2.1 and RFC 9207 §3 that are used
// here and that package oidclib does not read.
type metadata struct {
	Keys         string   `json:"jwks_uri"`
	EndSession   string   `json:"end_session_endpoint"`
	UserInfo     string   `json:"userinfo_endpoint"`
	StatesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	AuthMethods  []string `json:"token_endpoint_auth_methods_supported"`
	PKCE         []string `json:"code_challenge_methods_supported"`
}

// Load returns a provider, from memory if its metadata is fresh. While the provider does not answer, metadata of the last day is used.
// Errors are ErrUnreachable.
func (p *Providers) Load(ctx context.Context, issuer string) (*Provider, error) {
	s := p.findOrAdd(issuer)
	select {
	case s.busy <- struct{}{}: // one request at a time asks; the others wait for its result
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, ctx.Err())
	}
	now := p.Clock()
	if s.provider != nil && now.Sub(s.provider.readAt) < metadataFresh {
		return s.provider, nil
	}
	if s.problem == nil || now.Sub(s.failed) >= retryAfter {
		// All callers share the result, so a caller who hangs up must not make it a failure.
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		found, err := p.discover(shared, issuer)
		cancel()
		if err == nil {
			if s.provider != nil && s.provider.keys.address == found.keys.address {
				found.keys = s.provider.keys // they stay known; a token that names another one has them read again
			}
			s.provider, s.problem = found, nil
			return found, nil
		}
		s.failed, s.problem = now, err
	}
	if s.provider != nil && now.Sub(s.provider.readAt) < metadataStale {
		return s.provider, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, s.problem)
}

// findOrAdd returns the entry of an issuer.
func (p *Providers) findOrAdd(issuer string) *cachedProvider {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.known[issuer]; ok {
		return s
	}
	if p.known == nil || len(p.known) >= maxProviders {
		p.known = map[string]*cachedProvider{} // entries of former settings are dropped; those in use are read again
	}
	s := &cachedProvider{busy: make(chan struct{}, 1)}
	p.known[issuer] = s
	return s
}

// discover reads the metadata of a provider.
func (p *Providers) discover(ctx context.Context, issuer string) (*Provider, error) {
	found, err := oidclib.NewProvider(oidclib.ClientContext(ctx, p.HTTP), issuer) // compares the issuer
	var mismatch *oidclib.IssuerMismatchError
	switch {
	case errors.As(err, &mismatch):
		return nil, fmt.Errorf("%w: the metadata of %s is of %.200q", ErrIssuer, issuer, mismatch.Discovered)
	case err != nil:
		return nil, &metadataError{issuer, err}
	}
	var m metadata
	if err := found.Claims(&m); err != nil {
		return nil, fmt.Errorf("read the metadata of %s: %w", issuer, err)
	}
	made := &Provider{
		Issuer: issuer, EndSession: m.EndSession, endpoint: found.Endpoint(), userInfo: m.UserInfo, statesIssuer: m.StatesIssuer,
		keys: &keySet{address: m.Keys, http: p.HTTP, clock: p.Clock}, readAt: p.Clock(), http: p.HTTP, clock: p.Clock,
	}
	for name, address := range map[string]string{"authorization_endpoint": made.endpoint.AuthURL, "token_endpoint": made.endpoint.TokenURL, "jwks_uri": m.Keys} {
		if err := p.checkAddress(address); err != nil {
			return nil, fmt.Errorf("metadata of %s: %s: %w", issuer, name, err)
		}
	}
	for _, optional := range []*string{&made.EndSession, &made.userInfo} {
		if *optional != "" && p.checkAddress(*optional) != nil {
			*optional = ""
		}
	}
	if m.PKCE != nil && !slices.Contains(m.PKCE, "S256") {
		return nil, fmt.Errorf("metadata of %s: PKCE with S256 is not supported", issuer)
	}
	// OpenID Connect Core 1.0 §9: client_secret_basic is the default.
	made.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if m.AuthMethods != nil && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		made.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return made, nil
}

// checkAddress requires an https address, or an http address of a host that Plain allows.
func (p *Providers) checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && p.Plain != nil && p.Plain(u.Hostname())) {
		return fmt.Errorf("%q is not an https address", address)
	}
	return nil
}

// Client is this service as a client of a provider.
type Client struct {
	ID       string
	Secret   string // empty: a public client
	Redirect string // redirect_uri: where the provider sends people back to
}

// config returns the configuration of the OAuth 2.0 client.
func (p *Provider) config(c Client) *oauth2.Config {
	endpoint := p.endpoint
	if c.Secret == "" {
		endpoint.AuthStyle = oauth2.AuthStyleInParams // RFC 6749 §4.1.3: client_id in the body
	}
	return &oauth2.Config{ClientID: c.ID, ClientSecret: c.Secret, Endpoint: endpoint, RedirectURL: c.Redirect, Scopes: []string{oidclib.ScopeOpenID, "profile", "email"}}
}

// Login has the parameters of one login. State, Nonce and Verifier are secret random texts.
type Login struct {
	State    string
	Nonce    string
	Verifier string        // of PKCE (RFC 7636)
	Hint     string        // login_hint: the address of the person; empty: none
	ACR      string        // the acr that is asked for; empty: any
	MaxAge   time.Duration // the login at the provider may be this old; 0: any age
}

// LoginURL returns the address of the authorization request, at which a person logs in.
func (p *Provider) LoginURL(c Client, l Login) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(l.Verifier), oidclib.Nonce(l.Nonce)}
	if l.Hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", l.Hint))
	}
	if l.ACR != "" {
		options = append(options, oauth2.SetAuthURLParam("acr_values", l.ACR))
	}
	if l.MaxAge > 0 {
		options = append(options, oauth2.SetAuthURLParam("max_age", fmt.Sprint(int64(l.MaxAge/time.Second))))
	}
	return p.config(c).AuthCodeURL(l.State, options...)
}

// LogoutURL returns the address at which a person logs out at the provider (OpenID Connect RP-Initiated Logout 1.0 §2). Back is the address to
// which the provider sends them then. It is empty if the provider has no such page.
func (p *Provider) LogoutURL(c Client, back string) string {
	u, err := url.Parse(p.EndSession)
	if p.EndSession == "" || err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", c.ID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String()
}

// CheckIssuer checks the parameter iss of an answer (RFC 9207 §2.4). It is required if the metadata of the provider says that it sends iss.
func (p *Provider) CheckIssuer(iss string) error {
	if iss == "" && !p.statesIssuer || iss == p.Issuer {
		return nil
	}
	return fmt.Errorf("%w: the answer is from %q", ErrAnswer, iss)
}

// fetchJSON fetches a JSON object into to. The token authorises the request; empty: none is sent.
func fetchJSON(ctx context.Context, client *http.Client, address, token string, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	r.Header.Set("Accept", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("ask %s: status %d", address, a.StatusCode)
	}
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(kind); kind != "application/json" && kind != "application/jwk-set+json" {
		return fmt.Errorf("ask %s: the answer is %q", address, kind)
	}
	body, err := io.ReadAll(io.LimitReader(a.Body, maxMetadata))
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	return nil
}
