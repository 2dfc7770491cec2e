package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/disk"
	"segel/internal/isolation/isolationtest"
	"segel/internal/outbound"
	"segel/internal/store"
)

var now = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// requireFinding requires the worst state among findings, and a text in one of that state.
func requireFinding(t *testing.T, what string, found []Finding, want State, says string) {
	t.Helper()
	worst, ranks := OK, map[State]int{OK: 0, Warning: 1, Problem: 2}
	matches := false
	for _, f := range found {
		if ranks[f.State] > ranks[worst] {
			worst = f.State
		}
		if f.State != OK && f.Remedy == "" {
			t.Errorf("%s: no remedy: %+v", what, f)
		}
		matches = matches || f.State == want && strings.Contains(f.Text, says)
	}
	if worst != want || !matches {
		t.Errorf("%s: want %s and %q, found %+v", what, want, says, found)
	}
}

func TestEachCheckFindsItsProblemAndAcceptsWhatIsHealthy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	broken := errors.New("broken")
	succeeds := func(context.Context) error { return nil }
	fails := func(context.Context) error { return broken }
	all := func(context.Context, string) ([]string, error) { return []string{"Font"}, nil }
	without := func(pattern string) func(context.Context, string) ([]string, error) {
		return func(_ context.Context, p string) ([]string, error) {
			if p == pattern {
				return nil, nil
			}
			return []string{"Font"}, nil
		}
	}
	version := func(v string, err error) func() (string, error) { return func() (string, error) { return v, err } }
	free := func(n int64) func(string) (disk.Space, error) {
		return func(string) (disk.Space, error) { return disk.Space{Total: 100 << 30, Free: n}, nil }
	}
	folder := []Folder{{Path: "data", What: "files", Room: 4 << 30}}
	settings := func(change func(*store.ServerSettings)) store.ServerSettings {
		s := store.ServerSettings{Version: "17.2", Major: 17, MaxConnections: 100, ReservedConnections: 3, PoolConnections: 20, Settings: map[string]string{
			"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "data_checksums": "on", "server_encoding": "UTF8",
		}}
		if change != nil {
			change(&s)
		}
		return s
	}
	set := func(name, value string) store.ServerSettings {
		return settings(func(s *store.ServerSettings) { s.Settings[name] = value })
	}
	certificate := func(days int) []Certificate {
		return []Certificate{
			{Role: "root", NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(20, 0, 0)},
			{Role: "issuing", NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(0, 0, days).Add(time.Hour)},
		}
	}
	backup := func(age time.Duration) store.BackupRun {
		return store.BackupRun{Destination: "/mnt/backup", CompletedAt: now.Add(-age)}
	}
	for _, c := range []struct {
		name  string
		found []Finding
		want  State
		says  string
	}{
		{"enough open files", CheckOpenFiles(1<<20, 10_000), OK, "may be open"},
		{"fewer than clients", CheckOpenFiles(4096, 10_000), Warning, "10000 clients"},
		{"few open files", CheckOpenFiles(256, 10_000), Problem, "256 files"},

		{"all fonts", CheckFonts(ctx, Wanted, all), OK, "fonts for"},
		{"no Chinese", CheckFonts(ctx, Wanted, without(":lang=zh-cn")), Warning, "Chinese"},
		{"no Carlito", CheckFonts(ctx, Required, without("Carlito")), Warning, "Calibri"},
		{"no fontconfig", CheckFonts(ctx, Wanted, func(context.Context, string) ([]string, error) { return nil, broken }), Warning, "cannot be listed"},
		{"fonts that are not needed", CheckFonts(ctx, NotNeeded, nil), OK, "nothing is converted"},

		{"a sandbox", CheckSandbox(ctx, Required, succeeds), OK, "was run"},
		{"no sandbox, wanted", CheckSandbox(ctx, Wanted, fails), Warning, "broken"},
		{"no sandbox, required", CheckSandbox(ctx, Required, fails), Problem, "broken"},
		{"no sandbox, not needed", CheckSandbox(ctx, NotNeeded, fails), OK, "nothing runs"},

		{"LibreOffice", CheckLibreOffice(Required, version("24.2.1", nil)), OK, "24.2.1"},
		{"an old LibreOffice", CheckLibreOffice(Required, version("7.3.9", nil)), Problem, "7.3.9"},
		{"no LibreOffice, wanted", CheckLibreOffice(Wanted, version("", broken)), Warning, "broken"},
		{"no LibreOffice, required", CheckLibreOffice(Required, version("", broken)), Problem, "broken"},

		{"an empty disk", CheckDisk(folder, 512<<20, free(50<<30)), OK, "50.0 GiB"},
		{"less than uploads may take", CheckDisk(folder, 512<<20, free(4<<30)), Warning, "beyond the reserve"},
		{"the reserve", CheckDisk(folder, 512<<20, free(400<<20)), Problem, "uploads are refused"},
		{"a full disk", CheckDisk(folder, 512<<20, free(1<<20)), Problem, "nothing can be stored"},
		{"no disk", CheckDisk(folder, 0, func(string) (disk.Space, error) { return disk.Space{}, broken }), Problem, "broken"},

		{"SQLite", CheckServer(store.ServerSettings{Embedded: true, Version: "3.50.1"}, 1), OK, "SQLite 3.50.1"},
		{"PostgreSQL", CheckServer(settings(nil), 1), OK, "PostgreSQL 17.2"},
		{"an old PostgreSQL", CheckServer(settings(func(s *store.ServerSettings) { s.Version, s.Major = "12.4", 12 }), 1), Warning, "12.4"},
		{"nodes without connections", CheckServer(settings(nil), 5), Problem, "5 processes take up to 100"},
		{"no room for another node", CheckServer(settings(nil), 4), Warning, "one more process"},
		{"no fsync", CheckServer(set("fsync", "off"), 1), Problem, "fsync"},
		{"no full pages", CheckServer(set("full_page_writes", "off"), 1), Problem, "full_page_writes"},
		{"commits that are lost", CheckServer(set("synchronous_commit", "off"), 1), Problem, "synchronous_commit"},
		{"no checksums", CheckServer(set("data_checksums", "off"), 1), Warning, "data_checksums"},
		{"another encoding", CheckServer(set("server_encoding", "SQL_ASCII"), 1), Problem, "server_encoding"},

		{"a backup of yesterday", CheckBackup(backup(25*time.Hour), nil, now), OK, "/mnt/backup"},
		{"a late backup", CheckBackup(backup(40*time.Hour), nil, now), Warning, "40 hours"},
		{"an old backup", CheckBackup(backup(9*24*time.Hour), nil, now), Problem, "9 days"},
		{"no backup", CheckBackup(store.BackupRun{}, store.ErrNotFound, now), Warning, "no backup"},
		{"backups that cannot be read", CheckBackup(store.BackupRun{}, broken, now), Problem, "broken"},

		{"a master key that was never exchanged", CheckMasterKeys(nil, []string{"k1"}, nil), OK, "k1"},
		{"an exchange that is prepared", CheckMasterKeys(nil, []string{"k1", "k2"}, nil), Warning, "not begun"},
		{"an exchange that is not complete", CheckMasterKeys(keysUntil(time.Time{}), []string{"k2", "k1"}, nil), Warning, "k1 is not complete"},
		{"an exchange that is complete", CheckMasterKeys(keysUntil(now), []string{"k2"}, nil), OK, "k2"},
		{"a former key that is not needed", CheckMasterKeys(keysUntil(now), []string{"k2", "k1"}, nil), Warning, "not needed"},
		{"keys that cannot be read", CheckMasterKeys(nil, []string{"k1"}, broken), Problem, "broken"},

		{"certificates", CheckCertificates(certificate(91), "r", now), OK, "issuing"},
		{"one that ends within 90 days", CheckCertificates(certificate(89), "r", now), Warning, "issuing: it expires in 89 days"},
		{"one that ends within 30 days", CheckCertificates(certificate(29), "r", now), Problem, "in 29 days"},
		{"one that ends within 7 days", CheckCertificates(certificate(6), "r", now), Problem, "act now"},
		{"one that has ended", CheckCertificates(certificate(-1), "r", now), Problem, "expired"},
		{"one that has not begun", CheckCertificates([]Certificate{{Role: "tsa", NotBefore: now.Add(time.Hour), NotAfter: now.AddDate(9, 0, 0)}}, "r", now), Problem, "begins"},

		{"mail", CheckMail(ctx, []Server{{Name: "mail:587", Try: succeeds}}), OK, "mail:587"},
		{"mail without TLS", CheckMail(ctx, []Server{{Name: "mail:25", Unprotected: true, Try: succeeds}}), Warning, "without TLS"},
		{"a mail server that fails", CheckMail(ctx, []Server{{Name: "mail:587", Try: fails}}), Problem, "broken"},
		{"no mail server", CheckMail(ctx, nil), Warning, "messages are kept"},

		{"files", CheckBlobs(ctx, Server{Name: "bucket", Try: succeeds}), OK, "bucket"},
		{"files that cannot be written", CheckBlobs(ctx, Server{Name: "bucket", Try: fails}), Problem, "broken"},

		{"a converter", CheckConverter(ctx, Server{Name: "gotenberg", Try: succeeds}), OK, "works"},
		{"a converter that fails", CheckConverter(ctx, Server{Name: "gotenberg", Try: fails}), Problem, "broken"},

		{"the embedded authority", CheckTimestamps(ctx, nil), OK, "embedded"},
		{"a time-stamp authority", CheckTimestamps(ctx, []Server{{Name: "a", Try: succeeds}}), OK, "accept"},
		{"one of two fails", CheckTimestamps(ctx, []Server{{Name: "a", Try: succeeds}, {Name: "b", Try: fails}}), Warning, "b: broken"},
		{"all fail", CheckTimestamps(ctx, []Server{{Name: "b", Try: fails}}), Problem, "nothing can be signed"},

		{"a clock", CheckClock(contract.CheckClock(contract.ClockReading{Local: now, Database: now}, time.Minute), nil), OK, "agrees with the database"},
		{"a clock without a server", CheckClock(contract.CheckClock(contract.ClockReading{Local: now}, time.Minute), nil), OK, "no other clock"},
		{"another clock than the database's", CheckClock(contract.CheckClock(contract.ClockReading{Local: now, Database: now.Add(time.Hour)}, time.Minute), nil), Problem, "1h"},
		{"a clock that is not compared", CheckClock(contract.ClockFinding{}, broken), Problem, "broken"},
	} {
		requireFinding(t, c.name, c.found, c.want, c.says)
	}
}

func TestSecretsThatOthersMayUseAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		mode os.FileMode
		want State
		says string
	}{
		{0o600, OK, "2 files"}, {0o400, OK, "2 files"}, {0o640, Warning, "its group may read it"}, {0o660, Problem, "its group may change it"}, {0o604, Problem, "every user"}, {0o666, Problem, "every user"},
	} {
		file := filepath.Join(dir, c.mode.String())
		if err := os.WriteFile(file, []byte("rahasia"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		private := filepath.Join(dir, "private")
		if err := os.MkdirAll(private, 0o700); err != nil {
			t.Fatal(err)
		}
		found := CheckSecretFiles([]SecretFile{{file, "the master key"}, {private, "a folder"}, {filepath.Join(dir, "missing"), "nothing"}})
		requireFinding(t, c.mode.String(), found, c.want, c.says)
	}
}

func TestSettingsThatAPackageInstalledForTheGroupOfTheServiceAreFine(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, to give a file to a group")
	}
	file := filepath.Join(t.TempDir(), "segel.env")
	if err := os.WriteFile(file, []byte("SEGEL_METRICS_TOKEN=rahasia"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner, group int
		mode         os.FileMode
		want         State
		says         string
	}{
		{0, 4242, 0o640, OK, "1 files"}, {0, 0, 0o640, Warning, "its group may read it"}, {4242, 4242, 0o640, Warning, "its group may read it"},
		{0, 4242, 0o660, Problem, "its group may change it"}, {0, 4242, 0o644, Problem, "every user"},
	} {
		if err := errors.Join(os.Chown(file, c.owner, c.group), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		requireFinding(t, fmt.Sprint(c), CheckSecretFiles([]SecretFile{{file, "the file of settings"}}), c.want, c.says)
	}
}

func TestAnInitialPasswordThatWasNotUsedForADayIsFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "initial-password")
	now := time.Now()
	requireFinding(t, "without a file", CheckInitialPassword(file, now), OK, "no initial password")
	if err := os.WriteFile(file, []byte("rahasia"), 0o600); err != nil {
		t.Fatal(err)
	}
	requireFinding(t, "a new one", CheckInitialPassword(file, now), OK, "is in")
	found := CheckInitialPassword(file, now.Add(unusedAfter+time.Hour))
	requireFinding(t, "a day later", found, Warning, "was not used")
	if strings.Contains(fmt.Sprint(found), "rahasia") {
		t.Error("a finding has the password")
	}
	requireFinding(t, "below a file", CheckInitialPassword(filepath.Join(file, "x"), now), Problem, "not a directory")
}

func TestAProgramRunsInTheSandbox(t *testing.T) {
	t.Parallel()
	isolationtest.Require(t, RunSandboxed(t.Context()))
}

// newAddress returns a public address that a server on this machine answers.
func newAddress(t *testing.T, secure bool, answer http.HandlerFunc, allowed ...netip.Prefix) Address {
	t.Helper()
	s := httptest.NewUnstartedServer(answer)
	o := outbound.Options{Allowed: allowed}
	if secure {
		s.StartTLS()
		o.Roots = x509.NewCertPool()
		o.Roots.AddCert(s.Certificate())
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	o.Ports = []uint16{uint16(port)}
	client := outbound.NewClient(o)
	t.Cleanup(client.CloseIdleConnections)
	return Address{
		Public: s.URL, Default: "http://localhost", HTTP: client, Now: func() time.Time { return now },
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Runs: func(context.Context) bool { return true },
	}
}

func TestThePublicAddressIsTried(t *testing.T) {
	t.Parallel()
	here := netip.MustParsePrefix("127.0.0.1/32")
	healthy := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"status": "ok"}`))
	}
	proxy := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad gateway", http.StatusBadGateway) }
	elsewhere := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
	stopped := func(a *Address) { a.Runs = func(context.Context) bool { return false } }
	for _, c := range []struct {
		name    string
		secure  bool
		answer  http.HandlerFunc
		allowed []netip.Prefix
		change  func(*Address)
		want    State
		says    string
	}{
		{"healthy", true, healthy, []netip.Prefix{here}, nil, OK, "the service answers"},
		{"not set", true, healthy, nil, func(a *Address) { a.Public = "" }, Warning, "it is not set"},
		{"this machine without TLS", false, healthy, []netip.Prefix{here}, nil, OK, "the service answers"},
		{"another machine without TLS", false, healthy, nil, func(a *Address) { a.Public = "http://segel.example.test" }, Problem, "is not https"},
		{"no such name", true, healthy, nil, func(a *Address) {
			a.Public = "https://segel.example.test"
			a.Resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
		}, Problem, "cannot be resolved"},
		{"a private address", true, healthy, nil, nil, Warning, "was not tried"},
		{"a proxy without a service", true, proxy, []netip.Prefix{here}, nil, Problem, "502"},
		{"a proxy, and the service is stopped", true, proxy, []netip.Prefix{here}, stopped, Warning, "does not run"},
		{"a redirect", true, elsewhere, []netip.Prefix{here}, nil, Problem, "302"},
		{"another page", true, page, []netip.Prefix{here}, nil, Problem, "something other than the service"},
		{"nothing there", false, healthy, []netip.Prefix{here}, func(a *Address) { a.Public = closedPort(t, a) }, Problem, "nothing answers"},
		{"nothing there, and the service is stopped", false, healthy, []netip.Prefix{here}, func(a *Address) { a.Public = closedPort(t, a); stopped(a) }, Warning, "does not run"},
		{"a certificate that ends in 20 days", true, healthy, []netip.Prefix{here}, endsIn(20), Warning, "expires in 20 days"},
		{"a certificate that ends in 6 days", true, healthy, []netip.Prefix{here}, endsIn(6), Problem, "expires in 6 days"},
	} {
		a := newAddress(t, c.secure, c.answer, c.allowed...)
		if c.change != nil {
			c.change(&a)
		}
		requireFinding(t, c.name, a.Check(t.Context()), c.want, c.says)
	}
	a := newAddress(t, true, healthy, here)
	untrusted := a.HTTP.Transport
	a.HTTP = outbound.NewClient(outbound.Options{Allowed: []netip.Prefix{here}, Ports: portsOf(t, a.Public)}) // with the roots of the system
	t.Cleanup(a.HTTP.CloseIdleConnections)
	if found := a.Check(t.Context()); untrusted == nil || len(found) != 1 || found[0].Check != "tls" {
		t.Errorf("a certificate that is not trusted: %+v", found)
	}
}

// TestACertificateThatIsRenewedInTimeIsNoFinding takes certificates to the moment at which an ACME server is asked for the next one, and beyond.
func TestACertificateThatIsRenewedInTimeIsNoFinding(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		lifetime, left time.Duration
		want           State
	}{
		{398 * day, 22 * day, OK}, {398 * day, 20 * day, Warning}, {398 * day, 6 * day, Problem},
		{90 * day, 30 * day, OK}, {90 * day, 17 * day, Warning}, {90 * day, 6 * day, Problem},
		{45 * day, 15 * day, OK}, {45 * day, 8 * day, Warning}, {45 * day, 4 * day, Problem},
		{6 * day, 2 * day, OK}, {6 * day, 1 * day, Warning}, {6 * day, day / 2, Problem}, {6 * day, -day, Problem},
	} {
		if got := stateOfTLS(now.Add(c.left-c.lifetime), now.Add(c.left), now); got != c.want {
			t.Errorf("%v left of %v: %s, want %s", c.left, c.lifetime, got, c.want)
		}
	}
}

func portsOf(t *testing.T, address string) []uint16 {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return []uint16{uint16(port)}
}

// closedPort replaces the client by one for a port on which nothing listens any more, and returns its address.
func closedPort(t *testing.T, a *Address) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	a.HTTP = outbound.NewClient(outbound.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Ports: portsOf(t, s.URL)})
	return s.URL
}

// endsIn sets the clock to that many days before the end of the certificate of the test server.
func endsIn(days int) func(*Address) {
	return func(a *Address) {
		end := time.Time{}
		ask := a.HTTP.Transport
		a.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			answer, err := ask.RoundTrip(r)
			if err == nil {
				end = endOf(answer.TLS)
			}
			return answer, err
		})
		a.Now = func() time.Time { return end.AddDate(0, 0, -days).Add(-time.Hour) }
	}
}

func endOf(s *tls.ConnectionState) time.Time { return s.PeerCertificates[0].NotAfter }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestACheckThatHangsIsAProblemAndDelaysNoOther(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	begun := time.Now()
	found := Run(t.Context(), 50*time.Millisecond, []Check{
		{"hangs", func(context.Context) []Finding { <-hang; return nil }},
		{"waits", func(ctx context.Context) []Finding {
			<-ctx.Done()
			return []Finding{warnf("r", "it waited for %s", "a name")}
		}},
		{"works", func(context.Context) []Finding {
			return []Finding{okf("fine"), {Check: "named", State: OK, Text: "fine too"}}
		}},
	})
	var lines []string
	for _, f := range found {
		lines = append(lines, string(f.State)+" "+f.Check+": "+f.Text)
	}
	want := "problem hangs: it has not ended within 50ms\nwarning waits: it waited for a name\nok works: fine\nok named: fine too"
	if got := strings.Join(lines, "\n"); got != want || time.Since(begun) > 10*time.Second {
		t.Errorf("after %v:\n%s", time.Since(begun), got)
	}
}

// keysUntil returns two master keys, of which the first was retired at that time; zero: it is in use.
func keysUntil(retired time.Time) []store.MasterKey {
	at := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
	return []store.MasterKey{{ID: "k1", AnnouncedAt: at, UsedAt: at, RetiredAt: retired}, {ID: "k2", AnnouncedAt: at, UsedAt: at}}
}
