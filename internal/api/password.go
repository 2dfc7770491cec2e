package api

type passwordIn struct {
	Current phrase `json:"current" required:"true" doc:"the present password"`
	New     phrase `json:"new" required:"true" doc:"the one from now on"`
}

func (s *server) registerPassword() {
	servePost(s, endpoint{
		path: "/v1/auth/password", id: "password", timeLimit: delayed, group: groupAccount, limit: tinyBody, callers: givenToo,
		summary:     "Change the caller's password",
		description: "Every token of the account is dead at once, the one this is asked with too: log in with the new password.",
	}, func(c *call, in *passwordIn) (noted, error) {
		var bad problems
		current, next := in.Current.checkedValue("current", &bad), in.New.checkedValue("new", &bad)
		if err := bad.asError(); err != nil {
			return noted{}, err
		}
		if err := c.Identity.ChangePassword(c.r.Context(), c.by, current, next); err != nil {
			return noted{}, err
		}
		if _, cookie := c.requestToken(); cookie {
			c.setCookie("", -1)
		}
		return c.notedAnswer("done.password"), nil
	})
}
