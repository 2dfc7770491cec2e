package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
)

const organisationsPath = "/v1/admin/organisations"

// TestASuspendedOrganisationIsRefusedEverything runs every operation that needs a token as the people, the API keys, the guests and the directory of an
// organisation that is suspended, and of one that is closed: all answer 403 and say why, except logging out. Its embedded pages have ended: their origins are not
// in force.
func TestASuspendedOrganisationIsRefusedEverything(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator := s.administrator(t, "Operator", "")
	for _, c := range []struct{ organisation, change, code string }{
		{"PT Henti", "suspended", "organisation.suspended"}, {"PT Tutup", "closed", "organisation.closed"},
	} {
		admin, member := s.administrator(t, "Admin "+c.organisation, c.organisation), s.personAs(t, contract.RoleMember, "Member "+c.organisation, c.organisation)
		id := admin.uploadWith(object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}}, simple())
		admin.verb("finalize-docs", id).ok()
		guest := admin.guest(id, guestOf(admin, id))
		key, keyID := admin.keyWith(nil, contract.KeyScopes...)
		oauth := &client{service: s, t: t, token: s.keyToken(t, keyID, key.token, "").ok().object()["access_token"].(string)}
		of := organisationIDOf(t, s, admin)
		admin.listOrigins(outerPage)
		page, directory := admin.embedded(t, id, "view"), newDirectory(t, admin)
		page.get("detail", id).ok()
		directory.ask("GET", "/Users", nil).ok()
		operator.do("PUT", fmt.Sprint(organisationsPath, "/", of, "/", c.change), object{"name": c.organisation}).ok()

		actors := map[string]*client{"admin": admin, "member": member, "guest": guest, "API key": key, "access token of an API key": oauth}
		checked := 0
		for _, op := range api.Operations() {
			if isDirectory(op) {
				directory.ask(op.Method, strings.TrimPrefix(op.Path, directoryPath), nil).is(http.StatusForbidden, "urn:ietf:params:scim:api:messages:2.0:Error")
			}
			if op.Open || op.ID == "metrics" {
				continue
			}
			call(page, op, id).is(http.StatusUnauthorized, "auth.required")
			if op.ID == "logout" {
				continue
			}
			for who, actor := range actors {
				body := any(nil)
				if op.Method == http.MethodPost || op.Method == http.MethodPut {
					body = object{}
				}
				path := strings.NewReplacer("{service}", "layanan", "{document_id}", fmt.Sprint(id)).Replace(op.Path)
				if a := actor.do(op.Method, path, body); a.status != http.StatusForbidden || !strings.Contains(string(a.body), c.code) {
					t.Errorf("%s %s as the %s of one that is %s: %d: %.200s", op.Method, op.Path, who, c.change, a.status, a.body)
				}
				checked++
			}
		}
		if checked < 5*100 {
			t.Errorf("only %d combinations were checked", checked)
		}
		// A right password is told why; a wrong one is told no more than before.
		login := func(password string) *answer {
			return (&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": admin.email, "password": password})
		}
		login(password).is(http.StatusForbidden, c.code)
		login("bukan kata sandinya").is(http.StatusBadRequest, "auth.wrong_credentials")
		(&client{service: s, t: t}).do("POST", "/v1/auth/session", object{"email": admin.email, "password": password}).is(http.StatusForbidden, c.code)
		s.keyToken(t, keyID, key.token, "").is(http.StatusUnauthorized)
		member.do("POST", "/v1/auth/logout", object{}).ok()
		member.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	}
}

// TestWhatASuspendedOrganisationOrderedIsFinished suspends an organisation between the last signature and the stamps, and resumes it: nothing is
// lost, and the tokens and links of before work again.
func TestWhatASuspendedOrganisationOrderedIsFinished(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data, idle: true}.start(t)
	operator, owner := s.administrator(t, "Operator", ""), s.person(t, "Pemilik", "PT Henti")
	guests := object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "viewer", "number": 2}}, "signer": []object{owner.as("signer", 1)}}
	id := owner.uploadWith(guests, simple())
	owner.place(id, owner.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	link := owner.verb("guest-link-docs", id, "user_id", guestOf(owner, id)).ok().object("response", "data")["url"].(string)
	owner.verb("sign-docs", id).ok()
	path := fmt.Sprint(organisationsPath, "/", organisationIDOf(t, s, owner), "/suspended")
	operator.do("PUT", path, object{"reason": "Tagihan belum dibayar"}).ok()
	s.stop()

	s = starting{data: data}.start(t) // which runs the jobs
	operator, owner = operator.on(s), owner.on(s)
	anybody := &client{service: s, t: t}
	deadline := time.Now().Add(time.Minute)
	for {
		d, err := s.store.Document(t.Context(), docID(id))
		if err != nil {
			t.Fatal(err)
		}
		if d.State == contract.Completed {
			break
		}
		if d.State != contract.Processing || time.Now().After(deadline) {
			t.Fatalf("the document is %s: %s", d.State, d.Reason)
		}
		time.Sleep(20 * time.Millisecond)
	}
	owner.get("detail", id).is(http.StatusForbidden, "organisation.suspended")
	anybody.do("POST", "/v1/auth/guest", object{"link": link}).is(http.StatusForbidden, "organisation.suspended")
	operator.do("DELETE", path, nil).ok()
	file := owner.download(id)
	guest := s.openLink(t, link)
	guest.get("detail", id).ok()
	serial := owner.get("detail", id).ok().object("data")["serial_number"].([]any)[0].(string)

	operator.do("PUT", strings.Replace(path, "suspended", "closed", 1), object{"name": "pt henti"}).is(http.StatusUnprocessableEntity, "organisation.other_name")
	operator.do("PUT", strings.Replace(path, "suspended", "closed", 1), object{"name": "PT Henti", "reason": "likuidasi"}).ok()
	guest.get("detail", id).is(http.StatusForbidden, "organisation.closed")
	operator.do("DELETE", path, nil).is(http.StatusConflict, "organisation.ended")
	operator.do("PUT", strings.Replace(path, "suspended", "name", 1), object{"name": "PT Lanjut"}).is(http.StatusConflict, "organisation.ended")
	// What it signed can be verified, and operators see what it did.
	report := anybody.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(file)})
	if !strings.Contains(string(report.ok().body), serial) {
		t.Errorf("the report does not name the serial: %.300s", report.body)
	}
	anybody.do("GET", "/v1/verify/serial/"+serial, nil).ok()
	listed := operator.do("GET", organisationsPath+"?search=henti", nil).ok().object("data")["organisations"].([]any)[0].(object)
	if listed["state"] != "closed" || listed["reason"] != "likuidasi" || listed["changed_at"] == nil {
		t.Errorf("the list says %v", listed)
	}
	var said []string
	for _, e := range operator.do("GET", "/v1/admin/audit-log?organisation="+string(organisationIDOf(t, s, owner)), nil).ok().object("data")["events"].([]any) {
		if e, _ := e.(object)["type"].(string); strings.HasPrefix(e, "organisation_") {
			said = append(said, e)
		}
	}
	if want := []string{"organisation_closed", "organisation_resumed", "organisation_suspended"}; !slices.Equal(said, want) {
		t.Errorf("the log says %q, want %q", said, want)
	}
}

// TestOperatorsCreateOrganisationsAndKeepTheirOwn creates an organisation with its first admin, and refuses to suspend the one that runs the service.
func TestOperatorsCreateOrganisationsAndKeepTheirOwn(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator := s.administrator(t, "Operator", "")
	made := operator.do("POST", organisationsPath, object{"name": " PT  Baru "}).ok().object("response", "data")["organisation"].(object)
	if made["name"] != "PT Baru" || made["state"] != "active" || made["changed_at"] != nil {
		t.Errorf("made %v", made)
	}
	operator.do("POST", organisationsPath, object{"name": "PT Baru"}).is(http.StatusConflict, "organisation.exists")
	operator.do("POST", organisationsPath, object{"name": " "}).is(http.StatusUnprocessableEntity, "value.required")
	operator.do("POST", "/v1/admin/people", object{"organisation": made["id"], "email": "admin@baru.example.test", "role": "admin"}).ok()
	other := s.person(t, "Lain", "PT Lain")
	operator.do("PUT", fmt.Sprint(organisationsPath, "/", made["id"], "/name"), object{"name": "PT Lain"}).is(http.StatusConflict, "organisation.exists")
	operator.do("PUT", fmt.Sprint(organisationsPath, "/", organisationIDOf(t, s, other), "/name"), object{"name": "PT Lain Lagi"}).ok()
	own := fmt.Sprint(organisationsPath, "/", organisationIDOf(t, s, operator))
	first, err := s.store.FirstOrganisation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	operator.do("PUT", own+"/suspended", object{}).is(http.StatusConflict, "organisation.first")
	operator.do("PUT", own+"/closed", object{"name": first.Name}).is(http.StatusConflict, "organisation.first")
	operator.do("DELETE", fmt.Sprint(organisationsPath, "/", made["id"], "/suspended"), nil).ok() // changes nothing
}
