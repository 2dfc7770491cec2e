package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/admission"
	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/convert/converttest"
	"segel/internal/emeterai"
	"segel/internal/identity"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// killPoint is the point in a request with an Idempotency-Key at which its process is killed.
type killPoint string

const (
	never        killPoint = "never"
	claimed      killPoint = "once the key is claimed"
	beforeEffect killPoint = "before the transaction of the effect"
	insideEffect killPoint = "inside the transaction of the effect, before it is committed"
	afterEffect  killPoint = "after the transaction of the effect, before the answer"
	// beforeSecondEffect is after an effect that stored a provisional answer.
	beforeSecondEffect killPoint = "before the transaction of the second effect"
	beforeFinish       killPoint = "before an answer without an effect is kept"
	afterFinish        killPoint = "after an answer without an effect is kept, before it is sent"
)

var errKilled = errors.New("the process was killed")

// mortal is the store of a process that is killed at a point. From then on it does nothing, as after SIGKILL: deferred functions
// that still run in the test cannot clean up.
type mortal struct {
	*sqlstore.Store
	at    killPoint
	after func(contract.Document) // runs after an effect that stores a provisional answer; nil: nothing

	mu   sync.Mutex // guards dead
	dead bool
}

func (m *mortal) killed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// reached kills the process if this is the point.
func (m *mortal) reached(at killPoint) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = m.dead || at == m.at
	if m.dead {
		return errKilled
	}
	return nil
}

// effect runs a method of the store that may be the effect of a request.
func (m *mortal) effect(ctx context.Context, run func() error) error {
	e := store.EffectAnswerOf(ctx)
	if e == nil {
		if m.killed() {
			return errKilled
		}
		return run()
	}
	if e.Stored == store.ProvisionalAnswer {
		if err := m.reached(beforeSecondEffect); err != nil {
			return err
		}
	} else if err := m.reached(beforeEffect); err != nil {
		return err
	}
	answer := e.Answer
	e.Answer = func(made any) (store.Answer, error) {
		a, err := answer(made)
		return a, errors.Join(err, m.reached(insideEffect))
	}
	if err := run(); err != nil {
		return err
	}
	return m.reached(afterEffect)
}

func (m *mortal) Commit(ctx context.Context, c contract.Change) (d contract.Document, err error) {
	err = m.effect(ctx, func() error { d, err = m.Store.Commit(ctx, c); return err })
	if e := store.EffectAnswerOf(ctx); err == nil && e != nil && e.Stored == store.ProvisionalAnswer && m.after != nil {
		m.after(d)
	}
	return d, err
}

func (m *mortal) Grant(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor, now time.Time) (q map[contract.Unit]store.Quota, err error) {
	err = m.effect(ctx, func() error { q, err = m.Store.Grant(ctx, o, u, n, reason, by, now); return err })
	return q, err
}

func (m *mortal) CreateOrganisation(ctx context.Context, o store.Organisation, events ...contract.Event) error {
	return m.effect(ctx, func() error { return m.Store.CreateOrganisation(ctx, o, events...) })
}

func (m *mortal) AddTeam(ctx context.Context, t store.Team, e contract.Event) error {
	return m.effect(ctx, func() error { return m.Store.AddTeam(ctx, t, e) })
}

func (m *mortal) AddInvitation(ctx context.Context, i contract.Invitation, former contract.InvitationID, n contract.Notice, e contract.Event) error {
	return m.effect(ctx, func() error { return m.Store.AddInvitation(ctx, i, former, n, e) })
}

func (m *mortal) AddLabel(ctx context.Context, l contract.Label, e contract.Event) (made contract.Label, err error) {
	err = m.effect(ctx, func() error { made, err = m.Store.AddLabel(ctx, l, e); return err })
	return made, err
}

func (m *mortal) AddHold(ctx context.Context, h contract.Hold, e contract.Event) error {
	return m.effect(ctx, func() error { return m.Store.AddHold(ctx, h, e) })
}

func (m *mortal) AddReconciliation(ctx context.Context, r contract.Reconciliation, events ...contract.Event) (n int64, err error) {
	err = m.effect(ctx, func() error { n, err = m.Store.AddReconciliation(ctx, r, events...); return err })
	return n, err
}

func (m *mortal) Claim(ctx context.Context, c store.Claim, keep time.Duration) (store.Claimed, error) {
	if m.killed() {
		return store.Claimed{}, errKilled
	}
	met, err := m.Store.Claim(ctx, c, keep)
	return met, errors.Join(err, m.reached(claimed))
}

func (m *mortal) FinishClaim(ctx context.Context, c store.Claim, a store.Answer) error {
	if err := m.reached(beforeFinish); err != nil {
		return err
	}
	if err := m.Store.FinishClaim(ctx, c, a); err != nil {
		return err
	}
	return m.reached(afterFinish)
}

func (m *mortal) DropClaim(ctx context.Context, c store.Claim) error {
	if m.killed() {
		return errKilled
	}
	return m.Store.DropClaim(ctx, c)
}

func (m *mortal) ReleaseClaims(ctx context.Context, process string) error {
	if m.killed() {
		return errKilled
	}
	return m.Store.ReleaseClaims(ctx, process)
}

// stillOffice is a stamp office that does not respond.
type stillOffice struct{ emeterai.Stamper }

func (stillOffice) Availability() emeterai.Availability {
	return emeterai.Availability{Down: true, Reason: "closed"}
}

// badConverter accepts every document and converts none.
type badConverter struct{}

func (badConverter) CheckAvailable() error  { return nil }
func (badConverter) FontFamilies() []string { return nil }
func (badConverter) Convert(context.Context, convert.Kind, io.Reader, io.Writer) error {
	return convert.ErrUnreadable
}

// surviving is a folder with a process that survives, and the people whose requests kill other processes.
type surviving struct {
	*service
	how                     starting
	owner, signer, operator *client
	keys                    int
	everyMoment             bool // at which processes are killed; otherwise half of them
}

func survive(t *testing.T, set ...string) *surviving {
	t.Helper()
	w := &surviving{how: starting{set: set, data: filepath.Join(t.TempDir(), "data"), idle: true}}
	w.service = w.start(t, never, nil)
	w.owner, w.signer, w.operator = w.person(t, "Pemilik", ""), w.person(t, "Penanda", ""), w.administrator(t, "Operator", "")
	err := w.store.SetEmbedOrigins(t.Context(), organisationIDOf(t, w.service, w.owner), []string{"https://erp.example.test"}, time.Now(), contract.Event{Type: contract.EventEmbeddingChanged, At: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	w.signer.verb("sign-docs", w.finalized()).ok() // the first signature records more events than others
	return w
}

// start starts another process on the folder, which is killed at that killPoint.
func (w *surviving) start(t *testing.T, at killPoint, after func(contract.Document)) *service {
	t.Helper()
	how := w.how
	how.adjust = func(a *app) {
		m := &mortal{Store: a.store, at: at, after: after}
		a.replaceStore(m)
		a.answers = m
		o := a.identityOptions(nil)
		o.Store = m
		a.identity = identity.New(o)
		a.workflow.Office, a.workflow.Converter, a.workflow.Turns = stillOffice{}, badConverter{}, admission.NewQueue(admission.Limits{Slots: 1, Waiting: 10})
	}
	return how.start(t)
}

// marks returns what requests have changed so far: the events of the audit log, the reports, and the owner's documents.
type marks struct{ events, reports, documents int64 }

func (w *surviving) marks(t *testing.T) marks {
	t.Helper()
	leaves, _, err := w.store.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.store.LastReconciliation(t.Context())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	l, err := w.store.List(t.Context(), store.ListQuery{Person: contract.PersonID(w.owner.id), Box: store.Outbox, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return marks{leaves, r.Number, int64(l.Total)}
}

func (m marks) since(before marks) marks {
	return marks{m.events - before.events, m.reports - before.reports, m.documents - before.documents}
}

// request is a request with an Idempotency-Key.
type request struct {
	by          *client
	document    int64 // in the path
	body        []byte
	contentType string // empty: JSON
}

// keyedRequest prepares what a keyed operation needs, and makes a request that changes it once.
type keyedRequest struct {
	make           func(w *surviving) request
	changesNothing bool // the answer is stored separately
	again          int  // events that a repeat adds to those of the first request: intentions that were committed before the effect
}

func of(by *client, id int64, more ...any) request {
	in := object{"document_id": id}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	b, err := json.Marshal(in)
	if err != nil {
		by.t.Fatal(err)
	}
	return request{by: by, document: id, body: b}
}

// draft has placements, a signer, and a guest who views.
func (w *surviving) draft() int64 {
	id := w.owner.uploadWith(object{"signer": []object{w.signer.as("signer", 1)}, "guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "viewer", "number": 1}}}, simple())
	w.owner.place(id, w.signer.at("sign", 100, 100, 260, 160)).ok()
	return id
}

func (w *surviving) finalized() int64 { return w.finalize(w.draft()) }

// approvable is a finalized document that either of two people approves first.
func (w *surviving) approvable() int64 {
	id := w.owner.uploadWith(object{
		"signer": []object{inGroup(1, w.signer.as("approver", 1)), inGroup(1, w.owner.as("approver", 1))},
		"guest":  object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 2},
	}, simple())
	return w.finalize(id)
}

// delegable is a finalized document whose signers may pass their part on.
func (w *surviving) delegable() int64 {
	id := w.draft()
	w.owner.verb("describe-docs", id, "delegation", 1).ok()
	return w.finalize(id)
}

func (w *surviving) finalize(id int64) int64 {
	w.owner.verb("finalize-docs", id).ok()
	return id
}

func (w *surviving) canceled() int64 {
	id := w.finalized()
	w.owner.verb("cancel-docs", id).ok()
	return id
}

// teamOfOwner is a team of the owner.
func (w *surviving) teamOfOwner() string {
	u, err := w.store.User(context.Background(), contract.PersonID(w.owner.id))
	if err != nil {
		w.owner.t.Fatal(err)
	}
	if len(u.Teams) > 0 {
		return string(u.Teams[0].ID)
	}
	return w.newTeam(w.owner.t, u.Organisation, w.owner)
}

// signed waits for the service, which runs no jobs.
func (w *surviving) signed() int64 {
	id := w.finalized()
	w.signer.verb("sign-docs", id).ok()
	return id
}

// failed is a document that could not be sealed.
func (w *surviving) failed() int64 {
	w.owner.t.Helper()
	id := w.signed()
	d, err := w.store.Document(context.Background(), docID(id))
	if err != nil {
		w.owner.t.Fatal(err)
	}
	c, err := contract.FailClosing(&d, contract.Problem{Detail: "trouble"}, w.clock())
	if err == nil {
		_, err = w.store.Commit(context.Background(), c)
	}
	if err != nil {
		w.owner.t.Fatal(err)
	}
	return id
}

func form(t testing.TB, file []byte) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreateFormFile("document", "kontrak.pdf")
	if err == nil {
		_, err = part.Write(file)
	}
	if err = errors.Join(err, m.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), m.FormDataContentType()
}

// ofGuest makes a request about the document's guest, with further members.
func ofGuest(w *surviving, members ...any) request {
	id := w.finalized()
	for _, p := range w.owner.get("signers", id).ok().object("data")["signer"].([]any) {
		if p := p.(object); p["is_guest"] == true {
			return of(w.owner, id, append([]any{"user_id", p["user_id"]}, members...)...)
		}
	}
	w.owner.t.Fatal("the document has no guest")
	return request{}
}

// keyedRequests has at least one request for each operation that takes an Idempotency-Key, by the operation's identifier.
var keyedRequests = map[string][]keyedRequest{
	"upload": {
		{make: func(w *surviving) request { return request{by: w.owner, body: body(w.owner.t, simple(), nil)} }},
		{make: func(w *surviving) request {
			return request{by: w.owner, body: body(w.owner.t, converttest.Sample(), object{"filename": "kontrak.docx"})}
		}},
	},
	"upload-multipart": {{make: func(w *surviving) request {
		b, contentType := form(w.owner.t, simple())
		return request{by: w.owner, body: b, contentType: contentType}
	}}},
	"participants": {{make: func(w *surviving) request { return of(w.owner, w.draft(), "signer", []object{w.owner.as("signer", 1)}) }}},
	"describe":     {{make: func(w *surviving) request { return of(w.owner, w.draft(), "document_title", "Lain") }}},
	"place": {{make: func(w *surviving) request {
		return of(w.owner, w.draft(), "signers", []object{w.signer.at("sign", 50, 100, 210, 160)})
	}}},
	"finalize":     {{make: func(w *surviving) request { return of(w.owner, w.draft()) }}},
	"process":      {{make: func(w *surviving) request { return of(w.owner, w.draft()) }}},
	"guest-link":   {{make: func(w *surviving) request { return ofGuest(w) }}},
	"guest-revoke": {{make: func(w *surviving) request { return ofGuest(w) }}},
	"embed":        {{make: func(w *surviving) request { return of(w.owner, w.finalized(), "purpose", "view") }}},
	"correct-guest": {{make: func(w *surviving) request {
		return ofGuest(w, "name", "Nama Baru")
	}}},
	"guest-code":   {{make: func(w *surviving) request { return of(w.signer, w.finalized()) }, changesNothing: true}}, // 403: the signer is not a guest
	"guest-verify": {{make: func(w *surviving) request { return of(w.signer, w.finalized(), "code", "123456") }, changesNothing: true}},
	"sign":         {{make: func(w *surviving) request { return of(w.signer, w.finalized()) }, again: 1}},
	"sign-many": {
		{make: func(w *surviving) request { return w.signMany(w.finalized()) }, again: 1},
		{make: func(w *surviving) request { return w.signMany(w.finalized(), w.finalized(), w.finalized()) }, again: 1},
		{make: func(w *surviving) request { return w.signMany(999_999) }, changesNothing: true}, // its result is 404
	},
	"approve": {{make: func(w *surviving) request {
		id := w.approvable()
		return of(w.signer, id, "digest", w.signer.currentDigest(id))
	}}},
	"specimen-preview": {{make: func(w *surviving) request {
		return of(w.signer, w.finalized(), "specimen", previewPicture)
	}, changesNothing: true}},
	"delegate": {{make: func(w *surviving) request {
		return of(w.signer, w.delegable(), "name", "Tamu Lain", "email", "lain@example.test")
	}}},
	"reject": {{make: func(w *surviving) request { return of(w.signer, w.finalized(), "reason", "salah") }}},
	"cancel": {
		{make: func(w *surviving) request { return of(w.owner, w.finalized(), "reason", "salah") }},
		{make: func(w *surviving) request { return of(w.owner, 999_999) }, changesNothing: true}, // 404
	},
	"copy":            {{make: func(w *surviving) request { return of(w.owner, w.canceled()) }}},
	"make-template":   {{make: func(w *surviving) request { return of(w.owner, w.finalized(), "document_title", "Templat") }}},
	"use-template":    {{make: func(w *surviving) request { return of(w.owner, idOf(w.owner.verb("template-docs", w.finalized()))) }}},
	"team":            {{make: func(w *surviving) request { return of(w.owner, w.finalized(), "team", w.teamOfOwner()) }}},
	"remind":          {{make: func(w *surviving) request { return of(w.owner, w.finalized()) }}},
	"restamp":         {{make: func(w *surviving) request { return of(w.owner, w.failed()) }}},
	"retry":           {{make: func(w *surviving) request { return of(w.owner, w.signed()) }}},
	"admin-retry":     {{make: func(w *surviving) request { return request{by: w.operator, document: w.signed()} }}},
	"admin-reconcile": {{make: func(w *surviving) request { return request{by: w.operator} }}},
	"admin-grant-quota": {{make: func(w *surviving) request {
		return request{by: w.operator, body: []byte(`{"unit":"emet","count":1,"reason":"x"}`)}
	}}},
	"admin-invite": {{make: func(w *surviving) request {
		return request{by: w.operator, body: fmt.Appendf(nil, `{"email":"undangan%d@example.test"}`, rand.Uint64())}
	}}},
	"admin-add-label": {{make: func(w *surviving) request {
		return request{by: w.operator, body: fmt.Appendf(nil, `{"name":"Label %d","colour":"teal"}`, rand.Uint64())}
	}}},
	"admin-add-hold": {{make: func(w *surviving) request {
		return request{by: w.operator, body: fmt.Appendf(nil, `{"document_id":%d,"reason":"Perkara %d"}`, w.draft(), rand.Uint64())}
	}}},
	"admin-add-team": {{make: func(w *surviving) request {
		return request{by: w.operator, body: fmt.Appendf(nil, `{"name":"Tim %d"}`, rand.Uint64())}
	}}},
	"admin-add-organisation": {{make: func(w *surviving) request {
		return request{by: w.operator, body: fmt.Appendf(nil, `{"name":"PT %d"}`, rand.Uint64())}
	}}},
}

// signMany makes the signer's request to sign documents.
func (w *surviving) signMany(ids ...int64) request {
	list := make([]object, len(ids))
	for i, id := range ids {
		digest := [32]byte{1}
		if d, err := w.store.Document(context.Background(), docID(id)); err == nil {
			digest = d.Current().Digest
		}
		list[i] = object{"document_id": id, "digest": fmt.Sprintf("%x", digest)}
	}
	return of(w.signer, 0, "documents", list)
}

// previewPicture returns a stroke on white.
const previewPicture = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAQAQAAAABfe0D0AAAAIklEQVR42mP4DwQM2IgPYIIfxGUAEUAmA5TzgR+khB+bNgAmijnH5rUZ2wAAAABJRU5ErkJggg=="

// ask sends a request to a process, with a key.
func (r request) ask(s *service, op api.Operation, key string) *answer {
	path := strings.NewReplacer("{service}", "layanan", "{document_id}", fmt.Sprint(r.document)).Replace(op.Path)
	header := []string{"Idempotency-Key", key}
	if r.contentType != "" {
		header = append(header, "Content-Type", r.contentType)
	}
	return r.by.on(s).send(op.Method, path, bytes.NewReader(r.body), header...)
}

// TestARequestWithAKeyIsCarriedOutOnceThoughItsProcessIsKilled kills a process at each point of a request (on SQLite at half of the points
// of most operations, unless all are tried), for each operation that takes an Idempotency-Key, and repeats the request at once: at another process of the folder, or at the successor of the
// killed one. The first repeat gets a complete answer, and the second the same bytes; the audit log has the same events as for
// one undisturbed request.
func TestARequestWithAKeyIsCarriedOutOnceThoughItsProcessIsKilled(t *testing.T) {
	t.Parallel()
	// Both databases store the answer in the transaction of the effect, by the same code: one of them tries all operations.
	for name, set := range map[string]func() []string{
		"SQLite":     func() []string { return nil },
		"PostgreSQL": func() []string { return []string{"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := survive(t, append(set(), "SEGEL_CONVERT_WAIT", "0s")...)
			if testing.Short() || name == "PostgreSQL" && !triesEvery() {
				w.everyMoment = true
				w.killOver(t, "upload", "sign", "guest-link")
				return
			}
			w.everyMoment = triesEvery()
			w.killOver(t)
		})
	}
}

// killOver kills processes during those operations, or during all.
func (w *surviving) killOver(t *testing.T, only ...string) {
	left := map[string]bool{}
	for id := range keyedRequests {
		left[id] = true
	}
	var longest time.Duration
	for _, op := range api.Operations() {
		if !op.Keyed {
			continue
		}
		if !left[op.ID] {
			t.Errorf("no request is made for %s %s (%s), which takes an Idempotency-Key", op.Method, op.Path, op.ID)
		}
		delete(left, op.ID)
		if len(only) > 0 && !slices.Contains(only, op.ID) {
			continue
		}
		for i, k := range keyedRequests[op.ID] {
			t.Run(fmt.Sprint(op.ID, i+1), func(t *testing.T) { longest = max(longest, w.killAtEveryMoment(t, op, k)) })
		}
	}
	for id := range left {
		t.Errorf("a request is made for %s, which takes no Idempotency-Key", id)
	}
	t.Logf("the longest answer to a repeat after a kill took %s", longest)
}

func (w *surviving) killAtEveryMoment(t *testing.T, op api.Operation, k keyedRequest) (longest time.Duration) {
	r := k.make(w)
	before := w.marks(t)
	first := r.ask(w.service, op, w.key())
	once := w.marks(t).since(before)
	if first.status >= 500 || first.status == http.StatusConflict || k.changesNothing != (once == marks{}) {
		t.Fatalf("undisturbed: %d %.300s; %+v", first.status, first.body, once)
	}
	moments := []killPoint{claimed, beforeEffect, insideEffect, afterEffect}
	if k.changesNothing {
		moments = []killPoint{claimed, beforeFinish, afterFinish}
	}
	for i, at := range moments {
		// The outer moments or those between. Of four moments, each half has one whose repeat goes to a successor.
		if outer := i == 0 || i == 3; !w.everyMoment && outer != isSampled(op.ID, 2) {
			continue
		}
		r, key := k.make(w), w.key()
		victim := w.start(t, at, nil)
		before := w.marks(t)
		r.ask(victim, op, key) // the client does not get the answer
		if !victim.answers.(*mortal).killed() {
			t.Fatalf("%s: the request did not come to that killPoint", at)
		}
		if err := victim.process.Leave(); err != nil { // as the kernel does when a process ends
			t.Fatal(err)
		}
		next := w.service
		if i%2 == 1 {
			next = w.start(t, never, nil)
			if _, folder := next.process.(*proc.Folder); folder && next.process.Name() != victim.process.Name() {
				t.Errorf("the next process has another name")
			}
		}
		began := time.Now()
		second := r.ask(next, op, key)
		longest = max(longest, time.Since(began))
		if second.status != first.status {
			t.Fatalf("%s: the repeat is answered %d, want %d: %.300s", at, second.status, first.status, second.body)
		}
		kept := at == afterEffect || at == afterFinish
		if replayed := second.header.Get("Idempotent-Replayed") == "true"; replayed != kept {
			t.Errorf("%s: the repeat got the answer of the first request: %v", at, replayed)
		}
		third := r.ask(w.service, op, key)
		if third.status != second.status || !bytes.Equal(third.body, second.body) || third.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: repeated again: %d %.300s, before: %d %.300s", at, third.status, third.body, second.status, second.body)
		}
		want := once
		if at == beforeEffect || at == insideEffect {
			want.events += int64(k.again)
		}
		if done := w.marks(t).since(before); done != want {
			t.Errorf("%s: %+v, want %+v", at, done, want)
		}
		victim.stop()
		if next != w.service {
			next.stop()
		}
	}
	return longest
}

func (w *surviving) key() string {
	w.keys++
	return fmt.Sprint("kunci ", w.keys)
}

// TestRequestsThatKillsInterruptAreEachCarriedOutOnce kills real processes (SIGKILL) at random times while clients upload. Each
// client repeats an unanswered request at the next process, which must answer the first repeat.
func TestRequestsThatKillsInterruptAreEachCarriedOutOnce(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func() []string{
		"SQLite":     func() []string { return nil },
		"PostgreSQL": func() []string { return []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killWhileUploading(t, env()...)
		})
	}
}

func killWhileUploading(t *testing.T, env ...string) {
	const kills, clients = 5, 4
	data := filepath.Join(t.TempDir(), "data")
	env = append(env, "SEGEL_REQUESTS_PER_SECOND=0")
	p, err := launch(data, env...)
	if err != nil {
		t.Fatal(err)
	}
	owner := p.login(t, p.email, p.password)
	var longest time.Duration
	sent, repeated := 0, 0
	for k := range kills {
		// Each client uploads until its process is killed, and reports the key without an answer.
		var all sync.WaitGroup
		open, answered := make(chan string, clients), make(chan int, clients)
		for c := range clients {
			all.Go(func() {
				for n := 0; ; n++ {
					key := fmt.Sprintf("%d-%d-%d", k, c, n)
					if status, _, err := uploadOnce(owner.on(p.service), key); err != nil {
						open <- key
						answered <- n
						return
					} else if status != http.StatusOK {
						t.Errorf("upload: %d", status)
					}
				}
			})
		}
		time.Sleep(time.Duration(100+rand.IntN(400)) * time.Millisecond) // until a random time
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // killed
		all.Wait()
		close(open)
		close(answered)
		for n := range answered {
			sent += n
		}
		if p, err = launch(data, env...); err != nil {
			t.Fatal(err)
		}
		for key := range open {
			began := time.Now()
			status, body, err := uploadOnce(owner.on(p.service), key)
			longest = max(longest, time.Since(began))
			if err != nil || status != http.StatusOK {
				t.Fatalf("the repeat at the next process: %d, %v: %.300s", status, err, body)
			}
			_, again, err := uploadOnce(owner.on(p.service), key)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("repeated again: %v: %.300s, before: %.300s", err, again, body)
			}
			sent++
			repeated++
		}
	}
	list := owner.on(p.service).do("GET", documentPath+"out", nil)
	t.Logf("%d uploads, %d of them repeated after a kill; the longest repeat took %s", sent, repeated, longest)
	if err := p.end(); err != nil {
		t.Error(err, &p.stderr)
	}
	if total := list.ok().object("data", "pagination")["total_data"]; total != float64(sent) {
		t.Errorf("%v documents of %d uploads", total, sent)
	}
}

// uploadOnce sends an upload that may be interrupted.
func uploadOnce(c *client, key string) (status int, answer []byte, err error) {
	r, err := http.NewRequest("POST", c.url+uploadPath, bytes.NewReader(body(c.t, simple(), nil)))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-access-token", c.token)
	r.Header.Set("Idempotency-Key", key)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	answer, err = io.ReadAll(a.Body)
	return a.StatusCode, answer, err
}

// TestAWordDocumentThatCannotBeConvertedIsRefusedInARepeatToo makes the conversion fail while its upload waits for it.
func TestAWordDocumentThatCannotBeConvertedIsRefusedInARepeatToo(t *testing.T) {
	t.Parallel()
	w := survive(t, "SEGEL_CONVERT_WAIT", "30s")
	file := body(t, converttest.Sample(), object{"filename": "kontrak.docx"})
	upload := func(s *service, key string) *answer {
		return w.owner.on(s).do("POST", uploadPath, file, "Idempotency-Key", key)
	}
	convert := func(d contract.Document) {
		if err := w.workflow.Convert(context.Background(), d.ID); err != nil {
			t.Error(err)
		}
	}
	whole := w.start(t, never, convert)
	before := w.marks(t)
	first := upload(whole, "satu").is(http.StatusUnprocessableEntity, "file.word_failed")
	again := upload(whole, "satu")
	if again.status != first.status || !bytes.Equal(again.body, first.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeat: %d %.300s", again.status, again.body)
	}
	if done := w.marks(t).since(before); done.documents != 0 {
		t.Errorf("%+v", done)
	}
	// If the process is killed before it removes the document, the stored answer is that of the upload, and the document shows the failure.
	victim := w.start(t, beforeSecondEffect, convert)
	upload(victim, "dua")
	if err := victim.process.Leave(); err != nil {
		t.Fatal(err)
	}
	second := upload(w.service, "dua").ok()
	if second.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the upload was carried out again")
	}
	w.owner.get("detail", idOf(second)).ok()
}

// TestARepeatedRequestForALinkGetsTheSameLinkWhichStillOpens also searches the whole database for the link.
func TestARepeatedRequestForALinkGetsTheSameLinkWhichStillOpens(t *testing.T) {
	t.Parallel()
	w := survive(t)
	op := api.Operation{Method: http.MethodPost, Path: "/v1/econtract/{service}/sign/guest-link-docs"}
	r := keyedRequests["guest-link"][0].make(w)
	link := func() string {
		return r.ask(w.service, op, "satu").ok().object("response", "data")["url"].(string)
	}
	url := link()
	guest := &client{service: w.service, t: t}
	guest.token = guest.do("POST", "/v1/auth/guest", object{"link": url}).ok().object("data")["token"].(string)
	if again := link(); again != url {
		t.Errorf("the repeat got another link")
	}
	guest.get("detail", r.document).ok() // the token from the link was not revoked
	guest.do("POST", "/v1/auth/guest", object{"link": url}).ok()
	w.stop()
	_, secret, _ := strings.Cut(url, "#")
	for _, name := range []string{"segel.db", "segel.db-wal"} {
		b, err := os.ReadFile(filepath.Join(w.conf.DataDir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s holds the link in clear", name)
		}
	}
}
