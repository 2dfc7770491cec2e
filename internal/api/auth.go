package api

import (
	"context"
	"net/http"
	"strings"

	"segel/internal/contract"
	"segel/internal/identity"
)

// Identity knows who is asking.
type Identity interface {
	Authenticate(ctx context.Context, token string) (contract.Actor, error)
	Login(ctx context.Context, c identity.Credentials, from identity.Client) (identity.Session, error)
	LoginSession(ctx context.Context, c identity.Credentials, from identity.Client) (identity.WebSession, error)
	Refresh(ctx context.Context, token string) (identity.Session, error)
	Logout(ctx context.Context, token string) error
	ForgotPassword(ctx context.Context, email, ip string) error
	ChangePassword(ctx context.Context, by contract.Actor, current, next string) error
	GuestLogin(ctx context.Context, link string) (identity.GuestSession, error)
	Me(ctx context.Context, by contract.Actor) (identity.Account, error)
	Directory(ctx context.Context, by contract.Actor, search string, page, limit int) ([]contract.Person, int, error)
	Specimen(ctx context.Context, by contract.Actor) (identity.Specimen, error)
	SetSpecimen(ctx context.Context, by contract.Actor, picture []byte) error
	DeleteSpecimen(ctx context.Context, by contract.Actor) error
	People(ctx context.Context, by contract.Actor, of contract.OrganisationID, search string, offset, limit int) ([]identity.Member, int, error)
	AddPerson(ctx context.Context, by contract.Actor, n identity.NewPerson) (identity.NewMember, error)
}

// authenticate finds out who asks, by the token he carries. A request by cookie must come from our own pages;
// one that carries a token in a header was made on purpose, wherever its page came from. Whose password an admin gave
// him is nobody in particular until he has chosen his own: few endpoints are good for him.
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
	// Whatever an endpoint does takes its time; to find out who asks does not.
	ctx, cancel := context.WithTimeout(c.r.Context(), c.AnswerTimeout)
	defer cancel()
	by, err := c.Identity.Authenticate(ctx, token)
	if err != nil {
		return contract.Actor{}, err
	}
	if by.IsSystem() {
		return contract.Actor{}, contract.ErrUnauthenticated // the service itself never asks over the wire
	}
	if by.MustChoosePassword && !c.endpoint.callers.admitsGivenPasswords() {
		return contract.Actor{}, contract.ErrChoosePassword
	}
	by.IP = c.client
	return by, nil
}

// requestToken returns the secret the request carries: x-access-token, a bearer's, or that of the session's cookie.
func (c *call) requestToken() (token string, cookie bool) {
	if t := c.r.Header.Get("X-Access-Token"); t != "" {
		return strings.TrimSpace(t), false
	}
	if scheme, t, ok := strings.Cut(c.r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(t), false
	}
	if k, err := c.r.Cookie(c.cookieName()); err == nil {
		return k.Value, true
	}
	return "", false
}

// cookieName is bound to our host and to TLS where the public address has it.
func (s *server) cookieName() string {
	if s.usesTLS() {
		return "__Host-segel_session"
	}
	return "segel_session"
}

func (s *server) usesTLS() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// setCookie hands the browser the session's secret, which no script can read; an empty one takes it back.
func (c *call) setCookie(secret string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: c.cookieName(), Value: secret, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: c.usesTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// deviceCookie names the cookie by which a browser is known that logged in before.
func (s *server) deviceCookie() string {
	if s.usesTLS() {
		return "__Host-segel_device"
	}
	return "segel_device"
}

// deviceSecret returns the secret of a browser that logged in before, or an empty one.
func (c *call) deviceSecret() string {
	if k, err := c.r.Cookie(c.deviceCookie()); err == nil {
		return k.Value
	}
	return ""
}

// setDevice hands the browser its secret. It authenticates nobody, so it outlives the session and a logout.
func (c *call) setDevice(secret string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: c.deviceCookie(), Value: secret, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: c.usesTLS(), SameSite: http.SameSiteStrictMode,
	})
}
