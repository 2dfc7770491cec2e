package config

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// source is the file that declares Config: its comments are the manual.
//
//go:embed config.go
var source string

// mask replaces a secret that is set.
const mask = "********"

// Print writes the configuration in effect as a file of environment variables, each below its comment. Secrets are
// masked. A setting at its default is commented out.
func (c Config) Print(w io.Writer) error { return c.print(w, true) }

func (c Config) print(w io.Writer, masked bool) error {
	doc, err := readManual()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	v := reflect.ValueOf(c)
	preset := reflect.ValueOf(Default())
	for _, m := range listSettings() {
		if title := doc.titles[m.field]; title != "" {
			fmt.Fprintf(&b, "# --- %s ---\n\n", title)
		}
		for _, line := range wrapText(doc.comments[m.field], 98) {
			fmt.Fprintf(&b, "# %s\n", line)
		}
		off := ""
		if reflect.DeepEqual(v.Field(m.index).Interface(), preset.Field(m.index).Interface()) {
			off = "#"
		}
		if value, ok := v.Field(m.index).Interface().(string); ok && hasPassword(value) {
			m.secret = true
		}
		m.secret = m.secret && masked
		value := m.formatValue(v.Field(m.index).Interface())
		if strings.ContainsAny(value, "\n\r") && !masked {
			return fmt.Errorf("%s has several lines, which a file of settings cannot hold", m.name)
		}
		fmt.Fprintf(&b, "%s%s=%s\n\n", off, m.name, value)
	}
	_, err = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// String is Print, so that logging a configuration does not reveal secrets.
func (c Config) String() string {
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		return "configuration"
	}
	return b.String()
}

// GoString is String: %#v must not show what %v hides.
func (c Config) GoString() string { return c.String() }

// formatValue formats a value as Load reads it.
func (m setting) formatValue(value any) string {
	switch v := value.(type) {
	case string:
		if m.secret && v != "" {
			return MaskURL(v)
		}
		return v
	case slog.Level:
		return strings.ToLower(v.String())
	case time.Duration:
		// 24h and 10m, not 24h0m0s and 10m0s.
		s := v.String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	case []string:
		if m.secret {
			v = slices.Clone(v)
			for i := range v {
				v[i] = MaskURL(v[i])
			}
		}
		return strings.Join(v, ",")
	case []uint16:
		return joinValues(v)
	case []Network:
		return joinValues(v)
	case map[string]string:
		var all []string
		for key, value := range v {
			all = append(all, key+m.separator+value)
		}
		slices.Sort(all)
		return strings.Join(all, ",")
	}
	return fmt.Sprint(value)
}

func joinValues[T any](values []T) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprint(v)
	}
	return strings.Join(all, ",")
}

// MaskURL masks a secret. Of a URL it keeps the scheme, host and path, without user, password and parameters.
func MaskURL(secret string) string {
	u, err := url.Parse(secret)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return mask
	}
	return u.Scheme + "://" + mask + "@" + u.Host + u.Path
}

// MaskPassword masks a value that is an address with a password, and returns any other as it is.
func MaskPassword(value string) string {
	if hasPassword(value) {
		return MaskURL(value)
	}
	return value
}

// hasPassword reports whether a value is an address with a password, which makes it a secret.
func hasPassword(value string) bool {
	u, err := url.Parse(value)
	return err == nil && u.Host != "" && u.User != nil
}

type manualText struct {
	comments map[string]string // by member
	titles   map[string]string // title of the part that starts with a member
}

// readManual reads the comments of Config.
func readManual() (manualText, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "config.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return manualText{}, fmt.Errorf("read the manual: %w", err)
	}
	p := manualText{map[string]string{}, map[string]string{}}
	var before token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || len(f.Names) != 1 {
			return true
		}
		name := f.Names[0].Name
		p.comments[name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
		for _, c := range file.Comments {
			text := strings.TrimSpace(c.Text())
			if c.Pos() > before && c.End() < f.Pos() && strings.HasPrefix(text, "--- ") {
				p.titles[name] = strings.Trim(text, "- ")
			}
		}
		before = f.End()
		return false
	})
	return p, nil
}

// wrapText breaks text into lines of at most width bytes.
func wrapText(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
