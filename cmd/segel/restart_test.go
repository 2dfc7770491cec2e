package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/blob"
)

// signedNotStamped signs a contract with one duty stamp on a service without jobs, and stops the service: all
// outstanding work is recorded in the folder.
func signedNotStamped(t *testing.T, data string) (owner *client, id int64) {
	t.Helper()
	s := starting{data: data, idle: true}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	id = owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	if now := owner.get("detail", id).ok().object("data"); now["status"] != "processing" || now["signing_status"] != "completed" {
		t.Fatalf("the document is %v, its signing %v", now["status"], now["signing_status"])
	}
	s.stop()
	return owner, id
}

// on returns the same client, with its token, for a restarted service.
func (c *client) on(s *service) *client {
	again := *c
	again.service = s
	return &again
}

// finished requires the completed file of signedNotStamped.
func (c *client) finished(id int64) {
	c.t.Helper()
	if n := len(c.completed(id)["serial_number"].([]any)); n != 1 {
		c.t.Errorf("%d serials", n)
	}
	if n := soundSignatures(c.t, c.download(id)); n != 4 {
		c.t.Errorf("%d signatures, want the signer's, the stamp's, the seal's and the document timestamp", n)
	}
}

func TestServiceThatStoppedBeforeTheStampFinishesAfterItsNextStart(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	owner, id := signedNotStamped(t, data)
	s := starting{data: data}.start(t)
	owner.on(s).finished(id)
	fsck(t, s, 0)
}

func TestWorkThatTheQueueHasLostIsOrderedAgain(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	owner, id := signedNotStamped(t, data)
	emptyQueue(t, data)
	s := starting{data: data, idle: true}.start(t)
	if err := s.workflow.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if n := emptyQueue(t, data); n != 0 {
		t.Errorf("%d jobs were ordered for a document that does not wait for long", n)
	}
	// A starting service first looks for overdue work.
	late := func() time.Time { return time.Now().Add(time.Hour) }
	s = starting{data: data, clock: late}.start(t)
	owner.on(s).finished(id)
}

// emptyQueue deletes all jobs, as an operator could, and returns how many there were.
func emptyQueue(t *testing.T, data string) int64 {
	t.Helper()
	db := openSQLite(t, data)
	r, err := db.ExecContext(t.Context(), "DELETE FROM river_job")
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFsckFindsAndRemovesWhatACrashHasLeft(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	owner, id := signedNotStamped(t, data)
	s := starting{data: data}.start(t)
	owner.on(s).finished(id)
	lost := referred(t, s)
	s.stop()
	before, _ := blobs(t, s)

	old, young := leftover(t, s, 0, 2*time.Hour), leftover(t, s, 1, time.Minute)
	out := check(t, data, 0)
	if !strings.Contains(out, old+": 8 bytes that nothing refers to") || strings.Contains(out, young) || !strings.Contains(out, "0 lost or changed, 1 left over") {
		t.Error(out)
	}
	if out := check(t, data, 0, "--remove"); !strings.Contains(out, "moved 1 files (8 bytes) into "+filepath.Join(s.conf.DataDir, "blobs", "aside")) {
		t.Error(out)
	}
	if after, _ := blobs(t, s); len(after) != len(before)+1 {
		t.Errorf("%d blobs, want those %d and the young one", len(after), len(before))
	}
	if out := check(t, data, 0); !strings.Contains(out, "0 lost or changed, 0 left over") {
		t.Error(out)
	}

	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	if out := check(t, data, 1, "--remove"); !strings.Contains(out, filepath.Base(lost)+" is missing") || !strings.Contains(out, "1 lost or changed") {
		t.Error(out)
	}
}

// leftover creates a blob of that age that nothing refers to.
func leftover(t *testing.T, s *service, random byte, age time.Duration) string {
	t.Helper()
	k, err := blob.NewKey(bytes.NewReader(bytes.Repeat([]byte{random}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	file := blobFile(s, string(k))
	if err := os.WriteFile(file, []byte("leftover"), 0o400); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(file, then, then); err != nil {
		t.Fatal(err)
	}
	return string(k)
}

// check runs fsck as a command and returns its output.
func check(t *testing.T, data string, status int, more ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: context.Background(), stdout: &out, stderr: &errs}
	if got := w.runCommand(append([]string{"fsck", "--data", data}, more...)); got != status {
		t.Errorf("exit status %d, want %d: %s%s", got, status, &out, &errs)
	}
	return out.String()
}

// TestServiceThatWasKilledAmidAnUploadStartsClean kills the process after it has begun to receive a file.
func TestServiceThatWasKilledAmidAnUploadStartsClean(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p, err := launch(data)
	if err != nil {
		t.Fatal(err)
	}
	owner := p.login(t, p.email, p.password)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: segel\r\nx-access-token: %s\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n", uploadPath, owner.token)
	// The service asks for the body once it has a slot for it.
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatal(line, err)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it was killed
	// Where the file system writes files without a name, none is left even before the next start.
	if final, unfinished := blobs(t, p.service); len(final) != 0 || len(unfinished) > 1 {
		t.Errorf("files %v, unfinished %v", final, unfinished)
	}

	p = serve(t, data)
	if s := owner.on(p.service).stored(); s.Documents != 0 || len(s.Blobs) != 0 || len(s.Unfinished) != 0 {
		t.Errorf("%+v", s)
	}
	owner.on(p.service).upload(simple())
}
