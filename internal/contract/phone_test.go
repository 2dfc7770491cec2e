package contract

import (
	"strings"
	"testing"
)

func TestPhoneNumbersOfOnePhoneAreWrittenInOneWay(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"+628123456789", "08123456789", " 0812-3456-789 ", "62 812 3456 789", "0062 812 3456789", "+62 (0)812.345.6789", "+62\u00a0812\u20113456789"} {
		if number, code := ParsePhone(s); number != "+628123456789" || code != "" {
			t.Errorf("%q: %q, %q", s, number, code)
		}
	}
	if number, code := ParsePhone("+65 8123 4567"); number != "+6581234567" || code != "" {
		t.Errorf("a number of Singapore: %q, %q", number, code)
	}
	for _, s := range []string{"", "+", "0", "8123456789", "+0812345678", "+62812", "+62812345678901234", "rumah", "+62812345678x", "+62+812345678", "٠٨١٢٣٤٥٦٧٨٩", "+62812345678;ext=1", strings.Repeat(" ", 1000) + "08123456789,"} {
		if number, code := ParsePhone(s); number != "" || code != PhoneMalformed {
			t.Errorf("%q: %q, %q", s, number, code)
		}
	}
}

// FuzzParsePhone finds numbers that are not in international form, or are read as another one when they are parsed again.
func FuzzParsePhone(f *testing.F) {
	for _, s := range []string{"08123456789", "+62 (0)812.345.6789", "0062 812", "+6581234567", "62", "620812345678"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		number, code := ParsePhone(s)
		if code != "" {
			if number != "" {
				t.Errorf("%q is refused and read as %q", s, number)
			}
			return
		}
		if len(number) < 1+minPhone || len(number) > 1+maxPhone || number[0] != '+' || number[1] == '0' || strings.Trim(number[1:], "0123456789") != "" {
			t.Errorf("%q is read as %q", s, number)
		}
		if again, code := ParsePhone(number); again != number || code != "" {
			t.Errorf("%q is read as %q, and that as %q, %q", s, number, again, code)
		}
	})
}

func TestNoticesOfOneChannelAreKeptAndOthersAreDelivered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		delivers []Channel
		ordered  int
	}{{nil, 0}, {[]Channel{ChannelMail}, 1}, {[]Channel{ChannelWhatsApp}, 1}, {[]Channel{ChannelMail, ChannelWhatsApp}, 2}} {
		c := Change{Jobs: []Job{{Kind: JobNotify}, {Kind: JobStamp}}, Notices: []Notice{{State: NoticeOrdered}, {State: NoticeOrdered, Channel: ChannelWhatsApp}}}
		c.KeepNotices(func(channel Channel) bool {
			for _, d := range test.delivers {
				if d == channel {
					return true
				}
			}
			return false
		})
		ordered, jobs := 0, 1
		for _, n := range c.Notices {
			if n.State == NoticeOrdered {
				ordered++
				jobs = 2
			}
		}
		if ordered != test.ordered || len(c.Jobs) != jobs {
			t.Errorf("%v: %d are ordered, %v", test.delivers, ordered, c.Jobs)
		}
	}
}
