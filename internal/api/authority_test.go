package api

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/internal/admission"
)

func TestTimestampsAndStatusesAreBoundedPerAddressAndListsAreNot(t *testing.T) {
	t.Parallel()
	served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	b := newBench(t, draft(), func(o *Options) {
		o.Authority = served
		o.StampRate, o.StampBurst = 1, 2
		o.StatusRate, o.StatusBurst = 1, 3
	})
	for path, want := range map[string]int{"/authority/tsa": 2, "/authority/ocsp": 3, "/authority/crl/issuing.crl": 10, "/authority/ca/root.crt": 10} {
		method := http.MethodGet
		if want < 10 {
			method = http.MethodPost
		}
		answered := 0
		for range 10 {
			w := b.ask(method, path, "", "X-Access-Token", "")
			switch w.Code {
			case http.StatusOK:
				answered++
			case http.StatusTooManyRequests:
				if w.Header().Get("Retry-After") == "" {
					t.Errorf("%s: no Retry-After", path)
				}
				if path == "/authority/ocsp" {
					if _, err := ocsp.ParseResponse(w.Body.Bytes(), nil); err == nil || !bytes.Contains([]byte(err.Error()), []byte("try later")) {
						t.Errorf("the OCSP answer is %v", err)
					}
				}
			default:
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		if answered != want {
			t.Errorf("%s answered %d of 10 requests, want %d", path, answered, want)
		}
	}
	if w := b.ask(http.MethodGet, "/authority/ocsp/MEIwQDA", "", "X-Access-Token", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("a request in the path is counted separately: %d", w.Code)
	}
}

func TestAllOfAnIPv6NetworkIsOneClient(t *testing.T) {
	t.Parallel()
	l := admission.NewRateExchange("", [32]byte{}).NewRates("requests", 1, 1)
	now := time.Unix(1_800_000_000, 0)
	if admitClient(l, "2001:db8::1", now) != 0 || admitClient(l, "2001:db8::2", now) == 0 || admitClient(l, "2001:db8:0:1::1", now) != 0 {
		t.Error("addresses of one network are counted separately, or networks together")
	}
}
