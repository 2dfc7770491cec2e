package api

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
)

// tokenPath is the token endpoint of OAuth 2.0.
const tokenPath = "/v1/auth/token"

// accessToken is the successful answer of the token endpoint (RFC 6749 §5.1).
type accessToken struct {
	AccessToken string `json:"access_token" example:"sgl_kt_..."`
	TokenType   string `json:"token_type" enum:"Bearer" example:"Bearer"`
	ExpiresIn   int    `json:"expires_in" doc:"seconds" example:"3600"`
	Scope       string `json:"scope" doc:"what was granted, separated by spaces" example:"documents:read documents:write"`
}

// Error codes of RFC 6749 §5.2.
const (
	oauthRequest     = "invalid_request"
	oauthClient      = "invalid_client"
	oauthScope       = "invalid_scope"
	oauthUnsupported = "unsupported_grant_type"
)

// oauthError is a refusal of the token endpoint (RFC 6749 §5.2).
type oauthError struct {
	Code        string `json:"error" enum:"invalid_request,invalid_client,invalid_scope,unsupported_grant_type" example:"invalid_client"`
	Description string `json:"error_description" doc:"for the developer of the client"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

// tokenRequest is a request for an access token by client credentials (RFC 6749 §4.4.2).
type tokenRequest struct {
	client contract.KeyID
	secret string
	scopes []string // empty: all of the key
	basic  bool     // the client authenticated with the header (§2.3.1)
}

// issueToken is the token endpoint. Its answers have the form of RFC 6749 and not the envelope of other endpoints, except for refusals that
// all endpoints share: a body that is too large, too many requests, an outage.
func (c *call) issueToken() error {
	body, err := c.readBody()
	if err != nil {
		return err
	}
	in, err := parseTokenRequest(string(body), c.r.Header.Get("Authorization"))
	var refused *oauthError
	if errors.As(err, &refused) {
		return c.refuseToken(in.basic, refused, err)
	}
	t, err := c.Identity.IssueKeyToken(c.r.Context(), in.client, in.secret, c.client, in.scopes)
	switch {
	case errors.Is(err, identity.ErrClient):
		return c.refuseToken(in.basic, &oauthError{oauthClient, "unknown client, wrong secret, or a key that may not be used now or from this network"}, err)
	case errors.Is(err, identity.ErrClientScope):
		return c.refuseToken(in.basic, &oauthError{oauthScope, "the key lacks a scope that was requested"}, err)
	case err != nil:
		return err
	}
	c.forbidStoring()
	return c.writeAnswer(http.StatusOK, accessToken{AccessToken: t.Token, TokenType: "Bearer", ExpiresIn: int(t.ExpiresIn.Seconds()), Scope: contract.JoinScopes(t.Scopes)})
}

// forbidStoring sets the headers that answers with tokens must have (RFC 6749 §5.1).
func (c *call) forbidStoring() {
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("Pragma", "no-cache")
}

// refuseToken answers with an error of the token endpoint (RFC 6749 §5.2). Basic says that the client authenticated with the header.
func (c *call) refuseToken(basic bool, e *oauthError, cause error) error {
	c.cause = cause
	status := http.StatusBadRequest
	if e.Code == oauthClient {
		status = http.StatusUnauthorized
		if basic {
			c.w.Header().Set("WWW-Authenticate", `Basic realm="segel", charset="UTF-8"`)
		}
	}
	c.forbidStoring()
	return c.writeAnswer(status, e)
}

// parseTokenRequest reads the body of a token request, a form, and the header with which the client may authenticate instead. Its errors are
// [*oauthError]. A parameter may not be repeated, one without a value counts as missing, unknown ones are ignored (RFC 6749 §3.2).
func parseTokenRequest(body, authorization string) (in tokenRequest, err error) {
	scheme, credentials, _ := strings.Cut(authorization, " ")
	in.basic = strings.EqualFold(scheme, "Basic")
	form, parseErr := url.ParseQuery(body)
	if parseErr != nil {
		return in, &oauthError{oauthRequest, "the body is not application/x-www-form-urlencoded"}
	}
	for _, name := range []string{"grant_type", "scope", "client_id", "client_secret"} {
		if len(form[name]) > 1 {
			return in, &oauthError{oauthRequest, name + " is given more than once"}
		}
	}
	switch form.Get("grant_type") {
	case "client_credentials":
	case "":
		return in, &oauthError{oauthRequest, "grant_type is missing"}
	default:
		return in, &oauthError{oauthUnsupported, "only client_credentials is supported"}
	}
	in.scopes = strings.Fields(form.Get("scope"))
	client, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case in.basic && secret != "":
		return in, &oauthError{oauthRequest, "the client authenticates in the header and in the body"}
	case in.basic:
		id, password, ok := decodeBasic(strings.TrimSpace(credentials))
		if !ok {
			return in, &oauthError{oauthClient, "the header does not have the form of RFC 6749, section 2.3.1"}
		}
		if client != "" && client != id {
			return in, &oauthError{oauthRequest, "client_id differs from the one in the header"}
		}
		client, secret = id, password
	case client == "" || secret == "":
		return in, &oauthError{oauthClient, "the client does not authenticate"}
	}
	in.client, in.secret = contract.KeyID(client), secret
	return in, nil
}

// decodeBasic decodes client credentials: both parts are encoded as in a form before they are encoded for the header (RFC 6749 §2.3.1).
func decodeBasic(credentials string) (client, secret string, ok bool) {
	b, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return "", "", false
	}
	client, secret, ok = strings.Cut(string(b), ":")
	client, errClient := url.QueryUnescape(client)
	secret, errSecret := url.QueryUnescape(secret)
	return client, secret, ok && errClient == nil && errSecret == nil && client != "" && secret != ""
}

// authorizationServer describes the token endpoint for clients that configure themselves (RFC 8414 §2).
type authorizationServer struct {
	Issuer        string              `json:"issuer" example:"https://segel.contoh.id"`
	TokenEndpoint string              `json:"token_endpoint" example:"https://segel.contoh.id/v1/auth/token"`
	AuthMethods   []string            `json:"token_endpoint_auth_methods_supported"`
	GrantTypes    []string            `json:"grant_types_supported"`
	ResponseTypes []string            `json:"response_types_supported" doc:"empty: there is no authorization endpoint"`
	Scopes        []contract.KeyScope `json:"scopes_supported"`
	Documentation string              `json:"service_documentation" example:"https://segel.contoh.id/docs"`
}

// describeTokenEndpoint answers with the metadata of the token endpoint.
func (c *call) describeTokenEndpoint() error {
	return c.writeAnswer(http.StatusOK, authorizationServer{
		Issuer: c.PublicURL, TokenEndpoint: c.PublicURL + tokenPath, AuthMethods: []string{"client_secret_basic", "client_secret_post"},
		GrantTypes: []string{"client_credentials"}, ResponseTypes: []string{}, Scopes: contract.KeyScopes, Documentation: c.PublicURL + "/docs",
	})
}

// formType is the media type of forms: token requests and logout tokens.
const formType = "application/x-www-form-urlencoded"

// tokenForm describes the body of a token request.
func tokenForm() *huma.MediaType {
	properties := map[string]*huma.Schema{
		"grant_type": {Type: huma.TypeString, Enum: []any{"client_credentials"}}, "scope": {Type: huma.TypeString, Description: "scopes of the key, separated by spaces; missing: all of them"},
		"client_id":     {Type: huma.TypeString, Description: "id of an API key, unless the client authenticates in the header"},
		"client_secret": {Type: huma.TypeString, Description: "the key, unless the client authenticates in the header"},
	}
	return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"grant_type"}, Properties: properties}}
}
