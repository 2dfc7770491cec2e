package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

var app = fstest.MapFS{
	"index.html":         {Data: []byte(`<base href="/"><meta property="csp-nonce" nonce="{nonce}"><script src="assets/a-1.js"></script>`)},
	"assets/a-1.js":      {Data: []byte("1")},
	"assets/b-2.css":     {Data: []byte("plain")},
	"assets/b-2.css.br":  {Data: []byte("brotli")},
	"assets/b-2.css.gz":  {Data: []byte("zipped")},
	"favicon.svg":        {Data: []byte("<svg/>")},
	"pdf/cmaps/x.bcmap":  {Data: []byte("x")},
	"pdf/standard/f.pfb": {Data: []byte("f")},
}

func get(t *testing.T, prefix, path string) (status int, header func(string) string, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	newHandler(app, prefix, nil).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header().Get, string(b)
}

func TestEveryAddressOfTheAppGetsItsFirstPage(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/index.html", "/inbox", "/document/1207", "/pdf", "/verify?serial=x"} {
		status, header, body := get(t, "", path)
		if status != 200 || !strings.Contains(body, `<base href="/">`) || header("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s %q", path, status, body, header("Cache-Control"))
		}
	}
}

func TestTheFirstPageKnowsThePrefixOfAProxy(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"/segel", "/segel/"} {
		if _, _, body := get(t, prefix, "/inbox"); !strings.Contains(body, `<base href="/segel/">`) {
			t.Errorf("prefix %s: %s", prefix, body)
		}
	}
	if _, _, body := get(t, `/"><script>`, "/"); strings.Contains(body, `"><script>/`) {
		t.Errorf("the prefix is not escaped: %s", body)
	}
}

func TestANonceIsGoodForOneAnswer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 5 {
		_, header, body := get(t, "", "/")
		_, rest, _ := strings.Cut(body, `nonce="`)
		nonce, _, _ := strings.Cut(rest, `"`)
		if len(nonce) < 20 || seen[nonce] || !strings.Contains(header("Content-Security-Policy"), "style-src 'self' 'nonce-"+nonce+"'") {
			t.Fatalf("nonce %q, policy %q", nonce, header("Content-Security-Policy"))
		}
		seen[nonce] = true
	}
}

func TestScriptsComeFromUsAloneAndNoneIsInline(t *testing.T) {
	t.Parallel()
	_, header, _ := get(t, "", "/")
	if p := header("Content-Security-Policy"); !strings.Contains(p, "script-src 'self';") || !strings.Contains(p, "default-src 'none'") {
		t.Error(p)
	}
}

func TestFilesAreKeptByTheirName(t *testing.T) {
	t.Parallel()
	if status, header, body := get(t, "", "/assets/a-1.js"); status != 200 || body != "1" || !strings.Contains(header("Cache-Control"), "immutable") {
		t.Error(status, body, header("Cache-Control"))
	}
	if _, header, _ := get(t, "", "/favicon.svg"); header("Cache-Control") != "no-cache" {
		t.Error(header("Cache-Control"))
	}
	if status, _, _ := get(t, "", "/assets/a-0.js"); status != 404 {
		t.Error("an asset that is gone is answered", status)
	}
}

func TestAFileIsSentInTheBestCodingThatTheClientAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ accept, coding, body string }{
		{"", "", "plain"},
		{"gzip, deflate, br, zstd", "br", "brotli"},
		{"gzip", "gzip", "zipped"},
		{"GZIP;q=0.5", "gzip", "zipped"},
		{"br;q=0, gzip;q=1.0", "gzip", "zipped"},
		{"br;q=none, identity", "", "plain"},
		{"bright", "", "plain"},
	} {
		r := httptest.NewRequest("GET", "/assets/b-2.css", nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		newHandler(app, "", nil).ServeHTTP(w, r)
		h := w.Header()
		if h.Get("Content-Encoding") != c.coding || w.Body.String() != c.body || h.Get("Vary") != "Accept-Encoding" ||
			h.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
			t.Errorf("%q: %q in %v", c.accept, w.Body, h)
		}
	}
	if status, _, _ := get(t, "", "/assets/b-2.css.br"); status != 404 {
		t.Errorf("the stored coding is an address: %d", status)
	}
}

func TestOnlyTheGuestsPageHasTheEarlyScript(t *testing.T) {
	t.Parallel()
	built := fstest.MapFS{"index.html": {Data: []byte(`<base href="/"><!--app--><script src="a.js"></script><!--/app--><p data-shown="{shown}"><!--early--><script>early()</script><!--/early--></p>`)}}
	for path, want := range map[string]struct{ html, scripts string }{
		"/inbox":    {`<base href="/"><p data-shown="app"><script src="a.js"></script></p>`, "script-src 'self';"},
		"/login":    {`<base href="/"><p data-shown="login"><script src="a.js"></script></p>`, "script-src 'self';"},
		"/guest":    {`<base href="/"><template id="app"><script src="a.js"></script></template><p data-shown="guest"><script>early()</script></p>`, "script-src 'self' 'sha256-G2Y/0fpEoq/QMzbid/byF0KE5sX9e6ar19Om2+xoMnU=';"},
		"/guest/me": {`<base href="/"><p data-shown="app"><script src="a.js"></script></p>`, "script-src 'self';"},
	} {
		w := httptest.NewRecorder()
		newHandler(built, "", nil).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := w.Body.String(); got != want.html {
			t.Errorf("%s: %s", path, got)
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, want.scripts) {
			t.Errorf("%s: %s", path, p)
		}
	}
}

func TestThePageOfAnOrganisationIsFramedByItsOriginsAlone(t *testing.T) {
	t.Parallel()
	const organisation = "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"
	asked := []string{}
	h := newHandler(app, "", func(_ context.Context, o string) []string {
		asked = append(asked, o)
		if o == organisation {
			return []string{"https://erp.contoh.id", "http://localhost:3000"}
		}
		return nil
	})
	for path, want := range map[string]string{
		"/embed/" + organisation:                      "frame-ancestors https://erp.contoh.id http://localhost:3000",
		"/embed/" + organisation + "/":                "frame-ancestors 'none'",
		"/embed/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3b": "frame-ancestors 'none'",
		"/embed/":          "frame-ancestors 'none'",
		"/guest":           "frame-ancestors 'none'",
		"/assets/a-1.js":   "frame-ancestors 'none'",
		"/embed/x;y":       "frame-ancestors 'none'",
		"/" + organisation: "frame-ancestors 'none'",
	} {
		w := httptest.NewRecorder()
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		policy := w.Header().Get("Content-Security-Policy")
		if framed := strings.Contains(want, "https"); !strings.HasSuffix(policy, want) || framed != (w.Header().Get("X-Frame-Options") == "") {
			t.Errorf("%s: %s", path, policy)
		}
	}
	if len(asked) != 2 {
		t.Errorf("%v was looked up", asked)
	}
}

func TestTheLibraryIsForPagesOfAllOriginsAndItsPinnedAddressNeverChanges(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("public/segel-embed.js")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	short, long := sha256.Sum256(content), sha512.Sum384(content)
	pinned := fmt.Sprintf("segel-embed-%x.js", short[:8])
	for _, said := range []string{pinned, "sha384-" + base64.StdEncoding.EncodeToString(long[:])} {
		if !bytes.Contains(docs, []byte(said)) {
			t.Errorf("docs/embedding.md does not say %s", said)
		}
	}
	h := newHandler(fstest.MapFS{"index.html": app["index.html"], "segel-embed.js": {Data: content}}, "", nil)
	for path, cached := range map[string]string{"/segel-embed.js": "public, max-age=300", "/" + pinned: "public, max-age=31536000, immutable", "/segel-embed-0000000000000000.js": ""} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if cached == "" {
			if w.Code != 404 {
				t.Errorf("%s: %d", path, w.Code)
			}
			continue
		}
		if got := w.Header(); w.Code != 200 || w.Body.String() != string(content) || got.Get("Access-Control-Allow-Origin") != "*" || got.Get("Cache-Control") != cached || got.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %d %v", path, w.Code, got)
		}
	}
}
