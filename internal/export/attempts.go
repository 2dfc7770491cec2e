package export

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"segel/internal/contract"
	"segel/internal/workflow"
)

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
