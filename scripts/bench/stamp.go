package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// bureau is a service that has its stamps from an office of its own process, and a watch on the wire between them.
type bureau struct {
	*service
	office *running.Service
	wire   *running.Wire

	mu   sync.Mutex // guards seen
	seen watch
}

// watch is what was seen on the wire.
type watch struct {
	took    map[string][]time.Duration // by the office, for its calls
	stamped []instant                  // when it answered with a stamped file
}

// instant is a moment and the processor time that the service had used.
type instant struct {
	at  time.Time
	cpu time.Duration
}

// The calls that cost or cannot be undone.
const (
	callTake  = "stampv2"
	callStamp = "docSigningZ"
)

// openBureau starts both in a folder. Database is a PostgreSQL URL; empty: SQLite.
func openBureau(binary, dir, database string) (*bureau, error) {
	b := &bureau{seen: watch{took: map[string][]time.Duration{}}}
	shared := filepath.Join(dir, "shared")
	var err error
	if b.office, err = running.StartOffice(binary, filepath.Join(dir, "office"), shared); err != nil {
		return nil, err
	}
	if b.wire, err = running.NewWire(b.office.URL); err != nil {
		return nil, errors.Join(err, b.close())
	}
	b.wire.Answered = b.answered
	env := append(running.AtOffice(b.wire.URL, shared, time.Second), "SEGEL_LOG_LEVEL=warn", "SEGEL_DATABASE="+database)
	s, err := running.Start(binary, filepath.Join(dir, "data"), env...)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	b.service = &service{Service: s}
	if err := s.Grant(s.Data, "Segel", 100_000, 1_000); err != nil {
		return nil, errors.Join(err, b.close())
	}
	for i := range stampSigners + 2 {
		if err := b.add(i); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	return b, nil
}

func (b *bureau) close() error {
	if b.service != nil {
		b.Stop()
	}
	if b.wire != nil {
		b.wire.Close()
	}
	b.office.Stop()
	return nil
}

// answered remembers what the office took for a call.
func (b *bureau) answered(call string, took time.Duration) {
	now := instant{at: time.Now()}
	if call == callStamp {
		now.cpu, _ = b.cpu() // the service has just asked
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.took[call] = append(b.seen.took[call], took)
	if call == callStamp {
		b.seen.stamped = append(b.seen.stamped, now)
	}
}

// since returns what was seen since the last question.
func (b *bureau) since() watch {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := b.seen
	b.seen = watch{took: map[string][]time.Duration{}}
	return seen
}

// stampedSoFar returns how many stamped files were seen since the last question.
func (b *bureau) stampedSoFar() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.seen.stamped)
}

// stamping measures what stamps cost and how long they take.
func stamping(binary, dir string) error {
	b, err := openBureau(binary, filepath.Join(dir, "stamps"), "")
	if err != nil {
		return err
	}
	err = errors.Join(b.cost(), b.latency("SQLite"), b.bulk())
	if err := errors.Join(err, b.close()); err != nil {
		return err
	}
	return onPostgres(binary, filepath.Join(dir, "stamps-postgres"))
}

// onPostgres measures the wait on PostgreSQL, where its programs are installed.
func onPostgres(binary, dir string) error {
	dsn, stop, err := pgtest.Serve(context.Background())
	if err != nil {
		fmt.Println("| accepted to stamped on PostgreSQL | not measured |", err, "|")
		return nil
	}
	b, err := openBureau(binary, dir, dsn)
	if err == nil {
		err = errors.Join(b.latency("PostgreSQL"), b.close())
	}
	return errors.Join(err, stop())
}

const (
	stampSigners = 11 // of a document, and stamps of one: the first is not measured
	stampRounds  = 8
)

// cost compares a stamp with a signature on documents of the same size, in turn: what ten further ones take, beside the
// time of the office.
func (b *bureau) cost() error {
	var signWall, stampWall []time.Duration
	var signCPU, stampCPU time.Duration
	for range stampRounds {
		wall, cpu, err := b.signatures()
		if err != nil {
			return err
		}
		signWall, signCPU = append(signWall, wall), signCPU+cpu
		if wall, cpu, err = b.stamps(); err != nil {
			return err
		}
		stampWall, stampCPU = append(stampWall, wall), stampCPU+cpu
	}
	x, y := median(stampWall), median(signWall)
	fmt.Printf("| affix a duty stamp, beside the office's own time / sign, 100 KB | %.2f | %.1f ms / %.1f ms, median of %d times ten in turn |\n", float64(x)/float64(y), ms(x), ms(y), stampRounds)
	fmt.Printf("| processor time of the same | %.2f | %.1f ms / %.1f ms, mean |\n", float64(stampCPU)/float64(signCPU), ms(stampCPU)/stampRounds, ms(signCPU)/stampRounds)
	return nil
}

// signatures returns what one signature takes, of those behind the first of a document.
func (b *bureau) signatures() (wall, cpu time.Duration, err error) {
	id, err := b.upload(small, stampSigners+1, nil)
	if err != nil {
		return 0, 0, err
	}
	if err := errors.Join(b.verb("finalize-docs", id, 0), b.verb("sign-docs", id, 1)); err != nil {
		return 0, 0, err
	}
	before, err := b.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for i := 2; i <= stampSigners; i++ {
		if err := b.verb("sign-docs", id, i); err != nil {
			return 0, 0, err
		}
	}
	wall = time.Since(began) / (stampSigners - 1)
	after, err := b.cpu()
	// The last one has it sealed, which is not to be counted.
	return wall, (after - before) / (stampSigners - 1), errors.Join(err, b.verb("sign-docs", id, stampSigners+1), b.completed(id))
}

// stamps returns what one stamp takes, of those behind the first of a document, without the office's time: from one
// answer of the office that brings a stamped file to the next there is one of everything.
func (b *bureau) stamps() (wall, cpu time.Duration, err error) {
	id, err := b.draft(stampSigners)
	if err != nil {
		return 0, 0, err
	}
	b.since()
	if err := b.verb("finalize-docs", id, 0); err != nil {
		return 0, 0, err
	}
	// To ask the service meanwhile would be counted as its work.
	for began := time.Now(); b.stampedSoFar() < stampSigners && time.Since(began) < time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
	if err := b.completed(id); err != nil {
		return 0, 0, err
	}
	seen := b.since()
	if n := len(seen.stamped); n != stampSigners {
		return 0, 0, fmt.Errorf("%d calls of %s for %d stamps", n, callStamp, stampSigners)
	}
	first, last := seen.stamped[0], seen.stamped[stampSigners-1]
	wall, cpu = last.at.Sub(first.at), last.cpu-first.cpu
	for _, call := range []string{callTake, callStamp} {
		for _, d := range seen.took[call][1:] {
			wall -= d
		}
	}
	return wall / (stampSigners - 1), cpu / (stampSigners - 1), nil
}

// draft uploads an order of 100 KB with n stamps in rows on its page.
func (b *bureau) draft(n int) (int64, error) {
	id, err := b.upload(small, 0, nil)
	if err != nil {
		return 0, err
	}
	var entries []map[string]any
	for i := range n {
		x, y := 30+i%6*90, 700-i/6*90
		entries = append(entries, map[string]any{
			"page": 1, "type": "emet", "user": map[string]any{"userid": b.people[0].id}, "emet": map[string]int{"llx": x, "lly": y, "urx": x + 70, "ury": y + 70},
		})
	}
	body, err := json.Marshal(map[string]any{"document_id": id, "signers": entries})
	if err != nil {
		return 0, err
	}
	return id, b.call("POST", signPath+"placement-docs", 0, strings.NewReader(string(body)), nil)
}
