package peruri

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/credential"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
)

// issuer is one for all, so that an office that is opened again has proof of its former certificates.
var issuer = sync.OnceValues(func() (*authority.Authority, error) { return authority.NewEphemeral("http://segel.test", time.Now) })

// bureau is an office on the loopback with an account, and drivers of it.
type bureau struct {
	t      testing.TB
	dir    string
	office *sandbox.Office
	server *sandbox.Server
	http   *httptest.Server
	clock  func() time.Time
	log    strings.Builder
	waited atomic.Int64 // by which the driver's clock is ahead, in nanoseconds

	mu    sync.Mutex // guards known
	known map[string]bool
}

// openBureau opens the office of a folder, as after a restart if it was opened before.
func openBureau(t testing.TB, dir string, units int, p sandbox.Plan) *bureau {
	t.Helper()
	b := &bureau{t: t, dir: dir, known: map[string]bool{}}
	b.clock = func() time.Time { return time.Now().Add(time.Duration(b.waited.Load())) }
	a, err := issuer()
	must(t, err)
	sealer, err := credential.NewSealer(make([]byte, 32))
	must(t, err)
	b.office, err = sandbox.Open(filepath.Join(dir, "office"), sandbox.Options{
		Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: sealer, PublicURL: "http://segel.test", Clock: time.Now, Random: rand.Reader, Units: units,
	})
	must(t, err)
	b.server, err = b.office.Serve(sandbox.ServeOptions{
		Users: map[string]string{"user": secret}, Folder: filepath.Join(dir, "uploads"), Shared: filepath.Join(dir, "shared"), Faults: p, Control: true,
	})
	must(t, err)
	b.http = httptest.NewServer(b.server)
	t.Cleanup(b.close)
	return b
}

const secret = "rahasia-sekali"

func (b *bureau) close() {
	if b.http == nil {
		return
	}
	b.http.Close()
	b.http = nil
	must(b.t, b.server.Close())
	must(b.t, b.office.Close())
}

// options are those of a driver of the account.
func (b *bureau) options(form Form) Options {
	return Options{
		Client: b.http.Client(), Clock: b.clock, Random: rand.Reader, Log: slog.New(slog.NewTextHandler(&b.log, nil)), Known: b.isKnown,
		Dir: filepath.Join(b.dir, "driver"), Form: form, LoginURL: b.http.URL, User: "user", Password: secret,
		Adapters: []string{b.http.URL}, Shared: filepath.Join(b.dir, "shared"),
		Kinds: map[string]string{"agreement": "Surat Perjanjian"}, Kind: "agreement", Specimen: true,
		Picture: "/snqr/qrimage?sn={serial}", Timeout: 20 * time.Second, StampTimeout: 20 * time.Second, Settle: time.Nanosecond,
	}
}

func (b *bureau) isKnown(_ context.Context, serial string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[serial], nil
}

// bind is the caller's commit of a serial.
func (b *bureau) bind(serial string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[serial] = true
}

func (b *bureau) driver(o Options) *Driver {
	b.t.Helper()
	d, err := Open(o)
	must(b.t, err)
	b.t.Cleanup(func() { d.Close() })
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDriverOwesWhatEveryOfficeOwesInBothForms(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Adapter, Cloud} {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			opened := map[string]*bureau{}
			emeteraitest.Run(t, func(t *testing.T, dir string) emeterai.Stamper {
				if b := opened[dir]; b != nil {
					b.close()
				}
				opened[dir] = openBureau(t, dir, 1000, sandbox.Plan{})
				return opened[dir].driver(opened[dir].options(form))
			})
		})
	}
}
