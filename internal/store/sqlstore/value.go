package sqlstore

import (
	"bytes"
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Arguments and columns: text is TEXT, bytes are BYTEA, times and numbers are BIGINT.

// toMicros returns a time as it is stored; the zero time is 0.
func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// scanner scans a column into a destination.
type scanner func(column any) error

// Scan implements [sql.Scanner], which both drivers support.
func (s scanner) Scan(column any) error { return s(column) }

// Most columns are scanned through a pointer to a type of their kind, which needs no memory: a document has some sixty of them.

// scanTime scans a stored time.
func scanTime(t *time.Time) *timeColumn { return (*timeColumn)(t) }

type timeColumn time.Time

// Scan implements [sql.Scanner].
func (t *timeColumn) Scan(column any) error {
	n, ok := column.(int64)
	if !ok {
		return fmt.Errorf("%T is not a time", column)
	}
	*t = timeColumn{}
	if n != 0 {
		*t = timeColumn(time.UnixMicro(n).UTC())
	}
	return nil
}

// scanDigest scans 32 bytes.
func scanDigest(d *[32]byte) *digestColumn { return (*digestColumn)(d) }

type digestColumn [32]byte

// Scan implements [sql.Scanner].
func (d *digestColumn) Scan(column any) error {
	b, ok := column.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("%T of %d bytes is not a digest", column, len(b))
	}
	copy(d[:], b)
	return nil
}

// scanDigestOrNone is [scanDigest] for a column that may be NULL: no digest.
func scanDigestOrNone(d *[32]byte) scanner {
	return func(column any) error {
		if column == nil {
			*d = [32]byte{}
			return nil
		}
		return scanDigest(d).Scan(column)
	}
}

// scanBytes scans bytes. An empty value becomes nil.
func scanBytes(to *[]byte) *bytesColumn { return (*bytesColumn)(to) }

type bytesColumn []byte

// Scan implements [sql.Scanner].
func (to *bytesColumn) Scan(column any) error {
	b, ok := column.([]byte)
	if !ok {
		return fmt.Errorf("%T is not bytes", column)
	}
	*to = nil
	if len(b) > 0 {
		*to = bytes.Clone(b)
	}
	return nil
}

// scanText scans text.
func scanText(to *string) *textColumn { return (*textColumn)(to) }

type textColumn string

// Scan implements [sql.Scanner].
func (to *textColumn) Scan(column any) error {
	s, ok := column.(string)
	if !ok {
		return fmt.Errorf("%T is not text", column)
	}
	*to = textColumn(s)
	return nil
}

// scanNumber scans an integer.
func scanNumber(to *int64) *numberColumn { return (*numberColumn)(to) }

type numberColumn int64

// Scan implements [sql.Scanner].
func (to *numberColumn) Scan(column any) error {
	n, ok := column.(int64)
	if !ok {
		return fmt.Errorf("%T is not a number", column)
	}
	*to = numberColumn(n)
	return nil
}

// scanServerTime scans the expression of serverClock. NULL becomes the zero time.
func scanServerTime(to *time.Time) scanner {
	return func(column any) error {
		switch at := column.(type) {
		case nil:
			*to = time.Time{}
		case time.Time:
			*to = at.UTC()
		default:
			return fmt.Errorf("%T is not a time of the server", column)
		}
		return nil
	}
}

// scanOptional leaves the destination unchanged if the column is NULL.
func scanOptional(s sql.Scanner) scanner {
	return func(column any) error {
		if column == nil {
			return nil
		}
		return s.Scan(column)
	}
}

// bytesArg returns bytes as an argument; nil becomes empty, not NULL.
func bytesArg(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// truncateTime truncates a time to the stored precision.
func truncateTime(t *time.Time) {
	if !t.IsZero() {
		*t = time.UnixMicro(t.UnixMicro()).UTC()
	}
}

// cleanText returns text that both databases accept: PostgreSQL rejects NUL and invalid UTF-8. The replacement
// character marks each place, so that different texts do not become equal.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// foldText makes spellings equal that differ only in letter case or in how accents are composed.
func foldText(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(cleanText(s))))
}

// maxPattern bounds a search, in bytes after folding. SQLite accepts no longer patterns, and titles are shorter.
const maxPattern = 10_000

// likePattern returns the pattern for LIKE ... ESCAPE '\' that matches texts containing the folded search.
func likePattern(search string) (p string, possible bool) {
	s := foldText(search)
	return containing(s), len(s) <= maxPattern
}

// containing returns the pattern for LIKE ... ESCAPE '\' that matches texts containing s.
func containing(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%"
}

// placeholders returns n placeholders starting with $from: "$2,$3,$4".
func placeholders(from, n int) string {
	if n == 0 {
		return ""
	}
	if last := from + n - 1; last < len(placeholderEnds) {
		return knownPlaceholders[placeholderEnds[from-1]+min(1, from-1) : placeholderEnds[last]]
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}

// knownPlaceholders has the placeholders from $1 on, of which placeholderEnds says where each ends.
var knownPlaceholders, placeholderEnds = func() (string, [256]int) {
	var all []byte
	var ends [256]int
	for i := 1; i < len(ends); i++ {
		if i > 1 {
			all = append(all, ',')
		}
		all = strconv.AppendInt(append(all, '$'), int64(i), 10)
		ends[i] = len(all)
	}
	return string(all), ends
}()

// rowsInStatement bounds the rows that one INSERT adds, and with them the number of its texts: connections keep compiled statements by their text.
const rowsInStatement = 20

// placeholderRows returns n lists of that many placeholders, for VALUES: "($1,$2),($3,$4)".
func placeholderRows(n, columns int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("(" + placeholders(1+i*columns, columns) + ")")
	}
	return b.String()
}

// cleanValue returns text as cleanText does: as the value that it is already where nothing changes, which needs no memory.
func cleanValue(value any, text string) any {
	if clean := cleanText(text); clean != text {
		return clean
	}
	return value
}

// cleanArgs cleans all text among arguments, and converts named string types to strings.
func cleanArgs(args []any) []any {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = cleanValue(a, text)
		} else if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			args[i] = cleanText(v.String())
		}
	}
	return args
}

// cleanStatements cleans the arguments of statements.
func cleanStatements(all []statement) []statement {
	for i := range all {
		cleanArgs(all[i].args)
	}
	return all
}

// storedValues returns arguments as the columns that they become: text, bytes, numbers, truth values and NULL.
func storedValues(args []any) []any {
	for i, value := range args {
		switch a := value.(type) {
		case nil, int64, bool, float64, []byte:
		case string:
			args[i] = cleanValue(value, a)
		default:
			switch v := reflect.ValueOf(a); {
			case v.Kind() == reflect.String:
				args[i] = cleanText(v.String())
			case v.Kind() == reflect.Bool:
				args[i] = v.Bool()
			case v.CanInt():
				args[i] = v.Int()
			case v.CanUint():
				args[i] = int64(v.Uint()) // all columns of numbers are BIGINT
			}
		}
	}
	return args
}
