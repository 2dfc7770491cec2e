package peruri

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
)

// timingOut answers each purchase that the office has made with 408, as a gateway does that waited too long for a server.
type timingOut struct{ http.RoundTripper }

func (r timingOut) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(q)
	if err == nil && strings.HasSuffix(q.URL.Path, "stampv2") {
		_ = answer.Body.Close()
		answer.StatusCode, answer.Body = http.StatusRequestTimeout, io.NopCloser(strings.NewReader(`{"message":"timeout"}`))
	}
	return answer, err
}

func TestAPurchaseThatAGatewayGaveUpIsInDoubt(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	o := b.driverOptions(Adapter)
	client := *o.Client
	client.Transport = timingOut{client.Transport}
	o.Client = &client
	d := b.openDriver(o)
	if _, err := d.BuySerial(context.Background(), emeteraitest.NewOrder("a")); err == nil || emeterai.ClassOf(err) != emeterai.Unknown {
		t.Errorf("%v", err)
	}
	b.requireSpent(1)
}
