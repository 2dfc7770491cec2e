package main

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// shifted is the real clock with an offset.
type shifted struct{ by atomic.Int64 }

func (c *shifted) now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

func (c *shifted) forward(d time.Duration) { c.by.Add(int64(d)) }

func TestDocumentWhoseTimeRunsOutExpiresAndFreesItsQuota(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true}.start(t)
	owner, first, second := s.person(t, "Pemilik", ""), s.person(t, "Pertama", ""), s.person(t, "Kedua", "")
	make := func(people ...object) int64 {
		until := clock.now().Add(time.Hour).UTC().Format(time.RFC3339)
		id := owner.uploadWith(object{"expired_at": until, "signer": people}, simple())
		owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
		return id
	}
	balance := func() (stamps, signatures float64) {
		b := owner.do("GET", "/v1/econtract/web_app/client_balance", nil).ok().object("data")
		return b["emet"].(float64), b["esgn"].(float64)
	}
	draft, half, signed := make(first.as("signer", 1)), make(first.as("signer", 1), second.as("signer", 2)), make(first.as("signer", 1))
	owner.verb("finalize-docs", half).ok()
	owner.verb("finalize-docs", signed).ok()
	first.verb("sign-docs", half).ok()
	first.verb("sign-docs", signed).ok()
	if stamps, signatures := balance(); stamps != 998 || signatures != 997 {
		t.Errorf("balance %v and %v", stamps, signatures)
	}

	// The time has passed before the service has checked for it.
	clock.forward(2 * time.Hour)
	second.verb("sign-docs", half).is(http.StatusConflict, "document.expired")
	second.verb("reject-docs", half, "reason", "terlambat").is(http.StatusConflict, "document.expired")
	owner.verb("cancel-docs", half).is(http.StatusConflict, "document.expired")
	owner.verb("remind-docs", half).is(http.StatusConflict, "document.expired")
	owner.verb("finalize-docs", draft).is(http.StatusConflict, "document.expired")

	if err := s.workflow.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int64]string{draft: "expired", half: "expired", signed: "processing"} {
		if got := owner.get("status", id).ok().object("data")["status"]; got != want {
			t.Errorf("document %d is %v, want %s", id, got, want)
		}
	}
	if is := owner.get("detail", half).ok().object("data")["is_expired"]; is != "1" {
		t.Errorf("is_expired %v", is)
	}
	// The signature that was made stays spent; only the outstanding stamp keeps its unit.
	if stamps, signatures := balance(); stamps != 999 || signatures != 998 {
		t.Errorf("balance %v and %v", stamps, signatures)
	}
	second.verb("sign-docs", half).is(http.StatusConflict, "document.not_processing")
	second.verb("reject-docs", half, "reason", "terlambat").is(http.StatusConflict, "document.not_processing")
	owner.verb("finalize-docs", draft).is(http.StatusConflict, "document.expired")
	owner.verb("cancel-docs", half).is(http.StatusConflict, "document.not_processing")
	owner.get("download", half).is(http.StatusConflict, "document.not_completed")
	if err := s.workflow.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stamps, signatures := balance(); stamps != 999 || signatures != 998 {
		t.Errorf("quota was freed twice: %v and %v", stamps, signatures)
	}
}
