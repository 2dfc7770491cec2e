package identity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

// mailing makes a service send mails.
func mailing(o *Options) {
	o.LinkKey = [32]byte{1}
	o.Delivers = func(contract.Channel) bool { return true }
}

// forget asks for a new password and returns the links of the messages that answer it, by organisation.
func (h *fixture) forget(t *testing.T, email string) map[string]string {
	t.Helper()
	h.store.notices = nil
	if err := h.RequestReset(t.Context(), email, Client{IP: home, Language: "en"}); err != nil {
		t.Fatal(err)
	}
	if err := h.OrderResets(t.Context()); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, n := range h.store.notices {
		m, err := h.AccountMessage(t.Context(), n)
		if err != nil || n.Kind != contract.NoticePasswordReset || n.Account.Language != "en" || n.State != contract.NoticeOrdered {
			t.Fatalf("%+v, %+v, %v", n, m, err)
		}
		target, err := h.LookUpReset(t.Context(), m.Link)
		if err != nil || target.Account.Email != m.To.Email || !target.Until.Equal(m.Until) {
			t.Fatalf("%+v, %v", target, err)
		}
		links[target.Account.OrganisationName] = m.Link
	}
	return links
}

const anotherPassword = "sandi lain yang cukup panjang"

func TestAForgottenPasswordIsReplacedOnceByAMailedLink(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	s := h.login(t)
	link := h.forget(t, siti)["Contoh"]
	if !strings.HasPrefix(link, "https://segel.example/reset#sgl_pr_") {
		t.Fatalf("the link is %q", link)
	}
	h.alive(t, s.Access) // asking changes nothing
	for password, code := range map[string]string{"pendek": "password.too_short", password: "password.same", "siti@contoh.id siti": "password.personal"} {
		var refused *contract.Error
		if _, err := h.ResetPasswordByLink(t.Context(), link, password, false, at(home)); !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Field != "new" || refused.Fields[0].Code != code {
			t.Errorf("%q: %v", password, err)
		}
	}
	second := h.forget(t, siti)["Contoh"]
	h.store.notices = nil
	if _, err := h.ResetPasswordByLink(t.Context(), link, anotherPassword, false, at(home)); err != nil {
		t.Fatal(err)
	}
	h.dead(t, s.Access)
	if len(h.store.devices) != 0 || len(h.store.notices) != 1 || h.store.notices[0].Kind != contract.NoticePasswordChanged {
		t.Errorf("devices %v, notices %+v", h.store.devices, h.store.notices)
	}
	// The link was used, and the other one ended with the password.
	for _, link := range []string{link, second, "", "https://segel.example/reset#sgl_pr_x", strings.Replace(link, "sgl_pr_", "sgl_gl_", 1)} {
		if _, err := h.ResetPasswordByLink(t.Context(), link, password, false, at(home)); !errors.Is(err, ErrResetLink) {
			t.Errorf("%.40q: %v", link, err)
		}
	}
	if _, err := h.Login(t.Context(), siti, anotherPassword, "", at(home)); err != nil {
		t.Error(err)
	}
}

func TestLinksForANewPasswordExpire(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	link := h.forget(t, siti)["Contoh"]
	notice := h.store.notices[0]
	h.advance(30*time.Minute - time.Second)
	if _, err := h.LookUpReset(t.Context(), link); err != nil {
		t.Error(err)
	}
	h.advance(time.Second)
	if _, err := h.ResetPasswordByLink(t.Context(), link, anotherPassword, false, at(home)); !errors.Is(err, ErrResetLink) {
		t.Errorf("a link that expired: %v", err)
	}
	if _, err := h.AccountMessage(t.Context(), notice); contract.KindOf(err) == 0 {
		t.Errorf("a message with a link that expired: %v", err)
	}

	// A request that nobody answered in time gets no message.
	if err := h.RequestReset(t.Context(), siti, at(home)); err != nil {
		t.Fatal(err)
	}
	h.advance(30 * time.Minute)
	h.store.notices = nil
	if err := h.OrderResets(t.Context()); err != nil || len(h.store.notices) != 0 || len(h.store.requests) != 0 {
		t.Errorf("%v, %+v, %+v", err, h.store.notices, h.store.requests)
	}
}

func TestEachAccountOfAnAddressGetsItsOwnLink(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	other, err := h.AddUser(t.Context(), NewUser{Name: "Siti", Email: siti, Password: anotherPassword, Organisation: "Lain"})
	if err != nil {
		t.Fatal(err)
	}
	links := h.forget(t, "  SITI@contoh.id ")
	if len(links) != 2 || links["Contoh"] == links["Lain"] {
		t.Fatalf("the links are %v", links)
	}
	if _, err := h.ResetPasswordByLink(t.Context(), links["Lain"], "kata sandi ketiga yang panjang", false, at(home)); err != nil {
		t.Fatal(err)
	}
	if s, err := h.Login(t.Context(), siti, password, "", at(home)); err != nil || s.Account.OrganisationName != "Contoh" {
		t.Errorf("the password of the other account: %v", err)
	}
	h.store.users[1].DisabledAt = h.now
	if links := h.forget(t, siti); len(links) != 1 || links["Lain"] != "" {
		t.Errorf("the disabled account %s got a link: %v", other.Account.ID, links)
	}
	if links := h.forget(t, "nobody@contoh.id"); len(links) != 0 {
		t.Errorf("links for no account: %v", links)
	}
}

func TestAStolenDatabaseHasNoLinkForANewPassword(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	link := h.forget(t, siti)["Contoh"]
	_, secret, _ := strings.Cut(link, "#")
	forged, hash, err := newSecret(h.random, prefixReset)
	if err != nil {
		t.Fatal(err)
	}
	h.store.resets[0].Hash = hash // as an attacker who can write to the database, but has no master key
	if _, err := h.ResetPasswordByLink(t.Context(), forged, anotherPassword, false, at(home)); !errors.Is(err, ErrResetLink) {
		t.Errorf("a link that was not derived from the master key: %v", err)
	}
	for _, n := range h.store.notices {
		if strings.Contains(n.Account.Reference, secret) {
			t.Error("the notice has the secret")
		}
	}
}

func TestRequestsForNewPasswordsAreBoundedByEmail(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	for i := range 6 {
		h.store.requests = nil
		from := at(strings.Replace(home, "7", string(rune('1'+i)), 1))
		if err := h.RequestReset(t.Context(), siti, from); err != nil {
			t.Fatal(err)
		}
		if got, want := len(h.store.requests), 1; (got == want) != (i < 3) {
			t.Errorf("request %d: %d stored", i+1, got)
		}
	}
}

func TestALoginFromANewDeviceIsReported(t *testing.T) {
	t.Parallel()
	h := inhabited(t, mailing)
	web := func(ip, device string) string {
		t.Helper()
		s, err := h.LoginSession(t.Context(), Credentials{Email: siti, Password: password}, Client{IP: ip, Device: device, UserAgent: "Mozilla/5.0"})
		if err != nil {
			t.Fatal(err)
		}
		return s.Device
	}
	program := func(ip string) {
		t.Helper()
		if _, err := h.Login(t.Context(), siti, password, "", at(ip)); err != nil {
			t.Fatal(err)
		}
	}
	const afar = "198.51.100.9"
	device := web(home, "")
	for _, c := range []struct {
		what     string
		login    func()
		reported int
	}{
		{"her device at another place", func() { web(afar, device) }, 0},
		{"another browser at a known place", func() { web(home, "") }, 1},
		{"a program at a known place", func() { program(home) }, 0},
		{"a program at a new place", func() { program("192.0.2.44") }, 1},
	} {
		h.store.notices = nil
		c.login()
		if len(h.store.notices) != c.reported {
			t.Errorf("%s: %d messages", c.what, len(h.store.notices))
		}
	}
	if n := h.store.notices[0]; n.Kind != contract.NoticeNewDevice || n.Account.IP != "192.0.2.44" || n.Person == "" || n.Organisation == "" {
		t.Errorf("%+v", n)
	}
}
