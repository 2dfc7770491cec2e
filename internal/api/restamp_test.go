package api

import (
	"strings"
	"testing"

	"segel/internal/contract"
)

func TestNewSerialIsTheOwnersExplicitWish(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"document_id":1207}`:                      false,
		`{"document_id":1207,"new_serial":false}`:   false,
		`{"document_id":1207,"new_serial":true}`:    true,
		`{"document_id":"1207","new_serial":"1"}`:   true,
		`{"document_id":"1207","new_serial":"0"}`:   false,
		`{"document_id":"1207","new_serial":null}`:  false,
		`{"document_id":"1207","newserial":"true"}`: false,
	} {
		var in restampIn
		var bad problems
		err := decodeObject([]byte(body), &in)
		if got := in.NewSerial.checkedValue("new_serial", &bad); err != nil || len(bad) > 0 || got != want {
			t.Errorf("%s: new serial %v, %v %v", body, got, err, bad)
		}
	}
	b := newBench(t, failed())
	if w := b.ask("POST", sBase+"restamp-docs", `{"document_id":1207,"new_serial":"perhaps"}`); w.Code != 422 && w.Code != 400 || b.document(1207).State != contract.Failed {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w := b.ask("POST", sBase+"restamp-docs", `{"document_id":1207}`); w.Code != 200 || b.document(1207).State != contract.Processing {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	b = newBench(t, failed())
	b.store.refuse(contract.ErrSerialUsed.With("serial", "0000000000000000000001"))
	w := b.ask("POST", sBase+"restamp-docs", `{"document_id":1207,"new_serial":true}`)
	if w.Code != 409 || !strings.Contains(w.Body.String(), "stamp.serial_used") || !strings.Contains(w.Body.String(), "0000000000000000000001") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

func TestStatusSaysThatAStampWaitsForTheStampOffice(t *testing.T) {
	t.Parallel()
	d := processing()
	for i := range d.Participants {
		d.Participants[i].SignedAt = now
	}
	d.Stamps[0].Problem = string(contract.ProblemOfficeDown)
	b := newBench(t, d)
	for _, path := range []string{"status/1207", "detail/1207"} {
		if w := b.ask("GET", dBase+path, ""); !strings.Contains(w.Body.String(), "Penerbit e-meterai sedang tidak merespons") {
			t.Errorf("%s: %s", path, w.Body)
		}
		if w := b.ask("GET", dBase+path, "", "Accept-Language", "en"); !strings.Contains(w.Body.String(), "The e-meterai issuer is not responding") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}
