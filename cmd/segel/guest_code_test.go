package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"segel/internal/contract"
)

var mailedCode = regexp.MustCompile(`\b[0-9]{6}\b`)

// code returns the code in a mail.
func (m receivedMail) code(t *testing.T) string {
	t.Helper()
	if code := mailedCode.FindString(m.body); code != "" {
		return code
	}
	t.Fatalf("no code in %.2000s", m.body)
	return ""
}

// anotherCode returns a code that is not this one.
func anotherCode(code string) string {
	if code[0] == '0' {
		return "1" + code[1:]
	}
	return "0" + code[1:]
}

const budi = "budi@example.test"

// mailedGuest uploads a document with a guest, finalizes it, and returns its number and the guest with their mailed link.
func (s *service) mailedGuest(t *testing.T, owner *client, server *mailServer, members object) (id int64, guest *client) {
	t.Helper()
	upload := object{"guest": object{"name": "Budi Santoso", "email": budi, "role": "signer", "number": 1}}
	for name, v := range members {
		upload[name] = v
	}
	id = owner.uploadWith(upload, simple())
	owner.verb("finalize-docs", id).ok()
	return id, s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
}

func TestACodeIsValidForOneGuestOneRevisionAndFewTries(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	second := s.person(t, "Dewi Lestari", "PT Sari")
	id, guest := s.mailedGuest(t, owner, server, object{"parallel": 1, "signer": []any{second.as("signer", 1)}})
	guest.verb("guest-verify-docs", id, "code", "123456").is(409, "guest.code_ended")
	ordered := guest.verb("guest-code-docs", id).ok().object("response")["data"].(object)
	if ordered["address"] != "b***@example.test" {
		t.Errorf("the answer names the mailbox %v", ordered["address"])
	}
	guest.verb("guest-code-docs", id).is(429, "guest.code_too_soon")
	code := server.mailTo(t, budi, 2).code(t)
	for left := 4; left > 0; left-- {
		said := guest.verb("guest-verify-docs", id, "code", anotherCode(code)).is(422, "guest.code_wrong")
		if !strings.Contains(string(said.body), fmt.Sprintf("Sisa percobaan: %d.", left)) {
			t.Errorf("the refusal does not say that %d tries are left: %s", left, said.body)
		}
	}
	guest.verb("guest-verify-docs", id, "code", anotherCode(code)).is(409, "guest.code_ended")
	guest.verb("guest-verify-docs", id, "code", code).is(409, "guest.code_ended")

	// A code of a former revision signs nothing, also if it was entered before.
	runSQL(t, s.conf.DataDir, nil, `UPDATE guest_code SET created_at = created_at - 61000000`)
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 3).code(t)).ok()
	second.verb("sign-docs", id).ok()
	guest.verb("sign-docs", id).is(403, "guest.code_required")
	guest.verb("guest-code-docs", id).ok() // at once: the last one was used
	code = server.mailTo(t, budi, 4).code(t)

	// Another session with the same link has to enter a code too.
	other := s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
	guest.verb("guest-verify-docs", id, "code", code[:3]+" "+code[3:]).ok()
	other.verb("sign-docs", id).is(403, "guest.code_required")
	other.verb("guest-verify-docs", id, "code", code).is(409, "guest.code_ended")
	guest.verb("sign-docs", id).ok()

	// People with an account, and owners, get none.
	owner.verb("guest-code-docs", id).is(403, "guest.only")
	second.verb("guest-verify-docs", id, "code", code).is(403, "guest.only")
	s.person(t, "Asep", "PT Lain").verb("guest-code-docs", id).is(404, "document.not_found")
	events, err := s.store.Events(context.Background(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	signed := 0
	for _, e := range events {
		if e.Type == contract.EventSigned && e.Details["link"] == "mailed" && e.Details["mailbox"] == budi && e.Details["mailbox_verified_at"] != "" {
			signed++
		}
		for _, v := range e.Details {
			if strings.Contains(v, code) && !strings.Contains(e.Details["digest"], code) && !strings.Contains(e.Details["certificate"], code) && !strings.Contains(e.Details["mailbox_digest"], code) {
				t.Errorf("the log has the code: %v", e)
			}
		}
	}
	if signed != 1 {
		t.Errorf("%d signatures state the verified mailbox", signed)
	}
}

func TestALinkThatWasHandedOutNeedsACodeOnlyIfTheOwnerDemandsIt(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id, _ := s.mailedGuest(t, owner, server, nil)
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	owner.guest(id, person).verb("sign-docs", id).ok()

	id = owner.uploadWith(object{"guest_code": "read", "guest": object{"name": "Dian", "email": "dian@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	person = owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	guest := owner.guest(id, person)
	check := guest.get("detail", id).ok().object("data")["code"].(object)
	if check["to_read"] != true || check["to_sign"] != true || check["delivered"] != true {
		t.Errorf("what the guest has to prove: %v", check)
	}
	for _, what := range []string{"preview", "pages", "page-picture"} {
		guest.get(what, id).is(403, "guest.code_required")
	}
	server.mailTo(t, "dian@example.test", 1) // the invitation; it may arrive after the code otherwise
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, "dian@example.test", 2).code(t)).ok()
	guest.get("pages", id).ok()
	if _, still := guest.get("detail", id).ok().object("data")["code"]; still {
		t.Error("a code is still demanded")
	}
	guest.verb("sign-docs", id).ok()
}

func TestWithoutAMailServerNoCodeIsSentAndMailedLinksSignWithoutOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": budi, "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	person := contract.PersonID(owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string))
	link, err := s.identity.MailedLink(context.Background(), contract.DocumentID(id), person)
	if err != nil {
		t.Fatal(err)
	}
	guest := s.openLink(t, link)
	guest.verb("guest-code-docs", id).is(409, "guest.no_mailbox")
	guest.verb("sign-docs", id).ok()
}

func TestACorrectedAddressEndsTheFormerLinksAndIsInvited(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	member := s.person(t, "Dewi Lestari", "PT Sari")
	id, former := s.mailedGuest(t, owner, server, nil)
	link := server.mailTo(t, budi, 1).guestLink(t)
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	correct := func(c *client, name, value string) *answer {
		return c.verb("correct-guest-docs", id, "user_id", person, name, value)
	}
	correct(owner, "email", "budi").is(422, "email.malformed")
	correct(owner, "email", member.email).is(422, "guest.has_account")
	correct(owner, "name", " ").is(422, "text.missing")
	correct(former, "email", "thief@example.test").is(403)
	correct(owner, "name", "Budi Hartono").ok()
	former.get("detail", id).ok() // the address is the same
	correct(owner, "email", "hartono@example.test").ok()
	former.get("detail", id).is(401)
	(&client{service: s, t: t}).do("POST", "/v1/auth/guest", object{"link": link}).is(404, "guest.link_revoked")
	invitation := server.mailTo(t, "hartono@example.test", 1)
	if !strings.Contains(invitation.body, "Budi Hartono") || invitation.guestLink(t) == link {
		t.Errorf("the new invitation: %.1500s", invitation.body)
	}
	guest := s.openLink(t, invitation.guestLink(t))
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, "hartono@example.test", 2).code(t)).ok()
	guest.verb("sign-docs", id).ok()
	correct(owner, "email", "other@example.test").is(409)
}

func TestMessagesHaveTheSendersWordsTheLanguageOfTheRecipientAndTheFinishedFile(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id, guest := s.mailedGuest(t, owner, server, object{
		"document_title": "Sewa Ruko", "message": "Mohon ditandatangani\nsebelum Jumat.", "attach": 1,
		"guest": object{"name": "Budi Santoso", "email": budi, "role": "signer", "number": 1, "language": "id"},
	})
	invitation := server.mailTo(t, budi, 1)
	if !strings.Contains(invitation.body, "sebelum Jumat.") || !strings.Contains(invitation.body, "Bapak/Ibu Budi Santoso") {
		t.Errorf("the invitation: %.1500s", invitation.body)
	}
	delivery := owner.get("detail", id).ok().object("data")["delivery"].(object)
	if delivery["message"] != "Mohon ditandatangani\nsebelum Jumat." || delivery["attach"] != true || delivery["messages"] != true {
		t.Errorf("delivery: %v", delivery)
	}
	if _, told := guest.get("detail", id).ok().object("data")["delivery"]; told {
		t.Error("a guest is told how others are reached")
	}
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, budi, 2).code(t)).ok()
	guest.verb("sign-docs", id).ok()
	if done := server.mailTo(t, budi, 3); !strings.Contains(done.body, "Sewa Ruko-signed.pdf") || !strings.Contains(done.body, "terlampir") {
		t.Errorf("the message about the completion has no file: %.1500s", done.body)
	}
	if done := server.mailTo(t, owner.email, 1); !strings.Contains(done.body, "are attached") {
		t.Errorf("the message to the owner: %.1500s", done.body)
	}

	// A file with a stamp of the sandbox office is marked in the mail too.
	stamped := owner.uploadWith(object{"document_title": "Kwitansi", "attach": 1}, simple())
	owner.place(stamped, owner.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", stamped).ok()
	owner.completed(stamped)
	if done := server.mailTo(t, owner.email, 2); !strings.Contains(done.body, "SPESIMEN-Kwitansi-signed.pdf") {
		t.Errorf("the message about a specimen: %.1500s", done.body)
	}

	// No messages at all, if the owner wants none.
	silent := owner.uploadWith(object{"messages": 0, "guest": object{"name": "Dian", "email": "dian@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", silent).ok()
	if got := owner.noticeKinds(silent, "dian@example.test"); len(got) != 0 {
		t.Errorf("messages to a guest of a silent document: %v", got)
	}
	draft := owner.uploadWith(object{"guest": object{"name": "Dian", "email": "dian@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("describe-docs", draft, "guest_code", "never").is(422, "value.not_one_of")
	owner.verb("describe-docs", draft, "guest_code", "sign", "messages", 0).ok()
	delivery = owner.get("detail", draft).ok().object("data")["delivery"].(object)
	if delivery["guest_code"] != "sign" || delivery["messages"] != false {
		t.Errorf("delivery after the change: %v", delivery)
	}
}

func TestTheServiceRemindsByTheScheduleOfADocument(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, append(set, "SEGEL_QUIET_HOURS", "0-0")...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id, _ := s.mailedGuest(t, owner, server, object{"remind": object{"after": 2}})
	if err := s.workflow.RemindDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Two days later, without waiting for them.
	const days = 2 * 24 * 3600 * 1_000_000
	runSQL(t, s.conf.DataDir, nil, fmt.Sprintf(`UPDATE document SET finalized_at = finalized_at - %d, remind_at = remind_at - %d WHERE id = %d`, days, days, id))
	for range 2 { // the second one finds nothing
		if err := s.workflow.RemindDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if reminder := server.mailTo(t, budi, 2); !strings.Contains(reminder.subject, "Reminder") {
		t.Errorf("the reminder: %s", reminder.subject)
	}
	s.stopJobs(t)
	if got := len(server.to(budi)); got != 2 {
		t.Errorf("%d mails were sent", got)
	}
}

func TestAStolenDatabaseAndTheLogContainNoLinkNoCodeAndNoSecretOfAWebhook(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	log := &lockedBuffer{}
	s := starting{set: set, log: log}.start(t)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id, guest := s.mailedGuest(t, owner, server, nil)
	guest.verb("guest-code-docs", id).ok()
	code := server.mailTo(t, budi, 2).code(t)
	_, secret, _ := strings.Cut(server.mailTo(t, budi, 1).guestLink(t), "#")
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	handedOut := owner.verb("guest-link-docs", id, "user_id", person).ok().object("response", "data")["url"].(string)
	_, other, _ := strings.Cut(handedOut, "#")
	hook := s.administrator(t, "Admin", "PT Sari").do("POST", "/v1/admin/webhooks", object{"url": "https://hook.example.test/"}).ok().object("response", "data")["secret"].(string)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hook, "whsec_"))
	if err != nil || len(key) < 24 {
		t.Fatalf("the secret of the webhook %q: %v", hook, err)
	}
	s.stop()
	// Alone, not as a part of a longer number or digest.
	alone := regexp.MustCompile(`(^|[^0-9A-Za-z])` + code + `([^0-9A-Za-z]|$)`)
	address := false
	for _, name := range []string{"segel.db", "segel.db-wal", "the log"} {
		b := log.Bytes()
		if name != "the log" {
			b, err = os.ReadFile(filepath.Join(s.conf.DataDir, name))
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(b) == 0 && name != "segel.db-wal" {
			t.Fatalf("%s has %d bytes: %v", name, len(b), err)
		}
		for what, found := range map[string]bool{
			"the mailed link": bytes.Contains(b, []byte(secret)), "the link that was handed out": bytes.Contains(b, []byte(other)), "the code": alone.Match(b),
			"the token of the guest": bytes.Contains(b, []byte(guest.token)), "the secret of the webhook": bytes.Contains(b, key) || bytes.Contains(b, []byte(strings.TrimPrefix(hook, "whsec_"))),
		} {
			if found {
				t.Errorf("%s has %s", name, what)
			}
		}
		address = address || name != "the log" && bytes.Contains(b, []byte(budi))
	}
	if !address {
		t.Error("the address of the guest was not found: something else than the database was searched")
	}
}
