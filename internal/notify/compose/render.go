package compose

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
)

//go:embed letter.gohtml
var letterHTML string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("letter").Funcs(template.FuncMap{
		"cid": func(name string) template.URL { return template.URL("cid:" + name) }, //nolint:gosec // a name of this package
		"css": func(colour string) template.CSS { return template.CSS(colour) },      //nolint:gosec // chooseColours checked it
	}).Parse(letterHTML))
})

// renderHTML writes a message as HTML. The template escapes everything that people wrote.
func (l *letter) renderHTML() (string, error) {
	var b strings.Builder
	if err := page().Execute(&b, l); err != nil {
		return "", fmt.Errorf("compose: %w", err)
	}
	return b.String(), nil
}

// renderText writes a message as plain text. It does not wrap lines; mail programs do.
func (l *letter) renderText() string {
	var b strings.Builder
	paragraph := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(line)
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	paragraph(l.Greeting)
	for _, p := range l.Paragraphs {
		paragraph(p)
	}
	if l.Quote != nil {
		quoted := []string{l.Quote.Label}
		for _, line := range l.Quote.Lines {
			quoted = append(quoted, strings.TrimRight("> "+line, " "))
		}
		paragraph(quoted...)
	}
	paragraph(l.Button+":", l.Link)
	if len(l.Rows) > 0 {
		var rows []string
		for _, r := range l.Rows {
			rows = append(rows, r.Label+": "+r.Value)
		}
		paragraph(rows...)
	}
	paragraph("-- ") // RFC 3676 §4.3: what follows is a signature
	return strings.TrimSuffix(b.String(), "\n") + strings.Join(l.Footer, "\n") + "\n"
}
