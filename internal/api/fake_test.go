package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/specimen"
	"segel/internal/store"
)

var (
	now   = time.Date(2024, 10, 14, 6, 6, 7, 89e6, time.UTC)
	andi  = contract.Person{ID: "5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00", Name: "Andi Wijaya", Email: "andi@contoh.id"}
	siti  = contract.Person{ID: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", Name: "Siti Rahma", Email: "siti@contoh.id"}
	budi  = contract.Person{ID: "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61", Name: "Budi Tamu"}
	works = contract.OrganisationID("0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a")
	file1 = []byte("%PDF-1.7\nperjanjian sewa\n%%EOF\n")
)

// draft is a document after its upload: the owner is a viewer, one member signs, then a guest.
func draft() contract.Document {
	return contract.Document{
		ID: 1207, Version: 3, Organisation: works, Owner: andi,
		Name: "sewa-1728885967089-4VnJ2xQpR7sTyWbCdEfGh8", Title: "Perjanjian Sewa", Filename: "sewa.pdf", State: contract.Draft, Pages: 2,
		Participants: []contract.Participant{
			{Person: siti, Role: contract.Signer, Number: 1},
			{Person: budi, Phone: "+62811", Role: contract.Signer, Number: 2, Guest: true},
			{Person: andi, Role: contract.Viewer, Number: 3},
		},
		Placements: []contract.Placement{{Kind: contract.PlaceStamp, Page: 1, Person: andi.ID}},
		CreatedAt:  now,
		Revisions:  []contract.Revision{{End: int64(len(file1)), Digest: sha256.Sum256(file1)}},
	}
}

func processing() contract.Document {
	d := draft()
	d.Version, d.State, d.Mode, d.FinalizedAt = 4, contract.Processing, contract.Signing, now.Add(time.Minute)
	d.ExpiresAt = now.AddDate(0, 1, 0)
	d.Stamps = []contract.Stamp{{State: contract.StampOrdered}}
	return d
}

func completed() contract.Document {
	d := processing()
	d.Version, d.State, d.EndedAt, d.LastSignedAt, d.Specimen = 9, contract.Completed, now.Add(time.Hour), now.Add(50*time.Minute), true
	d.Participants[0].SignedAt, d.Participants[1].SignedAt = now.Add(20*time.Minute), now.Add(40*time.Minute)
	d.Stamps = []contract.Stamp{{State: contract.StampAffixed, Serial: "SPESIMEN-0000000000001"}}
	return d
}

func failed() contract.Document {
	d := completed()
	d.State, d.EndedAt, d.Specimen, d.Reason = contract.Failed, time.Time{}, false, "dokumen bersertifikat"
	d.Stamps = []contract.Stamp{{State: contract.StampRefused, Serial: "0000000000000000000001", Problem: "errorCode 83"}}
	return d
}

// fakeWorkflow answers one document, or an error, and records its calls.
type fakeWorkflow struct {
	doc      contract.Document
	err      error
	warnings []contract.Warning
	covered  []contract.Warning
	listed   []contract.Document
	total    int
	events   []contract.Event
	next     func(ctx context.Context, after int64) (contract.Document, error)
	upload   func() // runs inside Upload
	staging  func() // runs inside Stage
	content  []byte
	stageErr error // of the staging's Write

	receiving func()                // runs inside NewVerificationFile
	verifying func(context.Context) // runs inside Verify

	about        any   // argument of a call of administration
	times        int   // how often a stream of attempts repeats itself
	breaks       error // ends a stream after its last line
	unreconciled bool  // no reconciliation was made yet

	mu               sync.Mutex // guards the fields below
	asked            []string
	by               contract.Actor
	id               contract.DocumentID
	uploaded         UploadRequest
	staged           *fakeStaging
	verificationFile *fakeVerificationFile
	verified         VerifyOptions
	placed           []contract.PlaceRequest
	described        contract.Description
	people           []PersonRequest
	parallel         *bool
	finalize         contract.FinalizeOptions
	newSerial        bool // of the restamp
	signed           SignRequest
	reason           string
	list             ListRequest
}

type fakeStaging struct {
	bytes.Buffer
	err     error
	aborted int
}

func (s *fakeStaging) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	return s.Buffer.Write(p)
}

func (s *fakeStaging) Abort() { s.aborted++ }

func (f *fakeWorkflow) ask(what string, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.by, f.id = append(f.asked, what), by, id
	return f.doc, f.err
}

func (f *fakeWorkflow) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(f.asked), func(s string) bool { return s != what }))
}

func (f *fakeWorkflow) Stage(context.Context) (Staging, error) {
	if f.staging != nil {
		f.staging()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.staged = &fakeStaging{err: f.stageErr}
	return f.staged, nil
}

func (f *fakeWorkflow) Upload(_ context.Context, by contract.Actor, r UploadRequest) (contract.Document, error) {
	if f.upload != nil {
		f.upload()
	}
	f.uploaded = r
	return f.ask("upload", by, 0)
}

func (f *fakeWorkflow) SetParticipants(_ context.Context, by contract.Actor, id contract.DocumentID, people []PersonRequest, parallel *bool) (contract.Document, error) {
	f.people, f.parallel = people, parallel
	return f.ask("participants", by, id)
}

// WaitForConversion returns the document unchanged: there was nothing to convert.
func (f *fakeWorkflow) WaitForConversion(_ context.Context, _ contract.Actor, d contract.Document, _ time.Duration) (contract.Document, error) {
	return d, nil
}

func (f *fakeWorkflow) Describe(_ context.Context, by contract.Actor, id contract.DocumentID, to contract.Description) (contract.Document, error) {
	f.described = to
	return f.ask("describe", by, id)
}

func (f *fakeWorkflow) Place(_ context.Context, by contract.Actor, id contract.DocumentID, requests []contract.PlaceRequest) (contract.Document, []contract.Warning, error) {
	f.placed = requests
	d, err := f.ask("place", by, id)
	return d, f.warnings, err
}

func (f *fakeWorkflow) PlacementWarnings(context.Context, contract.Document) []contract.Warning {
	return f.covered
}

func (f *fakeWorkflow) Finalize(_ context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (contract.Document, []contract.Warning, error) {
	f.finalize = o
	d, err := f.ask("finalize", by, id)
	return d, f.covered, err
}

// Sign decodes the picture after checking the caller, like the workflow.
func (f *fakeWorkflow) Sign(ctx context.Context, by contract.Actor, id contract.DocumentID, r SignRequest) (contract.Document, error) {
	if len(r.Picture) > 0 {
		if _, err := specimen.ExtractStrokes(ctx, r.Picture); err != nil {
			return contract.Document{}, err
		}
	}
	f.signed = r
	return f.ask("sign", by, id)
}

func (f *fakeWorkflow) Reject(_ context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	f.reason = reason
	return f.ask("reject", by, id)
}

func (f *fakeWorkflow) Cancel(_ context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error) {
	f.reason = reason
	return f.ask("cancel", by, id)
}

func (f *fakeWorkflow) Remind(_ context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return f.ask("remind", by, id)
}

func (f *fakeWorkflow) Restamp(_ context.Context, by contract.Actor, id contract.DocumentID, newSerial bool) (contract.Document, error) {
	f.mu.Lock()
	f.newSerial = newSerial
	f.mu.Unlock()
	return f.ask("restamp", by, id)
}

func (f *fakeWorkflow) RetryOwn(_ context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return f.ask("retry-own", by, id)
}

func (f *fakeWorkflow) Delete(_ context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return f.ask("delete", by, id)
}

func (f *fakeWorkflow) GuestLink(_ context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (string, error) {
	_, err := f.ask("guest-link "+string(guest), by, id)
	return "https://segel.contoh.id/guest#rahasia", err
}

func (f *fakeWorkflow) RevokeGuestLink(_ context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error) {
	return f.ask("guest-revoke "+string(guest), by, id)
}

func (f *fakeWorkflow) Detail(_ context.Context, by contract.Actor, op contract.Operation, id contract.DocumentID) (contract.Document, error) {
	return f.ask(string(op), by, id)
}

func (f *fakeWorkflow) List(_ context.Context, by contract.Actor, r ListRequest) (store.List, error) {
	f.list = r
	_, err := f.ask("list", by, 0)
	return store.List{Documents: f.listed, Total: f.total}, err
}

func (f *fakeWorkflow) AuditTrail(_ context.Context, by contract.Actor, id contract.DocumentID) ([]contract.Event, error) {
	_, err := f.ask("audit-trail", by, id)
	return f.events, err
}

func (f *fakeWorkflow) WaitForChange(ctx context.Context, _ contract.Actor, _ contract.DocumentID, after int64) (*contract.Document, error) {
	d, err := f.next(ctx, after)
	return &d, err
}

func (f *fakeWorkflow) open(what string, by contract.Actor, id contract.DocumentID) (*Content, error) {
	d, err := f.ask(what, by, id)
	if err != nil {
		return nil, err
	}
	return &Content{ReadSeekCloser: closer{bytes.NewReader(f.content)}, Name: d.Filename, Digest: sha256.Sum256(f.content), Modified: now, Specimen: d.Specimen}, nil
}

type closer struct{ io.ReadSeeker }

func (closer) Close() error { return nil }

func (f *fakeWorkflow) Preview(_ context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return f.open("preview", by, id)
}

func (f *fakeWorkflow) Download(_ context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return f.open("download", by, id)
}

func (f *fakeWorkflow) Original(_ context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	return f.open("original", by, id)
}

func (f *fakeWorkflow) Balance(_ context.Context, by contract.Actor) (map[contract.Unit]store.Quota, error) {
	_, err := f.ask("balance", by, 0)
	return map[contract.Unit]store.Quota{contract.UnitStamp: {Granted: 20, Reserved: 3, Spent: 5}, contract.UnitSignature: {Granted: 100, Spent: 1}}, err
}

// fakeIdentity knows four tokens: owner, signer, admin and guest.
type fakeIdentity struct {
	err     error
	revoked bool // revokes all tokens
	picture []byte
	ended   []string
}

func (f *fakeIdentity) Authenticate(_ context.Context, token string) (contract.Actor, error) {
	if f.revoked {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	switch token {
	case "owner":
		return contract.Actor{Person: andi, Organisation: works}, nil
	case "elsewhere":
		return contract.Actor{Person: siti, Organisation: "7b1d3c55-0c63-4a9e-8a64-2a5c0f6e7d11"}, nil
	case "signer":
		return contract.Actor{Person: siti, Organisation: works}, nil
	case "admin":
		return contract.Actor{Person: andi, Organisation: works, Admin: true}, nil
	case "operator":
		return contract.Actor{Person: andi, Organisation: works, Admin: true, Operator: true}, nil
	case "given":
		return contract.Actor{Person: andi, Organisation: works, Admin: true, Operator: true, MustChoosePassword: true}, nil
	case "guest":
		return contract.Actor{Person: budi, Guest: 1207}, nil
	case "nobody":
		return contract.Actor{}, nil
	}
	return contract.Actor{}, contract.ErrUnauthenticated
}

func (f *fakeIdentity) account() identity.Account {
	return identity.Account{Person: andi, Organisation: works, OrganisationName: "PT Contoh", MustReset: true}
}

func (f *fakeIdentity) Login(_ context.Context, c identity.Credentials, from identity.Client) (identity.Session, error) {
	if f.err != nil {
		return identity.Session{}, f.err
	}
	if c.Email != andi.Email || c.Password != "benar" || c.Organisation != "" && c.Organisation != works {
		return identity.Session{}, identity.ErrCredentials
	}
	return identity.Session{Access: "segel_at_1", Refresh: "segel_rt_1", ExpiresIn: 24 * time.Hour, Account: f.account(), Device: "sgl_dv_" + from.Device}, nil
}

func (f *fakeIdentity) LoginSession(ctx context.Context, c identity.Credentials, from identity.Client) (identity.WebSession, error) {
	if _, err := f.Login(ctx, c, from); err != nil {
		return identity.WebSession{}, err
	}
	return identity.WebSession{Token: "owner", ExpiresIn: 24 * time.Hour, Account: f.account(), Device: "sgl_dv_" + from.Device, KnownFor: time.Hour}, nil
}

func (f *fakeIdentity) Refresh(_ context.Context, token string) (identity.Session, error) {
	if token != "segel_rt_1" {
		return identity.Session{}, identity.ErrRefresh
	}
	return identity.Session{Access: "segel_at_2", Refresh: "segel_rt_2", ExpiresIn: 24 * time.Hour, Account: f.account()}, nil
}

func (f *fakeIdentity) Logout(_ context.Context, token string) error {
	f.ended = append(f.ended, token)
	return nil
}

func (f *fakeIdentity) ForgotPassword(context.Context, string, string) error { return nil }

func (f *fakeIdentity) ChangePassword(_ context.Context, _ contract.Actor, current, _ string) error {
	if current != "benar" {
		return contract.InvalidInput(contract.FieldError{Field: "current", Code: "password.wrong"})
	}
	return f.err
}

func (f *fakeIdentity) GuestLogin(_ context.Context, link string) (identity.GuestSession, error) {
	if !strings.HasSuffix(link, "#rahasia") {
		return identity.GuestSession{}, identity.ErrLink
	}
	return identity.GuestSession{Token: "guest", ExpiresIn: time.Hour, Document: 1207, Person: budi}, nil
}

func (f *fakeIdentity) Me(context.Context, contract.Actor) (identity.Account, error) {
	return f.account(), nil
}

func (f *fakeIdentity) Directory(_ context.Context, _ contract.Actor, search string, page, limit int) ([]contract.Person, int, error) {
	if search == "tidak ada" {
		return nil, 0, nil
	}
	return []contract.Person{andi, siti}, 2, nil
}

func (f *fakeIdentity) Specimen(context.Context, contract.Actor) (identity.Specimen, error) {
	if f.picture == nil {
		return identity.Specimen{}, contract.Refuse(contract.NotFound, "specimen.none")
	}
	return identity.Specimen{Image: f.picture, Type: "image/png"}, nil
}

func (f *fakeIdentity) SetSpecimen(_ context.Context, _ contract.Actor, picture []byte) error {
	f.picture = picture
	return f.err
}

func (f *fakeIdentity) DeleteSpecimen(context.Context, contract.Actor) error { return nil }

// fakeAnswers stores claims and answers in memory. The fake workflow commits nothing, so answers are stored by
// FinishClaim.
type fakeAnswers struct {
	mu      sync.Mutex // guards claims and answers
	claims  map[string]store.Claim
	answers map[string]store.Answer
	err     error // of FinishClaim
	dropErr error // of DropClaim
}

func nameOf(c store.Claim) string { return fmt.Sprint(c.Account, c.Path, c.Key) }

func (f *fakeAnswers) Claim(_ context.Context, c store.Claim, _ time.Duration) (store.Claimed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.claims == nil {
		f.claims, f.answers = map[string]store.Claim{}, map[string]store.Answer{}
	}
	if held, ok := f.claims[nameOf(c)]; ok {
		return store.Claimed{Holder: held.Process, HolderToken: held.Token}, nil
	}
	if a, ok := f.answers[nameOf(c)]; ok {
		return store.Claimed{Answer: &a}, nil
	}
	f.claims[nameOf(c)] = c
	return store.Claimed{}, nil
}

func (f *fakeAnswers) FinishClaim(_ context.Context, c store.Claim, a store.Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	if f.claims[nameOf(c)].Token != c.Token {
		return store.ErrClaimLost
	}
	delete(f.claims, nameOf(c))
	f.answers[nameOf(c)] = a
	return nil
}

func (f *fakeAnswers) DropClaim(_ context.Context, c store.Claim) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dropErr != nil {
		return f.dropErr
	}
	if f.claims[nameOf(c)].Token == c.Token {
		delete(f.claims, nameOf(c))
	}
	return nil
}

func (f *fakeAnswers) ReleaseClaims(_ context.Context, process string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.claims, func(_ string, c store.Claim) bool { return c.Process == process })
	return nil
}

// fakeProcess has a fixed name, and knows that the process named "dead" has ended.
type fakeProcess struct{}

func (fakeProcess) Name() string { return "this" }

func (fakeProcess) IfEnded(name string, do func() error) (bool, error) {
	if name != "dead" {
		return false, nil
	}
	return true, do()
}

// bench is a server with fake dependencies.
type bench struct {
	t *testing.T
	*fakeWorkflow
	id      *fakeIdentity
	answers *fakeAnswers
	http.Handler
}

func newBench(t *testing.T, d contract.Document, adjust ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, fakeWorkflow: &fakeWorkflow{doc: d, content: file1}, id: &fakeIdentity{}, answers: &fakeAnswers{}}
	o := Options{
		Workflow: b.fakeWorkflow, Identity: b.id, Answers: b.answers, Process: fakeProcess{},
		Clock: func() time.Time { return now }, Random: zeros{}, Log: slog.New(slog.DiscardHandler),
		Version: "1.2.3", PublicURL: "https://segel.contoh.id",
	}
	for _, f := range adjust {
		f(&o)
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = h
	return b
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// ask sends a request as the owner; header alternates names and values.
func (b *bench) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequest(method, path, r)
	req.Header.Set("X-Access-Token", "owner")
	for i := 0; i < len(header); i += 2 {
		req.Header.Del(header[i])
		if header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, req)
	return w
}

const (
	sBase = "/v1/econtract/service/sign/"
	dBase = "/v1/econtract/web_app/document/"
)
