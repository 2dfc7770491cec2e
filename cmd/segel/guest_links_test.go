package main

import (
	"fmt"
	"net/http"
	"testing"
)

func TestARevokedLinkOpensNothingAndANewOneDoes(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Owner", "")
	id := owner.uploadWith(object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}}, simple())
	owner.verb("finalize-docs", id).ok()
	person := owner.get("signers", id).ok().object()["data"].(object)["signer"].([]any)[0].(object)["user_id"].(string)
	link := owner.verb("guest-link-docs", id, "user_id", person).ok().object("response", "data")["url"].(string)
	open := func(link string) *answer {
		return (&client{service: s, t: t}).do(http.MethodPost, "/v1/auth/guest", object{"link": link})
	}
	guest := &client{service: s, t: t, token: open(link).ok().object("data")["token"].(string)}
	guest.get("detail", id).ok()

	owner.verb("guest-revoke-docs", id, "user_id", person).ok()
	guest.get("detail", id).is(http.StatusUnauthorized)
	open(link).is(http.StatusNotFound)
	owner.verb("guest-revoke-docs", id, "user_id", person).ok() // an owner need not know whether there is a link
	owner.verb("guest-revoke-docs", id, "user_id", owner.id).is(http.StatusUnprocessableEntity)

	again := owner.verb("guest-link-docs", id, "user_id", person).ok().object("response", "data")["url"].(string)
	open(again).ok()
	owner.verb("cancel-docs", id).ok()
	open(again).ok() // people who were asked to sign may see the outcome
	owner.verb("guest-revoke-docs", id, "user_id", person).ok()
	open(again).is(http.StatusNotFound)
}

func TestAnOrganisationHasNoMoreDraftsThanItMay(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_MAX_DRAFTS", "2")
	owner, elsewhere := s.person(t, "Owner", ""), s.person(t, "Elsewhere", "Another organisation")
	first := owner.uploadWith(object{}, simple())
	owner.uploadWith(object{}, simple())
	refused := owner.do(http.MethodPost, uploadPath, body(t, simple(), object{"filename": "kontrak.pdf"}))
	refused.is(http.StatusPaymentRequired)
	if code := refused.object("error")["code"]; code != "storage.too_many_drafts" {
		t.Errorf("refused with %v", code)
	}
	elsewhere.uploadWith(object{}, simple())
	owner.do(http.MethodDelete, fmt.Sprint(documentPath, first), nil).ok()
	owner.uploadWith(object{}, simple()) // deleting released storage
}
