package api

func (s *server) registerMe() {
	serveGet(s, endpoint{
		path: "/v1/auth/me", id: "me", group: groupAccount, callers: givenToo,
		summary: "The caller's account",
	}, func(c *call) (found[accountData], error) {
		a, err := c.Identity.Me(c.r.Context(), c.by)
		if err != nil {
			return found[accountData]{}, err
		}
		return foundAnswer(accountDataOf(a)), nil
	})
}
