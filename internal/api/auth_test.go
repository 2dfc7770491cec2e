package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestATokenIsTakenFromAnyOfItsPlaces(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, header := range [][]string{
		{"X-Access-Token", "owner"},
		{"X-Access-Token", "", "Authorization", "Bearer owner"},
		{"X-Access-Token", "", "Authorization", "bearer  owner"},
		{"X-Access-Token", "", "Cookie", "__Host-segel_session=owner"},
		{"X-Access-Token", "owner", "Cookie", "__Host-segel_session=nonsense"},
	} {
		if w := b.ask("GET", "/v1/auth/me", "", header...); w.Code != 200 {
			t.Errorf("%v: %d", header, w.Code)
		}
	}
	for _, header := range [][]string{
		{"X-Access-Token", "", "Authorization", "Basic owner"},
		{"X-Access-Token", "", "Authorization", "owner"},
		{"X-Access-Token", "nonsense", "Cookie", "__Host-segel_session=owner"},
		{"X-Access-Token", "", "Cookie", "segel_session=owner"},
	} {
		refused(t, b.ask("GET", "/v1/auth/me", "", header...), 401, "auth.required")
	}
}

func TestTheWorkflowIsToldTheClientsAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	address := func() string {
		list := b.events()
		return list[len(list)-1].IP
	}
	b.ask("POST", sBase+"describe-docs", `{"document_id":1207,"document_title":"Sewa"}`, "X-Forwarded-For", "198.51.100.9")
	if got := address(); got != "192.0.2.1" {
		t.Errorf("by %s", got)
	}
	b = newBench(t, draft(), func(o *Options) {
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	n := 0
	for forwarded, want := range map[string]string{
		"":                                    "192.0.2.1",
		"198.51.100.9":                        "198.51.100.9",
		"203.0.113.5, 198.51.100.9, 10.1.1.1": "198.51.100.9",
		"10.1.1.1":                            "10.1.1.1",
		"nonsense":                            "192.0.2.1",
		"203.0.113.5, nonsense, 10.1.1.1":     "10.1.1.1",
	} {
		n++
		requireOK[done[verbData]](t, b.ask("POST", sBase+"describe-docs", fmt.Sprintf(`{"document_id":1207,"document_title":"Sewa %d"}`, n), "X-Forwarded-For", forwarded))
		if got := address(); got != want {
			t.Errorf("%q: %s, want %s", forwarded, got, want)
		}
	}
}

// TestACookieIsGoodFromOurOwnPagesOnly also checks that a token works from any page: Origin never refuses a request
// with one.
func TestACookieIsGoodFromOurOwnPagesOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	ask := func(header ...string) int {
		return b.ask("POST", sBase+"remind-docs", `{"document_id":1207}`, header...).Code
	}
	const cookie = "__Host-segel_session=owner"
	for _, c := range []struct {
		want   int
		header []string
	}{
		{403, []string{"X-Access-Token", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site"}},
		{403, []string{"X-Access-Token", "", "Cookie", cookie, "Origin", "https://evil.example"}},
		{403, []string{"X-Access-Token", "", "Cookie", cookie, "Origin", "tenant.example"}},
		{200, []string{"X-Access-Token", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin", "Origin", "https://segel.contoh.id"}},
		{200, []string{"X-Access-Token", "", "Cookie", cookie}},
		{200, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}},
		{200, []string{"Origin", "tenant.example"}},
		{200, []string{"Origin", "null", "Cookie", cookie}},
	} {
		if got := ask(c.header...); got != c.want {
			t.Errorf("%v: %d, want %d", c.header, got, c.want)
		}
	}
	refused(t, b.ask("POST", "/v1/auth/session", `{"email":"andi@contoh.id","password":"benar"}`, "X-Access-Token", "", "Sec-Fetch-Site", "cross-site"), 403, "origin.refused")
}

func TestALoginHandsTheDeviceASecretAndTakesItBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	first := b.ask("POST", "/v1/auth/session", `{"email":"andi@contoh.id","password":"benar"}`, "X-Access-Token", "").Result().Cookies()
	if len(first) != 2 || !strings.HasPrefix(first[1].Value, "sgl_dv_") {
		t.Fatalf("cookies are %v", first)
	}
	former := first[1].Value
	w := b.ask("POST", "/v1/auth/session", `{"email":"andi@contoh.id","password":"benar"}`, "X-Access-Token", "", "Cookie", "__Host-segel_device="+former)
	cookies := w.Result().Cookies()
	if len(cookies) != 2 || cookies[0].Name != "__Host-segel_session" {
		t.Fatalf("cookies are %v", cookies)
	}
	if d := cookies[1]; d.Name != "__Host-segel_device" || d.Value != former || d.MaxAge != 3600 || !d.HttpOnly || !d.Secure || d.SameSite != http.SameSiteStrictMode {
		t.Errorf("the device's cookie is %v", d)
	}
	if w := b.ask("POST", "/v1/auth/login", `{"email":"andi@contoh.id","password":"benar","device_token":"`+former+`"}`, "X-Access-Token", ""); !strings.Contains(w.Body.String(), `"device_token":"`+former+`"`) {
		t.Errorf("the login answers %s", w.Body)
	}
	if w := b.ask("POST", "/v1/auth/logout", "", "X-Access-Token", "", "Cookie", "__Host-segel_session=owner; __Host-segel_device="+former); len(w.Result().Cookies()) != 1 {
		t.Errorf("a logout makes the device unknown: %v", w.Result().Cookies())
	}
}

func TestLogoutEndsTheTokenAndTakesTheCookieBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	w := b.ask("POST", "/v1/auth/logout", "", "X-Access-Token", "", "Cookie", "__Host-segel_session=owner")
	if w.Code != 200 || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	refused(t, b.ask("GET", "/v1/auth/me", ""), 401, "auth.required")
	if w := b.ask("GET", "/v1/auth/me", "", "X-Access-Token", "signer"); w.Code != 200 {
		t.Errorf("another person's token ended too: %d", w.Code)
	}
	if w := b.ask("POST", "/v1/auth/logout", `{}`, "X-Access-Token", "guest"); w.Code != 200 || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a guest: %d %v", w.Code, w.Header())
	}
}

func TestOtherOriginsAreAnsweredAsConfigured(t *testing.T) {
	t.Parallel()
	allow := func(b *bench, origin string) string {
		return b.ask("GET", dBase+"out", "", "Origin", origin).Header().Get("Access-Control-Allow-Origin")
	}
	none := newBench(t, draft())
	some := newBench(t, draft(), func(o *Options) { o.Origins = []string{"https://app.example"} })
	all := newBench(t, draft(), func(o *Options) { o.Origins = []string{"*"} })
	for _, c := range []struct{ got, want string }{
		{allow(none, "https://app.example"), ""},
		{allow(some, "https://app.example"), "https://app.example"},
		{allow(some, "https://evil.example"), ""},
		{allow(all, "https://any.example"), "*"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	w := some.ask("OPTIONS", sBase+"sign-docs", "", "Origin", "https://app.example", "Access-Control-Request-Method", "POST", "X-Access-Token", "")
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-Access-Token") || w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
}

func TestOneClientMayAskSoOften(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Rate, o.Burst = 0.5, 2 })
	for range 2 {
		if w := b.ask("GET", dBase+"out", ""); w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
	}
	w := b.ask("GET", dBase+"out", "")
	if got := w.Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q", got)
	}
	refused(t, w, 429, "rate.limited")
}

func TestHeadersKeepBrowsersFromMakingMoreOfAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	for _, path := range []string{dBase + "out", dBase + "download/1207", "/v1/avatar/x", "/docs", "/openapi.json", "/v1/nowhere", "/healthz"} {
		h := b.ask("GET", path, "").Header()
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") == "" || h.Get("Referrer-Policy") == "" || h.Get("X-Request-Id") == "" || h.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if got := b.ask("GET", "/healthz", "", "X-Request-Id", "permintaan-1").Header().Get("X-Request-Id"); got != "permintaan-1" {
		t.Errorf("request id %q", got)
	}
	if got := b.ask("GET", "/healthz", "", "X-Request-Id", "a b\"<").Header().Get("X-Request-Id"); got != "0000000000000000" {
		t.Errorf("request id %q", got)
	}
}

func TestABodyAboveItsLimitIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Limits.FileSize = 1 << 10 })
	refused(t, b.ask("POST", sBase+"finalize-docs", `{"x":"`+strings.Repeat("x", smallBody)+`"}`), http.StatusRequestEntityTooLarge, "body.too_large")
	refused(t, b.ask("POST", sBase+"upload-docs-base64", `{"document_base64":"`+strings.Repeat("AAAA", 1000)+`"}`), http.StatusRequestEntityTooLarge, "file.too_large")
	refused(t, b.ask("POST", sBase+"upload-docs-base64", `{"x":"`+strings.Repeat("x", largeBody)+`"}`), http.StatusRequestEntityTooLarge, "body.too_large")
	refused(t, b.ask("PUT", "/v1/auth/specimen", strings.Repeat("x", 2<<20)), http.StatusRequestEntityTooLarge, "body.too_large")
}
