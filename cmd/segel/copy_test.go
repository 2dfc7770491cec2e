package main

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"segel/internal/contract"
	"segel/internal/convert/converttest"
)

// copyOf copies an ended document and returns the draft.
func (c *client) copyOf(id int64) int64 {
	c.t.Helper()
	return idOf(c.verb("copy-docs", id))
}

func (c *client) participants(id int64) []any {
	c.t.Helper()
	return c.get("signers", id).ok().object("data")["signer"].([]any)
}

func TestADocumentThatWasCompletedIsUsedAgainWithoutItsSignaturesAndStamps(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	guest := object{"name": "Tamu", "email": "tamu@example.test", "phone": "+62811", "role": "viewer", "number": 2}
	id := owner.uploadWith(object{"document_title": "Sewa", "signer": []object{signer.as("signer", 1)}, "guest": []object{guest}}, simple())
	owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("copy-docs", id).is(http.StatusConflict, "document.not_ended")
	owner.verb("finalize-docs", id).ok()
	owner.verb("copy-docs", id).is(http.StatusConflict, "document.not_ended")
	signer.verb("sign-docs", id).ok()
	former := owner.completed(id)["serial_number"].([]any)

	draft := owner.copyOf(id)
	if !bytes.Equal(owner.get("original", draft).ok().body, simple()) || !bytes.Equal(owner.get("preview", draft).ok().body, simple()) {
		t.Error("the file of the copy is not the upload")
	}
	d := owner.get("detail", draft).ok().object("data")
	if d["status"] != "draft" || d["document_title"] != "Sewa" || len(d["serial_number"].([]any)) != 0 {
		t.Errorf("the copy is %v", d)
	}
	boxes := func(id int64) string {
		var all string
		for _, p := range owner.get("placements", id).ok().object("data")["placements"].([]any) {
			p := p.(object)
			all += fmt.Sprintln(p["type"], p["page"], p["box"], p["name"])
		}
		return all
	}
	if got, want := boxes(draft), boxes(id); got != want || got == "" {
		t.Errorf("boxes\n%swant\n%s", got, want)
	}
	was, is := owner.participants(id), owner.participants(draft)
	for i := range was {
		before, after := was[i].(object), is[i].(object)
		for _, member := range []string{"name", "email", "phone", "role", "number", "is_guest"} {
			if before[member] != after[member] {
				t.Errorf("%s of participant %d: %v, was %v", member, i, after[member], before[member])
			}
		}
		if after["signing_status"] != false || before["is_guest"] == true && before["user_id"] == after["user_id"] {
			t.Errorf("participant %d is %v, was %v", i, after, before)
		}
	}

	owner.verb("finalize-docs", draft).ok()
	signer.verb("sign-docs", draft).ok()
	if serials := owner.completed(draft)["serial_number"].([]any); len(serials) != 1 || serials[0] == former[0] {
		t.Errorf("stamped with %v, formerly %v", serials, former)
	}
	if n, m := soundSignatures(t, owner.download(draft)), soundSignatures(t, owner.download(id)); n != m {
		t.Errorf("%d signatures, the document has %d", n, m)
	}
	if trail := owner.get("audit-trail", draft).ok(); !bytes.Contains(trail.body, fmt.Append(nil, "salinan dokumen nomor ", id)) {
		t.Errorf("the audit trail does not name the document: %s", trail.body)
	}
	fsck(t, s, 0)
}

func TestADeclinedDocumentIsCorrectedAndSentAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer, other := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", ""), s.person(t, "Lain", "")
	for name, end := range map[string]func(id int64){
		"declined": func(id int64) { signer.verb("reject-docs", id, "reason", "salah").ok() },
		"canceled": func(id int64) { owner.verb("cancel-docs", id).ok() },
	} {
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		end(id)
		signer.verb("copy-docs", id).is(http.StatusForbidden)
		other.verb("copy-docs", id).is(http.StatusNotFound)
		draft := owner.copyOf(id)
		owner.verb("describe-docs", draft, "document_title", "Yang benar").ok()
		owner.verb("finalize-docs", draft).ok()
		signer.verb("sign-docs", draft).ok()
		owner.completed(draft)
		if was := owner.get("status", id).ok().object("data")["status"]; was == "draft" || was == "processing" {
			t.Errorf("%s: the former document is %v", name, was)
		}
	}
}

func TestACopyLeavesOutAMemberWhoseAccountEnded(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer, former := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", ""), s.person(t, "Mantan", "")
	id := owner.upload(simple(), signer.as("signer", 1), former.as("signer", 2))
	owner.place(id, signer.at("sign", 100, 100, 260, 160), former.at("sign", 300, 100, 460, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("reject-docs", id, "reason", "salah").ok()
	if _, err := s.identity.DisablePerson(t.Context(), commandLineActor("user disable"), contract.PersonID(former.id)); err != nil {
		t.Fatal(err)
	}
	draft := owner.copyOf(id)
	if people := owner.participants(draft); len(people) != 1 || people[0].(object)["user_id"] != signer.id {
		t.Errorf("the people of the copy: %v", people)
	}
	owner.verb("finalize-docs", draft).ok()
	signer.verb("sign-docs", draft).ok()
	owner.completed(draft)
	fsck(t, s, 0)
}

func TestACopyCountsInTheQuotaOfDraftsAndLeavesNothingWhenItIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_MAX_DRAFTS", "1")
	owner, signer := s.person(t, "Owner", ""), s.person(t, "Signer", "")
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", id).ok()
	owner.verb("cancel-docs", id).ok()
	draft := owner.copyOf(id)
	owner.leavesNothing("a copy above the quota", func() {
		owner.verb("copy-docs", id).is(http.StatusPaymentRequired, "storage.too_many_drafts")
	})
	owner.do(http.MethodDelete, fmt.Sprint(documentPath, draft), nil).ok()
	owner.get("original", id).ok() // deleting the copy leaves the document whole
	owner.copyOf(id)
}

func TestACopyOfADamagedFileIsRepairedLikeTheUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Owner", ""), s.person(t, "Signer", "")
	damaged := append([]byte("junk\n"), simple()...)
	id := owner.upload(damaged, signer.as("signer", 1))
	owner.verb("finalize-docs", id).ok()
	owner.verb("cancel-docs", id).ok()
	a := owner.verb("copy-docs", id).ok()
	if !bytes.Contains(a.body, []byte("document.normalised")) {
		t.Errorf("the answer does not say that the file was rewritten: %s", a.body)
	}
	if draft := idOf(a); !bytes.Equal(owner.get("original", draft).ok().body, damaged) {
		t.Error("the original of the copy is not the upload")
	}
	fsck(t, s, 0)
}

func TestACopyOfAWordDocumentHasThePDFOnWhichTheBoxesWerePlaced(t *testing.T) {
	t.Parallel()
	converts(t)
	s := start(t, "SEGEL_CONVERT", "libreoffice", "SEGEL_CONVERT_WAIT", "60s")
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	file := converttest.Sample()
	id := idOf(owner.uploadWord(file, "sewa.docx", signer.as("signer", 1)))
	pdf := owner.get("preview", id).ok().body
	owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("reject-docs", id, "reason", "salah").ok()
	a := owner.verb("copy-docs", id).ok()
	draft := idOf(a)
	if !bytes.Contains(a.body, []byte("document.tracked_changes")) || bytes.Contains(a.body, []byte("document.converting")) {
		t.Errorf("the answer says %s", a.body)
	}
	if !bytes.Equal(owner.get("preview", draft).ok().body, pdf) || !bytes.Equal(owner.get("original", draft).ok().body, file) {
		t.Error("the files of the copy are not those of the document")
	}
	owner.verb("finalize-docs", draft).ok()
	signer.verb("sign-docs", draft).ok()
	owner.completed(draft)
	fsck(t, s, 0)
}
