package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// undetected lists what fsck does not detect, with the reason: a changed column ("table.column"), a deleted row ("table"), or
// both ("table.*"). It must detect everything else.
var undetected = map[string]string{
	// Sessions consist of random secrets and expire, and logins must not make the log grow. An attacker who can change one can
	// also add one, which no comparison detects.
	"token":                 "a session that is missing has ended; the person logs in again",
	"token.hash":            "the digest of another secret: the session ends",
	"token.family":          "says which tokens end together; no other row has it",
	"token.created_at":      "of the time of a login nothing else is kept",
	"token.expires_at":      "how long sessions live is a setting that may have changed since",
	"password_request.*":    "a request for a new password, which is answered at once or expires; its event tells it",
	"password_reset.*":      "a link that is valid for half an hour; the secret is derived from the master key, so a changed row opens nothing",
	"invitation":            "an invitation that is missing is sent again; its events tell it",
	"invitation.*":          "a link that is valid for seven days; the secret is derived from the master key and the row, so a changed row opens nothing",
	"session.*":             "what its owner sees of a login; without it, the tokens of the login work until they expire",
	"known_device":          "a device that is not known is asked to wait while others try passwords",
	"known_device.hash":     "the digest of another secret: the device is not known any more",
	"known_device.used_at":  "of the time of a login nothing else is kept",
	"known_address":         "an address that is not known is asked to wait while others try passwords",
	"known_address.address": "another network: of where a login came from nothing else is kept",
	"known_address.used_at": "of the time of a login nothing else is kept",

	"api_key_token":     "an access token that is missing has ended; its client asks for another",
	"api_key_token.*":   "a token permits no more than its key, and ends with it",
	"api_key_network":   "a network that is missing is reported again when the key is used from there",
	"api_key_network.*": "the log has the event of the first use from a network; of later ones nothing else is kept",

	// What changes with each use of a second factor, so that logins do not make the log grow. The factors themselves are records of the log.
	"passkey_use":      "a passkey without a count is one that does not count",
	"passkey_use.*":    "counts and times of uses; a count that is too high refuses the passkey, one that is too low lets it in",
	"code_use":         "of the codes that were entered, those of the last minute could be entered again",
	"code_use.*":       "the same",
	"try_count":        "that many tries of a password are free again",
	"try_count.*":      "the same",
	"login":            "deleted after half a year; the audit log keeps no record of logins",
	"login.*":          "the same",
	"login_report.*":   "the administrators are told of failed logins once more, or six hours later",
	"used_challenge":   "the answer of a passkey could be sent again for five minutes",
	"used_challenge.*": "the same",
	// Claims and answers are stored for a day, encrypted with keys that only their clients have.
	"answer":            "an answer that is missing is like one that was purged: the request is carried out again",
	"answer.account":    "found by no request any more, like one that was purged",
	"answer.path":       "found by no request any more, like one that was purged",
	"answer.body":       "associated data of a seal that the client's key opens",
	"answer.status":     "not sealed; gone after a day",
	"answer.header":     "not sealed; gone after a day",
	"answer.content":    "sealed with a key that the client has: a changed one is refused when it is asked for",
	"answer.sealed":     "one that is sealed and says that it is not is found by no request any more",
	"answer.kept_at":    "says when it is purged",
	"claim":             "a claim that is missing has ended",
	"claim.account":     "found by no request any more, and purged",
	"claim.path":        "found by no request any more, and purged",
	"claim.token":       "random: its request loses the claim and has no effect",
	"claim.process":     "names a process that may have ended",
	"collected_file":    "without it a process that was suspended for days could refer to a file that is aside, and fsck then names the file",
	"collected_file.*":  "the same",
	"lease.*":           "which process has a slot or buys now; a wrong one is a wait until its process ends",
	"lease_wait.*":      "which call is next for a slot; a wrong one changes the order of the calls",
	"node":              "a process that is missing joins again under another name",
	"node.*":            "about a process that lives or has ended; it renews its row every second",
	"backup_run.*":      "when a backup was made; the destination has its own record of it",
	"restoration.*":     "about a restoration; the backup has its own record",
	"claim.claimed_at":  "of the time of a request nothing else is kept",
	"claim.lease_until": "changes with every renewal",

	// The queue. Each waiting document is compared with it; of a job, only its purpose.
	"river_job.id":            "numbers of the queue's own",
	"river_job.attempt":       "bookkeeping of the queue: when a job is tried again",
	"river_job.max_attempts":  "bookkeeping of the queue",
	"river_job.attempted_at":  "bookkeeping of the queue",
	"river_job.attempted_by":  "bookkeeping of the queue",
	"river_job.created_at":    "bookkeeping of the queue",
	"river_job.scheduled_at":  "bookkeeping of the queue: when a job is tried; the service orders again what stands still",
	"river_job.priority":      "bookkeeping of the queue",
	"river_job.queue":         "bookkeeping of the queue; the service orders again what stands still",
	"river_job.errors":        "what the queue says of failed tries",
	"river_job.metadata":      "bookkeeping of the queue",
	"river_job.tags":          "bookkeeping of the queue",
	"river_job.unique_key":    "keeps a job from being ordered twice, which does no harm: jobs are decided by the document",
	"river_job.unique_states": "keeps a job from being ordered twice, which does no harm: jobs are decided by the document",
	"river_leader.*":          "which process leads now; made anew",
	"river_queue.*":           "which queues processes work on now; made anew",
	"river_notification.*":    "calls to processes that wait now",

	// Long lists: this installation has none, and a test of sqlstore changes theirs.
	"former_link.*":      "hashes of links that were replaced or revoked: they open nothing, and choose the sentence for the holder",
	"document.remind_at": "when the service looks at the document; the document itself decides whether a reminder is due",

	// Messages. What was sent is an event of the log.
	"notice":               "a message that is missing is not sent; the audit trail lacks the event of its delivery",
	"notice.*":             "decides where and when a message is sent; the audit trail says where it was sent",
	"mailed_link":          "a link that is missing is made anew by the next message",
	"mailed_link.*":        "a link works only if its hash is that of the secret that is derived from the master key and the row",
	"guest_code":           "a code that is missing cannot be entered; the guest asks for another one",
	"guest_code.*":         "a code works only if it is derived from the master key and the row; its tries are few in any case",
	"proved_mailbox":       "what is missing is proved again",
	"proved_mailbox.*":     "the log has the event of each proof, and the signature the mailbox or the phone number",
	"consent_acceptance":   "an acceptance that is missing is asked for again; the event of the signature states it",
	"consent_acceptance.*": "the event of the signature states what was accepted when",
	// Webhooks. What admins change about them is an event of the log, and so is what they are sent.
	"webhook":            "a webhook that is missing is sent nothing; receivers that read the feed miss nothing",
	"webhook.*":          "decides where events are sent; a secret opens only under the master key and with the number of its webhook",
	"webhook_delivery":   "a delivery that is missing is not sent; the feed has the event",
	"webhook_delivery.*": "decides when an event is sent; the feed has the event",
	// Identity providers. What admins change about them is an event of the log, and so is each link.
	"scim_token":    "a directory without a secret has no access; an administrator gives it another",
	"scim_token.*":  "a hash of a random secret: another one lets no one in; the log has the event of each secret",
	"scim_user":     "what a directory states about an account; it states it again",
	"scim_user.*":   "names and numbers of a directory; the account itself has a digest",
	"scim_group":    "a group that is missing is created again by its directory",
	"scim_group.*":  "the log has the event of each change; roles of accounts have a digest",
	"scim_member":   "a member who is missing is added again by the directory",
	"scim_member.*": "roles of accounts have a digest",
	// Labels and folders sort documents and say nothing about them. The log has an event of each change of a label.
	"label":             "documents lose a label that is missing; an administrator adds it again",
	"label.*":           "the log has the event of each label",
	"document_label":    "a label that is missing is set again",
	"document_label.*":  "a document with another label: nothing goes by it but the filter of lists",
	"folder":            "what was in a folder that is missing is in none",
	"folder.*":          "a name that its owner gave",
	"folder_document":   "a document that is in no folder any more stays in its lists",
	"folder_document.*": "which of the person's own documents are in which folder",
	"erased_guest":      "a guest who is missing is suggested to owners again",
	"erased_guest.*":    "the same, of another document",
	"removal_notice":    "an owner of whom it is not known that they were told is told again",
	"removal_notice.*":  "when an owner was told; the audit log has the event of each message",
	"embed_address":     "an address that is missing has ended; its program asks for another",
	"embed_address.*":   "an address lasts minutes, and its page an hour; the events of the document tell who asked for it and where it was opened",

	"sso":                 "an organisation without a provider: its people log in with passwords",
	"sso.*":               "decides who may log in, not what was signed; the secret opens only under the master key and with its organisation",
	"sso_domain":          "a domain that is missing routes nothing",
	"sso_domain.*":        "the log has the event of each grant",
	"sso_grant":           "a grant that is missing routes nothing",
	"sso_grant.*":         "the log has the event of each grant",
	"sso_identity":        "a link that is missing is made again by the address",
	"sso_identity.*":      "the log has the event of each link",
	"group_role":          "a person keeps the role when they leave the group that gave it; the role itself has a digest",
	"group_role.*":        "where a role came from; the role itself has a digest, and the log has the event of each change",
	"sso_login":           "a session that its provider cannot end expires",
	"sso_login.*":         "says which sessions a provider ends",
	"sso_used":            "gone when the login that it belongs to has expired",
	"sso_used.*":          "a digest of a random value: a repeated answer is refused by the provider too",
	"blob_key.created_at": "of when a key was made nothing else is kept, and nothing goes by it",
	// Uploads that are not documents yet.
	"resumable_upload":   "an upload that is missing has ended; the person uploads the file again",
	"resumable_upload.*": "not a document yet: what arrived is compared with its digest when it becomes one",
	"resumable_part":     "a part that is missing is noticed when the upload becomes a document",
	"resumable_part.*":   "not a document yet: what arrived is compared with its digest when it becomes one",

	"office_entry.made_at": "when an entry was added: the entry says it too",
	"office_record.*":      "pictures and numbers that the stamp office gave with a serial; the stamp that is made of them is checked",
	"key_file.created_at":  "when a file was added: nothing goes by it",
	"tls_record":           "a record that is missing is ordered again",
	"tls_record.*":         "the certificate of the listener: it opens only under the master key and with its name, and another one is ordered",

	"quota.low": "whether few units were reported: they are reported again, or once less",

	"box_leaf.*":        "counts of spans with 64 documents of a list; TestChangedCountsAndTitlesOfLongListsAreFound",
	"box_titles.*":      "titles of leaves with 16 documents of a list; the same",
	"box_index.*":       "an index of titles in spans of 524,288 documents; the same",
	"box_gram.*":        "the same",
	"box_span.last_day": "a later bound makes pages of a period read more rows",
	"box_span.edits":    "another number makes searches read titles from the documents",
	"title_index.next":  "how far titles are stored: a search reads those that are missing from the documents",

	// When, and by which program, tables were created.
	"goose_db_version.id":             "a number of the row: nothing goes by it",
	"goose_db_version.is_applied":     "a number in SQLite: each but 0 says that it was applied",
	"goose_db_version.tstamp":         "when a migration was applied: nothing goes by it",
	"river_migration.created_at":      "when a migration was applied: nothing goes by it",
	"schema_migration.binary_version": "which program applied a migration: it is named in one message",
}

// chosen restricts the rows that are changed, for tables where not every row matters.
var chosen = map[string]string{
	"river_job":    "finalized_at IS NULL AND kind IN ('convert', 'stamp', 'complete')", // no document waits for a notice
	"office_entry": "office = 'office'",                                                 // the other one is that of test documents
	"box_span":     "amount <> 0",                                                       // a count of 0 equals no row
}

// fullInstallation creates an installation with rows in every table, stops its service, and returns its folder.
func fullInstallation(t *testing.T, set ...string) (data string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	server, mail := startMailServer(t)
	set = append(slices.Clone(set), "SEGEL_BLOB_ENCRYPTION", "on")
	s := starting{data: data, set: slices.Concat(set, mail, []string{"SEGEL_GUEST_ACCOUNTS", "true"})}.start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	id := owner.uploadWith(object{
		"signer": []object{signer.as("signer", 1)},
		"guest":  object{"name": "Tamu", "email": "tamu@example.test", "role": "viewer", "number": "2"},
	}, simple())
	owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id, "consent", signer.consentOf(id, "id")).ok()
	owner.completed(id)
	owner.evidenceOf(id)
	guest := s.openLink(t, server.mailTo(t, "tamu@example.test", 1).guestLink(t))
	server.mailTo(t, "tamu@example.test", 2) // about the completion
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, "tamu@example.test", 3).code(t)).ok()
	guest.do("POST", "/v1/auth/guest/account", object{"password": guestPassword}).ok()
	owner.guest(id, guestOf(owner, id))

	owner.upload(simple(), signer.as("approver", 1)) // a draft
	owner.verb("template-docs", id, "placeholders", []object{{"user_id": signer.id, "name": "Penyewa"}}).ok()
	part := padded(100_000)
	owner.sendPart(owner.beginUpload(len(part)), 0, part[:50_000]).is(http.StatusNoContent)
	gone := owner.upload(simple())
	owner.do("DELETE", fmt.Sprint(documentPath, gone), nil).ok()
	if _, err := s.identity.DisablePerson(t.Context(), commandLineActor("user disable"), contract.PersonID(s.person(t, "Mantan", "").id)); err != nil {
		t.Fatal(err)
	}
	erased := contract.PersonID(s.person(t, "Terhapus", "").id)
	if _, err := s.identity.DisablePerson(t.Context(), commandLineActor("user disable"), erased); err != nil {
		t.Fatal(err)
	}
	if _, err := s.workflow.ErasePerson(t.Context(), commandLineActor("user erase"), erased); err != nil {
		t.Fatal(err)
	}
	if _, err := s.identity.SetRole(t.Context(), commandLineActor("user role"), contract.PersonID(s.person(t, "Anggota", "").id), contract.RoleMember); err != nil {
		t.Fatal(err)
	}
	if _, err := s.workflow.SuspendOrganisation(t.Context(), commandLineActor("org suspend"), organisationIDOf(t, s, s.person(t, "Penunggak", "PT Henti")), "unpaid"); err != nil {
		t.Fatal(err)
	}
	canceled := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", canceled).ok()
	owner.verb("cancel-docs", canceled, "reason", "salah berkas").ok()

	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.store.SetSpecimen(ctx, contract.PersonID(owner.id), store.SignatureSpecimen, []byte("a picture")))
	must(s.store.SetSpecimen(ctx, contract.PersonID(owner.id), store.InitialsSpecimen, []byte("another picture")))
	_, err := s.store.SetBranding(ctx, store.StoredBranding{
		Organisation: organisationIDOf(t, s, owner), Branding: contract.Branding{Colour: "#0b6e5f", Logo: strings.Repeat("a", 64)}, Image: []byte("a logo"), ChangedAt: time.Now(),
	}, func(contract.Branding) contract.Event {
		return contract.Event{Type: contract.EventBrandingChanged, At: time.Now()}
	})
	must(err)
	_, err = s.store.SetConsent(ctx, organisationIDOf(t, s, owner), store.ConsentChange{Texts: map[string]string{"id": "Setuju.", "en": "Agreed."}}, time.Now(), func(contract.ConsentPolicy, map[string]string) contract.Event {
		return contract.Event{Type: contract.EventConsentChanged, At: time.Now()}
	})
	must(err)
	_, _, err = s.store.TryCode(ctx, contract.PersonID(signer.id), store.CodeUse{UsedAt: time.Now()})
	must(err)
	code, err := s.sealer.Seal(identity.AuthenticatorSealID(contract.PersonID(signer.id)), []byte("secret"))
	must(err)
	must(s.store.AddAuthenticator(ctx, contract.PersonID(signer.id), store.Authenticator{Secret: code, CreatedAt: time.Now()}, 1, [][32]byte{{1}}, contract.Event{Type: contract.EventFactorAdded, At: time.Now()}))
	must(s.store.UseCode(ctx, contract.PersonID(signer.id), store.CodeUse{Step: 2, Code: [32]byte{1}, Binding: [32]byte{2}, UsedAt: time.Now()}))
	must(s.store.AddPasskey(ctx, store.Passkey{
		ID: "key", Person: contract.PersonID(signer.id), Name: "Laptop", PublicKey: []byte{1}, AAGUID: make([]byte, 16), Transports: "internal", CreatedAt: time.Now(), SignCount: 1,
	}, store.UsedChallenge{Ticket: [32]byte{1}, Binding: [32]byte{2}, At: time.Now()}, 20, nil, contract.Event{Type: contract.EventFactorAdded, At: time.Now()}))
	label, err := s.workflow.AddLabel(ctx, commandLineActor("label"), organisationIDOf(t, s, owner), "Sewa", "teal")
	must(err)
	owner.do("PUT", documentPath+"labelled", object{"documents": []object{{"document_id": id}}, "add": []string{string(label.ID)}}).ok()
	owner.filed(id, "Bandung")
	must(s.store.SetLocale(ctx, organisationIDOf(t, s, owner), contract.Locale{Language: "en", Zone: "Asia/Makassar"}, time.Now(), contract.Event{Type: contract.EventLocaleChanged, At: time.Now()}))
	s.newTeam(t, organisationIDOf(t, s, owner), owner)
	owner.verb("team-docs", canceled, "team", s.newTeam(t, organisationIDOf(t, s, owner), owner, signer)).ok()
	must(s.store.SetReminders(ctx, organisationIDOf(t, s, owner), contract.Reminders{After: 3}, time.Now(), contract.Event{Type: contract.EventRemindersChanged, At: time.Now()}))
	_, err = s.store.ChangeAccountPolicy(ctx, organisationIDOf(t, s, owner), time.Now(), func(p *contract.AccountPolicy) (contract.Event, error) {
		p.IdleLimit = 24 * time.Hour
		return contract.Event{Type: contract.EventPolicyChanged, At: time.Now()}, nil
	})
	must(err)
	must(s.store.SetEmbedOrigins(ctx, organisationIDOf(t, s, owner), []string{"https://erp.example.test"}, time.Now(), contract.Event{Type: contract.EventEmbeddingChanged, At: time.Now()}))
	owner.verb("embed-docs", id, "purpose", "view").ok()
	addProvider(ctx, t, s, owner)
	hook, _, err := s.webhooks.Add(ctx, commandLineActor("webhook add"), organisationIDOf(t, s, owner), contract.WebhookSettings{URL: "https://hook.example.test/"})
	must(err)
	_, _, err = s.webhooks.Rotate(ctx, commandLineActor("webhook rotate"), hook.ID)
	must(err)
	_, err = s.webhooks.Test(ctx, commandLineActor("webhook test"), hook.ID)
	must(err)
	var derived []store.DerivedKey
	for _, purpose := range derivedPurposes {
		k, err := s.sealDerivedKey(purpose)
		must(err)
		derived = append(derived, k)
	}
	// As after an exchange: the key in use is known, and so are the derived ones.
	must(s.store.AnnounceMasterKey(ctx, s.sealer.ID().String(), s.sealer.ID().String(), derived, time.Now()))
	_, err = s.store.CollectFile(ctx, strings.Repeat("c", 32), time.Now())
	must(err)
	must(s.store.StoreTLSRecord(ctx, "certificate", []byte("sealed"), time.Now()))
	_, err = s.store.AddReconciliation(ctx, contract.Reconciliation{At: time.Now()})
	must(err)
	key, keyID := owner.keyWith(object{"networks": []string{"127.0.0.0/8"}}, contract.ScopeRead)
	key.do("GET", "/v1/auth/me", nil).ok()
	s.keyToken(t, keyID, key.token, "").ok()
	testing, _ := owner.keyWith(object{"test": true}, contract.ScopeWrite)
	testing.upload(simple())
	for i, key := range []string{strings.Repeat("a", 64), strings.Repeat("b", 64)} {
		c := store.Claim{Account: owner.id, Path: "/v1/x", Key: key, Token: "token", Process: "process", At: time.Now()}
		_, err := s.store.Claim(ctx, c, time.Hour)
		must(err)
		if i == 0 {
			must(s.store.FinishClaim(ctx, c, store.Answer{Body: [32]byte{1}, Status: 200, Header: map[string]string{"A": "b"}, Content: make([]byte, 64), Sealed: true, At: time.Now()}))
		}
	}
	removed := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", removed).ok()
	signer.verb("sign-docs", removed, "consent", signer.consentOf(removed, "id")).ok()
	owner.completed(removed)
	owner.evidenceOf(removed)
	must(s.store.SetRetention(ctx, organisationIDOf(t, s, owner), contract.Retention{Years: 10}, contract.Event{Type: contract.EventRetentionChanged, At: time.Now()}))
	must(s.store.AnnounceRemovals(ctx, organisationIDOf(t, s, owner), contract.PersonID(owner.id), time.Now(), time.Now(), 1, func(store.Announcement) (contract.Notice, contract.Event) {
		return contract.Notice{Organisation: organisationIDOf(t, s, owner), Person: contract.PersonID(owner.id), Kind: contract.NoticeRemoval, State: contract.NoticeOrdered, OrderedAt: time.Now(), DueAt: time.Now()},
			contract.Event{Type: contract.EventRemovalAnnounced, At: time.Now()}
	}))
	s.removeNow(t, removed, 10)
	_, err = s.workflow.SetHold(ctx, commandLineActor("org hold"), organisationIDOf(t, s, owner), contract.DocumentID(id), "a case")
	must(err)
	must(s.store.EraseGuest(ctx, organisationIDOf(t, s, owner), contract.GuestContact{Email: "tamu@example.test"}, time.Now(), func(int) contract.Event {
		return contract.Event{Type: contract.EventGuestErased, At: time.Now()}
	}))
	s.stop()

	// A service that runs no jobs leaves one in the queue.
	s = starting{data: data, set: set, idle: true}.start(t)
	owner, signer = owner.on(s), signer.on(s)
	waits := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", waits).ok()
	signer.verb("sign-docs", waits).ok()
	must(s.store.AddPasswordRequest(ctx, store.PasswordRequest{ID: "r1", At: time.Now()}, contract.Event{Type: contract.EventPasswordForgot, At: time.Now()}))
	must(s.store.AnswerPasswordRequest(ctx, "r1", []store.PasswordReset{{ID: "p1", Person: contract.PersonID(owner.id), CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}}, nil))
	must(s.store.AddPasswordRequest(ctx, store.PasswordRequest{ID: "r2", At: time.Now()}, contract.Event{Type: contract.EventPasswordForgot, At: time.Now()}))
	_, err = s.identity.Invite(ctx, commandLineActor("user invite"), identity.NewInvitation{Email: "undangan@example.test", Name: "Undangan", Organisation: organisationIDOf(t, s, owner)})
	must(err)
	c := store.Claim{Account: owner.id, Path: "/v1/y", Key: strings.Repeat("c", 64), Token: "token", Process: "process", At: time.Now()}
	_, err = s.store.Claim(ctx, c, time.Hour)
	must(err)
	s.stop()
	return data
}

// removeNow removes the files of a completed document as if its retention of so many years had ended.
func (s *service) removeNow(t *testing.T, id int64, years int) {
	t.Helper()
	d, err := s.store.Document(t.Context(), contract.DocumentID(id))
	v, e1 := s.store.EvidenceFile(t.Context(), d.ID)
	c, _ := contract.RemoveFiles(&d, contract.Retention{Years: years}, v.File.Digest, time.Now().AddDate(years, 0, 1))
	if err := errors.Join(err, e1); err != nil || c.Removal == nil {
		t.Fatal("not due", err)
	}
	now := time.Now()
	c.Removal.At, c.Events[0].At = now, now
	err = s.store.AnnounceRemovals(t.Context(), d.Organisation, d.Owner.ID, now, now.Add(-contract.RemovalNotice), 100, func(store.Announcement) (contract.Notice, contract.Event) {
		return contract.Notice{Organisation: d.Organisation, Person: d.Owner.ID, Kind: contract.NoticeRemoval, State: contract.NoticeSent, OrderedAt: now, DueAt: now}, contract.Event{Type: contract.EventRemovalAnnounced, At: now}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// addProvider gives the organisation of a user an identity provider, with a row in each of its tables.
func addProvider(ctx context.Context, t *testing.T, s *service, owner *client) {
	t.Helper()
	by, of, secret := commandLineActor("sso"), organisationIDOf(t, s, owner), "rahasia"
	_, err := s.sso.ReplaceSettings(ctx, by, of, contract.SSOSettings{Issuer: "https://login.example.test", ClientID: "segel"}, &secret)
	_, e1 := s.sso.ClaimDomain(ctx, by, of, "example.test")
	_, e2 := s.sso.GrantDomain(ctx, by, of, "example.test")
	e := contract.Event{Type: contract.EventSSOLinked, At: time.Now(), Details: map[string]string{"organisation": string(of)}}
	e3 := s.store.LinkSSOIdentity(ctx, store.SSOIdentity{Organisation: of, Issuer: "https://login.example.test", Subject: "1", Person: contract.PersonID(owner.id), LinkedAt: time.Now()}, e)
	e4 := s.store.AddSSOLogin(ctx, store.SSOLogin{Family: "family", Organisation: of, Issuer: "https://login.example.test", Subject: "1", ExpiresAt: time.Now().Add(time.Hour)})
	e5 := s.store.UseOnce(ctx, [32]byte{1}, time.Now().Add(time.Hour))
	_, e6 := s.scim.ReplaceToken(ctx, by, of)
	u, e7 := s.store.SCIMUsers(ctx, store.SCIMUserQuery{Organisation: of, Person: contract.PersonID(owner.id)})
	for i := range u {
		u[i].ExternalID, u[i].ChangedAt = "1", time.Now()
		e7 = errors.Join(e7, s.store.SetSCIMUser(ctx, u[i]))
	}
	e8 := s.store.SetSCIMGroup(ctx, store.SCIMGroup{ID: "g1", Organisation: of, Name: "Legal", Members: []contract.PersonID{contract.PersonID(owner.id)}, CreatedAt: time.Now(), ChangedAt: time.Now()},
		contract.Event{Type: contract.EventDirectoryChanged, At: time.Now(), Details: map[string]string{"organisation": string(of)}})
	e9 := s.store.SetGroupRole(ctx, contract.PersonID(owner.id), contract.RoleSender, contract.Event{Type: contract.EventRoleChanged, At: time.Now(), Details: map[string]string{"organisation": string(of)}})
	if err := errors.Join(err, e1, e2, e3, e4, e5, e6, e7, e8, e9); err != nil {
		t.Fatal(err)
	}
}

// organisationIDOf returns the organisation of a user.
func organisationIDOf(t *testing.T, s *service, c *client) contract.OrganisationID {
	t.Helper()
	u, err := s.store.User(t.Context(), contract.PersonID(c.id))
	if err != nil {
		t.Fatal(err)
	}
	return u.Organisation
}

// guestOf returns the identifier of the document's guest.
func guestOf(owner *client, id int64) string {
	owner.t.Helper()
	for _, role := range []string{"viewer", "signer"} {
		list, _ := owner.get("signers", id).ok().object()["data"].(object)[role].([]any)
		for _, p := range list {
			if p := p.(object); p["email"] == "tamu@example.test" {
				return p["user_id"].(string)
			}
		}
	}
	owner.t.Fatal("the document has no guest")
	return ""
}

// rowEditor changes single values without the program, and restores them.
type rowEditor struct {
	t    *testing.T
	conn *sql.Conn
	row  string // the expression that identifies a row: rowid or ctid
	cast string // of a placeholder that is compared with it
}

func editRows(t *testing.T, dsn string) *rowEditor {
	t.Helper()
	m := &rowEditor{t: t, row: "ctid", cast: "CAST(%s AS tid)"}
	driver, prepare := "pgx", "SET session_replication_role = replica"
	if path, isFile := sqlstore.SQLitePath(dsn); isFile {
		driver, prepare, dsn, m.row, m.cast = "sqlite", "PRAGMA ignore_check_constraints = ON", path, "rowid", "%s"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if m.conn, err = db.Conn(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.exec(prepare)
	return m
}

func (m *rowEditor) exec(statement string, args ...any) {
	m.t.Helper()
	if _, err := m.conn.ExecContext(context.Background(), statement, args...); err != nil {
		m.t.Fatalf("%s: %v", statement, err)
	}
}

// column of a table, from the schema itself.
type column struct {
	table, name string
	nullable    bool
}

func (m *rowEditor) columns() (all []column) {
	m.t.Helper()
	query := `SELECT c.table_name, c.column_name, c.is_nullable = 'YES' FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, c.ordinal_position`
	if m.row == "rowid" {
		query = `SELECT m.name, p.name, NOT p."notnull" FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, p.cid`
	}
	rows, err := m.conn.QueryContext(context.Background(), query)
	if err != nil {
		m.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.table, &c.name, &c.nullable); err != nil {
			m.t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		m.t.Fatal(err)
	}
	return all
}

// first returns a row of a table and the value of a column in it; ok is false if the table is empty. It prefers a row in which
// the column is not empty.
func (m *rowEditor) first(table, name string) (row string, value any, ok bool) {
	m.t.Helper()
	query := fmt.Sprintf(`SELECT CAST(%s AS TEXT), %s FROM %s WHERE %s ORDER BY CASE WHEN %s IS NULL THEN 1 ELSE 0 END, 1 LIMIT 1`,
		m.row, name, table, cmp.Or(chosen[table], "TRUE"), name)
	err := m.conn.QueryRowContext(context.Background(), query).Scan(&row, &value)
	if err == sql.ErrNoRows {
		return "", nil, false
	}
	if err != nil {
		m.t.Fatalf("%s: %v", query, err)
	}
	return row, value, true
}

// set writes a value and returns the row, whose identifier may have changed, or the error of the database.
func (m *rowEditor) set(table, name, row string, value any) (string, error) {
	query := fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %s = %s RETURNING CAST(%s AS TEXT)`, table, name, m.row, fmt.Sprintf(m.cast, "$2"), m.row)
	err := m.conn.QueryRowContext(context.Background(), query, value, row).Scan(&row)
	return row, err
}

// others returns different values of the same type. The first one that the database accepts is used.
func others(value any) []any {
	switch v := value.(type) {
	case nil:
		return []any{"x", int64(1), []byte{1}, time.Unix(1, 0), "{}"}
	case int64:
		return []any{v + 1, v + 1_000_000} // the next one may be that of another row
	case bool:
		return []any{!v}
	case float64:
		return []any{v + 0.5}
	case string:
		return []any{v + "x"}
	case []byte:
		if len(v) == 0 {
			return []any{[]byte{1}}
		}
		v = slices.Clone(v)
		v[len(v)/2] ^= 1
		return []any{v}
	case time.Time:
		return []any{v.Add(time.Hour)}
	}
	return nil
}

// isTried reports whether changes of a column are tried: all with make test-every. Otherwise the test leaves out those that need not
// be detected, and tries one column in four on SQLite and one in sixteen on PostgreSQL, whose tables and checks are the same.
func (m *rowEditor) isTried(c column) bool {
	if !triesEvery() && (undetected[c.table+"."+c.name] != "" || undetected[c.table+".*"] != "") {
		return false
	}
	if m.row == "rowid" {
		return isSampled(c.table+"."+c.name, 4)
	}
	return isSampled("PostgreSQL "+c.table+"."+c.name, 16) // others than on SQLite
}

// tally counts the results of changes.
type tally struct{ found, total, refused int }

func TestFsckFindsEverySingleChangeOfTheDatabaseButThoseThatAreListed(t *testing.T) {
	var mu sync.Mutex // guards used and databases
	used := map[string]bool{}
	databases := 0
	t.Cleanup(func() { // after both databases
		all := databases == 2 && triesEvery() && !t.Failed() // everything was tried
		for listed := range undetected {
			if all && !used[listed] {
				t.Errorf("%s is listed, and everything about it was found or refused", listed)
			}
		}
	})
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, env, m := editableInstallation(t, env)
		check := func() (found bool, out string) {
			var b bytes.Buffer
			w := &environment{ctx: context.Background(), stdout: &b, stderr: &b, env: env}
			status := w.runCommand([]string{"fsck", "--fast", "--data", data})
			return status != 0, b.String()
		}
		if found, out := check(); found {
			t.Fatalf("before anything was changed:\n%s", out)
		}
		tallies := map[string]*tally{}
		use := func(listed string) {
			mu.Lock()
			used[listed] = true
			mu.Unlock()
		}
		// expect requires that fsck detects a change, unless the list has it.
		expect := func(table, what, how string) {
			t.Helper()
			found, out := check()
			one := tallies[table]
			one.total++
			if found {
				one.found++
				return
			}
			for _, listed := range []string{what, table + ".*"} {
				if undetected[listed] != "" {
					use(listed)
					return
				}
			}
			t.Errorf("%s %s: fsck finds nothing\n%s", what, how, out)
		}
		last := ""
		for _, c := range m.columns() {
			if tallies[c.table] == nil {
				tallies[c.table] = &tally{}
			}
			row, value, ok := m.first(c.table, c.name)
			if !ok {
				if undetected[c.table+".*"] == "" {
					t.Errorf("table %s is empty: the installation of this test has to have a row of it", c.table)
				}
				use(c.table + ".*")
				continue
			}
			changes := map[string][]any{"changed": others(value), "nulled": {nil}}
			if !m.isTried(c) {
				clear(changes)
			}
			for how, candidates := range changes {
				if value == nil && how == "nulled" {
					continue
				}
				now, err := "", errors.New("no other value")
				for _, to := range candidates {
					if now, err = m.set(c.table, c.name, row, to); err == nil {
						break
					}
				}
				if err != nil {
					tallies[c.table].refused++
					continue
				}
				expect(c.table, c.table+"."+c.name, how)
				if row, err = m.set(c.table, c.name, now, value); err != nil {
					t.Fatalf("put back %s.%s: %v", c.table, c.name, err)
				}
			}
			if c.table == last {
				continue
			}
			last = c.table
			if !triesEvery() && undetected[c.table] != "" {
				continue
			}
			m.exec(`CREATE TEMPORARY TABLE saved AS SELECT * FROM `+c.table+` WHERE `+m.row+` = `+fmt.Sprintf(m.cast, "$1"), row)
			m.exec(`DELETE FROM `+c.table+` WHERE `+m.row+` = `+fmt.Sprintf(m.cast, "$1"), row)
			expect(c.table, c.table, "row deleted")
			m.exec(`INSERT INTO ` + c.table + ` SELECT * FROM saved`)
			m.exec(`DROP TABLE saved`)
		}
		if found, out := check(); found {
			t.Errorf("everything was put back:\n%s", out)
		}
		var all tally
		for _, table := range slices.Sorted(maps.Keys(tallies)) {
			one := tallies[table]
			t.Logf("%-22s %3d of %3d found, %3d refused by the database", table, one.found, one.total, one.refused)
			all.found, all.total, all.refused = all.found+one.found, all.total+one.total, all.refused+one.refused
		}
		mu.Lock()
		databases++
		mu.Unlock()
		t.Logf("%-22s %3d of %3d found, %3d refused by the database", "all", all.found, all.total, all.refused)
	})
}

// undetectedFiles lists what fsck does not detect in files, with the reason.
var undetectedFiles = map[string]string{
	"journal.jsonl at":   "the sandbox's own time; nothing goes by it",
	"journal.jsonl file": "a name in the list of an account; whose serial it is, the order tells",
}

// flip is one changed byte, and what it belongs to.
type flip struct {
	what string
	at   int
}

var quoted = regexp.MustCompile(`"[^"\\]*"`)

// flips lists bytes of a file to change: in JSON, one in the middle of each name and each text, because not every byte has a
// meaning; otherwise some at the ends and in between.
func flips(name string, content []byte) (all []flip) {
	if !strings.Contains(name, ".json") {
		for _, at := range []int{0, len(content) / 3, len(content) / 2, len(content) - 1} {
			all = append(all, flip{fmt.Sprintf("byte %d of %d", at, len(content)), at})
		}
		return all
	}
	member := ""
	for _, q := range quoted.FindAllIndex(content, -1) {
		what := member
		if q[1] < len(content) && content[q[1]] == ':' {
			member = string(content[q[0]+1 : q[1]-1])
			what = "name of " + member
		}
		all = append(all, flip{what, (q[0] + q[1]) / 2})
	}
	return all
}

// TestFsckFindsEveryFileThatIsChangedCutOrMissing cuts, empties and removes each file, and flips about one byte in four of those that flips
// lists, or all with make test-every.
func TestFsckFindsEveryFileThatIsChangedCutOrMissing(t *testing.T) {
	t.Parallel()
	data := fullInstallation(t)
	check := func() (found bool, out string) {
		var b bytes.Buffer
		w := &environment{ctx: context.Background(), stdout: &b, stderr: &b}
		status := w.runCommand([]string{"fsck", "--data", data})
		return status != 0, b.String()
	}
	if found, out := check(); found {
		t.Fatalf("before anything was changed:\n%s", out)
	}
	total, seen := 0, 0
	for file, digest := range files(t, data) {
		name, err := filepath.Rel(data, file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(name, string(filepath.Separator))
		// A folder, the database, running processes, and a password that is removed with its first use and replaced if it is lost.
		if digest == "" || strings.HasPrefix(first, databaseFile) || first == "places" || first == initialPasswordFile {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		write := func(b []byte) {
			if err := errors.Join(os.RemoveAll(file), os.WriteFile(file, b, info.Mode())); err != nil {
				t.Fatal(err)
			}
		}
		changes := map[string]func(){
			"cut":     func() { write(content[:len(content)-1]) },
			"emptied": func() { write(nil) },
			"missing": func() {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			},
		}
		base := filepath.Base(name)
		for i, f := range flips(name, content) {
			if !isSampled(fmt.Sprint(base[:min(len(base), 6)], i), 4) { // names of blobs differ with each run
				continue
			}
			changes[fmt.Sprintf("%s flipped at %d", f.what, f.at)] = func() {
				b := bytes.Clone(content)
				b[f.at] ^= 1
				write(b)
			}
		}
		for how, change := range changes {
			change()
			total++
			if found, out := check(); found {
				seen++
			} else if what, _, _ := strings.Cut(how, " flipped"); undetectedFiles[filepath.Base(name)+" "+what] == "" {
				t.Errorf("%s %s: fsck finds nothing\n%s", name, how, out)
			}
			write(content)
		}
	}
	if found, out := check(); found {
		t.Errorf("everything was put back:\n%s", out)
	}
	t.Logf("%d of %d found", seen, total)
}
