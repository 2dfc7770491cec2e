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

// issuer is shared, so that an office that is opened again has revocation data for its earlier certificates.
var issuer = sync.OnceValues(func() (*authority.Authority, error) { return authority.NewEphemeral("http://segel.test", time.Now) })

// testOffice is an office on the loopback interface with an account, and its drivers.
type testOffice struct {
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

// openTestOffice opens the office of a folder, as after a restart if it was opened before.
func openTestOffice(t testing.TB, dir string, units int, p sandbox.Plan) *testOffice {
	t.Helper()
	b := &testOffice{t: t, dir: dir, known: map[string]bool{}}
	b.clock = func() time.Time { return time.Now().Add(time.Duration(b.waited.Load())) }
	a, err := issuer()
	requireNoError(t, err)
	sealer, err := credential.NewSealer(make([]byte, 32))
	requireNoError(t, err)
	b.office, err = sandbox.Open(filepath.Join(dir, "office"), sandbox.Options{
		Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: sealer, PublicURL: "http://segel.test", Clock: time.Now, Random: rand.Reader, Units: units,
	})
	requireNoError(t, err)
	b.server, err = b.office.Serve(sandbox.ServeOptions{
		Users: map[string]string{"user": secret}, Folder: filepath.Join(dir, "uploads"), Shared: filepath.Join(dir, "shared"), Faults: p, Control: true,
	})
	requireNoError(t, err)
	b.http = httptest.NewServer(b.server)
	t.Cleanup(b.closeOffice)
	return b
}

const secret = "rahasia-sekali"

func (b *testOffice) closeOffice() {
	if b.http == nil {
		return
	}
	b.http.Close()
	b.http = nil
	requireNoError(b.t, b.server.Close())
	requireNoError(b.t, b.office.Close())
}

// driverOptions are those of a driver of the account.
func (b *testOffice) driverOptions(form Form) Options {
	return Options{
		Client: b.http.Client(), Clock: b.clock, Random: rand.Reader, Log: slog.New(slog.NewTextHandler(&b.log, nil)), Known: b.isKnown,
		Dir: filepath.Join(b.dir, "driver"), Form: form, LoginURL: b.http.URL, User: "user", Password: secret,
		Adapters: []string{b.http.URL}, Shared: filepath.Join(b.dir, "shared"),
		Kinds: map[string]string{"agreement": "Surat Perjanjian"}, Kind: "agreement", Specimen: true,
		Picture: "/snqr/qrimage?sn={serial}", Timeout: 20 * time.Second, StampTimeout: 20 * time.Second, Settle: time.Nanosecond,
	}
}

func (b *testOffice) isKnown(_ context.Context, serial string, _ bool) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[serial], nil
}

// recordKnown is the caller's commit of a serial.
func (b *testOffice) recordKnown(serial string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[serial] = true
}

func (b *testOffice) openDriver(o Options) *Driver {
	b.t.Helper()
	d, err := Open(o)
	requireNoError(b.t, err)
	b.t.Cleanup(func() { d.Close() })
	return d
}

func requireNoError(t testing.TB, err error) {
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
			opened := map[string]*testOffice{}
			emeteraitest.Run(t, func(t *testing.T, dir string) emeterai.Stamper {
				if b := opened[dir]; b != nil {
					b.closeOffice()
				}
				opened[dir] = openTestOffice(t, dir, 1000, sandbox.Plan{})
				return opened[dir].openDriver(opened[dir].driverOptions(form))
			})
		})
	}
}
