package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"segel/internal/authority"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/identity"
	"segel/internal/installation"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// sealerOf returns the sealer of a key in base64.
func sealerOf(t *testing.T, key string) *credential.Sealer {
	t.Helper()
	s, err := credential.KeyValue{Setting: "key", Encoded: key}.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// masterKeys returns settings with a current and a former master key.
func masterKeys(set []string, current, former string) []string {
	return append(slices.Clip(set), "SEGEL_MASTER_KEY", current, "SEGEL_FORMER_MASTER_KEY", former)
}

// rotate runs segel master-key rotate and returns its result.
func rotate(t *testing.T, data string, set []string, status int) (r rotation) {
	t.Helper()
	said := runSegel(t, status, set, "master-key", "rotate", "--json", "--data", data)
	if err := json.Unmarshal([]byte(said[:strings.Index(said, "\n")+1]), &r); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return r
}

// startRefused starts a service, and requires that it is refused.
func startRefused(t *testing.T, data string, set []string, want installation.Problem) {
	t.Helper()
	flags := map[string]string{"SEGEL_DATA_DIR": data}
	for i := 0; i+1 < len(set); i += 2 {
		flags[set[i]] = set[i+1]
	}
	conf, err := config.Load(nil, flags)
	if err != nil {
		t.Fatal(err)
	}
	a, err := openApp(t.Context(), conf, (&environment{stderr: &bytes.Buffer{}}).newLogger(conf), creating)
	if err == nil {
		a.close()
	}
	var refused *installation.Error
	if !errors.As(err, &refused) || refused.Problem != want {
		t.Errorf("it was started, want %s: %v", want, err)
	}
	if status, ok := exitOf(err); err != nil && (!ok || status != 3) {
		t.Errorf("exit status %d", status)
	}
	if err != nil && (strings.Contains(err.Error(), sampleKey) || strings.Contains(err.Error(), otherKey)) {
		t.Error("a key is in the message")
	}
}

// sealEverything adds a value to each sealed column that signing does not fill.
func (s *service) sealEverything(t *testing.T, of *client) {
	t.Helper()
	ctx := t.Context()
	id := contract.PersonID(of.id)
	secret, err := s.sealer.Seal(identity.AuthenticatorSealID(id), []byte("secret"))
	if err == nil {
		err = s.store.AddAuthenticator(ctx, id, store.Authenticator{Secret: secret, CreatedAt: time.Now()}, 1, nil, contract.Event{Type: contract.EventFactorAdded, At: time.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
	addProvider(ctx, t, s, of)
	hook, _, err := s.webhooks.Add(ctx, commandLineActor("webhook add"), organisationIDOf(t, s, of), contract.WebhookSettings{URL: "https://hook.example.test/"})
	if err == nil {
		_, _, err = s.webhooks.Rotate(ctx, commandLineActor("webhook rotate"), hook.ID)
	}
	if err = errors.Join(err, tlsStorage{s.app}.Write(ctx, "certificate", []byte("a certificate"))); err != nil {
		t.Fatal(err)
	}
}

// requireUnder requires that each sealed column has a value, and that all sealed values open under one key, and none under another.
func (s *service) requireUnder(t *testing.T, key, not string) {
	t.Helper()
	tables := map[store.SealedColumn]bool{}
	if err := s.eachSealed(t.Context(), func(c store.SealedColumn, batch []store.SealedValue) error {
		tables[c] = tables[c] || len(batch) > 0
		for _, v := range batch {
			if _, _, err := sealerOf(t, not).OpenWithKey(sealIDs[c.Table](v), v.Sealed); err == nil {
				t.Errorf("%s of %s %s opens under the other key", c.Column, c.Table, v.Key)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.store.SealedColumns() {
		if !tables[c] {
			t.Errorf("%s of %s has no value: extend sealEverything", c.Column, c.Table)
		}
	}
	count, err := s.countSealed(t.Context(), sealerOf(t, key), func(int) {})
	if err != nil || len(count.Closed) > 0 || len(count.Under) != 1 {
		t.Errorf("%v open under the key, %v do not, %v", count.Under, count.Closed, err)
	}
	if count, err = s.countSealed(t.Context(), sealerOf(t, not), func(int) {}); err != nil || count.total() > 0 {
		t.Errorf("%v open under the other key, %v", count.Under, err)
	}
}

// signed returns a document that two people of a service have completed, with a stamp.
func signed(owner, signer *client) int64 {
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	return id
}

// invited finalizes a document with a guest, and returns it with the link that the guest got.
func invited(t *testing.T, server *mailServer, owner *client, email string) (id int64, link string) {
	t.Helper()
	id = owner.uploadWith(object{"guest": object{"name": "Tamu", "email": email, "role": "signer", "number": "1"}}, simple())
	owner.verb("finalize-docs", id).ok()
	return id, server.mailTo(t, email, 1).guestLink(t)
}

// TestTheMasterKeyIsExchangedWhileDocumentsAreSigned makes every kind of sealed value, exchanges the key while documents are signed, and takes the former key away.
func TestTheMasterKeyIsExchangedWhileDocumentsAreSigned(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		server, mail := startMailServer(t)
		set := slices.Concat(settings(env), mail, []string{"SEGEL_BLOB_ENCRYPTION", "on"})
		data := newDataFolder(t)
		before := append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey)
		s := starting{data: data, set: before}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		s.sealEverything(t, owner)
		first := signed(owner, signer)
		whole := owner.download(first)
		reads, opened := invited(t, server, owner, "satu@example.test")
		guest := s.openLink(t, opened)
		waits, link := invited(t, server, owner, "dua@example.test")
		derived, checkpoints := s.derived, func() string { _, origin := s.auditKey(); return origin }
		origin := checkpoints()
		s.stop()

		during := masterKeys(set, otherKey, sampleKey)
		if said := runSegel(t, 1, during, "master-key", "rotate", "--data", data); !strings.Contains(said, "start segel serve with it first") {
			t.Errorf("before a service uses the key: %s", said)
		}
		stored := files(t, filepath.Join(data, blobDir))
		s = starting{data: data, set: during}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		if s.sealer.ID() != sealerOf(t, otherKey).ID() {
			t.Error("the service does not seal with the new key")
		}
		var signing sync.WaitGroup
		for range 3 {
			signing.Go(func() { signed(owner, signer) })
		}
		r := rotate(t, data, during, 0)
		signing.Wait()
		if !r.Complete || r.Resealed < 10 || r.Retired != 1 || r.Checked < r.Resealed {
			t.Errorf("%+v", r)
		}
		if again := rotate(t, data, during, 0); again.Resealed != 0 || again.Retired != 0 || !again.Complete {
			t.Errorf("again: %+v", again)
		}
		s.requireUnder(t, otherKey, sampleKey)
		s.stop()
		for name, digest := range files(t, filepath.Join(data, blobDir)) {
			if before, there := stored[name]; there && before != digest {
				t.Errorf("%s was written again: files stay under the keys of their organisations", name)
			}
		}

		after := append(slices.Clip(set), "SEGEL_MASTER_KEY", otherKey)
		s = starting{data: data, set: after}.start(t)
		owner, signer, guest = owner.on(s), signer.on(s), guest.on(s)
		if got := owner.download(first); !bytes.Equal(got, whole) {
			t.Error("a file from before the exchange is another one")
		}
		signed(owner, signer)
		for purpose, key := range derived {
			if s.derived[purpose] != key {
				t.Errorf("the key of %s is another one", purpose)
			}
		}
		if checkpoints() != origin {
			t.Error("checkpoints are signed with another key")
		}
		// Links that were sent before the exchange, opened before and after it, and a code that is sent after it.
		guest.get("status", reads).ok()
		late := s.openLink(t, link)
		late.verb("guest-code-docs", waits).ok()
		late.verb("guest-verify-docs", waits, "code", server.mailTo(t, "dua@example.test", 2).code(t)).ok()
		if said := runFsck(t, data, environ(after), 0, "--json"); !strings.Contains(said, `"former_master_key":0`) {
			t.Errorf("fsck: %s", said)
		}
		s.stop()
		startRefused(t, data, before, installation.MasterKeyNeeded)
		if said := runSegel(t, 0, after, "master-key", "status", "--data", data); !strings.Contains(said, sealerOf(t, sampleKey).ID().String()+"  retired") ||
			!strings.Contains(said, sealerOf(t, otherKey).ID().String()+"  seals, configured") {
			t.Errorf("status: %s", said)
		}
	})
}

// TestAnExchangeThatIsNotCompleteNeedsBothKeys begins an exchange, and starts services and commands with one of the two keys.
func TestAnExchangeThatIsNotCompleteNeedsBothKeys(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), settings(env)
		before := append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey)
		s := starting{data: data, set: before}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		signed(owner, signer)
		s.stop()
		startRefused(t, data, append(slices.Clip(set), "SEGEL_MASTER_KEY", otherKey), installation.KeysLocked)
		during := masterKeys(set, otherKey, sampleKey)
		s = starting{data: data, set: during}.start(t)
		s.stop()
		for _, key := range []string{sampleKey, otherKey} {
			alone := append(slices.Clip(set), "SEGEL_MASTER_KEY", key)
			startRefused(t, data, alone, installation.MasterKeyNeeded)
			runSegel(t, 3, alone, "fsck", "--data", data)
		}
		startRefused(t, data, append(slices.Clip(set), "SEGEL_MASTER_KEY", otherKey, "SEGEL_FORMER_MASTER_KEY_FILE", filepath.Join(t.TempDir(), "gone")), installation.KeyFileMissing)
		if said := runFsck(t, data, environ(during), 0); !strings.Contains(said, "values are sealed under a former master key") {
			t.Errorf("fsck: %s", said)
		}
		if said := runSegel(t, 0, during, "master-key", "status", "--json", "--data", data); !strings.Contains(said, `"state":"opens"`) {
			t.Errorf("status: %s", said)
		}
		// In the other order of the settings the new key seals as well: the database decides.
		s = starting{data: data, set: masterKeys(set, sampleKey, otherKey)}.start(t)
		if s.sealer.ID() != sealerOf(t, otherKey).ID() {
			t.Error("the former key seals")
		}
		owner, signer = owner.on(s), signer.on(s)
		signed(owner, signer)
		s.stop()
		if r := rotate(t, data, during, 0); !r.Complete {
			t.Errorf("%+v", r)
		}
	})
}

// TestAnInterruptedExchangeIsCompletedByAnother ends it after each batch, and at the commit that says that it is complete.
func TestAnInterruptedExchangeIsCompletedByAnother(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), append(settings(env), "SEGEL_BLOB_ENCRYPTION", "on")
		s := starting{data: data, set: append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey)}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		s.sealEverything(t, owner)
		signed(owner, signer)
		s.stop()
		s = starting{data: data, set: masterKeys(set, otherKey, sampleKey)}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		kills := 0
		for ; ; kills++ {
			ctx, cancel := context.WithCancel(t.Context())
			left := kills
			r, err := s.rotateMasterKey(ctx, func(string, ...any) {
				if left--; left < 0 { // after the commit of a batch, or of reading one
					cancel()
				}
			})
			cancel()
			if err == nil && r.Complete {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%+v, %v", r, err)
			}
			known, err := s.store.MasterKeys(t.Context())
			if err != nil || countUsable(known) != 2 {
				t.Fatalf("a key was retired by an exchange that was interrupted: %+v, %v", known, err)
			}
			if count, err := s.countSealed(t.Context(), s.sealer, func(int) {}); err != nil || len(count.Closed) > 0 {
				t.Fatalf("interrupted after %d: %v do not open, %v", kills, count, err)
			}
		}
		if kills < len(s.store.SealedColumns()) {
			t.Errorf("it was interrupted %d times", kills)
		}
		s.requireUnder(t, otherKey, sampleKey)
		signed(owner, signer)
	})
}

// TestSwappedSealedValuesAreFoundByTheExchange exchanges the secrets of two rows, which an exchange of the key must neither accept nor hide.
func TestSwappedSealedValuesAreFoundByTheExchange(t *testing.T) {
	t.Parallel()
	data := newDataFolder(t)
	s := starting{data: data, set: []string{"SEGEL_MASTER_KEY", sampleKey}}.start(t)
	owner := s.person(t, "Sari", "")
	for i := range 2 {
		_, _, err := s.webhooks.Add(t.Context(), commandLineActor("webhook add"), organisationIDOf(t, s, owner), contract.WebhookSettings{URL: fmt.Sprintf("https://hook%d.example.test/", i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.stop()
	set := masterKeys(nil, otherKey, sampleKey)
	s = starting{data: data, set: set}.start(t)
	column := store.SealedColumn{Table: "webhook", Column: "secret"}
	values, err := s.store.SealedValues(t.Context(), column, "", 9)
	if err != nil || len(values) != 2 {
		t.Fatal(values, err)
	}
	swap := []store.Resealed{{Key: values[0].Key, Old: values[0].Sealed, New: values[1].Sealed}}
	if n, err := s.store.ReplaceSealed(t.Context(), column, swap, time.Now()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	r := rotate(t, data, set, 1)
	if r.Complete || r.Retired != 0 || len(r.Closed) != 1 || !strings.Contains(r.Closed[0], values[0].Key) {
		t.Errorf("%+v", r)
	}
	if said := runFsck(t, data, environ(set), 1); !strings.Contains(said, values[0].Key) {
		t.Errorf("fsck: %s", said)
	}
}

// TestKeysThatAreLostComeBackFromTheirBackup loses the master key and the keys of the authority, in a folder, and puts them back beside the database.
func TestKeysThatAreLostComeBackFromTheirBackup(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set, dir := newDataFolder(t), settings(env), t.TempDir()
		s := starting{data: data, set: set}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		first := signed(owner, signer)
		whole := owner.download(first)
		identity, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		opens := filepath.Join(dir, "identity")
		if err := os.WriteFile(opens, []byte(identity.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		runSegel(t, 1, set, "master-key", "backup", filepath.Join(dir, "clear"), "--data", data)
		runSegel(t, 1, set, "master-key", "backup", filepath.Join(data, "inside"), "--data", data, "--recipient", identity.Recipient().String())
		saved, phrase := filepath.Join(dir, "keys.age"), passphrase(t, "kunci cadangan")
		if said := runSegel(t, 0, set, "master-key", "backup", saved, "--data", data, "--recipient", identity.Recipient().String(), "--identity", opens); !strings.Contains(said, "decrypted and checked") {
			t.Errorf("backup: %s", said)
		}
		other := filepath.Join(dir, "phrase.age")
		runSegel(t, 0, set, "master-key", "backup", other, "--data", data, "--passphrase-file", phrase)
		runSegel(t, 0, nil, "master-key", "verify", saved, "--identity", opens)
		runSegel(t, 0, nil, "master-key", "verify", other, "--passphrase-file", phrase)
		runSegel(t, 1, nil, "master-key", "verify", other, "--passphrase-file", passphrase(t, "salah sekali"))
		runSegel(t, 1, set, "master-key", "backup", saved, "--data", data, "--passphrase-file", phrase) // nothing is replaced
		s.stop()

		key, err := os.ReadFile(filepath.Join(data, masterKeyFile))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(saved)
		if err != nil || bytes.Contains(b, key) {
			t.Errorf("the master key is in the backup in clear: %v", err)
		}
		if err := errors.Join(os.RemoveAll(filepath.Join(data, authorityDir)), os.Remove(filepath.Join(data, masterKeyFile))); err != nil {
			t.Fatal(err)
		}
		startRefused(t, data, set, installation.KeyFileMissing)
		runSegel(t, 1, set, "master-key", "restore", saved, "--data", data, "--passphrase-file", phrase) // which does not open it
		if _, err := os.Stat(filepath.Join(data, masterKeyFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a refused command wrote a key: %v", err)
		}
		runSegel(t, 0, set, "master-key", "restore", saved, "--data", data, "--identity", opens)
		if said := runSegel(t, 0, set, "master-key", "restore", saved, "--data", data, "--identity", opens); !strings.Contains(said, "restored 0 files") {
			t.Errorf("restored again: %s", said)
		}
		if info, err := os.Stat(filepath.Join(data, masterKeyFile)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		s = starting{data: data, set: set}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		if got := owner.download(first); !bytes.Equal(got, whole) {
			t.Error("a document from before is another one")
		}
		signed(owner, signer)
		s.stop()
		runFsck(t, data, environ(set), 0)

		elsewhere := newDataFolder(t)
		starting{data: elsewhere}.start(t).stop()
		runSegel(t, 3, nil, "master-key", "restore", saved, "--data", elsewhere, "--identity", opens)
	})
}

// TestKeysInTheDatabaseThatAreLostComeBackFromTheirBackup loses rows of the authority and the file of the master key, also after the master key was exchanged.
func TestKeysInTheDatabaseThatAreLostComeBackFromTheirBackup(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, dir, phrase := newDataFolder(t), t.TempDir(), passphrase(t, "kunci cadangan")
		key, saved := filepath.Join(dir, "master.key"), filepath.Join(dir, "keys.age")
		shared := append(settings(env), "SEGEL_STATE", config.StateDatabase)
		set := append(slices.Clip(shared), "SEGEL_MASTER_KEY_FILE", key)
		s := starting{data: data, set: set}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		first := signed(owner, signer)
		whole := owner.download(first)
		rows := editRows(t, databaseDSN(s.conf))
		s.stop()
		runSegel(t, 0, set, "master-key", "backup", saved, "--data", data, "--passphrase-file", phrase)
		content, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		restore := func(status int, set []string) string {
			t.Helper()
			return runSegel(t, status, set, "master-key", "restore", saved, "--data", data, "--passphrase-file", phrase)
		}
		// worksAgain starts a service that has the document from before, and may sign another one.
		worksAgain := func(sign bool, set []string) {
			t.Helper()
			s := starting{data: data, set: set}.start(t)
			if got := owner.on(s).download(first); !bytes.Equal(got, whole) {
				t.Error("a document from before is another one")
			}
			if sign {
				signed(owner.on(s), signer.on(s))
			}
			s.stop()
		}

		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		rows.exec("DELETE FROM key_file")
		startRefused(t, data, set, installation.KeyFileMissing)
		if said := restore(0, set); !strings.Contains(said, "restored 5 files: "+key+", "+authority.FileName) {
			t.Errorf("everything was lost: %s", said)
		}
		if said := restore(0, set); !strings.Contains(said, "restored 0 files") {
			t.Errorf("restored again: %s", said)
		}
		worksAgain(true, set)
		rows.exec("DELETE FROM key_file WHERE name = $1", authority.FileName)
		startRefused(t, data, set, installation.KeysNotCopied)
		if said := restore(0, set); !strings.Contains(said, "restored 1 files: "+authority.FileName) {
			t.Errorf("the first file was lost: %s", said)
		}
		worksAgain(false, set)

		// The master key is in a setting, which nothing is written to.
		rows.exec("DELETE FROM key_file")
		former := base64.StdEncoding.EncodeToString(content)
		inSetting := append(slices.Clip(shared), "SEGEL_MASTER_KEY", former)
		if said := restore(3, append(slices.Clip(shared), "SEGEL_MASTER_KEY", otherKey)); !strings.Contains(said, "The key backup has master key "+sealerOf(t, former).ID().String()) {
			t.Errorf("with another key: %s", said)
		}
		restore(0, inSetting)
		worksAgain(false, inSetting)

		// The master key was exchanged since the backup.
		during := masterKeys(shared, otherKey, former)
		worksAgain(false, during)
		if r := rotate(t, data, during, 0); !r.Complete {
			t.Errorf("%+v", r)
		}
		rows.exec("DELETE FROM key_file")
		after := append(slices.Clip(shared), "SEGEL_MASTER_KEY", otherKey)
		if said := restore(3, after); !strings.Contains(said, "SEGEL_FORMER_MASTER_KEY") {
			t.Errorf("after an exchange: %s", said)
		}
		restore(0, during)
		if r := rotate(t, data, during, 0); !r.Complete || r.Resealed == 0 || r.Retired != 0 {
			t.Errorf("%+v", r)
		}
		worksAgain(true, after)
		runFsck(t, data, environ(after), 0)

		elsewhere, other := newDataFolder(t), filepath.Join(dir, "other.key")
		starting{data: elsewhere, set: []string{"SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY_FILE", other}}.start(t).stop()
		runSegel(t, 3, []string{"SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY_FILE", other}, "master-key", "restore", saved, "--data", elsewhere, "--passphrase-file", phrase)
	})
}

// TestABackupDuringAnExchangeHasBothKeys restores one elsewhere and goes on with the exchange there.
func TestABackupDuringAnExchangeHasBothKeys(t *testing.T) {
	t.Parallel()
	data, dir, phrase := newDataFolder(t), t.TempDir(), passphrase(t, "kunci cadangan")
	s := starting{data: data}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	signed(owner, signer)
	s.stop()
	former := filepath.Join(dir, "former.key")
	if err := errors.Join(os.Rename(filepath.Join(data, masterKeyFile), former), os.WriteFile(filepath.Join(data, masterKeyFile), bytes.Repeat([]byte{5}, 32), 0o600)); err != nil {
		t.Fatal(err)
	}
	set := []string{"SEGEL_FORMER_MASTER_KEY_FILE", former}
	starting{data: data, set: set}.start(t).stop()
	makeBackup(t, data, set, 0, filepath.Join(dir, "backup"), "--passphrase-file", phrase)
	restored, put := filepath.Join(dir, "restored"), []string{"SEGEL_FORMER_MASTER_KEY_FILE", filepath.Join(dir, "elsewhere.key")}
	runSegel(t, 0, put, "restore", filepath.Join(dir, "backup"), "--data", restored, "--passphrase-file", phrase)
	if r := rotate(t, restored, put, 0); !r.Complete || r.Resealed == 0 {
		t.Errorf("%+v", r)
	}
	s = starting{data: restored}.start(t)
	signed(owner.loginAgain(s), signer.loginAgain(s))
}

// TestANodeTakesANewKeyIntoUseOnceAllNodesHaveIt starts nodes of one PostgreSQL database one after the other with other keys.
func TestANodeTakesANewKeyIntoUseOnceAllNodesHaveIt(t *testing.T) {
	t.Parallel()
	server, dir := s3test.StartServer(t), t.TempDir()
	shared := append(onBucket(server), "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate), "SEGEL_STATE", config.StateDatabase, "SEGEL_PUBLIC_URL", "http://segel.test")
	node := func(name string, set []string) *service {
		return starting{data: filepath.Join(dir, name), set: set}.start(t)
	}
	old := append(slices.Clip(shared), "SEGEL_MASTER_KEY", sampleKey)
	prepared, current := masterKeys(shared, sampleKey, otherKey), masterKeys(shared, otherKey, sampleKey)
	a, b := node("a", old), node("b", old)
	owner, signer := a.person(t, "Sari", ""), a.person(t, "Budi", "")
	signed(owner, signer)
	a.stop()
	startRefused(t, filepath.Join(dir, "a"), current, installation.MasterKeyTooEarly) // b does not have the key
	if known, err := b.store.MasterKeys(t.Context()); err != nil || countUsable(known) != 1 {
		t.Errorf("%+v, %v", known, err)
	}
	a = node("a", prepared)
	b.stop()
	b = node("b", prepared)
	signed(owner.on(a), signer.on(b))
	a.stop()
	a = node("a", current) // b has both keys, and seals with the former one still
	signed(owner.on(a), signer.on(b))
	signed(owner.on(b), signer.on(a))
	if r := rotate(t, filepath.Join(dir, "c"), current, 1); r.Complete || len(r.Waiting) != 1 || !strings.Contains(r.Waiting[0], b.process.Name()) {
		t.Errorf("%+v", r)
	}
	b.stop()
	startRefused(t, filepath.Join(dir, "b"), old, installation.MasterKeyNeeded)
	b = node("b", current)
	if r := rotate(t, filepath.Join(dir, "c"), current, 0); !r.Complete {
		t.Errorf("%+v", r)
	}
	after := append(slices.Clip(shared), "SEGEL_MASTER_KEY", otherKey)
	a.stop()
	a = node("a", after)
	signed(owner.on(a), signer.on(b))
	if said := runFsck(t, filepath.Join(dir, "c"), environ(after), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
		t.Errorf("fsck: %s", said)
	}
}

// TestAProcessThatDiedBeforeItUsedANewKeyLeavesNothingSealedUnderIt starts a service after one that announced a new key and ended.
func TestAProcessThatDiedBeforeItUsedANewKeyLeavesNothingSealedUnderIt(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), settings(env)
		s := starting{data: data, set: append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey)}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		if err := s.store.AnnounceMasterKey(t.Context(), sealerOf(t, otherKey).ID().String(), s.sealer.ID().String(), nil, time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := s.checkMasterKeys(t.Context()); err == nil {
			t.Error("a running service without the announced key is ready")
		}
		signed(owner, signer)
		s.stop()
		startRefused(t, data, append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey), installation.MasterKeyNeeded)
		// The former key seals until the new one is in use.
		prepared := masterKeys(set, sampleKey, otherKey)
		s = starting{data: data, set: prepared}.start(t)
		if s.sealer.ID() != sealerOf(t, sampleKey).ID() {
			t.Error("the announced key seals")
		}
		s.stop()
		s = starting{data: data, set: masterKeys(set, otherKey, sampleKey)}.start(t)
		if s.sealer.ID() != sealerOf(t, otherKey).ID() {
			t.Error("the new key does not seal")
		}
		signed(owner.on(s), signer.on(s))
		if r := rotate(t, data, masterKeys(set, otherKey, sampleKey), 0); !r.Complete {
			t.Errorf("%+v", r)
		}
	})
}
