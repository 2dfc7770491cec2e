package scim

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	filter "github.com/scim2/filter-parser/v2"

	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/identity"
	"segel/internal/sso"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
)

// observedStore is a database whose settings of logins give roles by groups, and that tells a test what happens.
type observedStore struct {
	*sqlstore.Store
	roles     []contract.GroupRole
	committed func()         // after each commit of a group
	failing   error          // of the deletion of groups
	fails     error          // of reading users after the commit of a group
	members   int            // how many members of groups were read
	down      bool           // a group was committed, and fails is set
	read      map[string]int // how often settings and users were read
}

func (o *observedStore) SSO(_ context.Context, of contract.OrganisationID) (contract.SSO, error) {
	o.read["settings"]++
	s := contract.SSO{Organisation: of}
	s.Groups = o.roles
	return s, nil
}

func (o *observedStore) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	o.read[string(id)]++
	if o.down {
		return store.User{}, o.fails
	}
	return o.Store.User(ctx, id)
}

func (o *observedStore) SCIMGroups(ctx context.Context, q store.SCIMGroupQuery) ([]store.SCIMGroup, error) {
	all, err := o.Store.SCIMGroups(ctx, q)
	for _, g := range all {
		o.members += len(g.Members)
	}
	return all, err
}

func (o *observedStore) SetSCIMGroup(ctx context.Context, g store.SCIMGroup, e contract.Event) error {
	err := o.Store.SetSCIMGroup(ctx, g, e)
	o.down = o.fails != nil
	o.committed()
	return err
}

func (o *observedStore) DeleteSCIMGroup(ctx context.Context, of contract.OrganisationID, id string, e contract.Event) error {
	if o.failing != nil {
		return o.failing
	}
	err := o.Store.DeleteSCIMGroup(ctx, of, id, e)
	o.committed()
	return err
}

// stage is an organisation with a directory, whose group Legal gives the role of an auditor.
type stage struct {
	t      *testing.T
	db     *observedStore
	of     contract.OrganisationID
	handle Handler
	people []contract.PersonID
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db, err := sqlstore.Open(t.Context(), storetest.SQLite(t, sqlstore.Migrate), sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	accounts := identity.New(identity.Options{
		Store: db, Clock: time.Now, Random: rand.Reader, PublicURL: "https://segel.contoh.id", FactorKey: [32]byte{7}, LinkKey: [32]byte{8}, Sealer: sealer, Cost: identity.Cost{Memory: 8, Passes: 1, Threads: 1},
	})
	s := &stage{t: t, db: &observedStore{Store: db, roles: []contract.GroupRole{{Group: "Legal", Role: contract.RoleAuditor}}, committed: func() {}, read: map[string]int{}}}
	for _, name := range []string{"admin", "siti", "budi", "dewi"} {
		role := contract.RoleMember
		if name == "admin" {
			role = contract.RoleAdmin
		}
		u, err := accounts.AddUser(t.Context(), identity.NewUser{Name: name, Email: name + "@contoh.id", Password: "kata sandi yang panjang", Organisation: "PT Contoh", Role: role})
		if err != nil {
			t.Fatal(err)
		}
		s.of = u.Account.Organisation
		s.people = append(s.people, u.Account.ID)
	}
	s.people = s.people[1:]
	log := slog.New(slog.DiscardHandler)
	roles := &sso.Service{Store: s.db, Accounts: accounts, Clock: time.Now, Random: rand.Reader, Log: log}
	s.handle, err = (&Service{Store: s.db, Accounts: accounts, Roles: roles, PublicURL: "https://segel.contoh.id", Clock: time.Now, Log: log}).NewHandler()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// send sends a request whose client leaves when the next group is committed, and returns the status and the body.
func (s *stage) send(method, path, body string) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	s.db.committed = cancel
	w := httptest.NewRecorder()
	s.handle(w, httptest.NewRequest(method, "/scim/v2"+path, strings.NewReader(body)).WithContext(ctx), contract.Actor{Person: contract.Person{Name: "SCIM"}, Organisation: s.of})
	return w.Code, w.Body.String()
}

// groupOf returns the group Legal as a directory states it.
func groupOf(members ...contract.PersonID) string {
	return `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Legal","members":` + valueOf(members) + `}`
}

func (s *stage) addGroup(members ...contract.PersonID) (id string) {
	s.t.Helper()
	code, body := s.send("POST", "/Groups", groupOf(members...))
	all, err := s.db.SCIMGroups(s.t.Context(), store.SCIMGroupQuery{Organisation: s.of})
	if err != nil || len(all) != 1 {
		s.t.Fatalf("%d %s: %v, %v", code, body, all, err)
	}
	return all[0].ID
}

func (s *stage) requireRoles(when string, want ...contract.AccountRole) {
	s.t.Helper()
	for i, id := range s.people {
		u, err := s.db.Store.User(s.t.Context(), id)
		if err != nil || u.Role() != want[i] {
			s.t.Errorf("%s: person %d is %s, not %s (%v)", when, i, u.Role(), want[i], err)
		}
	}
}

const (
	member  = contract.RoleMember
	auditor = contract.RoleAuditor
)

func TestRolesFollowTheCommitOfAGroupWhoseRequestEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people[0], s.people[1])
	s.requireRoles("created", auditor, auditor, member)
	s.send("PUT", "/Groups/"+id, groupOf(s.people[1], s.people[2]))
	s.requireRoles("one left", member, auditor, auditor)
	s.send("PATCH", "/Groups/"+id, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"remove","path":"members","value":`+valueOf(s.people[1:2])+`}]}`)
	s.requireRoles("another left", member, member, auditor)
	s.send("DELETE", "/Groups/"+id, "")
	s.requireRoles("deleted", member, member, member)
}

func TestAGroupIsDeletedAfterItsRolesAreTakenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people...)
	s.db.failing = context.DeadlineExceeded
	if code, body := s.send("DELETE", "/Groups/"+id, ""); code < 500 {
		t.Errorf("%d %s", code, body)
	}
	s.requireRoles("not deleted", member, member, member)
	s.db.failing = nil
	if code, body := s.send("DELETE", "/Groups/"+id, ""); code != http.StatusNoContent {
		t.Errorf("deleted again: %d %s", code, body)
	}
}

func TestThoseWhoLeaveAGroupLoseItsRoleThoughTheDatabaseFailsAfterTheCommit(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people[0], s.people[1])
	s.db.fails = context.DeadlineExceeded
	if code, body := s.send("PUT", "/Groups/"+id, groupOf(s.people[1], s.people[2])); code < 500 {
		t.Errorf("%d %s", code, body)
	}
	s.requireRoles("the database failed", member, auditor, member)
	s.db.fails, s.db.down = nil, false
	s.send("PUT", "/Groups/"+id, groupOf(s.people[1], s.people[2]))
	s.requireRoles("repeated", member, auditor, auditor)
}

func TestAChangeOfAGroupThatIsRefusedChangesNoRole(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people[0], s.people[1])
	s.send("POST", "/Groups", strings.Replace(groupOf(), "Legal", "Other", 1))
	for name, body := range map[string]string{
		"a member who is not a user": groupOf(s.people[1], "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"), "a name that is taken": strings.Replace(groupOf(s.people[1]), "Legal", "Other", 1),
	} {
		if code, answer := s.send("PUT", "/Groups/"+id, body); code < 400 || code >= 500 {
			t.Errorf("%s: %d %s", name, code, answer)
		}
		s.requireRoles(name, auditor, auditor, member)
	}
}

func TestAChangeOfAGroupReadsOnlyThoseWhoseRolesItMayChange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people[0], s.people[1])
	change := func(body string, want ...contract.PersonID) {
		t.Helper()
		s.db.read = map[string]int{}
		s.send("PUT", "/Groups/"+id, body)
		if s.db.read["settings"] > 2 { // before the commit, if a person leaves, and after it
			t.Errorf("read the settings %d times", s.db.read["settings"])
		}
		for i, p := range s.people {
			if (s.db.read[string(p)] > 0) != slices.Contains(want, p) {
				t.Errorf("read person %d %d times", i, s.db.read[string(p)])
			}
		}
	}
	change(groupOf(s.people[1], s.people[2]), s.people[0], s.people[2])
	s.requireRoles("changed", member, auditor, auditor)
	change(groupOf(s.people[1], s.people[2]), s.people[1], s.people[2]) // it may be repeated
	change(strings.Replace(groupOf(s.people[1], s.people[2]), "Legal", "Other", 1), s.people[1], s.people[2])
	s.requireRoles("renamed", member, member, member)
}

func TestAUserWhoIsReplacedWithoutActiveStaysAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	put := func(active string) {
		t.Helper()
		if code, body := s.send("PUT", "/Users/"+string(s.people[0]), `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"siti@contoh.id","displayName":"Siti Rahma"`+active+`}`); code != http.StatusOK {
			t.Errorf("%d %s", code, body)
		}
	}
	for _, c := range []struct {
		active  string
		enabled bool
	}{{"", true}, {`,"active":false`, false}, {"", false}, {`,"active":null`, false}, {`,"active":true`, true}, {"", true}} {
		put(c.active)
		if u, err := s.db.Store.User(t.Context(), s.people[0]); err != nil || u.DisabledAt.IsZero() != c.enabled {
			t.Errorf("after %q: disabled at %v, %v", c.active, u.DisabledAt, err)
		}
	}
}

func TestTheFilterOfAListOfGroupsMakesBoundedComparisons(t *testing.T) {
	t.Parallel()
	many, members := make([]store.SCIMGroup, maxComparisons/maxMembers), manyMembers(maxMembers)
	for i := range many {
		many[i] = store.SCIMGroup{ID: "g", Name: "Legal", Members: members, MemberCount: len(members)}
	}
	h, err := (&Service{Store: listedGroups{groups: many}, PublicURL: "https://segel.contoh.id", Log: slog.New(slog.DiscardHandler)}).NewHandler()
	if err != nil {
		t.Fatal(err)
	}
	for f, refused := range map[string]bool{
		`members[value sw "x"]`:                        true,
		`not (members[value sw "x"])`:                  true,
		`displayName eq "Legal" or members pr`:         true,
		`members.value eq "x"`:                         true,
		`displayName eq "other"`:                       false,
		`externalId eq "x" and displayName sw "other"`: false,
	} {
		e, err := filter.ParseFilter([]byte(f))
		if err != nil {
			t.Fatal(err)
		}
		if err := requireBoundedFilter(e, many); (err != nil) != refused {
			t.Errorf("%s: %v", f, err)
		}
	}
	w := httptest.NewRecorder()
	h(w, httptest.NewRequest("GET", "/scim/v2/Groups?filter="+url.QueryEscape(`members[value sw "x"]`), nil), contract.Actor{})
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "tooMany") {
		t.Errorf("a list: %d %.200s", w.Code, w.Body)
	}
}

func TestMembersOfGroupsAreReadForAnswersThatHaveThem(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.addGroup(s.people[0], s.people[1])
	s.send("POST", "/Groups", strings.Replace(groupOf(s.people...), "Legal", "Other", 1))
	legal := url.QueryEscape(`displayName eq "Legal"`)
	version := regexp.MustCompile(`W/\\"[0-9a-f]+\\"`)
	states := map[string]bool{}
	for path, want := range map[string]struct{ read, shown int }{
		"/Groups?excludedAttributes=members":                 {0, 0},
		"/Groups?attributes=displayName":                     {0, 0},
		"/Groups?excludedAttributes=members&filter=" + legal: {0, 0},
		"/Groups?filter=" + legal:                            {2, 2},
		"/Groups?count=1&startIndex=3":                       {0, 0},
		"/Groups":                                            {5, 5},
		"/Groups?excludedAttributes=members&filter=" + url.QueryEscape(`members pr`): {5, 0},
		"/Groups/" + id + "?excludedAttributes=members":                              {0, 0},
		"/Groups/" + id: {2, 2},
		"/Groups?excludedAttributes=members&filter=" + url.QueryEscape(`id eq "`+id+`"`):   {0, 0},
		"/Groups?filter=" + url.QueryEscape(`members[value eq "`+string(s.people[2])+`"]`): {8, 3},
	} {
		s.db.members = 0
		code, body := s.send("GET", path, "")
		if shown := strings.Count(body, `"type":"User"`); code != http.StatusOK || s.db.members != want.read || shown != want.shown {
			t.Errorf("%s reads %d members and shows %d, want %v: %d %.300s", path, s.db.members, shown, want, code, body)
		}
		if strings.Contains(path, "/Groups/") {
			states[version.FindString(body)] = true
		}
	}
	if len(states) != 1 || states[""] {
		t.Errorf("versions with and without members: %v", states)
	}
}

func TestAFilterThatComparesAnAttributeOfSeveralPartsIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.addGroup(s.people...)
	for f, want := range map[string]int{
		`/Groups members eq "x"`: 400, `/Groups displayName eq "no" or not (members eq "x")`: 400, `/Groups members pr`: 200, `/Groups members[value eq "x"]`: 200, `/Groups members.value eq "x"`: 200,
		`/Users name eq "x"`: 400, `/Users emails co "x"`: 400, `/Users name.givenName eq "x"`: 200, `/Users emails[value eq "x"]`: 200, `/Users manager eq "x"`: 400,
	} {
		path, f, _ := strings.Cut(f, " ")
		if code, body := s.send("GET", path+"?filter="+url.QueryEscape(f), ""); code != want {
			t.Errorf("%s: %d %.200s", f, code, body)
		}
	}
}

func TestAPageOfGroupsHasABoundedNumberOfMembers(t *testing.T) {
	t.Parallel()
	many := make([]store.SCIMGroup, maxListed/maxMembers+1)
	for i := range many {
		many[i] = store.SCIMGroup{ID: strconv.Itoa(i), Name: strconv.Itoa(i), MemberCount: maxMembers}
	}
	h, err := (&Service{Store: listedGroups{groups: many}, PublicURL: "https://segel.contoh.id", Log: slog.New(slog.DiscardHandler)}).NewHandler()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"": http.StatusBadRequest, "?count=10": http.StatusOK, "?excludedAttributes=members": http.StatusOK} {
		w := httptest.NewRecorder()
		h(w, httptest.NewRequest("GET", "/scim/v2/Groups"+query, nil), contract.Actor{})
		if w.Code != want {
			t.Errorf("%q: %d %.200s", query, w.Code, w.Body)
		}
	}
}

// listedGroups is a store that only lists groups.
type listedGroups struct {
	Store
	groups []store.SCIMGroup
}

func (l listedGroups) SCIMGroups(context.Context, store.SCIMGroupQuery) ([]store.SCIMGroup, error) {
	return l.groups, nil
}
