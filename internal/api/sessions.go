package api

import (
	"segel/internal/contract"
	"segel/internal/text"
)

// sessionOut is a login of the caller.
type sessionOut struct {
	ID         string          `json:"id" example:"5b0f6c1e-8c55-4b1f-9a39-0f3f5d2f8f10"`
	Device     string          `json:"device" doc:"the program and the system in words, as the client named itself; not verified" example:"Chrome on Windows"`
	UserAgent  string          `json:"user_agent" example:"Mozilla/5.0 (Windows NT 10.0; Win64; x64)"`
	IP         string          `json:"ip" doc:"from where it was opened, or refreshed last" example:"203.0.113.7"`
	Factor     contract.Factor `json:"factor" doc:"what was proved at the login" example:"password"`
	CreatedAt  string          `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	LastUsedAt string          `json:"last_used_at" doc:"up to five minutes older than the last use" example:"2024-10-14T08:06:00.000Z"`
	Current    bool            `json:"current" doc:"the session of this request"`
}

type sessionsData struct {
	Sessions []sessionOut `json:"sessions"`
}

func (c *call) listSessions() (sessionsData, error) {
	all, err := c.Identity.Sessions(c.r.Context(), c.by)
	return sessionsData{convertAll(all, func(s contract.Session) sessionOut {
		return sessionOut{
			ID: s.Family, Device: text.Device(c.language, s.UserAgent), UserAgent: s.UserAgent, IP: s.IP, Factor: s.Factor,
			CreatedAt: formatISO(s.CreatedAt), LastUsedAt: formatISO(s.LastUsedAt), Current: s.Family == c.by.Session,
		}
	})}, err
}

func (c *call) endSession() (noted, error) {
	if err := c.Identity.EndSession(c.r.Context(), c.by, c.r.PathValue("session_id")); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.session_ended"), nil
}

func (c *call) endOtherSessions() (noted, error) {
	if err := c.Identity.EndOtherSessions(c.r.Context(), c.by); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.sessions_ended"), nil
}

type reauthenticateIn struct {
	Current phrase     `json:"current" required:"false" doc:"the current password; required without a factor" example:"kata-sandi-yang-panjang"`
	OTP     phrase     `json:"otp" required:"false" doc:"a code of the authenticator app, or a recovery code"`
	Passkey *passkeyIn `json:"passkey" required:"false" doc:"the answer of a passkey to passkey-login-options"`
}

type reauthenticated struct {
	Until string `json:"until" doc:"until when the session may do what is dangerous" example:"2026-11-24T06:16:00.000Z"`
}

func (c *call) reauthenticate(in *reauthenticateIn) (found[reauthenticated], error) {
	var bad problems
	current, given := in.Current.checkedValue("current", &bad), parseProof(in.OTP, in.Passkey, &bad)
	if err := bad.asError(); err != nil {
		return found[reauthenticated]{}, err
	}
	until, err := c.Identity.Reauthenticate(c.r.Context(), c.by, current, given)
	if err != nil {
		return found[reauthenticated]{}, err
	}
	return foundAnswer(reauthenticated{formatISO(until)}), nil
}
