package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// ServeOptions say how an office is served over its protocol.
type ServeOptions struct {
	Users   map[string]string // passwords by user; at least one
	Folder  string            // private folder of the office, for uploads; created if missing
	Shared  string            // folder shared with clients of the adapter form; empty: that form is not served
	Mount   string            // how clients name that folder in their calls; empty: /sharefolder
	Faults  Plan
	Control bool         // serve /control, where anybody who can reach the office can set its faults
	MaxFile int64        // bytes of a file; 0: 256 MiB
	Log     *slog.Logger // nil: nothing is logged
}

// Bounds of a server.
const (
	tokenLife   = 24 * time.Hour
	maxTokens   = 10_000
	maxRequest  = 1 << 20   // bytes of a JSON body
	maxFile     = 256 << 20 // default of MaxFile, bytes
	uploadsKept = 24 * time.Hour
	cleanEvery  = time.Minute // as the folder may have very many files
	mountPath   = "/sharefolder"
)

// Server speaks the office's protocol; see docs/emeterai.md. It is safe for use by several goroutines.
type Server struct {
	office *Office
	o      ServeOptions
	faults *faultSchedule
	shared *os.Root // nil: no adapter form
	own    *os.Root
	mux    *http.ServeMux

	adapter *semaphore.Weighted // the adapter works on one document at a time; a call's ctx does not end with its client, see addRoute

	mu      sync.Mutex // guards the fields below
	tokens  map[string]token
	cleanAt time.Time // when to look for old uploads again
}

// Serve makes a server of an office. Close it before the office.
func (f *Office) Serve(o ServeOptions) (*Server, error) {
	if len(o.Users) == 0 {
		return nil, errors.New("office: no user may log in")
	}
	if err := o.Faults.checkPlan(); err != nil {
		return nil, err
	}
	if o.Mount == "" {
		o.Mount = mountPath
	}
	if o.MaxFile == 0 {
		o.MaxFile = maxFile
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{office: f, o: o, faults: newFaultSchedule(o.Faults, f.o.Clock), tokens: map[string]token{}, adapter: semaphore.NewWeighted(1)}
	var err error
	if s.own, err = openFolder(o.Folder); err != nil {
		return nil, fmt.Errorf("folder of uploads: %w", err)
	}
	if o.Shared != "" {
		if s.shared, err = openFolder(o.Shared); err != nil {
			return nil, errors.Join(fmt.Errorf("shared folder: %w", err), s.own.Close())
		}
	}
	s.addRoutes()
	return s, nil
}

func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Close closes the folders.
func (s *Server) Close() error {
	if s.shared == nil {
		return s.own.Close()
	}
	return errors.Join(s.own.Close(), s.shared.Close())
}

// ServeHTTP answers a call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) addRoutes() {
	s.mux = http.NewServeMux()
	s.addRoute("POST /api/users/login", CallLogin, s.handleLogin)
	s.addUserRoute("GET /jenisdoc", CallKinds, s.handleKinds)
	s.addUserRoute("POST /chanel/stampv2", CallBuy, s.handlePurchase)
	s.addUserRoute("GET /snqr/qrimage", CallPicture, s.handlePicture)
	s.addUserRoute("GET /api/chanel/stamp/ext", CallStatus, s.handleStatus)
	s.addUserRoute("GET /chanel/sale/stamp/ext/{user}", CallSerials, s.handleSerials)
	s.addUserRoute("POST /function/saldopos", CallSaldo, s.handleBalance)
	s.addRoute("POST /uploaddoc2", CallUpload, s.handleUpload)
	s.addRoute("POST /keystamp/adapter/docSigningZ", CallStamp, s.signUploaded)
	s.addUserRoute("GET /files/{id}", CallFile, s.handleFile)
	if s.shared != nil {
		s.addRoute("POST /adapter/pdfsigning/rest/docSigningZ", CallStamp, s.signShared)
	}
	if s.o.Control {
		s.mux.HandleFunc("GET /control/faults", func(w http.ResponseWriter, _ *http.Request) { sendAnswer(w, answer{body: s.faults.currentPlan()}) })
		s.mux.HandleFunc("PUT /control/faults", s.setFaults)
	}
}

// answer is the answer to a call: a JSON body, or a file in parts.
type answer struct {
	status int // 0: 200
	body   any
	files  []*os.File // instead of a body, one after the other; closed when they were sent
}

// callHandler handles a call. The fault is for handlers whose faults come with the requested effect.
type callHandler func(ctx context.Context, r *http.Request, f Fault) answer

// refusal is the answer of every call but docSigningZ when it refuses.
type refusal struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
}

// succeedWith is the answer of most calls when they succeed.
func succeedWith(result any) answer {
	return answer{body: map[string]any{"statusCode": codeOK, "message": "success", "result": result}}
}

func refuseWith(status int, code, format string, args ...any) answer {
	return answer{status: status, body: refusal{code, fmt.Sprintf(format, args...)}}
}

// addRoute serves a call with the fault that the plan sets for it.
func (s *Server) addRoute(pattern string, c Call, do callHandler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		rule := s.faults.nextRule(c)
		if rule.Fault != FaultNone {
			s.o.Log.InfoContext(r.Context(), "fault", "call", c, "fault", rule.Fault, "code", rule.Code)
		}
		// A call that was begun is finished even if its client has gone, as at the real office.
		ctx := context.WithoutCancel(r.Context())
		switch rule.Fault {
		case FaultOutage:
			cutConnection(w)
			return
		case FaultHTML:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>")
			return
		case FaultToken:
			s.dropToken(bearerToken(r))
			sendAnswer(w, unauthorisedAnswer(c))
			return
		case FaultStatus:
			sendAnswer(w, refuseWith(http.StatusOK, rule.Code, "as ordered"))
			return
		case FaultError:
			sendAnswer(w, notSigned(rule.Code, "as ordered").asAnswer())
			return
		case FaultSlow:
			waitFor(r.Context(), rule.Delay)
		}
		a := do(ctx, r, rule.Fault)
		switch rule.Fault {
		case FaultLost:
			a.close()
			cutConnection(w)
			return
		case FaultLate:
			waitFor(r.Context(), rule.Delay)
		case FaultErrorDone:
			a = notSigned(rule.Code, "as ordered").asAnswer()
		}
		sendAnswer(w, a)
	})
}

// addUserRoute serves a call that needs a token in its header.
func (s *Server) addUserRoute(pattern string, c Call, do func(ctx context.Context, r *http.Request, user string) answer) {
	s.addRoute(pattern, c, func(ctx context.Context, r *http.Request, _ Fault) answer {
		user, ok := s.findUser(bearerToken(r))
		if !ok {
			return unauthorisedAnswer(c)
		}
		return do(ctx, r, user)
	})
}

// unauthorisedAnswer is the answer of a call to a token that is not valid.
func unauthorisedAnswer(c Call) answer {
	if c == CallStamp {
		return notSigned(codeToken, "token is not valid").asAnswer()
	}
	return refuseWith(http.StatusUnauthorized, codeToken, "token is not valid")
}

// waitFor waits, until the client goes away at the latest.
func waitFor(ctx context.Context, d Length) {
	t := time.NewTimer(time.Duration(d))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// cutConnection closes the connection without an answer.
func cutConnection(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2, or no connection: this is the closest
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	_ = c.Close()
}

func (a answer) close() {
	for _, f := range a.files {
		_ = f.Close()
	}
}

func sendAnswer(w http.ResponseWriter, a answer) {
	defer a.close()
	if a.files != nil {
		sendFiles(w, a.files)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_ = json.NewEncoder(w).Encode(a.body)
}

// sendFiles sends files one after the other, with their length: then they are sent without being read.
func sendFiles(w http.ResponseWriter, files []*os.File) {
	var size int64
	for _, f := range files {
		info, err := f.Stat()
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		size += info.Size()
	}
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	for _, f := range files {
		if _, err := io.Copy(w, f); err != nil { // the client has gone
			return
		}
	}
}

// decodeBody decodes the JSON body of a call.
func decodeBody(r *http.Request, into any) error {
	return json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(into)
}

func (s *Server) setFaults(w http.ResponseWriter, r *http.Request) {
	p, err := ReadPlan(r.Body)
	if err != nil {
		sendAnswer(w, refuseWith(http.StatusBadRequest, "99", "%v", err))
		return
	}
	s.faults.startPlan(p)
	sendAnswer(w, answer{body: p})
}

// token is what a user gets by logging in.
type token struct {
	user string
	ends time.Time
}

// pruneTokens removes expired tokens, and all tokens if there are too many: their users log in again. The caller holds
// mu.
func (s *Server) pruneTokens(now time.Time) {
	if len(s.tokens) < maxTokens {
		return
	}
	maps.DeleteFunc(s.tokens, func(_ string, t token) bool { return now.After(t.ends) })
	if len(s.tokens) >= maxTokens {
		clear(s.tokens)
	}
}
