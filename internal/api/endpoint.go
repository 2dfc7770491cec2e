package api

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/specimen"
)

// endpointGroup is a group of endpoints in the specification.
type endpointGroup struct {
	name        string
	description string
	rows        []row
}

// row is one endpoint: what is checked before its handler runs, and how the specification describes it.
type row struct {
	method, path string
	id           string // of the operation in the specification and in metrics
	access       access
	body         bodyKind
	timeLimit    timeLimit // how long it may take
	handler      handler
	summary      string
}

// endpoint is a registered row.
type endpoint struct {
	row
	group string
	limit int64 // bytes of the body
}

// access says who may call an endpoint. Accounts with a password of their own may call every endpoint that requires a
// token.
type access struct {
	callers callers
	account contract.AccountOperation // what the caller does without a document; empty: the endpoint names one, or is open to more than accounts
	op      contract.Operation        // what the caller does with the document, for its rule; empty: the endpoint names none
	admin   contract.AdminOperation   // what the caller does in administration; empty: nothing
	many    bool                      // the body names several documents, and each has its own result
	recent  bool                      // the caller proved recently who they are
}

type callers uint8

const (
	accountCallers callers = iota
	guestCallers
	givenCallers
	enrolCallers
	tokenCallers
	anyCallers
	ownCallers
	onlyGuestCallers
)

var (
	accounts  = access{callers: accountCallers}   // only accounts with a password of their own, whatever their role
	givenToo  = access{callers: givenCallers}     // also accounts that still have a password given by an admin, or must add a second factor
	enrolToo  = access{callers: enrolCallers}     // also accounts that must add a second factor
	anyToken  = access{callers: tokenCallers}     // guests and all accounts
	onlyGuest = access{callers: onlyGuestCallers} // guests, and no account
	anybody   = access{callers: anyCallers}       // no token is required
	ownAnswer = access{callers: ownCallers}       // the handler authenticates by itself
)

// acceptRecent admits the same callers once they have proved recently who they are.
func (a access) acceptRecent() access {
	a.recent = true
	return a
}

// may admits accounts, and guests of the document. The operation is not checked here: the rule that runs it authorises
// it, and showDocument and refuseInput read it.
func may(op contract.Operation) access { return access{callers: guestCallers, op: op} }

// mayForEach admits accounts to an endpoint that runs an operation on each of several documents.
func mayForEach(op contract.Operation) access {
	return access{callers: accountCallers, op: op, many: true}
}

// use admits accounts whose role includes an operation without a document.
func use(op contract.AccountOperation) access { return access{account: op} }

// administer admits admins, or only operators, as the rule of the operation says.
func administer(op contract.AdminOperation) access { return access{admin: op} }

// authoriseCaller authenticates the caller and checks whether they may use this endpoint.
func (c *call) authoriseCaller() error {
	who := c.endpoint.access.callers
	if who == anyCallers || who == ownCallers {
		return nil
	}
	by, err := c.authenticate()
	if err != nil {
		return err
	}
	c.by, c.actor = by, by.ID
	if by.Guest != 0 && who != guestCallers && who != tokenCallers && who != onlyGuestCallers {
		return contract.ErrNotAllowed
	}
	if err := by.Key.Require(keyScopeOf(&c.endpoint.row)); err != nil {
		return err
	}
	if by.Embed != nil && who != tokenCallers && (who != guestCallers || !by.Embed.Purpose.Includes(c.endpoint.access.op)) {
		return contract.ErrEmbedPurpose
	}
	if by.Guest == 0 && who == onlyGuestCallers {
		return contract.ErrGuestsOnly
	}
	if c.endpoint.access.recent {
		if err := by.RequireRecentProof(); err != nil {
			return err
		}
	}
	if account := c.endpoint.access.account; account != "" {
		return by.AuthoriseAccount(account)
	}
	if admin := c.endpoint.access.admin; admin != "" {
		_, err = by.AuthoriseAdmin(admin, "") // before the body is read; the workflow checks the organisation later
	}
	return err
}

// bodyKind is the kind of an endpoint's body.
type bodyKind uint8

const (
	noBody bodyKind = iota
	tinyJSON
	tinyForm // application/x-www-form-urlencoded
	smallJSON
	largeJSON
	pictureJSON // with a picture in base64
	picture     // PNG or JPEG
	fileJSON    // with a file in base64
	fileForm    // a form with a file
	fileAny     // JSON or a form
	filePart    // bytes of a file
)

// Limits of request bodies other than files, in bytes.
const (
	tinyBody  = 16 << 10 // of endpoints without an account, before the caller is known
	smallBody = 1 << 20
	largeBody = 8 << 20
)

// bodyLimit returns how many bytes a body of a kind may have.
func (s *server) bodyLimit(k bodyKind) int64 {
	switch k {
	case tinyJSON, tinyForm:
		return tinyBody
	case largeJSON:
		return largeBody
	case pictureJSON: // above the picture's own limit, whose refusal names that limit
		return smallBody + 2*specimen.MaxBytes
	case picture: // one byte more than the picture's own limit, for the same reason
		return specimen.MaxBytes + 1
	case filePart: // one byte more than the largest file, so that the refusal names its size
		return s.Limits.FileSize + 1
	case fileJSON, fileForm, fileAny: // the file in base64 with line breaks, and the other members
		return 2*s.Limits.FileSize + 2*largeBody
	}
	return smallBody
}

// handler serves the calls of an endpoint.
type handler struct {
	serve    func(*call) error
	in, out  reflect.Type // of a JSON body and answer; nil: not JSON
	isStream bool         // lasts as long as its client wants, and is counted by its handler
}

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

// serveRaw returns a handler that reads and writes by itself.
func serveRaw(do func(*call) error) handler { return handler{serve: do} }

// describedBy returns the handler with the type of its JSON answer, for the specification.
func (h handler) describedBy(answer any) handler {
	h.out = reflect.TypeOf(answer)
	return h
}

// serveStream returns a handler that follows something for as long as its client wants.
func serveStream(do func(*call) error) handler { return handler{serve: do, isStream: true} }

// serveTyped is serveRaw for a handler with a JSON answer, and a JSON body if its row says so. The types are those of
// the specification; the handler itself reads and writes.
func serveTyped[In, Out any](do func(*call) error) handler {
	return handler{serve: do, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
}

// serveFileFor is serveTyped for a handler whose answer is a file.
func serveFileFor[In any](do func(*call) error) handler {
	return handler{serve: do, in: reflect.TypeFor[In]()}
}

// answerJSON returns the handler of an endpoint without a body.
func answerJSON[Out any](do func(*call) (Out, error)) handler {
	return serveTyped[nothing, Out](func(c *call) error {
		out, err := do(c)
		if err != nil {
			return err
		}
		return c.writeAnswer(http.StatusOK, out)
	})
}

// answerData is answerJSON for the data of a [found].
func answerData[T any](do func(*call) (T, error)) handler {
	return answerJSON(func(c *call) (found[T], error) {
		data, err := do(c)
		return foundAnswer(data), err
	})
}

// showDocument is answerData for an endpoint that shows the document that its path names.
func showDocument[T any](show func(*call, *contract.Document) T) handler {
	return answerData(func(c *call) (data T, err error) {
		id, err := c.pathDocumentID()
		if err != nil {
			return data, err
		}
		d, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, c.endpoint.access.op, id)
		if err != nil {
			return data, err
		}
		return show(c, &d), nil
	})
}

// acceptJSON returns the handler of an endpoint with a JSON body.
func acceptJSON[In, Out any](do func(*call, *In) (Out, error)) handler {
	return serveTyped[In, Out](func(c *call) error {
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

// registerEndpoints adds all endpoints to the router.
func (s *server) registerEndpoints() {
	s.mux, s.paths = http.NewServeMux(), map[string]bool{}
	for _, g := range endpointGroups() {
		for _, r := range g.rows {
			r.path = s.pinService(r.path)
			e := endpoint{row: r, group: g.name, limit: s.bodyLimit(r.body)}
			s.endpoints = append(s.endpoints, e)
			s.paths[e.path] = true
			s.mux.HandleFunc(e.method+" "+e.path, func(w http.ResponseWriter, r *http.Request) { s.serveEndpoint(w, r, &e) })
		}
	}
}

// pinService replaces {service} in a path by the configured segment, if there is one.
func (s *server) pinService(path string) string {
	if s.Service == "" {
		return path
	}
	return strings.Replace(path, "{service}", s.Service, 1)
}

// serveEndpoint runs what every endpoint has in common: the deadline, the limit of the body, authentication, who may
// call the endpoint, the caller's share of requests, and at most one run for an Idempotency-Key.
func (s *server) serveEndpoint(w http.ResponseWriter, r *http.Request, e *endpoint) {
	ctx, limit, stop := newDeadline(r.Context(), s.timeoutOf(e.timeLimit))
	defer stop()
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
	release, err := c.acquireRequestShare()
	if err != nil {
		c.answerError(err)
		return
	}
	defer release()
	if err := c.runOnce(e.handler.serve); err != nil {
		c.answerError(err)
	}
}

// Operation describes an endpoint for tests of authorisation.
type Operation struct {
	Method   string
	Path     string                    // pattern of net/http.ServeMux without its method
	Document contract.Operation        // what the caller does with the document; empty: the endpoint names none
	Account  contract.AccountOperation // what the caller does without a document; empty: nothing
	Admin    contract.AdminOperation   // what the caller does in administration; empty: nothing
	Many     bool                      // the body names several documents, and each has its own result
	Open     bool                      // works without a token
	Recent   bool                      // the caller proved recently who they are
	ID       string                    // of the operation in the specification
	Keyed    bool                      // takes an Idempotency-Key
	Scope    contract.KeyScope         // that an API key needs; contract.NeverByKey: none permits it
}

// Operations lists every endpoint, by path and method.
func Operations() []Operation {
	var list []Operation
	for _, g := range endpointGroups() {
		for _, e := range g.rows {
			list = append(list, Operation{
				Method: e.method, Path: e.path, Document: e.access.op, Account: e.access.account, Admin: e.access.admin, Many: e.access.many, Open: e.access == anybody, Recent: e.access.recent || e.access.admin.IsDangerous(), ID: e.id, Keyed: e.takesKey(), Scope: keyScopeOf(&e),
			})
		}
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return list
}
