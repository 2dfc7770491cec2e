package gotenberg

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"segel/internal/convert"
)

// serveHandler answers as the service would.
func serveHandler(t *testing.T, o Options, h http.HandlerFunc) *Service {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.URL, o.Client = server.URL+"/", server.Client()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDocumentIsSentUnderANameOfOursAndItsPDFComesBack(t *testing.T) {
	t.Parallel()
	for _, pdfa := range []bool{false, true} {
		s := serveHandler(t, Options{PDFA: pdfa}, func(w http.ResponseWriter, r *http.Request) {
			f, head, err := r.FormFile("files")
			if err != nil || r.URL.Path != "/forms/libreoffice/convert" || head.Filename != "document.doc" || (r.FormValue("pdfa") == "PDF/A-2b") != pdfa {
				t.Errorf("%s %v: %v, pdfa %q", r.URL.Path, head, err, r.FormValue("pdfa"))
				return
			}
			b, _ := io.ReadAll(f)
			_, _ = w.Write(append([]byte("%PDF-1.7 of "), b...))
		})
		var out bytes.Buffer
		if err := s.Convert(t.Context(), convert.DOC, strings.NewReader("words"), &out); err != nil || out.String() != "%PDF-1.7 of words" {
			t.Errorf("%q, %v", out.String(), err)
		}
	}
}

func TestEveryRefusalSaysWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		400: convert.ErrUnreadable, 413: convert.ErrTooLarge, 500: convert.ErrUnavailable, 502: convert.ErrUnavailable, 503: convert.ErrUnavailable, 302: convert.ErrUnavailable,
	} {
		s := serveHandler(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if err := s.Convert(t.Context(), convert.DOCX, strings.NewReader("x"), io.Discard); !errors.Is(err, want) {
			t.Errorf("status %d: %v, want %v", status, err, want)
		}
	}
}

func TestAnAnswerThatIsTooLongIsNotCutOff(t *testing.T) {
	t.Parallel()
	s := serveHandler(t, Options{MaxSize: 10}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 11)) })
	if err := s.Convert(t.Context(), convert.DOCX, strings.NewReader("x"), io.Discard); !errors.Is(err, convert.ErrTooLarge) {
		t.Error(err)
	}
}

func TestTheTimeLimitAndACancelledCallHaveDifferentErrors(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	if err := serveHandler(t, Options{Time: time.Millisecond}, hang).Convert(t.Context(), convert.DOCX, strings.NewReader("x"), io.Discard); !errors.Is(err, convert.ErrTooLong) {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serveHandler(t, Options{}, hang).Convert(gone, convert.DOCX, strings.NewReader("x"), io.Discard); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAServiceThatIsNotThereIsUnavailable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s, err := New(Options{URL: server.URL, Client: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Convert(t.Context(), convert.DOCX, strings.NewReader("x"), io.Discard); !errors.Is(err, convert.ErrUnavailable) {
		t.Error(err)
	}
}
