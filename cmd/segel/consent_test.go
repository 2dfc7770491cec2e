package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/evidence"
	"segel/internal/text"
	"segel/pdf"
)

// consentOf returns what sign-docs takes from a person who accepts the consent text of a document.
func (c *client) consentOf(id int64, language string) object {
	c.t.Helper()
	data := c.get("consent", id).ok().object("data")
	return object{"version": data["version"], "digest": data["texts"].(object)[language].(object)["digest"]}
}

func (c *client) acceptedAt(id int64) any {
	c.t.Helper()
	return c.get("consent", id).ok().object("data")["accepted_at"]
}

// evidenceFacts returns the facts of a document's evidence certificate, once it is completed.
func (c *client) evidenceFacts(t *testing.T, id int64) *evidence.Facts {
	t.Helper()
	c.completed(id)
	file := c.evidenceOf(id)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := evidence.ReadAttachments(d)
	if err != nil {
		t.Fatal(err)
	}
	return attached.Facts
}

// describedIn returns the last event of a type in the audit trail, as a sentence.
func (c *client) describedIn(id int64, event contract.EventType) (last string) {
	c.t.Helper()
	for _, e := range c.get("audit-trail", id).ok().object()["data"].([]any) {
		if e := e.(object); e["type"] == string(event) {
			last = e["description"].(string)
		}
	}
	return last
}

func TestTheConsentTextIsAcceptedBeforeTheFirstSignature(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		var set []string
		for _, e := range env {
			name, value, _ := strings.Cut(e, "=")
			set = append(set, name, value)
		}
		s := start(t, set...)
		admin := s.administrator(t, "Admin", "PT Satu")
		owner, signer, other := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Penanda", "PT Satu"), s.person(t, "Lain", "PT Satu")
		send := func() int64 {
			id := owner.upload(simple(), signer.as("signer", 1))
			owner.verb("finalize-docs", id).ok()
			return id
		}
		first := send()
		shown := signer.get("consent", first).ok().object("data")
		indonesian := shown["texts"].(object)["id"].(object)
		if shown["version"] != "segel-1" || shown["required"] != false || indonesian["text"] != text.ConsentTexts[0]["id"] ||
			indonesian["digest"] != fmt.Sprintf("%x", sha256.Sum256([]byte(indonesian["text"].(string)))) || shown["accepted_at"] != nil {
			t.Errorf("shown: %v", shown)
		}
		signer.verb("sign-docs", first, "consent", object{"version": "segel-1", "digest": strings.Repeat("ab", 32)}).is(http.StatusConflict, "consent.text_changed")
		signer.verb("sign-docs", first, "consent", object{"version": "1", "digest": indonesian["digest"]}).is(http.StatusConflict, "consent.text_changed")
		signer.verb("sign-docs", first, "consent", object{"version": "segel-1"}).is(http.StatusUnprocessableEntity, "consent.digest")
		other.verb("sign-docs", first, "consent", object{"version": "1", "digest": indonesian["digest"]}).is(http.StatusNotFound)
		if signer.acceptedAt(first) != nil {
			t.Error("a refused request accepted the text")
		}
		signer.verb("sign-docs", first, "consent", signer.consentOf(first, "id")).ok()
		if got := owner.describedIn(first, contract.EventSigned); !strings.Contains(got, "; menyetujui teks persetujuan segel-1") {
			t.Errorf("the first signature: %s", got)
		}

		// Later documents of the organisation know it, and programs need not say anything.
		second, third := send(), send()
		if signer.acceptedAt(second) == nil {
			t.Error("the acceptance is not known with the second document")
		}
		signer.verb("sign-docs", second, "consent", signer.consentOf(second, "en")).ok()
		if got := owner.describedIn(second, contract.EventSigned); !strings.Contains(got, fmt.Sprintf("segel-1 sebelumnya, dengan dokumen %d", first)) {
			t.Errorf("the second signature: %s", got)
		}
		signer.verb("sign-docs", third).ok()
		if got := owner.describedIn(third, contract.EventSigned); !strings.Contains(got, "layanan tidak menampilkan teks persetujuan") {
			t.Errorf("a signature without a text: %s", got)
		}

		// The organisation writes its own text, and requires it.
		change := func(in object) object {
			t.Helper()
			return admin.do("PUT", "/v1/admin/consent", in).ok().object("response", "data")
		}
		admin.do("PUT", "/v1/admin/consent", object{"id": "Saya setuju."}).is(http.StatusUnprocessableEntity, "en")
		owner.do("PUT", "/v1/admin/consent", object{"required": 1}).is(http.StatusForbidden)
		fourth := send()
		before := signer.consentOf(fourth, "id")
		if got := change(object{"id": "Saya setuju.\r\n", "en": " I agree.", "required": 1}); got["version"] != "1" || got["own"] != true || got["required"] != true {
			t.Errorf("set: %v", got)
		}
		if got := change(object{"id": "Saya setuju.", "en": "I agree."}); got["version"] != "1" {
			t.Errorf("the same text became version %v", got["version"])
		}
		signer.verb("sign-docs", fourth).is(http.StatusConflict, "consent.required")
		signer.verb("sign-docs", fourth, "consent", before).is(http.StatusConflict, "consent.text_changed")
		guest := owner.uploadWith(object{"guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": "1"}}, simple())
		owner.verb("finalize-docs", guest).ok()
		visitor := owner.guest(guest, guestOf(owner, guest))
		visitor.verb("sign-docs", guest).is(http.StatusConflict, "consent.required")
		visitor.verb("sign-docs", guest, "consent", visitor.consentOf(guest, "en")).ok()
		accepted := signer.consentOf(fourth, "en")
		facts := owner.evidenceFacts(t, guest)
		if got := facts.People[0].Signature; got.ConsentText != "1" || got.ConsentLanguage != "en" || got.ConsentTextDigest != accepted["digest"] ||
			len(facts.Consents) != 1 || facts.Consents[0] != (evidence.Consent{Version: "1", ID: "Saya setuju.", EN: "I agree."}) {
			t.Errorf("the evidence certificate: %+v, %+v", got, facts.Consents)
		}
		signer.verb("sign-docs", fourth, "consent", accepted).ok()
		fifth, sixth := send(), send()
		signer.verb("sign-docs", fifth).ok() // accepted before
		if got := owner.describedIn(fifth, contract.EventSigned); !strings.Contains(got, fmt.Sprintf("1 sebelumnya, dengan dokumen %d", fourth)) {
			t.Errorf("a signature of a program: %s", got)
		}
		if got := change(object{"id": "Saya setuju sekali.", "en": "I do agree."}); got["version"] != "2" {
			t.Errorf("another text is version %v", got["version"])
		}
		digest := signer.get("pages", sixth).ok().object("data")["digest"]
		many := func(texts ...object) object {
			t.Helper()
			a := signer.do("POST", signPath+"sign-many-docs", object{"documents": []object{{"document_id": sixth, "digest": digest}}, "consent_texts": texts}).ok()
			return a.object("response", "data")["results"].([]any)[0].(object)
		}
		if got := many(accepted); got["code"] != 409.0 || got["error"].(object)["code"] != "consent.text_changed" {
			t.Errorf("signed with a former text: %v", got)
		}
		if got := many(accepted, signer.consentOf(sixth, "id")); got["success"] != true {
			t.Errorf("not signed: %v", got)
		}
		if got := change(object{"id": "", "en": "", "required": 0}); got["version"] != "segel-1" || got["own"] != false || got["required"] != false {
			t.Errorf("removed: %v", got)
		}
		fsck(t, s, 0)
	})
}
