package validate

import (
	"strings"
	"time"
)

// Reason is a statement of a report: a stable code with its arguments. Arguments are clean: one line of bounded length.
type Reason struct {
	Code string
	Args map[string]string
}

// maxArgument bounds the length of an argument in characters.
const maxArgument = 300

// NewReason builds a Reason from pairs of names and values.
func NewReason(code string, pairs ...string) Reason {
	r := Reason{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Args[pairs[i]] = CleanText(pairs[i+1])
	}
	return r
}

// distinctBy are the arguments that distinguish reasons with the same code. Changes without an entry are distinguished by
// their location, and other reasons by nothing: they are reported once.
var distinctBy = map[string][]string{
	"change.cross_reference": {}, "change.trailer": {}, "change.store": {}, "change.store_replaced": {}, "change.form": {},
	"change.metadata": {}, "change.extensions": {}, "change.structure": {}, "change.catalog": {}, "change.information": {}, "change.too_much": {},
	"change.annotations": {"page"}, "change.page": {"page"},
	"change.comment": {"page", "where"}, "change.hides_signed": {"page", "where"}, "change.shows": {"page", "where"},
	"change.overlaps_text": {"page", "where"}, "change.overlaps_signature": {"page", "where"},
	"change.overlaps_picture": {"page", "where"}, "change.overlaps_annotation": {"page", "where"},

	"warning.covered_text": {"page"}, "warning.invisible_text": {"page"}, "warning.not_looked": {"page"},
	"warning.overlaps_text": {"page", "where", "revision"}, "warning.overlaps_signature": {"page", "where", "revision"},
	"warning.overlaps_picture": {"page", "where", "revision"}, "warning.overlaps_annotation": {"page", "where", "revision"},
	"warning.value_not_compared": {"where", "revision"},
	"revocation.offline":         {"subject"}, "certificate.irregular": {"subject", "what"},
}

// key returns the same text for reasons that say the same.
func (r Reason) key() string {
	names, known := distinctBy[r.Code]
	if !known && strings.HasPrefix(r.Code, "change.") {
		names = []string{"where"}
	}
	key := r.Code
	for _, n := range names {
		key += "\x00" + r.Args[n]
	}
	return key
}

// CleanText turns text from a file into one line of bounded length, so that it cannot imitate a line of ours, and removes
// characters that change the direction of writing.
func CleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxArgument {
			b.WriteRune('…')
			break
		}
		switch {
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029:
			r = ' '
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// TimeLayout is the format of times in arguments, in UTC. A missing time is "-".
const TimeLayout = "2006-01-02 15:04:05 UTC"

// formatTime formats a time as an argument.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(TimeLayout)
}
