package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/workflow"
)

// toSign names the current revisions of documents.
func (s *service) toSign(t *testing.T, ids ...int64) []object {
	t.Helper()
	list := make([]object, len(ids))
	for i, id := range ids {
		d, err := s.store.Document(t.Context(), docID(id))
		if err != nil {
			t.Fatal(err)
		}
		list[i] = object{"document_id": id, "digest": fmt.Sprintf("%x", d.Current().Digest)}
	}
	return list
}

// results returns what became of each document: its number, its status, and the code of a refusal.
func (a *answer) results() []string {
	a.t.Helper()
	var list []string
	for _, r := range a.ok().object("response", "data")["results"].([]any) {
		r := r.(object)
		line := fmt.Sprint(r["document_id"], " ", r["code"])
		if refusal, ok := r["error"].(object); ok {
			line += fmt.Sprint(" ", refusal["code"])
		}
		if r["signed_before"] == true {
			line += " before"
		}
		if r["success"] != (r["code"] == float64(http.StatusOK)) || r["msg"] == "" {
			a.t.Errorf("%v", r)
		}
		list = append(list, line)
	}
	return list
}

// signatures counts the events of a document that record its signer's signature.
func (s *service) signatures(t *testing.T, id int64) (events []contract.Event) {
	t.Helper()
	list, err := s.store.Events(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(e contract.Event) bool { return e.Type != contract.EventSigned })
}

// sendMany makes finalized documents of the owner for that signer.
func sendMany(owner, signer *client, count int) []int64 {
	ids := make([]int64, count)
	for i := range ids {
		ids[i] = owner.uploadWith(object{"signer": []object{signer.as("signer", 1)}}, simple())
		owner.place(ids[i], signer.at("sign", 100, 100, 260, 160)).ok()
		owner.verb("finalize-docs", ids[i]).ok()
	}
	return ids
}

func TestOneRefusedDocumentDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	owner, signer, second := s.person(t, "Pemilik", ""), s.person(t, "Penanda", ""), s.person(t, "Kedua", "")
	ids := sendMany(owner, signer, 5)
	waits := owner.uploadWith(object{"signer": []object{second.as("signer", 1), signer.as("signer", 2)}}, simple())
	owner.verb("finalize-docs", waits).ok()
	owner.verb("cancel-docs", ids[1]).ok()
	list := s.toSign(t, append(ids, waits, ids[0])...)[:6]
	list[0]["pages_shown"] = []int{1}
	list[2]["digest"] = strings.Repeat("ab", 32)
	list[3]["pages_shown"] = []int{9}
	a := signer.do("POST", signPath+"sign-many-docs", object{"documents": list, "specimen": previewPicture})
	want := []string{
		fmt.Sprint(ids[0], " 200"), fmt.Sprint(ids[1], " 409 document.not_processing"), fmt.Sprint(ids[2], " 409 document.revision_changed"),
		fmt.Sprint(ids[3], " 422 input.invalid"), fmt.Sprint(ids[4], " 200"), fmt.Sprint(waits, " 409 document.not_in_turn"),
	}
	if got := a.results(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	consent := a.object("response", "data", "consent")
	if consent["documents"] != float64(6) || len(consent["digest"].(string)) != 64 {
		t.Errorf("%v", consent)
	}
	for i, id := range ids {
		signed := s.signatures(t, id)
		if (i == 0 || i == 4) != (len(signed) == 1) {
			t.Errorf("document %d has %d signatures", i, len(signed))
			continue
		}
		if len(signed) == 0 {
			continue
		}
		if d := signed[0].Details; d["consent_documents"] != "6" || d["consent_digest"] != consent["digest"] || d["pages_shown"] != map[int]string{0: "1", 4: contract.PagesNone}[i] {
			t.Errorf("document %d: %v", i, d)
		}
	}
	trail := fmt.Sprint(owner.do("GET", fmt.Sprint(documentPath, "audit-trail/", ids[0]), nil, "Accept-Language", "en").ok().object()["data"])
	if !strings.Contains(trail, "showed page 1 of 2; one consent covered this document and 5 others") {
		t.Error(trail)
	}
}

func TestBadListsAreRefusedBeforeAnythingIsSigned(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	ids := sendMany(owner, signer, 2)
	list := s.toSign(t, ids...)
	many := make([]object, contract.MaxConsentDocuments+1)
	for i := range many {
		many[i] = object{"document_id": i + 1, "digest": strings.Repeat("ab", 32)}
	}
	for name, c := range map[string]struct {
		body   object
		fields []string
	}{
		"no list":               {object{}, []string{"documents"}},
		"an empty list":         {object{"documents": []object{}}, []string{"documents"}},
		"a document twice":      {object{"documents": []object{list[0], list[1], list[0]}}, []string{"documents[2].document_id", "consent[2].document_id"}},
		"no digest":             {object{"documents": []object{list[0], {"document_id": ids[1]}}}, []string{"documents[1].digest"}},
		"a digest that is none": {object{"documents": []object{list[0], {"document_id": ids[1], "digest": "xyz"}}}, []string{"documents[1].digest"}},
		"too many":              {object{"documents": many}, []string{"documents", "consent"}},
		"not consented to":      {object{"documents": list, "consent": list[:1]}, []string{"documents[1]"}},
	} {
		a := signer.do("POST", signPath+"sign-many-docs", c.body).is(http.StatusUnprocessableEntity, "input.invalid")
		var got []string
		for _, f := range a.object("error")["fields"].([]any) {
			got = append(got, f.(object)["field"].(string))
		}
		if !slices.Equal(got, c.fields) {
			t.Errorf("%s: %q, want %q", name, got, c.fields)
		}
	}
	for _, id := range ids {
		if n := len(s.signatures(t, id)); n != 0 {
			t.Errorf("document %d was signed", id)
		}
	}
}

func TestPartsOfAListAreSignedWithOneConsent(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	ids := sendMany(owner, signer, 3)
	list := s.toSign(t, ids...)
	var digests []any
	for _, part := range [][]object{list[:2], list[2:]} {
		a := signer.do("POST", signPath+"sign-many-docs", object{"documents": part, "consent": list})
		if got := a.results(); len(got) != len(part) {
			t.Errorf("%q", got)
		}
		digests = append(digests, a.object("response", "data", "consent")["digest"])
	}
	for _, id := range ids {
		signed := s.signatures(t, id)
		if len(signed) != 1 || signed[0].Details["consent_documents"] != "3" || signed[0].Details["consent_digest"] != digests[0] || digests[0] != digests[1] {
			t.Errorf("document %d: %+v", id, signed)
		}
	}
}

func TestADocumentThatIsNotTheirsAnswersLikeOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	owner, signer, outsider := s.person(t, "Pemilik", ""), s.person(t, "Penanda", ""), s.person(t, "Orang Luar", "Organisasi Lain")
	id := sendMany(owner, signer, 1)[0]
	theirs := s.toSign(t, id)[0]
	missing := object{"document_id": 999_999, "digest": theirs["digest"]}
	plain := func(list ...object) []string {
		var all []string
		for _, r := range outsider.do("POST", signPath+"sign-many-docs", object{"documents": list}).ok().object("response", "data")["results"].([]any) {
			r := r.(object)
			delete(r, "document_id")
			delete(r["error"].(object), "request_id")
			all = append(all, fmt.Sprint(r))
		}
		return all
	}
	got := plain(theirs, missing)
	if got[0] != got[1] || !strings.Contains(got[0], "document.not_found") {
		t.Errorf("%q", got)
	}
	theirs["pages_shown"] = []int{9}
	if wrong := plain(theirs)[0]; wrong != got[0] {
		t.Errorf("with a page that the document does not have: %q, want %q", wrong, got[0])
	}
	if len(s.signatures(t, id)) != 0 {
		t.Error("an outsider signed")
	}
}

// watchedStore calls a function after each commit, with their number from 1.
type watchedStore struct {
	workflow.Store
	mu        sync.Mutex // guards the fields below
	commits   int
	committed func(n int) error
}

func (w *watchedStore) Commit(ctx context.Context, c contract.Change) (contract.Document, error) {
	d, err := w.Store.Commit(ctx, c)
	w.mu.Lock()
	w.commits++
	n, committed := w.commits, w.committed
	w.mu.Unlock()
	if err == nil && committed != nil {
		err = committed(n)
	}
	return d, err
}

func (w *watchedStore) watch(committed func(n int) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits, w.committed = 0, committed
}

// TestRepeatingTheRequestSignsNothingTwice kills a process after each commit of a request: a document takes two, its
// intention and its signature.
func TestRepeatingTheRequestSignsNothingTwice(t *testing.T) {
	t.Parallel()
	w := survive(t)
	const documents = 3
	var op api.Operation
	for _, o := range api.Operations() {
		if o.ID == "sign-many" {
			op = o
		}
	}
	for _, keyed := range []bool{true, false} {
		for commit := 1; commit <= 2*documents; commit++ {
			ids := sendMany(w.owner, w.signer, documents)
			r, key := w.signMany(ids...), ""
			if keyed {
				key = w.key()
			}
			var m *mortal
			how := w.how
			how.adjust = func(a *app) {
				m = &mortal{Store: a.store, at: never}
				a.replaceStore(&watchedStore{Store: m, committed: func(n int) error {
					if n != commit {
						return nil
					}
					m.mu.Lock()
					defer m.mu.Unlock()
					m.dead = true
					return errKilled
				}})
				a.answers = m
			}
			victim := how.start(t)
			r.ask(victim, op, key) // the client does not get the answer
			if !m.killed() {
				t.Fatalf("the request did not come to commit %d", commit)
			}
			if err := victim.process.Leave(); err != nil { // as the kernel does when a process ends
				t.Fatal(err)
			}
			signed := commit / 2 // by the killed process
			again := r.ask(w.service, op, key)
			replayed := again.header.Get("Idempotent-Replayed") == "true"
			if want := keyed && signed == documents; replayed != want {
				t.Errorf("commit %d, key %v: the stored answer was sent: %v", commit, keyed, replayed)
			}
			for i, got := range again.results() {
				want := fmt.Sprint(ids[i], " 200")
				if i < signed && !replayed {
					want += " before"
				}
				if got != want {
					t.Errorf("commit %d, key %v: %q, want %q", commit, keyed, got, want)
				}
				if n := len(w.signatures(t, ids[i])); n != 1 {
					t.Errorf("commit %d, key %v: document %d has %d signatures", commit, keyed, i, n)
				}
			}
			victim.stop()
		}
	}
}

// TestWhatCouldNotBeSignedNowIsSignedByARepeatWithTheSameKey refuses the commits of one document as an outage does.
func TestWhatCouldNotBeSignedNowIsSignedByARepeatWithTheSameKey(t *testing.T) {
	t.Parallel()
	var watched *watchedStore
	s := starting{idle: true, adjust: func(a *app) { watched = &watchedStore{Store: a.workflow.Store}; a.replaceStore(watched) }}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	ids := sendMany(owner, signer, 3)
	body := object{"documents": s.toSign(t, ids...)}
	ask := func() *answer {
		return signer.do("POST", signPath+"sign-many-docs", body, "Idempotency-Key", "satu")
	}
	watched.watch(func(n int) error {
		if n == 3 { // the intention for the second document
			return contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()
		}
		return nil
	})
	if got, want := ask().results(), []string{fmt.Sprint(ids[0], " 200"), fmt.Sprint(ids[1], " 503 server.unavailable"), fmt.Sprint(ids[2], " 200")}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	watched.watch(nil)
	if got, want := ask().results(), []string{fmt.Sprint(ids[0], " 200 before"), fmt.Sprint(ids[1], " 200"), fmt.Sprint(ids[2], " 200 before")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	third := ask()
	if third.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the complete answer was not stored")
	}
}

// TestABatchDoesNotDelayAnotherOrganisationsSignature signs for another organisation between any two commits of a request.
func TestABatchDoesNotDelayAnotherOrganisationsSignature(t *testing.T) {
	t.Parallel()
	var watched *watchedStore
	s := starting{idle: true, adjust: func(a *app) { watched = &watchedStore{Store: a.workflow.Store}; a.replaceStore(watched) }}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	elsewhere := s.person(t, "Lain", "Organisasi Lain")
	ids := sendMany(owner, signer, 3)
	theirs := sendMany(elsewhere, elsewhere, 6)
	list := s.toSign(t, ids...)
	served := 0
	var serve func(n int) error
	serve = func(int) error {
		watched.watch(nil) // their commits are not waited for
		elsewhere.verb("sign-docs", theirs[served]).ok()
		served++
		watched.watch(serve)
		return nil
	}
	watched.watch(serve)
	got := signer.do("POST", signPath+"sign-many-docs", object{"documents": list}).results()
	watched.watch(nil)
	if served != 6 || len(got) != 3 || strings.Contains(fmt.Sprint(got), "before") {
		t.Errorf("%d signatures of others meanwhile; %q", served, got)
	}
}
