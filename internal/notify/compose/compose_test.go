package compose

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

var update = flag.Bool("update", false, "write the golden files")

var kinds = slices.Concat(contract.NoticeKinds, contract.AccountNoticeKinds)

const link = "https://segel.example.id/sign/7?token=aB_-9&x=1"

func sampleFacts(kind contract.NoticeKind, l text.Language) notify.Facts {
	f := notify.Facts{
		Kind: kind, Language: l, Recipient: contract.Person{ID: "p1", Name: "Siti Aminah", Email: "siti@example.com"}, Guest: true,
		Sender: contract.Person{ID: "p2", Name: "Budi Santoso", Email: "budi@example.id"}, Organisation: "PT Maju & Jaya", Colour: "#ffcc00",
		Title: "Perjanjian Sewa Kantor 2026", Pages: 12, Message: "Mohon ditandatangani pekan ini.\n\nTerima kasih.", Link: link,
		Deadline: time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC), Reason: "Harga belum disetujui", By: "Dewi Lestari", Delegate: "Agus Salim", Code: "482913",
		At: time.Date(2026, 10, 14, 9, 30, 0, 0, time.UTC), IP: "203.0.113.7", UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", About: "ERP Gudang",
	}
	if kind == contract.NoticeRemoval {
		f.About = "12 2027-01-31"
	}
	return f
}

func compose(t *testing.T, f notify.Facts) notify.Message {
	t.Helper()
	m, err := Composer{}.Compose(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMessagesReadAsTheGoldenFilesSay(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		for _, l := range []text.Language{text.Indonesian, text.English} {
			m := compose(t, sampleFacts(k, l))
			for end, got := range map[string]string{"txt": "Subject: " + m.Subject + "\n\n" + m.Text, "html": m.HTML} {
				name := filepath.Join("testdata", fmt.Sprintf("%s.%s.%s", k, l, end))
				if *update {
					if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s differs; run go test ./internal/notify/compose -update and read the difference\n%s", name, got)
				}
			}
		}
	}
}

var (
	tags  = regexp.MustCompile(`<[^>]*>`)
	style = regexp.MustCompile(`(?s)<(style|title)>.*?</(style|title)>`)
)

// visibleWords returns the words that a reader of the HTML sees.
func visibleWords(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(style.ReplaceAllString(s, ""), " "))), " ")
}

func TestTextAndHTMLSayTheSameAndHaveTheLinkExactly(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		for _, l := range []text.Language{text.Indonesian, text.English} {
			m := compose(t, sampleFacts(k, l))
			seen := visibleWords(m.HTML)
			for line := range strings.SplitSeq(m.Text, "\n") {
				line = strings.TrimPrefix(strings.TrimSpace(line), "> ")
				if line == "" || line == "--" || line == ">" {
					continue
				}
				if label, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(seen, line) {
					line = label + " " + value // two cells of a row
				}
				if !strings.Contains(seen, line) && !strings.Contains(seen, strings.TrimSuffix(line, ":")) {
					t.Errorf("%s in %s: the HTML does not say %q", k, l, line)
				}
			}
			if n := strings.Count(m.Text, link+"\n"); n != 1 {
				t.Errorf("%s in %s: the text has the link %d times", k, l, n)
			}
			if links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(m.HTML, -1); len(links) != 2 ||
				html.UnescapeString(links[0][1]) != link || html.UnescapeString(links[1][1]) != link {
				t.Errorf("%s in %s: the HTML links to %q", k, l, links)
			}
			if strings.Contains(m.Text, "?}") || strings.ContainsAny(m.Subject, "{}") || strings.Contains(m.Text, "(mail.") {
				t.Errorf("%s in %s: a sentence lacks an argument: %s", k, l, m.Text)
			}
		}
	}
}

func TestHostileTextIsShownAsTextAndMakesNoLink(t *testing.T) {
	t.Parallel()
	const hostile = "{host} [x] <script>alert(1)</script><a href=\"https://evil.example\">https://evil.example/sign</a>" +
		"\u202egnp\u2066\u200b\x00\r\nBcc: all@example.com"
	for _, k := range kinds {
		f := sampleFacts(k, text.English)
		f.Title, f.Message, f.Reason, f.By, f.Organisation, f.Code = hostile, hostile, hostile, hostile, hostile, hostile
		f.Recipient.Name, f.Sender.Name = hostile, hostile
		f.Colour = `red;background:url(https://evil.example/track)`
		m := compose(t, f)
		if n := strings.Count(m.HTML, "<a "); n != 2 {
			t.Errorf("%s: %d links", k, n)
		}
		for _, bad := range []string{"<script", "href=\"https://evil", "<a href=\"https://evil", "url(", "src=\"http"} {
			if strings.Contains(strings.ToLower(m.HTML), bad) {
				t.Errorf("%s: the HTML contains %s", k, bad)
			}
		}
		if strings.ContainsFunc(m.Subject, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%s: the subject %q has control or format characters", k, m.Subject)
		}
		for _, s := range []string{m.Text, m.HTML} {
			if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%s: the message has control or format characters: %q", k, s)
			}
		}
		if !strings.Contains(m.Text, "{host} [x]") {
			t.Errorf("%s: what people wrote was used as a template: %s", k, m.Text)
		}
	}
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		f := sampleFacts(k, text.Indonesian)
		long := strings.Repeat("é", 100_000)
		f.Title, f.Message, f.Reason, f.By, f.Organisation, f.Sender.Name, f.Recipient.Name = long, long, long, long, long, long, long
		m := compose(t, f)
		if n := utf8.RuneCountInString(m.Subject); n > maxSubject {
			t.Errorf("%s: subject of %d characters", k, n)
		}
		if n := utf8.RuneCountInString(m.Text); n > 10_000 || !utf8.ValidString(m.Text) {
			t.Errorf("%s: text of %d characters", k, n)
		}
		f.Message = strings.Repeat("\n\nx", 100_000)
		if n := strings.Count(compose(t, f).Text, "\n> x"); n > maxMessage {
			t.Errorf("%s: %d lines", k, n)
		}
	}
}

func TestSubjectNamesSenderAndTitle(t *testing.T) {
	t.Parallel()
	f := sampleFacts(contract.NoticeInviteSigner, text.English)
	if s := compose(t, f).Subject; !strings.Contains(s, "PT Maju & Jaya") || !strings.Contains(s, f.Title) {
		t.Errorf("subject %q", s)
	}
	f.Organisation = ""
	if s := compose(t, f).Subject; !strings.Contains(s, "Budi Santoso") {
		t.Errorf("subject %q", s)
	}
}

func TestFactsThatAreMissingLeaveNoGap(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		m := compose(t, notify.Facts{Kind: k, Language: text.English, Link: link, Code: "1"})
		for _, bad := range []string{" .", " ,", "?.", "“”", "  ", "[", "Deadline", "Reason", "Pages"} {
			if strings.Contains(m.Text, bad) {
				t.Errorf("%s: %q in %s", k, bad, m.Text)
			}
		}
	}
}

func TestLinkThatIsNotAbsoluteIsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "/document/1", "javascript:alert(1)", "https://", "ftp://example.com", "https://segel.id@evil.example/", "https://a b"} {
		f := sampleFacts(contract.NoticeCompleted, text.English)
		f.Link = bad
		if _, err := (Composer{}).Compose(f); !errors.Is(err, ErrLink) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := (Composer{}).Compose(sampleFacts("birthday", text.English)); !errors.Is(err, ErrKind) {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestLogoIsPartOfTheMessage(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	f := sampleFacts(contract.NoticeInviteSigner, text.English)
	f.Logo = b.Bytes()
	m := compose(t, f)
	if len(m.Inline) != 1 || m.Inline[0].Type != "image/png" || !bytes.Equal(m.Inline[0].Bytes, f.Logo) {
		t.Errorf("inline: %v", m.Inline)
	}
	if !strings.Contains(m.HTML, `src="cid:`+m.Inline[0].Name+`"`) || !strings.Contains(m.HTML, `alt="Logo of PT Maju &amp; Jaya"`) {
		t.Errorf("the HTML does not show the logo: %s", m.HTML)
	}
	f.Logo = []byte("<svg onload='alert(1)'/>")
	if m := compose(t, f); len(m.Inline) != 0 || strings.Contains(m.HTML, "<img") {
		t.Error("a logo that is not a picture is shown")
	}
}

func TestDeadlineIsInTheZoneOfTheFacts(t *testing.T) {
	t.Parallel()
	f := sampleFacts(contract.NoticeInviteSigner, text.Indonesian)
	if m := compose(t, f); !strings.Contains(m.Text, "14 Oktober 2026 pukul 17.00 WIB") {
		t.Error(m.Text)
	}
	f.Zone = time.FixedZone("WIT", 9*60*60)
	m, err := Composer{}.Compose(f)
	if err != nil || !strings.Contains(m.Text, "14 Oktober 2026 pukul 19.00 WIT") {
		t.Error(m.Text, err)
	}
}

func TestButtonCanBeReadOnEveryColour(t *testing.T) {
	t.Parallel()
	for r := 0; r <= 255; r += 15 {
		for g := 0; g <= 255; g += 15 {
			for b := 0; b <= 255; b += 15 {
				c := chooseColours(fmt.Sprintf("#%02x%02x%02X", r, g, b))
				if got := contrastRatio(luminance(c.Button), luminance(c.Text)); got < 4.5 {
					t.Errorf("%v has a contrast of %.2f", c, got)
				}
			}
		}
	}
	for _, bad := range []string{"", "red", "#fff", "#12345g"} {
		if c := chooseColours(bad); c.Button != defaultColour {
			t.Errorf("%q became %v", bad, c)
		}
	}
}

func FuzzMessageIsComposedFromAnyText(f *testing.F) {
	f.Add("Title", "Message\nline", "Name")
	f.Add("\u202e<b>", "\x00\r\n.\r\n", "{sender} [x {title}]")
	f.Fuzz(func(t *testing.T, title, message, name string) {
		facts := sampleFacts(contract.NoticeInviteSigner, text.English)
		facts.Title, facts.Message, facts.Organisation, facts.Recipient.Name, facts.Sender.Name = title, message, name, name, name
		m, err := Composer{}.Compose(facts)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(m.Text) || strings.ContainsAny(m.Subject, "\r\n") ||
			strings.Count(m.HTML, "<a ") != 2 {
			t.Fatalf("subject %q text %q html %q", m.Subject, m.Text, m.HTML)
		}
	})
}

func TestMessagesNameTheOthersOfAGroupAndWhatIsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind     contract.NoticeKind
		capacity contract.Capacity
		mail     string
		phone    string
	}{
		{contract.NoticeInviteSigner, "", "Agus Salim, Tono received the same request. The signature of any one of you is enough.", "Any one of 3 people can do it."},
		{contract.NoticeReminder, contract.Approver, "Agus Salim, Tono received the same request. The approval of any one of you is enough.", "Any one of 3 people can do it."},
		{contract.NoticeDelegated, contract.Approver, "passed their approval of the document", "passed their approval of the document"},
		{contract.NoticeDeclined, "", "declined the document “Perjanjian Sewa Kantor 2026”. It can no longer be signed or approved.", "It can no longer be signed or approved."},
		{contract.NoticeCanceled, "", "It can no longer be signed or approved, and", "It can no longer be signed or approved."},
		{contract.NoticeExpired, "", "before everyone had signed or approved. It can no longer be signed or approved.", "It can no longer be signed or approved."},
	} {
		f := sampleFacts(c.kind, text.English)
		f.Capacity, f.Approvals, f.Others = c.capacity, true, []string{"Agus Salim", "Tono"}
		m := compose(t, f)
		phone, err := Composer{}.ComposeText(f)
		if err != nil || !strings.Contains(m.Text, c.mail) || !strings.Contains(phone, c.phone) {
			t.Errorf("%s to %q: %v\n%s\n%s", c.kind, c.capacity, err, m.Text, phone)
		}
	}
}
