package api

import (
	"context"
	"net/http"
	"strings"

	"segel/internal/contract"
	"segel/internal/identity"
)

// authenticate identifies the caller by their token. A request with a cookie must come from our own pages; one with a
// token in a header was made on purpose, wherever its page came from. An account whose password was given by an admin
// may use only a few endpoints until its holder has chosen a password, and one that must add a second factor until it has one.
// People and guests of an organisation that is suspended or closed may only log out.
func (c *call) authenticate() (contract.Actor, error) {
	token, cookie := c.requestToken()
	if token == "" {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	if cookie {
		if err := c.crossSite.Check(c.r); err != nil {
			return contract.Actor{}, errCrossSite.WithCause(err)
		}
	}
	// Authentication has a limit of its own: it is quick even where the endpoint is slow.
	ctx, cancel := context.WithTimeout(c.r.Context(), c.AnswerTimeout)
	defer cancel()
	by, err := c.identify(ctx, token, cookie)
	if err != nil {
		if clock := c.checkClock(); clock != nil { // a token that has not ended has by this clock
			return contract.Actor{}, clock
		}
		return contract.Actor{}, err
	}
	if by.IsSystem() {
		return contract.Actor{}, contract.ErrUnauthenticated // the service itself never calls over HTTP
	}
	who := c.endpoint.access.callers
	if err := by.OrganisationState.RequireActive(); err != nil && who != tokenCallers {
		return contract.Actor{}, err
	}
	if by.MustChoosePassword && who != givenCallers && who != tokenCallers {
		return contract.Actor{}, contract.ErrChoosePassword
	}
	if by.MustEnrol && who != enrolCallers && who != givenCallers && who != tokenCallers {
		return contract.Actor{}, contract.ErrMustEnrol
	}
	by.IP, by.UserAgent, by.Language = c.client, c.r.UserAgent(), string(c.language)
	return by, nil
}

// identify returns the holder of a token, or the person as whom an API key acts. Nothing puts a key into a cookie, so none is taken from one.
func (c *call) identify(ctx context.Context, token string, cookie bool) (contract.Actor, error) {
	if !cookie && identity.IsAPIKey(token) {
		return c.Identity.AuthenticateKey(ctx, token, c.client)
	}
	if c.isBackground() {
		return c.Identity.AuthenticateBackground(ctx, token)
	}
	return c.Identity.Authenticate(ctx, token)
}

// backgroundHeader marks a request that a program makes by itself, as a page that is open and looks for news.
const backgroundHeader = "X-Segel-Background"

// isBackground reports whether the request does not count as a use of its session. The page that follows a document opens its stream again and again by itself.
func (c *call) isBackground() bool {
	return c.endpoint.access.op == contract.OpEvents || c.r.Header.Get(backgroundHeader) != ""
}

// requestToken returns the secret of the request: from x-access-token, a bearer token, or the session cookie.
func (c *call) requestToken() (token string, cookie bool) {
	if t := c.r.Header.Get("X-Access-Token"); t != "" {
		return strings.TrimSpace(t), false
	}
	if scheme, t, ok := strings.Cut(c.r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(t), false
	}
	token = c.cookieValue(sessionCookie)
	return token, token != ""
}

// cookie is one of our cookies. Scripts cannot read them.
type cookie struct {
	name     string
	sameSite http.SameSite
}

var (
	sessionCookie = cookie{"segel_session", http.SameSiteLaxMode}
	// deviceCookie identifies a browser that logged in before. It does not authenticate, so it outlives the session and a
	// logout.
	deviceCookie = cookie{"segel_device", http.SameSiteStrictMode}
)

// cookieName returns the name of a cookie, which is bound to our host and to TLS if the public address uses TLS.
func (s *server) cookieName(k cookie) string {
	if s.usesTLS() {
		return "__Host-" + k.name
	}
	return k.name
}

func (s *server) usesTLS() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// cookieValue returns the secret in a cookie, or an empty string.
func (c *call) cookieValue(k cookie) string {
	if sent, err := c.r.Cookie(c.cookieName(k)); err == nil {
		return sent.Value
	}
	return ""
}

// setCookie sets a cookie. A negative number of seconds deletes it.
func (c *call) setCookie(k cookie, secret string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: c.cookieName(k), Value: secret, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: c.usesTLS(), SameSite: k.sameSite,
	})
}
