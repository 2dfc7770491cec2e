package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// mortalStore is the store of a process that is killed after some of its commits.
type mortalStore struct {
	*sqlstore.Store

	mu   sync.Mutex // guards those below
	left int        // commits until it is killed; negative: it is not
	made int
}

// commit runs a method of the store that commits, and kills the process after the last of its commits: the caller learns nothing of it.
func (m *mortalStore) commit(run func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		return errKilled
	}
	if err := run(); err != nil {
		return err
	}
	m.made, m.left = m.made+1, m.left-1
	if m.left == 0 {
		return errKilled
	}
	return nil
}

// arm starts a process that is killed after so many commits.
func (m *mortalStore) arm(left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.made = left, 0
}

// mortalEraser is a mortalStore of erasures.
type mortalEraser struct{ mortalStore }

func (m *mortalEraser) Commit(ctx context.Context, c contract.Change) (d contract.Document, err error) {
	err = m.commit(func() error { d, err = m.Store.Commit(ctx, c); return err })
	return d, err
}

func (m *mortalEraser) BeginErasure(ctx context.Context, x contract.Erasure, e contract.Event) error {
	return m.commit(func() error { return m.Store.BeginErasure(ctx, x, e) })
}

func (m *mortalEraser) EraseRows(ctx context.Context, id contract.PersonID, e contract.Event) error {
	return m.commit(func() error { return m.Store.EraseRows(ctx, id, e) })
}

func (m *mortalEraser) ForgetCodes(ctx context.Context) error {
	return m.commit(func() error { return m.Store.ForgetCodes(ctx) })
}

func (m *mortalEraser) ForgetParticipant(ctx context.Context, p store.ErasableParticipant) error {
	return m.commit(func() error { return m.Store.ForgetParticipant(ctx, p) })
}

func (m *mortalEraser) EraseGuest(ctx context.Context, of contract.OrganisationID, who contract.GuestContact, at time.Time, made func(count int) contract.Event) error {
	return m.commit(func() error { return m.Store.EraseGuest(ctx, of, who, at, made) })
}

// TestAnErasureThatIsKilledAfterAnyCommitIsCompleted kills a process after each commit of the erasure of a person, and of a guest. Another process of the same data goes on, and
// leaves what an undisturbed erasure leaves, which the decision names. What [sqlstore.Store.EraseRows] commits by itself is interrupted in
// TestAnErasureLeavesWhatTheDecisionNames.
func TestAnErasureThatIsKilledAfterAnyCommitIsCompleted(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		how := starting{set: set, data: filepath.Join(t.TempDir(), "data"), idle: true}
		s := how.start(t)
		admin, owner := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu")
		mortal := &mortalEraser{mortalStore{left: -1}}
		how.adjust = func(a *app) {
			mortal.Store = a.store
			a.replaceStore(mortal)
		}
		victim := how.start(t)
		db, names := editRows(t, databaseDSN(s.conf)), remainingOfPeople(t)

		// erased makes a person, or a guest, with documents of each kind, kills their erasure after some commits, and returns how many there were and what is left once it
		// was continued.
		erased := func(isGuest bool, kill int) (commits int, left []string) {
			name := fmt.Sprintf("Terhapus %t %d x", isGuest, kill)
			person := &client{name: name, email: strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "@example.test"}
			people := object{"guest": []object{{"name": name, "email": person.email, "role": "signer", "number": 1}}}
			if !isGuest {
				person = s.person(t, name, "PT Satu")
				people = object{"signer": []object{person.as("signer", 1)}}
				person.verb("template-docs", person.upload(simple())).ok()
			}
			upload := func() int64 { return owner.uploadWith(people, simple()) }
			draft, canceled, running := upload(), upload(), upload()
			for _, id := range []int64{canceled, running} {
				owner.verb("finalize-docs", id).ok()
			}
			owner.verb("cancel-docs", canceled).ok()

			mortal.arm(kill)
			var a *answer
			if isGuest {
				a = admin.on(victim).do("PUT", "/v1/admin/guests/erased", object{"email": person.email})
			} else {
				a = person.on(victim).do("PUT", "/v1/auth/account/erased", object{"email": person.email})
			}
			if (a.status == http.StatusOK) != (kill < 0) {
				t.Fatalf("killed after %d commits, the request is answered %d: %s", kill, a.status, a.body)
			}
			commits = mortal.made
			// As a process does that starts.
			if err := s.workflow.FinishErasures(t.Context()); err != nil {
				t.Fatal(err)
			}
			left = db.columnsWith(name, person.email)
			for id, want := range map[int64]bool{draft: false, canceled: false, running: true} {
				if got := strings.Contains(string(owner.get("signers", id).ok().body), person.email); got != want {
					t.Errorf("killed after %d commits: document %d names the person: %t", kill, id, got)
				}
			}
			if !isGuest {
				if x, err := s.store.Erasure(t.Context(), contract.PersonID(person.id)); err != nil || x.DoneAt.IsZero() {
					t.Errorf("killed after %d commits: the erasure is %+v, %v", kill, x, err)
				}
			}
			return commits, left
		}
		for isGuest, types := range map[bool][]contract.EventType{false: {contract.EventErasureBegun, contract.EventPersonErased}, true: {contract.EventGuestErased}} {
			commits, want := erased(isGuest, -1)
			for _, column := range want {
				if !names[column] {
					t.Errorf("%s still has the person, and the decision does not name it", column)
				}
			}
			if least := map[bool]int{false: 9, true: 6}[isGuest]; commits < least {
				t.Errorf("an erasure has %d commits, want %d or more", commits, least)
			}
			for kill := 1; kill <= commits; kill++ {
				if _, left := erased(isGuest, kill); !slices.Equal(left, want) {
					t.Errorf("killed after %d commits, it left %v, want %v", kill, left, want)
				}
			}
			for _, e := range types {
				if log, err := s.store.AuditLog(t.Context(), store.LogQuery{Type: e, Limit: 1}); err != nil || log.Total != commits+1 {
					t.Errorf("%d events say %s, want %d: %v", log.Total, e, commits+1, err)
				}
			}
		}
		fsck(t, s, 0)
	})
}

// remainingOfPeople reads from the decision page what remains of a person with an account, as table.column: the rows "| `table` | `column`, … | reason |".
func remainingOfPeople(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../docs/decisions/0091-erasure.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			for column := range strings.SplitSeq(cells[2], ",") {
				all[strings.Trim(cells[1], " `")+"."+strings.Trim(column, " `")] = true
			}
		}
	}
	return all
}
