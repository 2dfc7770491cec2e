package https

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"segel/internal/https/httpstest"
)

// A client that grants all the space that HTTP/2 knows and then reads nothing fills the buffers of the connection: no stream can be ended
// on it any more.
func TestAConnectionOfHTTP2FromWhichNothingIsTakenIsCut(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	p := openPair(t, ca, "")
	ended, closed := make(chan error, 1), make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 64<<10)
		var err error
		for err == nil {
			_, err = w.Write(block)
		}
		ended <- err
	}))
	server.TLS = p.files.TLSConfig()
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	limitHTTP2(server.Config, 200*time.Millisecond)
	server.StartTLS()
	t.Cleanup(server.Close)
	conn, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: ca.Pool(), ServerName: "lama.example.test", NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	frames := http2.NewFramer(conn, conn)
	var header bytes.Buffer
	fields := hpack.NewEncoder(&header)
	for _, f := range []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "x"}, {Name: ":path", Value: "/"}} {
		if err := fields.WriteField(f); err != nil {
			t.Fatal(err)
		}
	}
	const most = 1<<31 - 1
	for _, err := range []error{
		frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: most}),
		frames.WriteWindowUpdate(0, most-1<<16),
		frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: header.Bytes(), EndStream: true, EndHeaders: true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]func() bool{
		"the handler still writes": func() bool {
			select {
			case <-ended:
				return true
			case <-time.After(20 * time.Second):
				return false
			}
		},
		"the connection is still open": func() bool {
			select {
			case <-closed:
				return true
			case <-time.After(20 * time.Second):
				return false
			}
		},
	} {
		if !c() {
			t.Error(what)
		}
	}
}
