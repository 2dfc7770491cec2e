package api

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestEveryEndpointThatNamesADocumentAsksForExactlyOneOperation(t *testing.T) {
	t.Parallel()
	served := map[contract.Operation]bool{}
	for _, o := range Operations() {
		names := strings.Contains(o.Path, "{document_id}") || strings.Contains(o.Path, "/sign/") && !strings.Contains(o.Path, "/upload-docs") || o.Many
		if names != (o.Document != "" || o.Admin == contract.AdminRetry) {
			t.Errorf("%s %s: names a document %v, has operation %q", o.Method, o.Path, names, o.Document)
		}
		if o.Document == "" {
			continue
		}
		served[o.Document] = true
		if !slices.Contains(contract.Operations, o.Document) {
			t.Errorf("%s %s has %q, which is not an operation", o.Method, o.Path, o.Document)
		}
		if o.Open {
			t.Errorf("%s %s is open", o.Method, o.Path)
		}
	}
	for _, op := range contract.Operations {
		if !served[op] {
			t.Errorf("no endpoint has operation %s", op)
		}
	}
}

func TestEveryEndpointOfAdministrationAsksForExactlyOneOperation(t *testing.T) {
	t.Parallel()
	served := map[contract.AdminOperation]bool{}
	for _, o := range Operations() {
		if below := strings.HasPrefix(o.Path, "/v1/admin/") || o.Path == "/v1/events"; below != (o.Admin != "") || o.Admin != "" && (o.Open || o.Document != "") {
			t.Errorf("%s %s: below administration %v, operations %q and %q, open %v", o.Method, o.Path, below, o.Admin, o.Document, o.Open)
		}
		served[o.Admin] = true
	}
	for _, op := range contract.AdminOperations {
		if !served[op] {
			t.Errorf("no endpoint has operation %s", op)
		}
	}
}

// TestNoEndpointThatComparesAPasswordIsBrief finds members that a password may be in. Comparing one waits for those of others.
func TestNoEndpointThatComparesAPasswordIsBrief(t *testing.T) {
	t.Parallel()
	found := 0
	for _, g := range endpointGroups() {
		for _, r := range g.rows {
			if r.handler.in == nil || r.handler.in.Kind() != reflect.Struct {
				continue
			}
			for _, m := range reflect.VisibleFields(r.handler.in) {
				if name := m.Tag.Get("json"); name != "password" && name != "current" {
					continue
				}
				if found++; r.timeLimit == brief {
					t.Errorf("%s is brief and takes %q", r.id, m.Tag.Get("json"))
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d members are passwords", found)
	}
}

// TestOnlyTheListedEndpointsAreOpen calls every other one without a token, and with invalid ones.
func TestOnlyTheListedEndpointsAreOpen(t *testing.T) {
	t.Parallel()
	open := []string{
		"/v1/auth/login",
		"/v1/auth/refresh",
		"/v1/auth/forgot-password",
		"/v1/auth/guest",
		"/v1/auth/embedded",
		"/v1/auth/session",
		"/v1/auth/passkey-login-options",
		"/v1/auth/invitation",
		"/v1/auth/invitation/accept",
		"/v1/auth/reset-link",
		"/v1/auth/reset-password",
		"/v1/auth/token",
		"/v1/auth/sso",
		"/v1/auth/sso/factor",
		"/v1/auth/sso/{organisation}/callback",
		"/v1/auth/sso/{organisation}/logout",
		"/.well-known/oauth-authorization-server",
		"/v1/avatar/{id}",
		"/v1/logo/{logo}",
		"/v1/verify", "/v1/verify/report", "/v1/verify/limits", "/v1/verify/serial/{serial}", "/healthz", "/readyz", "/docs", "/docs.js", "/openapi.json",
	}
	b := newBench(t, draft())
	for _, o := range Operations() {
		if o.Open != (slices.Contains(open, o.Path) || strings.HasPrefix(o.Path, scimBase)) { // directories have secrets of their own
			t.Errorf("%s %s: open is %v", o.Method, o.Path, o.Open)
		}
		if o.Open && o.Path != "/v1/auth/session" {
			continue
		}
		path := strings.NewReplacer("{service}", "service", "{document_id}", "1207").Replace(o.Path)
		for _, token := range []string{"", "nonsense", "nobody"} {
			w := b.ask(o.Method, path, "{}", "X-Access-Token", token)
			refused(t, w, 401, "auth.required")
			if w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: no WWW-Authenticate", o.Method, path)
			}
		}
	}
	if asked := b.store.asked(); len(asked) > 0 {
		t.Errorf("the workflow was called: %v", asked)
	}
}

// TestEveryEndpointAdmitsWhomItsRuleAdmits calls every endpoint as every kind of caller. The rules of package contract say
// who may; to a person without a part in the document it does not exist.
func TestEveryEndpointAdmitsWhomItsRuleAdmits(t *testing.T) {
	t.Parallel()
	actors := map[string]contract.Actor{"guest": {Person: budi, Guest: 1207}}
	for name, u := range users {
		actors[name] = contract.Actor{Person: u.Person, Organisation: u.Organisation, Admin: u.Admin, Operator: u.Admin && u.Organisation == first}
	}
	delete(actors, "nobody")
	delete(actors, "given")
	checked := 0
	shared := newBench(t, completed()) // which no operation changes
	d := shared.document(1207)
	for _, o := range Operations() {
		if o.Open || o.Path == "/metrics" {
			continue
		}
		for name, by := range actors {
			b := shared
			if strings.HasPrefix(o.Path, "/v1/auth/") && o.Method == http.MethodPost {
				b = newBench(t, completed()) // it may end the token
			}
			want := 0
			switch {
			case o.Many: // each document has its own result, see TestADocumentThatIsNotTheirsAnswersLikeOneThatDoesNotExist
				if by.Guest != 0 {
					want = http.StatusForbidden
				}
			case o.Document != "" && by.ID != andi.ID && d.Participant(by.ID) == nil:
				want = http.StatusNotFound
			case o.Document != "":
				want = statuses[contract.KindOf(d.Authorise(by, o.Document))]
			case o.Admin != "":
				_, err := by.AuthoriseAdmin(o.Admin, "")
				want = statuses[contract.KindOf(err)]
			case o.ID == "guest-account": // of guests alone
				if by.Guest == 0 {
					want = http.StatusForbidden
				}
			case by.Guest != 0 && o.Path != "/v1/auth/logout":
				want = http.StatusForbidden
			}
			path := strings.NewReplacer("{service}", "service", "{document_id}", "1207").Replace(o.Path)
			w := b.ask(o.Method, path, `{"document_id":1207,"user_id":"x"}`, "X-Access-Token", name)
			switch {
			case want != 0 && w.Code != want:
				t.Errorf("%s %s as %s: %d, want %d: %s", o.Method, path, name, w.Code, want, w.Body)
			case want == 0 && (w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized):
				t.Errorf("%s %s as %s: %d, they may: %s", o.Method, path, name, w.Code, w.Body)
			}
			checked++
		}
	}
	if checked < 200 {
		t.Errorf("only %d combinations were checked", checked)
	}
}

// TestAccountWithGivenPasswordCanOnlyChangeIt calls everything as an operator whose password an admin gave, by token
// and by cookie.
func TestAccountWithGivenPasswordCanOnlyChangeIt(t *testing.T) {
	t.Parallel()
	good := []string{"/v1/auth/password", "/v1/auth/me", "/v1/auth/logout"}
	b := newBench(t, completed())
	for _, o := range Operations() {
		if o.Open {
			continue
		}
		path := strings.NewReplacer("{service}", "service", "{document_id}", "1207").Replace(o.Path)
		for _, header := range [][]string{{"X-Access-Token", "given"}, {"X-Access-Token", "", "Cookie", "__Host-segel_session=given"}} {
			b := b
			if slices.Contains(good, o.Path) {
				b = newBench(t, completed()) // it may end the token
			}
			w := b.ask(o.Method, path, `{"document_id":1207,"user_id":"x","current":"benar","new":"tujuh kuda hitam di ladang"}`, header...)
			if slices.Contains(good, o.Path) {
				if w.Code != http.StatusOK {
					t.Errorf("%s %s: %d", o.Method, path, w.Code)
				}
				continue
			}
			refused(t, w, http.StatusForbidden, "auth.choose_password")
		}
	}
	if asked := b.store.asked(); len(asked) > 0 {
		t.Errorf("the workflow was called: %v", asked)
	}
}

func TestUnknownPathsAndMethodsAnswerTheEnvelope(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/nowhere", "/v2/auth/login", "/v1/econtract/a/b/sign/finalize-docs", "/v1/econtract/service/sign/", "/authority/ocsp", dBase + "detail/", dBase + "detail/1/2"} {
		refused(t, b.ask("GET", path, ""), 404, "path.not_found")
		refused(t, b.ask("GET", path, "", "X-Access-Token", ""), 404, "path.not_found")
	}
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", dBase + "data", "GET, HEAD"},
		{"POST", dBase + "out", "GET, HEAD"},
		{"DELETE", dBase + "data", "GET, HEAD"},
		{"PATCH", dBase + "detail/1207", "GET, HEAD"},
		{"GET", dBase + "1207", "DELETE"},
		{"GET", sBase + "finalize-docs", "POST"},
		{"GET", "/api" + sBase + "finalize-docs", "POST"},
		{"POST", "/v1/auth/specimen", "GET, HEAD, PUT, DELETE"},
		{"BREW", "/v1/auth/login", "POST"},
	} {
		w := b.ask(c.method, c.path, "")
		if got := w.Header().Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow %q, want %q", c.method, c.path, got, c.allow)
		}
		refused(t, w, 405, "method.not_allowed")
	}
	if w := b.ask("OPTIONS", dBase+"out", ""); w.Code != 204 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
}

func TestADocumentThatIsNoNumberIsNotFound(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, id := range []string{"abc", "-1", "0", "1.0", "1e3", "9007199254740993", "99999999999999999999", "%31%20", "+1", "%2e%2e%2f1"} {
		refused(t, b.ask("GET", dBase+"status/"+id, ""), 404, "document.not_found")
	}
	if asked := b.store.asked(); len(asked) > 0 {
		t.Errorf("the workflow was called: %v", asked)
	}
}

func TestOtherPathsLeadToTheSameOperations(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := newBench(t, processing(), func(o *Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, nil))
		o.Paths = map[string]string{
			"/lama/{document_id}/lihat":     dBase + "detail/{document_id}",
			"/lama/unggah":                  signBase + "upload-docs-base64",
			"/{service}/lama/selesai":       signBase + "finalize-docs",
			"/api/v1/dokumen/{document_id}": dBase + "status/{document_id}",
			"/lama/{document_id}":           dBase + "status/{document_id}",
		}
	})
	for _, c := range []struct{ method, path, body, asked string }{
		{"GET", "/api" + dBase + "detail/1207", "", "detail"},
		{"GET", "/lama/1207/lihat", "", "detail"},
		{"POST", "/lama/unggah", uploadBody, "upload"},
		{"GET", "/lama/1207", "", "status"},
		{"GET", "/api/v1/dokumen/1207", "", "status"},
		{"POST", "/apa-saja/lama/selesai", `{"document_id":1207}`, "finalize"},
	} {
		log.Reset()
		if w := b.ask(c.method, c.path, c.body); w.Code != 200 || !strings.Contains(log.String(), `"operation":"`+c.asked+`"`) {
			t.Errorf("%s %s: %d %s, log %s", c.method, c.path, w.Code, w.Body, log.String())
		}
	}
	refused(t, b.ask("DELETE", "/lama/1207/lihat", ""), 405, "method.not_allowed")
	refused(t, b.ask("GET", "/lama/..%2f..%2fx/lihat", ""), 404, "document.not_found")
	refused(t, b.ask("GET", "/lama/1207/lihat", "", "X-Access-Token", ""), 401, "auth.required")
}

func TestAPathMapThatCannotBeIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{
		"lama":       dBase + "out",
		"/lama":      "/v1/nowhere",
		"/v1/lama":   dBase + "out",
		"/lama/{":    dBase + "out",
		"/lama/{a}b": dBase + "out",
		"/lama/{id}": dBase + "detail/{document_id}",
	} {
		if _, err := New(Options{Paths: map[string]string{from: to}}); err == nil {
			t.Errorf("%s to %s was accepted", from, to)
		}
	}
	for _, service := range []string{"a/b", "{x}", "a b", "..", "%2f"} {
		if _, err := New(Options{Service: service}); err == nil {
			t.Errorf("service %q was accepted", service)
		}
	}
}

func TestAPinnedServiceIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing(), func(o *Options) {
		o.Service = "utama"
		o.Paths = map[string]string{"/lama": signBase + "remind-docs"}
	})
	if w := b.ask("POST", "/v1/econtract/utama/sign/remind-docs", `{"document_id":1207}`); w.Code != 200 {
		t.Errorf("the configured one: %d", w.Code)
	}
	if w := b.ask("POST", "/lama", `{"document_id":1207}`); w.Code != 200 {
		t.Errorf("by a further path: %d", w.Code)
	}
	refused(t, b.ask("POST", "/v1/econtract/lain/sign/remind-docs", `{"document_id":1207}`), 404, "path.not_found")
}

func TestWhatIsNotOursGoesToAuthorityAndWeb(t *testing.T) {
	t.Parallel()
	says := func(s string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) })
	}
	b := newBench(t, draft(), func(o *Options) { o.Authority, o.Web = says("authority"), says("web") })
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/", "web"}, {"GET", "/documents/1", "web"}, {"HEAD", "/guest", "web"}, {"POST", "/authority/ocsp", "authority"}, {"GET", "/authority/crl", "authority"},
	} {
		if w := b.ask(c.method, c.path, "", "X-Access-Token", ""); w.Code != 200 || w.Body.String() != c.want {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	refused(t, b.ask("POST", "/", ""), 404, "path.not_found")
	refused(t, b.ask("GET", "/v1/nowhere", ""), 404, "path.not_found")
	refused(t, b.ask("GET", "/api/v1/nowhere", ""), 404, "path.not_found")
	if w := b.ask("GET", "/healthz", ""); w.Body.String() == "web" {
		t.Error("the web app answers for our endpoints")
	}
}

func TestTheLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := newBench(t, draft(), func(o *Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	b.ask("POST", "/v1/auth/login?token=rahasia1", `{"email":"andi@contoh.id","password":"rahasia2"}`, "X-Access-Token", "rahasia3", "Cookie", "segel_session=rahasia4", "Authorization", "Bearer rahasia5")
	b.ask("GET", dBase+"detail/1207?search=rahasia6", "")
	if strings.Contains(log.String(), "rahasia") {
		t.Errorf("the log shows: %s", log.String())
	}
	for _, want := range []string{`"operation":"login"`, `"status":400`, `"request_id":"0000000000000000"`, `"operation":"detail"`, `"actor":"5c0e7b1a`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, log.String())
		}
	}
}

// TestDescriptionsLeaveOutOnlyThoseWhomTheRuleRefuses compares what descriptions say about callers with the rules.
func TestDescriptionsLeaveOutOnlyThoseWhomTheRuleRefuses(t *testing.T) {
	t.Parallel()
	team := contract.Team{ID: "legal", Name: "Legal"}
	person := func(role contract.AccountRole, teams ...contract.Team) contract.Actor {
		return contract.Actor{Person: contract.Person{ID: "other"}, Organisation: "org", OrganisationState: contract.OrganisationActive, Role: role, Admin: role == contract.RoleAdmin, Teams: teams}
	}
	d := contract.Document{ID: 7, Organisation: "org", Owner: contract.Person{ID: "owner"}, Team: team, State: contract.Processing, FinalizedAt: time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)}
	said := map[string]int{}
	for _, g := range endpointGroups() {
		for _, e := range g.rows {
			for words, others := range map[string][]contract.Actor{
				"Only for the owner": {person(contract.RoleSender, team), person(contract.RoleMember, team), person(contract.RoleAuditor), person(contract.RoleAdmin)},
				"Only for operators": {person(contract.RoleAdmin), person(contract.RoleAuditor)},
				"Only for admins":    {person(contract.RoleSender), person(contract.RoleAuditor)},
			} {
				if !strings.Contains(descriptions[e.id].text, words) {
					continue
				}
				said[words]++
				for _, by := range others {
					_, err := by.AuthoriseAdmin(e.access.admin, by.Organisation)
					if e.access.op != "" {
						err = d.Authorise(by, e.access.op)
					}
					if err == nil {
						t.Errorf("%s: %s, and %s is admitted", e.id, words, by.Role)
					}
				}
			}
		}
	}
	if len(said) != 3 {
		t.Errorf("descriptions say %v", said)
	}
}
