package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"segel/internal/contract"
	"segel/internal/store"
)

func TestWhatIsWrongWithAQuestionOfAdministrationIsToldByField(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, c := range []struct{ method, path, body, field string }{
		{"GET", "people?limit=101", "", "limit"}, {"GET", "quota/ledger?unit=kg", "", "unit"}, {"GET", "quota/ledger?page=0", "", "page"},
		{"GET", "attempts?document_id=x", "", "document_id"}, {"GET", "attempts?from=kemarin", "", "from"}, {"GET", "attempts.csv?until=kemarin", "", "until"},
		{"GET", "serials?state=lost", "", "state"}, {"GET", "keys?status=lost", "", "status"}, {"GET", "stuck?step=lost", "", "step"}, {"GET", "certificates?standing=tall", "", "standing"}, {"GET", "audit-log?type=unheard_of", "", "type"},
		{"GET", "audit-log?document_id=-1", "", "document_id"}, {"POST", "people", `{"admin":7}`, "admin"}, {"POST", "people", `{"email":7}`, "email"},
		{"POST", "quota", `{"unit":"emet","count":"banyak","reason":"x"}`, "count"},
	} {
		w := b.ask(c.method, adminBase+c.path, c.body, "X-Access-Token", "operator")
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"field":"`+c.field+`"`) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, w.Code, w.Body)
		}
	}
	if asked := b.store.asked(); len(asked) > 0 {
		t.Errorf("the workflow was called: %v", asked)
	}
}

func TestAQuestionOfAdministrationArrivesAsItWasAsked(t *testing.T) {
	t.Parallel()
	capitals := strings.ToUpper(string(works))
	for path, want := range map[string]any{
		"quota?organisation=" + capitals:                           works,
		"quota/ledger?unit=base&page=3&limit=7":                    store.QuotaQuery{Unit: contract.UnitSignature, Offset: 14, Limit: 7},
		"attempts?document_id=5&serial=S&organisation=" + capitals: store.AttemptQuery{Organisation: works, Document: 5, Serial: "S", Limit: 50},
		"attempts?from=2026-01-02T07:00:00%2B07:00&limit=1":        store.AttemptQuery{From: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Limit: 1},
		"serials?state=free&page=9007199254740992":                 store.SerialQuery{States: []contract.SerialState{contract.SerialFree}, Offset: maxInteger / maxLimit * 50, Limit: 50},
		"stuck": store.WaitingQuery{Before: now.Add(-time.Minute), Limit: 50},
		"stuck?status=failed&step=stamped&search=Sewa&owner=a@contoh.id": store.WaitingQuery{Failed: true, Step: contract.StepStamped, Search: "Sewa", Owner: "a@contoh.id", Before: now.Add(-time.Minute), Limit: 50},
		"certificates?standing=revoked":                                  store.CertificateQuery{Status: contract.CertificateRevoked, Now: now, Limit: 50},
		"audit-log?type=signed&limit=10":                                 store.LogQuery{Type: contract.EventSigned, Limit: 10},
	} {
		b := newBench(t, draft())
		if w := b.ask("GET", adminBase+path, "", "X-Access-Token", "operator"); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if d := cmp.Diff(want, b.store.about); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
	b := newBench(t, draft())
	b.ask("POST", adminBase+"quota", `{"organisation":"`+capitals+`","unit":"emet","count":"-5","reason":"salah"}`, "X-Access-Token", "operator")
	p, err := b.store.QuotaEntries(t.Context(), store.QuotaQuery{Organisation: works, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Entries[0]; e.QuotaMove.Organisation != works || e.Unit != contract.UnitStamp || e.Count != -5 || e.Reason != "salah" || e.By.ID != users["operator"].ID {
		t.Errorf("granted %+v", e)
	}
}

// TestAFirstPasswordIsNotKeptForARepeat: a stored answer would contain the password.
func TestAFirstPasswordIsNotKeptForARepeat(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	w := b.ask("POST", adminBase+"people", `{"name":"Dewi","email":"dewi@contoh.id"}`, "X-Access-Token", "admin", "Idempotency-Key", "k1")
	added := requireOK[done[personAdded]](t, w).Response.Data
	if kept := b.countRows(`SELECT count(*) FROM answer`); added.Password == "" || kept != 0 {
		t.Errorf("%+v, %d answers kept", added, kept)
	}
}

func TestATableThatBreaksOnTheWayIsCutOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.store.refuse(errors.New("before the first line"))
	if w := b.ask("GET", adminBase+"attempts.csv", "", "X-Access-Token", "admin"); w.Code != 500 || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") || w.Header().Get("Content-Disposition") != "" {
		t.Errorf("before the first line: %d %v", w.Code, w.Header())
	}
	b = newBench(t, draft())
	b.store.each = func(yield func(contract.Attempt) bool) error {
		for i := range 15_000 {
			yield(contract.Attempt{Document: 1207, Organisation: works, Number: i + 1, Call: contract.CallStamp, Order: "4VnJ2xQpR7sTyWbCdEfGh8", At: now})
		}
		return errors.New("in the middle")
	}
	server := httptest.NewServer(b)
	defer server.Close()
	r, err := http.NewRequest("GET", server.URL+adminBase+"attempts.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Access-Token", b.fill("admin"))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if part, err := io.ReadAll(a.Body); err == nil || len(part) == 0 {
		t.Errorf("%d bytes arrived and end with %v: a client takes them for the whole", len(part), err)
	}
}
