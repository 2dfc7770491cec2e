package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"

	"segel/internal/blob"
	"segel/internal/blob/s3/s3test"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// runSegel runs a command and returns what it printed.
func runSegel(t *testing.T, status int, set []string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: context.Background(), stdout: &out, stderr: &errs, env: environ(set)}
	if got := w.runCommand(args); got != status {
		t.Fatalf("segel %s: exit status %d, want %d: %s%s", strings.Join(args, " "), got, status, &out, &errs)
	}
	return out.String() + errs.String()
}

// makeBackup runs segel backup and returns its result.
func makeBackup(t *testing.T, data string, set []string, status int, args ...string) (r backupResult) {
	t.Helper()
	said := runSegel(t, status, set, append([]string{"backup", "--json", "--data", data}, args...)...)
	if err := json.Unmarshal([]byte(said[:strings.Index(said, "\n")+1]), &r); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return r
}

// emptySchema returns the address of a database without tables.
func emptySchema(t *testing.T) string {
	t.Helper()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	return dsn
}

// loginAgain logs a person in to a restored installation, where all logins have ended.
func (c *client) loginAgain(s *service) *client {
	c.t.Helper()
	again := c.on(s)
	again.do("GET", "/v1/auth/me", nil).is(401)
	again.token = again.do("POST", "/v1/auth/login", object{"email": c.email, "password": password}).ok().object("data")["token"].(string)
	return again
}

// passphrase writes a file with a passphrase.
func passphrase(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "passphrase")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// backupPlace is where an installation is, and how a backup of it is made and restored.
type backupPlace struct {
	set         []string // of the service that is copied
	restored    []string // of the restored one
	destination string
	with        []string // arguments of segel backup
	open        []string // arguments of segel restore
	remote      []string // settings of the destination
}

func TestABackupUnderLoadIsRestoredElsewhereWithEveryDocument(t *testing.T) {
	t.Parallel()
	common := []string{"SEGEL_EVIDENCE", config.EvidenceOnRequest, "SEGEL_PUBLIC_URL", "http://segel.test", "SEGEL_ANSWER_WITHIN", "10s"}
	for name, place := range map[string]func(*testing.T) backupPlace{
		"SQLite and a folder": func(t *testing.T) backupPlace {
			key, err := age.GenerateX25519Identity()
			if err != nil {
				t.Fatal(err)
			}
			return backupPlace{set: []string{"SEGEL_BLOB_ENCRYPTION", "on"}, destination: filepath.Join(t.TempDir(), "backups"),
				with: []string{"--recipient", key.Recipient().String()}, open: []string{"--identity", passphrase(t, key.String())}}
		},
		"SQLite and a bucket": func(t *testing.T) backupPlace {
			server := s3test.StartServer(t)
			phrase := passphrase(t, "kata sandi cadangan")
			return backupPlace{destination: "s3://" + s3test.Bucket + "/cadangan/harian", with: []string{"--passphrase-file", phrase}, open: []string{"--passphrase-file", phrase},
				remote: []string{"SEGEL_BACKUP_S3_ENDPOINT", server.URL.String(), "SEGEL_BACKUP_S3_REGION", s3test.Region, "SEGEL_BACKUP_S3_ACCESS_KEY", s3test.AccessKey,
					"SEGEL_BACKUP_S3_SECRET_KEY", s3test.SecretKey, "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1"}}
		},
		"PostgreSQL, a bucket and a folder": func(t *testing.T) backupPlace {
			server := s3test.StartServer(t)
			shared := append(onBucket(server), "SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY", sampleKey)
			key, err := age.GenerateX25519Identity()
			if err != nil {
				t.Fatal(err)
			}
			return backupPlace{destination: filepath.Join(t.TempDir(), "backups"), with: []string{"--recipient", key.Recipient().String()}, open: []string{"--identity", passphrase(t, key.String())},
				set:      append(shared[:len(shared):len(shared)], "SEGEL_DATABASE", emptySchema(t)),
				restored: append(shared[:len(shared):len(shared)], "SEGEL_DATABASE", emptySchema(t), "SEGEL_S3_PREFIX", "restored/")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			set := append(append(p.set, p.remote...), common...)
			data := filepath.Join(t.TempDir(), "data")
			s := starting{data: data, set: set}.start(t)
			first, err := s.store.FirstOrganisation(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, unit := range []contract.Unit{contract.UnitSignature, contract.UnitStamp} {
				if _, err := s.store.Grant(t.Context(), first.ID, unit, 1000, "test", contract.Actor{}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
			sums := map[int64][sha256.Size]byte{}
			completeOne := func() {
				id := owner.upload(simple(), signer.as("signer", 1))
				owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
				owner.verb("finalize-docs", id).ok()
				signer.verb("sign-docs", id).ok()
				owner.completed(id)
				sums[id] = sha256.Sum256(owner.download(id))
			}
			underLoad := func(do func()) {
				ended := make(chan struct{})
				var work sync.WaitGroup
				work.Go(func() {
					for range 6 {
						completeOne()
						select {
						case <-ended:
							return
						default:
						}
					}
				})
				do()
				close(ended)
				work.Wait()
			}
			for range 3 {
				completeOne()
			}
			with := append([]string{p.destination}, p.with...)
			var whole, more backupResult
			underLoad(func() { whole = makeBackup(t, data, set, 0, with...) })
			acknowledged := make(map[int64][sha256.Size]byte)
			for id, sum := range sums {
				acknowledged[id] = sum
			}
			waits := signable(owner, signer)
			underLoad(func() { more = makeBackup(t, data, set, 0, with...) })
			if whole.Files == 0 || whole.Progress.Copied != whole.Files || more.Progress.Kept < whole.Files || more.Files <= whole.Files {
				t.Errorf("first %+v, then %+v", whole, more)
			}
			// The log goes on after the backup, so a checkpoint that is kept elsewhere shows that the restored one is older.
			completeOne()
			later := filepath.Join(t.TempDir(), "later")
			if err := os.WriteFile(later, []byte(runSegel(t, 0, set, "audit", "checkpoint", "--data", data)), 0o600); err != nil {
				t.Fatal(err)
			}
			s.stop()

			from := append([]string{p.destination}, p.open...)
			if said := runSegel(t, 0, p.remote, "backup", "verify", p.destination); !strings.Contains(said, "0 missing or changed") {
				t.Error(said)
			}
			place := append(append(p.restored, p.remote...), common...)
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			said := runSegel(t, 0, place, append([]string{"restore", "--data", elsewhere, "--checkpoint", later}, from...)...)
			if !strings.Contains(said, "0 lost or changed, 0 left over") || !strings.Contains(said, "CUT OFF") {
				t.Errorf("restore: %s", said)
			}
			runSegel(t, 1, place, append([]string{"restore", "--data", elsewhere}, from...)...) // not empty
			again := starting{data: elsewhere, set: place}.start(t)
			owner, signer = owner.loginAgain(again), signer.loginAgain(again)
			for id, sum := range acknowledged {
				if sha256.Sum256(owner.download(id)) != sum {
					t.Errorf("document %d is another file", id)
				}
			}
			signer.verb("sign-docs", waits).ok()
			owner.completed(waits)
			if soundSignatures(t, owner.download(waits)) == 0 {
				t.Error("the document has no signature")
			}
			completeOne()
			again.stop()
			if said := runFsck(t, elsewhere, environ(place), 0); !strings.Contains(said, "0 lost or changed, 0 left over") {
				t.Errorf("fsck: %s", said)
			}
			if said := runSegel(t, 1, place, "audit", "verify", "--data", elsewhere, later); !strings.Contains(said, "CUT OFF") && !strings.Contains(said, "REWRITTEN") {
				t.Errorf("the checkpoint does not show that the log was restored: %s", said)
			}
		})
	}
}

func TestEachLineOfTheResultOfARestorationIsJSON(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	dir := t.TempDir()
	backups, phrase := filepath.Join(dir, "backups"), passphrase(t, "kata sandi cadangan")
	made := makeBackup(t, s.conf.DataDir, nil, 0, backups, "--passphrase-file", phrase)
	kept := filepath.Join(dir, "checkpoint")
	if err := os.WriteFile(kept, []byte(runSegel(t, 0, nil, "audit", "checkpoint", "--data", s.conf.DataDir)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := runHere(t, nil, "restore", "--json", "--data", filepath.Join(dir, "elsewhere"), backups, "--passphrase-file", phrase, "--checkpoint", kept)
	if status != 0 {
		t.Fatalf("%d: %s%s", status, stdout, stderr)
	}
	var r restoredBackup
	var checked fsckSummary
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for i, line := range lines {
		var into any
		switch i {
		case 0:
			into = &r
		case len(lines) - 1:
			into = &checked
		default:
			into = &map[string]any{}
		}
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Errorf("line %d: %v: %s", i+1, err, line)
		}
	}
	if r.Backup != made.Backup || r.Events != made.Events || r.Damaged == nil || len(r.Checkpoints) != 1 || r.Checkpoints[0].Of != kept || !r.Checkpoints[0].Holds || checked.Events != made.Events {
		t.Errorf("%+v, checked %+v", r, checked)
	}
}

func TestTheAuditLogOfARestoredServiceSaysSoOnce(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	backups := filepath.Join(t.TempDir(), "backups")
	phrase := passphrase(t, "kata sandi cadangan")
	made := makeBackup(t, s.conf.DataDir, nil, 0, backups, "--passphrase-file", phrase)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	runSegel(t, 0, nil, "restore", "--data", elsewhere, backups, "--passphrase-file", phrase)
	starting{data: elsewhere, idle: true}.start(t).stop()
	again := starting{data: elsewhere, idle: true}.start(t)
	log := string(again.firstAdmin(t).do("GET", "/v1/admin/audit-log?type=restored&lang=en", nil, "Accept-Language", "en").ok().body)
	if strings.Count(log, "Restored the service to an older state, that of ") != 1 || !strings.Contains(log, "(backup "+made.Backup+")") || !strings.Contains(log, fmt.Sprintf("with %d events in the log", made.Events)) {
		t.Errorf("the audit log has %s", log)
	}
	again.stop()
	runSegel(t, 0, nil, "fsck", "--data", elsewhere)
}

func TestDeletionsWaitUntilABackupHasEnded(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	owner := s.person(t, "Sari", "")
	id := owner.upload(simple())
	d, err := s.store.Document(t.Context(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	key := d.Revisions[0].Tail.Key
	if err := s.store.BeginBackup(t.Context(), "1", "elsewhere", time.Minute); err != nil {
		t.Fatal(err)
	}
	owner.do("DELETE", "/v1/econtract/web_app/document/"+strconv.FormatInt(id, 10), nil).ok()
	var later *contract.Later
	if err := s.workflow.Sweep(t.Context(), []string{key}); !errors.As(err, &later) {
		t.Errorf("a sweep beside a backup: %v", err)
	}
	b, err := s.blobs.Open(t.Context(), blob.Key(key))
	if err != nil {
		t.Fatalf("the backup does not find the file: %v", err)
	}
	b.Close()
	runSegel(t, 1, nil, "fsck", "--remove", "--data", s.conf.DataDir)
	if err := s.store.EndBackup(t.Context(), "1", true); err != nil {
		t.Fatal(err)
	}
	if err := s.workflow.Sweep(t.Context(), []string{key}); err != nil {
		t.Error(err)
	}
	if _, err := s.blobs.Open(t.Context(), blob.Key(key)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("after the backup: %v", err)
	}
}

func TestABackupToARecipientShowsNothingOfTheDatabase(t *testing.T) {
	t.Parallel()
	set := []string{"SEGEL_BLOB_ENCRYPTION", "on"}
	s := starting{idle: true, set: set}.start(t)
	owner := s.person(t, "Sari", "")
	owner.upload(simple())
	data := s.conf.DataDir
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	clear, sealed := filepath.Join(t.TempDir(), "clear"), filepath.Join(t.TempDir(), "sealed")
	runSegel(t, 0, set, "backup", "--data", data, clear, "--without-master-key")
	runSegel(t, 0, set, "backup", "--data", data, sealed, "--recipient", key.Recipient().String())
	if n := countFilesWith(t, clear, owner.email); n != 1 {
		t.Errorf("without encryption %d files have the address of a person, want the database", n)
	}
	if n := countFilesWith(t, sealed, owner.email); n != 0 {
		t.Errorf("%d files have the address of a person", n)
	}
	runSegel(t, 0, nil, "backup", "verify", sealed)

	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, open := range [][]string{nil, {"--identity", passphrase(t, other.String())}} {
		runSegel(t, 1, set, append([]string{"restore", "--data", elsewhere, sealed}, open...)...)
		if _, err := os.Stat(elsewhere); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a refused restoration left %v", err)
		}
	}
	runSegel(t, 0, set, "restore", "--data", elsewhere, sealed, "--identity", passphrase(t, key.String()))

	// The master key and the sealed keys are elsewhere, so the database is the only part that the identity opens.
	without := filepath.Join(t.TempDir(), "without")
	runSegel(t, 0, set, "backup", "--data", data, without, "--recipient", key.Recipient().String(), "--without-master-key")
	kept := append(set[:len(set):len(set)], "SEGEL_MASTER_KEY_FILE", filepath.Join(data, masterKeyFile))
	again := filepath.Join(t.TempDir(), "again")
	runSegel(t, 1, kept, "restore", "--data", again, without)
	runSegel(t, 0, kept, "restore", "--data", again, without, "--identity", passphrase(t, key.String()))
}

// countFilesWith counts the files below a folder that have a text, as they are or after they were decompressed.
func countFilesWith(t *testing.T, dir, text string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
			if b, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		if bytes.Contains(b, []byte(text)) {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestABackupWithoutEncryptionOfTheMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	backups := filepath.Join(t.TempDir(), "backups")
	if said := runSegel(t, 1, nil, "backup", "--data", s.conf.DataDir, backups); !strings.Contains(said, errNoSeal.Error()) {
		t.Error(said)
	}
	if said := runSegel(t, 1, nil, "backup", "--data", s.conf.DataDir, filepath.Join(s.conf.DataDir, "backups"), "--without-master-key"); !strings.Contains(said, "is in the data folder") {
		t.Error(said)
	}
	runSegel(t, 0, nil, "backup", "--data", s.conf.DataDir, backups, "--without-master-key")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if said := runSegel(t, 1, nil, "restore", "--data", elsewhere, backups); !strings.Contains(said, "does not have the master key") {
		t.Error(said)
	}
	key, err := os.ReadFile(filepath.Join(s.conf.DataDir, masterKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(t.TempDir(), "kept.key")
	if err := os.WriteFile(kept, key, 0o600); err != nil {
		t.Fatal(err)
	}
	runSegel(t, 0, []string{"SEGEL_MASTER_KEY_FILE", kept}, "restore", "--data", elsewhere, backups)
}
