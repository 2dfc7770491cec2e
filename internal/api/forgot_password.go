package api

type forgotPasswordIn struct {
	Email phrase `json:"email" required:"true" example:"siti@contoh.id"`
}

func (s *server) registerForgotPassword() {
	servePost(s, endpoint{
		path: "/v1/auth/forgot-password", id: "forgot-password", group: groupAccount, limit: tinyBody, callers: anybody,
		summary:     "Ask for a new password",
		description: "Always answers success, whether the e-mail has an account or not.",
	}, func(c *call, in *forgotPasswordIn) (noted, error) {
		if err := c.Identity.ForgotPassword(c.r.Context(), in.Email.value, c.client); err != nil {
			return noted{}, err
		}
		return c.notedAnswer("done.forgot_password"), nil
	})
}

// noted is the envelope of an answer that has only a message.
type noted struct {
	Code    int     `json:"code" example:"200"`
	Success bool    `json:"success"`
	Msg     string  `json:"msg" doc:"a sentence in the language of the request"`
	Data    nothing `json:"data"`
}

func (c *call) notedAnswer(code string) noted {
	return noted{Code: 200, Success: true, Msg: c.sentenceOf(code)}
}
