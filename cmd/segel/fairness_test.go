package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// sockets opens so many connections, sends the same on each and closes them when the test ends. The kernel keeps little for a client that
// does not read.
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

// held returns how much memory this process holds, in bytes, after the collector has run.
func held() int64 {
	runtime.GC()
	runtime.GC() // what pools kept through the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// It is not parallel: it looks at the memory of the whole process.
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
	if grew := held() - before; grew > 40<<20 {
		t.Errorf("2,000 streams take %d KiB", grew>>10)
	} else {
		t.Logf("2,000 streams take %d KiB, the ends of the test included", grew>>10)
	}
	owner.get("status", id).ok()
}
