package phone

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"segel/internal/notify"
)

func TestATemplateWritesEachValueByAFunctionThatEscapes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		template string
		want     error
	}{
		{jsonBody, nil},
		{`{{if eq .Kind "code"}}{{json .Code}}{{else if .Link}}{{json .Link}}{{else}}{{form .Text}}{{end}}`, nil},
		{`{{if and .Code (ne .Language "id")}}{{json .Code}}{{end}}{{/* a remark */}}`, nil},
		{`{{.Text}}`, ErrUnescaped},
		{`{{json .Text | printf "%s"}}`, ErrUnescaped},
		{`{{printf "%s" .Text}}`, ErrUnescaped},
		{`{{html .Text}}`, ErrUnescaped},
		{`{{json "x"}}`, ErrTemplate},
		{`{{json .Text.Name}}`, ErrTemplate},
		{`{{json .Secret}}`, ErrTemplate},
		{`{{$x := json .Text}}`, ErrUnescaped},
		{`{{range 9}}{{end}}`, ErrTemplate},
		{`{{with .Text}}{{end}}`, ErrTemplate},
		{`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, ErrTemplate},
		{`{{if len .Text}}{{end}}`, ErrTemplate},
		{`{{if .Text`, ErrTemplate},
		{"\xff", ErrTemplate},
		{"", ErrTemplate},
		{strings.Repeat("x", maxTemplate+1), ErrTooLong},
	} {
		_, err := ParseTemplate(test.template)
		if !errors.Is(err, test.want) || test.want == nil && err != nil {
			t.Errorf("%.60s: %v, want %v", test.template, err, test.want)
		}
	}
}

func TestABodyIsNotLongerThanTheLimit(t *testing.T) {
	t.Parallel()
	tmpl, err := ParseTemplate(strings.Repeat("{{json .Text}}", 100))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.render(notify.TextMessage{Text: strings.Repeat("x", 1000)}); !errors.Is(err, ErrTooLong) {
		t.Errorf("%v", err)
	}
}

// FuzzParseTemplate finds templates that are accepted and then write a value in a way that a hostile name could use.
func FuzzParseTemplate(f *testing.F) {
	for _, s := range []string{jsonBody, "to={{form .Number}}&text={{form .Text}}", `{{if eq .Kind "code"}}{{json .Code}}{{else}}{{json .Text}}{{end}}`, "{{.Text}}", "{{range 9}}{{end}}"} {
		f.Add(s, "Budi")
	}
	f.Fuzz(func(t *testing.T, template, name string) {
		parsed, err := ParseTemplate(template)
		if err != nil {
			if !errors.Is(err, ErrTemplate) {
				t.Errorf("another error: %v", err)
			}
			return
		}
		plain := notify.TextMessage{Name: "x", Sender: "x", Title: "x", Text: "x"}
		hostile := notify.TextMessage{Name: name + "x", Sender: name + "x", Title: name + "x", Text: name + "x"}
		before, err := parsed.render(plain)
		if err != nil {
			t.Fatalf("an accepted template writes nothing: %v", err)
		}
		after, err := parsed.render(hostile)
		if err != nil && !errors.Is(err, ErrTooLong) {
			t.Fatalf("a name changes what is possible: %v", err)
		}
		if err == nil && strings.HasPrefix(template, `{"`) && !strings.Contains(template, "if") && json.Valid(before) && !json.Valid(after) {
			if !strings.Contains(template, "digits") { // which writes no JSON text
				t.Errorf("the name %q breaks the JSON of %q: %s", name, template, after)
			}
		}
	})
}
