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

// toMicros is a time as it is stored; the zero time is 0.
func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// scanner stores a column where it belongs.
type scanner func(column any) error

// Scan implements [sql.Scanner], which both drivers know.
func (s scanner) Scan(column any) error { return s(column) }

// scanTime scans a stored time.
func scanTime(t *time.Time) scanner {
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

// scanDigest scans 32 bytes.
func scanDigest(d *[32]byte) scanner {
	return func(column any) error {
		b, ok := column.([]byte)
		if !ok || len(b) != len(d) {
			return fmt.Errorf("%T of %d bytes is not a digest", column, len(b))
		}
		copy(d[:], b)
		return nil
	}
}

// scanBytes scans bytes. None are nil.
func scanBytes(to *[]byte) scanner {
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

// scanOptional leaves what it scans into as it is where a column is NULL.
func scanOptional(s scanner) scanner {
	return func(column any) error {
		if column == nil {
			return nil
		}
		return s(column)
	}
}

// bytesArg is bytes as an argument; nil ones are none, not NULL.
func bytesArg(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// truncateTime rounds a time down to what is stored.
func truncateTime(t *time.Time) {
	if !t.IsZero() {
		*t = time.UnixMicro(t.UnixMicro()).UTC()
	}
}

// cleanText makes text that both databases take: PostgreSQL refuses a NUL and what is not UTF-8. The replacement
// character stands in for them, so that no text becomes equal to another one that was meant differently.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// foldText makes two spellings equal that differ in upper and lower case or in how accents are composed.
func foldText(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(cleanText(s))))
}

// maxPattern bounds a search, in bytes once folded. SQLite takes no longer ones, and no title is as long.
const maxPattern = 10_000

// likePattern makes what LIKE ... ESCAPE '\' finds texts with, that have the folded search in them.
func likePattern(search string) (p string, possible bool) {
	s := foldText(search)
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%", len(s) <= maxPattern
}

// placeholders writes n placeholders from $from on: "$2,$3,$4".
func placeholders(from, n int) string {
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

// cleanArgs makes all text among arguments clean, and plain strings of those that have a type of their own.
func cleanArgs(args []any) []any {
	for i, a := range args {
		if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			args[i] = cleanText(v.String())
		}
	}
	return args
}
