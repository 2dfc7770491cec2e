package workflow_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/emeterai/sandbox"
	"segel/internal/stamping"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf/pdftest"
	"segel/tsp"
)

// harness is a service with real dependencies whose store, stamp office and time-stamp authority can be made to fail.
type harness struct {
	scratches blobtest.Scratches
	*workflow.Service
	t      testing.TB
	store  *failingStore
	office *failingOffice
	clock  *failingClock
	owner  contract.Actor
	signer contract.Actor
	ca     *authority.Authority
	issued *sync.Map    // workflow.Holder by the serial of the certificate
	ahead  atomic.Int64 // nanoseconds by which the harness's clock is ahead of the machine's
	alarms map[documents.Alarm]int
}

// later advances the clock of the service and its database.
func (h *harness) later(d time.Duration) { h.ahead.Add(int64(d)) }

func (h *harness) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

var errCrash = errors.New("simulated crash")

func newHarness(t testing.TB) *harness {
	t.Helper()
	return newHarnessOn(t, storetest.SQLite(t, sqlstore.Migrate))
}

// newHarnessOn is newHarness on the given database.
func newHarnessOn(t testing.TB, dsn string) *harness { return newHarnessAt(t, dsn, 0) }

// newHarnessAt is newHarnessOn whose clock begins so long after the present.
func newHarnessAt(t testing.TB, dsn string, ahead time.Duration) *harness {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	real, err := sqlstore.Open(ctx, dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := real.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &harness{t: t, store: &failingStore{Store: real}}
	h.later(ahead)
	h.store.ahead = func() time.Duration { return time.Duration(h.ahead.Load()) } // the database is on the same machine as the service
	sealer, err := credential.NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	a, err := authority.Open(context.Background(), authority.Folder(filepath.Join(dir, "authority")), authority.Options{PublicURL: "http://segel.test", Clock: h.now, Sealer: sealer, Ledger: ledger{real, h.now}})
	if err != nil {
		t.Fatal(err)
	}
	office, err := sandbox.Open(filepath.Join(dir, "office"), sandbox.Options{
		Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: sealer, PublicURL: "http://segel.test", Clock: h.now, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := office.Close(); err != nil {
			t.Error(err)
		}
	})
	h.issued = &sync.Map{}
	h.ca, h.office, h.clock = a, &failingOffice{Stamper: office, taken: map[string]bool{}}, &failingClock{Timestamper: a.Timestamper()}
	docs := &documents.Documents{
		Store: h.store, Blobs: &blobtest.Memory{}, Limits: contract.Limits{}.Defaults(), Clock: h.now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler), Trust: &validate.Trust{},
	}
	h.Service = &workflow.Service{
		Documents: docs, Stamping: &stamping.Stamping{Documents: docs, Store: h.store, Office: h.office},
		Store: h.store, Scratch: h.scratches.Scratch, Issuer: issuer{a, h.issued}, Sealer: sealer, LogKey: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), Timestamper: h.clock, Revocation: a,
	}
	h.Trust.Add(validate.ForAll, validate.OriginOwn, a.Root())
	var mu sync.Mutex
	h.alarms = map[documents.Alarm]int{}
	h.Alarm = func(a documents.Alarm) {
		mu.Lock()
		defer mu.Unlock()
		h.alarms[a]++
	}
	o := store.Organisation{ID: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a00", Name: "PT Contoh", CreatedAt: h.now()}
	if err := real.CreateOrganisation(ctx, o); err != nil {
		t.Fatal(err)
	}
	for _, u := range []contract.Unit{contract.UnitStamp, contract.UnitSignature} {
		if _, err := real.Grant(ctx, o.ID, u, 1000, "test", contract.Actor{}, h.now()); err != nil {
			t.Fatal(err)
		}
	}
	h.owner = h.person(o.ID, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", "Sari")
	h.signer = h.person(o.ID, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a02", "Budi")
	return h
}

// useStore replaces the store of all parts of the service, and returns a function that undoes it.
func (h *harness) useStore(s workflow.Store) (undo func()) {
	before := h.Service.Store
	h.Service.Store, h.Documents.Store, h.Stamping.Store = s, s, s
	return func() { h.Service.Store, h.Documents.Store, h.Stamping.Store = before, before, before }
}

func (h *harness) person(o contract.OrganisationID, id contract.PersonID, name string) contract.Actor {
	h.t.Helper()
	p := contract.Person{ID: id, Name: name, Email: name + "@example.test"}
	if err := h.store.CreateUser(context.Background(), store.User{Person: p, Organisation: o, CreatedAt: h.now()}); err != nil {
		h.t.Fatal(err)
	}
	return contract.Actor{Person: p, Organisation: o}
}

type issuer struct {
	a      *authority.Authority
	issued *sync.Map
}

func (i issuer) Certify(ctx context.Context, w workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, error) {
	chain, err := i.a.Certify(ctx, holder(w), key)
	if err == nil {
		i.issued.Store(fmt.Sprintf("%x", chain[0].SerialNumber), w)
	}
	return chain, err
}

func (i issuer) IssueUnrecorded(w workflow.Holder, key crypto.PublicKey) ([]*x509.Certificate, contract.Certificate, error) {
	chain, r, err := i.a.IssueUnrecorded(holder(w), key)
	if err == nil {
		i.issued.Store(r.Serial, w)
	}
	return chain, certificateOf(r), err
}

func (i issuer) MatchesHolder(cert *x509.Certificate, w workflow.Holder) bool {
	return i.a.MatchesHolder(cert, holder(w))
}

func holder(w workflow.Holder) authority.Holder {
	return authority.Holder{
		ID: w.ID, Name: w.Name, Email: w.Email, Organisation: w.Organisation, Assurance: authority.Assurance(w.Assurance), NamedBy: w.NamedBy,
	}
}

func (i issuer) IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error) {
	return i.a.IsRevoked(ctx, cert)
}

// ledger is the authority's ledger in the store, as the service has it.
type ledger struct {
	s     *sqlstore.Store
	clock func() time.Time
}

func (l ledger) RecordIssued(ctx context.Context, r authority.Record) error {
	return l.s.AddCertificate(ctx, certificateOf(r))
}

func (l ledger) Lookup(ctx context.Context, serials ...string) (map[string]authority.Record, error) {
	all, err := l.s.Certificates(ctx, serials...)
	found := make(map[string]authority.Record, len(all))
	for _, c := range all {
		found[c.Serial] = recordOf(c)
	}
	return found, err
}

func (l ledger) ListRevoked(ctx context.Context) ([]authority.Record, error) {
	all, err := l.s.RevokedCertificates(ctx)
	records := make([]authority.Record, len(all))
	for i, c := range all {
		records[i] = recordOf(c)
	}
	return records, err
}

func (l ledger) CountRevoked(ctx context.Context) (int, error) { return l.s.Revocations(ctx) }

func (l ledger) Revoke(ctx context.Context, serial string, reason int, at time.Time) error {
	return l.s.RevokeCertificate(ctx, serial, reason, at, contract.Event{Type: contract.EventCertificateRevoked, At: l.clock()})
}

func certificateOf(r authority.Record) contract.Certificate {
	return contract.Certificate{
		Serial: r.Serial, Subject: r.Subject, DER: r.DER, IssuedAt: r.IssuedAt, NotAfter: r.NotAfter, RevokedAt: r.RevokedAt, Reason: r.Reason, Holder: r.Holder,
		Assurance: contract.Assurance(r.Assurance), NamedBy: r.NamedBy, Organisation: r.Organisation, Email: r.Email,
	}
}

func recordOf(c contract.Certificate) authority.Record {
	return authority.Record{
		Serial: c.Serial, Subject: c.Subject, DER: c.DER, IssuedAt: c.IssuedAt, NotAfter: c.NotAfter, RevokedAt: c.RevokedAt, Reason: c.Reason, Holder: c.Holder,
		Assurance: authority.Assurance(c.Assurance), NamedBy: c.NamedBy, Organisation: c.Organisation, Email: c.Email,
	}
}

// draft uploads and finalizes a file with that many stamps, and optionally the signer.
func (h *harness) draft(signer bool, stamps int) contract.DocumentID {
	h.t.Helper()
	id := h.draftOf(signer, stamps)
	if _, err := h.Finalize(context.Background(), h.owner, id, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *harness) draftOf(signer bool, stamps int) contract.DocumentID {
	h.t.Helper()
	ctx := context.Background()
	st, err := h.Stage(ctx, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(pdftest.Table(1)); err != nil {
		h.t.Fatal(err)
	}
	r := workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st}
	if signer {
		r.People = []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}}
	}
	d, err := h.Upload(ctx, h.owner, r)
	if err != nil {
		h.t.Fatal(err)
	}
	var places []contract.PlaceRequest
	for i := range stamps {
		x := float64(50 + 80*i)
		places = append(places, contract.PlaceRequest{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: x, LLY: 50, URX: x + 60, URY: 110}})
	}
	if _, err := h.Place(ctx, h.owner, d.ID, 0, places); err != nil {
		h.t.Fatal(err)
	}
	return d.ID
}

func (h *harness) read(id contract.DocumentID) contract.Document {
	h.t.Helper()
	d, err := h.store.Document(context.Background(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// work runs a document's jobs as the queue would, repeats them after failures, and requires that they end.
func (h *harness) work(id contract.DocumentID) {
	h.t.Helper()
	for range 10 {
		if h.Stamp(context.Background(), id) == nil && h.Complete(context.Background(), id) == nil {
			return
		}
	}
	h.t.Fatalf("the jobs of document %d do not end, %q: %+v", id, h.read(id).Reason, h.read(id).Stamps)
}

// failingStore fails one commit, before or after it is durable, like a crash.
type failingStore struct {
	*sqlstore.Store
	mu    sync.Mutex
	in    int // commits until the failing one; 0: none
	after bool

	swapped *store.SealedCredential // returned instead of its holder's own credential
	asked   []string                // queries for user accounts

	refuse    error // error of every commit
	refuseOf  map[contract.DocumentID]error
	committed func() // called after a successful commit

	ahead func() time.Duration // how far the clock of the database's machine is ahead; nil: not at all
}

// Times moves the time of the database's machine by ahead.
func (f *failingStore) Times(ctx context.Context) (contract.ClockReading, error) {
	r, err := f.Store.Times(ctx)
	return f.moveClock(r), err
}

func (f *failingStore) moveClock(r contract.ClockReading) contract.ClockReading {
	if f.ahead != nil && !r.Database.IsZero() {
		r.Database = r.Database.Add(f.ahead())
	}
	return r
}

// ReadSigning is changed as Times and Credential are.
func (f *failingStore) ReadSigning(ctx context.Context, q store.SigningQuery) (store.Signing, error) {
	r, err := f.Store.ReadSigning(ctx, q)
	r.Clock = f.moveClock(r.Clock)
	if f.swapped != nil && q.Person == "" && f.swapped.Holder == string(r.Organisation.ID) {
		r.Credential = *f.swapped
	}
	return r, err
}

func (f *failingStore) fail(in int, after bool) { f.in, f.after = in, after }

// turn counts a commit and reports whether it is the failing one.
func (f *failingStore) turn() (now, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.in--
	return f.in == 0, f.after
}

func (f *failingStore) Commit(ctx context.Context, c contract.Change) (contract.Document, error) {
	now, after := f.turn()
	if f.refuse != nil {
		return contract.Document{}, f.refuse
	}
	if err := f.refuseOf[c.After.ID]; err != nil {
		return contract.Document{}, err
	}
	if !now {
		d, err := f.Store.Commit(ctx, c)
		if f.committed != nil && err == nil {
			f.committed()
		}
		return d, err
	}
	if after {
		if _, err := f.Store.Commit(ctx, c); err != nil {
			return contract.Document{}, err
		}
	}
	return contract.Document{}, errCrash
}

func (f *failingStore) ask(question string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, question)
}

func (f *failingStore) Credential(ctx context.Context, holder string, begun, until time.Time) (store.SealedCredential, error) {
	if f.swapped != nil && f.swapped.Holder == holder {
		return *f.swapped, nil
	}
	return f.Store.Credential(ctx, holder, begun, until)
}

func (f *failingStore) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	f.ask("user " + string(id))
	return f.Store.User(ctx, id)
}

func (f *failingStore) UsersByEmail(ctx context.Context, emails ...string) ([]store.User, error) {
	f.ask(fmt.Sprintf("users of the addresses %q", emails))
	return f.Store.UsersByEmail(ctx, emails...)
}

func (f *failingStore) MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error) {
	f.ask("member of " + string(o) + " of the address " + email)
	return f.Store.MemberByEmail(ctx, o, email)
}

func (f *failingStore) FindMembers(ctx context.Context, o contract.OrganisationID, asked ...store.MemberQuery) ([]store.User, error) {
	f.ask(fmt.Sprintf("members of %s %+v", o, asked))
	return f.Store.FindMembers(ctx, o, asked...)
}

func (f *failingStore) MoveSerials(ctx context.Context, moves []contract.SerialMove, events ...contract.Event) error {
	now, after := f.turn()
	if !now || after {
		if err := f.Store.MoveSerials(ctx, moves, events...); err != nil {
			return err
		}
	}
	if now {
		return errCrash
	}
	return nil
}

// failingOffice can lose the answer to BuySerial or Stamp after the office carried out the call, and can fail in other
// ways.
type failingOffice struct {
	emeterai.Stamper
	loseTake, loseStamp bool
	taken               map[string]bool // serials that the office has issued
	refuse              error           // error of Stamp
	busy                int             // how often Stamp reports that it is busy
	astray              int             // how often Stamp uses another place than ordered
	give                string          // serial that BuySerial returns for any order
	status              map[string]emeterai.Status
	statusErr           error
	unready             error // error of CheckAffixable
	away                emeterai.Availability
	calls               int             // of BuySerial and Stamp
	again               map[string]bool // MaybeSent of the last call for each serial
	mu                  sync.Mutex
}

func (f *failingOffice) Availability() emeterai.Availability { return f.away }

func (f *failingOffice) CheckAffixable(ctx context.Context, serial string) error {
	if f.unready != nil {
		return f.unready
	}
	return f.Stamper.CheckAffixable(ctx, serial)
}

func (f *failingOffice) SerialStatus(ctx context.Context, serial string) (emeterai.Status, error) {
	if f.statusErr != nil {
		return "", f.statusErr
	}
	if s, ok := f.status[serial]; ok {
		return s, nil
	}
	return f.Stamper.SerialStatus(ctx, serial)
}

func (f *failingOffice) BuySerial(ctx context.Context, o emeterai.Order) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.give != "" {
		return f.give, nil
	}
	serial, err := f.Stamper.BuySerial(ctx, o)
	if err != nil {
		return "", err
	}
	f.taken[serial] = true
	if f.loseTake {
		f.loseTake = false
		return "", errCrash
	}
	return serial, nil
}

func (f *failingOffice) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.again == nil {
		f.again = map[string]bool{}
	}
	f.again[r.Serial] = r.MaybeSent
	if f.refuse != nil {
		return nil, f.refuse
	}
	if f.busy > 0 {
		f.busy--
		return nil, &emeterai.Problem{Class: emeterai.Transient, Code: "94", Text: "busy"}
	}
	if f.astray > 0 {
		f.astray--
		r.Box.LLY, r.Box.URY = r.Box.LLY+100, r.Box.URY+100
	}
	tail, err := f.Stamper.Stamp(ctx, r)
	if f.loseStamp && err == nil {
		f.loseStamp = false
		return nil, errCrash
	}
	return tail, err
}

// failingClock is a time-stamp authority that can be unavailable.
type failingClock struct {
	tsp.Timestamper
	down bool
}

func (f *failingClock) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	if f.down {
		return nil, errCrash
	}
	return f.Timestamper.Timestamp(ctx, digest)
}

// skipInShort skips a test that reads or signs much in one goroutine: with -short the race detector runs, which makes it many times
// slower and finds nothing in it.
func skipInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("in one goroutine, and slow under the race detector")
	}
}
