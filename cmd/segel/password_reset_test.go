package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// keptMail returns the newest message of a kind about an account that waits for an operator, and its identifier.
func (c *client) keptMail(kind string) (id string) {
	c.t.Helper()
	for _, line := range c.do("GET", "/v1/admin/mail?status=kept", nil).ok().object("data")["mail"].([]any) {
		if line := line.(object); line["notice"].(object)["kind"] == kind {
			return line["id"].(string)
		}
	}
	return ""
}

func TestAForgottenPasswordIsReplacedThroughTheOutboxOfTheOperators(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, siti := s.administrator(t, "Operator", ""), s.person(t, "Siti", "PT Satu")
	anybody := &client{service: s, t: t}
	anybody.do("POST", "/v1/auth/forgot-password", object{"email": "nobody@example.test"}).ok()
	anybody.do("POST", "/v1/auth/forgot-password", object{"email": siti.email}).ok()
	id := ""
	for deadline := time.Now().Add(time.Minute); id == "" && time.Now().Before(deadline); {
		id = operator.keptMail("password_reset")
	}
	shown := operator.do("GET", "/v1/admin/mail/"+id, nil).ok().object("data")
	link := shown["link"].(string)
	if !strings.Contains(shown["text"].(string), link) || !strings.Contains(shown["to"].(string), siti.email) {
		t.Errorf("the message is %v", shown)
	}
	if got := anybody.do("POST", "/v1/auth/reset-link", object{"link": link}).ok().object("data"); got["email"] != siti.email || got["organisation"].(object)["name"] != "PT Satu" {
		t.Errorf("the link is for %v", got)
	}
	anybody.do("POST", "/v1/auth/reset-password", object{"link": link, "new": "pendek"}).is(http.StatusUnprocessableEntity, "new")
	const next = "kata sandi lain yang panjang"
	anybody.do("POST", "/v1/auth/reset-password", object{"link": link, "new": next}).ok()
	anybody.do("POST", "/v1/auth/reset-password", object{"link": link, "new": next + "x"}).is(http.StatusNotFound, "auth.reset_link_invalid")
	siti.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized, "auth.required")
	anybody.do("POST", "/v1/auth/login", object{"email": siti.email, "password": next}).ok()
	if operator.keptMail("password_changed") == "" {
		t.Error("nobody is told that the password was changed")
	}
	if got := operator.do("GET", "/v1/admin/audit-log?type=account_notice_shown", nil).ok().object("data")["events"].([]any); len(got) != 1 {
		t.Errorf("the log says %v", got)
	}
	fsck(t, s, 0)
}
