package contract

import (
	"strings"
	"testing"
)

func TestAddressesOfOneMailboxAreTaken(t *testing.T) {
	t.Parallel()
	local, domain := strings.Repeat("a", 64), strings.Repeat(strings.Repeat("b", 62)+".", 2)+strings.Repeat("c", 63)
	for in, want := range map[string]string{
		"budi@contoh.id":         "budi@contoh.id",
		" budi@contoh.id ":       "budi@contoh.id",
		"Budi.Santoso@Contoh.ID": "Budi.Santoso@Contoh.ID",
		"admin@localhost":        "admin@localhost",
		"a@b":                    "a@b",
		"budi+kontrak@contoh.id": "budi+kontrak@contoh.id",
		"o'brien@contoh.id":      "o'brien@contoh.id",
		"!#$%&'*+-/=?^_`{|}~@x1": "!#$%&'*+-/=?^_`{|}~@x1",
		"0@0a.0-0.id":            "0@0a.0-0.id",
		"budi@xn--bcher-kva.de":  "budi@xn--bcher-kva.de",
		"budi@bücher.de":         "budi@xn--bcher-kva.de",
		"budi@Bücher.DE":         "budi@xn--bcher-kva.de",
		"budi@bu\u0308cher.de":   "budi@xn--bcher-kva.de", // decomposed
		"budi@例え。jp":             "budi@xn--r8jz45g.jp",   // another full stop
		local + "@" + domain:     local + "@" + domain,
	} {
		if got, code := ParseEmail(in); got != want || code != "" {
			t.Errorf("%q: %q, %s, want %q", in, got, code, want)
		}
	}
}

func TestWhatIsNoAddressIsRefused(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("b", 63)
	for in, want := range map[string]string{
		"":                                     EmailMalformed,
		"budi":                                 EmailMalformed,
		"@":                                    EmailMalformed,
		"@contoh.id":                           EmailMalformed,
		"budi@":                                EmailMalformed,
		"x@@y Bcc: z":                          EmailMalformed,
		"x@@y":                                 EmailMalformed,
		"a@b@c":                                EmailMalformed,
		"a b@contoh.id":                        EmailMalformed,
		"a@contoh.id\r\nBcc: b@c":              EmailMalformed,
		"a\x00@contoh.id":                      EmailMalformed,
		"a@contoh.id\x7f":                      EmailMalformed,
		"a,b@contoh.id":                        EmailMalformed,
		"a@contoh.id,b@contoh.id":              EmailMalformed,
		"a@contoh.id;b@contoh.id":              EmailMalformed,
		"Budi <budi@contoh.id>":                EmailMalformed,
		"<budi@contoh.id>":                     EmailMalformed,
		"budi(kontrak)@contoh.id":              EmailMalformed,
		"budi@contoh.id (Budi)":                EmailMalformed,
		`"budi"@contoh.id`:                     EmailMalformed,
		`"a b"@contoh.id`:                      EmailMalformed,
		`a\@b@contoh.id`:                       EmailMalformed,
		"mailto:budi@contoh.id":                EmailMalformed,
		".budi@contoh.id":                      EmailMalformed,
		"budi.@contoh.id":                      EmailMalformed,
		"bu..di@contoh.id":                     EmailMalformed,
		"budi@contoh.id.":                      EmailMalformed,
		"budi@.contoh.id":                      EmailMalformed,
		"budi@contoh..id":                      EmailMalformed,
		"budi@-contoh.id":                      EmailMalformed,
		"budi@contoh-.id":                      EmailMalformed,
		"budi@con_toh.id":                      EmailMalformed,
		"budi@[192.0.2.1]":                     EmailMalformed,
		"budi@192.0.2.1":                       EmailMalformed,
		"budi@contoh.7":                        EmailMalformed,
		"budi@contoh.id:25":                    EmailMalformed,
		"budi%contoh.id":                       EmailMalformed,
		"budi@xn--a.id":                        EmailMalformed, // no Punycode of anything
		"budi@xn--":                            EmailMalformed,
		"budi@bü cher.de":                      EmailMalformed,
		"budi@bü_cher.de":                      EmailMalformed,
		"budi@a\u200db.id":                     EmailMalformed, // a joiner where none may be
		"budi@\u202econtoh.id":                 EmailMalformed,
		"budi@\u0308a.id":                      EmailMalformed, // a label that begins with a mark
		"budi@\ufffd.id":                       EmailMalformed,
		"budi@\u00ad.id":                       EmailMalformed, // a soft hyphen, which is mapped to nothing
		"budi@\xff.id":                         EmailMalformed,
		"budi@a." + label + "b":                EmailMalformed,
		strings.Repeat("a", 65) + "@contoh.id": EmailMalformed,
		strings.Repeat("a", 64) + "@" + label + "." + label + "." + label: EmailMalformed, // 256 in all
		"a@" + strings.Repeat("ü.", 100_000) + "id":                       EmailMalformed,
		"büdi@contoh.id":       EmailLocal,
		"例え@contoh.id":         EmailLocal,
		"bu\u202edi@contoh.id": EmailLocal,
	} {
		if got, code := ParseEmail(in); got != "" || code != want {
			t.Errorf("%.80q: %.80q, %q, want %q", in, got, code, want)
		}
	}
}

// FuzzParseEmail checks that every accepted address is one line of ASCII with one @, and is accepted again unchanged.
func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{"budi@contoh.id", "x@@y Bcc: z", "budi@bücher.de", "a@xn--bcher-kva.de", `"a"@b`, "a@b.", "\xff@\xff", "a@1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		address, code := ParseEmail(s)
		if (address == "") == (code == "") {
			t.Fatalf("%q: %q and %q", s, address, code)
		}
		if code != "" {
			return
		}
		if len(address) > 254 || strings.Count(address, "@") != 1 {
			t.Fatalf("%q became %q", s, address)
		}
		for i := range len(address) {
			if c := address[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),:;<>[\]`, c) >= 0 {
				t.Fatalf("%q became %q", s, address)
			}
		}
		if again, code := ParseEmail(address); again != address || code != "" {
			t.Fatalf("%q became %q, then %q %s", s, address, again, code)
		}
	})
}
