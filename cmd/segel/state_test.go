package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/authority/filestest"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/installation"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
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

func TestATableHoldsTheFilesOfAnAuthority(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "segel.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filestest.Run(t, func(t *testing.T) authority.Files { return keyTable{openStore(t, dsn(t)), time.Now} })
		})
	}
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
	first := signable(owner, signer)
	signer.verb("sign-docs", first).ok()
	owner.completed(first)
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
		for _, says := range []string{"3 files of keys copied", "uses the database already"} {
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
		servedOnce(t, data, key)
		var out bytes.Buffer
		w := &environment{ctx: context.Background(), stdout: &out, stderr: &out, env: key}
		if status := w.runCommand([]string{"fsck", "--data", data}); status != 0 {
			t.Errorf("fsck: %s", &out)
		}
	})
}
