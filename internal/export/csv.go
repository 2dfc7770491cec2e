package export

import (
	"encoding/csv"
	"io"
	"strings"
	"time"
)

// table writes lines below a head.
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
	if t.head != nil {
		if err := t.out.Write(t.head); err != nil {
			return err
		}
		t.head = nil
	}
	return t.out.Write(cells)
}

// Close writes what is buffered, and the head where there was no line.
func (t *table) Close() error {
	if t.head != nil {
		if err := t.out.Write(t.head); err != nil {
			return err
		}
		t.head = nil
	}
	t.out.Flush()
	return t.out.Error()
}

// formulaStarts begin, in one spreadsheet or another, what is calculated instead of shown. The wide forms are what some
// read as the narrow ones.
const formulaStarts = "=+-@\t\r\n|%＝＋－＠"

// escapeFormula makes a text that a stranger wrote, such as a title or what the office said, a cell that is only shown: an
// apostrophe in front says so to every spreadsheet.
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

// formatTime is a time in UTC; empty for one that has not come.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
