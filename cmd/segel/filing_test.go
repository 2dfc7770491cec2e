package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"segel/internal/contract"
)

// folders returns the identifiers of the client's folders by their names.
func (c *client) folders() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	for _, f := range c.do("GET", documentPath+"folders", nil).ok().object("data")["folders"].([]any) {
		all[f.(object)["name"].(string)] = f.(object)["id"].(string)
	}
	return all
}

// filed puts a document into a folder of the client, which is created if it does not exist.
func (c *client) filed(id int64, folder string) {
	c.t.Helper()
	made := c.do("PUT", documentPath+"folders", object{"name": folder}).ok().object("response", "data", "folder")
	c.do("PUT", documentPath+"filed", object{"documents": []object{{"document_id": id}}, "folder": made["id"]}).only("results").ok()
}

// labelled adds labels to documents and removes others.
func (c *client) labelled(ids []int64, add, remove []string) *answer {
	c.t.Helper()
	documents := []object{}
	for _, id := range ids {
		documents = append(documents, object{"document_id": id})
	}
	return c.do("PUT", documentPath+"labelled", object{"documents": documents, "add": add, "remove": remove})
}

// filedList returns the documents of a list with the names of their labels, and their folder behind a slash.
func (c *client) filedList(path string) map[int64]string {
	c.t.Helper()
	all := map[int64]string{}
	for _, d := range c.do("GET", documentPath+path, nil).ok().object("data")["documents"].([]any) {
		all[int64(d.(object)["id"].(float64))] = filedAs(d.(object))
	}
	return all
}

func filedAs(d object) string {
	var names []string
	labels, _ := d["labels"].([]any)
	for _, l := range labels {
		names = append(names, l.(object)["name"].(string))
	}
	text := strings.Join(names, ",")
	if f, ok := d["folder"].(object); ok {
		text += "/" + f["name"].(string)
	}
	return text
}

// addLabel adds a label to the client's organisation and returns its identifier.
func (c *client) addLabel(name, colour string) string {
	c.t.Helper()
	return c.do("POST", "/v1/admin/labels", object{"name": name, "colour": colour}).ok().object("response", "data", "label")["id"].(string)
}

func TestAnOrganisationLabelsItsDocumentsAndOnlyItsPeopleSeeThem(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner, colleague := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu")
	partner, otherAdmin := s.person(t, "Mitra", "PT Dua"), s.administrator(t, "Admin Lain", "PT Dua")
	guests := []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 3}, {"name": "Mitra", "email": partner.email, "role": "signer", "number": 2}}
	sent := owner.uploadWith(object{"signer": []object{colleague.as("signer", 1)}, "guest": guests}, simple())
	owner.verb("finalize-docs", sent).ok()
	draft := owner.upload(simple())

	rent, sale := admin.addLabel("Sewa", "teal"), admin.addLabel("Jual", "red")
	foreign := otherAdmin.addLabel("Sewa", "blue")
	admin.do("POST", "/v1/admin/labels", object{"name": " SEWA ", "colour": "blue"}).is(http.StatusConflict, "label.exists")
	admin.do("POST", "/v1/admin/labels", object{"name": "", "colour": "ungu"}).is(http.StatusUnprocessableEntity, "input.invalid")
	owner.do("POST", "/v1/admin/labels", object{"name": "Lain", "colour": "blue"}).is(http.StatusForbidden)
	otherAdmin.do("DELETE", "/v1/admin/labels/"+rent, nil).is(http.StatusNotFound, "label.not_found")
	if labels := owner.do("GET", documentPath+"labels", nil).ok().object("data")["labels"].([]any); len(labels) != 2 || labels[0].(object)["name"] != "Jual" {
		t.Errorf("labels: %v", labels)
	}

	owner.labelled([]int64{sent, draft}, []string{rent, sale}, nil).ok()
	owner.labelled([]int64{sent}, []string{foreign}, nil).is(http.StatusNotFound, "label.not_found")
	for who, c := range map[string]struct {
		by   *client
		code string
	}{"a signer": {colleague, "document.not_owner"}, "an admin": {admin, "document.not_found"}, "another organisation": {otherAdmin, "document.not_found"}} {
		a := c.by.labelled([]int64{sent}, nil, []string{rent}).ok().only("results")
		if e, _ := a.object()["error"].(object); e["code"] != c.code {
			t.Errorf("%s is answered %v, want %s", who, e["code"], c.code)
		}
	}
	if got := owner.filedList("out"); got[sent] != "Jual,Sewa" || got[draft] != "Jual,Sewa" {
		t.Errorf("the owner's list: %v", got)
	}
	if got := colleague.filedList("data"); got[sent] != "Jual,Sewa" {
		t.Errorf("a colleague's list: %v", got)
	}
	if got := filedAs(colleague.get("detail", sent).ok().object("data")); got != "Jual,Sewa" {
		t.Errorf("a colleague's detail: %q", got)
	}
	owner.labelled([]int64{draft}, nil, []string{sale}).ok()
	if got := owner.filedList("out?label=" + sale); len(got) != 1 || got[sent] == "" {
		t.Errorf("those with the label: %v", got)
	}
	if n := owner.do("GET", documentPath+"counts?type=out&label="+rent, nil).ok().object("data")["total_data"]; n != 2.0 {
		t.Errorf("counted as %v", n)
	}
	for _, id := range []string{foreign, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"} {
		if got := owner.filedList("out?label=" + id); len(got) != 0 {
			t.Errorf("with another organisation's label: %v", got)
		}
	}
	// A guest is shown none.
	guest := owner.guest(sent, guestOf(owner, sent))
	if body := string(guest.get("detail", sent).ok().body); strings.Contains(body, "Sewa") || strings.Contains(body, `"labels"`) {
		t.Errorf("a guest sees labels: %s", body)
	}

	admin.do("PUT", "/v1/admin/labels/"+rent, object{"name": "Sewa kantor", "colour": "green"}).ok()
	admin.do("DELETE", "/v1/admin/labels/"+sale, nil).ok()
	if got := colleague.filedList("data"); got[sent] != "Sewa kantor" {
		t.Errorf("after a label was renamed and the other one deleted: %v", got)
	}
	for _, e := range []contract.EventType{contract.EventLabelAdded, contract.EventLabelChanged, contract.EventLabelDeleted} {
		if n := len(admin.do("GET", "/v1/admin/audit-log?type="+string(e), nil).ok().object("data")["events"].([]any)); n == 0 {
			t.Errorf("the audit log of the organisation has no %s", e)
		}
	}
}

func TestTwoWhoLabelADocumentAtTheSameMomentStayWithinItsLimit(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin := s.administrator(t, "Admin", "PT Satu")
		id := admin.upload(simple())
		var labels []string
		for i := range 2 * contract.MaxLabelsPerDocument {
			labels = append(labels, admin.addLabel(fmt.Sprint("Label ", i), "teal"))
		}
		var all sync.WaitGroup
		for some := range slices.Chunk(labels, 3) {
			all.Go(func() { admin.labelled([]int64{id}, some, nil).ok() })
		}
		all.Wait()
		if n := len(admin.get("detail", id).ok().object("data")["labels"].([]any)); n > contract.MaxLabelsPerDocument || n < contract.MaxLabelsPerDocument-2 {
			t.Errorf("%d labels", n)
		}
		admin.labelled([]int64{id}, labels, nil).ok().only("results").is(http.StatusConflict, "label.too_many_of_document")
	})
}

func TestPeopleSortTheirOwnListsIntoFolders(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer, other := s.person(t, "Pemilik", ""), s.person(t, "Penanda", ""), s.person(t, "Rekan", "")
	sent := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", sent).ok()
	draft := owner.upload(simple())

	owner.filed(sent, "Bandung")
	owner.filed(draft, "bandung") // the same one
	signer.filed(sent, "Untuk ditandatangani")
	mine, theirs := owner.folders()["Bandung"], signer.folders()["Untuk ditandatangani"]
	if got := owner.filedList("out?folder=" + mine); len(got) != 2 || got[sent] != "/Bandung" {
		t.Errorf("the owner's folder: %v", got)
	}
	if got := signer.filedList("data?folder=" + theirs); got[sent] != "/Untuk ditandatangani" {
		t.Errorf("the signer's folder: %v", got)
	}
	if got := signer.filedList("data?folder=" + mine); len(got) != 0 {
		t.Errorf("in another person's folder: %v", got)
	}
	if n := owner.do("GET", documentPath+"counts?type=out&folder="+mine, nil).ok().object("data"); n["total_data"] != 2.0 {
		t.Errorf("counted as %v", n)
	}
	if got := filedAs(owner.get("detail", sent).ok().object("data")); got != "/Bandung" {
		t.Errorf("in detail: %q", got)
	}
	// Neither a folder nor a document of others.
	one := []object{{"document_id": sent}}
	signer.do("PUT", documentPath+"filed", object{"documents": one, "folder": mine}).is(http.StatusNotFound, "folder.not_found")
	other.do("PUT", documentPath+"filed", object{"documents": one}).ok().only("results").is(http.StatusNotFound, "document.not_found")
	signer.do("PUT", documentPath+"folders/"+mine, object{"name": "Curian"}).is(http.StatusNotFound, "folder.not_found")
	signer.do("DELETE", documentPath+"folders/"+mine, nil).is(http.StatusNotFound, "folder.not_found")

	owner.filed(sent, "Medan")
	owner.do("PUT", documentPath+"folders/"+owner.folders()["Medan"], object{"name": "BANDUNG"}).is(http.StatusConflict, "folder.exists")
	owner.do("PUT", documentPath+"folders/"+owner.folders()["Medan"], object{"name": "Surabaya"}).ok()
	if got := owner.filedList("out"); got[sent] != "/Surabaya" || got[draft] != "/Bandung" {
		t.Errorf("after one was moved: %v", got)
	}
	owner.do("DELETE", documentPath+"folders/"+mine, nil).ok()
	owner.do("PUT", documentPath+"filed", object{"documents": one, "folder": ""}).ok()
	if got := owner.filedList("out"); len(got) != 2 || got[sent] != "" || got[draft] != "" {
		t.Errorf("after the folder was deleted: %v", got)
	}
	if got := signer.filedList("data"); got[sent] != "/Untuk ditandatangani" {
		t.Errorf("the signer's folder afterwards: %v", got)
	}
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).ok()
}

func TestATeamSortsItsListIntoFolders(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, sender, reader := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu"), s.personAs(t, contract.RoleMember, "Pembaca", "PT Satu")
	other := s.person(t, "Kolega", "PT Satu")
	organisation := organisationIDOf(t, s, owner)
	team, theirs := s.newTeam(t, organisation, owner, sender, reader), s.newTeam(t, organisation, other)
	shared, alone := owner.upload(simple()), owner.upload(simple())
	owner.verb("team-docs", shared, "team", team).ok()
	put := func(c *client, path string, body object) *answer {
		c.t.Helper()
		return c.do("PUT", documentPath+path, body)
	}
	file := func(c *client, folder any, ids ...int64) *answer {
		c.t.Helper()
		documents := []object{}
		for _, id := range ids {
			documents = append(documents, object{"document_id": id})
		}
		return put(c, "filed", object{"documents": documents, "folder": folder, "team": team})
	}

	folder := put(sender, "folders", object{"name": "Sewa", "team": team}).ok().object("response", "data", "folder")["id"].(string)
	if again := put(owner, "folders", object{"name": "SEWA", "team": team}).ok().object("response", "data", "folder")["id"]; again != folder {
		t.Errorf("the same name: %v", again)
	}
	file(sender, folder, shared).ok().only("results").ok()
	owner.filed(shared, "Bandung")
	for _, m := range []*client{owner, sender, reader} {
		if folders := m.do("GET", documentPath+"folders?team="+team, nil).ok().object("data")["folders"].([]any); len(folders) != 1 || folders[0].(object)["id"] != folder {
			t.Errorf("%s sees %v", m.name, folders)
		}
		if got := m.filedList("data?team=" + team + "&folder=" + folder); len(got) != 1 || got[shared] != "/Sewa" {
			t.Errorf("%s lists %v", m.name, got)
		}
		if n := m.do("GET", documentPath+"counts?team="+team+"&folder="+folder, nil).ok().object("data")["total_data"]; n != 1.0 {
			t.Errorf("%s counts %v", m.name, n)
		}
	}
	if got := owner.filedList("out"); got[shared] != "/Bandung" || got[alone] != "" {
		t.Errorf("the owner's list: %v", got)
	}
	if mine := sender.folders(); len(mine) != 0 {
		t.Errorf("a member's own folders: %v", mine)
	}
	for c, want := range map[*client]string{owner: "/Bandung", sender: "/Sewa", reader: "/Sewa"} {
		if got := filedAs(c.get("detail", shared).ok().object("data")); got != want {
			t.Errorf("%s sees %q in detail, want %q", c.name, got, want)
		}
	}

	// A document that is not in the list of the team is in none of its folders; whose role does not send changes nothing; others learn nothing.
	file(owner, folder, alone).ok().only("results").is(http.StatusNotFound, "document.not_found")
	file(reader, folder, shared).is(http.StatusForbidden, "account.role")
	put(reader, "folders", object{"name": "Lagi", "team": team}).is(http.StatusForbidden, "account.role")
	put(reader, "folders/"+folder, object{"name": "Lagi"}).is(http.StatusForbidden, "account.role")
	reader.do("DELETE", documentPath+"folders/"+folder, nil).is(http.StatusForbidden, "account.role")
	outside := func(c *client) {
		t.Helper()
		for _, id := range []string{team, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"} {
			c.do("GET", documentPath+"folders?team="+id, nil).is(http.StatusNotFound, "team.not_found")
			put(c, "folders", object{"name": "Lagi", "team": id}).is(http.StatusNotFound, "team.not_found")
			put(c, "filed", object{"documents": []object{{"document_id": shared}}, "folder": folder, "team": id}).is(http.StatusNotFound, "team.not_found")
		}
		for _, id := range []string{folder, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"} {
			put(c, "folders/"+id, object{"name": "Lagi"}).is(http.StatusNotFound, "folder.not_found")
			c.do("DELETE", documentPath+"folders/"+id, nil).is(http.StatusNotFound, "folder.not_found")
		}
	}
	outside(other)
	put(other, "folders", object{"name": "Sewa", "team": theirs}).ok()
	put(owner, "filed", object{"documents": []object{{"document_id": shared}}, "folder": folder}).is(http.StatusNotFound, "folder.not_found")

	put(sender, "folders/"+folder, object{"name": "Sewa kantor"}).ok()
	if got := reader.filedList("data?team=" + team); got[shared] != "/Sewa kantor" {
		t.Errorf("after the folder was renamed: %v", got)
	}
	by := commandLineActor("team")
	if _, err := s.workflow.RemoveTeamMember(t.Context(), by, contract.TeamID(team), contract.PersonID(sender.id)); err != nil {
		t.Fatal(err)
	}
	outside(sender)
	owner.verb("team-docs", shared).ok()
	owner.verb("team-docs", shared, "team", team).ok()
	if got := reader.filedList("data?team=" + team); len(got) != 1 || got[shared] != "" {
		t.Errorf("after it left the team and came back: %v", got)
	}
	file(owner, folder, shared).ok()
	file(owner, "", shared).ok()
	if got := reader.filedList("data?team=" + team); got[shared] != "" {
		t.Errorf("after it was taken out of the folder: %v", got)
	}
	owner.do("DELETE", documentPath+"folders/"+folder, nil).ok()
	if got := reader.filedList("data?team=" + team); len(got) != 1 {
		t.Errorf("after the folder was deleted: %v", got)
	}
}

func TestMembersOfATeamWhoMaySendLabelItsDocumentsTogether(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner, sender := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu")
	reader := s.personAs(t, contract.RoleMember, "Pembaca", "PT Satu")
	team := s.newTeam(t, organisationIDOf(t, s, owner), owner, sender, reader)
	draft, sent, alone := owner.upload(simple(), owner.as("signer", 1)), owner.upload(simple(), owner.as("signer", 1)), owner.upload(simple())
	owner.verb("finalize-docs", sent).ok()
	for _, id := range []int64{draft, sent} {
		owner.verb("team-docs", id, "team", team).ok()
	}
	rent := admin.addLabel("Sewa", "teal")
	codes := func(c *client) (all []string) {
		t.Helper()
		for _, r := range c.labelled([]int64{draft, sent, alone}, []string{rent}, nil).ok().object("response", "data")["results"].([]any) {
			e, _ := r.(object)["error"].(object)
			code, _ := e["code"].(string)
			all = append(all, code)
		}
		return all
	}
	if got := codes(reader); !slices.Equal(got, []string{"account.role", "account.role", "document.not_found"}) {
		t.Errorf("a member who may not send: %v", got)
	}
	if got := codes(sender); !slices.Equal(got, []string{"", "", "document.not_found"}) {
		t.Errorf("a member who may send: %v", got)
	}
	if got := reader.filedList("data?team=" + team + "&label=" + rent); len(got) != 2 || got[draft] != "Sewa" || got[sent] != "Sewa" {
		t.Errorf("the list of the team by the label: %v", got)
	}
	if got := owner.filedList("out"); got[draft] != "Sewa" || got[alone] != "" {
		t.Errorf("the owner's list: %v", got)
	}
}
