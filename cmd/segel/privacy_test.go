package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestPeopleSeeTheAddressesOfOthersInPartWhereTheyAreHidden(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, mail := startMailServer(t)
		s := start(t, slices.Concat(set, mail)...)
		admin, auditor := s.administrator(t, "Admin", "PT Satu"), s.personAs(t, "auditor", "Auditor", "PT Satu")
		owner, signer := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu")
		listed := owner.upload(simple(), signer.as("signer", 1))
		admin.demandFactors(object{"hide_addresses": 1})
		if got := admin.do("GET", "/v1/admin/account-policy", nil).ok().object("data")["hide_addresses"]; got != true {
			t.Errorf("the policy says %v", got)
		}
		admin.listOrigins(outerPage)
		people := object{"parallel": 1, "attach": 1, "signer": []any{signer.as("signer", 1)}}
		id, guest := s.mailedGuest(t, owner, server, people)
		shown := owner.upload(simple(), signer.as("signer", 1))
		owner.verb("describe-docs", shown, "hide_addresses", 0).ok()
		for of, want := range map[int64]bool{id: true, shown: false, listed: false} {
			if got := owner.get("detail", of).ok().object("data", "delivery")["hide_addresses"]; got != want {
				t.Errorf("document %d hides addresses: %v", of, got)
			}
		}

		const masked, maskedSigner = "b***@example.test", "s***@example.test"
		// requireAddresses reads everything that shows people of the document.
		requireAddresses := func(c *client, name, ofGuest, ofSigner string, more ...string) {
			t.Helper()
			hidden := ofGuest == masked || ofSigner == maskedSigner
			detail := c.get("detail", id).ok()
			if got := detail.object("data")["addresses_hidden"] == true; got != hidden {
				t.Errorf("%s: addresses_hidden is %v", name, got)
			}
			signers, err := json.Marshal(detail.object("data")["signer"]) // "code" has the guest's own mailbox in part
			if err != nil {
				t.Fatal(err)
			}
			if got := detail.object("data", "owner")["email"]; got != owner.email {
				t.Errorf("%s is shown the owner as %v", name, got)
			}
			answers := map[string]*answer{"detail": {t: t, body: signers}}
			for _, what := range more {
				if what == "signers" {
					answers[what] = c.get(what, id).ok()
				} else {
					answers[what] = c.do("GET", documentPath+what, nil).ok()
				}
			}
			for what, a := range answers {
				for of, want := range map[string]string{"guest": ofGuest, "signer": ofSigner} {
					full, part := budi, masked
					if of == "signer" {
						full, part = signer.email, maskedSigner
					}
					other := full
					if want == full {
						other = part
					}
					if said := string(a.body); !strings.Contains(said, `"`+want+`"`) || strings.Contains(said, `"`+other+`"`) {
						t.Errorf("%s of %s should show the %s as %s: %s", what, name, of, want, said)
					}
				}
			}
		}
		requireAddresses(owner, "the owner", budi, signer.email, "signers", "out")
		requireAddresses(auditor, "an auditor", budi, signer.email, "signers")
		requireAddresses(signer, "a signer", masked, signer.email, "signers", "data")
		requireAddresses(guest, "the guest", budi, maskedSigner)
		requireAddresses(owner.embedded(t, id, "view", "user_id", signer.id), "an embedded page", masked, signer.email)
		for _, path := range []string{"data?person=" + budi, "counts?type=in&person=" + budi} {
			if got := signer.do("GET", documentPath+path, nil).ok(); !strings.Contains(string(got.body), `"total_data":0`) {
				t.Errorf("a signer confirms an address with %s: %s", path, got.body)
			}
		}
		if got := signer.do("GET", documentPath+"data?person="+signer.email, nil).ok(); !strings.Contains(string(got.body), `"total_data":1,`) {
			t.Errorf("a signer does not find documents by their own address: %s", got.body)
		}
		if got := signer.do("GET", documentPath+"contacts", nil).ok(); strings.Contains(string(got.body), budi) || !strings.Contains(string(got.body), owner.email) {
			t.Errorf("the contacts of a signer: %s", got.body)
		}
		if got := owner.do("GET", documentPath+"contacts", nil).ok(); !strings.Contains(string(got.body), budi) {
			t.Errorf("the contacts of the owner: %s", got.body)
		}
		if got := admin.do("GET", "/v1/events?types=document.finalized", nil).ok(); !strings.Contains(string(got.body), budi) {
			t.Errorf("the feed of the organisation lacks an address: %s", got.body)
		}

		signer.verb("sign-docs", id).ok()
		guest.verb("guest-code-docs", id).ok()
		guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
		guest.verb("sign-docs", id).ok()
		owner.completed(id)
		if got := owner.evidenceFacts(t, id); got.People[1].Email != budi && got.People[0].Email != budi {
			t.Errorf("the certificate states %+v", got.People)
		}
		for _, c := range []*client{signer, guest, owner.embedded(t, id, "view", "user_id", signer.id)} {
			c.get("evidence", id).is(http.StatusForbidden, "evidence.addresses_hidden")
			c.get("download", id).ok()
		}
		for to, want := range map[receivedMail]bool{server.mailTo(t, owner.email, 1): true, server.mailTo(t, budi, 3): false} {
			if got := len(to.attachment(t, "kontrak-evidence.pdf")) > 0; got != want || len(to.attachment(t, "kontrak-signed.pdf")) == 0 {
				t.Errorf("the mail to %s has the certificate: %v", to.to, got)
			}
			if to.to == budi && strings.Contains(to.raw+to.body, signer.email) {
				t.Errorf("the mail to the guest names the address of a signer: %s", to.body)
			}
		}

		// An address that was entered as a name is one.
		const unnamed = "tanpa.nama@lain.test"
		third := s.person(t, "Orang Ketiga", "PT Satu")
		named := owner.uploadWith(object{"parallel": 1, "signer": []any{third.as("signer", 1)}, "guest": object{"name": unnamed, "email": unnamed, "role": "signer", "number": 1}}, simple())
		for _, p := range owner.participants(named) {
			if p := p.(object); p["name"] == unnamed {
				owner.place(named, (&client{id: p["user_id"].(string)}).at("sign", 50, 100, 210, 160), third.at("sign", 250, 100, 410, 160)).ok()
			}
		}
		owner.verb("finalize-docs", named).ok()
		for _, what := range []string{"detail", "placements", "signers", "status"} {
			if got := string(third.get(what, named).ok().body); strings.Contains(got, unnamed) {
				t.Errorf("%s names an address: %s", what, got)
			}
		}
		if got := string(owner.get("placements", named).ok().body); !strings.Contains(got, unnamed) {
			t.Errorf("the owner is shown the boxes of %s", got)
		}
		s.openLink(t, server.mailTo(t, unnamed, 1).guestLink(t)).verb("reject-docs", named, "reason", "Tidak setuju.").ok()
		if m := server.mailTo(t, third.email, 2); strings.Contains(m.raw+m.body, unnamed) {
			t.Errorf("the mail about the refusal names an address: %s", m.body)
		}

		// A member of the team who does not act for the owner reads the audit trail, and no addresses in it.
		reader := s.personAs(t, "member", "Pembaca", "PT Satu")
		owner.verb("team-docs", id, "team", s.newTeam(t, organisationIDOf(t, s, owner), owner, reader)).ok()
		requireAddresses(reader, "a member of the team", masked, maskedSigner, "signers")
		if got := string(owner.get("audit-trail", id).ok().body); !strings.Contains(got, budi) {
			t.Errorf("the audit trail of the owner: %s", got)
		}
		if got := string(reader.get("audit-trail", id).ok().body); strings.Contains(got, budi) || strings.Contains(got, signer.email) || !strings.Contains(got, masked) {
			t.Errorf("the audit trail of a member: %s", got)
		}
		fsck(t, s, 0)
	})
}

// exported returns the files of an export: by name, its objects.
func exported(a *answer) map[string][]object {
	a.t.Helper()
	a.ok()
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		a.t.Fatal(err)
	}
	all := map[string][]object{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			a.t.Fatal(err)
		}
		var rows []object
		if err := json.NewDecoder(r).Decode(&rows); err != nil {
			a.t.Fatalf("%s: %v", f.Name, err)
		}
		all[strings.TrimSuffix(f.Name, ".json")] = rows
	}
	return all
}

func TestAPersonAndTheirAdminDownloadWhatIsStoredAboutThem(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin, person, other := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu"), s.person(t, "Lain", "PT Satu")
		draft := person.upload(simple())
		sent := other.upload(simple(), person.as("signer", 1))
		other.verb("finalize-docs", sent).ok()
		person.verb("sign-docs", sent).ok()
		person.filed(sent, "Bandung")
		own := exported(person.do("GET", "/v1/auth/export", nil))
		path := "/v1/admin/people/" + person.id + "/export"
		forAdmin := exported(admin.do("GET", path, nil))
		for name, all := range map[string]map[string][]object{"own": own, "the admin's": forAdmin} {
			if got := all["account"]; len(got) != 1 || got[0]["email"] != person.email || got[0]["password"] != nil {
				t.Errorf("%s account: %v", name, got)
			}
			if got := all["documents"]; len(got) != 1 || got[0]["id"] != float64(sent) || got[0]["signed_at"] == nil {
				t.Errorf("%s documents: %v", name, got)
			}
			if len(all["sessions"]) != 1 || len(all["logins"]) == 0 || len(all["certificates"]) != 1 || len(all["events"]) < 3 {
				t.Errorf("%s: %d sessions, %d logins, %d certificates, %d events", name, len(all["sessions"]), len(all["logins"]), len(all["certificates"]), len(all["events"]))
			}
			if got := all["drafts"]; len(got) > 0 != (name == "own") || len(got) > 0 && got[0]["id"] != float64(draft) {
				t.Errorf("%s drafts: %v", name, got)
			}
			folders, filed := all["folders"], all["documents_in_folders"]
			if len(folders) > 0 != (name == "own") || len(filed) > 0 != (name == "own") || len(filed) > 0 && (filed[0]["id"] != float64(sent) || filed[0]["folder"] != "Bandung" || folders[0]["created_at"] == nil) {
				t.Errorf("%s folders: %v, %v", name, folders, filed)
			}
			if said := fmt.Sprint(all); strings.Contains(said, other.email) || strings.Contains(said, "$argon2") {
				t.Errorf("%s data have the address of another person, or a hash", name)
			}
		}
		other.do("GET", path, nil).is(http.StatusForbidden)
		s.administrator(t, "Tetangga", "PT Dua").do("GET", path, nil).is(http.StatusNotFound, "person.not_found")
		logged := admin.do("GET", "/v1/admin/audit-log?type=person_exported", nil).ok().object("data")["events"].([]any)
		if len(logged) != 2 || logged[0].(object)["name"] != admin.name || logged[1].(object)["name"] != person.name {
			t.Errorf("the log says %v", logged)
		}
	})
}
