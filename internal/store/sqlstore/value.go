package sqlstore

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Arguments and columns: text is TEXT, bytes BYTEA, times and numbers BIGINT.

// micros is a time as it is stored; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// scanner stores a column where it belongs.
type scanner func(column any) error

// Scan implements [sql.Scanner], which both drivers know.
func (s scanner) Scan(column any) error { return s(column) }

// moment scans a stored time.
func moment(t *time.Time) scanner {
	return func(column any) error {
		n, ok := column.(int64)
		if !ok {
			return fmt.Errorf("%T is not a time", column)
		}
		*t = time.Time{}
		if n != 0 {
			*t = time.UnixMicro(n).UTC()
		}
		return nil
	}
}

// digest scans 32 bytes.
func digest(d *[32]byte) scanner {
	return func(column any) error {
		b, ok := column.([]byte)
		if !ok || len(b) != len(d) {
			return fmt.Errorf("%T of %d bytes is not a digest", column, len(b))
		}
		copy(d[:], b)
		return nil
	}
}

// octets scans bytes. None are nil.
func octets(to *[]byte) scanner {
	return func(column any) error {
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
}

// optional leaves what it scans into as it is where a column is NULL.
func optional(s scanner) scanner {
	return func(column any) error {
		if column == nil {
			return nil
		}
		return s(column)
	}
}

// blob is bytes as an argument; nil ones are none, not NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// cut rounds a time down to what is stored.
func cut(t *time.Time) {
	if !t.IsZero() {
		*t = time.UnixMicro(t.UnixMicro()).UTC()
	}
}

// clean makes text that both databases take: PostgreSQL refuses a NUL and what is not UTF-8. The replacement
// character stands in for them, so that no text becomes equal to another one that was meant differently.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// fold makes two spellings equal that differ in upper and lower case or in how accents are composed.
func fold(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(clean(s))))
}

// maxPattern bounds a search, in bytes once folded. SQLite takes no longer ones, and no title is as long.
const maxPattern = 10_000

// pattern makes what LIKE ... ESCAPE '\' finds texts with, that have the folded search in them.
func pattern(search string) (p string, possible bool) {
	s := fold(search)
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%", len(s) <= maxPattern
}

// list writes n placeholders from $from on: "$2,$3,$4".
func list(from, n int) string {
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

// cleaned makes all text among arguments clean, and plain strings of those that have a type of their own.
func cleaned(args []any) []any {
	for i, a := range args {
		if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			args[i] = clean(v.String())
		}
	}
	return args
}
