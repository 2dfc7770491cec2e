package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"segel/internal/blob/s3/s3test"
)

// refusing refuses requests of one method.
type refusing struct {
	http.RoundTripper
	method string
}

func (r refusing) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method != r.method {
		return r.RoundTripper.RoundTrip(q)
	}
	body := http.NoBody
	return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Header: http.Header{}, Body: body, Request: q}, nil
}

func TestProbeWritesReadsAndDeletesAndSaysWhatIsNotPermitted(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	s := newStore(t, at, "probed/", 5*time.Second)
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	for o, err := range s.listObjects(t.Context(), "probed/") {
		t.Errorf("%s is left, %v", o.Key, err)
	}
	for method, says := range map[string]string{http.MethodPut: "write ", http.MethodGet: "read ", http.MethodDelete: "delete "} {
		refused, err := New(Options{
			Endpoint: at, Region: s3test.Region, Bucket: s3test.Bucket, Prefix: "refused/", AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey,
			Transport: refusing{newTransport(t, at), method}, Timeout: 5 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := refused.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("without %s: %v", method, err)
		}
	}
	missing, err := New(Options{
		Endpoint: at, Region: s3test.Region, Bucket: "missing", AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, Transport: newTransport(t, at), Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := missing.Probe(t.Context()); err == nil {
		t.Error("a bucket that does not exist takes objects")
	}
}
