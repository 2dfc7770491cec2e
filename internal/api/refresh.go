package api

type refreshIn struct {
	RefreshToken phrase `json:"refresh_token" required:"true" example:"segel_rt_..."`
}

func (s *server) registerRefresh() {
	servePost(s, endpoint{
		path: "/v1/auth/refresh", id: "refresh", group: groupAccount, limit: tinyBody, callers: anybody,
		summary:     "Turn a refresh token into new tokens",
		description: "Answers like login. A refresh token is good once; one that comes back a second time ends every token that descends from the same login.",
	}, func(c *call, in *refreshIn) (found[sessionData], error) {
		var bad problems
		token := in.RefreshToken.checkedValue("refresh_token", &bad)
		if token == "" && len(bad) == 0 {
			bad.add("refresh_token", "value.required")
		}
		if err := bad.asError(); err != nil {
			return found[sessionData]{}, err
		}
		session, err := c.Identity.Refresh(c.r.Context(), token)
		if err != nil {
			return found[sessionData]{}, err
		}
		return foundAnswer(sessionDataOf(session)), nil
	})
}
