package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"segel/internal/contract"
	"segel/internal/text/verdict"
	"segel/pades/validate"
)

// openAPIConfig returns the empty specification.
func openAPIConfig(version, address string) huma.Config {
	c := huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Segel", Version: cmp.Or(version, "0"),
			Description: "Signing of contracts and affixing of duty stamps. Messages are Indonesian, or English with Accept-Language: en. " +
				"Every path is also served below /api. {service} is any one segment, unless the deployment has a fixed one.",
		},
		Servers: []*huma.Server{{URL: cmp.Or(address, "/")}},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"accessToken": {Type: "apiKey", In: "header", Name: "x-access-token", Description: "The token of /v1/auth/login or /v1/auth/guest."},
				"bearer":      {Type: "http", Scheme: "bearer", Description: "The same token."},
				"session":     {Type: "apiKey", In: "cookie", Name: "segel_session", Description: "The web app's cookie; __Host-segel_session over TLS."},
			},
		},
		Security: []map[string][]string{{"accessToken": {}}, {"bearer": {}}, {"session": {}}},
	}}
	c.AllowAdditionalPropertiesByDefault = true // unknown members are ignored, and answers may gain members
	return c
}

// schemaName names a type in the specification. Types of a verification report get a prefix, since their names are
// common words that other types have too.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := t.PkgPath(); (p == reflect.TypeFor[verdict.Report]().PkgPath() || p == reflect.TypeFor[validate.File]().PkgPath()) && name != "Report" {
		return "Report" + name
	}
	return name
}

// specification describes the endpoints of a server.
type specification struct{ *huma.OpenAPI }

// newSpecification describes all registered endpoints.
func (s *server) newSpecification() specification {
	// Huma registers nothing with the multiplexer: we do not serve with it.
	spec := specification{humago.New(http.NewServeMux(), openAPIConfig(s.Version, s.PublicURL)).OpenAPI()}
	for _, g := range endpointGroups() {
		spec.Tags = append(spec.Tags, &huma.Tag{Name: g.name, Description: g.description})
	}
	for i := range s.endpoints {
		spec.AddOperation(spec.describeOperation(&s.endpoints[i]))
	}
	return spec
}

// schemaOf returns the schema of a type.
func (s specification) schemaOf(t reflect.Type) *huma.Schema {
	return s.Components.Schemas.Schema(t, true, t.Name())
}

// describeOperation describes an endpoint, including what every endpoint has in common.
func (s specification) describeOperation(e *endpoint) *huma.Operation {
	about := descriptions[e.id]
	op := &huma.Operation{
		Method: e.method, Path: e.path, OperationID: e.id, Summary: e.summary, Description: about.text,
		Tags: []string{e.group}, Parameters: slices.Clone(about.params), RequestBody: s.describeBody(e), Responses: map[string]*huma.Response{},
	}
	maps.Copy(op.Responses, about.answers)
	switch {
	case e.handler.isStream && e.handler.out == nil:
		op.Responses = eventAnswer(s.schemaOf(reflect.TypeFor[statusData]()))
	case e.handler.out != nil:
		op.Responses["200"] = &huma.Response{Description: "Done.", Content: map[string]*huma.MediaType{"application/json": {Schema: s.schemaOf(e.handler.out)}}}
	}
	if strings.Contains(e.path, "{service}") {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "service", In: "path", Required: true, Description: "One segment of the deployment.", Schema: textSchema(), Example: "service"})
	}
	if strings.Contains(e.path, "{document_id}") {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "document_id", In: "path", Required: true, Schema: &huma.Schema{Type: "integer", Format: "int64"}, Example: 1207})
	}
	if e.takesKey() {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Schema: textSchema(),
			Description: "Repeating the request with the same key and body within a day returns the answer to the first request.",
		})
	}
	switch {
	case e.access == anybody:
		op.Security = []map[string][]string{}
	case e.id != "metrics": // which describes its own tokens
		op.Description = strings.TrimSpace(op.Description + " " + describeScope(e))
	}
	for _, status := range append(commonRefusals(e), about.refuses...) {
		op.Responses[strconv.Itoa(status)] = s.refusalResponse(status)
	}
	return op
}

// commonRefusals lists the statuses with which an endpoint may refuse, as far as they follow from its row.
func commonRefusals(e *endpoint) []int {
	list := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if e.access != anybody {
		list = append(list, http.StatusUnauthorized, http.StatusForbidden)
	}
	if e.body != noBody {
		list = append(list, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity)
	}
	if len(descriptions[e.id].params) > 0 {
		list = append(list, http.StatusUnprocessableEntity)
	}
	if e.access.op != "" {
		list = append(list, http.StatusNotFound, http.StatusConflict)
		if e.access.op.NeedsFiles() {
			list = append(list, http.StatusGone)
		}
	}
	if e.access.admin != "" {
		list = append(list, http.StatusNotFound)
	}
	return list
}

func (s specification) refusalResponse(status int) *huma.Response {
	r := &huma.Response{
		Description: http.StatusText(status) + ".",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: s.schemaOf(reflect.TypeFor[failure]())}},
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		r.Headers = map[string]*huma.Param{"Retry-After": {Description: "Seconds to wait.", Schema: &huma.Schema{Type: "integer"}}}
	}
	return r
}

// write renders the specification.
func (s specification) write() ([]byte, error) {
	s.markNullable()
	for _, schema := range s.Components.Schemas.Map() {
		arraysAreNeverNull(schema)
	}
	spec, err := json.Marshal(s.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("write the specification: %w", err)
	}
	return spec, nil
}

func arraysAreNeverNull(s *huma.Schema) {
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	for _, p := range s.Properties {
		arraysAreNeverNull(p)
	}
	if s.Items != nil {
		arraysAreNeverNull(s.Items)
	}
}

// describeBody returns the description of an endpoint's body.
func (s specification) describeBody(e *endpoint) *huma.RequestBody {
	content := map[string]*huma.MediaType{}
	switch e.body {
	case noBody:
		return nil
	case picture:
		content = pictureContent()
	case tinyForm:
		content[formType] = tokenForm()
		if e.id == "provider-logout" {
			content[formType] = &huma.MediaType{Schema: &huma.Schema{Type: "object", Required: []string{"logout_token"}, Properties: map[string]*huma.Schema{
				"logout_token": {Type: "string", Description: "a signed JWT"},
			}}}
		}
	case filePart:
		content[partType] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	case fileForm:
		content["multipart/form-data"] = formContent(nil, map[string]string{
			"document_title": "the stem of the file name when missing",
			"filename":       "the part's file name when missing",
			"parallel":       "0 or 1",
			"signer":         "JSON, as in the upload in base64",
			"guest":          "JSON, as in the upload in base64",
			"expired_at":     "ISO 8601 with a zone, in the future",
			"upload_id":      "of an upload that is complete, in place of the file",
		})
	case fileAny:
		content["multipart/form-data"] = formContent([]string{"document"}, map[string]string{
			"filename": "the part's file name when missing",
			"explain":  "1: list every check with its outcome",
			"password": "opens an encrypted file; not stored",
		})
		fallthrough
	default:
		content["application/json"] = &huma.MediaType{Schema: s.schemaOf(e.handler.in)}
	}
	return &huma.RequestBody{Required: true, Content: content}
}

// formContent describes a form with a file and fields.
func formContent(required []string, fields map[string]string) *huma.MediaType {
	s := &huma.Schema{Type: "object", Required: required, Properties: map[string]*huma.Schema{
		"document": {Type: "string", Format: "binary", Description: "the file"},
	}}
	for name, doc := range fields {
		s.Properties[name] = &huma.Schema{Type: "string", Description: doc}
	}
	return &huma.MediaType{Schema: s}
}

func pictureContent() map[string]*huma.MediaType {
	picture := &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	return map[string]*huma.MediaType{"image/png": picture, "image/jpeg": picture}
}

func pictureAnswer() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The picture.", Content: pictureContent()}}
}

func textSchema() *huma.Schema { return &huma.Schema{Type: "string"} }

// textAnswer describes an answer that is text of the given media type.
func textAnswer(mime, description string) map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: description, Content: map[string]*huma.MediaType{mime: {Schema: &huma.Schema{Type: "string"}}}}}
}

func fileAnswer() map[string]*huma.Response {
	headers := func() map[string]*huma.Param {
		return map[string]*huma.Param{
			"ETag":                {Description: "SHA-256 of the whole file in hex, quoted.", Schema: &huma.Schema{Type: "string"}},
			"Content-Disposition": {Description: "RFC 6266, with filename and filename*.", Schema: &huma.Schema{Type: "string"}},
		}
	}
	content := map[string]*huma.MediaType{pdfType: {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
	return map[string]*huma.Response{
		"200": {Description: "The file.", Headers: headers(), Content: content},
		"206": {Description: "A part of it.", Headers: headers(), Content: content},
		"304": {Description: "The client has the current file."},
	}
}

func eventAnswer(data *huma.Schema) map[string]*huma.Response {
	return map[string]*huma.Response{
		"200": {Description: "A stream of events; the data of each is JSON.", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			AllOf: []*huma.Schema{data, {Type: "object", Required: []string{"signing_status"}, Properties: map[string]*huma.Schema{"signing_status": enumOf(contract.States)}}},
		}}}},
		"204": {Description: "The document is in a final state."},
	}
}

func enumOf[T ~string](values []T) *huma.Schema {
	s := &huma.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// markNullable marks the members of a report that may be null: times that may be missing, a certificate that was not
// found, a proof that does not exist.
func (s specification) markNullable() {
	schemas := s.Components.Schemas.Map()
	for name, members := range map[string][]string{
		"ReportClaims": {"time"}, "ReportTimestamp": {"time"}, "ReportCertificate": {"revoked_at", "proved_from", "proved_until"},
	} {
		for _, m := range members {
			schemas[name].Properties[m].Nullable = true
		}
	}
	for _, m := range []string{"signer", "identity", "proven", "authentication"} {
		member := schemas["ReportSignature"].Properties[m]
		schemas["ReportSignature"].Properties[m] = &huma.Schema{
			AnyOf: []*huma.Schema{{Ref: member.Ref}, {Type: "null"}}, Description: member.Description,
		}
	}
}
