package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"segel/internal/contract"
)

// directory is the directory of an organisation, which calls as Entra ID and Okta do.
type directory struct {
	*client
	secret string
}

// newDirectory gives the organisation of an administrator a directory.
func newDirectory(t *testing.T, admin *client) *directory {
	t.Helper()
	secret := admin.do("PUT", "/v1/admin/scim/secret", object{}).ok().object("response", "data")["secret"].(string)
	return &directory{&client{service: admin.service, t: t}, secret}
}

func (d *directory) ask(method, path string, body any, header ...string) *answer {
	d.t.Helper()
	if text, ok := body.(string); ok {
		body = []byte(text)
	}
	return d.do(method, "/scim/v2"+path, body, append([]string{"Authorization", "Bearer " + d.secret, "Content-Type", "application/scim+json"}, header...)...)
}

// list returns the resources that a filter selects.
func (d *directory) list(kind, filter string) []any {
	d.t.Helper()
	return d.ask("GET", "/"+kind+"?filter="+url.QueryEscape(filter), nil).ok().object()["Resources"].([]any)
}

// addGroup creates a group and returns its identifier.
func (d *directory) addGroup(name string, members ...string) string {
	d.t.Helper()
	all := []object{}
	for _, m := range members {
		all = append(all, object{"value": m})
	}
	return d.ask("POST", "/Groups", object{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "displayName": name, "members": all}).is(http.StatusCreated).object()["id"].(string)
}

const patchOp = `"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":`

// The requests have the shapes that Microsoft documents for Entra ID: names of operations are capitalised, booleans are texts, members are removed by value.
func TestEntraIDProvisionsAccountsAndGroups(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, object{"groups": []object{{"group": "g-object-id", "role": "auditor"}}})
	d := newDirectory(t, g.admin)

	// The connection test asks for a user who cannot exist.
	if found := d.list("Users", `userName eq "7a85c0a5-6a7e-4c4c-9a5e-b7f2c7f0a1de"`); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	made := d.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
		"externalId":"siti","userName":"Siti.R@contoh.id","active":true,"displayName":"Siti Rahma","emails":[{"primary":true,"type":"work","value":"siti.r@contoh.id"}],
		"meta":{"resourceType":"User"},"name":{"formatted":"Siti Rahma","familyName":"Rahma","givenName":"Siti"},"roles":[],
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Hukum"}}`).is(http.StatusCreated)
	user := made.object()
	id := user["id"].(string)
	if made.header.Get("Location") != user["meta"].(object)["location"] || made.header.Get("Etag") == "" || made.header.Get("Content-Type") != "application/scim+json" || user["externalId"] != "siti" || user["active"] != true {
		t.Errorf("created %s with %v", made.body, made.header)
	}
	if role := user["roles"].([]any)[0].(object)["value"]; role != "member" {
		t.Errorf("a new user in no group is %v", role)
	}
	g.admin.do("POST", "/v1/admin/invitations", object{"email": "undangan@contoh.id", "role": "auditor"}).ok()
	invited := d.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"undangan@contoh.id"}`).is(http.StatusCreated).object()
	if role := invited["roles"].([]any)[0].(object)["value"]; role != "auditor" {
		t.Errorf("an invited auditor is %v", role)
	}
	d.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"siti.R@contoh.id"}`).is(http.StatusConflict, "uniqueness")
	for _, filter := range []string{`userName eq "SITI.r@contoh.id"`, `externalId eq "siti"`, `emails[type eq "work" and value eq "Siti.R@contoh.id"]`, `userName sw "Siti" and active eq true`, `id eq "` + id + `"`} {
		if found := d.list("Users", filter); len(found) != 1 {
			t.Errorf("%s found %v", filter, found)
		}
	}
	d.ask("PATCH", "/Users/"+id, `{`+patchOp+`[{"op":"Replace","path":"displayName","value":"Siti Aminah"},{"op":"Add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"Pajak"},
		{"op":"Replace","path":"emails[type eq \"work\"].value","value":"lain@contoh.id"}]}`).ok()
	if u := d.ask("GET", "/Users/"+id, nil).ok().object(); u["displayName"] != "Siti Aminah" || u["userName"] != "Siti.R@contoh.id" {
		t.Errorf("patched %v", u)
	}
	d.ask("PATCH", "/Users/"+id, `{`+patchOp+`[{"op":"Replace","path":"userName","value":"lain@contoh.id"}]}`).is(http.StatusBadRequest, "mutability")

	group := d.ask("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"externalId":"g-object-id","displayName":"Legal","meta":{"resourceType":"Group"}}`).is(http.StatusCreated).object()["id"].(string)
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"Add","path":"members","value":[{"$ref":null,"value":"`+id+`"}]}]}`).ok()
	roleOf := func(want string) {
		t.Helper()
		if u := d.ask("GET", "/Users/"+id, nil).ok().object(); u["roles"].([]any)[0].(object)["value"] != want {
			t.Errorf("roles are %v, not %s", u["roles"], want)
		}
	}
	roleOf("auditor")
	g.admin.do("PUT", "/v1/admin/people/"+id+"/role", object{"role": "sender"}).ok()
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"Remove","path":"members","value":[{"$ref":null,"value":"`+id+`"}]}]}`).ok()
	roleOf("sender") // an administrator gave it
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"Add","path":"members","value":[{"$ref":null,"value":"`+id+`"}]}]}`).ok()
	roleOf("auditor")
	shown := g.admin.do("GET", "/v1/admin/scim", nil).ok().object("data")
	if one := shown["groups"].([]any)[0].(object); one["name"] != "Legal" || one["role"] != "auditor" || one["members"] != 1.0 || shown["last_used_at"] == nil || strings.Contains(string(made.body), d.secret) {
		t.Errorf("shown as %v", shown)
	}
	if found := d.ask("GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(`displayName eq "legal"`), nil).ok().object()["Resources"].([]any); len(found) != 1 || found[0].(object)["members"] != nil {
		t.Errorf("found %v", found)
	}
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"Remove","path":"members","value":[{"$ref":null,"value":"`+id+`"}]}]}`).ok()
	roleOf("member")

	// Disabling ends what is open, at once; a login afterwards is refused.
	browser := newBrowser(t, g.service)
	g.p.Set(func() { g.p.Claims = object{"email": "siti.r@contoh.id", "sub": "siti-2"} })
	if at := browser.logIn(g.p, g.of, "siti.r@contoh.id"); at != "/sent" || browser.me() == nil {
		t.Fatalf("sent to %s", at)
	}
	by := contract.Actor{Person: contract.Person{ID: contract.PersonID(id), Name: "Siti Aminah", Email: "siti.r@contoh.id"}, Organisation: organisationIDOf(t, g.service, g.admin)}
	_, secret, err := g.identity.CreateKey(t.Context(), by, contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	key := &client{service: g.service, t: t, token: secret}
	key.do("GET", "/v1/auth/me", nil).ok()
	d.ask("PATCH", "/Users/"+id, `{`+patchOp+`[{"op":"Replace","path":"active","value":"False"}]}`).ok()
	if browser.me() != nil {
		t.Error("a session outlived its account")
	}
	key.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	if at := browser.logIn(g.p, g.of, "siti.r@contoh.id"); at != refusal("sso.account_disabled") {
		t.Errorf("sent to %s", at)
	}
	d.ask("PATCH", "/Users/"+id, `{`+patchOp+`[{"op":"Replace","path":"active","value":"True"}]}`).ok()

	// What it deleted does not exist to it, until it is created again as the same account.
	d.ask("DELETE", "/Users/"+id, nil).is(http.StatusNoContent)
	for _, method := range []string{"GET", "DELETE"} {
		d.ask(method, "/Users/"+id, nil).is(http.StatusNotFound)
		d.ask(method, "/Nothing/"+id, nil).is(http.StatusNotFound)
	}
	again := d.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"siti.r@contoh.id","displayName":"Siti"}`).is(http.StatusCreated).object()
	if again["id"] != id || again["active"] != true {
		t.Errorf("created again as %v", again)
	}

	// A suspended organisation's directory changes nothing.
	g.operator.do("PUT", fmt.Sprint(organisationsPath, "/", g.of, "/suspended"), object{"reason": "Tagihan belum dibayar"}).ok()
	for _, method := range []string{"GET", "DELETE"} {
		d.ask(method, "/Users/"+id, nil).is(http.StatusForbidden)
	}
}

// The requests have the shapes that Okta documents: users are replaced, members are removed by a filter in the path.
func TestOktaProvisionsAccountsAndGroups(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, object{"groups": []object{{"group": "Auditor Internal", "role": "auditor"}}})
	d := newDirectory(t, g.admin)
	if page := d.ask("GET", "/Users?filter="+url.QueryEscape(`userName eq "budi@contoh.id"`)+"&startIndex=1&count=100", nil).ok().object(); page["totalResults"] != 0.0 || page["startIndex"] != 1.0 {
		t.Errorf("the first query is answered %v", page)
	}
	add := func(email, given string) string {
		t.Helper()
		return d.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"`+email+`","name":{"givenName":"`+given+`","familyName":"Santoso"},
			"emails":[{"primary":true,"value":"`+email+`","type":"work"}],"displayName":"`+given+` Santoso","locale":"id-ID","externalId":"00u`+given+`","groups":[],"password":"1mz050nq","active":true}`).is(http.StatusCreated).object()["id"].(string)
	}
	one, two := add("budi@contoh.id", "Budi"), add("tono@contoh.id", "Tono")
	replaced := d.ask("PUT", "/Users/"+one, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":"`+one+`","userName":"budi@contoh.id","name":{"givenName":"Budiman","middleName":"","familyName":"Santoso"},
		"emails":[{"primary":true,"value":"budi@contoh.id","type":"work","display":"budi@contoh.id"}],"active":true,"groups":[],"meta":{"resourceType":"User"}}`).ok().object()
	if replaced["displayName"] != "Budiman Santoso" || replaced["externalId"] != nil {
		t.Errorf("replaced by %v", replaced)
	}
	group := d.ask("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Auditor","members":[]}`).is(http.StatusCreated).object()["id"].(string)
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"add","path":"members","value":[{"value":"`+one+`","display":"budi@contoh.id"},{"value":"`+two+`"}]}]}`).ok()
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"replace","value":{"id":"`+group+`","displayName":"Auditor Internal"}}]}`).ok()
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"remove","path":"members[value eq \"`+two+`\"]"}]}`).ok()
	got := d.ask("GET", "/Groups/"+group, nil).ok()
	if members := got.object()["members"].([]any); len(members) != 1 || members[0].(object)["value"] != one {
		t.Errorf("members are %v", members)
	}
	for id, want := range map[string]string{one: "auditor", two: "member"} {
		if u := d.ask("GET", "/Users/"+id, nil).ok().object(); u["roles"].([]any)[0].(object)["value"] != want {
			t.Errorf("%s: roles are %v", id, u["roles"])
		}
	}
	// A change of a state that was changed since is refused.
	version := got.header.Get("Etag")
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"replace","path":"members","value":[{"value":"`+two+`"}]}]}`, "If-Match", version).ok()
	d.ask("PATCH", "/Groups/"+group, `{`+patchOp+`[{"op":"remove","path":"members"}]}`, "If-Match", version).is(http.StatusPreconditionFailed)
	d.ask("PATCH", "/Users/"+two, `{`+patchOp+`[{"op":"replace","value":{"active":false}}]}`).ok()
	if found := d.list("Users", "active eq false"); len(found) != 1 {
		t.Errorf("disabled are %v", found)
	}
	page := d.ask("GET", "/Users?startIndex=2&count=1", nil).ok().object()
	if page["totalResults"].(float64) < 3 || len(page["Resources"].([]any)) != 1 || page["startIndex"] != 2.0 {
		t.Errorf("the second page is %v", page)
	}
	d.ask("DELETE", "/Groups/"+group, nil).is(http.StatusNoContent)
	d.ask("GET", "/Groups/"+group, nil).is(http.StatusNotFound)
}

func TestADirectoryKnowsItsOwnOrganisationOnly(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	other := g.administrator(t, "Admin Dua", "PT Dua")
	ours, theirs := newDirectory(t, g.admin), newDirectory(t, other)
	foreign := theirs.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"siti@contoh.id"}`).is(http.StatusCreated).object()["id"].(string)
	group := theirs.ask("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Legal"}`).is(http.StatusCreated).object()["id"].(string)
	// An address that another organisation has is free here.
	ours.ask("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"siti@contoh.id"}`).is(http.StatusCreated)
	mine := ours.ask("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Legal"}`).is(http.StatusCreated).object()["id"].(string)
	const none = "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"
	disable := `{` + patchOp + `[{"op":"replace","path":"active","value":false}]}`
	for kind, id := range map[string]string{"Users": foreign, "Groups": group} {
		for method, body := range map[string]any{
			"GET": nil, "DELETE": nil, "PATCH": disable,
			"PUT": `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:` + strings.TrimSuffix(kind, "s") + `"],"userName":"siti@contoh.id","displayName":"x"}`,
		} {
			if kind == "Groups" && method == "PATCH" {
				body = `{` + patchOp + `[{"op":"remove","path":"members"}]}`
			}
			got, want := ours.ask(method, "/"+kind+"/"+id, body).is(http.StatusNotFound), ours.ask(method, "/"+kind+"/"+none, body).is(http.StatusNotFound)
			if strings.ReplaceAll(string(got.body), id, none) != string(want.body) {
				t.Errorf("%s %s: %s, but for one that does not exist %s", method, kind, got.body, want.body)
			}
		}
	}
	// Nor is a member of another organisation told from one that does not exist.
	for _, id := range []string{foreign, none} {
		ours.ask("PATCH", "/Groups/"+mine, `{`+patchOp+`[{"op":"add","path":"members","value":[{"value":"`+id+`"}]}]}`).is(http.StatusBadRequest, "invalidValue")
	}
	theirs.ask("GET", "/Users/"+foreign, nil).ok()

	// The last administrator stays, whatever a directory says.
	for _, u := range ours.list("Users", "active eq true") {
		if u := u.(object); u["userName"] == g.admin.email {
			ours.ask("PATCH", "/Users/"+u["id"].(string), disable).is(http.StatusBadRequest, "mutability")
			ours.ask("DELETE", "/Users/"+u["id"].(string), nil).is(http.StatusBadRequest, "mutability")
		}
	}
	g.admin.do("GET", "/v1/auth/me", nil).ok()

	// Secrets: of others, replaced, revoked, or of another kind.
	former := *ours
	ours = newDirectory(t, g.admin)
	ours.ask("GET", "/Users", nil).ok()
	for _, secret := range []string{former.secret, "", "x", g.admin.token, withAnotherLetter(ours.secret)} {
		former.secret = secret
		if got := former.ask("GET", "/Users", nil).is(http.StatusUnauthorized); !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%v", got.header)
		}
	}
	g.admin.do("DELETE", "/v1/admin/scim/secret", nil).ok()
	ours.ask("GET", "/Users", nil).is(http.StatusUnauthorized)
	// The secret is none of the other interface.
	(&client{service: g.service, t: t, token: theirs.secret}).do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	// Bad requests are refused as the protocol says, without asking the database much.
	for path, want := range map[string]string{
		"/Users?filter=" + url.QueryEscape("userName eq"): "invalidFilter", "/Users?filter=" + url.QueryEscape(strings.Repeat("(", 30)): "invalidFilter", "/Users?filter=" + strings.Repeat("a", 3000): "invalidFilter",
		"/Users?count=x": "count",
	} {
		theirs.ask("GET", path, nil).is(http.StatusBadRequest)
		if got := theirs.ask("GET", path, nil); !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	deep := strings.Repeat("(", 100_000)
	for _, body := range []string{`[{"op":"remove","path":"members[` + deep + `"}]`, `[{"op":"add","value":{"` + deep + `":1}}]`} {
		theirs.ask("PATCH", "/Users/"+foreign, `{`+patchOp+body+`}`).is(http.StatusBadRequest, "invalidPath")
	}
	theirs.ask("PATCH", "/Users/"+foreign, `{`+patchOp+`[{"op":"remove","path":"members[`+deep+`"}]}x`).is(http.StatusBadRequest, "invalidSyntax")
	for _, path := range []string{"/ServiceProviderConfig", "/Schemas", "/ResourceTypes", "/ResourceTypes/User", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User"} {
		theirs.ask("GET", path, nil).ok()
	}
}
