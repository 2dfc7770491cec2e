package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"segel/pdf/pdftest"
)

// sockets opens connections, sends the same on each and closes them when the test ends. Receive buffers are small, so that the
// kernel holds little for a client that does not read.
func (s *service) sockets(t *testing.T, n int, text string) []net.Conn {
	t.Helper()
	all := make([]net.Conn, 0, n)
	t.Cleanup(func() {
		for _, c := range all {
			_ = c.Close()
		}
	})
	for range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// answered reads the head of an answer.
func answered(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	a, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// held returns how much memory this process uses, in bytes, after a garbage collection.
func held() int64 {
	runtime.GC()
	runtime.GC() // the first collection leaves what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// Not parallel: it measures the memory of the whole process.
func TestTwoThousandStreamsTakeLittleMemory(t *testing.T) {
	s := start(t, "SEGEL_MAX_STREAMS_PER_PERSON", "2000")
	owner := s.person(t, "Siti Nurhaliza", "")
	id := owner.upload(simple())
	before := held()
	for _, c := range s.sockets(t, 2000, fmt.Sprintf("GET %sevents/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", documentPath, id, owner.token)) {
		if a := answered(t, c); a.StatusCode != http.StatusOK {
			t.Fatal(a.Status)
		}
	}
	grew := held() - before
	for end := time.Now().Add(20 * time.Second); grew > 40<<20 && time.Now().Before(end); { // the head arrives before the handler has returned
		grew = held() - before
	}
	if grew > 40<<20 {
		t.Errorf("2,000 streams take %d KiB", grew>>10)
	} else {
		t.Logf("2,000 streams take %d KiB, the ends of the test included", grew>>10)
	}
	owner.get("status", id).ok()
}

// until repeats a request until the service answers with a status: earlier requests are in progress then.
func until(t *testing.T, status int, ask func() *answer) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; {
		if a := ask(); a.status == status {
			return
		}
	}
	t.Fatalf("it never answered %d", status)
}

// beginning returns the head of a request and the first bytes of a body that never ends.
func beginning(path, header, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + header + "Content-Length: 100000\r\n\r\n" + body
}

func TestUploadsThatNeverEndLeaveOtherOrganisationsServed(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_UPLOAD_WAIT", "1ms")
	siti, other := s.person(t, "Siti Nurhaliza", ""), s.person(t, "Andi Wijaya", "PT Lain")
	s.sockets(t, 64, beginning(uploadPath, "X-Access-Token: "+siti.token+"\r\n", `{"document_base64":"JVBERi0x`))
	body := object{"document_title": "a", "filename": "a.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple())}
	until(t, http.StatusServiceUnavailable, func() *answer { return siti.do("POST", uploadPath, body) })
	for range 3 {
		other.do("POST", uploadPath, body).ok()
	}
	siti.do("GET", documentPath+"out?page=1&limit=10", nil).ok()
}

func TestVerificationsThatNeverEndLeaveMembersAndOtherAddressesServed(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_UPLOAD_WAIT", "1ms", "SEGEL_TRUSTED_PROXIES", "127.0.0.0/8", "SEGEL_VERIFICATIONS_PER_MINUTE", "0")
	siti := s.person(t, "Siti Nurhaliza", "")
	anybody := &client{service: s, t: t}
	s.sockets(t, 64, beginning("/v1/verify", "X-Forwarded-For: 2001:db8::1\r\n", `{"document_base64":"JVBERi0x`))
	body := object{"document_base64": base64.StdEncoding.EncodeToString(simple())}
	until(t, http.StatusServiceUnavailable, func() *answer {
		return anybody.do("POST", "/v1/verify", body, "X-Forwarded-For", "2001:db8::2") // from the same network
	})
	anybody.do("POST", "/v1/verify", body, "X-Forwarded-For", "2001:db8:0:1::1").ok()
	siti.upload(simple())
}

// Not parallel: it measures the memory of the whole process.
func TestLoginsThatNeverEndTakeLittleMemoryAndLeaveOthersServed(t *testing.T) {
	s := start(t, "SEGEL_TRUSTED_PROXIES", "127.0.0.0/8")
	siti := s.person(t, "Siti Nurhaliza", "")
	anybody := &client{service: s, t: t}
	before := held()
	// More than may be in progress: each request of until takes a place for a moment, and one of these may be refused for it.
	s.sockets(t, 300, "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\nContent-Length: 16000\r\n\r\n"+`{"email":"`+strings.Repeat("a", 15_000))
	until(t, http.StatusServiceUnavailable, func() *answer {
		return anybody.do("POST", "/v1/auth/login", object{}, "X-Forwarded-For", "198.51.100.1")
	})
	if grew := held() - before; grew > 256*64<<10 {
		t.Errorf("256 logins that never end take %d KiB", grew>>10)
	}
	login := object{"email": siti.email, "password": password}
	anybody.do("POST", "/v1/auth/login", login, "X-Forwarded-For", "198.51.100.2").ok()
	siti.do("GET", documentPath+"out?page=1&limit=10", nil, "X-Forwarded-For", "198.51.100.1").ok()
	for _, c := range s.sockets(t, 3, "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{") {
		if a := answered(t, c); a.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a login of 1 MB: %s", a.Status) // before a megabyte has arrived
		}
	}
}

// Not parallel: it measures the memory of the whole process.
func TestDownloadsThatAreNotReadTakeLittleMemory(t *testing.T) {
	s := start(t)
	siti := s.person(t, "Siti Nurhaliza", "")
	large := pdftest.NewLarge(12<<20, 20)
	file, err := io.ReadAll(io.NewSectionReader(large, 0, large.Size()))
	if err != nil {
		t.Fatal(err)
	}
	id := siti.upload(file)
	file = nil
	before := held()
	for _, c := range s.sockets(t, 100, fmt.Sprintf("GET %spreview/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", documentPath, id, siti.token)) {
		if a := answered(t, c); a.StatusCode != http.StatusOK {
			t.Fatal(a.Status)
		}
	}
	grew := held() - before
	t.Logf("100 downloads that are not read take %d KiB, the ends of the test included", grew>>10)
	if grew > 100*128<<10 { // 1 MiB each while a chunk was held
		t.Error("they take more than 128 KiB each")
	}
	siti.get("status", id).ok()
}

func TestAnOrderBehindManyOfAnotherOrganisationIsCompletedAmongTheFirst(t *testing.T) {
	t.Parallel()
	const many = 40
	s := starting{idle: true, set: []string{"SEGEL_MAX_JOBS", "1"}}.start(t)
	order := func(c *client) int64 {
		id := c.upload(simple())
		c.place(id, c.at("emet", 30, 700, 100, 770)).ok()
		c.verb("finalize-docs", id).ok()
		return id
	}
	siti, other := s.person(t, "Siti Nurhaliza", ""), s.person(t, "Andi Wijaya", "PT Lain")
	var all []int64
	for range many {
		all = append(all, order(siti))
	}
	last := order(other)
	if err := s.openOffice(); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.runner, err = s.startJobs(t.Context(), s.newReadiness(nil)); err != nil {
		t.Fatal(err)
	}
	other.completed(last)
	earlier := 0
	for _, id := range all {
		if siti.get("status", id).ok().object("data")["status"] == "completed" {
			earlier++
		}
	}
	if earlier > many/2 {
		t.Errorf("%d of %d orders of the other organisation came before it", earlier, many)
	}
}

func TestStreamsEndWithTheService(t *testing.T) {
	t.Parallel()
	p, err := launch(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	owner := p.login(t, p.email, p.password)
	id := owner.upload(simple())
	c := p.sockets(t, 1, fmt.Sprintf("GET %sevents/%d HTTP/1.1\r\nHost: x\r\nX-Access-Token: %s\r\n\r\n", documentPath, id, owner.token))[0]
	a := answered(t, c)
	if err := p.end(); err != nil {
		t.Errorf("%v: %s", err, &p.stderr)
	}
	if _, err := io.ReadAll(a.Body); err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("%s, ended with %v", a.Status, err)
	}
}
