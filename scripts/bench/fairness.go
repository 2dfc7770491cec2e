package main

import (
	"bytes"
	"encoding/json"
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
		return s.attackSlowBodies(64, "/v1/econtract/bench/sign/upload-docs-base64", s.people[attacker].token, "1000000", `{"document_base64":"JVBERi0x`)
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
	file   int64 // a completed document of the attacker
	device string
}

const victimPassword = "kata sandi bangku uji"

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
	for i, organisation := range []string{"", "Korban"} {
		if err := s.addTo(organisation, i, victimPassword); err != nil {
			return err
		}
	}
	if err := s.prepareFile(); err != nil {
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
	cpu, began := mustValue(s.cpuTime()), time.Now() // the cost of starting the attack is not included
	time.Sleep(5 * time.Second)
	used := float64(mustValue(s.cpuTime())-cpu) / float64(time.Since(began))
	peak, err := s.peakMemory()
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

// prepareFile completes a document of the attacker that is larger than the buffers between it and its reader.
func (s *attackRun) prepareFile() error {
	var err error
	if s.file, err = s.finalizeOrder(attacker, 20<<20); err != nil {
		return err
	}
	return s.waitCompletedAs(s.file, attacker)
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
			{&w.list, func() error {
				return s.callJSON("GET", "/v1/econtract/web_app/document/out?page=1&limit=10", victim, nil, nil)
			}},
			{&w.login, s.victimLogin},
			{&w.verify, func() error { return s.victimVerify(pdf.Bytes()) }},
			{&w.upload, func() error { _, err := s.uploadDraft(victim, small); return err }},
		} {
			began := time.Now()
			w.asked++
			if err := step.do(); err != nil {
				var refused *refusal
				if !errors.As(err, &refused) {
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
	order := func() (took time.Duration, err error) {
		id, err := s.stampedDraft(victim, small)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		err = s.postVerb("finalize-docs", id, victim)
		if err == nil {
			err = s.waitCompletedAs(id, victim)
		}
		return time.Since(began), err
	}
	for start := time.Now(); n > 0 && time.Since(start) < walkWithin; n-- {
		w.asked++
		took, err := order()
		if err != nil {
			var refused *refusal
			if !errors.As(err, &refused) {
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
	var a struct {
		Data struct {
			Device string `json:"device_token"`
		}
	}
	body := fmt.Sprintf(`{"email":"orang%d@example.test","password":%q,"device_token":%q}`, victim, victimPassword, s.device)
	if err := s.sendFrom(victimAddress, "POST", "/v1/auth/login", strings.NewReader(body), &a); err != nil {
		return err
	}
	s.device = a.Data.Device
	return nil
}

func (s *attackRun) victimVerify(pdf []byte) error {
	body, kind, err := multipartOf(pdf)
	if err != nil {
		return err
	}
	return s.sendTypedFrom(victimAddress, "POST", "/v1/verify", kind, body, nil)
}

// finalizeOrder finalizes a stamping order of a size.
func (s *attackRun) finalizeOrder(i int, size int64) (int64, error) {
	id, err := s.stampedDraft(i, size)
	if err != nil {
		return 0, err
	}
	return id, s.postVerb("finalize-docs", id, i)
}

func (s *attackRun) stampedDraft(i int, size int64) (int64, error) {
	id, err := s.uploadDraft(i, size)
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(map[string]any{"document_id": id, "signers": []map[string]any{{
		"page": 1, "type": "emet", "user": map[string]any{"userid": s.people[i].id}, "emet": map[string]int{"llx": 30, "lly": 700, "urx": 100, "ury": 770},
	}}})
	if err != nil {
		return 0, err
	}
	return id, s.callJSON("POST", signPath+"placement-docs", i, bytes.NewReader(body), nil)
}

func (s *attackRun) waitCompletedAs(id int64, i int) error {
	for range 6000 {
		var a struct{ Data struct{ Status string } }
		if err := s.callJSON("GET", fmt.Sprint(documentPath, "status/", id), i, nil, &a); err != nil {
			return err
		}
		if a.Data.Status == "completed" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the document was not completed")
}

// attackOrders finalizes 300 orders, and another one for each that completes.
func (s *attackRun) attackOrders() (func(), error) {
	ids := make([]int64, 300)
	for i := range ids {
		var err error
		if ids[i], err = s.stampedDraft(attacker, small); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if err := s.postVerb("finalize-docs", id, attacker); err != nil {
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
			if s.waitCompletedAs(ids[i], attacker) != nil {
				continue
			}
			if id, err := s.finalizeOrder(attacker, small); err == nil {
				ids[i] = id
			}
		}
	}()
	return func() { close(stop); <-done }, nil
}

// attackDownloads requests a file a thousand times and reads nothing of it.
func (s *attackRun) attackDownloads() (func(), error) {
	return s.openSockets(1000, func(c net.Conn, i int) error {
		_, err := fmt.Fprintf(c, "GET %sdownload/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", documentPath, s.file, s.people[attacker].token)
		return err
	})
}

// attackStreams opens event streams of documents that do not change.
func (s *attackRun) attackStreams() (func(), error) {
	var ids []int64
	for range 20 {
		id, err := s.uploadDraft(attacker, small)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return s.openSockets(2000, func(c net.Conn, i int) error {
		_, err := fmt.Fprintf(c, "GET %sevents/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", documentPath, ids[i%len(ids)], s.people[attacker].token)
		if err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 1))
		return err
	})
}

// attackLogins keeps a hundred logins in progress.
func (s *attackRun) attackLogins() (func(), error) {
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				body := strings.NewReader(`{"email":"orang0@example.test","password":"bukan kata sandinya"}`)
				_ = s.sendFrom(attackerAddress, "POST", "/v1/auth/login", body, nil) // it is refused
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

// refusal is an answer of 429 or 503.
type refusal struct{ status int }

func (r *refusal) Error() string { return fmt.Sprint("refused with ", r.status) }

// sendFrom sends JSON without an account, with a forwarded address.
func (s *attackRun) sendFrom(address, method, path string, body io.Reader, answer any) error {
	return s.sendTypedFrom(address, method, path, "application/json", body, answer)
}

func (s *attackRun) sendTypedFrom(address, method, path, kind string, body io.Reader, answer any) error {
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Forwarded-For", address)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	switch {
	case err != nil:
		return err
	case a.StatusCode == http.StatusTooManyRequests, a.StatusCode == http.StatusServiceUnavailable:
		return &refusal{a.StatusCode}
	case a.StatusCode != http.StatusOK:
		return fmt.Errorf("%s %s: %s: %.500s", method, path, a.Status, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}

// multipartOf builds a form with a file.
func multipartOf(file []byte) (body *bytes.Buffer, kind string, err error) {
	body = &bytes.Buffer{}
	m := multipart.NewWriter(body)
	w, err := m.CreateFormFile("document", "a.pdf")
	if err == nil {
		_, err = w.Write(file)
	}
	return body, m.FormDataContentType(), errors.Join(err, m.Close())
}
