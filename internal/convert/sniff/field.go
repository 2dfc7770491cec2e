package sniff

import (
	"strings"
)

// evilFields fetch, run or embed something, by the first word of their code.
var evilFields = map[string]bool{
	"DDE": true, "DDEAUTO": true, "INCLUDEPICTURE": true, "INCLUDETEXT": true, "INCLUDE": true, "IMPORT": true, "LINK": true, "EMBED": true,
	"DATABASE": true, "RD": true, "CONTROL": true, "HTMLCONTROL": true, "OCX": true,
}

// fields follows the field codes of one part, in the order of its text. A code may be split over many runs, and
// fields stand in each other.
type fields struct {
	where string
	open  []field
}

type field struct {
	code   strings.Builder
	result bool // its code has ended
}

// maxCode is how much of a code is kept: more than the first word and what would hide it.
const maxCode = 1 << 10

// maxNested is how deep fields may stand in each other.
const maxNested = 64

func (f *fields) begin() error {
	// A code whose first word is made of fields says something else when they are done.
	if n := len(f.open); n > 0 && !f.open[n-1].result && strings.TrimSpace(f.open[n-1].code.String()) == "" {
		return refuse(Fields, "%s: a field code begins with a field", f.where)
	}
	if len(f.open) == maxNested {
		return refuse(TooComplex, "%s: fields in fields", f.where)
	}
	f.open = append(f.open, field{})
	return nil
}

// text takes the next part of a code.
func (f *fields) text(s string) error {
	if len(f.open) == 0 {
		// Code outside of a field is no code; but a reader may be laxer.
		return harmless(f.where, s)
	}
	top := &f.open[len(f.open)-1]
	if top.result {
		return harmless(f.where, s)
	}
	top.code.WriteString(s[:min(len(s), max(0, maxCode-top.code.Len()))])
	return nil
}

func (f *fields) separate() error {
	if len(f.open) == 0 {
		return nil
	}
	top := &f.open[len(f.open)-1]
	top.result = true
	return harmless(f.where, top.code.String())
}

func (f *fields) end() error {
	err := f.separate()
	f.open = f.open[:max(0, len(f.open)-1)]
	return err
}

// finish judges fields that never end.
func (f *fields) finish() error {
	for len(f.open) > 0 {
		if err := f.end(); err != nil {
			return err
		}
	}
	return nil
}

// harmless judges a code by its first word, and by words that have no business in any other code.
func harmless(where, code string) error {
	words := strings.FieldsFunc(strings.ToUpper(code), func(r rune) bool { return r <= ' ' || r == '"' || r == '{' || r == '}' || r == 0xA0 })
	if len(words) > 1 && words[0] == "HYPERLINK" {
		if err := clickable(where, words[1]); err != nil {
			return err
		}
	}
	for i, w := range words {
		if evilFields[w] && i == 0 || w == "DDE" || w == "DDEAUTO" || w == "INCLUDEPICTURE" || w == "INCLUDETEXT" {
			return refuse(Fields, "%s: field %.80q", where, code)
		}
	}
	return nil
}
