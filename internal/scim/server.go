package scim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	protocol "github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"
	filter "github.com/scim2/filter-parser/v2"

	"segel/internal/contract"
	"segel/internal/outage"
)

const (
	maxFilter  = 2000 // bytes
	maxDepth   = 20   // of parentheses
	maxResults = 200
	maxMembers = 10_000 // of a group, and that the changes of one request name together
	maxChanges = 1000   // of one request: more than Entra ID and Okta send
	// maxComparisons bounds the work of the filters of one request that the library evaluates for each member: about a second.
	maxComparisons = 1_000_000
)

type actorKey struct{}

// actorOf returns the directory that makes a request.
func actorOf(r *http.Request) contract.Actor {
	by, _ := r.Context().Value(actorKey{}).(contract.Actor)
	return by
}

// Handler answers a request of a directory below /scim/v2. The actor is that of [Service.Authenticate].
type Handler func(w http.ResponseWriter, r *http.Request, by contract.Actor)

// NewHandler returns the handler of all requests.
func (s *Service) NewHandler() (Handler, error) {
	// Entra ID sends booleans as texts. The library has one setting for the process; no other package uses it.
	schema.SetAllowStringValues(true)
	server, err := protocol.NewServer(&protocol.ServerArgs{
		ServiceProviderConfig: &protocol.ServiceProviderConfig{
			MaxResults: maxResults, SupportFiltering: true, SupportPatch: true,
			AuthenticationSchemes: []protocol.AuthenticationScheme{{Type: protocol.AuthenticationTypeOauthBearerToken, Name: "Bearer", Description: "The secret of the directory", Primary: true}},
		},
		ResourceTypes: []protocol.ResourceType{typeOf("User", users{s}), typeOf("Group", groups{s})},
	}, protocol.WithBaseURL(s.BaseURL()))
	if err != nil {
		return nil, err
	}
	inner := http.StripPrefix("/scim", server)
	return func(w http.ResponseWriter, r *http.Request, by contract.Actor) {
		if !isParsable(r.URL.Query().Get("filter")) {
			WriteError(w, scimerrors.ScimErrorInvalidFilter)
			return
		}
		if r.Method == http.MethodPatch {
			body, err := io.ReadAll(r.Body)
			var patch any
			switch {
			case err != nil || json.Unmarshal(body, &patch) != nil: // the library would ignore what follows the first object
				WriteError(w, scimerrors.ScimErrorInvalidSyntax)
				return
			case countChanges(patch) > maxChanges:
				WriteError(w, errTooManyChanges)
				return
			case !hasParsablePaths(patch):
				WriteError(w, scimerrors.ScimErrorInvalidPath)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), actorKey{}, by)))
	}, nil
}

// errTooManyChanges refuses a patch with more than maxChanges.
var errTooManyChanges = scimerrors.ScimError{ScimType: scimerrors.ScimTypeTooMany, Status: http.StatusBadRequest, Detail: "The patch has more than 1000 operations and attributes."}

// typeOf returns a type of resources by its name.
func typeOf(name string, h protocol.ResourceHandler) protocol.ResourceType {
	t := protocol.ResourceType{ID: optional.NewString(name), Name: name, Endpoint: "/" + name + "s", Schema: schema.CoreGroupSchema(), Handler: h}
	if name == "User" {
		t.Schema, t.SchemaExtensions = schema.CoreUserSchema(), []protocol.SchemaExtension{{Schema: schema.ExtensionEnterpriseUser()}}
	}
	return t
}

// countChanges returns how many operations a patch has and attributes they name. The library parses each as a path, which takes it up to a millisecond.
func countChanges(patch any) (n int) {
	body, _ := patch.(map[string]any)
	for name, v := range body {
		operations, _ := v.([]any)
		if !strings.EqualFold(name, "operations") {
			continue
		}
		for _, o := range operations {
			n++
			operation, _ := o.(map[string]any)
			for name, v := range operation {
				if values, ok := v.(map[string]any); ok && strings.EqualFold(name, "value") {
					n += len(values)
				}
			}
		}
	}
	return n
}

// isParsable reports whether a filter or a path is short and flat enough for the parser of the library, which calls itself for each parenthesis.
func isParsable(f string) bool {
	return len(f) <= maxFilter && strings.Count(f, "(")+strings.Count(f, "[") <= maxDepth
}

// hasParsablePaths applies isParsable to all that may be parsed as a path in a patch: names of members, and paths.
func hasParsablePaths(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !hasParsablePaths(x) })
	case map[string]any:
		for name, x := range v {
			path, _ := x.(string)
			if !isParsable(name) || strings.EqualFold(name, "path") && !isParsable(path) || !hasParsablePaths(x) {
				return false
			}
		}
	}
	return true
}

// WriteError writes an error as RFC 7644 §3.12 says.
func WriteError(w http.ResponseWriter, e scimerrors.ScimError) {
	body, _ := json.Marshal(e) // texts and a number cannot fail
	w.Header().Set("Content-Type", "application/scim+json")
	w.WriteHeader(e.Status)
	_, _ = w.Write(body)
}

// refusalOf returns an error as the protocol has it. Only refusals are told; the cause of any other error is in the log.
func (s *Service) refusalOf(ctx context.Context, err error) error {
	var scimErr scimerrors.ScimError
	var refusal *contract.Error
	switch {
	case err == nil, errors.As(err, &scimErr):
		return err
	case errors.Is(err, contract.ErrLastAdmin):
		return scimerrors.ScimError{ScimType: scimerrors.ScimTypeMutability, Status: http.StatusBadRequest, Detail: "The last administrator of an organisation cannot be disabled."}
	case errors.As(err, &refusal) && refusal.Kind == contract.NotFound:
		return scimerrors.ScimErrorResourceNotFound("")
	case errors.As(err, &refusal) && (refusal.Kind == contract.Invalid || refusal.Kind == contract.Malformed):
		return scimerrors.ScimErrorInvalidValue
	case errors.As(err, &refusal) && refusal.Kind == contract.Conflict:
		return scimerrors.ScimErrorUniqueness
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "a request of a directory failed", slog.String("error", err.Error()))
	if outage.Of(err) != nil {
		return scimerrors.ScimError{Status: http.StatusServiceUnavailable, Detail: "The service cannot answer at the moment."}
	}
	return scimerrors.ScimErrorInternal
}

// errVersion refuses a change of a resource that is not in the state that the client read (RFC 7644 §3.14).
var errVersion = scimerrors.ScimError{Status: http.StatusPreconditionFailed, Detail: "The resource was changed."}

// requireVersion compares the header If-Match with the version of a resource.
func requireVersion(r *http.Request, version string) error {
	given := r.Header.Get("If-Match")
	if given == "" || strings.TrimSpace(given) == "*" {
		return nil
	}
	for _, one := range strings.Split(given, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == strings.TrimPrefix(version, "W/") {
			return nil
		}
	}
	return errVersion
}

// newResource returns a resource whose version is the digest of its state.
func newResource(r *http.Request, id, externalID string, state any, attributes protocol.ResourceAttributes, created, changed time.Time) protocol.Resource {
	plain, _ := json.Marshal([]any{externalID, state}) // texts, numbers, booleans and lists of them cannot fail
	sum := sha256.Sum256(plain)
	out := protocol.Resource{ID: id, Attributes: selectAttributes(r, attributes), Meta: protocol.Meta{Created: &created, Version: `W/"` + hex.EncodeToString(sum[:8]) + `"`}}
	if externalID != "" {
		out.ExternalID = optional.NewString(externalID)
	}
	if changed.IsZero() {
		changed = created
	}
	out.Meta.LastModified = &changed
	return out
}

// selectAttributes returns the attributes that a request asks for (RFC 7644 §3.9).
func selectAttributes(r *http.Request, all protocol.ResourceAttributes) protocol.ResourceAttributes {
	q := r.URL.Query()
	only, without := q.Get("attributes"), q.Get("excludedAttributes")
	if r.Method != http.MethodGet || only == "" && without == "" {
		return all
	}
	names := func(list string) []string {
		return strings.FieldsFunc(strings.ToLower(list), func(c rune) bool { return c == ',' || c == ' ' })
	}
	named := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(x string) bool {
			x, _, _ = strings.Cut(x[strings.LastIndex(x, ":")+1:], ".")
			return x == strings.ToLower(name)
		})
	}
	out := protocol.ResourceAttributes{}
	for name, v := range all {
		if only != "" && named(names(only), name) || only == "" && !named(names(without), name) {
			out[name] = v
		}
	}
	return out
}

// change is an attribute that a request sets. Names are in lower case, of sub-attributes with a dot.
type change struct {
	name  string
	op    string
	value any // nil: it is removed
	path  *filter.Path
}

// changesOf returns the changes of a patch, in order, without those of schema extensions, which are not stored.
func changesOf(operations []protocol.PatchOperation) []change {
	var all []change
	for _, o := range operations {
		if o.Path != nil {
			all = append(all, change{name: nameOf(o.Path.AttributePath, o.Path.SubAttributeName()), op: o.Op, value: o.Value, path: o.Path})
			continue
		}
		values, _ := o.Value.(map[string]any)
		names := make([]string, 0, len(values))
		for name := range values {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if p, err := filter.ParsePath([]byte(name)); err == nil {
				all = append(all, change{name: nameOf(p.AttributePath, ""), op: o.Op, value: values[name]})
			}
		}
	}
	return slices.DeleteFunc(all, func(c change) bool { return c.name == "" })
}

// nameOf returns the name of an attribute; empty: it is one of an extension.
func nameOf(p filter.AttributePath, sub string) string {
	if uri := p.URI(); uri != "" && !strings.EqualFold(uri, schema.UserSchema) && !strings.EqualFold(uri, schema.GroupSchema) {
		return ""
	}
	if sub == "" {
		sub = p.SubAttributeName()
	}
	if sub != "" {
		return strings.ToLower(p.AttributeName + "." + sub)
	}
	return strings.ToLower(p.AttributeName)
}

// textOf returns a text, cleaned. Anything else is empty.
func textOf(v any) string {
	t, _ := v.(string)
	return contract.CleanText(t)
}
