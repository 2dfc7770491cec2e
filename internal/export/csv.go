// Package export writes CSV files for spreadsheets (RFC 4180). No cell is read as a formula.
package export

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// table writes lines after a header.
type table struct {
	out  *csv.Writer
	head []string
}

func newTable(w io.Writer, head ...string) table {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180 §2
	return table{out: out, head: head}
}

func (t *table) writeRow(cells ...string) error {
	if err := t.writeHead(); err != nil {
		return err
	}
	return t.out.Write(cells)
}

// writeHead writes the header once.
func (t *table) writeHead() error {
	head := t.head
	t.head = nil
	if head == nil {
		return nil
	}
	return t.out.Write(head)
}

// Close flushes the output. It writes the header if there was no line.
func (t *table) Close() error {
	if err := t.writeHead(); err != nil {
		return err
	}
	t.out.Flush()
	return t.out.Error()
}

// formulaStarts are the characters that start a formula in some spreadsheet program. Some programs read the
// full-width forms like the ASCII ones.
const formulaStarts = "=+-@\t\r\n|%＝＋－＠"

// escapeFormula keeps text from other people, such as a title or a message of the stamp office, from being read as a
// formula: every spreadsheet program shows a cell that starts with an apostrophe as text.
func escapeFormula(s string) string {
	if strings.ContainsAny(firstRune(strings.TrimLeft(s, " \u00a0")), formulaStarts) || strings.ContainsAny(firstRune(s), formulaStarts) {
		return "'" + s
	}
	return s
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// formatTime formats a time in UTC. It returns an empty string for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Attempts writes the calls to the stamp office, one line each, with what a claim for a refund needs.
type Attempts struct{ table }

// NewAttempts returns a writer of attempts.
func NewAttempts(w io.Writer) *Attempts {
	return &Attempts{newTable(w, "organisation", "document", "document_name", "title", "page", "stamp", "attempt", "call", "order", "serial", "serial_state_now",
		"asked_at", "answered_at", "outcome", "code", "office_said")}
}

// Write adds a line.
func (a *Attempts) Write(l workflow.AttemptLine) error {
	page := ""
	if n := l.Page(); n != 0 {
		page = strconv.Itoa(n)
	}
	return a.writeRow(
		escapeFormula(l.Organisation.Name), fmt.Sprint(l.Document), escapeFormula(l.Title.Name), escapeFormula(l.Title.Title), page, strconv.Itoa(l.Stamp+1), strconv.Itoa(l.Number),
		string(l.Call), escapeFormula(l.Order), escapeFormula(l.Serial), string(l.SerialState), formatTime(l.At), formatTime(l.AnsweredAt),
		string(cmp.Or(l.Outcome, "open")), escapeFormula(l.Code), escapeFormula(l.Text),
	)
}

// Moves writes the quota ledger, one line for each move.
type Moves struct{ table }

// NewMoves returns a writer of moves.
func NewMoves(w io.Writer) *Moves {
	return &Moves{newTable(w, "organisation", "unit", "number", "at", "op", "count", "document", "document_name", "title", "reason", "by")}
}

// Write adds a line.
func (m *Moves) Write(l workflow.LedgerLine) error {
	document := ""
	if l.Document != 0 {
		document = fmt.Sprint(l.Document)
	}
	by := cmp.Or(l.By.Email, l.By.Name)
	if l.Op == contract.QuotaGrant {
		by = cmp.Or(by, "segel")
	}
	return m.writeRow(
		escapeFormula(l.Organisation.Name), string(l.Unit), fmt.Sprint(l.Number), formatTime(l.At), string(l.Op), strconv.Itoa(l.Count),
		document, escapeFormula(l.Title.Name), escapeFormula(l.Title.Title), escapeFormula(l.Reason), escapeFormula(by),
	)
}

// Events writes the audit log, one line for each event.
type Events struct {
	table
	describe func(contract.Event) string
}

// NewEvents returns a writer of events. Describe returns the sentence of an event.
func NewEvents(w io.Writer, describe func(contract.Event) string) *Events {
	return &Events{newTable(w, "number", "at", "type", "description", "name", "email", "ip", "document", "document_name", "title"), describe}
}

// Write adds a line.
func (e *Events) Write(l workflow.LogLine) error {
	document := ""
	if l.Event.Document != 0 {
		document = fmt.Sprint(l.Event.Document)
	}
	return e.writeRow(
		fmt.Sprint(l.Leaf), formatTime(l.At), string(l.Type), escapeFormula(e.describe(l.Event)), escapeFormula(cmp.Or(l.Person.Name, "segel")), escapeFormula(l.Person.Email), escapeFormula(l.IP),
		document, escapeFormula(l.Title.Name), escapeFormula(l.Title.Title),
	)
}

// Logins writes recorded logins, one line for each record.
type Logins struct {
	table
	describe func(store.LoginLine) string
}

// NewLogins returns a writer of recorded logins. Describe returns the sentence of a record.
func NewLogins(w io.Writer, describe func(store.LoginLine) string) *Logins {
	return &Logins{newTable(w, "first_at", "last_at", "times", "kind", "description", "factor", "name", "email", "ip", "network", "device"), describe}
}

// Write adds a line.
func (e *Logins) Write(l store.LoginLine) error {
	return e.writeRow(
		formatTime(l.FirstAt), formatTime(l.LastAt), strconv.Itoa(l.Times), string(l.Kind), escapeFormula(e.describe(l)), string(l.Factor),
		escapeFormula(l.Holder.Name), escapeFormula(l.Holder.Email), escapeFormula(l.IP), escapeFormula(l.Network), escapeFormula(l.UserAgent),
	)
}
