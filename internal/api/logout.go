package api

// nothing is a body or an answer without members.
type nothing struct{}

func (s *server) registerLogout() {
	servePost(s, endpoint{
		path: "/v1/auth/logout", id: "logout", group: groupAccount, limit: tinyBody, callers: anyToken,
		summary:     "Log out",
		description: "The token, and every other that descends from the same login, is dead at once.",
	}, func(c *call, _ *nothing) (noted, error) {
		token, cookie := c.requestToken()
		if err := c.Identity.Logout(c.r.Context(), token); err != nil {
			return noted{}, err
		}
		if cookie {
			c.setCookie("", -1)
		}
		return c.notedAnswer("done.logout"), nil
	})
}
