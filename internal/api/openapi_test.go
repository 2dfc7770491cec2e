package api

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

func TestTheSpecificationNamesEveryEndpointAndResolves(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	w := b.ask("GET", "/openapi.json", "", "X-Access-Token", "")
	var spec map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &spec); err != nil {
		t.Fatal(err)
	}
	if spec["openapi"] != "3.1.0" {
		t.Errorf("openapi is %v", spec["openapi"])
	}
	paths := spec["paths"].(map[string]any)
	for _, o := range Operations() {
		op, _ := paths[o.Path].(map[string]any)[strings.ToLower(o.Method)].(map[string]any)
		if op == nil {
			t.Errorf("%s %s is not described", o.Method, o.Path)
			continue
		}
		if op["summary"] == "" || op["operationId"] == "" || op["responses"] == nil {
			t.Errorf("%s %s is described poorly: %v", o.Method, o.Path, op)
		}
		if _, open := op["security"]; open != o.Open {
			t.Errorf("%s %s: security %v", o.Method, o.Path, op["security"])
		}
	}
	schemas := spec["components"].(map[string]any)["schemas"].(map[string]any)
	for _, ref := range regexp.MustCompile(`"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(w.Body.String(), -1) {
		if schemas[ref[1]] == nil {
			t.Errorf("schema %s is not there", ref[1])
		}
	}
}

// TestEveryAnswerFitsTheSpecification checks the golden answers against the schemas of their operations.
func TestEveryAnswerFitsTheSpecification(t *testing.T) {
	t.Parallel()
	s := &server{Options: Options{}.withDefaults()}
	s.registerEndpoints()
	spec := s.newSpecification()
	if _, err := spec.write(); err != nil {
		t.Fatal(err)
	}
	fitted := 0
	for _, c := range shapes {
		text, err := os.ReadFile(filepath.Join("testdata", "golden", c.golden))
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(text), "\n\n")
		_, pattern := s.mux.Handler(httptest.NewRequest(c.method, c.path, nil))
		i := slices.IndexFunc(s.endpoints, func(e endpoint) bool { return pattern == e.method+" "+e.path })
		if i < 0 || !strings.Contains(head, "application/json") {
			continue
		}
		status, _, _ := strings.Cut(head, "\n")
		answer := spec.describeOperation(&s.endpoints[i]).Responses[status]
		if answer == nil {
			t.Errorf("%s: status %s of %s is not described", c.golden, status, pattern)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		var res huma.ValidateResult
		huma.Validate(spec.Components.Schemas, answer.Content["application/json"].Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, &res)
		for _, err := range res.Errors {
			t.Errorf("%s: %v", c.golden, err)
		}
		fitted++
	}
	if fitted < 30 {
		t.Errorf("only %d answers were read", fitted)
	}
}

func TestSpecificationPageLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	w := b.ask("GET", "/docs", "", "X-Access-Token", "")
	page := w.Body.String()
	ours := strings.Replace(page, `<script src="docs.js" defer></script>`, "", 1)
	if ours == page || strings.Contains(ours, "<script") || strings.Contains(ours, "src=") || strings.Contains(ours, `href="/`) || strings.Contains(ours, `href="http`) {
		t.Error("the page loads something from elsewhere")
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'sha256-") {
		t.Errorf("policy %s", csp)
	}
	for _, want := range []string{"upload-docs-base64", "signers[].documentSize.height", "response.data.document_name", "data.pagination.total_page", "Needs no token",
		"U=https://segel.contoh.id\n", "curl &#34;$U/v1/econtract/web_app/document/detail/1207&#34; \\\n  -H &#34;x-access-token: $T&#34;", "-F document=@kontrak.pdf"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
}

func TestEveryExampleOfThePageIsTakenByTheService(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	var doc specDoc
	if err := json.Unmarshal(b.ask("GET", "/openapi.json", "").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.Method, op.Path = strings.ToUpper(method), path
			command := doc.ExampleCommand(op)
			_, rest, _ := strings.Cut(command, `"$U`)
			address, rest, _ := strings.Cut(rest, `"`)
			_, body, _ := strings.Cut(rest, "-d '")
			if strings.Contains(rest, "-F ") || strings.Contains(rest, "--data-binary") || strings.Contains(rest, "document_base64") || path == "/v1/auth/password" || path == "/v1/auth/reauthenticate" || path == "/v1/auth/account/erased" || strings.HasPrefix(path, "/v1/auth/factors") && method == "post" || op.OperationID == "events" {
				continue // it needs a file, a password, one's own address or a passkey, or it does not end
			}
			b := b
			if method != "get" {
				b = newBench(t, draft()) // no example changes the document of another
			}
			w := b.ask(strings.ToUpper(method), address, strings.TrimSuffix(body, "'"))
			if w.Code == 400 || w.Code == 405 || w.Code == 422 || strings.ContainsAny(address, "{}") {
				if !strings.Contains(w.Body.String(), "auth.wrong_credentials") {
					t.Errorf("%s: %d %.300s", command, w.Code, w.Body)
				}
			}
			asked++
		}
	}
	if asked < 30 {
		t.Errorf("only %d examples were tried", asked)
	}
}

func TestReadinessIsThatOfWhatWeDependOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) {
		o.Ready = func(context.Context) Readiness {
			return Readiness{Checks: []ReadinessCheck{{Name: "database", State: CheckFailed, Detail: "no database"}}}
		}
	})
	refused(t, b.ask("GET", "/readyz", "", "X-Access-Token", ""), 503, "server.unavailable")
	if w := b.ask("GET", "/healthz", "", "X-Access-Token", ""); w.Code != 200 {
		t.Errorf("healthz %d", w.Code)
	}
}

func TestMetricsAreForOperatorsAndTheConfiguredToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.MetricsToken = "pengukur" })
	b.ask("GET", dBase+"detail/1207", "")
	for token, want := range map[string]int{"": 401, "owner": 403, "admin": 403, "operator": 200, "pengukur": 200} {
		if w := b.ask("GET", "/metrics", "", "X-Access-Token", token); w.Code != want {
			t.Errorf("%q: %d, want %d", token, w.Code, want)
		}
	}
	if got := b.ask("GET", "/metrics", "", "X-Access-Token", "", "Authorization", "Bearer pengukur").Body.String(); !strings.Contains(got, `segel_http_requests_total{operation="detail",status="200"} 1`) {
		t.Errorf("metrics: %s", got)
	}
}
