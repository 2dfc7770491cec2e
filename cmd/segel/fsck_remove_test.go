package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/contract"
)

// runFsck runs fsck as a command on either database and returns what it prints.
func runFsck(t *testing.T, data string, env []string, status int, more ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: context.Background(), stdout: &out, stderr: &errs, env: env}
	if got := w.runCommand(append([]string{"fsck", "--data", data}, more...)); got != status {
		t.Errorf("exit status %d, want %d: %s%s", got, status, &out, &errs)
	}
	return out.String()
}

// settings returns names and values of variables alternately.
func settings(env []string) (set []string) {
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		set = append(set, name, value)
	}
	return set
}

// ageBlobs makes all blobs of a store look two hours old: fsck ignores those of the last hour.
func ageBlobs(t *testing.T, s *service) {
	t.Helper()
	then := time.Now().Add(-2 * time.Hour)
	final, _ := blobs(t, s)
	for _, key := range final {
		if err := os.Chtimes(blobFile(s, key), then, then); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFsckMovesNoFileOfADocumentWhoseRowsWereDeleted(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		s := starting{data: data, set: settings(env)}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		id := signable(owner, signer)
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		s.stop()
		var deletions []string
		for _, table := range []string{"evidence", "box", "attempt", "stamp", "placement", "revision", "participant", "renewal", "guest_link"} {
			deletions = append(deletions, fmt.Sprintf(`DELETE FROM %s WHERE document = %d`, table, id))
		}
		runSQL(t, data, env, append(deletions, fmt.Sprintf(`DELETE FROM document WHERE id = %d`, id))...)
		unknown := leftover(t, s, 0, 2*time.Hour)
		ageBlobs(t, s)
		before, _ := blobs(t, s)

		out := runFsck(t, data, env, 1, "--remove")
		for _, want := range []string{
			fmt.Sprintf("evidence: document %d: it is missing although event", id),
			"no row refers to it, and the audit log says that it belongs to a document",
			unknown + ": 8 bytes that nothing refers to (leftover). It was not moved, because evidence is missing or changed",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		if after, _ := blobs(t, s); len(after) != len(before) {
			t.Errorf("%d blobs are left of %d", len(after), len(before))
		}
	})
}

func TestFsckMovesTheFileOfADraftThatWasDeletedAside(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		s := starting{data: data, set: settings(env)}.start(t)
		owner := s.person(t, "Sari", "")
		id := owner.upload(simple())
		d, err := s.store.Document(t.Context(), contract.DocumentID(id))
		if err != nil {
			t.Fatal(err)
		}
		file := blobFile(s, d.Original.Key)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		owner.do("DELETE", fmt.Sprint(documentPath, id), nil).ok()
		o, err := s.store.FirstOrganisation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		organisation := o.Name
		s.stop()
		if err := os.RemoveAll(file); err != nil { // the service may have been stopped before it removed the file
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o400); err != nil {
			t.Fatal(err)
		}
		ageBlobs(t, s)

		if out := runFsck(t, data, env, 0, "--remove"); !strings.Contains(out, "moved 1 files") || !strings.Contains(out, "0 lost or changed, 1 left over") {
			t.Error(out)
		}
		aside, err := filepath.Glob(filepath.Join(data, "blobs", "aside", "*", d.Original.Key))
		if err != nil || len(aside) != 1 {
			t.Fatal(aside, err)
		}
		if moved, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(moved, content) {
			t.Errorf("the file that was moved aside is another one: %v", err)
		}
		runFsck(t, data, env, 0, "--purge-aside", "1")
		if _, err := os.Stat(aside[0]); err != nil {
			t.Error("a file of today is purged", err)
		}
		runSQL(t, data, env, `UPDATE organisation SET name = 'Another'`)
		runFsck(t, data, env, 1, "--purge-aside", "0")
		if _, err := os.Stat(aside[0]); err != nil {
			t.Error("the file is purged although evidence was changed", err)
		}
		runSQL(t, data, env, fmt.Sprintf(`UPDATE organisation SET name = '%s'`, organisation))
		runFsck(t, data, env, 0, "--purge-aside", "0")
		if _, err := os.Stat(aside[0]); !os.IsNotExist(err) {
			t.Error("the file is not purged", err)
		}
	})
}

func TestFsckPrintsFindingsAndASummaryAsJSON(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data}.start(t)
	s.person(t, "Sari", "").upload(simple())
	s.stop()
	runSQL(t, data, nil, `UPDATE document SET title = 'Another'`, `UPDATE storage SET drafts = 7`)
	var about []string
	var summary fsckSummary
	for line := range strings.Lines(runFsck(t, data, nil, 1, "--json", "--fast")) {
		var finding struct{ Severity, Check, About, Text, Remedy string }
		if err := json.Unmarshal([]byte(line), &finding); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if finding.About == "" {
			if err := json.Unmarshal([]byte(line), &summary); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if finding.Check == "" || finding.Text == "" || finding.Remedy == "" {
			t.Errorf("a finding lacks something: %s", line)
		}
		about = append(about, finding.Severity+" "+strings.Fields(finding.About)[0])
	}
	if got := strings.Join(about, ", "); got != "evidence document, derived storage" {
		t.Error(got)
	}
	if summary.Evidence != 1 || summary.Derived != 1 || summary.Documents != 1 || summary.Events == 0 || len(summary.Root) != 64 || summary.Signatures {
		t.Errorf("%+v", summary)
	}
}

func TestFsckStatesNothingWhereEverythingIsStated(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data}.start(t)
	s.person(t, "Sari", "").upload(simple())
	s.stop()
	before := runFsck(t, data, nil, 0)
	if out := runFsck(t, data, nil, 0, "--record"); strings.Contains(out, "logged the digests") || rootLine(t, out) != rootLine(t, before) {
		t.Errorf("the log has grown:\n%s\n%s", before, out)
	}
}

// rootLine returns the line of the log's root.
func rootLine(t *testing.T, out string) string {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "audit log: ") {
			return line
		}
	}
	t.Fatal(out)
	return ""
}

func TestTheServiceMovesWhatACrashLeftAside(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		s := starting{set: append(settings(env), "SEGEL_BLOB_ENCRYPTION", "on")}.start(t)
		owner := s.person(t, "Sari", "")
		id := owner.upload(simple())
		old, young := leftover(t, s, 0, 72*time.Hour), leftover(t, s, 1, 24*time.Hour)
		then := time.Now().Add(-72 * time.Hour)
		final, _ := blobs(t, s)
		for _, key := range final {
			if key != young {
				if err := os.Chtimes(blobFile(s, key), then, then); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 {
			if err := s.collectLeftOver(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		after, _ := blobs(t, s)
		if len(after) != len(final)-1 || slices.Contains(after, old) || !slices.Contains(after, young) {
			t.Errorf("%d files are left of %d", len(after), len(final))
		}
		moved, err := filepath.Glob(filepath.Join(s.conf.DataDir, blobDir, "aside", "*", "*"))
		if err != nil || len(moved) != 2 || filepath.Base(moved[0]) != old || filepath.Base(moved[1]) != "manifest.jsonl" {
			t.Errorf("aside are %q, %v", moved, err)
		}
		owner.get("original", id).ok()
		families, err := s.metrics.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "segel_left_over_files_total" && f.GetMetric()[0].GetCounter().GetValue() != 1 {
				t.Errorf("%v files are counted", f.GetMetric()[0].GetCounter().GetValue())
			}
		}
	})
}

// TestNoCommitRefersToAFileThatTheServiceHasMovedAside suspends an upload for three days between its file and its commit.
func TestNoCommitRefersToAFileThatTheServiceHasMovedAside(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		var began atomic.Pointer[service]
		var suspended atomic.Bool
		var collecting error
		s := starting{set: settings(env), idle: true, adjust: func(a *app) {
			a.store.Intercept(func(_ context.Context, write bool, run func() error) error {
				s := began.Load()
				if s == nil || !write || suspended.Load() {
					return run()
				}
				// The first transaction after the file was written is the commit. The collection has transactions too.
				if final, _ := blobs(t, s); len(final) > 0 && suspended.CompareAndSwap(false, true) {
					then := time.Now().Add(-72 * time.Hour)
					for _, key := range final {
						collecting = errors.Join(collecting, os.Chtimes(blobFile(s, key), then, then))
					}
					collecting = errors.Join(collecting, s.collectLeftOver(t.Context()))
				}
				return run()
			})
		}}.start(t)
		owner := s.person(t, "Sari", "")
		began.Store(s)
		send := func() *answer {
			return owner.do("POST", signPath+"upload-docs-base64", object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple())})
		}
		send().is(http.StatusServiceUnavailable)
		if collecting != nil || !suspended.Load() {
			t.Fatal(suspended.Load(), collecting)
		}
		if final, _ := blobs(t, s); len(final) > 0 {
			t.Errorf("%d files are in their place", len(final))
		}
		if err := s.store.EachDocument(t.Context(), func(d contract.Document, err error) bool {
			t.Errorf("document %d was stored, %v", d.ID, err)
			return true
		}); err != nil {
			t.Error(err)
		}
		id := documentOf(send())
		if err := s.collectLeftOver(t.Context()); err != nil {
			t.Error(err)
		}
		owner.get("original", id).ok()
	})
}
