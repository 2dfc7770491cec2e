package api

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"segel/internal/contract"
)

// Path prefixes of the endpoints.
const (
	signBase     = "/v1/econtract/{service}/sign/"
	documentBase = "/v1/econtract/web_app/document/"
)

// endpoint is one operation of the interface: what is checked before its handler runs, and how the specification
// describes it.
type endpoint struct {
	method, path string
	id           string                  // of the operation in the specification and in metrics
	op           contract.Operation      // what the caller does with the document; empty: the endpoint names none
	admin        contract.AdminOperation // what the caller does in administration; empty: nothing
	callers      callers                 // who may call it
	limit        int64                   // bytes of the body; 0: smallBody
	isStream     bool                    // lasts as long as its client wants, and is counted by its handler
	timeLimit    timeLimit               // how long it may take

	group       string // of operations in the specification
	summary     string
	description string
	params      []*huma.Param
	body        *huma.RequestBody // description of a body that is not JSON; a JSON body is described by its type
	answers     map[string]*huma.Response
}

// Limits of request bodies other than uploads.
const (
	tinyBody  = 16 << 10 // of endpoints without an account, before the caller is known
	smallBody = 1 << 20
	largeBody = 8 << 20
)

// call is one request to its endpoint.
type call struct {
	*exchange
	w  http.ResponseWriter
	r  *http.Request
	by contract.Actor
	*server
	endpoint *endpoint
	keyed    *keyedCall // nil without an Idempotency-Key
	deadline *deadline  // of the context of r
}

// serveGet registers an endpoint without a body that answers JSON.
func serveGet[Out any](s *server, e endpoint, do func(*call) (Out, error)) {
	e.method = cmp.Or(e.method, http.MethodGet)
	s.describeAnswer(&e, reflect.TypeFor[Out]())
	s.addEndpoint(e, func(c *call) error {
		out, err := do(c)
		if err != nil {
			return err
		}
		return c.writeAnswer(http.StatusOK, out)
	})
}

// servePost registers an endpoint that reads and answers JSON.
func servePost[In, Out any](s *server, e endpoint, do func(*call, *In) (Out, error)) {
	e.method = cmp.Or(e.method, http.MethodPost)
	e.body = jsonBody(s.schemaOf(reflect.TypeFor[In]()))
	s.describeAnswer(&e, reflect.TypeFor[Out]())
	s.addEndpoint(e, func(c *call) error {
		in := new(In)
		if err := c.decodeBody(in); err != nil {
			return err
		}
		out, err := do(c, in)
		if err != nil {
			return err
		}
		return c.writeAnswer(http.StatusOK, out)
	})
}

// serveStream registers an endpoint whose handler reads and writes by itself.
func serveStream(s *server, e endpoint, do func(*call) error) {
	s.addEndpoint(e, do)
}

// addEndpoint adds an endpoint to the router and to the specification.
func (s *server) addEndpoint(e endpoint, do func(*call) error) {
	e.path = s.pinService(e.path)
	if e.op != "" && e.callers == accounts {
		e.callers = guestsToo
	}
	e.limit = cmp.Or(e.limit, smallBody)
	s.endpoints = append(s.endpoints, e)
	op := s.describeOperation(&e)
	s.huma.OpenAPI().AddOperation(op)
	s.huma.Adapter().Handle(op, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		s.serveEndpoint(w, r, &e, do)
	})
}

// pinService replaces {service} in a path by the configured segment, if there is one.
func (s *server) pinService(path string) string {
	if s.Service == "" {
		return path
	}
	return strings.Replace(path, "{service}", s.Service, 1)
}

// serveEndpoint runs what every endpoint has in common: authentication, authorisation, and at most one run for an
// Idempotency-Key.
func (s *server) serveEndpoint(w http.ResponseWriter, r *http.Request, e *endpoint, do func(*call) error) {
	ctx, limit, done := newDeadline(r.Context(), s.timeoutOf(e.timeLimit))
	defer done()
	r = r.WithContext(ctx)
	c := &call{exchange: exchangeOf(r), w: w, r: r, server: s, endpoint: e, deadline: limit}
	c.operation = e.id
	r.Body = timedBody{http.MaxBytesReader(w, r.Body, e.limit), limit}
	if err := c.authoriseCaller(); err != nil {
		c.answerError(err)
		return
	}
	if e.limit <= tinyBody && r.ContentLength > e.limit {
		w.Header().Set("Connection", "close") // the rest of the body is not worth waiting for
		c.answerError(errTooLarge.With("limit", e.limit))
		return
	}
	leave, err := c.acquireRequestShare()
	if err != nil {
		c.answerError(err)
		return
	}
	defer leave()
	if err := c.runOnce(do); err != nil {
		c.answerError(err)
	}
}

// Operation describes an endpoint for tests of authorisation.
type Operation struct {
	Method   string
	Path     string                  // pattern of net/http.ServeMux without its method
	Document contract.Operation      // what the caller does with the document; empty: the endpoint names none
	Admin    contract.AdminOperation // what the caller does in administration; empty: nothing
	Open     bool                    // works without a token
	ID       string                  // of the operation in the specification
	Keyed    bool                    // takes an Idempotency-Key
}

// Operations lists every endpoint, by path and method.
func Operations() []Operation {
	s := &server{Options: Options{}.withDefaults()}
	s.registerAll()
	list := make([]Operation, 0, len(s.endpoints))
	for _, e := range s.endpoints {
		list = append(list, Operation{Method: e.method, Path: e.path, Document: e.op, Admin: e.admin, Open: e.callers == anybody, ID: e.id, Keyed: e.takesKey()})
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return list
}

var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// checkService refuses a {service} that is not a single segment.
func checkService(service string) error {
	if service != "" && !segmentPattern.MatchString(service) {
		return fmt.Errorf("service %q is not one segment of a path", service)
	}
	return nil
}
