package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sampleDocument is the document that the examples use.
const sampleDocument = 1207

// exampleStart is the preamble of the examples: the address of the service and a token.
func (d *specDoc) exampleStart() string {
	u := "http://127.0.0.1:8080"
	if len(d.Servers) > 0 && strings.Contains(d.Servers[0].URL, "://") {
		u = strings.TrimRight(d.Servers[0].URL, "/")
	}
	return "U=" + u + "\n" + `T=$(curl -s $U/v1/auth/login -d '{"email":"EMAIL","password":"PASSWORD"}' | sed 's/.*"token":"\([^"]*\)".*/\1/')`
}

// exampleCommand returns an operation as a shell command with the example values of the specification. $U is the
// address of the service, $T a token.
func (d *specDoc) exampleCommand(method, path string, op specOperation) string {
	path = strings.ReplaceAll(path, "{service}", "web")
	var query []string
	for _, p := range op.Parameters {
		value := fmt.Sprint(p.Example)
		switch {
		case p.Example == nil:
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case p.In == "query":
			query = append(query, p.Name+"="+value)
		}
	}
	path = strings.NewReplacer("{document_id}", fmt.Sprint(sampleDocument), "{", "", "}", "").Replace(path)
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	lines := []string{fmt.Sprintf(`curl "$U%s"`, path)}
	if method != "GET" && method != "POST" {
		lines[0] = fmt.Sprintf(`curl -X %s "$U%s"`, method, path)
	}
	if op.Security == nil {
		lines = append(lines, `-H "x-access-token: $T"`)
	}
	content := op.RequestBody.Content
	switch {
	case content["application/json"].Schema != nil:
		lines = append(lines, `-H "content-type: application/json"`, "-d '"+strings.ReplaceAll(d.sampleText(content["application/json"].Schema), "'", `'\''`)+"'")
	case content["multipart/form-data"].Schema != nil:
		lines = append(lines, "-F document=@kontrak.pdf")
	case len(content) > 0:
		lines = append(lines, "--data-binary @tanda-tangan.png")
	case method == "POST":
		lines = append(lines, "-d ''")
	}
	return strings.Join(lines, " \\\n  ")
}

func (d *specDoc) sampleText(s *specSchema) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d.sampleValue(s, 0)); err != nil {
		return "{}" // cannot happen: the value was decoded from JSON
	}
	return strings.TrimSpace(b.String())
}

// sampleValue returns an example value of a schema: its own example, or one built from its parts. For an object it
// includes required members and members with a complete example.
func (d *specDoc) sampleValue(s *specSchema, depth int) any {
	own := s
	s = d.resolveRef(s)
	switch {
	case own == nil || s == nil || depth > deepestMember:
		return nil
	case len(own.Examples) > 0:
		return own.Examples[0]
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Items != nil:
		return []any{d.sampleValue(s.Items, depth+1)}
	case len(s.AnyOf) > 0:
		return d.sampleValue(s.AnyOf[0], depth+1)
	case len(s.Properties) > 0:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			p := s.Properties[name]
			full := d.resolveRef(p)
			value := d.sampleValue(p, depth+1)
			text, _ := value.(string)
			switch {
			case name == "document_id":
				object[name] = sampleDocument
			case slices.Contains(s.Required, name), len(p.Examples)+len(full.Examples) > 0 && !strings.HasSuffix(text, "..."), full.Items != nil, len(full.Properties) > 0:
				object[name] = value
			}
		}
		return object
	}
	return sampleOfType(s.Type)
}

func sampleOfType(t any) any {
	if kinds, ok := t.([]any); ok && len(kinds) > 0 {
		t = kinds[0]
	}
	switch t {
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "object":
		return map[string]any{}
	}
	return "..."
}
