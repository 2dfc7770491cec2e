package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/authority/filestest"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/credential"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/peruri/recordtest"
	"segel/internal/emeterai/sandbox"
	"segel/internal/installation"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/pdf/pdftest"
)

// openStore opens an empty store for the duration of a test.
func openStore(t *testing.T, dsn string) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Migrating, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// onBothStores runs a test on each database. Open opens an empty store.
func onBothStores(t *testing.T, test func(t *testing.T, open func(*testing.T) *sqlstore.Store)) {
	t.Parallel()
	for name, dsn := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "segel.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T) *sqlstore.Store { return openStore(t, dsn(t)) })
		})
	}
}

func TestATableHoldsTheFilesOfAnAuthority(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(*testing.T) *sqlstore.Store) {
		filestest.Run(t, func(t *testing.T) authority.Files { return keyTable{open(t), time.Now} })
	})
}

// sampleKey is a master key as a setting has it, and otherKey another one.
var (
	sampleKey = base64.StdEncoding.EncodeToString([]byte("geheim-geheim-geheim-geheim-0001"))
	otherKey  = base64.StdEncoding.EncodeToString([]byte("geheim-geheim-geheim-geheim-0002"))
)

func TestANodeWithAnEmptyFolderServesTheInstallation(t *testing.T) {
	t.Parallel()
	server := s3test.StartServer(t)
	shared := append(onBucket(server), "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate), "SEGEL_STATE", config.StateDatabase, "SEGEL_PUBLIC_URL", "http://segel.test",
		"SEGEL_EVIDENCE", config.EvidenceOnRequest, "SEGEL_ANSWER_WITHIN", "10s")
	set := append(shared[:len(shared):len(shared)], "SEGEL_MASTER_KEY", sampleKey)
	var log bytes.Buffer
	dir := t.TempDir()
	a := starting{data: filepath.Join(dir, "a"), set: set, log: &log}.start(t)
	owner, signer := a.person(t, "Sari", ""), a.person(t, "Budi", "")
	stamped := func(owner, signer *client) int64 {
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		return id
	}
	first := stamped(owner, signer)
	waits := signable(owner, signer)
	whole := owner.download(first)
	a.stop()
	if _, err := os.Stat(filepath.Join(dir, "a", authorityDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the first node made a folder of keys: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", masterKeyFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the first node made a master key: %v", err)
	}

	b := starting{data: filepath.Join(dir, "b"), set: set, log: &log}.start(t)
	owner, signer = owner.on(b), signer.on(b)
	owner.do("GET", "/readyz", nil).ok()
	if got := owner.download(first); !bytes.Equal(got, whole) {
		t.Error("the second node has another file")
	}
	signer.verb("sign-docs", waits).ok()
	owner.completed(waits)
	if soundSignatures(t, owner.download(waits)) == 0 {
		t.Error("the document has no signature")
	}
	if !a.authority.Root().Equal(b.authority.Root()) || a.authority.Timestamper().Chain[0].SerialNumber.Cmp(b.authority.Timestamper().Chain[0].SerialNumber) != 0 {
		t.Error("the second node has another authority")
	}
	if soundSignatures(t, owner.download(stamped(owner, signer))) < 2 {
		t.Error("a document that the second node stamped has no signature of the office")
	}
	if all, err := b.stamping.Office.ListSerials(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("the office of the second node knows %v, %v", all, err)
	}
	if said := runFsck(t, filepath.Join(dir, "b"), environ(set), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}
	b.stop()
	if strings.Contains(log.String(), sampleKey) {
		t.Error("the master key is in the log")
	}

	other := append(shared[:len(shared):len(shared)], "SEGEL_MASTER_KEY", otherKey)
	failing := filepath.Join(dir, "failing")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\necho "+sampleKey+" >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set  []string
		want installation.Problem
	}{
		"with another master key":   {other, installation.KeysLocked},
		"without a master key":      {append(shared[:len(shared):len(shared)], "SEGEL_MASTER_KEY_FILE", filepath.Join(dir, "gone")), installation.KeyFileMissing},
		"with a command that fails": {append(shared[:len(shared):len(shared)], "SEGEL_MASTER_KEY_COMMAND", failing), installation.MasterKeyUnread},
		"with an empty bucket":      {append(set[:len(set):len(set)], "SEGEL_S3_PREFIX", "other/"), installation.BlobsUnmarked},
		"with another database":     {append(set[:len(set):len(set)], "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)), installation.DatabaseMissing},
		"with keys in a folder":     {append(set[:len(set):len(set)], "SEGEL_STATE", config.StateFolder), installation.KeysMoved},
	} {
		flags := map[string]string{"SEGEL_DATA_DIR": filepath.Join(dir, "c")}
		for i := 0; i+1 < len(c.set); i += 2 {
			flags[c.set[i]] = c.set[i+1]
		}
		conf, err := config.Load(nil, flags)
		if err != nil {
			t.Fatal(err)
		}
		started, err := openApp(t.Context(), conf, a.log, creating)
		if err == nil {
			started.close()
		}
		var refused *installation.Error
		if !errors.As(err, &refused) || refused.Problem != c.want || strings.Contains(err.Error(), sampleKey) || strings.Contains(err.Error(), otherKey) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestATableHoldsWhatTheStampOfficeReturned(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(*testing.T) *sqlstore.Store) {
		recordtest.Run(t, func(t *testing.T) recordtest.Records { return officeRecords{open(t)} })
	})
}

// openSandboxOn opens the sandbox office with its journal in a store.
func openSandboxOn(t *testing.T, s *sqlstore.Store, o sandbox.Options) *sandbox.Office {
	t.Helper()
	office, err := sandbox.OpenRows(t.Context(), officeRows{s, officeDir}, o)
	if err != nil {
		t.Fatal(err)
	}
	return office
}

// newSandboxOptions returns the options of a sandbox office with a new authority.
func newSandboxOptions(t *testing.T) sandbox.Options {
	t.Helper()
	a, err := authority.NewEphemeral("https://segel.test", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Options{Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: sealer, PublicURL: "https://segel.test", Clock: time.Now, Random: rand.Reader}
}

func TestASandboxInATableOwesWhatEveryOfficeOwes(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(*testing.T) *sqlstore.Store) {
		o, stores := newSandboxOptions(t), map[string]*sqlstore.Store{}
		emeteraitest.Run(t, func(t *testing.T, dir string) emeterai.Stamper {
			if stores[dir] == nil {
				stores[dir] = open(t)
			}
			return openSandboxOn(t, stores[dir], o)
		})
	})
}

func TestManyNodesShareOneSandbox(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(*testing.T) *sqlstore.Store) {
		const nodes, orders = 3, 8
		s, o := open(t), newSandboxOptions(t)
		var mu sync.Mutex // guards serials
		serials := map[string]map[string]bool{}
		var all sync.WaitGroup
		for range nodes {
			office := openSandboxOn(t, s, o)
			for i := range orders {
				all.Go(func() {
					order := fmt.Sprint("order ", i)
					serial, err := office.BuySerial(t.Context(), emeteraitest.NewOrder(order))
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					if serials[order] == nil {
						serials[order] = map[string]bool{}
					}
					serials[order][serial] = true
				})
			}
		}
		all.Wait()
		distinct := map[string]bool{}
		for order, of := range serials {
			if len(of) != 1 {
				t.Errorf("%s has serials %v", order, of)
			}
			maps.Copy(distinct, of)
		}
		listed, err := openSandboxOn(t, s, o).ListSerials(t.Context())
		if err != nil || len(listed) != orders || len(distinct) != orders {
			t.Errorf("%d serials are issued, and %d listed, %v", len(distinct), len(listed), err)
		}

		// Of two nodes that affix one serial to two sources, one does.
		serial, affixed := listed[0].Serial, atomic.Int32{}
		for i := range 2 {
			office := openSandboxOn(t, s, o)
			all.Go(func() {
				switch _, err := office.Stamp(t.Context(), emeteraitest.NewRequest(t, serial, pdftest.Table(1+i))); {
				case err == nil:
					affixed.Add(1)
				case emeterai.ClassOf(err) != emeterai.Permanent:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if affixed.Load() != 1 {
			t.Errorf("%d nodes affixed the serial", affixed.Load())
		}
	})
}

func TestAJournalInATableWithAGapStopsTheOffice(t *testing.T) {
	t.Parallel()
	s, o := openStore(t, filepath.Join(t.TempDir(), "segel.db")), newSandboxOptions(t)
	emeteraitest.BuySerial(t, openSandboxOn(t, s, o), "a")
	if err := s.AddOfficeEntry(t.Context(), officeDir, 7, []byte("{}"), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.OpenRows(t.Context(), officeRows{s, officeDir}, o); err == nil || !strings.Contains(err.Error(), "entry 3 is missing") {
		t.Error(err)
	}
}

func TestWhatTheOfficeRecordedIsCopiedToTheDatabase(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(*testing.T) *sqlstore.Store) {
		s, o, data := open(t), newSandboxOptions(t), t.TempDir()
		a := &app{conf: config.Config{DataDir: data}, store: s}
		requireCopied := func(records int, entries int64) {
			t.Helper()
			if n, m, err := a.copyOfficeToDatabase(t.Context()); n != records || m != entries || err != nil {
				t.Errorf("%d records and %d entries, %v; want %d and %d", n, m, err, records, entries)
			}
		}
		requireCopied(0, 0)
		folder, err := peruri.OpenFolder(filepath.Join(data, officeDir), false)
		if err != nil {
			t.Fatal(err)
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx, now := t.Context(), time.Now()
		must(folder.StoreRecord(ctx, "S1", []byte(`{"serial":"S1","picture":"cGljdHVyZQ=="}`)))
		must(folder.StoreRecord(ctx, "S2", []byte(`{"serial":"S2"}`)))
		must(folder.RetireRecord(ctx, "S2", now))
		bought := map[string]string{}
		buy := func(name, order string) {
			office, err := sandbox.Open(filepath.Join(data, name), o)
			must(err)
			bought[name+order] = emeteraitest.BuySerial(t, office, order)
			must(office.Close())
		}
		buy(officeDir, "a")
		buy(testOfficeDir, "a")
		requireCopied(2, 4)
		buy(officeDir, "b") // a service went on, because the copy was interrupted before its end
		requireCopied(2, 5)
		requireCopied(2, 5)

		in := officeRecords{s}
		must(in.RemoveRetired(ctx, now.Add(time.Hour)))
		for serial, want := range map[string]string{"S1": `{"serial":"S1","picture":"cGljdHVyZQ=="}`, "S2": ""} {
			if got, err := in.FindRecord(ctx, serial); string(got) != want || err != nil {
				t.Errorf("%s: %q, %v", serial, got, err)
			}
		}
		copied := openSandboxOn(t, s, o)
		if emeteraitest.BuySerial(t, copied, "a") != bought[officeDir+"a"] || emeteraitest.BuySerial(t, copied, "b") != bought[officeDir+"b"] {
			t.Error("an order has another serial now")
		}
		if bought[officeDir+"a"] == bought[testOfficeDir+"a"] {
			t.Error("both offices have one journal")
		}
	})
}

func TestKeysAreCopiedToTheDatabaseAndTheFolderIsRefusedFromThenOn(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		servedOnce(t, data, env)
		key := append(env[:len(env):len(env)], "SEGEL_STATE=database", "SEGEL_MASTER_KEY_FILE="+filepath.Join(data, masterKeyFile))
		run := func(env []string, args ...string) said {
			t.Helper()
			return runProgram(t, env, append(args, "--data", data)...)
		}
		if said := run(key, "serve"); said.status != 3 || !strings.Contains(said.text, "run segel state copy") {
			t.Errorf("before the copy: %d, %s", said.status, said.text)
		}
		wrong := append(env[:len(env):len(env)], "SEGEL_STATE=database", "SEGEL_MASTER_KEY="+otherKey)
		if said := run(wrong, "state", "copy"); said.status != 3 || strings.Contains(said.text, otherKey) || !strings.Contains(said.text, "does not open the keys") {
			t.Errorf("with another key: %d, %s", said.status, said.text)
		}
		p, err := launch(data, env...)
		if err != nil {
			t.Fatal(err)
		}
		if said := run(key, "state", "copy"); said.status != 1 || !strings.Contains(said.text, "stop it first") {
			t.Errorf("beside a service: %d, %s", said.status, said.text)
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		for _, says := range []string{"3 files of keys copied, 0 records of the stamp office, 0 entries of the sandbox", "uses the database already"} {
			if said := run(key, "state", "copy"); said.status != 0 || !strings.Contains(said.text, says) {
				t.Errorf("%d, %s; want %s", said.status, said.text, says)
			}
		}
		for _, c := range [][]string{{"serve"}, {"authority", "export"}} {
			if said := run(env, c...); said.status != 3 || !strings.Contains(said.text, "set SEGEL_STATE=database") {
				t.Errorf("%v on the folder: %d, %s", c, said.status, said.text)
			}
		}
		// Without the note, which a crash may have left out, the database decides.
		if err := os.Remove(filepath.Join(data, authorityDir, movedFile)); err != nil {
			t.Fatal(err)
		}
		if said := run(env, "serve"); said.status != 3 || !strings.Contains(said.text, "set SEGEL_STATE=database") {
			t.Errorf("without the note: %d, %s", said.status, said.text)
		}
		servedOnce(t, data, key)
		if err := os.RemoveAll(filepath.Join(data, authorityDir)); err != nil {
			t.Fatal(err)
		}
		// A command that prints the key has none of our settings.
		program := filepath.Join(t.TempDir(), "print-key")
		if err := os.WriteFile(program, []byte("#!/bin/sh\nenv | grep -q ^SEGEL_ && exit 1\nexec base64 "+filepath.Join(data, masterKeyFile)+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		servedOnce(t, data, append(env[:len(env):len(env)], "SEGEL_STATE=database", "SEGEL_MASTER_KEY_COMMAND="+program))
		var out bytes.Buffer
		w := &environment{ctx: context.Background(), stdout: &out, stderr: &out, env: key}
		if status := w.runCommand([]string{"fsck", "--data", data}); status != 0 {
			t.Errorf("fsck: %s", &out)
		}
	})
}
