package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestErasedPeopleLeaveOnlyWhatProves(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		s := start(t, set...)
		admin, next := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik Baru", "PT Satu")
		person, leaver := s.person(t, "Siti Rahma", "PT Satu"), s.person(t, "Budi Santoso", "PT Satu")
		guest := object{"name": "Tamu Rahasia", "email": "tamu@example.test", "role": "signer", "number": 2}
		people := object{"signer": []object{person.as("signer", 1)}, "guest": []object{guest}}
		sent := func() int64 {
			id := next.uploadWith(people, simple())
			next.verb("finalize-docs", id).ok()
			return id
		}
		draft, running, canceled := next.uploadWith(people, simple()), sent(), sent()
		next.verb("cancel-docs", canceled).ok()
		signed := signable(next, person)
		person.verb("sign-docs", signed).ok()
		next.completed(signed)
		own := signable(person, next)
		person.upload(simple()) // a draft
		if got := string(next.do("GET", documentPath+"contacts", nil).ok().body); !strings.Contains(got, person.email) {
			t.Errorf("the contacts lack the person: %s", got)
		}

		erase := func(c *client, of *client) *answer { return c.do("PUT", "/v1/admin/people/"+of.id+"/erased", nil) }
		eraseOwn := func(c *client, email string) *answer {
			return c.do("PUT", "/v1/auth/account/erased", object{"email": email})
		}
		erase(next, leaver).is(http.StatusForbidden)
		eraseOwn(next, person.email).is(http.StatusUnprocessableEntity)
		erase(s.administrator(t, "Tetangga", "PT Dua"), leaver).is(http.StatusNotFound, "person.not_found")
		erase(admin, leaver).is(http.StatusConflict, "person.not_disabled")
		eraseOwn(admin, admin.email).is(http.StatusConflict, "person.last_admin")
		eraseOwn(person, person.email).is(http.StatusConflict, "person.owns_documents")
		person.do("GET", "/v1/auth/me", nil).ok() // what was refused changed nothing
		admin.transfer(person, next).ok()
		draftToo := person.upload(simple())
		eraseOwn(person, person.email).ok()
		person.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
		admin.do("PUT", "/v1/admin/people/"+leaver.id+"/disabled", nil).ok()
		for range 2 { // repeating it is harmless
			if d := erase(admin, leaver).ok().object("response", "data"); d["done_at"] == nil {
				t.Errorf("the erasure is %v", d)
			}
		}

		// The account answers like one that does not exist, and nothing finds it.
		(&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": person.email, "password": password}).is(http.StatusBadRequest, "auth.wrong_credentials")
		for _, path := range []string{"/v1/admin/people?search=siti", "/v1/admin/people?search=budi", "/v1/admin/logins?search=siti", "/v1/admin/logins?search=budi", "/v1/auth/list_user?search=siti", documentPath + "contacts"} {
			if got := string(admin.do("GET", path, nil).body); strings.Contains(got, person.email) || strings.Contains(got, leaver.email) {
				t.Errorf("%s has an erased person: %s", path, got)
			}
		}
		if got := string(next.do("GET", documentPath+"contacts", nil).ok().body); strings.Contains(got, person.email) {
			t.Errorf("the contacts have the person: %s", got)
		}
		erased := admin.do("GET", "/v1/admin/people?status=erased", nil).ok().object("data")["people"].([]any)
		if len(erased) != 2 || erased[0].(object)["name"] != contract.ErasedName || erased[0].(object)["status"] != "erased" {
			t.Errorf("erased people are %v", erased)
		}
		for _, change := range []struct {
			method, path string
			body         any
		}{{"DELETE", "/disabled", nil}, {"PUT", "/name", object{"name": "Lagi"}}, {"POST", "/password", nil}, {"PUT", "/role", object{"role": "admin"}}} {
			admin.do(change.method, "/v1/admin/people/"+person.id+change.path, change.body).is(http.StatusConflict, "person.erased")
		}
		archive := exported(admin.do("GET", "/v1/admin/people/"+person.id+"/export", nil))
		if got := archive["account"]; len(got) != 1 || got[0]["name"] != contract.ErasedName || got[0]["email"] != contract.ErasedEmail(contract.PersonID(person.id)) {
			t.Errorf("the archive has the account %v", got)
		}
		if got := archive["erasure"]; len(got) != 1 || got[0]["done_at"] == nil {
			t.Errorf("the archive says of the erasure %v", got)
		}
		for _, kind := range []string{"sessions", "logins", "drafts", "consents"} {
			if len(archive[kind]) > 0 {
				t.Errorf("the archive has %s: %v", kind, archive[kind])
			}
		}
		for _, m := range archive["messages"] { // of documents that remain
			if m["address"] != "" {
				t.Errorf("the archive has a message to %v", m["address"])
			}
		}
		for _, kind := range []contract.EventType{contract.EventErasureBegun, contract.EventPersonErased} {
			log := string(admin.do("GET", "/v1/admin/audit-log?type="+string(kind), nil).ok().body)
			events := log[strings.Index(log, `"events"`):]
			events = events[:strings.Index(events, `"pagination"`)]
			for _, gone := range []*client{person, leaver} {
				if strings.Contains(events, gone.name) || strings.Contains(events, gone.email) || !strings.Contains(events, gone.id) {
					t.Errorf("%s of %s: %s", kind, gone.name, events)
				}
			}
		}

		// What was signed says by whom, and what is in progress waits; what proves nothing names no person.
		for id, want := range map[int64]bool{signed: true, running: true, own: true, canceled: false, draft: false} {
			if got := strings.Contains(string(next.get("signers", id).ok().body)+string(next.get("detail", id).ok().body), person.email); got != want && id != own {
				t.Errorf("document %d names the person: %v", id, got)
			}
		}
		if got := string(next.get("signers", canceled).ok().body); !strings.Contains(got, contract.ErasedName) || !strings.Contains(got, "tamu@example.test") {
			t.Errorf("the canceled document: %s", got)
		}
		if _, err := s.store.Document(t.Context(), contract.DocumentID(draftToo)); err == nil {
			t.Error("a draft of the erased person is still there")
		}
		if verdict := string(next.download(signed)); len(verdict) == 0 {
			t.Error("the signed file is gone")
		}

		// The address can be used again, by a person who sees nothing of the former account.
		again := s.person(t, person.name, "PT Satu")
		if again.id == person.id {
			t.Error("the new account is the former one")
		}
		again.get("detail", signed).is(http.StatusNotFound)
		again.get("detail", running).is(http.StatusNotFound)
		next.verb("remind-docs", running).ok()

		// A guest has no account: their address is erased within the organisation.
		eraseGuest := func(c *client, email string) *answer {
			return c.do("PUT", "/v1/admin/guests/erased", object{"email": email})
		}
		eraseGuest(next, "tamu@example.test").is(http.StatusForbidden)
		known, unknown := eraseGuest(admin, "tamu@example.test").ok(), eraseGuest(admin, "nobody@example.test").ok()
		if string(known.body) != string(unknown.body) {
			t.Errorf("the answers differ: %s, %s", known.body, unknown.body)
		}
		for id, want := range map[int64]bool{running: true, canceled: false, draft: false} {
			if got := strings.Contains(string(next.get("signers", id).ok().body), "tamu@example.test"); got != want {
				t.Errorf("document %d names the guest: %v", id, got)
			}
		}
		if got := string(next.do("GET", "/v1/econtract/web_app/guests", nil).body); strings.Contains(got, "tamu@example.test") {
			t.Errorf("the guest is suggested: %s", got)
		}
		next.verb("cancel-docs", running).ok()
		if err := s.workflow.FinishErasures(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := string(next.get("signers", running).ok().body); strings.Contains(got, "tamu@example.test") || strings.Contains(got, person.email) {
			t.Errorf("the document that ended later: %s", got)
		}

		fsck(t, s, 0)
		if len(set) > 0 {
			return // the command opens the database of the folder
		}
		gone := s.person(t, "Mantan", "PT Satu")
		if status, said := s.command(t, "", "user", "erase", "--email", gone.email); status == 0 || !strings.Contains(said, "--yes") {
			t.Errorf("the command without --yes: %d %s", status, said)
		}
		s.command(t, "", "user", "disable", "--email", gone.email)
		if status, said := s.command(t, "", "user", "erase", "--email", gone.email, "--yes"); status != 0 || strings.Contains(said, gone.email) || !strings.Contains(said, contract.ErasedEmail(contract.PersonID(gone.id))) {
			t.Errorf("the command: %d %s", status, said)
		}
		fsck(t, s, 0)
	})
}

// TestAnErasureTakesNothingFromWhatIsSigned erases people who signed a document that others have yet to sign, and guests of one that is copied.
func TestAnErasureTakesNothingFromWhatIsSigned(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, owner := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu")
	gone, last, reader := s.person(t, "Siti Rahma", "PT Satu"), s.person(t, "Budi Santoso", "PT Satu"), s.person(t, "Citra Pembaca", "PT Satu")
	guest := []object{{"name": "Tamu Rahasia", "email": "tamu@example.test", "role": "viewer", "number": 3}, {"name": "Tamu Lain", "email": "lain@example.test", "role": "viewer", "number": 3}}
	people := object{"signer": []object{gone.as("signer", 1), last.as("signer", 2), reader.as("viewer", 1)}, "guest": guest}
	id, canceled := owner.uploadWith(people, simple()), owner.uploadWith(people, simple())
	for _, d := range []int64{id, canceled} {
		owner.verb("finalize-docs", d).ok()
	}
	gone.verb("sign-docs", id).ok()
	for _, c := range []*client{gone, reader} {
		c.do("PUT", "/v1/auth/account/erased", object{"email": c.email}).ok()
	}
	// The address in place of the erased one cannot log in, and gets no message.
	for _, email := range []string{gone.email, string(contract.ErasedEmail(contract.PersonID(gone.id)))} {
		(&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": email, "password": ""}).is(http.StatusUnprocessableEntity)
		(&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": email, "password": password}).is(http.StatusBadRequest, "auth.wrong_credentials")
		(&client{service: s, t: t}).do("POST", "/v1/auth/forgot-password", object{"email": email}).ok()
	}
	if mail := string(admin.do("GET", "/v1/admin/mail", nil).ok().body); strings.Contains(mail, "password_reset") {
		t.Errorf("a message about the password of an erased account: %s", mail)
	}

	last.verb("sign-docs", id).ok()
	owner.completed(id)
	if facts := owner.evidenceFacts(t, id); facts.People[0].Name != gone.name || facts.People[0].Signature == nil {
		t.Errorf("the evidence certificate says %+v", facts.People[0])
	}
	if r := verified(t, s, owner.download(id)); !r.Passed() || len(r.Signatures) == 0 {
		t.Errorf("%s %s", r.Indication, r.SubIndication)
	}
	// Who only read a document is erased from it when it ends without a signature.
	owner.verb("cancel-docs", canceled).ok()
	if err := s.workflow.FinishErasures(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := string(owner.get("signers", canceled).ok().body); strings.Contains(got, reader.name) || strings.Contains(got, reader.email) || strings.Contains(got, gone.name) {
		t.Errorf("the canceled document names erased people: %s", got)
	}

	admin.do("PUT", "/v1/admin/guests/erased", object{"email": "tamu@example.test"}).ok()
	for _, of := range []int64{id, canceled} {
		if got := string(owner.get("signers", owner.copyOf(of)).ok().body); strings.Contains(got, "tamu@example.test") || strings.Contains(got, contract.ErasedName) || !strings.Contains(got, "lain@example.test") || strings.Contains(got, gone.name) {
			t.Errorf("the copy of %d has erased people: %s", of, got)
		}
	}
	if got := string(owner.do("GET", "/v1/econtract/web_app/guests", nil).ok().body); strings.Contains(got, "tamu@example.test") || !strings.Contains(got, "lain@example.test") {
		t.Errorf("suggested guests: %s", got)
	}
	fsck(t, s, 0)
}

// TestAnErasureThatWasInterruptedGoesOn stops after the intention, as a crash does, while the person has sent a document with a request that was in progress.
func TestAnErasureThatWasInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	server, mail := startMailServer(t)
	s := start(t, mail...)
	admin, person, signer := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu"), s.person(t, "Budi", "PT Satu")
	waiting := signable(admin, person)
	server.mailTo(t, person.email, 1)
	draft := person.upload(simple(), signer.as("signer", 1))
	now := s.clock()
	id := contract.PersonID(person.id)
	loaded, err := s.store.Document(t.Context(), contract.DocumentID(draft))
	if err != nil {
		t.Fatal(err)
	}
	x := contract.Erasure{Person: id, Organisation: loaded.Organisation, At: now}
	if err := s.store.BeginErasure(t.Context(), x, contract.Event{Type: contract.EventErasureBegun, At: now, Details: map[string]string{"person": person.id}}); err != nil {
		t.Fatal(err)
	}
	person.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	// The request had been authorised before the erasure began.
	if _, err := s.workflow.Finalize(t.Context(), contract.Actor{Person: loaded.Owner, Organisation: loaded.Organisation}, contract.DocumentID(draft), contract.FinalizeOptions{}); err != nil {
		t.Fatal(err)
	}
	read := func() contract.Erasure {
		x, err := s.store.Erasure(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for range 2 {
		if err := s.workflow.ContinueErasures(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if x := read(); !x.DoneAt.IsZero() {
		t.Error("the erasure is done although the person owns a document that was sent")
	}
	admin.do("PUT", "/v1/admin/people/"+person.id+"/erased", nil).is(http.StatusConflict, "person.owns_documents")
	admin.transfer(person, admin).ok()
	if err := s.workflow.ContinueErasures(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x := read(); x.DoneAt.IsZero() {
		t.Error("the erasure is not done")
	}
	// The document that waits for the person keeps their address, and writes to it no more.
	admin.verb("remind-docs", waiting).ok()
	state := func() string {
		for _, p := range admin.get("signers", waiting).ok().object("data")["signer"].([]any) {
			for _, n := range p.(object)["mail"].([]any) {
				if n := n.(object); n["kind"] == string(contract.NoticeReminder) {
					return fmt.Sprint(n["status"])
				}
			}
		}
		return "none"
	}
	for deadline := time.Now().Add(time.Minute); !slices.Contains([]string{string(contract.NoticeDropped), string(contract.NoticeSent)}, state()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the reminder is %s", state())
		}
	}
	if got := state(); got != string(contract.NoticeDropped) {
		t.Errorf("the reminder of an erased person is %s", got)
	}
	fsck(t, s, 0)
}

// TestTheErasureOfAGuestLeavesWhatTheDecisionNames erases a guest who is known by a phone number alone, and searches every column of the database for their name and number.
func TestTheErasureOfAGuestLeavesWhatTheDecisionNames(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		provider, phone := startPhoneProvider(t)
		s := start(t, slices.Concat(set, phone)...)
		admin, owner := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Pemilik", "PT Satu")
		const name, number, to = "Tamu Berponsel", "+6287770001112", "6287770001112"
		upload := func() int64 {
			return owner.uploadWith(object{"document_title": "Sewa", "guest": object{"name": name, "phone": "0877-7000-1112", "channel": "whatsapp", "role": "signer", "number": 1}}, simple())
		}
		texts := 0
		opened := func() (int64, *client) { // by the guest, who has proved their number
			id := upload()
			owner.verb("finalize-docs", id).ok()
			texts++
			guest := s.openLink(t, provider.textTo(t, to, texts).guestLink(t))
			guest.verb("guest-code-docs", id).ok()
			texts++
			guest.verb("guest-verify-docs", id, "code", provider.textTo(t, to, texts).code(t)).ok()
			return id, guest
		}
		draft := upload()
		running, _ := opened()
		canceled, _ := opened()
		owner.verb("cancel-docs", canceled).ok()
		texts++
		provider.textTo(t, to, texts)
		declined, guest := opened()
		guest.verb("reject-docs", declined, "reason", "salah").ok()
		signed, guest := opened()
		guest.verb("sign-docs", signed).ok()
		owner.completed(signed)
		texts++
		provider.textTo(t, to, texts)
		s.stopJobs(t)

		erase := func(of *client, body object) *answer { return of.do("PUT", "/v1/admin/guests/erased", body) }
		erase(owner, object{"phone": number}).is(http.StatusForbidden)
		erase(admin, object{}).is(http.StatusUnprocessableEntity, "erase.contact_missing")
		erase(admin, object{"email": "", "phone": ""}).is(http.StatusUnprocessableEntity, "erase.contact_missing")
		erase(admin, object{"email": "tamu@example.test", "phone": number}).is(http.StatusUnprocessableEntity, "erase.contact_both")
		erase(admin, object{"phone": "12"}).is(http.StatusUnprocessableEntity, contract.PhoneMalformed)
		db := editRows(t, databaseDSN(s.conf))
		before := db.columnsWith(name, to[2:])
		unknown := erase(admin, object{"phone": "+6287770001113"}).ok()
		if known := erase(admin, object{"phone": "0877 7000 1112"}).ok(); string(known.body) != string(unknown.body) {
			t.Errorf("the answers differ: %s, %s", known.body, unknown.body)
		}
		for id, want := range map[int64]bool{draft: false, canceled: false, running: true, declined: true, signed: true} {
			shown := string(owner.get("signers", id).ok().body) + string(owner.get("detail", id).ok().body)
			if strings.Contains(shown, name) != want || strings.Contains(shown, to[2:]) != want {
				t.Errorf("document %d: %s", id, shown)
			}
		}
		after := db.columnsWith(name, to[2:])
		if want := remainingOfGuests(t); !slices.Equal(after, want) {
			t.Errorf("what is left is in %v, and the decision says %v; before it was in %v", after, want, before)
		}
		// A document that waited is erased when it ends.
		owner.verb("cancel-docs", running).ok()
		if err := s.workflow.FinishErasures(t.Context()); err != nil {
			t.Fatal(err)
		}
		if shown := string(owner.get("signers", running).ok().body); strings.Contains(shown, name) {
			t.Errorf("the document that ended later: %s", shown)
		}
		if left := db.columnsWith(to[2:]); slices.Contains(left, "guest_code.address") {
			t.Errorf("codes are left although all documents have ended: %v", left)
		}
		fsck(t, s, 0)
	})
}

// remainingOfGuests reads from the decision page what remains of a guest: the rows "| `table.column` | reason |", in their order.
func remainingOfGuests(t *testing.T) (all []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/decisions/0091-erasure.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.HasPrefix(cells[1], " `") {
			all = append(all, strings.Trim(cells[1], " `"))
		}
	}
	return all
}

// columnsWith returns the columns, as table.column in the order of their names, in which a row has one of the texts, in any case of letters. Tables of the queue are left out.
func (m *rowEditor) columnsWith(texts ...string) (found []string) {
	m.t.Helper()
	for _, c := range m.columns() {
		if strings.HasPrefix(c.table, "river_") {
			continue
		}
		rows, err := m.conn.QueryContext(context.Background(), `SELECT `+c.name+` FROM `+c.table)
		if err != nil {
			m.t.Fatal(err)
		}
		has := false
		for rows.Next() {
			var v any
			if err := rows.Scan(&v); err != nil {
				m.t.Fatal(err)
			}
			if b, isBytes := v.([]byte); isBytes {
				v = string(b)
			}
			text, _ := v.(string)
			has = has || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(s)) })
		}
		if err := rows.Err(); err != nil {
			m.t.Fatal(err)
		}
		if name := c.table + "." + c.name; has && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
