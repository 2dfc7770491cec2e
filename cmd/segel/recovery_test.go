package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"segel/internal/config"
	"segel/internal/store/storetest/pgtest"
)

// recoverySQL returns the statements by which docs/operations.md ends what had begun and records a recovery with PostgreSQL's own tools.
func recoverySQL(t *testing.T, snapshot time.Time) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "BEGIN;\n")
	sql, _, ends := strings.Cut(after, "COMMIT;\n")
	if !found || !ends || !strings.Contains(sql, "SNAPSHOT") {
		t.Fatal("docs/operations.md has no transaction that records a recovery")
	}
	return strings.ReplaceAll(sql, "SNAPSHOT", strconv.FormatInt(snapshot.UnixMicro(), 10))
}

// TestARecoveryToAMomentWithPostgreSQLsOwnTools follows "Point-in-time recovery with PostgreSQL" of docs/operations.md.
func TestARecoveryToAMomentWithPostgreSQLsOwnTools(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	server, dsn, err := pgtest.NewArchivingServer(t.Context())
	pgtest.RequireServer(t, err)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	data := filepath.Join(t.TempDir(), "data")
	set := []string{"SEGEL_DATABASE", dsn, "SEGEL_STATE", config.StateDatabase, "SEGEL_MASTER_KEY", sampleKey, "SEGEL_EVIDENCE", config.EvidenceOnRequest}
	s := starting{data: data, set: set}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	sums := map[int64][sha256.Size]byte{}
	complete := func() int64 {
		id := signable(owner, signer)
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		sums[id] = sha256.Sum256(owner.download(id))
		return id
	}
	complete()
	if err := server.TakeBase(); err != nil {
		t.Fatal(err)
	}
	complete()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	var target time.Time
	if err := c.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&target); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	lost := complete()
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.WriteFile(checkpoint, []byte(runSegel(t, 0, set, "audit", "checkpoint", "--data", data)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if err := server.ArchiveAll(t.Context()); err != nil {
		t.Fatal(err)
	}

	if err := server.RecoverTo(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	// The files of the lost document are newer than the database, which is harmless.
	if said := runFsck(t, data, environ(set), 0, "--fast"); !strings.Contains(said, "0 lost or changed") {
		t.Errorf("fsck after the recovery: %s", said)
	}
	if c, err = pgx.Connect(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "BEGIN;"+recoverySQL(t, target)+"COMMIT;"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said := runSegel(t, 1, set, "audit", "verify", "--data", data, checkpoint); !strings.Contains(said, "CUT OFF") {
		t.Errorf("the checkpoint does not show the older state: %s", said)
	}

	runSegel(t, 0, set, "user", "reset", "--email", "admin@localhost", "--password-file", passphrase(t, password), "--data", data)
	again := starting{data: data, set: set}.start(t)
	owner, signer = owner.loginAgain(again), signer.loginAgain(again)
	owner.get("detail", lost).is(http.StatusNotFound)
	for id, sum := range sums {
		if id != lost && sha256.Sum256(owner.download(id)) != sum {
			t.Errorf("document %d is another file", id)
		}
	}
	admin := &client{service: again, t: t}
	admin.token = admin.do("POST", "/v1/auth/login", object{"email": "admin@localhost", "password": password}).ok().object("data")["token"].(string)
	if log := string(admin.do("GET", "/v1/admin/audit-log?type=restored", nil).ok().body); !strings.Contains(log, fmt.Sprintf("(cadangan %s)", "wal")) {
		t.Errorf("the audit log does not say that the state was restored: %s", log)
	}
	if again.stamping.RestoredAt.IsZero() {
		t.Error("the stamp office is not asked before the first stamp")
	}
	complete()
	again.stop()
	if said := runFsck(t, data, environ(set), 0); !strings.Contains(said, "0 lost or changed") {
		t.Errorf("fsck: %s", said)
	}
}
