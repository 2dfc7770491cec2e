package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/config"
	"segel/internal/emeterai/peruri"
	"segel/internal/installation"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// copyStateTo runs segel state copy, and requires that it says something.
func copyStateTo(t *testing.T, to, data string, status int, set []string, says string) {
	t.Helper()
	if said := runSegel(t, status, set, "state", "copy", "--to", to, "--data", data); !strings.Contains(said, says) {
		t.Errorf("%s; want %s", said, says)
	}
}

// listSerials returns the serials that the stamp office of a service issued, and requires that each was issued once.
func (s *service) listSerials(t *testing.T) (all []string) {
	t.Helper()
	issued, err := s.stamping.Office.ListSerials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range issued {
		all = append(all, i.Serial)
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) {
		t.Errorf("%d of %d serials are distinct", n, len(all))
	}
	return all
}

func TestKeysAreMovedBackToAFolderAndOnlyThatIsUsedFromThenOn(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), settings(env)
		inFolder := func(key string) []string { return append(slices.Clip(set), "SEGEL_MASTER_KEY", key) }
		inDatabase := func(key string) []string { return append(inFolder(key), "SEGEL_STATE", config.StateDatabase) }
		keys, records := filepath.Join(data, authorityDir), filepath.Join(data, officeDir, "serials")
		var owner, signer *client
		files, serials := map[int64][]byte{}, 0
		// serve signs and stamps another document, and requires that the earlier ones are as they were.
		serve := func(set []string) {
			t.Helper()
			s := starting{data: data, set: set}.start(t)
			defer s.stop()
			if owner == nil {
				owner, signer = s.person(t, "Sari", ""), s.person(t, "Budi", "")
			}
			owner, signer = owner.on(s), signer.on(s)
			id := signed(owner, signer)
			files[id] = owner.download(id)
			if soundSignatures(t, files[id]) < 2 {
				t.Errorf("document %d lacks a signature", id)
			}
			for id, before := range files {
				if !bytes.Equal(owner.download(id), before) {
					t.Errorf("document %d is another file", id)
				}
			}
			if all := s.listSerials(t); len(all) != len(files) {
				t.Errorf("%d serials for %d documents", len(all), len(files))
			}
			serials = len(files)
		}
		requireSound := func(set []string) {
			t.Helper()
			if said := runFsck(t, data, environ(set), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
				t.Errorf("fsck: %s", said)
			}
		}
		serve(inFolder(sampleKey))
		copyStateTo(t, "folder", data, 1, inFolder(sampleKey), "it uses a folder")
		copyStateTo(t, "database", data, 0, inDatabase(sampleKey), "uses the database from now on")
		former := filepath.Join(t.TempDir(), "former")
		if err := os.CopyFS(former, os.DirFS(keys)); err != nil {
			t.Fatal(err)
		}
		serve(inDatabase(sampleKey))

		// The copy in the folder is under a former master key then, and its records are earlier ones.
		func() {
			s := starting{data: data, set: append(masterKeys(set, otherKey, sampleKey), "SEGEL_STATE", config.StateDatabase)}.start(t)
			defer s.stop()
			for serial, retired := range map[string]time.Time{"S1": {}, "S2": time.Now()} {
				if err := s.store.StoreOfficeRecord(t.Context(), serial, fmt.Appendf(nil, `{"serial":%q}`, serial)); err != nil {
					t.Fatal(err)
				}
				if !retired.IsZero() {
					if err := s.store.RetireOfficeRecord(t.Context(), serial, retired); err != nil {
						t.Fatal(err)
					}
				}
			}
		}()
		if r := rotate(t, data, append(masterKeys(set, otherKey, sampleKey), "SEGEL_STATE", config.StateDatabase), 0); !r.Complete {
			t.Errorf("%+v", r)
		}
		removed, err := peruri.OpenFolder(filepath.Join(data, officeDir), false)
		if err == nil {
			err = removed.StoreRecord(t.Context(), "S0", []byte(`{"serial":"S0"}`))
		}
		if err != nil {
			t.Fatal(err)
		}

		copyStateTo(t, "folder", data, 1, inDatabase(otherKey), "set SEGEL_STATE to folder")
		copyStateTo(t, "folder", data, 3, inFolder(sampleKey), "values are sealed under master key")
		func() {
			s := starting{data: data, set: inDatabase(otherKey)}.start(t)
			defer s.stop()
			copyStateTo(t, "folder", data, 1, inFolder(otherKey), "stop it first")
		}()
		alien := filepath.Join(keys, "tsa-7.json")
		if err := os.WriteFile(alien, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		copyStateTo(t, "folder", data, 1, inFolder(otherKey), "tsa-7.json, which the database does not have")
		if err := os.Remove(alien); err != nil {
			t.Fatal(err)
		}
		startRefused(t, data, inFolder(otherKey), installation.KeysMoved)
		copyStateTo(t, "folder", data, 0, inFolder(otherKey), "files of keys moved, 2 records of the stamp office")
		copyStateTo(t, "folder", data, 0, inFolder(otherKey), "already")
		for name, want := range map[string]bool{"S0.json": false, "S0.done": true, "S1.json": true, "S2.json": false, "S2.done": true} {
			if _, err := os.Stat(filepath.Join(records, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		startRefused(t, data, inDatabase(otherKey), installation.KeysInFolder)
		requireSound(inFolder(otherKey))
		serve(inFolder(otherKey))
		backupTo := filepath.Join(t.TempDir(), "backup")
		makeBackup(t, data, inFolder(otherKey), 0, backupTo)

		// An earlier copy is refused, also without its note, and neither is it copied.
		used := keys + "-used"
		if err := errors.Join(os.Rename(keys, used), os.CopyFS(keys, os.DirFS(former))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			startRefused(t, data, inFolder(sampleKey), installation.KeysFormer)
			copyStateTo(t, "database", data, 3, inDatabase(sampleKey), "an earlier copy")
			if err := os.Remove(filepath.Join(keys, movedFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.RemoveAll(keys), os.Rename(used, keys)); err != nil {
			t.Fatal(err)
		}

		copyStateTo(t, "database", data, 0, inDatabase(otherKey), "uses the database from now on")
		startRefused(t, data, inFolder(otherKey), installation.KeysMoved)
		serve(inDatabase(otherKey))
		requireSound(inDatabase(otherKey))
		if serials != 4 {
			t.Errorf("%d serials", serials)
		}
	})
}

// copyKilled runs segel state copy in a process that ends with SIGKILL after so many effects, and reports whether it came to that.
func copyKilled(t *testing.T, to, data string, set []string, after int) bool {
	t.Helper()
	return runKilled(t, set, after, "state", "copy", "--to", to, "--data", data)
}

// runKilled is copyKilled for a command.
func runKilled(t *testing.T, set []string, after int, args ...string) bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := &exec.Cmd{
		Path: exe, Args: append([]string{mortalSegel}, args...), Env: append(environ(set), "TZ=UTC", killAfterVariable+"="+fmt.Sprint(after)),
		Stdout: &said, Stderr: &said,
	}
	err = c.Run()
	if err == nil {
		return false
	}
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("to be killed after %d effects: %v: %s", after, err, &said)
	}
	return true
}

func TestAMoveOfKeysSurvivesSIGKILLAfterEachOfItsEffects(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), append(settings(env), "SEGEL_MASTER_KEY", sampleKey)
		places := map[string][]string{
			config.StateFolder:   slices.Clip(set),
			config.StateDatabase: append(slices.Clip(set), "SEGEL_STATE", config.StateDatabase),
		}
		s := starting{data: data, set: places[config.StateFolder]}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		whole := map[int64][]byte{}
		sign := func() {
			t.Helper()
			id := signed(owner, signer)
			whole[id] = owner.download(id)
		}
		sign()
		s.stop()
		// usedPlace returns the one that opens, and requires that the other is refused.
		usedPlace := func() (used string) {
			t.Helper()
			for name, set := range places {
				said := runProgram(t, environ(set), "authority", "export", "--data", data)
				if said.status == 0 && used != "" {
					t.Fatal("both are used")
				}
				if said.status == 0 {
					used = name
				} else if said.status != 3 {
					t.Errorf("%s: %d, %s", name, said.status, said.text)
				}
			}
			if used == "" {
				t.Fatal("neither is used")
			}
			return used
		}
		from := config.StateFolder
		for _, to := range []string{config.StateDatabase, config.StateFolder, config.StateDatabase} {
			n := 1
			moved := 0 // effects until it was used
			for ; copyKilled(t, to, data, places[to], n); n++ {
				used := usedPlace()
				if used == to && moved == 0 {
					moved = n
				}
				if (used == to) != (moved > 0) {
					t.Fatalf("after %d effects of a copy to the %s, the %s is used", n, to, used)
				}
				if n == 3 { // a service goes on with what is used: a repetition copies that, too
					s = starting{data: data, set: places[used]}.start(t)
					owner, signer = owner.on(s), signer.on(s)
					sign()
					s.stop()
				}
			}
			if n < 6 || moved < 5 {
				t.Errorf("a copy to the %s was killed %d times, and the place changed after %d effects", to, n-1, moved)
			}
			copyStateTo(t, to, data, 0, places[to], "already")
			if used := usedPlace(); used != to {
				t.Fatalf("the %s is used", used)
			}
			s = starting{data: data, set: places[to]}.start(t)
			owner, signer = owner.on(s), signer.on(s)
			sign()
			for id, before := range whole {
				if !bytes.Equal(owner.download(id), before) {
					t.Errorf("document %d is another file", id)
				}
			}
			if all := s.listSerials(t); len(all) != len(whole) {
				t.Errorf("%d serials for %d documents", len(all), len(whole))
			}
			place, err := s.store.StatePlace(t.Context())
			if err != nil || (place.Mark != nil) != (to == config.StateDatabase) || (place.Folder != nil) != (to == config.StateFolder) {
				t.Errorf("%+v, %v", place, err)
			}
			s.stop()
			if said := runFsck(t, data, environ(places[to]), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
				t.Errorf("fsck: %s", said)
			}
			startRefused(t, data, places[from], map[string]installation.Problem{config.StateFolder: installation.KeysMoved, config.StateDatabase: installation.KeysInFolder}[from])
			from = to
		}
	})
}

func TestAMoveToAFolderIsRefusedIfTheDatabaseChangesMeanwhile(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), append(settings(env), "SEGEL_MASTER_KEY", sampleKey)
		inDatabase := append(slices.Clip(set), "SEGEL_STATE", config.StateDatabase)
		s := starting{data: data, set: inDatabase}.start(t)
		conf := s.conf
		conf.State = config.StateFolder
		s.stop()
		added, err := openDatabase(t.Context(), conf, proc.NewClock(time.Now, 0), writing, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer added.Close()
		var out bytes.Buffer
		a := &app{conf: conf, log: s.log, clock: time.Now, store: added}
		times := 0
		a.afterEffect = func() {
			if times++; times == 1 {
				if err := added.AddKeyFile(t.Context(), "tsa-2.json", []byte("{}"), time.Now()); err != nil {
					t.Error(err)
				}
			}
		}
		if err := a.moveStateToFolder(&environment{ctx: t.Context(), stdout: &out}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%v, %s", err, &out)
		}
		if place, err := added.StatePlace(t.Context()); err != nil || place.Mark == nil {
			t.Errorf("%+v, %v", place, err)
		}
	})
}

// TestAServiceThatWasOpenedBeforeAMoveAndJoinsAfterItIsRefused opens a service on PostgreSQL, where no lock of a folder excludes it, and lets it join when its keys were moved
// or its authority was replaced.
func TestAServiceThatWasOpenedBeforeAMoveAndJoinsAfterItIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := []string{"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate), "SEGEL_MASTER_KEY", sampleKey}
	data, inDatabase := filepath.Join(dir, "data"), append(slices.Clip(set), "SEGEL_STATE", config.StateDatabase)
	servedOnce(t, data, environ(inDatabase))
	flags := map[string]string{"SEGEL_DATA_DIR": data}
	for i := 0; i+1 < len(inDatabase); i += 2 {
		flags[inDatabase[i]] = inDatabase[i+1]
	}
	conf, err := config.Load(nil, flags)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *app {
		t.Helper()
		a, err := openApp(t.Context(), conf, (&environment{stderr: &bytes.Buffer{}}).newLogger(conf), creating)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	join := func(a *app) error {
		t.Helper()
		if err := a.joinProcesses(t.Context()); err != nil {
			t.Fatal(err)
		}
		return a.checkInstallation(t.Context())
	}
	a := open()
	runSegel(t, 0, inDatabase, "adopt", "--new-authority", "--yes", "--aside", filepath.Join(dir, "aside"), "--data", data)
	var refused *installation.Error
	if err := join(a); !errors.As(err, &refused) || refused.Problem != installation.AuthorityOfAnother {
		t.Errorf("with the former authority: %v", err)
	}
	a.close()
	a = open()
	copyStateTo(t, "folder", data, 0, set, "from now on")
	if err := join(a); !errors.As(err, &refused) || refused.Problem != installation.KeysInFolder {
		t.Errorf("after the move: %v", err)
	}
	if err := a.keyFiles().CreateFile(t.Context(), "tsa-2.json", []byte("{}")); !errors.Is(err, store.ErrInFolder) {
		t.Errorf("a successor: %v", err)
	}
	if err := (officeRecords{a.store}).StoreRecord(t.Context(), "S1", []byte("{}")); !errors.Is(err, store.ErrInFolder) {
		t.Errorf("a record: %v", err)
	}
	a.close()
}

func TestAFolderThatKeysWereMovedToIsRestoredFromBackupsOrAdopted(t *testing.T) {
	t.Parallel()
	data, set := newDataFolder(t), []string{"SEGEL_MASTER_KEY", sampleKey}
	servedOnce(t, data, environ(append(slices.Clip(set), "SEGEL_STATE", config.StateDatabase)))
	copyStateTo(t, "folder", data, 0, set, "from now on")
	servedOnce(t, data, environ(set))
	dir := t.TempDir()
	phrase := filepath.Join(dir, "phrase")
	if err := os.WriteFile(phrase, []byte("kata sandi cadangan yang panjang\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, keyBackup := filepath.Join(data, authorityDir), filepath.Join(dir, "keys.age")
	runSegel(t, 0, set, "master-key", "backup", keyBackup, "--passphrase-file", phrase, "--data", data)
	makeBackup(t, data, set, 0, filepath.Join(dir, "backup"))

	restored := filepath.Join(dir, "restored")
	runSegel(t, 0, set, "restore", filepath.Join(dir, "backup"), "--data", restored)
	servedOnce(t, restored, environ(set))

	if err := os.Rename(keys, keys+"-lost"); err != nil {
		t.Fatal(err)
	}
	startRefused(t, data, set, installation.KeyFileMissing)
	runSegel(t, 0, set, "master-key", "restore", keyBackup, "--passphrase-file", phrase, "--data", data)
	servedOnce(t, data, environ(set))

	mark := filepath.Join(keys, store.KeyFolderFile)
	former, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	startRefused(t, data, set, installation.KeysFormer)
	runSegel(t, 3, set, "master-key", "restore", keyBackup, "--passphrase-file", phrase, "--data", data)
	if said := runSegel(t, 0, set, "adopt", "--yes", "--data", data); !strings.Contains(said, "moved to another folder since") {
		t.Error(said)
	}
	servedOnce(t, data, environ(set))
	// The folder that was named before comes back.
	if err := os.WriteFile(mark, former, 0o600); err != nil {
		t.Fatal(err)
	}
	startRefused(t, data, set, installation.KeysFormer)
}
