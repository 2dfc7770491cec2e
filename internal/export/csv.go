package export

import (
	"encoding/csv"
	"io"
	"strings"
	"time"
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
	if t.head != nil {
		if err := t.out.Write(t.head); err != nil {
			return err
		}
		t.head = nil
	}
	return t.out.Write(cells)
}

// Close flushes the output. It writes the header if there was no line.
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
