package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/durable"
	"segel/internal/store/sqlstore"
)

// longestProfile bounds how long one request may record, in seconds.
const longestProfile = 120

// isOwnRequest reports whether a request for profiles comes from a program of this machine, or from a page that it served.
// Browsers send requests for pages of others too, by an address or by a name that its owner points to this machine.
func isOwnRequest(r *http.Request, at net.Addr) bool {
	host, err := netip.ParseAddrPort(r.Host)
	own, ownErr := netip.ParseAddrPort(at.String())
	if err != nil || ownErr != nil || !host.Addr().IsLoopback() || host.Port() != own.Port() {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" {
		return false
	}
	seconds := r.URL.Query().Get("seconds")
	n, err := strconv.Atoi(seconds)
	return seconds == "" || err == nil && n >= 0 && n <= longestProfile
}

var errNotLoopback = errors.New("profiles are served on loopback only, such as 127.0.0.1:6060")

// serveProfiles serves the profiles of the process to this machine until the listener is closed. They contain addresses and
// names of functions, and a memory profile shows what the service does, so no other machine may read them, nor a page of another
// site in a browser of this machine. Other users of the machine can.
func serveProfiles(address string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, errNotLoopback
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve profiles: %w", err)
	}
	mux := http.NewServeMux()
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnRequest(r, l.Addr()) {
			http.Error(w, "profiles are for programs of this machine, not for pages of others", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: guarded, ReadHeaderTimeout: headerTimeout}
	go func() { _ = server.Serve(l) }() // it ends when the listener is closed
	return l, nil
}

// costCounters are metrics of what requests and jobs cost, read at each scrape.
type costCounters struct{ store *sqlstore.Store }

var (
	statementsTotal   = prometheus.NewDesc("segel_database_statements_total", "Statements; on PostgreSQL with those of the job queue.", nil, nil)
	roundTripsTotal   = prometheus.NewDesc("segel_database_round_trips_total", "Round trips of statements to PostgreSQL.", nil, nil)
	transactionsTotal = prometheus.NewDesc("segel_database_transactions_total", "Transactions by kind, read or write.", []string{"kind"}, nil)
	commitsTotal      = prometheus.NewDesc("segel_database_commits_total", "Commits that waited for the disk; on SQLite transactions that arrive together share one.", nil, nil)
	syncsTotal        = prometheus.NewDesc("segel_file_syncs_total", "Files and folders that the store of files and the keys synchronised with the disk.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c costCounters) Describe(to chan<- *prometheus.Desc) {
	to <- statementsTotal
	to <- roundTripsTotal
	to <- transactionsTotal
	to <- commitsTotal
	to <- syncsTotal
}

// Collect implements [prometheus.Collector].
func (c costCounters) Collect(to chan<- prometheus.Metric) {
	n := c.store.Counts()
	to <- prometheus.MustNewConstMetric(statementsTotal, prometheus.CounterValue, float64(n.Statements))
	to <- prometheus.MustNewConstMetric(roundTripsTotal, prometheus.CounterValue, float64(n.RoundTrips))
	to <- prometheus.MustNewConstMetric(transactionsTotal, prometheus.CounterValue, float64(n.Reads), "read")
	to <- prometheus.MustNewConstMetric(transactionsTotal, prometheus.CounterValue, float64(n.Writes), "write")
	to <- prometheus.MustNewConstMetric(commitsTotal, prometheus.CounterValue, float64(n.Commits))
	to <- prometheus.MustNewConstMetric(syncsTotal, prometheus.CounterValue, float64(durable.Syncs()))
}
