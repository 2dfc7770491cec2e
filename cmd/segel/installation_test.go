package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/installation"
	proc "segel/internal/process"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// said is a process's exit status and output.
type said struct {
	status int
	text   string
}

// runProgram runs the program as a separate process, and kills it after a time limit: a service that should have refused to
// start would run on.
func runProgram(t *testing.T, env []string, args ...string) said {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out stopper
	out.stop = cancel
	c := exec.CommandContext(ctx, exe)
	c.Args = append([]string{segel}, args...)
	c.Env = append([]string{"TZ=UTC", "SEGEL_CONVERT=off", "SEGEL_LISTEN=127.0.0.1:0"}, env...)
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said{c.ProcessState.ExitCode(), out.String()}
}

// stopper ends a service once it prints that it listens.
type stopper struct {
	mu   sync.Mutex
	b    bytes.Buffer
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Write(p)
	if strings.Contains(s.b.String(), "listens on") {
		s.stop()
	}
	return len(p), nil
}

func (s *stopper) String() string { return s.b.String() }

// files returns the contents of a folder: files with their digests, and folders.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		found[file] = ""
		if e.Type().IsRegular() {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			found[file] = fmt.Sprintf("%x", sha256.Sum256(b))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// requireUnchanged requires that a folder is as it was.
func requireUnchanged(t *testing.T, what, dir string, before map[string]string) {
	t.Helper()
	after := files(t, dir)
	for file, digest := range after {
		if was, there := before[file]; !there {
			t.Errorf("%s made %s", what, file)
		} else if was != digest {
			t.Errorf("%s changed %s", what, file)
		}
	}
	for file := range before {
		if _, there := after[file]; !there {
			t.Errorf("%s removed %s", what, file)
		}
	}
}

// Commands by their access. Each is complete except for the data folder.
func readingCommands(t *testing.T) [][]string {
	return [][]string{
		{"fsck"}, {"quota", "show"}, {"quota", "export"}, {"audit", "checkpoint"}, {"audit", "key"},
		{"authority", "export"}, {"authority", "list"}, {"clock", "show"}, {"verify", "--online", testFile(t)},
	}
}

func writingCommands(t *testing.T) [][]string {
	secret := filepath.Join(t.TempDir(), "pw")
	if err := os.WriteFile(secret, []byte("kata sandi yang panjang\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return [][]string{
		{"user", "add", "--email", "siti@example.test", "--name", "Siti", "--password-file", secret},
		{"quota", "add", "--org", "Segel", "--unit", "emet", "--count", "1", "--reason", "test"},
		{"fsck", "--remove"}, {"renew"}, {"clock", "confirm", "--yes"}, {"reconcile"},
		{"sign", testFile(t), filepath.Join(t.TempDir(), "signed.pdf")},
	}
}

func testFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kontrak.pdf")
	if err := os.WriteFile(file, simple(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// onBothDatabases runs a test on each database, with the environment that selects it.
func onBothDatabases(t *testing.T, test func(t *testing.T, env []string)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, nil)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)})
	})
}

// servedOnce starts the service once on a folder, which creates an installation.
func servedOnce(t *testing.T, data string, env []string) {
	t.Helper()
	p, err := launch(data, env...)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
}

func TestNoCommandCreatesWhatIsMissing(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		servedOnce(t, data, env)
		aside := filepath.Join(t.TempDir(), "aside")
		commands := slices.Concat(readingCommands(t), writingCommands(t), [][]string{{"serve"}})
		for _, part := range []struct {
			name, says string
			sqlite     bool // with SQLite only
		}{
			{name: "authority/authority.json", says: "authority.json is missing"},
			{name: "master.key", says: "master.key is missing"},
			{name: "authority", says: "authority/authority.json is missing"},
			{name: "authority/installation", says: "key folder .*/authority has no installation mark"},
			{name: "blobs", says: "blobs has no installation mark: is the volume mounted?"},
			{name: "blobs/installation", says: "blobs has no installation mark: is the volume mounted?"},
			{name: "segel.db", says: "segel.db is missing or empty, but .*/authority belongs to installation", sqlite: true},
		} {
			if part.sqlite && env != nil {
				continue
			}
			t.Run(part.name, func(t *testing.T) {
				if err := os.Rename(filepath.Join(data, part.name), aside); err != nil {
					t.Fatal(err)
				}
				if part.name == "blobs" { // an unmounted volume leaves an empty folder
					if err := os.Mkdir(filepath.Join(data, part.name), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				before := files(t, data)
				for _, c := range commands {
					// What is missing is found before the database is opened or right after, the same way on PostgreSQL.
					if env != nil && c[0] != "serve" && !isSampled(part.name+" "+c[0], 3) {
						continue
					}
					got := runProgram(t, env, append(c, "--data", data)...)
					if got.status != 3 || !matches(part.says, got.text) {
						t.Errorf("%v: %d, %s", c, got.status, got.text)
					}
					requireUnchanged(t, strings.Join(c, " "), data, before)
				}
				if part.name == "blobs" {
					if err := os.Remove(filepath.Join(data, part.name)); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Rename(aside, filepath.Join(data, part.name)); err != nil {
					t.Fatal(err)
				}
			})
		}
		// After restoring the part, the service starts.
		servedOnce(t, data, env)
	})
}

func TestACheckingCommandWritesNothing(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		servedOnce(t, data, env)
		before := files(t, data)
		for _, c := range readingCommands(t) {
			got := runProgram(t, env, append(c, "--data", data)...)
			want := 0
			if c[0] == "verify" {
				want = 1 // the file has no signature
			}
			if got.status != want {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
			requireUnchanged(t, strings.Join(c, " "), data, before)
		}
		for _, c := range writingCommands(t) {
			if got := runProgram(t, env, append(c, "--data", data)...); got.status != 0 {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
		}
	})
}

func TestAMistypedPathIsNamedAndNothingIsMade(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	empty := filepath.Join(top, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	before := files(t, top)
	for _, data := range []string{filepath.Join(top, "nowhere"), empty} {
		for _, c := range slices.Concat(readingCommands(t), writingCommands(t), [][]string{{"adopt", "--yes"}}) {
			got := runProgram(t, nil, append(c, "--data", data)...)
			if got.status != 3 || !strings.Contains(got.text, data+" holds no installation") {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
			requireUnchanged(t, strings.Join(c, " "), top, before)
		}
		if got := runProgram(t, nil, "migrate", "--data", data); got.status == 0 || !strings.Contains(got.text, filepath.Join(data, "segel.db")) {
			t.Errorf("migrate: %d, %s", got.status, got.text)
		}
		requireUnchanged(t, "migrate", top, before)
		if got := runProgram(t, nil, "serve", "--migrate=off", "--data", data); got.status == 0 || !strings.Contains(got.text, "--migrate=auto") {
			t.Errorf("serve: %d, %s", got.status, got.text)
		}
		requireUnchanged(t, "serve", top, before)
	}
}

func TestADatabaseIsNotServedWithKeysOrBlobsOfAnotherInstallation(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		one, other := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "other")
		servedOnce(t, one, env)
		servedOnce(t, other, nil)
		idOf := func(data string) string {
			id, err := installation.ReadMark(t.Context(), authority.Folder(filepath.Join(data, authorityDir)), "")
			if err != nil {
				t.Fatal(err)
			}
			return string(id)
		}
		swap := func(names ...string) {
			for _, name := range names {
				for _, move := range [][2]string{{one + "/" + name, one + "/swapped"}, {other + "/" + name, one + "/" + name}, {one + "/swapped", other + "/" + name}} {
					if err := os.Rename(move[0], move[1]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		a, b := idOf(one), idOf(other)
		for _, part := range []struct {
			names []string
			says  string
		}{
			{[]string{"authority", "master.key"}, "database belongs to installation " + a + ", the keys in .* to " + b},
			{[]string{"authority"}, "database belongs to installation " + a + ", the keys in .* to " + b},
			{[]string{"blobs"}, "database belongs to installation " + a + ", the blob folder .* to " + b},
			{[]string{"master.key"}, "master.key does not open the keys in .*/authority"},
			{[]string{"authority/authority.json"}, "master.key does not open the keys in .*/authority"},
			{[]string{"authority/authority.json", "authority/guests.json", "master.key"}, "authority in .*/authority is not the one of installation " + a},
		} {
			swap(part.names...)
			for _, c := range [][]string{{"serve"}, {"fsck"}, {"quota", "show"}} {
				if got := runProgram(t, env, append(c, "--data", one)...); got.status != 3 || !matches(part.says, got.text) {
					t.Errorf("%v with another's %v: %d, %s", c, part.names, got.status, got.text)
				}
			}
			swap(part.names...)
		}
		servedOnce(t, one, env)
	})
}

func TestAFreshDataFolderDoesNotTakeADatabaseInUse(t *testing.T) {
	t.Parallel()
	env := []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)}
	servedOnce(t, filepath.Join(t.TempDir(), "data"), env)
	fresh := filepath.Join(t.TempDir(), "fresh")
	for range 2 { // nor at the second start
		got := runProgram(t, env, "serve", "--data", fresh)
		if got.status != 3 || !strings.Contains(got.text, "master.key is missing") {
			t.Errorf("%d, %s", got.status, got.text)
		}
	}
	requireUnchanged(t, "serve", fresh, nil)
	// Keys and blobs do not adopt an empty database either.
	data := filepath.Join(t.TempDir(), "data")
	servedOnce(t, data, nil)
	empty := []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)}
	got := runProgram(t, empty, "serve", "--data", data)
	if got.status != 3 || !matches("database in PostgreSQL is missing or empty, but .*/authority belongs to installation", got.text) {
		t.Errorf("%d, %s", got.status, got.text)
	}
}

func TestManyThatStartOnAnEmptyDatabaseAgreeOnOneInstallation(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		var all sync.WaitGroup
		var mu sync.Mutex
		ids, roots := map[string]bool{}, map[string]bool{}
		for range 6 {
			all.Go(func() {
				conf, err := dataFlag{Data: data}.loadConfig(&environment{env: env}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				a, err := openApp(t.Context(), conf, (&environment{stderr: os.Stderr}).newLogger(conf), creating)
				if err != nil {
					t.Error(err)
					return
				}
				defer a.close()
				mu.Lock()
				defer mu.Unlock()
				ids[a.installation.ID], roots[string(a.authority.RootPEM())] = true, true
			})
		}
		all.Wait()
		if len(ids) != 1 || len(roots) != 1 {
			t.Errorf("%d installations, %d authorities", len(ids), len(roots))
		}
	})
}

func TestOfTwoFoldersOnOneEmptyDatabaseOneIsServed(t *testing.T) {
	t.Parallel()
	env := []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)}
	var all sync.WaitGroup
	var mu sync.Mutex
	opened := 0
	for range 4 {
		data := filepath.Join(t.TempDir(), "data")
		all.Go(func() {
			conf, err := dataFlag{Data: data}.loadConfig(&environment{env: env}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			a, err := openApp(t.Context(), conf, (&environment{stderr: os.Stderr}).newLogger(conf), creating)
			var e *installation.Error
			if errors.As(err, &e) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			a.close()
			mu.Lock()
			defer mu.Unlock()
			opened++
		})
	}
	all.Wait()
	if opened != 1 {
		t.Errorf("%d of 4 folders were taken", opened)
	}
}

// A crash between any two steps leaves a part of what creation makes. Existing parts are kept.
func TestACreationThatCrashedIsFinishedByTheNextStart(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		conf, err := dataFlag{Data: data}.loadConfig(&environment{env: env}, nil)
		if err != nil {
			t.Fatal(err)
		}
		step := func(do func(*app, installation.Found) error) (found installation.Found) {
			t.Helper()
			s, err := openDatabase(t.Context(), conf, proc.NewClock(time.Now, conf.ClockTolerance), creating, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			a := &app{conf: conf, store: s, clock: time.Now}
			found, _, err = a.findInstallation(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := do(a, found); err != nil {
				t.Fatal(err)
			}
			if found, _, err = a.findInstallation(t.Context()); err != nil {
				t.Fatal(err)
			}
			return found
		}
		begun := step(func(a *app, _ installation.Found) error { return a.beginCreation(t.Context()) })
		for _, c := range [][]string{{"fsck"}, {"user", "add", "--email", "a@example.test", "--name", "A", "--password-file", testFile(t)}} {
			if got := runProgram(t, env, append(c, "--data", data)...); got.status != 3 || !strings.Contains(got.text, "is not complete") {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
		}
		// Each iteration undoes the last commit and one more step.
		remove := []string{"", "authority/installation", "blobs/installation", "authority/authority.json"}
		for i := range remove {
			done := step(func(a *app, f installation.Found) error { return a.finishCreation(t.Context(), f) })
			if done.Recorded.CompletedAt.IsZero() || string(done.Keys) != begun.Recorded.ID || string(done.Blobs) != begun.Recorded.ID {
				t.Fatalf("without %q: %+v", remove[i], done)
			}
			step(func(a *app, f installation.Found) error {
				back := f.Recorded
				back.CompletedAt = begun.Recorded.CompletedAt
				for _, name := range remove[1 : i+1] {
					if err := os.Remove(filepath.Join(data, name)); err != nil {
						return err
					}
					if name == "authority/authority.json" {
						back.Authority = [32]byte{}
						for _, issuer := range []string{"authority/guests.json", "authority/contacts.json"} {
							if err := os.Remove(filepath.Join(data, issuer)); err != nil {
								return err
							}
						}
					}
				}
				return a.store.ReplaceInstallation(t.Context(), f.Recorded, back)
			})
		}
		servedOnce(t, data, env)
		// A recorded authority is not replaced, even before the creation has ended.
		step(func(a *app, f installation.Found) error {
			back := f.Recorded
			back.CompletedAt = begun.Recorded.CompletedAt
			return a.store.ReplaceInstallation(t.Context(), f.Recorded, back)
		})
		if err := os.Remove(filepath.Join(data, "authority/authority.json")); err != nil {
			t.Fatal(err)
		}
		if got := runProgram(t, env, "serve", "--data", data); got.status != 3 || !strings.Contains(got.text, "authority.json is missing") {
			t.Errorf("%d, %s", got.status, got.text)
		}
	})
}

// forget turns an installation into one of a release before identities.
func forget(t *testing.T, a *app) {
	t.Helper()
	var env []string
	if a.conf.Database != "" {
		env = []string{"SEGEL_DATABASE=" + a.conf.Database}
	}
	runSQL(t, a.conf.DataDir, env, `DELETE FROM installation`)
	for _, name := range []string{"authority/installation", "blobs/installation"} {
		if err := os.Remove(filepath.Join(a.conf.DataDir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// olderInstallation returns an installation of a release before identities, optionally with a completed document.
func olderInstallation(t *testing.T, documents bool, set ...string) (data string, blob string) {
	t.Helper()
	s := starting{set: append(set, "SEGEL_EVIDENCE", "request")}.start(t) // earlier releases made none
	if documents {
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		id := signable(owner, signer)
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		blob = referred(t, s)
	}
	forget(t, s.app)
	s.stop()
	return s.conf.DataDir, blob
}

func TestEarlierInstallationIsAdoptedIfAllEvidenceAgrees(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		var set []string
		for _, e := range env {
			name, value, _ := strings.Cut(e, "=")
			set = append(set, name, value)
		}
		data, _ := olderInstallation(t, true, set...)
		before := files(t, data)
		for _, c := range [][]string{{"fsck"}, {"quota", "add", "--org", "Segel", "--unit", "emet", "--count", "1", "--reason", "test"}} {
			if got := runProgram(t, env, append(c, "--data", data)...); got.status != 3 || !strings.Contains(got.text, "start segel serve once, or run segel adopt") {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
			requireUnchanged(t, c[0], data, before)
		}
		servedOnce(t, data, env)
		if got := runProgram(t, env, "fsck", "--data", data); got.status != 0 {
			t.Errorf("%d, %s", got.status, got.text)
		}
	})
}

func TestEarlierInstallationIsNotAdoptedWithoutItsBlobsOrKeys(t *testing.T) {
	t.Parallel()
	data, lost := olderInstallation(t, true)
	check := func(c []string, env []string, status int, says string) {
		t.Helper()
		if got := runProgram(t, env, append(c, "--data", data)...); got.status != status || !matches(says, got.text) {
			t.Errorf("%v: %d, %s", c, got.status, got.text)
		}
	}
	aside := filepath.Join(t.TempDir(), "aside")
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(lost, aside)
	check([]string{"serve"}, nil, 3, "1 of .* files of the newest documents are missing")
	check([]string{"adopt"}, nil, 1, "(?s)BUT: +1 of .* files.*nothing was adopted") // no confirmation was typed
	move(aside, lost)

	// Keys that an older program created silently are not those that issued the certificates.
	move(filepath.Join(data, authorityDir), aside)
	other := filepath.Join(t.TempDir(), "other")
	servedOnce(t, other, []string{"SEGEL_MASTER_KEY_FILE=" + filepath.Join(data, masterKeyFile)})
	if err := os.Remove(filepath.Join(other, authorityDir, "installation")); err != nil {
		t.Fatal(err)
	}
	move(filepath.Join(other, authorityDir), filepath.Join(data, authorityDir))
	check([]string{"serve"}, nil, 3, "the newest certificate in the database was issued by another authority")
	if err := os.RemoveAll(filepath.Join(data, authorityDir)); err != nil {
		t.Fatal(err)
	}
	check([]string{"serve"}, nil, 3, "authority.json is missing")
	check([]string{"adopt", "--yes"}, nil, 3, "authority.json is missing.*--new-authority makes another")
	move(aside, filepath.Join(data, authorityDir))
	servedOnce(t, data, nil)
}

func TestAdoptIsNeededWhereThereIsNothingToCompareAndAsks(t *testing.T) {
	t.Parallel()
	data, _ := olderInstallation(t, false)
	if got := runProgram(t, nil, "serve", "--data", data); got.status != 3 || !strings.Contains(got.text, "neither a document nor a certificate") {
		t.Errorf("%d, %s", got.status, got.text)
	}
	if got := runProgram(t, nil, "adopt", "--data", data, "--yes"); got.status != 0 || !strings.Contains(got.text, "database, keys and blobs are installation") {
		t.Errorf("%d, %s", got.status, got.text)
	}
	servedOnce(t, data, nil)
	if got := runProgram(t, nil, "adopt", "--data", data); got.status != 0 || !strings.Contains(got.text, "there is nothing to adopt") {
		t.Errorf("%d, %s", got.status, got.text)
	}
	// After a restore of files without their marks, adopt marks them again.
	for _, name := range []string{"authority/installation", "blobs/installation"} {
		if err := os.Remove(filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := runProgram(t, nil, "adopt", "--data", data, "--yes"); got.status != 0 {
		t.Errorf("%d, %s", got.status, got.text)
	}
	servedOnce(t, data, nil)
}

func TestReadinessEndsWithTheVolumeOfTheBlobs(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data)
	c := &client{service: p.service, t: t}
	c.do("GET", "/readyz", nil).ok()
	if err := os.Rename(filepath.Join(data, blobDir), filepath.Join(data, "unmounted")); err != nil {
		t.Fatal(err)
	}
	c.becomes("/readyz", http.StatusServiceUnavailable)
	if err := os.Rename(filepath.Join(data, "unmounted"), filepath.Join(data, blobDir)); err != nil {
		t.Fatal(err)
	}
	c.becomes("/readyz", http.StatusOK)
}

// becomes requests a path until it has that status: an answer may be up to a second old.
func (c *client) becomes(path string, status int) {
	c.t.Helper()
	for end := time.Now().Add(10 * checkInterval); ; {
		a := c.do("GET", path, nil)
		if a.status == status {
			return
		}
		if time.Now().After(end) {
			a.is(status)
		}
	}
}

func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }
