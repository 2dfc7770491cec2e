package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/store"
)

// signedAndStamped returns a completed document with a signature, a duty stamp and an evidence certificate.
func (c *client) signedAndStamped(signer *client) int64 {
	c.t.Helper()
	id := c.upload(simple(), signer.as("signer", 1))
	c.place(id, signer.at("sign", 100, 100, 260, 160), c.at("emet", 300, 100, 380, 180)).ok()
	c.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id, "consent", signer.consentOf(id, "id")).ok()
	c.completed(id)
	c.evidenceOf(id)
	return id
}

// age moves the completion of a document, and the messages about removals, so many days into the past.
func (m *rowEditor) age(document int64, days int) {
	m.t.Helper()
	if m.row == "rowid" {
		m.exec("PRAGMA busy_timeout = 10000") // the service writes too
	}
	m.exec(fmt.Sprintf(`UPDATE document SET ended_at = ended_at - %d WHERE id = %d`, int64(days)*24*3_600_000_000, document))
	m.exec(fmt.Sprintf(`UPDATE removal_notice SET announced_at = announced_at - %d WHERE document = %d`, int64(days)*24*3_600_000_000, document))
}

// filesOf returns the keys of the files of a document.
func (s *service) filesOf(t *testing.T, id int64) (keys []string) {
	t.Helper()
	d, err := s.store.Document(t.Context(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Revisions {
		keys = append(keys, r.Tail.Key)
	}
	v, err := s.store.EvidenceFile(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	return append(keys, v.File.Key)
}

// filesThere counts the files that are in the blob store.
func (s *service) filesThere(t *testing.T, keys []string) (n int) {
	t.Helper()
	for _, key := range keys {
		f, err := s.blobs.Open(t.Context(), blob.Key(key))
		switch {
		case err == nil:
			n++
			_ = f.Close()
		case !errors.Is(err, blob.ErrNotFound):
			t.Fatal(err)
		}
	}
	return n
}

// applyRetention does what the daily job does.
func (s *service) applyRetention(t *testing.T) {
	t.Helper()
	if _, err := s.workflow.ApplyRetention(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (c *client) setRetention(years int) {
	c.t.Helper()
	c.do("PUT", "/v1/admin/retention", object{"years": years}).ok()
}

// TestACompletedDocumentIsRemovedAfterItsOwnerWasTold follows a document through its retention as its people, an admin and somebody with a copy see it.
func TestACompletedDocumentIsRemovedAfterItsOwnerWasTold(t *testing.T) {
	t.Parallel()
	server, mail := startMailServer(t)
	s := starting{set: append(mail, "SEGEL_RETENTION_LEAST_YEARS", "2")}.start(t)
	admin, owner, signer, other := s.administrator(t, "Admin", ""), s.person(t, "Pemilik", ""), s.administrator(t, "Penanda", ""), s.person(t, "Lain", "PT Lain")
	id := owner.signedAndStamped(signer)
	file, keys := owner.download(id), s.filesOf(t, id)
	db := editRows(t, databaseDSN(s.conf))

	for _, years := range []int{-1, 1, 101} {
		admin.do("PUT", "/v1/admin/retention", object{"years": years}).is(http.StatusUnprocessableEntity)
	}
	admin.setRetention(2)
	got := admin.do("GET", "/v1/admin/retention", nil).ok().object("data")
	if got["years"] != 2.0 || got["least_years"] != 2.0 || got["most_years"] != 100.0 {
		t.Errorf("the retention is %v", got)
	}
	due := func() []any {
		return admin.do("GET", "/v1/admin/retention/due", nil).ok().object("data")["documents"].([]any)
	}
	if len(due()) != 0 {
		t.Errorf("a new document is due: %v", due())
	}
	db.age(id, 2*366)
	s.applyRetention(t)
	if text := server.mailTo(t, owner.email, 2).body; !strings.Contains(text, "30 days after this message") { // the first one is about the completion
		t.Errorf("the owner is told:\n%s", text)
	}
	if lines := due(); len(lines) != 1 || lines[0].(object)["announced_at"] == nil || lines[0].(object)["remove_at"] == nil {
		t.Fatalf("due: %v", lines)
	}
	for who, want := range map[*client]bool{admin: false, signer: true} {
		if got := who.do("GET", "/v1/admin/retention/due", nil).ok().object("data")["documents"].([]any)[0].(object)["document"].(object)["may_open"]; got != want {
			t.Errorf("%s may open what is due: %v", who.email, got)
		}
	}
	db.age(id, 29)
	s.applyRetention(t)
	if owner.get("detail", id).ok().object("data")["removed_at"] != nil {
		t.Fatal("it was removed within 30 days")
	}
	db.age(id, 2)

	hold := admin.do("POST", "/v1/admin/holds", object{"document_id": id, "reason": "Perkara 1"}).ok().object("response", "data", "hold")
	s.applyRetention(t)
	if lines := due(); lines[0].(object)["held"] != true || lines[0].(object)["remove_at"] != nil {
		t.Errorf("while it is held: %v", lines)
	}
	if s.filesThere(t, keys) != len(keys) {
		t.Error("files of a held document are gone")
	}
	admin.do("PUT", fmt.Sprint("/v1/admin/holds/", hold["id"], "/lifted"), object{"reason": "Selesai"}).ok()
	admin.do("PUT", fmt.Sprint("/v1/admin/holds/", hold["id"], "/lifted"), object{"reason": "Selesai"}).is(http.StatusNotFound, "hold.not_found")

	s.applyRetention(t)
	if owner.get("detail", id).ok().object("data")["removed_at"] != nil {
		t.Fatal("it was removed as soon as the hold was lifted")
	}
	if text := server.mailTo(t, owner.email, 3).body; !strings.Contains(text, "30 days after this message") {
		t.Errorf("the owner is told again:\n%s", text)
	}
	db.age(id, 31)
	s.applyRetention(t)
	d := owner.get("detail", id).ok().object("data")
	if d["removed_at"] == nil || d["active_download_button"] != false || d["status"] != "completed" {
		t.Errorf("the detail of a removed document: %v", d)
	}
	for _, what := range []string{"preview", "download", "evidence"} {
		for _, c := range []*client{owner, signer} {
			c.get(what, id).is(http.StatusGone, "document.removed")
		}
		other.get(what, id).is(http.StatusNotFound)
	}
	owner.get("original", id).is(http.StatusGone, "document.removed")
	owner.do("GET", fmt.Sprintf("%sarchive?ids=%d", documentPath, id), nil).is(http.StatusGone, "document.removed")
	owner.do("GET", fmt.Sprintf("%sarchive?ids=%d,999999", documentPath, id), nil).is(http.StatusConflict, "document.not_completed")
	owner.verb("copy-docs", id).is(http.StatusGone, "document.removed")
	owner.verb("template-docs", id).is(http.StatusGone, "document.removed")
	if item := owner.do("GET", documentPath+"out", nil).ok().object("data")["documents"].([]any)[0].(object); item["removed"] != true {
		t.Errorf("the list has %v", item)
	}
	s.awaitSweep(t, keys)
	if len(due()) != 0 {
		t.Errorf("a removed document is due: %v", due())
	}
	if trail := string(owner.get("audit-trail", id).ok().body); !strings.Contains(trail, `"removed"`) {
		t.Errorf("the audit trail does not tell the removal: %s", trail)
	}

	anonymous := &client{service: s, t: t}
	verified := anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(file)}).ok().object("data")
	if r, _ := verified["removed"].(object); r["code"] != "file.removed" {
		t.Errorf("the copy of a removed file: removed is %v", verified["removed"])
	}
	if stamps := verified["stamps"].([]any); len(stamps) != 1 || stamps[0].(object)["elsewhere"] != "no" {
		t.Errorf("its stamp is reported as %v", stamps)
	}
	verified = anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(simple())}).ok().object("data")
	if verified["removed"] != nil {
		t.Errorf("another file: removed is %v", verified["removed"])
	}
	fsck(t, s, 0)
}

// awaitSweep waits until the job of a removal has deleted the files.
func (s *service) awaitSweep(t *testing.T, keys []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for s.filesThere(t, keys) > 0 {
		select {
		case <-ctx.Done():
			t.Fatalf("%d files are still there", s.filesThere(t, keys))
		case <-look.C:
		}
	}
}

// TestALegalHoldKeepsDraftsAndAccounts also from their owners.
func TestALegalHoldKeepsDraftsAndAccounts(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	admin, owner := s.administrator(t, "Admin", ""), s.person(t, "Pemilik", "")
	foreign := s.administrator(t, "Admin Lain", "PT Lain")
	draft := owner.upload(simple())
	foreign.do("POST", "/v1/admin/holds", object{"document_id": draft, "reason": "x"}).is(http.StatusNotFound)
	owner.do("POST", "/v1/admin/holds", object{"document_id": draft, "reason": "x"}).is(http.StatusForbidden)
	admin.do("POST", "/v1/admin/holds", object{"document_id": draft}).is(http.StatusUnprocessableEntity)

	set := func(body object) string {
		return admin.do("POST", "/v1/admin/holds", body).ok().object("response", "data", "hold")["id"].(string)
	}
	lift := func(id string) { admin.do("PUT", "/v1/admin/holds/"+id+"/lifted", object{"reason": "Selesai"}).ok() }
	erase := func() *answer { return owner.do("PUT", "/v1/auth/account/erased", object{"email": owner.email}) }
	hold := set(object{"document_id": draft, "reason": "Perkara 1"})
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).is(http.StatusConflict, "hold.held")
	erase().is(http.StatusConflict, "hold.held")
	all := set(object{"reason": "Perkara 2"})
	lift(hold)
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).is(http.StatusConflict, "hold.held")
	erase().is(http.StatusConflict, "hold.held")
	admin.do("PUT", "/v1/admin/guests/erased", object{"email": "tamu@example.test"}).is(http.StatusConflict, "hold.held")
	if lines := admin.do("GET", "/v1/admin/holds", nil).ok().object("data")["holds"].([]any); len(lines) != 1 || lines[0].(object)["document"] != nil || lines[0].(object)["reason"] != "Perkara 2" {
		t.Errorf("the holds are %v", lines)
	}
	if lines := foreign.do("GET", "/v1/admin/holds", nil).ok().object("data")["holds"].([]any); len(lines) != 0 {
		t.Errorf("another organisation sees %v", lines)
	}
	foreign.do("PUT", "/v1/admin/holds/"+all+"/lifted", object{"reason": "x"}).is(http.StatusNotFound, "hold.not_found")
	lift(all)
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).ok()
	erase().ok()
}

// mortalRemover is a mortalStore of the removals of a retention.
type mortalRemover struct{ mortalStore }

func (m *mortalRemover) Commit(ctx context.Context, c contract.Change) (d contract.Document, err error) {
	err = m.commit(func() error { d, err = m.Store.Commit(ctx, c); return err })
	return d, err
}

func (m *mortalRemover) AnnounceRemovals(ctx context.Context, o contract.OrganisationID, owner contract.PersonID, completedBy, now time.Time, limit int, made func(store.Announcement) (contract.Notice, contract.Event)) error {
	return m.commit(func() error { return m.Store.AnnounceRemovals(ctx, o, owner, completedBy, now, limit, made) })
}

// TestARemovalThatIsKilledAfterAnyCommitIsCompleted kills a process after each commit of the retention of two documents. Another process of the same data goes on: each owner is told once, each document is
// removed once, and the files go with jobs that outlive the process.
func TestARemovalThatIsKilledAfterAnyCommitIsCompleted(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		const commits = 3 // a message, and two documents
		how := starting{set: append(set, "SEGEL_RETENTION_LEAST_YEARS", "1"), data: filepath.Join(t.TempDir(), "data")}
		s := how.start(t)
		type round struct {
			owner, admin *client
			documents    []int64
			keys         []string
		}
		var rounds []round
		for kill := range commits + 1 {
			org := fmt.Sprint("PT ", kill)
			r := round{owner: s.person(t, fmt.Sprint("Pemilik ", kill), org), admin: s.administrator(t, fmt.Sprint("Admin ", kill), org)}
			signer := s.person(t, fmt.Sprint("Penanda ", kill), org)
			for range 2 {
				id := r.owner.signedAndStamped(signer)
				r.documents, r.keys = append(r.documents, id), append(r.keys, s.filesOf(t, id)...)
			}
			rounds = append(rounds, r)
		}
		s.stop()
		how.idle = true
		s = how.start(t)
		mortal := &mortalRemover{mortalStore{left: -1}}
		how.adjust = func(a *app) {
			mortal.Store = a.store
			a.replaceStore(mortal)
		}
		victim := how.start(t)
		db := editRows(t, databaseDSN(s.conf))
		for kill, r := range rounds {
			mortal.left, mortal.made = kill, 0
			if kill == 0 {
				mortal.left = -1
			}
			r.admin.on(s).setRetention(1)
			for _, days := range []int{366, 31} {
				for _, id := range r.documents {
					db.age(id, days)
				}
				_, err := victim.workflow.ApplyRetention(t.Context())
				if err != nil && !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				s.applyRetention(t) // as a process does that starts
			}
			if want := commits; kill == 0 && mortal.made != want {
				t.Errorf("a retention has %d commits, want %d", mortal.made, want)
			}
			if kill > 0 && mortal.left != 0 {
				t.Errorf("the process was not killed after %d commits", kill)
			}
			for _, id := range r.documents {
				events, err := s.store.Events(t.Context(), contract.DocumentID(id))
				if err != nil {
					t.Fatal(err)
				}
				removed := 0
				for _, e := range events {
					if e.Type == contract.EventRemoved {
						removed++
					}
				}
				if _, err := s.store.Removal(t.Context(), contract.DocumentID(id)); removed != 1 || err != nil {
					t.Errorf("killed after %d commits: %d events say that document %d was removed; %v", kill, removed, id, err)
				}
			}
			if n := s.filesThere(t, r.keys); n != len(r.keys) {
				t.Errorf("killed after %d commits: %d of %d files are there before a job has run", kill, n, len(r.keys))
			}
		}
		if log, err := s.store.AuditLog(t.Context(), store.LogQuery{Type: contract.EventRemovalAnnounced, Limit: 1}); err != nil || log.Total != len(rounds) {
			t.Errorf("%d owners were told, want %d: %v", log.Total, len(rounds), err)
		}
		victim.stop()
		s.stop()
		how.idle, how.adjust = false, nil
		s = how.start(t)
		for _, r := range rounds {
			s.awaitSweep(t, r.keys)
		}
		fsck(t, s, 0)
	})
}
