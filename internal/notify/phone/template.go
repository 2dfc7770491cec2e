package phone

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"segel/internal/notify"
)

// Errors of [ParseTemplate]. They never show the template, which may have a key.
var (
	ErrTemplate  = errors.New("template of a text message")
	ErrUnescaped = fmt.Errorf("%w: a value is not written with json, form or digits", ErrTemplate)
	ErrTooLong   = fmt.Errorf("%w: too long", ErrTemplate)
)

// Limits in bytes.
const (
	maxTemplate = 16 << 10
	maxBody     = 64 << 10
)

// Template is the body of a request, with places for the parts of a message.
type Template struct{ tree *template.Template }

// functions are those that a template may call. The first three write a value; the others compare values in conditions.
var functions = template.FuncMap{"json": quoteJSON, "form": url.QueryEscape, "digits": keepDigits}

var (
	escaping  = map[string]bool{"json": true, "form": true, "digits": true}
	comparing = map[string]bool{"eq": true, "ne": true, "and": true, "or": true, "not": true}
)

// parts are what a template can write.
type parts struct {
	ID, Channel, Number, Name, Kind, Language, Sender, Organisation, Title, Link, Code, Text string
}

func partsOf(m notify.TextMessage) parts {
	return parts{
		ID: m.ID, Channel: string(m.Channel), Number: m.Number, Name: m.Name, Kind: string(m.Kind), Language: string(m.Language),
		Sender: m.Sender, Organisation: m.Organisation, Title: m.Title, Link: m.Link, Code: m.Code, Text: m.Text,
	}
}

// ParseTemplate parses a template in the language of text/template, of which it accepts text, if and else, and the names of the parts of a
// message: .ID .Channel .Number .Name .Kind .Language .Sender .Organisation .Title .Link .Code .Text. Each value is written by one of
// three functions, so that no name and no title can change the form of the request:
//
//	{{json .Text}}     as a JSON string with its quotes
//	{{form .Text}}     percent-encoded, for a form
//	{{digits .Number}} the digits alone
//
// Loops, variables and other templates are refused: a template always ends.
func ParseTemplate(s string) (*Template, error) {
	if len(s) > maxTemplate {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, maxTemplate)
	}
	if !utf8.ValidString(s) || strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf("%w: empty, or not UTF-8", ErrTemplate)
	}
	t, err := template.New("body").Funcs(functions).Parse(s)
	if err != nil { // err shows a part of the template
		return nil, fmt.Errorf("%w: malformed; write it such as {\"to\": {{json .Number}}, \"text\": {{json .Text}}}", ErrTemplate)
	}
	if len(t.Templates()) > 1 || t.Tree == nil {
		return nil, fmt.Errorf("%w: it defines other templates, or is empty", ErrTemplate)
	}
	if err := checkList(t.Root); err != nil {
		return nil, err
	}
	parsed := &Template{t}
	if _, err := parsed.render(notify.TextMessage{}); err != nil {
		return nil, err
	}
	return parsed, nil
}

// checkList checks a list of nodes.
func checkList(l *parse.ListNode) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			if err := checkWritten(n.Pipe); err != nil {
				return err
			}
		case *parse.IfNode:
			if err := errors.Join(checkCondition(n.Pipe), checkList(n.List), checkList(n.ElseList)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%w: only values, if and else are possible", ErrTemplate)
		}
	}
	return nil
}

// checkWritten checks a pipeline whose value is written: a function that escapes, and the name of a part.
func checkWritten(p *parse.PipeNode) error {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 2 {
		return ErrUnescaped
	}
	f, ok := p.Cmds[0].Args[0].(*parse.IdentifierNode)
	if !ok || !escaping[f.Ident] {
		return ErrUnescaped
	}
	return checkPart(p.Cmds[0].Args[1])
}

// checkCondition checks the pipeline of an if: a part, or a comparison of parts and texts.
func checkCondition(p *parse.PipeNode) error {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return fmt.Errorf("%w: a condition is too complicated", ErrTemplate)
	}
	for i, a := range p.Cmds[0].Args {
		switch a := a.(type) {
		case *parse.IdentifierNode:
			if i > 0 || !comparing[a.Ident] {
				return fmt.Errorf("%w: a condition calls another function than eq, ne, and, or, not", ErrTemplate)
			}
		case *parse.StringNode:
		case *parse.PipeNode:
			if err := checkCondition(a); err != nil {
				return err
			}
		default:
			if err := checkPart(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPart checks the name of a part.
func checkPart(n parse.Node) error {
	f, ok := n.(*parse.FieldNode)
	if !ok || len(f.Ident) != 1 {
		return fmt.Errorf("%w: a value is not the name of a part, such as .Text", ErrTemplate)
	}
	return nil
}

// render writes the body of the request for a message.
func (t *Template) render(m notify.TextMessage) ([]byte, error) {
	var b bytes.Buffer
	if err := t.tree.Execute(&limitedWriter{to: &b}, partsOf(m)); err != nil { // err shows a part of the template
		if errors.Is(err, ErrTooLong) {
			return nil, ErrTooLong
		}
		return nil, fmt.Errorf("%w: it names a part that does not exist, or compares wrongly", ErrTemplate)
	}
	return b.Bytes(), nil
}

// limitedWriter refuses more than maxBody bytes.
type limitedWriter struct{ to *bytes.Buffer }

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.to.Len()+len(p) > maxBody {
		return 0, ErrTooLong
	}
	return w.to.Write(p)
}

// quoteJSON returns s as a JSON string (RFC 8259 §7). Bytes that are not UTF-8 are replaced.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(true)
	_ = enc.Encode(s) // a text cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

func keepDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
