package sniff

import "strings"

// evilFields fetch, run or embed something, by the first word of their code.
var evilFields = map[string]bool{
	"DDE": true, "DDEAUTO": true, "INCLUDEPICTURE": true, "INCLUDETEXT": true, "INCLUDE": true, "IMPORT": true, "LINK": true, "EMBED": true,
	"DATABASE": true, "RD": true, "CONTROL": true, "HTMLCONTROL": true, "OCX": true,
}

// fields follows the field codes of one part, in the order of its text. A code may be split over many runs, and
// fields are nested.
type fields struct {
	where string
	open  []field
}

type field struct {
	flow   int // which text it began in
	code   strings.Builder
	result bool // its code has ended
}

// maxCode is how long a code may be: those of bibliographies hold whole records.
const maxCode = 1 << 20

// maxNested is how deep fields may be nested.
const maxNested = 64

// within refuses a piece of a code, or the end of a field, in another text than the one in which the field began: a
// reader that leaves the other text out would put another code together.
func (f *fields) within(flow int) error {
	if n := len(f.open); n > 0 && f.open[n-1].flow != flow {
		return refuse(Damaged, "%s: a field in two texts", f.where)
	}
	return nil
}

// coding returns the field whose code we are in, if any.
func (f *fields) coding() *field {
	if n := len(f.open); n > 0 && !f.open[n-1].result {
		return &f.open[n-1]
	}
	return nil
}

func (f *fields) begin(flow int) error {
	if outer := f.coding(); outer != nil {
		if err := f.within(flow); err != nil {
			return err
		}
		// A code whose first word is made of fields says something else when they are done.
		if outer.code.Len() == 0 {
			return refuse(Fields, "%s: a field code begins with a field", f.where)
		}
	}
	if len(f.open) == maxNested {
		return refuse(TooComplex, "%s: fields in fields", f.where)
	}
	f.open = append(f.open, field{flow: flow})
	return nil
}

// text takes the next part of a code.
func (f *fields) text(flow int, s string) error {
	top := f.coding()
	if top == nil {
		// Code outside of a field is no code; but a reader may be laxer.
		return harmless(f.where, s)
	}
	if err := f.within(flow); err != nil {
		return err
	}
	if top.code.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r\n\u00A0")
	}
	if top.code.Len()+len(s) > maxCode {
		return refuse(TooComplex, "%s: a field code of more than %d bytes", f.where, maxCode)
	}
	top.code.WriteString(s)
	return nil
}

func (f *fields) separate(flow int) error {
	if err := f.within(flow); err != nil {
		return err
	}
	top := f.coding()
	if top == nil {
		return nil
	}
	top.result = true
	return harmless(f.where, top.code.String())
}

func (f *fields) end(flow int) error {
	err := f.separate(flow)
	f.open = f.open[:max(0, len(f.open)-1)]
	return err
}

// finish judges fields that never end.
func (f *fields) finish() error {
	for n := len(f.open); n > 0; n = len(f.open) {
		if err := f.end(f.open[n-1].flow); err != nil {
			return err
		}
	}
	return nil
}

// harmless judges a code by its first word, and by words that have no business in any other code.
func harmless(where, code string) error {
	words := strings.FieldsFunc(strings.ToUpper(code), func(r rune) bool {
		return blank(r) || r == '"' || r == '{' || r == '}' || r == '\\'
	})
	for i, w := range words {
		if evilFields[w] && i == 0 || w == "DDE" || w == "DDEAUTO" || w == "INCLUDEPICTURE" || w == "INCLUDETEXT" {
			return refuse(Fields, "%s: field %.80q", where, code)
		}
	}
	if len(words) > 0 && words[0] == "HYPERLINK" {
		return harmlessLink(where, code)
	}
	return nil
}

func blank(r rune) bool { return r <= ' ' || r == 0xA0 }

// harmlessLink judges each word and each quotation of a hyperlink's code that may be its address: all but those that
// belong to a switch, such as the tip that \o shows.
func harmlessLink(where, code string) error {
	skip := false
	for rest := strings.TrimLeftFunc(code, blank); rest != ""; rest = strings.TrimLeftFunc(rest, blank) {
		var word string
		if quoted, is := strings.CutPrefix(rest, `"`); is {
			word, rest, _ = strings.Cut(quoted, `"`)
		} else {
			n := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return !blank(r) && r != '"' }))
			word, rest = rest[:n], rest[n:]
		}
		if skip {
			skip = false
			continue
		}
		switch strings.ToLower(word) {
		case `\o`, `\t`, `\l`:
			skip = true
		default:
			if err := clickable(where, word); err != nil {
				return err
			}
		}
	}
	return nil
}
