package scim

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	protocol "github.com/elimity-com/scim"
	filter "github.com/scim2/filter-parser/v2"

	"segel/internal/contract"
	"segel/internal/store"
)

// operation returns an operation as the library hands it over.
func operation(t testing.TB, op, path, value string) (o protocol.PatchOperation, ok bool) {
	t.Helper()
	o.Op = op
	if path != "" {
		p, err := filter.ParsePath([]byte(path))
		if err != nil {
			return o, false
		}
		o.Path = &p
	}
	if value != "" && json.Unmarshal([]byte(value), &o.Value) != nil {
		return o, false
	}
	return o, true
}

func TestMembersAreAddedRemovedAndReplacedAsDirectoriesWriteIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		op, path, value string
		want            []contract.PersonID
	}{
		"one more":                 {"add", "members", `[{"value":"d"},{"value":"a"}]`, []contract.PersonID{"a", "b", "c", "d"}},
		"removed by value":         {"remove", "members", `[{"value":"b"}]`, []contract.PersonID{"a", "c"}},
		"removed by filter":        {"remove", `members[value eq "b"]`, "", []contract.PersonID{"a", "c"}},
		"removed by filter, none":  {"remove", `members[value eq "x"]`, "", []contract.PersonID{"a", "b", "c"}},
		"removed by a long filter": {"remove", `members[value eq "a" or value eq "c"]`, "", []contract.PersonID{"b"}},
		"all removed":              {"remove", "members", "", nil},
		"none removed":             {"remove", "members", "[]", []contract.PersonID{"a", "b", "c"}},
		"replaced":                 {"replace", "members", `[{"value":"z","display":"Z"},{"value":"z"}]`, []contract.PersonID{"z"}},
		"replaced without a path":  {"replace", "", `{"displayName":"Hukum","members":[{"value":"z"}]}`, []contract.PersonID{"z"}},
	} {
		o, ok := operation(t, c.op, c.path, c.value)
		if !ok {
			t.Fatal(name)
		}
		was := []contract.PersonID{"a", "b", "c"}
		g := store.SCIMGroup{Name: "Legal", Members: was}
		for _, change := range changesOf([]protocol.PatchOperation{o}) {
			if err := (groups{}).setAttribute(&g, change); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !slices.Equal(g.Members, c.want) || !slices.Equal(was, []contract.PersonID{"a", "b", "c"}) {
			t.Errorf("%s: %v, and before %v", name, g.Members, was)
		}
	}
}

// manyMembers returns n members, sorted.
func manyMembers(n int) []contract.PersonID {
	all := make([]contract.PersonID, n)
	for i := range all {
		all[i] = contract.PersonID(fmt.Sprintf("member-%06d", i))
	}
	return all
}

// valueOf returns the value of an operation on members.
func valueOf(members []contract.PersonID) string {
	list := []map[string]any{}
	for _, m := range members {
		list = append(list, map[string]any{"value": m})
	}
	b, _ := json.Marshal(list)
	return string(b)
}

func TestChangesThatWouldTakeLongAreRefusedBeforeTheFirstIsMade(t *testing.T) {
	t.Parallel()
	const anyOf = `value sw "x" or value sw "y"` // the longest that the library reads in a path
	most := maxComparisons / (2 * maxMembers)
	repeat := func(n int, op, path, value string) (all []protocol.PatchOperation) {
		t.Helper()
		o, ok := operation(t, op, path, value)
		if !ok {
			t.Fatal(path)
		}
		for range n {
			all = append(all, o)
		}
		return all
	}
	for name, c := range map[string]struct {
		operations []protocol.PatchOperation
		members    int
		refused    bool
	}{
		"a member removed by each of 1,000 filters": {repeat(1000, "remove", `members[value eq "x"]`, ""), maxMembers, false},
		"more operations":                                {repeat(1001, "remove", `members[value eq "x"]`, ""), 1, true},
		"filters over a large group":                     {repeat(most, "remove", `members[`+anyOf+`]`, ""), maxMembers, false},
		"one more of them":                               {repeat(most+1, "remove", `members[`+anyOf+`]`, ""), maxMembers, true},
		"many of them over a small group":                {repeat(1000, "remove", `members[`+anyOf+`]`, ""), 10, false},
		"all members added":                              {repeat(1, "add", "members", valueOf(manyMembers(maxMembers))), 0, false},
		"more members named, in several operations":      {repeat(2, "add", "members", valueOf(manyMembers(maxMembers/2+1))), 0, true},
		"members added before many filters go over them": {append(repeat(1, "add", "members", valueOf(manyMembers(maxMembers))), repeat(most+1, "remove", `members[`+anyOf+`]`, "")...), 0, true},
	} {
		if err := requireBoundedWork(c.members, changesOf(c.operations)); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	g := store.SCIMGroup{Name: "Legal", Members: manyMembers(maxMembers)}
	if err := setMembers(&g, changesOf(repeat(1, "add", "members", `[{"value":"one more"}]`))[0]); err == nil {
		t.Error("a group has more members than may be stored")
	}
	if err := setMembers(&store.SCIMGroup{}, changesOf(repeat(1, "replace", "members", valueOf(manyMembers(maxMembers+1))))[0]); err == nil {
		t.Error("a group was given more members than may be stored")
	}
}

func TestOperationsAreCountedBeforeTheLibraryReadsThem(t *testing.T) {
	t.Parallel()
	h, err := (&Service{PublicURL: "https://segel.contoh.id", Log: slog.New(slog.DiscardHandler)}).NewHandler()
	if err != nil {
		t.Fatal(err)
	}
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	values := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"x%d":1,`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for name, operations := range map[string]string{
		"operations": many(1001, `{"op":"remove","path":"members[value eq \"x\"]"}`),
		"attributes": `{"op":"add","value":{` + values(1000) + `}}`,
		"both":       many(20, `{"OP":"add","Value":{`+values(50)+`}}`),
	} {
		w := httptest.NewRecorder()
		body := `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"operations":[` + operations + `]}`
		h(w, httptest.NewRequest("PATCH", "/scim/v2/Groups/x", strings.NewReader(body)), contract.Actor{})
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "tooMany") {
			t.Errorf("too many %s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestAChangeOfAGroupEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := groups{&Service{Log: slog.New(slog.DiscardHandler)}}
	changed := store.SCIMGroup{Members: manyMembers(2)}
	o, ok := operation(t, "remove", "members", "")
	if !ok {
		t.Fatal("no operation")
	}
	if err := h.applyChanges(ctx, &changed, changesOf([]protocol.PatchOperation{o})); err == nil || len(changed.Members) != 2 {
		t.Errorf("%d members are left, %v", len(changed.Members), err)
	}
	all, full := []protocol.Resource{{ID: "x"}}, []protocol.ResourceAttributes{{}}
	if page, err := h.pageOf(ctx, typeOf("Group", h), all, full, protocol.ListRequestParams{Count: 1, StartIndex: 1}); err == nil {
		t.Errorf("%v", page)
	}
}

func TestTheNameOfAnAccountIsTheOneThatWasStatedLast(t *testing.T) {
	t.Parallel()
	was := userState{userName: "siti@contoh.id", display: "Siti Rahma", formatted: "Siti Rahma", givenName: "Siti", familyName: "Rahma", active: true}
	for name, c := range map[string]struct{ op, path, value, want string }{
		"display name":         {"replace", "displayName", `"Siti A"`, "Siti A"},
		"formatted":            {"replace", "name.formatted", `"Siti B"`, "Siti B"},
		"a part":               {"replace", "name.familyName", `"Aminah"`, "Siti Aminah"},
		"both parts":           {"replace", "", `{"name":{"givenName":"Budi","familyName":"Santoso"}}`, "Budi Santoso"},
		"a dotted name":        {"replace", "", `{"name.givenName":"Sita"}`, "Sita Rahma"},
		"nothing":              {"replace", "active", `true`, "Siti Rahma"},
		"display name removed": {"remove", "displayName", ``, "Siti Rahma"},
		"another schema":       {"add", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:displayName", `"X"`, "Siti Rahma"},
	} {
		o, ok := operation(t, c.op, c.path, c.value)
		if !ok {
			t.Fatal(name)
		}
		to := was
		for _, change := range changesOf([]protocol.PatchOperation{o}) {
			if err := to.setAttribute(change); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := to.name(was); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzChanges(f *testing.F) {
	f.Add("replace", "active", `false`)
	f.Add("remove", `members[value eq "b"]`, "")
	f.Add("add", "", `{"name":{"givenName":"a"},"members":[{"value":"d"}],"urn:x:y":{}}`)
	f.Add("add", "members", `{"value":7}`)
	f.Fuzz(func(t *testing.T, op, path, value string) {
		o, ok := operation(t, op, path, value)
		if !ok {
			return
		}
		for _, c := range changesOf([]protocol.PatchOperation{o, o}) {
			u := userState{userName: "a@b.id", active: true}
			g := store.SCIMGroup{Name: "a", Members: []contract.PersonID{"a", "b"}}
			if u.setAttribute(c) == nil && u.userName == "" {
				t.Error("a user lost their address")
			}
			if (groups{}).setAttribute(&g, c) == nil && !slices.IsSorted(g.Members) {
				t.Errorf("members are %v", g.Members)
			}
			// The same change again changes nothing.
			again := g
			if (groups{}).setAttribute(&again, c) == nil && !reflect.DeepEqual(again, g) {
				t.Errorf("%+v, then %+v", g, again)
			}
		}
	})
}
