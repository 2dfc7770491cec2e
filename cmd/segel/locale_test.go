package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestMessagesHaveTheLanguageAndTheTimeZoneOfTheOrganisation reads an invitation whose recipient has no language, before and after an admin sets both.
func TestMessagesHaveTheLanguageAndTheTimeZoneOfTheOrganisation(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, user, other := s.administrator(t, "Admin", ""), s.person(t, "User", ""), s.administrator(t, "Lain", "PT Dua")
	const path = "/v1/admin/locale"
	invite := func(language string) string {
		guest := object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}
		if language != "" {
			guest["language"] = language
		}
		id := admin.uploadWith(object{"expired_at": "2099-03-01T05:00:00Z", "guest": []object{guest}}, simple())
		admin.verb("finalize-docs", id).ok()
		return string(admin.do("GET", "/v1/admin/mail/"+admin.keptMail("invite_sign"), nil).ok().body)
	}
	if was := invite(""); !strings.Contains(was, "1 Maret 2099 pukul 12.00 WIB") {
		t.Errorf("at first: %.800s", was)
	}
	user.do("PUT", path, object{"language": "en"}).is(http.StatusForbidden)
	admin.do("PUT", path, object{"language": "fr"}).is(http.StatusUnprocessableEntity, "language")
	admin.do("PUT", path, object{"time_zone": "Asia/Nowhere"}).is(http.StatusUnprocessableEntity, "time_zone")
	for range 2 { // the second one changes nothing
		if got := admin.do("PUT", path, object{"language": "en", "time_zone": "Asia/Makassar"}).ok().object("response", "data"); got["language"] != "en" || got["time_zone"] != "Asia/Makassar" {
			t.Errorf("set: %v", got)
		}
	}
	if is := invite(""); !strings.Contains(is, "1 March 2099, 13:00 WITA") {
		t.Errorf("then: %.800s", is)
	}
	if chosen := invite("id"); !strings.Contains(chosen, "1 Maret 2099 pukul 13.00 WITA") {
		t.Errorf("with a language of the guest: %.800s", chosen)
	}
	if got := other.do("GET", path, nil).ok().object("data"); got["language"] != nil || got["time_zone"] != "Asia/Jakarta" {
		t.Errorf("of another organisation: %v", got)
	}
	if got := admin.do("GET", "/v1/admin/audit-log?type=locale_changed", nil).ok().object("data")["events"].([]any); len(got) != 1 ||
		got[0].(object)["description"] != "Mengubah bahasa dan zona waktu organisasi; bahasa: en; zona waktu: Asia/Makassar" {
		t.Errorf("the audit log: %v", got)
	}
}
