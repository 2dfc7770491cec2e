package api

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"segel/internal/authority"
	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/documents"
	"segel/internal/emeterai/sandbox"
	"segel/internal/identity"
	"segel/internal/notify"
	"segel/internal/notify/compose"
	"segel/internal/process"
	"segel/internal/scim"
	"segel/internal/sso"
	"segel/internal/stamping"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/text"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf/pdftest"
	"segel/revocation"
)

var (
	now   = time.Date(2024, 10, 14, 6, 6, 7, 89e6, time.UTC)
	andi  = contract.Person{ID: "5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00", Name: "Andi Wijaya", Email: "andi@contoh.id"}
	siti  = contract.Person{ID: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", Name: "Siti Rahma", Email: "siti@contoh.id"}
	budi  = contract.Person{ID: "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61", Name: "Budi Tamu"}
	file1 = pdftest.Table(2)
)

// The organisations: the first one, whose admins are operators; that of the document; and another one.
const (
	first     = contract.OrganisationID("4e1c2a80-5b7d-4f0e-8c11-9a6b3d2f7e01")
	works     = contract.OrganisationID("0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a")
	elsewhere = contract.OrganisationID("7b1d3c55-0c63-4a9e-8a64-2a5c0f6e7d11")
)

// users are the accounts by the names that tests use for them. All have the password "benar".
var users = map[string]store.User{
	"owner":     {Person: andi, Organisation: works, MustReset: true},
	"signer":    {Person: siti, Organisation: works},
	"admin":     {Person: newPerson(1, "Ratna Sari"), Organisation: works, Admin: true},
	"operator":  {Person: newPerson(2, "Oki Pratama"), Organisation: first, Admin: true},
	"given":     {Person: newPerson(3, "Gita Lestari"), Organisation: first, Admin: true, MustReset: true, Given: true},
	"elsewhere": {Person: newPerson(4, "Eko Saputra"), Organisation: elsewhere},
	"nobody":    {Person: newPerson(5, "Nia Putri"), Organisation: works}, // logged out
}

func newPerson(n int, name string) contract.Person {
	email := strings.ToLower(strings.Fields(name)[0]) + "@contoh.id"
	return contract.Person{ID: contract.PersonID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)), Name: name, Email: email}
}

// draft is a document after its upload: the owner is a viewer, one member signs, then a guest.
func draft() contract.Document {
	return contract.Document{
		ID: 1207, Version: 1, Organisation: works, Owner: andi,
		Name: "sewa-1728885967089-4VnJ2xQpR7sTyWbCdEfGh8", Title: "Perjanjian Sewa", Filename: "sewa.pdf", State: contract.Draft, Pages: 2, Examined: true,
		Participants: []contract.Participant{
			{Person: siti, Role: contract.Signer, Number: 1},
			{Person: budi, Phone: "+62811", Role: contract.Signer, Number: 2, Guest: true},
			{Person: andi, Role: contract.Viewer, Number: 3},
		},
		Placements: []contract.Placement{{Kind: contract.PlaceStamp, Page: 1, Person: andi.ID, Box: contract.Box{LLX: 300, LLY: 300, URX: 360, URY: 360}}},
		CreatedAt:  now,
	}
}

func processing() contract.Document {
	d := draft()
	d.State, d.Mode, d.FinalizedAt = contract.Processing, contract.Signing, now.Add(time.Minute)
	d.ExpiresAt = now.AddDate(0, 1, 0)
	d.Stamps = []contract.Stamp{{State: contract.StampOrdered}}
	return d
}

// signed is a document that waits for its stamp, because the stamp office does not answer.
func signed() contract.Document {
	d := processing()
	d.Participants[0].SignedAt, d.Participants[1].SignedAt = now.Add(20*time.Minute), now.Add(40*time.Minute)
	d.LastSignedAt = now.Add(40 * time.Minute)
	d.Stamps[0].Problem, d.Stamps[0].Attempts = string(contract.ProblemOfficeDown), 4
	return d
}

func completed() contract.Document {
	d := signed()
	d.State, d.EndedAt, d.LastSignedAt, d.Specimen = contract.Completed, now.Add(time.Hour), now.Add(50*time.Minute), true
	d.Stamps = []contract.Stamp{{State: contract.StampAffixed, Serial: "SPESIMEN-0000000000001", AffixedAt: now.Add(50 * time.Minute)}}
	return d
}

func failed() contract.Document {
	d := completed()
	d.State, d.EndedAt, d.Specimen, d.Reason = contract.Failed, time.Time{}, false, "dokumen bersertifikat"
	d.Stamps = []contract.Stamp{{State: contract.StampRefused, Serial: "0000000000000000000001", Problem: "errorCode 83"}}
	return d
}

// prepared is what the services of all tests begin with. Making it takes much longer than copying it.
type prepared struct {
	database  []byte                  // an SQLite file with the organisations, their quota and the users
	secrets   map[string]string       // access tokens by the name of their holder
	ledger    *authority.MemoryLedger // of the authority
	authority *authority.Authority
	sealer    *credential.Sealer
}

var prepare = sync.OnceValues(func() (p prepared, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "segel-api")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "segel.db")
	s, err := sqlstore.Open(ctx, path, sqlstore.Options{})
	if err != nil {
		return p, err
	}
	for i, o := range []store.Organisation{{ID: first, Name: "PT Segel"}, {ID: works, Name: "PT Contoh"}, {ID: elsewhere, Name: "PT Lain"}} {
		o.CreatedAt = now.Add(time.Duration(i-3) * time.Hour)
		err = errors.Join(err, s.CreateOrganisation(ctx, o))
		for _, grant := range []struct {
			unit contract.Unit
			n    int
		}{{contract.UnitStamp, 200}, {contract.UnitSignature, 1000}} { // in this order, which the audit log shows
			_, failed := s.Grant(ctx, o.ID, grant.unit, grant.n, "Faktur 2024/117", contract.Actor{Person: users["operator"].Person}, o.CreatedAt)
			err = errors.Join(err, failed)
		}
	}
	salt, b64 := make([]byte, 16), base64.RawStdEncoding
	password := fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version, b64.EncodeToString(salt), b64.EncodeToString(argon2.IDKey([]byte("benar"), salt, 1, 8, 1, 32)))
	id := identity.New(identity.Options{Store: s, Clock: clock, Random: rand.Reader, PublicURL: "https://segel.contoh.id", Cost: testCost})
	p.secrets = map[string]string{"nonsense": "nonsense"}
	for name, u := range users {
		u.Password, u.CreatedAt = password, now.Add(-time.Hour)
		err = errors.Join(err, s.CreateUser(ctx, u))
		session, failed := id.Login(ctx, identity.Credentials{Email: u.Email, Password: "benar"}, identity.Client{})
		err = errors.Join(err, failed)
		p.secrets[name] = session.Access
	}
	if err := errors.Join(err, id.Logout(ctx, p.secrets["nobody"], identity.Client{}), s.Close()); err != nil {
		return p, err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return p, err
	}
	_, err = db.ExecContext(ctx, `UPDATE document_number SET last = 1206`)
	if err := errors.Join(err, db.Close()); err != nil {
		return p, err
	}
	if p.database, err = os.ReadFile(path); err != nil {
		return p, err
	}
	if p.sealer, err = credential.NewSealer(make([]byte, 32)); err != nil {
		return p, err
	}
	p.ledger = &authority.MemoryLedger{}
	p.authority, err = authority.Open(context.Background(), authority.Folder(filepath.Join(dir, "authority")), authority.Options{PublicURL: "https://segel.contoh.id", Clock: clock, Sealer: p.sealer, Ledger: p.ledger})
	return p, err
})

func clock() time.Time { return now }

// testCost is the cheapest password hash.
var testCost = identity.Cost{Memory: 8, Passes: 1, Threads: 1}

// bench is the interface on real services: SQLite, blobs in memory, the sandbox office and an embedded authority. Its
// clock stands still at now.
type bench struct {
	http.Handler
	t         *testing.T
	path      string // of the database
	store     *watchedStore
	blobs     *blobtest.Memory
	workflow  *workflow.Service
	identity  *identity.Service
	notices   *notify.Service
	process   process.Process
	scratches blobtest.Scratches
	secrets   map[string]string

	// Hooks of single tests; nil does nothing. They are set before any request.
	onToken   func()                           // before a token is looked up
	onBlob    func(blobtest.Op) blobtest.Fault // before a blob is created, written or committed
	onScratch func() error                     // before a temporary file is created
	onSpool   func() error                     // before a temporary file is written
	onVerify  func(context.Context)            // when the verifier asks for revocation data
}

// newBench returns a service with a document, or without one if d is empty.
func newBench(t *testing.T, d contract.Document, adjust ...func(*Options)) *bench {
	t.Helper()
	p, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, path: filepath.Join(dir, "segel.db"), blobs: &blobtest.Memory{}, secrets: p.secrets}
	if err := os.WriteFile(b.path, p.database, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlstore.Open(t.Context(), b.path, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	b.store = &watchedStore{Store: s}
	office, err := sandbox.Open(filepath.Join(dir, "office"), sandbox.Options{
		Issuer: p.authority, Timestamper: p.authority.Timestamper(), Revocation: p.authority, Sealer: p.sealer, PublicURL: "https://segel.contoh.id", Clock: clock, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.process, err = process.JoinFolder(filepath.Join(dir, "processes")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(office.Close(), b.process.Leave(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	random := &lockedReader{r: mathrand.NewChaCha8([32]byte{7})}
	b.identity = identity.New(identity.Options{
		Store: watchedTokens{s, b}, Clock: clock, Random: random, PublicURL: "https://segel.contoh.id", Cost: testCost, Lifetimes: identity.Lifetimes{Known: time.Hour},
		LinkKey: [32]byte{5},
	})
	b.notices = &notify.Service{
		Store: s, Composer: compose.Composer{}, Links: b.identity, Accounts: b.identity, PublicURL: "https://segel.contoh.id", Language: text.Indonesian, Clock: clock,
		Log: slog.New(slog.DiscardHandler),
	}
	docs := &documents.Documents{
		KeepNotices: true,
		Store:       b.store, Blobs: &blobtest.Faulty{Store: b.blobs, Fault: b.faultOf}, Trust: &validate.Trust{}, Limits: contract.Limits{}.Defaults(),
		Clock: clock, Random: random, Log: slog.New(slog.DiscardHandler),
	}
	b.workflow = &workflow.Service{
		Documents: docs, Stamping: &stamping.Stamping{Documents: docs, Store: b.store, Office: office}, Store: b.store, Scratch: b.newScratch,
		Issuer: issuer{p.authority, p.ledger}, AuthorityCertificates: func() []workflow.CertificateLine { return nil }, Sealer: p.sealer, LogKey: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), Timestamper: p.authority.Timestamper(), Revocation: p.authority, Links: b.identity, Factors: b.identity,
		FileRevocation: watchedRevocation{p.authority, b},
	}
	b.workflow.Trust.Add(validate.ForAll, validate.OriginOwn, p.authority.Root())
	if d.State != "" {
		b.insert(d, file1)
	}
	o := Options{
		Workflow: b.workflow, Identity: b.identity, Notices: b.notices, Answers: s, Process: b.process,
		SSO:   &sso.Service{Store: s, PublicURL: "https://segel.contoh.id", Clock: clock, Random: random, Log: slog.New(slog.DiscardHandler)},
		SCIM:  &scim.Service{Store: s, PublicURL: "https://segel.contoh.id", Clock: clock, Log: slog.New(slog.DiscardHandler)},
		Clock: clock, Random: zeros{}, Log: slog.New(slog.DiscardHandler),
		Version: "1.2.3", PublicURL: "https://segel.contoh.id",
	}
	for _, f := range adjust {
		f(&o)
	}
	b.workflow.Limits = o.Limits.Defaults()
	if b.Handler, err = New(o); err != nil {
		t.Fatal(err)
	}
	return b
}

// insert stores a document in any state, with a file.
func (b *bench) insert(d contract.Document, file []byte) contract.Document {
	b.t.Helper()
	key, err := blob.NewKey(rand.Reader)
	if err != nil {
		b.t.Fatal(err)
	}
	sum := blobtest.CommitBlob(b.t, b.blobs, key, file)
	f := contract.File{Key: string(key), Size: sum.Size, Digest: sum.BlobSum, Sums: sum.ChunkSums}
	d.Original = f
	d.Revisions = []contract.Revision{{Kind: contract.RevisionBase, Tail: f, End: sum.End, Digest: sum.DocumentSum, Midstate: sum.Midstate, NextObject: 1000, At: now}}
	uploaded := contract.Event{Type: contract.EventUploaded, At: now, Person: andi, IP: "203.0.113.7", Details: map[string]string{"filename": d.Filename}}
	stored, err := b.store.Store.Commit(b.t.Context(), contract.Change{After: d, Events: []contract.Event{uploaded}, Quota: quotaMovesOf(d), At: now})
	if err != nil {
		b.t.Fatal(err)
	}
	states := map[contract.StampState]contract.SerialState{contract.StampAffixed: contract.SerialAffixed, contract.StampRefused: contract.SerialBound}
	for _, s := range stored.Stamps {
		if s.Serial == "" {
			continue
		}
		to := contract.StampSerial{Serial: s.Serial, Organisation: works, State: states[s.State], Document: stored.ID, RegisteredAt: now, ChangedAt: now}
		if err := b.store.MoveSerials(b.t.Context(), []contract.SerialMove{{To: to}}); err != nil {
			b.t.Fatal(err)
		}
	}
	return stored
}

// quotaMovesOf returns the moves of quota that bring a document into its state.
func quotaMovesOf(d contract.Document) (moves []contract.QuotaMove) {
	if d.State == contract.Draft {
		return nil
	}
	add := func(u contract.Unit, op contract.QuotaOp) {
		moves = append(moves, contract.QuotaMove{Organisation: d.Organisation, Unit: u, Op: op, Count: 1})
	}
	for _, s := range d.Stamps {
		add(contract.UnitStamp, contract.QuotaReserve)
		if s.State == contract.StampAffixed {
			add(contract.UnitStamp, contract.QuotaSpend)
		}
	}
	for _, p := range d.Signers() {
		add(contract.UnitSignature, contract.QuotaReserve)
		if d.HasSigned(p) {
			add(contract.UnitSignature, contract.QuotaSpend)
		}
	}
	return moves
}

// document reads a document.
func (b *bench) document(id contract.DocumentID) contract.Document {
	b.t.Helper()
	d, err := b.store.Store.Document(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// change commits another state of the document.
func (b *bench) change(change func(*contract.Document)) {
	b.t.Helper()
	before := b.document(1207)
	after := b.document(1207)
	change(&after)
	if _, err := b.store.Store.Commit(context.Background(), contract.Change{Before: &before, After: after, At: now}); err != nil {
		b.t.Error(err)
	}
}

// events returns the events of the document.
func (b *bench) events() []contract.Event {
	b.t.Helper()
	list, err := b.store.Store.Events(context.Background(), 1207)
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

// countRows returns the result of a query for one number.
func (b *bench) countRows(query string) (n int) {
	b.t.Helper()
	b.withDatabase(func(db *sql.DB) error { return db.QueryRow(query).Scan(&n) })
	return n
}

func (b *bench) withDatabase(do func(*sql.DB) error) {
	b.t.Helper()
	db, err := sql.Open("sqlite", b.path+"?_pragma=busy_timeout(4000)")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := errors.Join(do(db), db.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// countBlobs returns how many blobs there are.
func (b *bench) countBlobs() (n int) {
	for _, err := range b.blobs.List(context.Background()) {
		if err != nil {
			b.t.Fatal(err)
		}
		n++
	}
	return n
}

func (b *bench) faultOf(op blobtest.Op, _ blob.Key) blobtest.Fault {
	if b.onBlob == nil {
		return blobtest.NoFault
	}
	return b.onBlob(op)
}

func (b *bench) newScratch() (blob.Scratch, error) {
	if b.onScratch != nil {
		if err := b.onScratch(); err != nil {
			return nil, err
		}
	}
	s, err := b.scratches.Scratch()
	return watchedScratch{s, b}, err
}

type watchedScratch struct {
	blob.Scratch
	b *bench
}

func (s watchedScratch) Write(p []byte) (int, error) {
	if s.b.onSpool != nil {
		if err := s.b.onSpool(); err != nil {
			return 0, err
		}
	}
	return s.Scratch.Write(p)
}

// watchedStore tells a test which calls the workflow makes, and lets it fail or delay one.
type watchedStore struct {
	*sqlstore.Store

	mu     sync.Mutex // guards the fields below; not held while before runs
	calls  []string
	about  any // argument of the last call that lists something
	before func(ctx context.Context, call string) error
	each   func(yield func(contract.Attempt) bool) error // replaces EachAttempt
}

// on sets what runs before each call.
func (s *watchedStore) on(before func(ctx context.Context, call string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// once sets what runs before the first call of that name, and before no other.
func (s *watchedStore) once(name string, do func()) {
	var first sync.Once
	s.on(func(_ context.Context, call string) error {
		if call == name {
			first.Do(do)
		}
		return nil
	})
}

// refuse lets every call fail; with nil, none.
func (s *watchedStore) refuse(err error) {
	s.on(func(context.Context, string) error { return err })
}

func (s *watchedStore) record(ctx context.Context, call string, about any) error {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	if about != nil {
		s.about = about
	}
	before := s.before
	s.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(ctx, call)
}

// asked returns the names of the calls so far.
func (s *watchedStore) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// recorded runs a call after it was recorded.
func recorded[T any](ctx context.Context, s *watchedStore, name string, about any, call func() (T, error)) (T, error) {
	if err := s.record(ctx, name, about); err != nil {
		var none T
		return none, err
	}
	return call()
}

func (s *watchedStore) Commit(ctx context.Context, c contract.Change) (contract.Document, error) {
	return recorded(ctx, s, "Commit", nil, func() (contract.Document, error) { return s.Store.Commit(ctx, c) })
}

func (s *watchedStore) Document(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	return recorded(ctx, s, "Document", nil, func() (contract.Document, error) { return s.Store.Document(ctx, id) })
}

func (s *watchedStore) DocumentFor(ctx context.Context, id contract.DocumentID, p contract.PersonID) (contract.Document, error) {
	return recorded(ctx, s, "DocumentFor", nil, func() (contract.Document, error) { return s.Store.DocumentFor(ctx, id, p) })
}

func (s *watchedStore) Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error) {
	return recorded(ctx, s, "Versions", nil, func() (map[contract.DocumentID]int64, error) { return s.Store.Versions(ctx, ids) })
}

func (s *watchedStore) List(ctx context.Context, q store.ListQuery) (store.List, error) {
	return recorded(ctx, s, "List", q, func() (store.List, error) { return s.Store.List(ctx, q) })
}

func (s *watchedStore) Organisations(ctx context.Context) ([]store.Organisation, error) {
	return recorded(ctx, s, "Organisations", nil, func() ([]store.Organisation, error) { return s.Store.Organisations(ctx) })
}

func (s *watchedStore) Quota(ctx context.Context, o contract.OrganisationID) (map[contract.Unit]store.Quota, error) {
	return recorded(ctx, s, "Quota", o, func() (map[contract.Unit]store.Quota, error) { return s.Store.Quota(ctx, o) })
}

func (s *watchedStore) QuotaEntries(ctx context.Context, q store.QuotaQuery) (store.QuotaPage, error) {
	return recorded(ctx, s, "QuotaEntries", q, func() (store.QuotaPage, error) { return s.Store.QuotaEntries(ctx, q) })
}

func (s *watchedStore) Attempts(ctx context.Context, q store.AttemptQuery) (store.AttemptPage, error) {
	return recorded(ctx, s, "Attempts", q, func() (store.AttemptPage, error) { return s.Store.Attempts(ctx, q) })
}

func (s *watchedStore) EachAttempt(ctx context.Context, q store.AttemptQuery, yield func(contract.Attempt) bool) error {
	if err := s.record(ctx, "EachAttempt", q); err != nil {
		return err
	}
	if s.each != nil {
		return s.each(yield)
	}
	return s.Store.EachAttempt(ctx, q, yield)
}

func (s *watchedStore) Serials(ctx context.Context, q store.SerialQuery) (store.SerialPage, error) {
	return recorded(ctx, s, "Serials", q, func() (store.SerialPage, error) { return s.Store.Serials(ctx, q) })
}

func (s *watchedStore) Waiting(ctx context.Context, q store.WaitingQuery) (store.List, error) {
	return recorded(ctx, s, "Waiting", q, func() (store.List, error) { return s.Store.Waiting(ctx, q) })
}

func (s *watchedStore) CertificateList(ctx context.Context, q store.CertificateQuery) (store.CertificatePage, error) {
	return recorded(ctx, s, "CertificateList", q, func() (store.CertificatePage, error) { return s.Store.CertificateList(ctx, q) })
}

func (s *watchedStore) AuditLog(ctx context.Context, q store.LogQuery) (store.LogPage, error) {
	return recorded(ctx, s, "AuditLog", q, func() (store.LogPage, error) { return s.Store.AuditLog(ctx, q) })
}

// watchedTokens tells a test when a token is looked up.
type watchedTokens struct {
	*sqlstore.Store
	b *bench
}

func (s watchedTokens) Token(ctx context.Context, hash [32]byte) (store.Token, error) {
	if s.b.onToken != nil {
		s.b.onToken()
	}
	return s.Store.Token(ctx, hash)
}

func (s watchedTokens) TokenWithHolder(ctx context.Context, hash [32]byte) (store.HeldToken, error) {
	if s.b.onToken != nil {
		s.b.onToken()
	}
	return s.Store.TokenWithHolder(ctx, hash)
}

// watchedRevocation tells a test that a file is being verified.
type watchedRevocation struct {
	revocation.Source
	b *bench
}

func (s watchedRevocation) Revocation(ctx context.Context, cert, by *x509.Certificate) (revocation.Data, error) {
	if s.b.onVerify != nil {
		s.b.onVerify(ctx)
	}
	return s.Source.Revocation(ctx, cert, by)
}

// issuer adapts the authority to the workflow.
type issuer struct {
	a      *authority.Authority
	ledger *authority.MemoryLedger
}

func (i issuer) Certify(ctx context.Context, h workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, error) {
	return i.a.Certify(ctx, holderOf(h), key)
}

// IssueUnrecorded also records the certificate in memory: the authority of all tests does not read their databases.
func (i issuer) IssueUnrecorded(h workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, contract.Certificate, error) {
	chain, r, err := i.a.IssueUnrecorded(holderOf(h), key)
	if err == nil {
		err = i.ledger.RecordIssued(context.Background(), r)
	}
	return chain, contract.Certificate{Serial: r.Serial, DER: r.DER, IssuedAt: r.IssuedAt, NotAfter: r.NotAfter, Holder: r.Holder}, err
}

func (i issuer) MatchesHolder(cert *x509.Certificate, h workflow.Holder) bool {
	return i.a.MatchesHolder(cert, holderOf(h))
}

func (i issuer) IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error) {
	return i.a.IsRevoked(ctx, cert)
}

func holderOf(h workflow.Holder) authority.Holder {
	return authority.Holder{ID: h.ID, Name: h.Name, Email: h.Email, Organisation: h.Organisation, Assurance: authority.Assurance(h.Assurance), NamedBy: h.NamedBy}
}

// lockedReader draws the same secrets in every test that makes its requests one after the other.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (r *lockedReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.Read(p)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// secretOf returns the token of a name. A guest's link is created with its first use.
func (b *bench) secretOf(name string) string {
	b.t.Helper()
	if name != "guest" {
		return b.secrets[name]
	}
	url, hash, err := b.identity.NewGuestLink()
	if err != nil {
		b.t.Fatal(err)
	}
	before := b.document(1207)
	link := &contract.GuestLink{Guest: budi.ID, Hash: hash}
	if _, err := b.store.Store.Commit(b.t.Context(), contract.Change{Before: &before, After: before, GuestLink: link, At: now}); err != nil {
		b.t.Fatal(err)
	}
	session, err := b.identity.GuestLogin(b.t.Context(), url)
	if err != nil {
		b.t.Fatal(err)
	}
	return session.Token
}

var holders = regexp.MustCompile(`\b(owner|signer|admin|operator|given|guest|nobody|elsewhere)\b`)

// fill replaces the names of holders by their tokens.
func (b *bench) fill(text string) string { return holders.ReplaceAllStringFunc(text, b.secretOf) }

// ask sends a request as the owner; header alternates names and values. Names of users in headers with a token are
// replaced by their tokens.
func (b *bench) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, b.request(method, path, r, header...))
	return w
}

// request returns a request as ask sends it.
func (b *bench) request(method, path string, body io.Reader, header ...string) *http.Request {
	r := httptest.NewRequest(method, path, body)
	r.Header.Set("X-Access-Token", b.fill("owner"))
	for i := 0; i < len(header); i += 2 {
		r.Header.Del(header[i])
		switch value := header[i+1]; header[i] {
		case "X-Access-Token", "Authorization", "Cookie":
			value = b.fill(value)
			fallthrough
		default:
			if value != "" {
				r.Header.Set(header[i], value)
			}
		}
	}
	return r
}

// requireOK requires success, and decodes the answer.
func requireOK[T any](t *testing.T, w *httptest.ResponseRecorder) (out T) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// finalized returns a service with a document that went through the workflow: a member is to sign it, then a guest.
func finalized(t *testing.T, adjust ...func(*Options)) *bench {
	t.Helper()
	b := newBench(t, contract.Document{}, adjust...)
	requireOK[done[uploadData]](t, b.ask("POST", sBase+"upload-docs-base64", uploadBody))
	requireOK[done[verbData]](t, b.ask("POST", sBase+"finalize-docs", `{"document_id":1207}`))
	return b
}

var signedOnce sync.Once

// signedBody is a verification of a file with one signature and without proof of revocation, so that the verifier asks
// for it.
var signedBody string

func bodyOfSignedFile(t *testing.T) string {
	t.Helper()
	signedOnce.Do(func() {
		b := finalized(t)
		requireOK[done[verbData]](t, b.ask("POST", sBase+"sign-docs", `{"document_id":1207}`, "X-Access-Token", "signer"))
		file := b.ask("GET", dBase+"preview/1207", "").Body.Bytes()
		signedBody = `{"document_base64":"` + base64.StdEncoding.EncodeToString(file) + `"}`
	})
	return signedBody
}

const (
	sBase = "/v1/econtract/service/sign/"
	dBase = "/v1/econtract/web_app/document/"
)

// plainUpload is an upload without participants.
var plainUpload = `{"filename":"sewa.pdf","document_base64":"` + base64.StdEncoding.EncodeToString(file1) + `"}`

var uploadBody = `{"document_title":"Perjanjian Sewa","filename":"sewa.pdf","document_base64":"` + base64.StdEncoding.EncodeToString(file1) + `","parallel":"0",
	"signer":[{"id":"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01","name":"Siti Rahma","email":"siti@contoh.id","role":"signer","number":1}],
	"guest":{"name":"Budi Tamu","email":"budi@contoh.id","role":"signer","number":"2"}}`
