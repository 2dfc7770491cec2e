package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsCSS string
	//go:embed docs.js
	docsJS []byte

	docsTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("docs").Parse(docsHTML)) })
	docsStyleSum = sha256.Sum256([]byte(docsCSS))
)

// docsPolicy is the content security policy of the page. It allows only our own style and script.
var docsPolicy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	base64.StdEncoding.EncodeToString(docsStyleSum[:]))

// dataPolicy is the content security policy of data and of files that a page loads.
const dataPolicy = "default-src 'none'"

// Specification returns the content of /openapi.json, indented and without a fixed address. The web app's client is
// generated from it.
func Specification() ([]byte, error) {
	s := &server{Options: Options{}.withDefaults()}
	s.registerEndpoints()
	spec, err := s.newSpecification().write()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, spec, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the specification: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// manual is the specification and its page.
type manual struct{ spec, page []byte } // JSON and HTML

// writeManual makes the manual. Its parts take several times as much memory as the rest of the interface, so they are not kept.
func (s *server) writeManual() (*manual, error) {
	spec, err := s.newSpecification().write()
	if err != nil {
		return nil, err
	}
	page, err := renderDocs(spec)
	if err != nil {
		return nil, fmt.Errorf("write the documentation: %w", err)
	}
	return &manual{spec, page}, nil
}

func (c *call) sendSpecification() error {
	m, err := c.manual()
	if err != nil {
		return err
	}
	return c.sendGenerated("application/json; charset=utf-8", dataPolicy, m.spec)
}

func (c *call) sendManual() error {
	m, err := c.manual()
	if err != nil {
		return err
	}
	return c.sendGenerated("text/html; charset=utf-8", docsPolicy, m.page)
}

func (c *call) sendManualScript() error {
	return c.sendGenerated("text/javascript; charset=utf-8", dataPolicy, docsJS)
}

// sendGenerated sends content that belongs to this version of the program, with a content security policy.
func (c *call) sendGenerated(mime, policy string, content []byte) error {
	h := c.w.Header()
	h.Set("Content-Type", mime)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-cache")
	_, _ = c.w.Write(content) // if this fails, the client has gone
	return nil
}

// The parts of the specification that the page shows. The page's template calls their methods.
type (
	specDoc struct {
		Info    struct{ Title, Version, Description string }
		Servers []struct{ URL string }
		Tags    []struct{ Name, Description string }

		Paths      map[string]map[string]specOperation
		Components struct{ Schemas map[string]*specSchema }
	}
	specOperation struct {
		OperationID, Summary, Description string
		Tags                              []string
		Parameters                        []specParam
		RequestBody                       struct{ Content map[string]specContent }
		Responses                         map[string]struct{ Content map[string]specContent }
		Security                          *[]any

		Method, Path string `json:"-"`
	}
	specParam struct {
		Name, In, Description string
		Required              bool
		Example               any
		Schema                *specSchema
	}
	specContent struct{ Schema *specSchema }
	specSchema  struct {
		Ref         string `json:"$ref"`
		Type        any
		Description string
		Properties  map[string]*specSchema
		Required    []string
		Items       *specSchema
		AnyOf       []*specSchema
		AllOf       []*specSchema
		Enum        []any
		Examples    []any
	}

	// docsMember is a parameter or a member of a body, by its full path.
	docsMember struct {
		Path, Type, Description, Example string
		Required                         bool
	}
)

// renderDocs renders the page of a specification.
func renderDocs(spec []byte) ([]byte, error) {
	var doc specDoc
	if err := json.Unmarshal(spec, &doc); err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
	}
	var b bytes.Buffer
	err := docsTemplate().Execute(&b, &doc)
	return b.Bytes(), err
}

// Style returns the style sheet of the page.
func (d *specDoc) Style() template.CSS { return template.CSS(docsCSS) }

// Operations lists the operations with a tag, by path and method.
func (d *specDoc) Operations(tag string) []specOperation {
	var list []specOperation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if op := d.Paths[path][method]; slices.Contains(op.Tags, tag) {
				op.Method, op.Path = strings.ToUpper(method), path
				list = append(list, op)
			}
		}
	}
	return list
}

// Params lists the parameters of an operation.
func (d *specDoc) Params(op specOperation) []docsMember {
	var list []docsMember
	for _, p := range op.Parameters {
		list = append(list, docsMember{Path: p.Name + " (" + p.In + ")", Type: d.typeName(p.Schema), Description: p.Description, Required: p.Required})
	}
	return list
}

// MediaTypes lists the media types of a body.
func (d *specDoc) MediaTypes(content map[string]specContent) string {
	return strings.Join(slices.Sorted(maps.Keys(content)), ", ")
}

// Members lists the members of a body of JSON or of a form.
func (d *specDoc) Members(content map[string]specContent) []docsMember {
	return d.listMembers(cmp.Or(content["application/json"], content["multipart/form-data"]).Schema, "", 0)
}

// Refusals lists the statuses with which an operation refuses.
func (o specOperation) Refusals() string {
	list := slices.Sorted(maps.Keys(o.Responses))
	return strings.Join(slices.DeleteFunc(list, func(status string) bool { return status < "400" }), ", ")
}

// deepestMember bounds how deep members are listed. No shape of the interface nests deeper.
const deepestMember = 8

// listMembers lists all members below a schema, each by its full path.
func (d *specDoc) listMembers(s *specSchema, prefix string, depth int) []docsMember {
	s = d.resolveRef(s)
	if s == nil || depth > deepestMember {
		return nil
	}
	var list []docsMember
	for _, part := range s.AllOf {
		list = append(list, d.listMembers(part, prefix, depth+1)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		full := d.resolveRef(p)
		m := docsMember{Path: prefix + name, Type: d.typeName(p), Description: cmp.Or(p.Description, full.Description), Required: slices.Contains(s.Required, name)}
		if len(p.Examples) > 0 {
			m.Example = fmt.Sprint(p.Examples[0])
		}
		list = append(list, m)
		below := prefix + name + "."
		if full.Items != nil {
			full, below = d.resolveRef(full.Items), prefix+name+"[]."
		}
		list = append(list, d.listMembers(full, below, depth+1)...)
	}
	return list
}

func (d *specDoc) resolveRef(s *specSchema) *specSchema {
	if s == nil || s.Ref == "" {
		return s
	}
	return d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
}

// types lists the JSON types of a schema: one, or several of them.
func (s *specSchema) types() []string {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var kinds []string
		for _, k := range t {
			kinds = append(kinds, fmt.Sprint(k))
		}
		return kinds
	}
	return nil
}

// typeName returns the displayed type of a schema.
func (d *specDoc) typeName(s *specSchema) string {
	s = d.resolveRef(s)
	if s == nil {
		return ""
	}
	kinds := s.types()
	for _, one := range s.AnyOf {
		kinds = append(kinds, d.typeName(one))
	}
	if len(s.Enum) > 0 {
		kinds = nil
		for _, v := range s.Enum {
			kinds = append(kinds, jsonText(v)) // the number 0 and the string "0" must differ
		}
	}
	return strings.Join(kinds, " | ")
}

// sampleDocument is the document that the examples use.
const sampleDocument = 1207

// ExampleStart returns the preamble of the examples: the address of the service and a token.
func (d *specDoc) ExampleStart() string {
	u := "http://127.0.0.1:8080"
	if len(d.Servers) > 0 && strings.Contains(d.Servers[0].URL, "://") {
		u = strings.TrimRight(d.Servers[0].URL, "/")
	}
	return "U=" + u + "\n" + `T=$(curl -s $U/v1/auth/login -d '{"email":"EMAIL","password":"PASSWORD"}' | sed 's/.*"token":"\([^"]*\)".*/\1/')`
}

// ExampleCommand returns an operation as a shell command with the example values of the specification. $U is the
// address of the service, $T a token.
func (d *specDoc) ExampleCommand(op specOperation) string {
	path := strings.ReplaceAll(op.Path, "{service}", "web")
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
	if op.Method != "GET" && op.Method != "POST" {
		lines[0] = fmt.Sprintf(`curl -X %s "$U%s"`, op.Method, path)
	}
	if op.Security == nil {
		lines = append(lines, `-H "x-access-token: $T"`)
	}
	content := op.RequestBody.Content
	switch {
	case content["application/json"].Schema != nil:
		lines = append(lines, `-H "content-type: application/json"`, "-d '"+strings.ReplaceAll(jsonText(d.sampleValue(content["application/json"].Schema, 0)), "'", `'\''`)+"'")
	case content["multipart/form-data"].Schema != nil:
		lines = append(lines, "-F document=@kontrak.pdf")
	case len(content) > 0:
		lines = append(lines, "--data-binary @tanda-tangan.png")
	case op.Method == "POST":
		lines = append(lines, "-d ''")
	}
	return strings.Join(lines, " \\\n  ")
}

// jsonText returns a value of the specification as JSON.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "{}" // cannot happen: the value was decoded from JSON
	}
	return strings.TrimSpace(b.String())
}

// isComplete reports whether no value of an example is left to the reader ("...").
func isComplete(example any) bool {
	switch v := example.(type) {
	case string:
		return !strings.HasSuffix(v, "...")
	case map[string]any:
		for _, member := range v {
			if !isComplete(member) {
				return false
			}
		}
	}
	return true
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
			case slices.Contains(s.Required, name), len(p.Examples)+len(full.Examples) > 0 && !strings.HasSuffix(text, "..."), full.Items != nil, len(full.Properties) > 0 && isComplete(value):
				object[name] = value
			}
		}
		return object
	}
	if kinds := s.types(); len(kinds) > 0 {
		switch kinds[0] {
		case "integer", "number":
			return 1
		case "boolean":
			return false
		case "object":
			return map[string]any{}
		}
	}
	return "..."
}
