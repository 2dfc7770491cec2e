package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
)

// templates returns the titles of the caller's templates, in the order of the list.
func (c *client) templates(query string) []string {
	c.t.Helper()
	titles := []string{}
	for _, item := range c.do("GET", documentPath+"templates?"+query, nil).ok().object("data")["templates"].([]any) {
		titles = append(titles, item.(object)["document_title"].(string))
	}
	return titles
}

// placeholderOf returns the identifier of the placeholder of a document with that name.
func (c *client) placeholderOf(id int64, name string) string {
	c.t.Helper()
	p := c.partIn(id, name)
	if p["placeholder"] != true {
		c.t.Fatalf("%s is not a placeholder: %v", name, p)
	}
	return p["user_id"].(string)
}

func TestATeamUsesATemplateAndFillsItsRoles(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		owner, sender, reader := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu"), s.personAs(t, contract.RoleMember, "Pembaca", "PT Satu")
		first, tenant, colleague, other := s.person(t, "Siti Rahma", "PT Satu"), s.person(t, "Budi Santoso", "PT Satu"), s.person(t, "Kolega", "PT Satu"), s.person(t, "Lain", "PT Dua")
		team := s.newTeam(t, organisationIDOf(t, s, owner), owner, sender, reader)
		draft := owner.uploadWith(object{"document_title": "Sewa", "expired_at": "2099-01-01T00:00:00Z", "message": "Mohon dibaca.", "signer": []object{first.as("signer", 1), tenant.as("signer", 2)}}, simple())
		owner.place(draft, first.at("sign", 100, 100, 260, 160), tenant.at("sign", 300, 100, 460, 160)).ok()

		owner.verb("template-docs", draft, "placeholders", []object{{"user_id": other.id, "name": "Penyewa"}}).is(http.StatusUnprocessableEntity)
		sender.verb("template-docs", draft).is(http.StatusNotFound)
		template := idOf(owner.verb("template-docs", draft, "document_title", "Templat sewa", "placeholders", []object{{"user_id": tenant.id, "name": "Penyewa"}}))
		fsck(t, s, 0) // while the document with the last number is a template
		for _, c := range []*client{sender, reader, colleague, first, other} {
			c.get("detail", template).is(http.StatusNotFound)
			c.verb("use-template-docs", template).is(http.StatusNotFound)
			if got := c.templates(""); len(got) != 0 {
				t.Errorf("%s lists %v", c.name, got)
			}
		}
		owner.verb("team-docs", template, "team", team).ok()
		for _, c := range []*client{owner, sender, reader} {
			if got := c.templates("search=SEWA&sort=title"); !slices.Equal(got, []string{"Templat sewa"}) {
				t.Errorf("%s lists %v", c.name, got)
			}
			c.templates("team=" + team)
		}
		colleague.do("GET", documentPath+"templates?team="+team, nil).is(http.StatusNotFound, "team.not_found")
		if d := reader.get("detail", template).ok().object("data"); d["template"] != true || d["expired"] != nil || d["status"] != "draft" {
			t.Errorf("the template is %v", d)
		}
		if !bytes.Equal(reader.get("preview", template).ok().body, simple()) {
			t.Error("the file of the template is not the upload")
		}
		reader.verb("use-template-docs", template).is(http.StatusForbidden, "account.role")
		for _, verb := range []string{"finalize-docs", "cancel-docs", "remind-docs", "copy-docs", "embed-docs", "guest-link-docs"} {
			owner.verb(verb, template).is(http.StatusConflict, "document.template")
		}
		sender.verb("describe-docs", template, "document_title", "Sewa kios").ok()
		sender.verb("describe-docs", template, "expired_at", "2099-01-01T00:00:00Z").is(http.StatusUnprocessableEntity)
		sender.do("DELETE", fmt.Sprint(documentPath, template), nil).is(http.StatusForbidden, "document.not_owner")
		owner.verb("use-template-docs", draft).is(http.StatusConflict, "document.not_template")

		// With people in the request, and later.
		role := sender.placeholderOf(template, "Penyewa")
		for name, fill := range map[string]object{
			"no placeholder": {"placeholder": first.id, "id": tenant.id}, "unknown colleague": {"placeholder": role, "id": other.id}, "no address": {"placeholder": role, "name": "Budi"},
			"a person of the template": {"placeholder": role, "id": first.id},
		} {
			if a := sender.verb("use-template-docs", template, "fill", []object{fill}); a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d: %s", name, a.status, a.body)
			}
		}
		filled := idOf(sender.verb("use-template-docs", template, "document_title", "Sewa Melati", "fill", []object{{"placeholder": role, "id": tenant.id, "language": "en"}}))
		open := idOf(sender.verb("use-template-docs", template))
		if d := sender.get("detail", filled).ok().object("data"); d["document_title"] != "Sewa Melati" || d["template"] != nil || d["team"] != nil || d["is_owner"] != true || d["delivery"].(object)["message"] != "Mohon dibaca." {
			t.Errorf("the draft is %v", d)
		}
		owner.get("detail", filled).is(http.StatusNotFound)
		sender.verb("finalize-docs", open).is(http.StatusUnprocessableEntity, "document.placeholders")
		people := []object{first.as("signer", 1)}
		guest := object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 2, "fills": sender.placeholderOf(open, "Penyewa")}
		sender.verb("participants-docs", open, "signer", people, "guest", []object{guest, guest}).is(http.StatusUnprocessableEntity)
		sender.verb("participants-docs", open, "signer", people, "guest", []object{{"name": "PENYEWA", "placeholder": 1, "role": "signer", "number": 2}}).ok() // kept with its boxes
		sender.verb("participants-docs", open, "signer", people, "guest", []object{guest}).ok()
		for _, id := range []int64{filled, open} {
			if n := len(sender.get("placements", id).ok().object("data")["placements"].([]any)); n != 2 {
				t.Errorf("document %d has %d boxes", id, n)
			}
			sender.verb("finalize-docs", id).ok()
		}
		first.verb("sign-docs", filled).ok()
		tenant.verb("sign-docs", filled).ok()
		sender.completed(filled)

		// The template is in no list of documents, and not reported.
		if got := owner.listed("out"); got != fmt.Sprint([]int64{draft}, " of 1") {
			t.Errorf("sent: %s", got)
		}
		if n := owner.do("GET", documentPath+"counts?type=out", nil).ok().object("data")["total_data"]; n != 1.0 {
			t.Errorf("counted: %v", n)
		}
		owner.do("DELETE", fmt.Sprint(documentPath, template), nil).ok()
		if got := sender.templates(""); len(got) != 0 {
			t.Errorf("after its deletion: %v", got)
		}
		fsck(t, s, 0)
	})
}

func TestTemplatesGoWithTheirOwner(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner, next, person := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu"), s.person(t, "Pengganti", "PT Satu"), s.person(t, "Budi Santoso", "PT Satu")
	draft := owner.uploadWith(object{"document_title": "Sewa", "signer": []object{person.as("signer", 1)}}, simple())
	owner.do("DELETE", fmt.Sprint(documentPath, owner.upload(simple())), nil).ok()
	template := idOf(owner.verb("template-docs", draft))
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).ok()

	// A colleague whose account ended becomes a placeholder.
	admin.do("PUT", "/v1/admin/people/"+person.id+"/disabled", nil).ok()
	owner.placeholderOf(idOf(owner.verb("use-template-docs", template)), "Budi Santoso")

	if moved := admin.transfer(owner, next).ok().object("response", "data")["transferred"]; moved != 2.0 { // with the draft
		t.Errorf("transferred: %v", moved)
	}
	if got := next.templates(""); !slices.Equal(got, []string{"Sewa"}) || len(owner.templates("")) != 0 {
		t.Errorf("of the next owner: %v", got)
	}
	next.get("detail", template).ok()
	owner.get("detail", template).is(http.StatusNotFound)
	fsck(t, s, 0)
}

// TestAnErasureDeletesTemplatesOfItsPersonThatWereNotTransferred erases a person with a template of their own and one of their team, from which a colleague made a draft, after another one
// whose templates were transferred to a member.
func TestAnErasureDeletesTemplatesOfItsPersonThatWereNotTransferred(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin, colleague := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Kolega", "PT Satu")
		leaver, erased := s.person(t, "Budi Santoso", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu")
		team := s.newTeam(t, organisationIDOf(t, s, admin), colleague, leaver, erased)
		templatesOf := func(owner *client) (own, shared int64) {
			draft := owner.uploadWith(object{"signer": []object{owner.as("signer", 1)}}, simple())
			own = idOf(owner.verb("template-docs", draft, "document_title", "Sendiri "+owner.name))
			return own, idOf(owner.verb("template-docs", draft, "document_title", "Tim "+owner.name, "team", team))
		}
		kept, keptShared := templatesOf(leaver)
		own, shared := templatesOf(erased)
		ofColleague := idOf(colleague.verb("template-docs", colleague.uploadWith(object{"signer": []object{erased.as("signer", 1), colleague.as("signer", 1)}}, simple()), "document_title", "Kolega"))
		draft := idOf(colleague.verb("use-template-docs", shared))

		admin.transfer(leaver, colleague).ok()
		for _, c := range []*client{leaver, erased} {
			c.do("PUT", "/v1/auth/account/erased", object{"email": c.email}).ok()
		}

		if got := colleague.templates("sort=title"); !slices.Equal(got, []string{"Kolega", "Sendiri Budi Santoso", "Tim Budi Santoso"}) {
			t.Errorf("the colleague lists %v", got)
		}
		if got := colleague.templates("team=" + team); !slices.Equal(got, []string{"Tim Budi Santoso"}) {
			t.Errorf("the team lists %v", got)
		}
		for _, id := range []int64{own, shared} {
			colleague.get("detail", id).is(http.StatusNotFound)
			colleague.verb("use-template-docs", id).is(http.StatusNotFound)
		}
		for _, id := range []int64{kept, keptShared, draft, ofColleague} {
			shown := string(colleague.get("signers", id).ok().body) + string(colleague.get("detail", id).ok().body)
			for _, c := range []*client{leaver, erased} {
				if strings.Contains(shown, c.email) || strings.Contains(shown, c.id) {
					t.Errorf("document %d names %s: %s", id, c.name, shown)
				}
			}
			if !bytes.Equal(colleague.get("preview", id).ok().body, simple()) {
				t.Errorf("the file of document %d is not the upload", id)
			}
		}
		colleague.verb("use-template-docs", keptShared).ok()
		fsck(t, s, 0) // no file of a deleted template is left
	})
}
