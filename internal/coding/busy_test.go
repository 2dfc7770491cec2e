package coding_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"segel/internal/coding"
)

// It does not run in parallel, because it takes all writers.
func TestAnswersThatAreNotReadDoNotKeepOthersFromBeingSent(t *testing.T) { //nolint:paralleltest
	const slow = 40
	var begun, ended sync.WaitGroup
	release := make(chan struct{})
	h := coding.CompressText(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, strings.Repeat("text ", 1000))
		if r.URL.Path == "/slow" {
			begun.Done()
			<-release
		}
	}))
	ask := func(path string) string {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: %d with %d bytes", path, w.Code, w.Body.Len())
		}
		return w.Header().Get("Content-Encoding")
	}
	codings := make(chan string, slow)
	begun.Add(slow)
	for range slow {
		ended.Go(func() { codings <- ask("/slow") })
	}
	begun.Wait()
	if c := ask("/quick"); c != "" {
		t.Errorf("beside %d answers one more has the coding %q", slow, c)
	}
	close(release)
	ended.Wait()
	close(codings)
	compressed := 0
	for c := range codings {
		if c == "gzip" {
			compressed++
		}
	}
	if c := ask("/quick"); compressed != 16 || c != "gzip" {
		t.Errorf("%d answers were compressed at the same time; one afterwards has the coding %q", compressed, c)
	}
}
