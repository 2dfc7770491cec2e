package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

func TestNoCellIsReadAsAFormula(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "Perjanjian Sewa": "Perjanjian Sewa", "a=b": "a=b", "0000123": "0000123", "’=1": "’=1",
		"=1+1": "'=1+1", "+62811": "'+62811", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "  =1": "'  =1", "\u00a0=1": "'\u00a0=1",
		"＝1": "'＝1", "｜": "｜", "|calc": "'|calc", "%0A=1": "'%0A=1",
	} {
		if got := escapeFormula(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestAttemptsAreWrittenAsWhatARefundHasToName(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 5, 0, 0, 250e6, time.FixedZone("WIB", 7*3600))
	var b bytes.Buffer
	out := NewAttempts(&b)
	a := contract.Attempt{Document: 7, Stamp: 1, Number: 2, Call: contract.CallStamp, Order: "o", Serial: "S", At: at, AnsweredAt: at.Add(time.Second), Outcome: "refused", Code: "83", Text: "=cmd|' /C calc'!A0, \"x\"\r\ny"}
	line := workflow.AttemptLine{Attempt: a, Organisation: store.Organisation{Name: "@PT"}, Title: store.Title{Name: "n", Title: "-T", Pages: map[int]int{1: 3}}, SerialState: contract.SerialQuarantined}
	open := workflow.AttemptLine{Attempt: contract.Attempt{Document: 8, Number: 1, Call: contract.CallBuy, At: at}}
	for _, l := range []workflow.AttemptLine{line, open} {
		if err := out.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []string{"'@PT", "7", "n", "'-T", "3", "2", "2", "stamp", "o", "S", "quarantined", "2026-03-01T22:00:00.250Z", "2026-03-01T22:00:01.250Z", "refused", "83", "'=cmd|' /C calc'!A0, \"x\"\ny"}
	if got := strings.Join(rows[1], "~"); got != strings.Join(want, "~") {
		t.Errorf("got  %s\nwant %s", got, strings.Join(want, "~"))
	}
	if rows[2][4] != "" || rows[2][12] != "" || rows[2][13] != "open" {
		t.Errorf("an open attempt on a deleted document: %q", rows[2])
	}
}

func TestTableWithoutLinesHasItsHeader(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	out := NewMoves(&b)
	if err := out.Close(); err != nil || !strings.HasPrefix(b.String(), "organisation,unit,") || strings.Count(b.String(), "\r\n") != 1 {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestMovesShowWhoGrantedAndWhy(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	out := NewMoves(&b)
	move := contract.QuotaMove{Unit: contract.UnitStamp, Op: contract.QuotaGrant, Count: -5}
	e := store.QuotaEntry{QuotaMove: move, Number: 3, Reason: "+salah", By: contract.Person{Name: "Andi", Email: "andi@contoh.id"}, At: time.Unix(0, 0)}
	if err := out.Write(workflow.LedgerLine{QuotaEntry: e, Organisation: store.Organisation{Name: "PT"}}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "PT,emet,3,1970-01-01T00:00:00.000Z,grant,-5,,,,'+salah,andi@contoh.id\r\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%q", b.String())
	}
}

// TestEventsOfTheLogAreWrittenWithoutFormulas writes an event whose names come from a person who wants them to be calculated.
func TestEventsOfTheLogAreWrittenWithoutFormulas(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 5, 0, 0, 250e6, time.FixedZone("WIB", 7*3600))
	var b bytes.Buffer
	out := NewEvents(&b, func(e contract.Event) string { return "=" + e.Details["name"] })
	event := contract.Event{Type: contract.EventPersonRenamed, At: at, Person: contract.Person{Name: "@SUM(A1)", Email: "+x@example.test"}, IP: "203.0.113.7", Details: map[string]string{"name": "n"}}
	about := contract.Event{Type: contract.EventStamped, Document: 7, At: at}
	for i, l := range []workflow.LogLine{{Logged: store.Logged{Event: event, Leaf: 3}}, {Logged: store.Logged{Event: about, Leaf: 4}, Title: store.Title{Name: "n", Title: "-T"}}} {
		if err := out.Write(l); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range []string{
		"3~2026-03-01T22:00:00.250Z~person_renamed~'=n~'@SUM(A1)~'+x@example.test~203.0.113.7~~~",
		"4~2026-03-01T22:00:00.250Z~stamped~'=~segel~~~7~n~'-T",
	} {
		if got := strings.Join(rows[i+1], "~"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
