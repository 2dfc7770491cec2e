package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// publicByDesign are the operations that anyone may ask about a name that they know, with the reason.
var publicByDesign = map[string]string{
	"verify-serial": "who has the printed document may know that its serial was affixed here (decision 0023)",
	"avatar":        "a picture that is drawn from the address of the request alone",
	"logo":          "the address of a picture, which guests are given; it names nothing (decision 0049)",
}

// TestEveryOperationAnswersForAnotherOrganisationAsForNothing calls every endpoint as an admin of another organisation, and those of directories (SCIM) as its
// directory, once with the names of what exists and once with names of nothing, in the path, in the query and in the body alike. Status and body have to be the
// same but for those names, and so have the numbers of transactions and of statements, exactly: there is no reason for one more. Where the path names a document, or a legal hold does, the number of
// rows is the same too, because its number can be guessed. Other names are drawn at random or are secret, and a row that they find is read.
func TestEveryOperationAnswersForAnotherOrganisationAsForNothing(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t) // without jobs, whose statements would be counted
	owner, target, outsider := s.administrator(t, "Pemilik", "PT Satu"), s.person(t, "Sasaran", "PT Satu"), s.administrator(t, "Orang Luar", "PT Dua")
	guests := []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}
	draft := owner.uploadWith(object{"guest": guests, "signer": []object{target.as("signer", 2)}}, simple())
	active := owner.uploadWith(object{"guest": guests, "signer": []object{target.as("signer", 2)}}, simple())
	owner.verb("finalize-docs", active).ok()
	_, key := target.keyWith(object{"name": "Kunci Sasaran"}, contract.ScopeRead)
	signedIn, err := s.identity.Authenticate(t.Context(), target.token)
	if err != nil {
		t.Fatal(err)
	}
	own := organisationIDOf(t, s, owner)
	notices, err := s.store.ListNotices(t.Context(), store.NoticeQuery{Document: docID(active), Limit: 1})
	if err != nil || len(notices.Notices) == 0 {
		t.Fatal("no notice", err)
	}
	passkey := store.Passkey{ID: "cGFzc2tleQ", Person: contract.PersonID(target.id), Name: "Laptop", PublicKey: []byte{1}, AAGUID: make([]byte, 16), Transports: "internal", CreatedAt: time.Now(), SignCount: 1}
	if err := s.store.AddPasskey(t.Context(), passkey, store.UsedChallenge{Ticket: [32]byte{1}, Binding: [32]byte{2}, At: time.Now()}, 20, nil, contract.Event{Type: contract.EventFactorAdded, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sso.ClaimDomain(t.Context(), commandLineActor("sso"), own, "satu.example.test"); err != nil {
		t.Fatal(err)
	}
	invitation, err := s.identity.Invite(t.Context(), commandLineActor("user invite"), identity.NewInvitation{Email: "undangan@example.test", Organisation: own})
	if err != nil {
		t.Fatal(err)
	}
	label, err := s.workflow.AddLabel(t.Context(), commandLineActor("label"), own, "Rahasia", "teal")
	if err != nil {
		t.Fatal(err)
	}
	hold, err := s.workflow.SetHold(t.Context(), commandLineActor("org hold"), own, docID(active), "Perkara 1")
	if err != nil {
		t.Fatal(err)
	}
	target.filed(active, "Rahasia")
	provisioned := s.person(t, "Terdaftar", "PT Satu")
	directories := map[*client]*directory{owner: newDirectory(t, owner), outsider: newDirectory(t, outsider)}
	group := directories[owner].addGroup("Hukum", provisioned.id)
	ownGroup := directories[outsider].addGroup("Pajak")
	exists := map[string]string{
		"hold_id": string(hold.ID), "label_id": string(label.ID), "folder_id": target.folders()["Rahasia"],
		"invitation_id": string(invitation.ID),
		"document_id":   fmt.Sprint(active), "person_id": target.id, "key_id": key, "session_id": signedIn.Session, "notice_id": string(notices.Notices[0].ID),
		"webhook_id": string(anyWebhook(t, s, own)), "organisation_id": string(own), "organisation": string(own), "passkey_id": passkey.ID, "domain": "satu.example.test",
		"upload_id": strings.TrimPrefix(target.beginUpload(100_000), "/v1/uploads/"), "email": target.email, "guest": guestOf(owner, active), "serial": "SPESIMEN-ADA", "id": target.id, "team_id": s.newTeam(t, own, target), "logo": strings.Repeat("a", 64),
	}
	const none = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	missing := map[string]string{
		"hold_id": none, "label_id": none, "folder_id": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3afd",
		"invitation_id": none,
		"document_id":   fmt.Sprint(nowhere), "person_id": none, "key_id": none, "session_id": none, "notice_id": "0192aaaa-5e2b-7c1d-9e7b-2f9d0c4a5b61",
		"webhook_id": "0192aaaa-5e2b-7c1d-9e7b-2f9d0c4a5b62", "organisation_id": none, "organisation": none, "passkey_id": "dGlkYWtrYWRh", "domain": "nol.example.test",
		"upload_id": strings.Repeat("b", len(strings.TrimPrefix(exists["upload_id"], "/"))), "email": "kosong@example.test", "guest": "8f14e45f-ceea-467f-a0e6-1b1f0c8d3afe", "serial": "SPESIMEN-NIL", "id": none, "team_id": none, "logo": strings.Repeat("b", 64),
	}
	if a, b := slices.Sorted(maps.Keys(exists)), slices.Sorted(maps.Keys(missing)); !slices.Equal(a, b) {
		t.Fatalf("%q exist, and %q do not", a, b)
	}
	// What a directory names besides: a user or a group by {id}, and an address that the other operations do not use.
	directoryNames := func(op api.Operation, names map[string]string) map[string]string {
		names = maps.Clone(names)
		if names["document_id"] == missing["document_id"] {
			names["id"], names["email"], names["group"], names["member"] = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3af0", "nol.terdaftar@example.test", "Tidak Ada", "8f14e45f-ceea-467f-a0e6-1b1f0c8d3af1"
			return names
		}
		names["id"], names["email"], names["group"], names["member"] = provisioned.id, provisioned.email, "Hukum", target.id
		if strings.Contains(op.Path, "/Groups") {
			names["id"], names["member"] = group, provisioned.id
		}
		return names
	}
	try := func(by *client, op api.Operation, names map[string]string) (string, [3]int64) {
		if isDirectory(op) {
			names = directoryNames(op, names)
			directories[by].ask("GET", "/ServiceProviderConfig", nil).ok() // records once a minute that the secret is used
		}
		path := strings.Replace(op.Path, "{service}", "layanan", 1)
		for name, value := range names {
			path = strings.Replace(path, "{"+name+"}", value, 1)
		}
		if strings.Contains(path, "{") {
			t.Fatalf("%s names something that this test has no name for", op.Path)
		}
		before := s.store.Counts()
		var a *answer
		switch {
		case isDirectory(op):
			filter := map[string]string{"scim-users": `userName eq "` + names["email"] + `"`, "scim-groups": `displayName eq "` + names["group"] + `"`}[op.ID]
			if filter != "" {
				path += "?filter=" + url.QueryEscape(filter)
			}
			a = directories[by].ask(op.Method, strings.TrimPrefix(path, directoryPath), bodyOfDirectory(op, names))
		case op.Document == contract.OpEvents:
			a = by.firstEvent(path)
		case op.Method == http.MethodGet || op.Method == http.MethodDelete:
			query := "?organisation=" + names["organisation"] + "&document_id=" + names["document_id"] + "&person=" + names["person_id"] + "&owner=" + names["email"] + "&search=" + names["email"] + "&ids=" + names["document_id"] + "&label=" + names["label_id"] + "&folder=" + names["folder_id"]
			a = by.do(op.Method, path+query, nil)
		default:
			body := bodyNaming(names)
			body["colour"] = colourFor(op)
			a = by.do(op.Method, path, body)
		}
		after := s.store.Counts()
		return plainAnswer(a, names), [3]int64{after.Reads + after.Writes - before.Reads - before.Writes, after.Statements - before.Statements, after.Rows - before.Rows}
	}
	// The comparison sees a difference where there is one: for the owner of the document.
	remind := api.Operation{Method: "POST", Path: "/v1/econtract/{service}/sign/remind-docs"}
	mine, work := try(owner, remind, exists)
	if other, less := try(owner, remind, missing); mine == other || work == less {
		t.Errorf("the owner is answered alike, %d: %.200s", work, mine)
	}
	operations := append(api.Operations(), api.Operation{Method: "PATCH", Path: directoryPath + "/Groups/" + ownGroup}) // adds a member of elsewhere to a group of one's own
	for _, op := range operations {
		if !isDirectory(op) || op.Method != "GET" || !strings.Contains(op.Path, "Users") && !strings.Contains(op.Path, "Groups") {
			continue
		}
		if got, _ := try(owner, op, exists); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "<email>") && !strings.Contains(got, "<group>") {
			t.Errorf("%s %s as the directory of the organisation: %.300s", op.Method, op.Path, got)
		}
	}
	sameWork := func(op api.Operation, a, b [3]int64) bool {
		if !strings.Contains(op.Path, "{document_id}") {
			a[2], b[2] = 0, 0
		}
		return a == b
	}
	checked := 0
	for _, op := range operations {
		if op.ID == "logout" || publicByDesign[op.ID] != "" {
			continue
		}
		got, work := try(outsider, op, exists)
		want, less := try(outsider, op, missing)
		if got != want {
			t.Errorf("%s %s of another organisation's: %.400s\nbut of what does not exist: %.400s", op.Method, op.Path, got, want)
		}
		if !sameWork(op, work, less) {
			t.Errorf("%s %s of another organisation's took %d transactions, statements and rows, of what does not exist %d", op.Method, op.Path, work, less)
		}
		if op.Document != "" || op.Admin == contract.AdminRetry { // an unfinished document of another organisation, too
			names := maps.Clone(exists)
			names["document_id"] = fmt.Sprint(draft)
			if got, work := try(outsider, op, names); got != want || !sameWork(op, work, less) {
				t.Errorf("%s %s of another organisation's draft: %.400s, %d; want %.400s, %d", op.Method, op.Path, got, work, want, less)
			}
		}
		if op.Admin == contract.AdminHold { // the document is named beside the organisation, which is the caller's here
			existing, absent := maps.Clone(exists), maps.Clone(missing)
			existing["organisation"] = string(organisationIDOf(t, s, outsider))
			absent["organisation"] = existing["organisation"]
			got, work := try(outsider, op, existing)
			if want, less := try(outsider, op, absent); got != want || work != less || !strings.HasPrefix(got, "404 ") {
				t.Errorf("%s %s of a document of another organisation: %.400s, %d; want %.400s, %d", op.Method, op.Path, got, work, want, less)
			}
		}
		checked++
	}
	if checked < 140 {
		t.Errorf("only %d operations were called", checked)
	}
}

const directoryPath = "/scim/v2"

// isDirectory reports whether an operation is one of directories, whose callers have a secret of their own kind.
func isDirectory(op api.Operation) bool { return strings.HasPrefix(op.Path, directoryPath+"/") }

// bodyOfDirectory returns the body of a directory's request that names something.
func bodyOfDirectory(op api.Operation, names map[string]string) any {
	const user, group = "urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:core:2.0:Group"
	members := []object{{"value": names["member"]}}
	isGroup := strings.Contains(op.Path, "/Groups")
	switch {
	case op.Method == "PATCH" && isGroup:
		return object{"schemas": []string{"urn:ietf:params:scim:api:messages:2.0:PatchOp"}, "Operations": []object{{"op": "add", "path": "members", "value": members}}}
	case op.Method == "PATCH":
		return object{"schemas": []string{"urn:ietf:params:scim:api:messages:2.0:PatchOp"}, "Operations": []object{{"op": "replace", "path": "active", "value": false}}}
	case op.Method == "POST" && isGroup:
		return object{"schemas": []string{group}, "displayName": names["group"]}
	case op.Method == "PUT" && isGroup:
		return object{"schemas": []string{group}, "displayName": names["group"], "members": members}
	case op.Method == "POST" || op.Method == "PUT":
		return object{"schemas": []string{user}, "userName": names["email"], "displayName": "X"}
	}
	return nil
}

// bodyNaming returns a body with the members of all requests that name something.
func bodyNaming(names map[string]string) object {
	id := json.Number(names["document_id"])
	return object{
		"document_id": id, "documents": []object{{"document_id": id, "digest": strings.Repeat("5e", 32)}}, "user_id": names["guest"], "organisation": names["organisation"], "business_id": names["organisation"],
		"email": names["email"], "password": "bukan kata sandinya", "current": "bukan kata sandinya", "new": "lampu-taman-biru-42", "name": "X", "role": "sender", "to": names["person_id"], "unit": "emet", "count": 1, "years": 10, "reason": "x", "url": "https://hook.example.test/",
		"delivery": names["notice_id"], "since": "2026-01-01T00:00:00Z", "remind": object{"after": 3}, "code": "123456", "issuer": "https://127.0.0.1:9", "client_id": "segel",
		"signer": []object{{"user_id": names["person_id"], "email": names["email"], "role": "signer", "number": 1}}, "signers": []any{},
		"team": names["team_id"], "link": "https://segel.example.test/guest#sgl_gl_" + strings.Repeat("x", 43), "exempt": []string{names["person_id"]}, "add": []string{names["label_id"]}, "remove": []string{names["label_id"]}, "folder": names["folder_id"],
	}
}

var drawn = regexp.MustCompile(`"(request_id|password|challenge|txt|ticket|secret|token|id|created_at|claimed_at|changed_at|dateTime|value|avatar|location)":"[^"]*"|W/\\"[0-9a-f]+\\"|[A-Za-z0-9_-]{40,}|\d{4}-\d\d-\d\dT[0-9:.]+Z|nonce="[^"]*"|\d+ bytes are free|(dalam|in) \d+ (detik|seconds?)`)

// plainAnswer returns an answer without the names of the request and without what is drawn or counted anew for every request.
func plainAnswer(a *answer, names map[string]string) string {
	body := string(a.body)
	if a.header.Get("Content-Type") == "application/zip" {
		body = "<archive>" // of the caller's own data, which names nothing of the request and has what the last request added
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if name != "document_id" { // a small number, which other members have too
			body = strings.ReplaceAll(body, names[name], "<"+name+">")
		}
	}
	body = strings.ReplaceAll(body, `"document_id":`+names["document_id"], `"document_id":"<document_id>"`)
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(body)) == nil {
		body = compact.String()
	}
	return fmt.Sprint(a.status, " ", drawn.ReplaceAllString(body, "<drawn>"))
}
