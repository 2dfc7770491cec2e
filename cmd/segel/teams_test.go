package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"segel/internal/api"
	"segel/internal/contract"
)

// newTeam creates a team of an organisation with some members, and returns its identifier.
func (s *service) newTeam(t testing.TB, of contract.OrganisationID, members ...*client) string {
	t.Helper()
	by := commandLineActor("team")
	team, err := s.workflow.AddTeam(t.Context(), by, of, "Tim "+rand.Text())
	for _, m := range members {
		if err == nil {
			_, err = s.workflow.AddTeamMember(t.Context(), by, team.ID, contract.PersonID(m.id))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(team.ID)
}

func TestATeamSharesDocumentsFromTheRequestAfterAPersonJoinsUntilTheyLeave(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner, sender := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu")
	reader, colleague, other := s.personAs(t, contract.RoleMember, "Pembaca", "PT Satu"), s.person(t, "Kolega", "PT Satu"), s.person(t, "Lain", "PT Dua")
	signer := s.person(t, "Budi", "PT Satu")

	team := admin.do("POST", "/v1/admin/teams", object{"name": "Legal"}).ok().object("response", "data")["team"].(object)["id"].(string)
	path := "/v1/admin/teams/" + team
	admin.do("POST", "/v1/admin/teams", object{"name": "LEGAL"}).is(http.StatusConflict, "team.exists")
	for _, m := range []*client{owner, sender, reader} {
		admin.do("PUT", path+"/members/"+m.id, nil).ok()
		admin.do("PUT", path+"/members/"+m.id, nil).ok() // again
	}
	admin.do("PUT", path+"/members/"+other.id, nil).is(http.StatusNotFound, "person.not_found")
	if teams := owner.do("GET", "/v1/auth/me", nil).ok().object("data")["teams"].([]any); len(teams) != 1 || teams[0].(object)["name"] != "Legal" {
		t.Errorf("teams of the account: %v", teams)
	}

	draft := owner.upload(simple(), signer.as("signer", 1))
	sent := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", sent).ok()
	sender.verb("team-docs", draft, "team", team).is(http.StatusNotFound)
	colleague.verb("team-docs", draft, "team", team).is(http.StatusNotFound)
	owner.verb("team-docs", draft, "team", s.newTeam(t, organisationIDOf(t, s, owner))).is(http.StatusNotFound, "team.not_found")
	for _, id := range []int64{draft, sent} {
		owner.verb("team-docs", id, "team", team).ok()
		owner.verb("team-docs", id, "team", team).ok() // again
	}
	list := "data?team=" + team + "&x="
	both := fmt.Sprint([]int64{draft, sent}, " of 2")
	for _, m := range []*client{owner, sender, reader} {
		if got := m.listed(list); got != both {
			t.Errorf("%s lists %s", m.name, got)
		}
		if n := m.do("GET", documentPath+"counts?team="+team, nil).ok().object("data")["total_data"]; n != 2.0 {
			t.Errorf("%s counts %v", m.name, n)
		}
	}
	if got := sender.listed("out"); got != "[] of 0" {
		t.Errorf("sent by the member: %s", got)
	}
	for _, c := range []*client{colleague, admin, other} {
		for _, of := range []string{team, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"} {
			c.do("GET", documentPath+"data?team="+of, nil).is(http.StatusNotFound, "team.not_found")
			c.do("GET", documentPath+"counts?team="+of, nil).is(http.StatusNotFound, "team.not_found")
		}
		c.get("detail", draft).is(http.StatusNotFound)
	}

	// Members read; those who may send act for the owner.
	for _, what := range []string{"detail", "signers", "audit-trail", "status"} {
		reader.get(what, sent).ok()
	}
	reader.do("GET", fmt.Sprint(documentPath, "preview/", draft), nil).ok()
	reader.do("GET", fmt.Sprint(documentPath, "original/", draft), nil).ok()
	d := reader.get("detail", sent).ok().object("data")
	if d["team"].(object)["id"] != team || d["may_manage"] != nil || d["is_owner"] != false {
		t.Errorf("to a reader: %v %v", d["team"], d["may_manage"])
	}
	if d := signer.get("detail", sent).ok().object("data"); d["team"] != nil {
		t.Errorf("a signer learns of the team: %v", d["team"])
	}
	for _, verb := range []string{"remind-docs", "cancel-docs"} {
		reader.verb(verb, sent).is(http.StatusForbidden, "account.role")
	}
	if d := sender.get("detail", draft).ok().object("data"); d["may_manage"] != true {
		t.Error("a sender may not manage the draft of their team")
	}
	version := sender.get("detail", draft).object("data")["version"]
	owner.verb("describe-docs", draft, "document_title", "Judul pemilik").ok()
	sender.verb("describe-docs", draft, "document_title", "Judul rekan", "version", version).is(http.StatusConflict, "document.version_changed")
	sender.verb("describe-docs", draft, "document_title", "Judul rekan").ok()
	sender.verb("finalize-docs", draft).ok()
	signer.get("detail", draft).ok()
	sender.verb("remind-docs", sent).ok()
	for _, verb := range []string{"guest-link-docs", "embed-docs", "team-docs"} {
		sender.verb(verb, sent, "user_id", signer.id).is(http.StatusForbidden, "document.not_owner")
	}
	sender.verb("cancel-docs", sent, "reason", "salah").ok()
	if copied := sender.copyOf(sent); owner.listed(list) != fmt.Sprint([]int64{draft, sent, copied}, " of 3") {
		t.Errorf("with the copy of a member: %s", owner.listed(list))
	}

	// A key acts within its scopes, a disabled account not at all.
	key, _ := sender.keyWith(object{}, contract.ScopeRead)
	key.get("detail", draft).ok()
	key.verb("cancel-docs", draft).is(http.StatusForbidden, "key.scope")

	admin.do("DELETE", path+"/members/"+sender.id, nil).ok()
	admin.do("DELETE", path+"/members/"+sender.id, nil).ok() // again
	key.get("detail", draft).is(http.StatusNotFound)
	sender.get("detail", draft).is(http.StatusNotFound)
	sender.verb("cancel-docs", draft).is(http.StatusNotFound)
	sender.do("GET", documentPath+"data?team="+team, nil).is(http.StatusNotFound, "team.not_found")

	// The person who gets the documents of a leaving one is not a member, so the team loses those.
	admin.transfer(owner, colleague).ok()
	if d := colleague.get("detail", draft).ok().object("data"); d["team"] != nil {
		t.Errorf("transferred to no member: %v", d["team"])
	}
	reader.get("detail", draft).is(http.StatusNotFound)

	admin.do("PUT", path+"/name", object{"name": "Hukum"}).ok()
	admin.do("DELETE", path, nil).ok()
	admin.do("DELETE", path, nil).is(http.StatusNotFound, "team.not_found")
	if teams := reader.do("GET", "/v1/auth/me", nil).ok().object("data")["teams"]; teams != nil {
		t.Errorf("after the team was deleted: %v", teams)
	}
	for _, what := range []string{"Membuat tim Legal", "Mengubah nama tim Legal menjadi Hukum", "Menghapus tim Hukum"} {
		if body := string(admin.do("GET", "/v1/admin/audit-log?limit=100", nil, "Accept-Language", "id").ok().body); !strings.Contains(body, what) {
			t.Errorf("the log does not say %q", what)
		}
	}
	fsck(t, s, 0)
}

// TestADocumentIsSharedFromTheRequestThatCreatesIt makes documents in each way with a team, and with one of others, which answers like one that does not exist and leaves nothing.
func TestADocumentIsSharedFromTheRequestThatCreatesIt(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		owner, member, colleague := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu"), s.person(t, "Kolega", "PT Satu")
		of := organisationIDOf(t, s, owner)
		team, others := s.newTeam(t, of, owner, member), s.newTeam(t, of, colleague)
		key, _ := owner.keyWith(object{}, contract.ScopeWrite)
		testKey, _ := owner.keyWith(object{"test": 1}, contract.ScopeWrite)

		file := padded(100_000)
		resumable := owner.beginUpload(len(file), "filename", "kontrak.pdf")
		owner.sendPart(resumable, 0, file).is(http.StatusNoContent)
		draft := owner.upload(simple())
		template := idOf(owner.verb("template-docs", draft))
		encoded := func(team any) object {
			return object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple()), "team": team}
		}
		form := func(team string) *answer {
			var body bytes.Buffer
			w := multipart.NewWriter(&body)
			part, err := w.CreateFormFile("document", "kontrak.pdf")
			if err == nil {
				_, err = part.Write(simple())
			}
			if err = errors.Join(err, w.WriteField("team", team), w.Close()); err != nil {
				t.Fatal(err)
			}
			return owner.send("POST", signPath+"upload-docs", &body, "Content-Type", w.FormDataContentType())
		}
		ways := map[string]func(team string) *answer{
			"upload":          func(team string) *answer { return owner.do("POST", uploadPath, encoded(team)) },
			"with a key":      func(team string) *answer { return key.do("POST", uploadPath, encoded(team)) },
			"with a test key": func(team string) *answer { return testKey.do("POST", uploadPath, encoded(team)) },
			"form":            form,
			"resumable upload": func(team string) *answer {
				return owner.do("POST", uploadPath, object{"upload_id": uploadIDOf(resumable), "team": team})
			},
			"template":          func(team string) *answer { return owner.verb("template-docs", draft, "team", team) },
			"use of a template": func(team string) *answer { return owner.verb("use-template-docs", template, "team", team) },
		}
		before := owner.listed("out")
		for way, create := range ways {
			for _, id := range []string{others, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", "legal"} {
				if a := create(id); a.status != http.StatusNotFound || a.object("error")["code"] != "team.not_found" {
					t.Errorf("%s with the team %s: %d %s", way, id, a.status, a.body)
				}
			}
		}
		if got := owner.listed("out"); got != before || len(owner.templates("")) != 1 {
			t.Errorf("after refusals the owner lists %s, before %s", got, before)
		}
		fsck(t, s, 0) // no file is left

		for way, create := range ways {
			id := idOf(create(team).ok())
			if d := member.get("detail", id).ok().object("data"); d["may_manage"] != true || d["team"].(object)["id"] != team {
				t.Errorf("%s: to a member it has %v", way, d["team"])
			}
			colleague.get("detail", id).is(http.StatusNotFound)
			if trail := string(owner.get("audit-trail", id).ok().body); strings.Count(trail, string(contract.EventTeamChanged)) != 1 {
				t.Errorf("%s: the trail is %s", way, trail)
			}
		}
		if got := member.listed("data?team=" + team + "&x="); !strings.HasSuffix(got, " of 6") || len(member.templates("team="+team)) != 1 {
			t.Errorf("the team lists %s", got)
		}
		for _, none := range []any{"", nil} { // an empty one is none, as in team-docs
			if d := owner.get("detail", idOf(owner.do("POST", uploadPath, encoded(none)).ok())).ok().object("data"); d["team"] != nil {
				t.Errorf("without a team: %v", d["team"])
			}
		}
		owner.do("POST", uploadPath, encoded(7)).is(http.StatusUnprocessableEntity)
		fsck(t, s, 0)
	})
}

// TestWhoLosesARoleOrATeamHearsOfNoFurtherChange follows a document, and the events of the organisation, while the role or the team is lost that shows them.
func TestWhoLosesARoleOrATeamHearsOfNoFurtherChange(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, other, owner := s.administrator(t, "Admin", "PT Satu"), s.administrator(t, "Lain", "PT Satu"), s.person(t, "Pemilik", "PT Satu")
	auditor, member, signer := s.personAs(t, contract.RoleAuditor, "Auditor", "PT Satu"), s.person(t, "Rekan", "PT Satu"), s.person(t, "Budi", "PT Satu")
	team := s.newTeam(t, organisationIDOf(t, s, owner), owner, member)
	id := signable(owner, signer)
	owner.verb("team-docs", id, "team", team).ok()
	streams := map[string]*http.Response{}
	for _, c := range []*client{auditor, member} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.url+documentPath+fmt.Sprint("events/", id), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("x-access-token", c.token)
		if streams[c.name], err = http.DefaultClient.Do(r); err != nil {
			t.Fatal(err)
		}
		defer streams[c.name].Body.Close()
	}
	_, next := other.feed("end")
	waited := make(chan *answer, 1)
	go func() { waited <- other.do("GET", "/v1/events?wait=50&after="+next, nil) }()
	s.untilWaiting(t)

	admin.do("PUT", "/v1/admin/people/"+auditor.id+"/role", object{"role": "member"}).ok()
	admin.do("PUT", "/v1/admin/people/"+other.id+"/role", object{"role": "sender"}).ok()
	admin.do("DELETE", "/v1/admin/teams/"+team+"/members/"+member.id, nil).ok()
	owner.verb("cancel-docs", id, "reason", "Rahasia baru").ok()
	for name, stream := range streams {
		said, err := io.ReadAll(stream.Body) // it ends with the change
		if n := strings.Count(string(said), "event: progress"); err != nil || n != 1 || strings.Contains(string(said), "Rahasia") {
			t.Errorf("the stream of the %s has %d events: %v: %s", name, n, err, said)
		}
	}
	(<-waited).is(http.StatusForbidden)
}

// TestEveryOperationAnswersMembersOfATeamAsItShould runs each operation on a document as members of its team: whom the rule of contract refuses is told so, and who may act is not
// refused for who they are.
func TestEveryOperationAnswersMembersOfATeamAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, sender, reader := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Rekan", "PT Satu"), s.personAs(t, contract.RoleMember, "Pembaca", "PT Satu")
	team := s.newTeam(t, organisationIDOf(t, s, owner), owner, sender, reader)
	personal := []contract.Operation{contract.OpGuestLink, contract.OpEmbed, contract.OpShare, contract.OpDelete}
	manages := []contract.Operation{contract.OpParticipants, contract.OpDescribe, contract.OpPlace, contract.OpFinalize, contract.OpCancel, contract.OpRemind, contract.OpRestamp, contract.OpRetry,
		contract.OpGuestRevoke, contract.OpCorrectGuest, contract.OpCopy, contract.OpTemplate, contract.OpUse, contract.OpLabel}
	for _, op := range api.Operations() {
		if op.Document == "" || op.Many {
			continue
		}
		for _, c := range []*client{reader, sender} {
			id := owner.upload(simple(), owner.as("signer", 1))
			owner.verb("team-docs", id, "team", team).ok()
			refused := slices.Contains(personal, op.Document) || c == reader && slices.Contains(manages, op.Document)
			a := call(c, op, id)
			if a.status == http.StatusNotFound || refused != (a.status == http.StatusForbidden) && !slices.Contains(notForOwners, op.Document) {
				t.Errorf("%s %s as %s: %d: %.200s", op.Method, op.Path, c.name, a.status, a.body)
			}
		}
	}
}
