// Command enumerate measures whether response times reveal what responses hide: whether an account, a document or anything else of others
// exists. It sends pairs of requests alternately, one about something that exists and one about something that does not, and prints the
// median and the 99th percentile of both. The tests compare the work that both take; this shows the rest on a real machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/scripts/running"
)

func main() {
	binary := flag.String("binary", "", "the segel to measure")
	n := flag.Int("n", 300, "questions of each kind")
	only := flag.String("only", "", "measure only the operations whose name contains this")
	flag.Parse()
	if err := run(*binary, *n, *only); err != nil {
		fmt.Fprintln(os.Stderr, "enumerate:", err)
		os.Exit(1)
	}
}

type object = running.Object

// question is a pair of requests.
type question struct {
	operation     string // its identifier in the specification
	name          string // of the question, if the operation has several; empty: that of the operation
	exists, other ask
}

// ask sends a request. Refusals are what is measured.
type ask func() error

func run(binary string, n int, only string) (err error) {
	folder, err := os.MkdirTemp("", "segel-enumerate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	provider, err := startProvider()
	if err != nil {
		return err
	}
	defer provider.Close()
	s, err := running.Start(binary, filepath.Join(folder, "data"), "SEGEL_ORGANISATION_PRIVATE_NETWORKS=127.0.0.0/8", "SEGEL_OUTBOUND_PORTS="+provider.Addr[strings.LastIndexByte(provider.Addr, ':')+1:],
		"SEGEL_PUBLIC_URL="+publicURL, "SEGEL_LOGIN_TRIES=1000000", "SEGEL_LOGIN_TRIES_PER_ADDRESS=1000000", "SEGEL_LOGIN_TRIES_PER_ACCOUNT=1000000", "SEGEL_LOG_LEVEL=error")
	if err != nil {
		return err
	}
	defer s.Stop()
	st, err := newStage(s, "http://"+provider.Addr)
	if err != nil {
		return err
	}
	fmt.Printf("%-28s %-7s %12s %12s %12s %12s %14s %14s\n", "question", "answer", "p50 exists", "p50 none", "p99 exists", "p99 none", "p50 difference", "p99 difference")
	var all []error
	for _, e := range entryPoints() {
		if !strings.Contains(e.operation, only) {
			continue
		}
		q := question{operation: e.operation, name: e.name}
		if q.exists, q.other, err = e.ask(st); err != nil {
			return fmt.Errorf("%s: %w", e.operation, err)
		}
		all = append(all, q.measureTimes(n, e.anonymous))
	}
	return errors.Join(all...)
}

// minPairs is how many pairs of answers are enough where a bound on tries, such as that on wrong codes, ends the questions.
const minPairs = 3

// measureTimes asks in turn and prints the times. It is an error if the answers have different statuses, or if a caller with a token was not
// recognised: then nothing was asked.
func (q question) measureTimes(n int, anonymous bool) error {
	var took [2][]time.Duration
	var status [2]int
	for i := range 2 * n {
		try := q.exists
		if i%2 == 1 {
			try = q.other
		}
		began := time.Now()
		now := statusOf(try())
		if now == http.StatusTooManyRequests && i/2 >= minPairs {
			n = i / 2
			break
		}
		took[i%2] = append(took[i%2], time.Since(began))
		status[i%2] = now
	}
	took[0], took[1] = took[0][:n], took[1][:n]
	slices.Sort(took[0])
	slices.Sort(took[1])
	at := func(k, percent int) time.Duration { return took[k][(n-1)*percent/100].Round(time.Microsecond) }
	name := q.operation
	if q.name != "" {
		name += ": " + q.name
	}
	fmt.Printf("%-28s %-7d %12v %12v %12v %12v %14v %14v\n", name, status[0], at(0, 50), at(1, 50), at(0, 99), at(1, 99), at(0, 50)-at(1, 50), at(0, 99)-at(1, 99))
	switch {
	case status[0] != status[1]:
		return fmt.Errorf("%s: %d for what exists, %d for what does not", name, status[0], status[1])
	case status[0] == 0 || status[0] == http.StatusTooManyRequests || status[0] == http.StatusUnauthorized && !anonymous:
		return fmt.Errorf("%s: the answers have the status %d", name, status[0])
	}
	return nil
}

// statusOf returns the status of an answer; 0: there was none.
func statusOf(err error) int {
	var refused *running.Refusal
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &refused):
		return refused.Status
	}
	return 0
}
