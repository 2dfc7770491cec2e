package coding_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"segel/internal/coding"
)

// answer sends a request that accepts gzip to a handler on a real server, without the client's own decompression.
func answer(t *testing.T, accept string, h http.HandlerFunc) (*http.Response, string) {
	t.Helper()
	s := httptest.NewServer(coding.CompressText(h))
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", accept)
	a, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(body)
}

func TestWhatAnotherSiteMayHaveSentWithCookiesIsNotCompressed(t *testing.T) {
	t.Parallel()
	h := coding.CompressText(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, strings.Repeat("secret ", 1000))
	}))
	for _, c := range []struct {
		cookie, site string
		compressed   bool
	}{
		{"", "", true}, // a program, with a token
		{"", "cross-site", true},
		{"s=1", "same-origin", true},
		{"s=1", "cross-site", false},
		{"s=1", "same-site", false},
		{"s=1", "none", false}, // the address was typed or is a bookmark
		{"s=1", "", false},     // the browser does not say
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for name, value := range map[string]string{"Accept-Encoding": "gzip", "Cookie": c.cookie, "Sec-Fetch-Site": c.site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if compressed := w.Header().Get("Content-Encoding") == "gzip"; compressed != c.compressed || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("cookie %q from %q: compressed %v, %v", c.cookie, c.site, compressed, w.Header())
		}
	}
}

func unzip(t *testing.T, s string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTextIsCompressedForClientsThatAcceptIt(t *testing.T) {
	t.Parallel()
	long, short := strings.Repeat(`{"status":"completed"},`, 200), `{"status":"completed"}`
	for name, c := range map[string]struct {
		accept, kind, body string
		status             int
		encoded            string // Content-Encoding that the handler sets
		compressed         bool
	}{
		"JSON":                      {"gzip", "application/json; charset=utf-8", long, 200, "", true},
		"a refusal":                 {"br, gzip", "application/json; charset=utf-8", long, 422, "", true},
		"an answer of one packet":   {"gzip", "application/json; charset=utf-8", short, 200, "", false},
		"a client without gzip":     {"br", "application/json; charset=utf-8", long, 200, "", false},
		"a client that refuses it":  {"gzip;q=0", "application/json; charset=utf-8", long, 200, "", false},
		"a document":                {"gzip", "application/pdf", long, 200, "", false},
		"what is encoded already":   {"gzip", "text/css; charset=utf-8", long, 200, "br", false},
		"a stream of events":        {"gzip", "text/event-stream; charset=utf-8", long, 200, "", false},
		"an answer without content": {"gzip", "application/json; charset=utf-8", "", 204, "", false},
	} {
		a, body := answer(t, c.accept, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			if c.encoded != "" {
				w.Header().Set("Content-Encoding", c.encoded)
			}
			w.WriteHeader(c.status)
			if c.body != "" {
				_, _ = io.WriteString(w, c.body)
			}
		})
		coded := a.Header.Get("Content-Encoding")
		if a.StatusCode != c.status || (coded == "gzip") != c.compressed {
			t.Errorf("%s: status %d, coding %q", name, a.StatusCode, coded)
			continue
		}
		if c.compressed {
			if len(body) > len(c.body)/5 || a.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %d bytes of %d, %v", name, len(body), len(c.body), a.Header)
			}
			body = unzip(t, body)
		}
		if body != c.body {
			t.Errorf("%s: the body is %.60q", name, body)
		}
	}
}

func TestWhatIsFlushedArrivesBeforeTheAnswerEnds(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := httptest.NewServer(coding.CompressText(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, strings.Repeat("first ", 1000))
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-arrived
		_, _ = io.WriteString(w, "last")
	})))
	defer s.Close()
	a, err := s.Client().Get(s.URL) // accepts gzip by itself
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	first := make([]byte, 6000)
	if _, err := io.ReadFull(a.Body, first); err != nil || !a.Uncompressed {
		t.Errorf("%v, compressed %v", err, a.Uncompressed)
	}
	close(arrived)
	if rest, err := io.ReadAll(a.Body); err != nil || string(rest) != "last" {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestACutAnswerIsNotCompleted(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(coding.CompressText(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, strings.Repeat("part ", 1000))
		panic(http.ErrAbortHandler)
	})))
	defer s.Close()
	a, err := s.Client().Get(s.URL)
	if err != nil {
		return // the header was not sent either
	}
	defer a.Body.Close()
	if b, err := io.ReadAll(a.Body); err == nil {
		t.Errorf("the part was taken for the whole: %d bytes", len(b))
	}
}
