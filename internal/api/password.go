package api

type passwordIn struct {
	Current phrase `json:"current" required:"true" doc:"the present password"`
	New     phrase `json:"new" required:"true" doc:"the one from now on"`
}

func (s *server) password() {
	post(s, endpoint{
		path: "/v1/auth/password", id: "password", within: delayed, group: groupAccount, limit: tinyBody, callers: givenToo,
		summary:     "Change the caller's password",
		description: "Every token of the account is dead at once, the one this is asked with too: log in with the new password.",
	}, func(c *call, in *passwordIn) (noted, error) {
		var bad problems
		current, next := in.Current.read("current", &bad), in.New.read("new", &bad)
		if err := bad.err(); err != nil {
			return noted{}, err
		}
		if err := c.Identity.ChangePassword(c.r.Context(), c.by, current, next); err != nil {
			return noted{}, err
		}
		if _, cookie := c.token(); cookie {
			c.setCookie("", -1)
		}
		return c.note("done.password"), nil
	})
}
