package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// TestACheckpointTellsLaterWhetherTheLogWasCutOffOrRewritten extends the log, restores an earlier copy, and extends that
// differently.
func TestACheckpointTellsLaterWhetherTheLogWasCutOffOrRewritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, before := filepath.Join(dir, "data"), filepath.Join(dir, "before")
	run := func(args ...string) (int, string) {
		t.Helper()
		var out, log bytes.Buffer
		status := (&environment{ctx: context.Background(), stdout: &out, stderr: &log}).runCommand(args)
		return status, out.String() + log.String()
	}
	done := func(args ...string) string {
		t.Helper()
		status, out := run(args...)
		if status != 0 {
			t.Fatalf("%v: %d: %s", args, status, out)
		}
		return out
	}
	happens := func(reason string) {
		t.Helper()
		done("quota", "add", "--data", data, "--org", "Segel", "--unit", "emet", "--count", "1", "--reason", reason)
	}
	checkpoint := func() string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "checkpoint")
		if err := os.WriteFile(file, []byte(done("audit", "checkpoint", "--data", data)), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	demand := func(status int, says, file string) {
		t.Helper()
		if got, out := run("audit", "verify", "--data", data, file); got != status || !strings.Contains(out, says) {
			t.Errorf("%d: %s\nwant %d and %q", got, out, status, says)
		}
	}

	starting{idle: true, data: data}.start(t).stop()
	happens("one")
	first := checkpoint()
	if err := os.CopyFS(before, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	happens("two")
	second := checkpoint()
	happens("three")
	demand(0, "begins with these", first)
	demand(0, "begins with these", second)

	key, err := note.NewVerifier(strings.TrimSpace(done("audit", "key", "--data", data)))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open(signed, note.VerifierList(key)); err != nil {
		t.Errorf("others cannot verify it by the key that is printed: %v", err)
	}

	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(before, data); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(data, "master.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	demand(0, "begins with these", first)
	demand(1, "CUT OFF", second)
	happens("deux")
	happens("trois")
	demand(0, "begins with these", first)
	demand(1, "REWRITTEN", second)

	forged := bytes.Replace(signed, []byte("\n"), []byte("\n1"), 1) // of ten times as many events
	if err := os.WriteFile(second, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	demand(1, "not a checkpoint of this log", second)
}
