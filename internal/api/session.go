package api

import (
	"segel/internal/contract"
	"segel/internal/identity"
)

type webSessionData struct {
	ExpiresIn int         `json:"expires_in" doc:"seconds until the session ends" example:"86400"`
	Account   accountData `json:"account"`
}

func (s *server) registerSession() {
	servePost(s, endpoint{
		path: "/v1/auth/session", id: "session", timeLimit: delayed, group: groupAccount, limit: tinyBody, callers: anybody,
		summary:     "Log in the web app",
		description: "Takes what login takes and sets a cookie that no script can read. Requests by that cookie are accepted from our own pages only. Logout ends it. A second cookie, which stays, lets the next login from this browser in at once while others try passwords on the account.",
	}, func(c *call, in *loginIn) (found[webSessionData], error) {
		// A page of another origin must not log a browser in, not even to another account.
		if err := c.crossSite.Check(c.r); err != nil {
			return found[webSessionData]{}, errCrossSite.WithCause(err)
		}
		if in.Email.value == "" && in.Password.value == "" {
			return found[webSessionData]{}, contract.ErrUnauthenticated
		}
		var bad problems
		credentials := in.checkedCredentials(&bad)
		if err := bad.asError(); err != nil {
			return found[webSessionData]{}, err
		}
		session, err := c.Identity.LoginSession(c.r.Context(), credentials, identity.Client{IP: c.client, Device: c.deviceSecret()})
		if err != nil {
			return found[webSessionData]{}, err
		}
		seconds := int(session.ExpiresIn.Seconds())
		c.setCookie(session.Token, seconds)
		c.setDevice(session.Device, int(session.KnownFor.Seconds()))
		return foundAnswer(webSessionData{ExpiresIn: seconds, Account: accountDataOf(session.Account)}), nil
	})
}
