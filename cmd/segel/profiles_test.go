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

func TestProfilesAreNotServedToPagesOfOtherSites(t *testing.T) {
	t.Parallel()
	l, err := serveProfiles("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := l.Addr().String()
	for _, c := range []struct {
		name, query, host, site string
		status                  int
	}{
		{name: "a program", status: http.StatusOK},
		{name: "the address bar", site: "none", status: http.StatusOK},
		{name: "a name that leads here", host: "evil.test" + at[strings.LastIndex(at, ":"):], status: http.StatusForbidden},
		{name: "another port", host: "127.0.0.1:1", status: http.StatusForbidden},
		{name: "a picture in a page", site: "cross-site", status: http.StatusForbidden},
		{name: "a page of another port", site: "same-site", status: http.StatusForbidden},
		{name: "a profile of a day", query: "?seconds=86400", status: http.StatusForbidden},
		{name: "a profile of a wrong length", query: "?seconds=x", status: http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/debug/pprof/"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Body.Close(); err != nil || a.StatusCode != c.status {
			t.Errorf("%s: %s, %v", c.name, a.Status, err)
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
	if !strings.Contains(text, "\nsegel_database_round_trips_total 0\n") {
		t.Error("SQLite, which runs in the process, has round trips")
	}
}
