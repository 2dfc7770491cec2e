package main

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestProfilesAreServedOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:0", "[::]:0", ":0", "localhost:0", ""} {
		if l, err := serveProfiles(address); !errors.Is(err, errNotLoopback) {
			t.Errorf("%q: %v", address, err)
			if err == nil {
				_ = l.Close()
			}
		}
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := serveProfiles(address)
		if err != nil {
			if strings.HasPrefix(address, "[") {
				continue // a machine without IPv6
			}
			t.Fatal(err)
		}
		a, err := http.Get("http://" + l.Addr().String() + "/debug/pprof/")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		if err != nil || a.Body.Close() != nil || !strings.Contains(string(text), "goroutine") {
			t.Errorf("%s answers %s, %v", address, a.Status, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMetricsCountStatementsTransactionsAndSyncs(t *testing.T) {
	t.Parallel()
	s := starting{set: []string{"SEGEL_METRICS_TOKEN", "pengukur"}}.start(t)
	owner := s.person(t, "Sari", "")
	owner.upload(simple())
	text := string(owner.do("GET", "/metrics", nil, "x-access-token", "pengukur").ok().body)
	for _, name := range []string{"segel_database_statements_total", `segel_database_transactions_total{kind="read"}`, `segel_database_transactions_total{kind="write"}`, "segel_file_syncs_total"} {
		_, value, ok := strings.Cut(text, "\n"+name+" ")
		if value, _, _ = strings.Cut(value, "\n"); !ok || value == "0" {
			t.Errorf("%s is %q", name, value)
		}
	}
}
