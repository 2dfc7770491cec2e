package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// The organisations: the attacker's is the first one, the victim's another.
const (
	attacker = 0
	victim   = 1
)

// The addresses of callers without an account, as their proxy reports them.
const (
	attackerAddress = "198.51.100.1"
	victimAddress   = "203.0.113.1"
)

// attack is what one client does to the service. begin returns once the attack is fully under way; the function it returns ends it.
type attack struct {
	name  string
	env   []string // raises bounds that would end the attack before its cost shows
	begin func(*attackRun) (end func(), err error)
}

var attacks = []attack{
	{name: "64 uploads of one organisation that never end", begin: func(s *attackRun) (func(), error) {
		return s.attackSlowBodies(64, "/v1/econtract/bench/sign/upload-docs-base64", s.people[attacker].Token, "1000000", `{"document_base64":"JVBERi0x`)
	}},
	{name: "300 orders of one organisation that wait all the time", begin: (*attackRun).attackOrders},
	{name: "1,000 downloads that are not taken", env: []string{"SEGEL_MAX_REQUESTS_PER_PERSON=2000"}, begin: (*attackRun).attackDownloads},
	{name: "2,000 event streams", env: []string{"SEGEL_MAX_STREAMS_PER_PERSON=2500"}, begin: (*attackRun).attackStreams},
	{name: "100 logins at once, over and over", begin: (*attackRun).attackLogins},
	{name: "64 verifications of one address that never end", begin: func(s *attackRun) (func(), error) {
		return s.attackSlowBodies(64, "/v1/verify", "", "1000000", `{"document_base64":"JVBERi0x`)
	}},
	{name: "1,500 bodies of logins of 1 MB that never end", begin: func(s *attackRun) (func(), error) {
		return s.attackSlowBodies(1500, "/v1/auth/login", "", "1000000", `{"email":"`+strings.Repeat("a", 990_000))
	}},
	{name: "1,500 bodies of logins of 16 KB that never end", begin: func(s *attackRun) (func(), error) {
		return s.attackSlowBodies(1500, "/v1/auth/login", "", "16000", `{"email":"`+strings.Repeat("a", 12_000))
	}},
}

// attackRun is a service under attack.
type attackRun struct {
	*service
	file   int64 // a completed document of the attacker, larger than the buffers between it and its reader
	device string
}

// measureFairness measures the effect of each attack on a victim, and the cost of the attack. The environment variable ATTACK
// selects attacks by a part of their names.
func measureFairness(binary, dir string) error {
	fmt.Println("| alone, and beside | list p99 | login p99 | upload p99 | verify p99 | order to completed, worst of 10 | refused | memory grows by | processor |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for i, a := range attacks {
		if !strings.Contains(a.name, os.Getenv("ATTACK")) {
			continue
		}
		if err := a.measureAttack(binary, filepath.Join(dir, fmt.Sprint("siege", i))); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return nil
}

func (a attack) measureAttack(binary, dir string) error {
	env := append([]string{
		"SEGEL_LOG_LEVEL=error", "SEGEL_TRUSTED_PROXIES=127.0.0.0/8", "SEGEL_VERIFICATIONS_PER_MINUTE=0", "SEGEL_CONVERT=off",
		"SEGEL_LOGIN_TRIES=100000", "SEGEL_LOGIN_TRIES_PER_ADDRESS=100000", "SEGEL_LOGIN_TRIES_PER_ACCOUNT=100000",
	}, a.env...)
	r, err := running.Start(binary, dir, env...)
	if err != nil {
		return err
	}
	defer r.Stop()
	s := &attackRun{service: &service{Service: r}}
	for _, organisation := range []string{"", "Korban"} {
		if err := s.addPerson(organisation); err != nil {
			return err
		}
	}
	if s.file, err = s.finalizeOrder(s.people[attacker], 20<<20); err != nil {
		return err
	}
	if _, err := s.people[attacker].WaitCompleted(s.file); err != nil {
		return err
	}
	var warm, alone, w victimTimes
	if err := errors.Join(s.victimWalk(&warm, 10), s.victimOrders(&alone, 10), s.victimWalk(&alone, 100)); err != nil {
		return err
	}
	before, err := s.resetPeak()
	if err != nil {
		return err
	}
	end, err := a.begin(s)
	if err != nil {
		return err
	}
	time.Sleep(5 * time.Second)
	cpu, began := mustValue(s.CPUTime()), time.Now() // the cost of starting the attack is not included
	time.Sleep(5 * time.Second)
	used := float64(mustValue(s.CPUTime())-cpu) / float64(time.Since(began))
	peak, err := s.PeakMemory()
	if err != nil {
		return err
	}
	err = errors.Join(s.victimOrders(&w, 10), s.victimWalk(&w, 100))
	end()
	if err != nil {
		return err
	}
	fmt.Printf("| %s ", a.name)
	for _, both := range [][2][]time.Duration{{alone.list, w.list}, {alone.login, w.login}, {alone.upload, w.upload}, {alone.verify, w.verify}, {alone.order, w.order}} {
		fmt.Printf("| %s, %s ", p99(both[0]), p99(both[1]))
	}
	fmt.Printf("| %d of %d | %.0f MiB | %.0f %% of a core |\n", w.refused, w.asked, toMiB(peak-before), 100*used)
	return nil
}

// mustValue is for reading /proc, which does not fail while the service runs.
func mustValue[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// p99 returns the 99th percentile of the served requests, or the worst of fewer than 100.
func p99(d []time.Duration) string {
	if len(d) == 0 {
		return "none served"
	}
	slices.Sort(d)
	return fmt.Sprintf("%.0f ms", toMillis(d[(len(d)*99+99)/100-1]))
}

// finalizeOrder finalizes a stamping order of that size.
func (s *service) finalizeOrder(by *running.Client, size int64) (int64, error) {
	id, err := s.uploadOrder(by, size, 1)
	if err != nil {
		return 0, err
	}
	return id, by.PostVerb("finalize-docs", id)
}

// victimTimes holds how long the victim waited, by operation.
type victimTimes struct {
	list, login, upload, verify, order []time.Duration
	refused, asked                     int
}

// walkWithin bounds the time of a walk whose steps are slow.
const walkWithin = time.Minute

// victimWalk does each operation that many times in sequence, as a logged-in person of another organisation.
func (s *attackRun) victimWalk(w *victimTimes, n int) error {
	by := s.people[victim]
	var pdf bytes.Buffer
	large := pdftest.NewLarge(small, objects)
	if _, err := io.Copy(&pdf, io.NewSectionReader(large, 0, large.Size())); err != nil {
		return err
	}
	for start := time.Now(); n > 0 && time.Since(start) < walkWithin; n-- {
		for _, step := range []struct {
			to *[]time.Duration
			do func() error
		}{
			{&w.list, func() error { return by.Get(running.DocumentPath+"out?page=1&limit=10", nil) }},
			{&w.login, s.victimLogin},
			{&w.verify, func() error { return s.victimVerify(pdf.Bytes()) }},
			{&w.upload, func() error { _, err := s.uploadSized(by, small, 0, nil); return err }},
		} {
			began := time.Now()
			w.asked++
			if err := step.do(); err != nil {
				if !isOverload(err) {
					return err
				}
				w.refused++
				continue
			}
			*step.to = append(*step.to, time.Since(began))
		}
	}
	return nil
}

// victimOrders places n orders in sequence, and records how long each took to complete.
func (s *attackRun) victimOrders(w *victimTimes, n int) error {
	by := s.people[victim]
	order := func() (took time.Duration, err error) {
		id, err := s.uploadOrder(by, small, 1)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		if err = by.PostVerb("finalize-docs", id); err == nil {
			_, err = by.WaitCompleted(id)
		}
		return time.Since(began), err
	}
	for start := time.Now(); n > 0 && time.Since(start) < walkWithin; n-- {
		w.asked++
		took, err := order()
		if err != nil {
			if !isOverload(err) {
				return err
			}
			w.refused++
			continue
		}
		w.order = append(w.order, took)
	}
	return nil
}

func (s *attackRun) victimLogin() error {
	var a running.LoginAnswer
	body := running.Object{"email": fmt.Sprintf("orang%d@example.test", victim), "password": running.Password, "device_token": s.device}
	if err := s.withAddress(victimAddress).Post(running.LoginPath, body, &a); err != nil {
		return err
	}
	s.device = a.Data.Device
	return nil
}

// victimVerify sends the file in a form.
func (s *attackRun) victimVerify(pdf []byte) error {
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	w, err := m.CreateFormFile("document", "a.pdf")
	if err == nil {
		_, err = w.Write(pdf)
	}
	if err := errors.Join(err, m.Close()); err != nil {
		return err
	}
	return s.withAddress(victimAddress).Call(running.Request{Method: "POST", Path: "/v1/verify", Type: m.FormDataContentType(), Body: &body}, nil)
}

// attackOrders finalizes 300 orders, and another one for each that completes.
func (s *attackRun) attackOrders() (func(), error) {
	by, ids := s.people[attacker], make([]int64, 300)
	for i := range ids {
		var err error
		if ids[i], err = s.uploadOrder(by, small, 1); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if err := by.PostVerb("finalize-docs", id); err != nil {
			return nil, err
		}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i = (i + 1) % len(ids) {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := by.WaitCompleted(ids[i]); err != nil {
				continue
			}
			if id, err := s.finalizeOrder(by, small); err == nil {
				ids[i] = id
			}
		}
	}()
	return func() { close(stop); <-done }, nil
}

// attackDownloads requests a file a thousand times and reads nothing of it.
func (s *attackRun) attackDownloads() (func(), error) {
	return s.openSockets(1000, func(c net.Conn, i int) error {
		_, err := fmt.Fprintf(c, "GET %sdownload/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", running.DocumentPath, s.file, s.people[attacker].Token)
		return err
	})
}

// attackStreams opens event streams of documents that do not change.
func (s *attackRun) attackStreams() (func(), error) {
	var ids []int64
	for range 20 {
		id, err := s.uploadSized(s.people[attacker], small, 0, nil)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return s.openSockets(2000, func(c net.Conn, i int) error {
		_, err := fmt.Fprintf(c, "GET %sevents/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", running.DocumentPath, ids[i%len(ids)], s.people[attacker].Token)
		if err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 1))
		return err
	})
}

// attackLogins keeps a hundred logins in progress.
func (s *attackRun) attackLogins() (func(), error) {
	stop, c := make(chan struct{}), s.withAddress(attackerAddress)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = c.Post(running.LoginPath, running.Object{"email": "orang0@example.test", "password": "bukan kata sandinya"}, nil) // it is refused
			}
		})
	}
	return func() { close(stop); all.Wait() }, nil
}

// attackSlowBodies begins requests, sends the start of each body, and then one byte every second.
func (s *attackRun) attackSlowBodies(n int, path, token, length, begin string) (func(), error) {
	return s.openSockets(n, func(c net.Conn, i int) error {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		defer c.SetWriteDeadline(time.Time{}) //nolint:errcheck // as above
		// A request that is refused early cannot be sent completely.
		_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\nX-Forwarded-For: %s\r\nContent-Length: %s\r\n\r\n%s", path, token, attackerAddress, length, begin)
		return nil
	})
}

// openSockets opens connections and keeps them open until the end of the attack.
func (s *attackRun) openSockets(n int, begin func(c net.Conn, i int) error) (func(), error) {
	var open []net.Conn
	end := func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for i := range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			end()
			return nil, err
		}
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		open = append(open, c)
		if err := begin(c, i); err != nil {
			end()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	stop := make(chan struct{})
	var dripping sync.WaitGroup
	dripping.Go(func() {
		beat := time.NewTicker(time.Second)
		defer beat.Stop()
		for {
			select {
			case <-stop:
				return
			case <-beat.C:
				for _, c := range open {
					_, _ = io.WriteString(c, "a") // the connection may have been cut
				}
			}
		}
	})
	return func() { close(stop); dripping.Wait(); end() }, nil
}

// isOverload reports whether a request was refused with 429 or 503.
func isOverload(err error) bool {
	var r *running.Refusal
	return errors.As(err, &r) && (r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable)
}

// withAddress returns a client without an account, with a forwarded address.
func (s *attackRun) withAddress(address string) *running.Client {
	return &running.Client{URL: s.URL, Address: address}
}
