package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"segel/internal/audit"
)

// auditing runs segel audit, with files in a folder of the test.
type auditing struct {
	t   *testing.T
	dir string
}

// run returns the exit status and the complete output.
func (a auditing) run(args ...string) (status int, out string) {
	a.t.Helper()
	var b bytes.Buffer
	status = (&environment{ctx: context.Background(), stdout: &b, stderr: &b}).runCommand(append([]string{"audit"}, args...))
	return status, b.String()
}

// file stores the output of a command that must succeed.
func (a auditing) file(name string, args ...string) string {
	a.t.Helper()
	status, out := a.run(args...)
	if status != 0 {
		a.t.Fatalf("audit %v: %d: %s", args, status, out)
	}
	return a.kept(name, out)
}

func (a auditing) kept(name, content string) string {
	a.t.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return file
}

// demand runs audit check and requires an exit status and texts of the output.
func (a auditing) demand(status int, says []string, args ...string) {
	a.t.Helper()
	got, out := a.run(append([]string{"check"}, args...)...)
	if got != status {
		a.t.Errorf("check %v: %d, want %d:\n%s", args, got, status, out)
	}
	for _, s := range says {
		if !strings.Contains(out, s) {
			a.t.Errorf("check %v does not say %q:\n%s", args, s, out)
		}
	}
}

// TestParticipantProvesToAThirdPartyWhatHappenedToAContract takes two contracts through a service, then removes everything except
// what was printed and downloaded.
func TestParticipantProvesToAThirdPartyWhatHappenedToAContract(t *testing.T) {
	t.Parallel()
	a := auditing{t, t.TempDir()}
	s := start(t)
	data := s.conf.DataDir
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	id, other := owner.upload(simple(), signer.as("signer", 1)), owner.upload(simple(), signer.as("signer", 1))
	early := a.file("early", "checkpoint", "--data", data)
	owner.verb("finalize-docs", other).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	number := strconv.FormatInt(id, 10)
	key := a.file("key", "key", "--data", data)
	proof := a.file("proof", "prove", number, "--data", data)
	before := a.file("before", "prove", number, "--data", data, "--checkpoint", early)
	signed := a.kept("signed.pdf", string(owner.download(id)))
	if status, out := a.run("prove", "999999", "--data", data); status != 1 || !strings.Contains(out, "no events of a document 999999") {
		t.Errorf("%d: %s", status, out)
	}
	if status, out := a.run("prove", "0", "--data", data); status != 1 {
		t.Errorf("events of no document are proven as of one: %s", out)
	}
	s.stop()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}

	story := []string{fmt.Sprintf("Document %d:", id), "Uploaded the document", "Finalized", "Budi Santoso <", "Agreed to sign", "Signed the document", "Completed and sealed", "numbers between"}
	a.demand(0, append(story, "The proof holds", "not rewritten"), proof, "--key", key)
	printed, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	a.demand(0, []string{"Bukti ini sah", "Menandatangani dokumen"}, proof, "--key", strings.TrimSpace(string(printed)), "--lang", "id")
	a.demand(0, []string{"is named by event"}, proof, "--key", key, "--file", signed)
	a.demand(1, []string{"IS NAMED BY NO EVENT"}, proof, "--key", key, "--file", proof)
	a.demand(0, []string{": 1 events", "since you have it"}, before, "--key", key, "--checkpoint", early)
	a.demand(1, []string{"DOES NOT HOLD", "under another checkpoint"}, proof, "--key", key, "--checkpoint", early)
}

func TestForgedProofFailsAndOtherFilesAreReported(t *testing.T) {
	t.Parallel()
	a := auditing{t, t.TempDir()}
	formats := filepath.Join("..", "..", "internal", "audit", "testdata", "formats")
	good, key := filepath.Join(formats, "proof-1.json"), filepath.Join(formats, "verifier-key.txt")
	a.demand(0, []string{"Document 42: 3 events", "2026-03-02 03:04:05 UTC  Siti Nurhaliza, S.H. <siti@example.test>, 2001:db8::1", "serial: 0123456789ABCDEF"}, good, "--key", key)

	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	forge := func(pattern, by string) string {
		forged := regexp.MustCompile(pattern).ReplaceAllString(string(b), by)
		if forged == string(b) {
			t.Fatalf("%s is not in the proof", pattern)
		}
		return a.kept("forged-"+by, forged)
	}
	a.demand(1, []string{"DOES NOT HOLD", "event 2: not proven"}, forge("sewa", "beli"), "--key", key)
	a.demand(1, []string{"DOES NOT HOLD", "event 4: not proven"}, forge(`"number": 3`, `"number": 4`), "--key", key)
	a.demand(1, []string{"DOES NOT HOLD", "it is of document 42"}, forge(`"document": 42`, `"document": 43`), "--key", key)
	a.demand(1, []string{"DOES NOT HOLD", "not a checkpoint of this log"}, forge(`\\n11\\n`, `\n12\n`), "--key", key)

	otherKey := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	a.demand(1, []string{"DOES NOT HOLD", "not a checkpoint of this log"}, good, "--key", audit.VerifierKey(audit.LogOrigin(otherKey), otherKey))

	a.demand(2, []string{"not a proof"}, key, "--key", key)
	a.demand(2, []string{"not a proof"}, forge("segel-proof-1", "segel-proof-9"), "--key", key)
	a.demand(2, []string{"no such file"}, filepath.Join(a.dir, "none"), "--key", key)
	a.demand(2, []string{"neither a key", "nor a file"}, good, "--key", "segel/fe812c12f3ab4ce6+1fd1c950+AepKbGPi")
	a.demand(2, []string{"not a key of checkpoints"}, good, "--key", good)
	a.demand(2, []string{"no such file"}, good, "--key", key, "--file", filepath.Join(a.dir, "none"))
	a.demand(2, []string{"no such file"}, good, "--key", key, "--checkpoint", filepath.Join(a.dir, "none"))
	a.demand(2, nil, good)
}

// TestNoProofIsMadeOfATamperedLog changes the signer's name in the database only.
func TestNoProofIsMadeOfATamperedLog(t *testing.T) {
	t.Parallel()
	a := auditing{t, t.TempDir()}
	s := starting{idle: true}.start(t)
	owner := s.person(t, "Sari Wulandari", "")
	id := owner.upload(simple(), owner.as("signer", 1))
	checkpoint := a.file("checkpoint", "checkpoint", "--data", s.conf.DataDir)
	number := strconv.FormatInt(id, 10)
	a.file("proof", "prove", number, "--data", s.conf.DataDir)

	db := openSQLite(t, s.conf.DataDir)
	if _, err := db.ExecContext(t.Context(), `UPDATE event SET name = 'Budi Santoso' WHERE document = $1`, id); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"prove", number}, {"prove", number, "--checkpoint", checkpoint}} {
		if status, out := a.run(append(args, "--data", s.conf.DataDir)...); status != 1 || strings.Contains(out, "segel-proof") {
			t.Errorf("%v: %d: %s", args, status, out)
		}
	}
}

// TestTextFromPeopleMovesNoCursor uses a name that would end the line and colour the next one.
func TestTextFromPeopleMovesNoCursor(t *testing.T) {
	t.Parallel()
	if got := oneLine("Sari\n\x1b[31mThe proof holds\u202e\u2028é  世"); got != "Sari \uFFFD[31mThe proof holds\uFFFD\uFFFDé  世" {
		t.Errorf("%q", got)
	}
}
