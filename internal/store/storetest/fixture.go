package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"segel/internal/contract"
	"segel/internal/store"
)

// fixture takes documents through their states on a store.
type fixture struct {
	store.Store
	t   failer
	ctx context.Context
	now time.Time
	n   uint64 // counts created documents, for names and keys
}

// failer is a test, or one check of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// start is noon in Jakarta, with nanoseconds, which is finer than stores record.
var start = time.Date(2026, 3, 2, 5, 0, 0, 123456789, time.UTC)

var limits = contract.Limits{}.Defaults()

// The people of the tests. All but otherOwner belong to one organisation.
var (
	owner      = newActor("owner", "org")
	first      = newActor("first", "org")
	second     = newActor("second", "org")
	viewer     = newActor("viewer", "org")
	otherOwner = newActor("outsider", "other")
)

func newActor(id, org string) contract.Actor {
	return contract.Actor{Person: newPerson(id), Organisation: contract.OrganisationID(org), IP: "192.0.2.1"}
}

func newPerson(id string) contract.Person {
	return contract.Person{ID: contract.PersonID(id), Name: "Name of " + id, Email: id + "@example.test"}
}

func participantAs(role contract.Role, number int, a contract.Actor) contract.Participant {
	return contract.Participant{Person: a.Person, Role: role, Number: number}
}

// newFixture returns a store with two organisations that have quota.
func newFixture(t *testing.T, s store.Store) *fixture {
	t.Helper()
	b := &fixture{Store: s, t: t, ctx: t.Context(), now: start}
	for _, o := range []contract.OrganisationID{"org", "other"} {
		b.must(s.CreateOrganisation(b.ctx, store.Organisation{ID: o, Name: "Name of " + string(o), CreatedAt: b.now}))
		b.grantQuota(o, contract.UnitStamp, 1000, "first start", contract.Actor{})
		b.grantQuota(o, contract.UnitSignature, 1000, "first start", contract.Actor{})
	}
	return b
}

func (b *fixture) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// grantQuota grants quota and requires success.
func (b *fixture) grantQuota(o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor) map[contract.Unit]store.Quota {
	b.t.Helper()
	q, err := b.Grant(b.ctx, o, u, n, reason, by, b.now)
	b.must(err)
	return q
}

// commitChange commits a change and requires success.
func (b *fixture) commitChange(c contract.Change, err error) contract.Document {
	b.t.Helper()
	b.must(err)
	d, err := b.Commit(b.ctx, c)
	b.must(err)
	return d
}

// advance advances the clock.
func (b *fixture) advance(d time.Duration) *fixture {
	b.now = b.now.Add(d)
	return b
}

// newBase returns the revision of a new file.
func (b *fixture) newBase() contract.Revision {
	b.n++
	f := contract.File{Key: fmt.Sprintf("%032x", b.n), Size: 1000, Digest: [32]byte{1, byte(b.n)}, Sums: []byte{2, 3}}
	return contract.Revision{Kind: contract.RevisionBase, Tail: f, End: 1000, Digest: [32]byte{4}, Midstate: []byte("midstate"), NextObject: 8_388_607, At: b.now}
}

// newTail returns a revision that follows the document's last one.
func (b *fixture) newTail(d *contract.Document, k contract.RevisionKind) contract.Revision {
	r, begin := b.newBase(), d.Current().End
	r.Kind, r.Begin, r.End = k, begin, begin+r.Tail.Size
	return r
}

// uploadDraft creates a draft; the functions modify the upload.
func (b *fixture) uploadDraft(by contract.Actor, with ...func(*contract.Upload)) contract.Document {
	b.t.Helper()
	c, err := b.uploadChange(by, with...)
	return b.commitChange(c, err)
}

func (b *fixture) uploadChange(by contract.Actor, with ...func(*contract.Upload)) (contract.Change, error) {
	u := contract.Upload{
		Title: "Perjanjian", Filename: "perjanjian.pdf", Pages: 2, Base: b.newBase(),
		Participants: []contract.Participant{participantAs(contract.Signer, 1, first), participantAs(contract.Signer, 2, second), participantAs(contract.Viewer, 3, viewer)},
	}
	binary.BigEndian.PutUint64(u.Entropy[8:], b.n)
	for _, w := range with {
		w(&u)
	}
	return contract.Create(u, by, limits, b.now)
}

func withTitle(title string) func(*contract.Upload) {
	return func(u *contract.Upload) { u.Title = title }
}
func withExpiry(at time.Time) func(*contract.Upload) {
	return func(u *contract.Upload) { u.ExpiresAt = at }
}

var page = contract.PageSize{Width: 595, Height: 842}

// placeStamps places n duty stamps on a draft.
func (b *fixture) placeStamps(d contract.Document, by contract.Actor, n int) contract.Document {
	b.t.Helper()
	var requests []contract.PlaceRequest
	for range n {
		requests = append(requests, contract.PlaceRequest{Kind: contract.PlaceStamp, Page: 1, Person: by.ID, Emet: &contract.Box{LLX: 100.25, LLY: 100, URX: 160.25, URY: 160}})
	}
	c, _, err := contract.Place(&d, requests, func(int) (contract.PageSize, bool) { return page, true }, by, limits, b.now)
	return b.commitChange(c, err)
}

func (b *fixture) finalizeChange(d contract.Document, by contract.Actor) contract.Change {
	b.t.Helper()
	c, changed, err := contract.Finalize(&d, contract.FinalizeOptions{}, by, b.now)
	b.must(err)
	if !changed {
		b.t.Fatal("finalized before")
	}
	return c
}

func (b *fixture) finalizeDraft(d contract.Document, by contract.Actor) contract.Document {
	b.t.Helper()
	return b.commitChange(b.finalizeChange(d, by), nil)
}

func (b *fixture) signAs(d contract.Document, by contract.Actor) contract.Document {
	b.t.Helper()
	d = b.commitChange(contract.IntendSign(&d, contract.ShownPages{}, by, b.now))
	return b.commitChange(contract.Sign(&d, b.newTail(&d, contract.RevisionSignature), contract.ShownPages{}, d.AttestParticipant(*d.Participant(by.ID), "PT Contoh", by.Proved), by, b.now))
}

// bindSerial orders a serial for the next stamp and binds it.
func (b *fixture) bindSerial(d contract.Document, serial string) contract.Document {
	b.t.Helper()
	d = b.commitChange(contract.OrderSerial(&d, d.NextStamp(), "order of "+serial, b.now))
	return b.commitChange(contract.BindSerial(&d, d.NextStamp(), contract.StampSerial{Serial: serial}, true, b.now))
}

func (b *fixture) affixStamp(d contract.Document) contract.Document {
	b.t.Helper()
	return b.commitChange(contract.AffixStamp(&d, d.NextStamp(), b.newTail(&d, contract.RevisionStamp), b.now))
}

func (b *fixture) completeDocument(d contract.Document) contract.Document {
	b.t.Helper()
	return b.commitChange(contract.Complete(&d, []contract.Revision{b.newTail(&d, contract.RevisionSeal)}, b.now))
}

// requireStored requires that the store returns the document as given, and returns it.
func (b *fixture) requireStored(want contract.Document) contract.Document {
	b.t.Helper()
	got, err := b.Document(b.ctx, want.ID)
	b.must(err)
	b.requireEqual("document", got, want)
	return got
}

func (b *fixture) requireEqual(what string, got, want any) {
	b.t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		b.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// requireRead returns a function that requires the results of a call: no error, and the value want.
func requireRead[T any](b *fixture, what string, want T) func(T, error) {
	return func(got T, err error) {
		b.t.Helper()
		b.must(err)
		b.requireEqual(what, got, want)
	}
}

// requireError requires an error that is want.
func (b *fixture) requireError(what string, err, want error) {
	b.t.Helper()
	if !errors.Is(err, want) {
		b.t.Fatalf("%s: %v, want %v", what, err, want)
	}
}

// runCrowd runs n calls at once, and returns how many succeed. The others have to fail with the error lost.
func (b *fixture) runCrowd(n int, lost error, call func(i int) error) (won int) {
	b.t.Helper()
	failed := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { failed[i] = call(i) })
	}
	all.Wait()
	for _, err := range failed {
		if err == nil {
			won++
			continue
		}
		b.requireError("one of a crowd", err, lost)
	}
	return won
}

// commitCrowd is runCrowd for commits.
func (b *fixture) commitCrowd(changes []contract.Change, lost error) (won int) {
	b.t.Helper()
	return b.runCrowd(len(changes), lost, func(i int) error {
		_, err := b.Commit(b.ctx, changes[i])
		return err
	})
}

// listPage returns a page of a person's list, with whole documents unless the query asks for summaries. It requires that those are the same documents.
func (b *fixture) listPage(q store.ListQuery) store.List {
	b.t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Now.IsZero() {
		q.Now = b.now
	}
	l, err := b.List(b.ctx, q)
	b.must(err)
	if !q.Summary {
		q.Summary = true
		short, err := b.List(b.ctx, q)
		b.must(err)
		want := l
		want.Documents = []contract.Document{}
		for _, d := range l.Documents {
			want.Documents = append(want.Documents, Summarise(d))
		}
		b.requireEqual("summaries", short, want)
	}
	return l
}

func (b *fixture) documentIDs(l store.List) []contract.DocumentID {
	ids := []contract.DocumentID{}
	for _, d := range l.Documents {
		ids = append(ids, d.ID)
	}
	return ids
}

func (b *fixture) quotaOf(o contract.OrganisationID, u contract.Unit) store.Quota {
	b.t.Helper()
	q, err := b.Quota(b.ctx, o)
	b.must(err)
	return q[u]
}

// initialEvents is how many events newFixture logs.
const initialEvents = 6

// eventTypes returns the types of a document's events, without newFixture's events and those that only record rows.
func (b *fixture) eventTypes(id contract.DocumentID) []contract.EventType {
	b.t.Helper()
	events, err := b.Events(b.ctx, id)
	b.must(err)
	types := []contract.EventType{}
	if id == 0 {
		events = events[initialEvents:]
	}
	for _, e := range events {
		if e.Type != contract.EventRecorded {
			types = append(types, e.Type)
		}
	}
	return types
}

// eventCount returns the number of events, without newFixture's.
func (b *fixture) eventCount() int64 {
	b.t.Helper()
	n, _, err := b.Size(b.ctx)
	b.must(err)
	return n - initialEvents
}
