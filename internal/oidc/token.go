package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	oidclib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// ErrAnswer is an answer that is not from the provider, or not for this login.
var ErrAnswer = errors.New("the answer of the provider is invalid")

const (
	clockSkew = 5 * time.Minute // how far the clock of a provider may be ahead
	// logoutLifetime bounds how long a logout token is valid, and with it how long its use is recorded. OpenID Connect Back-Channel Logout 1.0
	// §2.4 recommends two minutes.
	logoutLifetime = time.Hour
)

// Claims are the claims of a person that are used here. Groups are read by their name, see [Claims.Groups].
type Claims struct {
	Subject         string         `json:"sub"`
	Email           string         `json:"email"`
	EmailVerified   lenientBool    `json:"email_verified"`
	Name            string         `json:"name"`
	AuthorizedParty string         `json:"azp"`
	AuthTime        int64          `json:"auth_time"` // Unix seconds; 0: not stated
	AMR             lenientStrings `json:"amr"`
	ACR             string         `json:"acr"`
	SessionID       string         `json:"sid"`

	all map[string]json.RawMessage
}

// lenientBool is a boolean, which some providers send as a string. Anything else is false.
type lenientBool bool

func (t *lenientBool) UnmarshalJSON(b []byte) error {
	*t = string(b) == "true" || string(b) == `"true"`
	return nil
}

// lenientStrings is an array of strings; some providers send a single string. Values of other types are left out.
type lenientStrings []string

func (l *lenientStrings) UnmarshalJSON(b []byte) error {
	*l = nil
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = lenientStrings{one}
		return nil
	}
	var many []json.RawMessage
	if json.Unmarshal(b, &many) != nil {
		return nil
	}
	for _, m := range many {
		if json.Unmarshal(m, &one) == nil {
			*l = append(*l, one)
		}
	}
	return nil
}

// Groups returns the strings of the claim with that name, and whether the provider states the claim.
func (c *Claims) Groups(claim string) (groups []string, given bool) {
	raw, given := c.all[claim]
	if !given {
		return nil, false
	}
	var l lenientStrings
	_ = l.UnmarshalJSON(raw) // never fails
	return l, true
}

// protocolClaims are the claims that package oidclib reads, in any case of letters.
var protocolClaims = []string{"iss", "aud", "exp", "iat", "nbf", "nonce", "at_hash", "events", "jti"}

// parseClaims parses a JSON object of claims. Names of claims are case-sensitive (RFC 7519 §10.1.1), and encoding/json ignores the case of letters:
// members whose names differ from a claim in that alone are left out, so that a custom attribute "Email" is not taken for the address. A token
// with a claim of the protocol in another spelling is refused, because package oidclib may have read it.
func parseClaims(raw []byte, to *Claims) error {
	if err := json.Unmarshal(raw, &to.all); err != nil {
		return err
	}
	exact := map[string]json.RawMessage{}
	for name, value := range to.all {
		lower := strings.ToLower(name)
		if lower == name {
			exact[name] = value
		} else if slices.Contains(protocolClaims, lower) {
			return fmt.Errorf("the claim %q is spelled %.20q", lower, name)
		}
	}
	plain, err := json.Marshal(exact)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, to)
}

// isSubject reports whether a subject has 1 to 255 printable ASCII characters (OpenID Connect Core 1.0 §2). The store would replace others, and two
// subjects could become one.
func isSubject(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// newVerifier returns a verifier of one token, and the keys that it uses.
func (p *Provider) newVerifier(c Client) (*oidclib.IDTokenVerifier, *tokenKeys) {
	keys := &tokenKeys{keySet: p.keys}
	return oidclib.NewVerifier(p.Issuer, keys, &oidclib.Config{ClientID: c.ID, SupportedSigningAlgs: algorithms, Now: p.clock}), keys
}

// Exchange exchanges the code of a login for an ID token and returns its claims, after every check of OpenID Connect Core 1.0 §3.1.3.7. If the
// token lacks the address, the groups or the name, its claims are completed from the UserInfo endpoint. An empty groupsClaim means that no groups
// are needed. Errors are ErrUnreachable or ErrAnswer.
func (p *Provider) Exchange(ctx context.Context, c Client, l Login, code, groupsClaim string) (Claims, error) {
	tokens, err := p.config(c).Exchange(context.WithValue(ctx, oauth2.HTTPClient, p.http), code, oauth2.VerifierOption(l.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError:
		// The code or our secret is wrong. The body may repeat either, so only the code of the error is logged.
		return Claims{}, fmt.Errorf("%w: exchange the code: status %d, %.100q", ErrAnswer, refused.Response.StatusCode, refused.ErrorCode)
	case err != nil && refused == nil:
		return Claims{}, fmt.Errorf("%w: exchange the code: %w", ErrUnreachable, err)
	case err != nil:
		return Claims{}, fmt.Errorf("%w: exchange the code: status %d", ErrUnreachable, refused.Response.StatusCode)
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return Claims{}, fmt.Errorf("%w: there is no ID token", ErrAnswer)
	}
	claims, err := p.verifyIDToken(ctx, c, raw, l.Nonce, tokens.AccessToken)
	if err != nil {
		return Claims{}, err
	}
	_, hasGroups := claims.all[groupsClaim]
	isNeeded := claims.Email == "" || groupsClaim != "" && !hasGroups
	if (isNeeded || claims.Name == "") && p.userInfo != "" {
		// A login does not depend on the name: an endpoint that fails, or answers with a JWT, must not block it for that alone.
		if err := p.addUserInfo(ctx, &claims, tokens.AccessToken); err != nil && isNeeded {
			return Claims{}, err
		}
	}
	return claims, nil
}

// verifyIDToken verifies an ID token of a login and returns its claims.
func (p *Provider) verifyIDToken(ctx context.Context, c Client, raw, nonce, access string) (Claims, error) {
	verifier, keys := p.newVerifier(c)
	token, err := verifier.Verify(ctx, raw) // signature, algorithm, issuer, audience, expiry, nbf
	if err != nil {
		return Claims{}, keys.answerError(err)
	}
	var body json.RawMessage
	var claims Claims
	if err := errors.Join(token.Claims(&body), parseClaims(body, &claims)); err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		return Claims{}, fmt.Errorf("%w: the nonce is another one", ErrAnswer)
	case !isSubject(claims.Subject):
		return Claims{}, fmt.Errorf("%w: the subject is not one", ErrAnswer)
	case claims.AuthorizedParty != "" && claims.AuthorizedParty != c.ID, len(token.Audience) > 1 && claims.AuthorizedParty != c.ID:
		return Claims{}, fmt.Errorf("%w: the token is for another party", ErrAnswer)
	case token.IssuedAt.After(p.clock().Add(clockSkew)):
		return Claims{}, fmt.Errorf("%w: the token is from the future", ErrAnswer)
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(access); err != nil {
			return Claims{}, fmt.Errorf("%w: %w", ErrAnswer, err)
		}
	}
	return claims, nil
}

// answerError returns ErrAnswer with the cause, or ErrUnreachable if the keys could not be read.
func (v *tokenKeys) answerError(err error) error {
	if errors.Is(v.failed, ErrUnreachable) {
		return v.failed
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}

// addUserInfo adds claims that the ID token lacks, from the UserInfo endpoint (OpenID Connect Core 1.0 §5.3). Claims of the ID token stay as
// they are. The answer must be about the same subject.
func (p *Provider) addUserInfo(ctx context.Context, c *Claims, access string) error {
	var body json.RawMessage
	var more Claims
	if err := fetchJSON(ctx, p.http, p.userInfo, access, &body); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := parseClaims(body, &more); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if more.Subject != c.Subject {
		return fmt.Errorf("%w: the UserInfo response is about another person", ErrAnswer)
	}
	if c.Email == "" {
		c.Email, c.EmailVerified = more.Email, more.EmailVerified // an address and its verification belong together
	}
	if c.Name == "" {
		c.Name = more.Name
	}
	for name, value := range more.all {
		if _, stated := c.all[name]; !stated {
			c.all[name] = value
		}
	}
	return nil
}

// LogoutToken is a verified logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
type LogoutToken struct {
	ID        string // unique among the tokens of the provider
	Subject   string // empty: SessionID is stated
	SessionID string // empty: all sessions of the person
	Expires   time.Time
}

// VerifyLogoutToken verifies a logout token. The caller checks that it was not used before. Errors are ErrUnreachable or ErrAnswer.
func (p *Provider) VerifyLogoutToken(ctx context.Context, c Client, raw string) (LogoutToken, error) {
	verifier, keys := p.newVerifier(c)
	t, err := verifier.VerifyLogout(ctx, raw) // signature, algorithm, issuer, audience, expiry, event, identifier, no nonce
	if err != nil {
		return LogoutToken{}, keys.answerError(err)
	}
	now := p.clock()
	switch {
	case t.IssuedAt.IsZero() || t.IssuedAt.After(now.Add(clockSkew)):
		return LogoutToken{}, fmt.Errorf("%w: the token is from the future", ErrAnswer)
	case t.Expiry.After(now.Add(logoutLifetime)):
		return LogoutToken{}, fmt.Errorf("%w: the token expires too late", ErrAnswer)
	}
	return LogoutToken{ID: t.TokenID, Subject: t.Subject, SessionID: t.SessionID, Expires: t.Expiry}, nil
}
