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

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text/verdict"
	"segel/pades/validate"
)

// Groups of operations in the specification.
const (
	groupAccount   = "account"
	groupVerbs     = "verbs"
	groupDocuments = "documents"
	groupService   = "service"

	groupVerification = "verification"
	groupAdmin        = "administration"
)

// openAPIConfig returns the empty specification.
func openAPIConfig(version, address string) huma.Config {
	c := huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Segel", Version: cmp.Or(version, "0"),
			Description: "Signing of contracts and affixing of duty stamps. Sentences are Indonesian, and English with Accept-Language: en. " +
				"Every path is served below /api too. {service} is any one segment, unless the deployment has a fixed one.",
		},
		Servers: []*huma.Server{{URL: cmp.Or(address, "/")}},
		Tags: []*huma.Tag{
			{Name: groupAccount, Description: "Who is asking."},
			{Name: groupVerbs, Description: "What can be done with a document."},
			{Name: groupDocuments, Description: "What can be seen of documents."},
			{Name: groupVerification, Description: "What anybody may have judged."},
			{Name: groupAdmin, Description: "What administrators look at and do."},
			{Name: groupService, Description: "What runs and describes the service."},
		},
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

// schemaOf returns the schema of a type.
func (s *server) schemaOf(t reflect.Type) *huma.Schema {
	return s.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
}

// describeAnswer describes the JSON answer of an endpoint.
func (s *server) describeAnswer(e *endpoint, t reflect.Type) {
	e.answers = map[string]*huma.Response{"200": {
		Description: "Done.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: s.schemaOf(t)}},
	}}
}

// describeOperation describes an endpoint, including what every endpoint has in common.
func (s *server) describeOperation(e *endpoint) *huma.Operation {
	op := &huma.Operation{
		Method: e.method, Path: e.path, OperationID: e.id, Summary: e.summary, Description: e.description,
		Tags: []string{e.group}, Parameters: slices.Clone(e.params), RequestBody: e.body, Responses: map[string]*huma.Response{},
	}
	maps.Copy(op.Responses, e.answers)
	if strings.Contains(e.path, "{service}") {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "service", In: "path", Required: true, Description: "One segment of the deployment.", Schema: &huma.Schema{Type: "string"}, Example: "service"})
	}
	if strings.Contains(e.path, "{document_id}") {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "document_id", In: "path", Required: true, Schema: &huma.Schema{Type: "integer", Format: "int64"}, Example: 1207})
	}
	if e.takesKey() {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: "string"},
			Description: "A repeat with the same key and body within a day answers what the first request was answered.",
		})
	}
	if e.callers == anybody {
		op.Security = []map[string][]string{}
	}
	for _, status := range refusalsOf(e) {
		op.Responses[strconv.Itoa(status)] = s.refusalResponse(status)
	}
	return op
}

// refusalsOf lists the statuses with which an endpoint may refuse.
func refusalsOf(e *endpoint) []int {
	list := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if e.callers != anybody {
		list = append(list, http.StatusUnauthorized, http.StatusForbidden)
	}
	if e.body != nil {
		list = append(list, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity)
	}
	if len(e.params) > 0 {
		list = append(list, http.StatusUnprocessableEntity)
	}
	if e.op != "" {
		list = append(list, http.StatusNotFound, http.StatusConflict)
	}
	if e.admin != "" {
		list = append(list, http.StatusNotFound)
	}
	switch e.id {
	case "admin-add-person", "admin-retry", "admin-reconcile":
		list = append(list, http.StatusConflict)
	case "finalize", "process":
		list = append(list, http.StatusPaymentRequired)
	case "upload", "upload-multipart", "put-specimen", "verify":
		list = append(list, http.StatusUnsupportedMediaType)
	case "specimen", "verify-serial":
		list = append(list, http.StatusNotFound)
	case "preview", "download", "original":
		list = append(list, http.StatusRequestedRangeNotSatisfiable)
	}
	return list
}

func (s *server) refusalResponse(status int) *huma.Response {
	r := &huma.Response{
		Description: http.StatusText(status) + ".",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: s.schemaOf(typeOf[failure]())}},
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		r.Headers = map[string]*huma.Param{"Retry-After": {Description: "Seconds to wait.", Schema: &huma.Schema{Type: "integer"}}}
	}
	return r
}

// writeSpecification renders the specification once all endpoints are registered.
func (s *server) writeSpecification() error {
	for _, schema := range s.huma.OpenAPI().Components.Schemas.Map() {
		arraysAreNeverNull(schema)
	}
	spec, err := json.Marshal(s.huma.OpenAPI())
	if err != nil {
		return fmt.Errorf("write the specification: %w", err)
	}
	s.spec = spec
	if s.docs, err = renderDocs(spec); err != nil {
		return fmt.Errorf("write the documentation: %w", err)
	}
	return nil
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

func jsonBody(schema *huma.Schema) *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

func multipartBody() *huma.RequestBody {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: "string", Description: doc} }
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
		Type: "object", Required: []string{"document"},
		Properties: map[string]*huma.Schema{
			"document":       {Type: "string", Format: "binary", Description: "the file"},
			"document_title": text("the stem of the file name when missing"),
			"filename":       text("the part's file name when missing"),
			"parallel":       text("0 or 1"),
			"signer":         text("JSON, as in the upload in base64"),
			"guest":          text("JSON, as in the upload in base64"),
			"expired_at":     text("ISO 8601 with a zone, in the future"),
		},
	}}}}
}

func pictureBody() *huma.RequestBody {
	picture := &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"image/png": picture, "image/jpeg": picture}}
}

func pictureAnswer() map[string]*huma.Response {
	picture := &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	return map[string]*huma.Response{"200": {Description: "The picture.", Content: map[string]*huma.MediaType{"image/png": picture, "image/jpeg": picture}}}
}

// textAnswer describes an answer that is text of the given media type.
func textAnswer(mime, description string) map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: description, Content: map[string]*huma.MediaType{mime: {Schema: &huma.Schema{Type: "string"}}}}}
}

func avatarParams() []*huma.Param {
	return []*huma.Param{
		{Name: "id", In: "path", Required: true, Description: "Any text; the UUID of a person.", Schema: &huma.Schema{Type: "string"}},
		{Name: "initials", In: "query", Description: "Up to two letters.", Schema: &huma.Schema{Type: "string"}, Example: "SR"},
	}
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
		"304": {Description: "The client has it."},
	}
}

func eventAnswer(data *huma.Schema) map[string]*huma.Response {
	return map[string]*huma.Response{
		"200": {Description: "A stream of events; the data of each is JSON.", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			AllOf: []*huma.Schema{data, {Type: "object", Required: []string{"signing_status"}, Properties: map[string]*huma.Schema{"signing_status": enumOf(contract.States)}}},
		}}}},
		"204": {Description: "Nothing can happen any more."},
	}
}

func eventParams() []*huma.Param {
	return []*huma.Param{{Name: "Last-Event-ID", In: "header", Description: "The id of the last event that was seen.", Schema: &huma.Schema{Type: "string"}}}
}

func enumOf[T store.Period | contract.State](values []T) *huma.Schema {
	s := &huma.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}
