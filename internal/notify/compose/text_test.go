package compose

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

func composeText(t *testing.T, f notify.Facts) string {
	t.Helper()
	s, err := Composer{}.ComposeText(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTextMessagesReadAsTheGoldenFilesSay(t *testing.T) {
	t.Parallel()
	for _, k := range contract.NoticeKinds {
		for _, l := range []text.Language{text.Indonesian, text.English} {
			got := composeText(t, sampleFacts(k, l)) + "\n"
			name := filepath.Join("testdata", fmt.Sprintf("%s.%s.phone.txt", k, l))
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

func TestTextMessagesAreShortAndHaveOneLinkWhichIsOurs(t *testing.T) {
	t.Parallel()
	const hostile = "{host} https://evil.example/sign www.evil.co.id\u202egnp\u2066\u200b\x00\r\nhttp://evil.example"
	linked := regexp.MustCompile(`(?i)https?://\S+|\S\.\pL\pL`)
	for _, k := range contract.NoticeKinds {
		f := sampleFacts(k, text.English)
		f.Delegate = hostile
		f.Title, f.Message, f.Reason, f.By, f.Organisation, f.Recipient.Name, f.Sender.Name = hostile, hostile, hostile, hostile, hostile, hostile, hostile
		f.Deadline = time.Time{}
		got := composeText(t, f)
		said, last, _ := strings.Cut(got, "\n")
		switch {
		case k == contract.NoticeCode:
			if strings.Contains(got, "\n") || strings.Contains(got, "token") || !strings.Contains(got, f.Code) {
				t.Errorf("the code: %s", got)
			}
			said = strings.ReplaceAll(said, "segel.example.id", "")
		case last != f.Link:
			t.Errorf("%s: the link is %s", k, last)
		}
		if linked.MatchString(said) || strings.ContainsFunc(said, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%s: %q", k, said)
		}
		if n := utf8.RuneCountInString(said); n > 300 {
			t.Errorf("%s: %d characters", k, n)
		}
	}
	f := sampleFacts(contract.NoticeDeclined, text.English)
	if f.By = ""; !strings.HasPrefix(composeText(t, f), "A participant declined") {
		t.Error("a decline by nobody:", composeText(t, f))
	}
	if _, err := (Composer{}).ComposeText(notify.Facts{Kind: "other", Link: link}); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
	if _, err := (Composer{}).ComposeText(notify.Facts{Kind: contract.NoticeCode, Link: "javascript:alert(1)"}); !errors.Is(err, ErrLink) {
		t.Error(err)
	}
}
