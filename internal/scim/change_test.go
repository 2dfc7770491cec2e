package scim

import (
	"encoding/json"
	"reflect"
	"slices"
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
