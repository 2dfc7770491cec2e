package sniff

import "strings"

// forbiddenFields fetch, run or embed something, by the first word of their code.
var forbiddenFields = map[string]bool{
	"DDE": true, "DDEAUTO": true, "INCLUDEPICTURE": true, "INCLUDETEXT": true, "INCLUDE": true, "IMPORT": true, "LINK": true, "EMBED": true,
	"DATABASE": true, "RD": true, "CONTROL": true, "HTMLCONTROL": true, "OCX": true,
}

// fieldParser follows the field codes of one part, in the order of its text. A code may be split over many runs, and
// fields are nested.
type fieldParser struct {
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

// requireSameFlow refuses a piece of a code, or the end of a field, in another text than the one in which the field began: a
// reader that leaves the other text out would put another code together.
func (f *fieldParser) requireSameFlow(flow int) error {
	if n := len(f.open); n > 0 && f.open[n-1].flow != flow {
		return newRefusal(Damaged, "%s: a field in two texts", f.where)
	}
	return nil
}

// openCode returns the field whose code we are in, if any.
func (f *fieldParser) openCode() *field {
	if n := len(f.open); n > 0 && !f.open[n-1].result {
		return &f.open[n-1]
	}
	return nil
}

func (f *fieldParser) beginField(flow int) error {
	if outer := f.openCode(); outer != nil {
		if err := f.requireSameFlow(flow); err != nil {
			return err
		}
		// A code whose first word is made of fields says something else when they are done.
		if outer.code.Len() == 0 {
			return newRefusal(Fields, "%s: a field code begins with a field", f.where)
		}
	}
	if len(f.open) == maxNested {
		return newRefusal(TooComplex, "%s: fields in fields", f.where)
	}
	f.open = append(f.open, field{flow: flow})
	return nil
}

// addText takes the next part of a code.
func (f *fieldParser) addText(flow int, s string) error {
	top := f.openCode()
	if top == nil {
		// Code outside of a field is no code; but a reader may be laxer.
		return checkFieldCode(f.where, s)
	}
	if err := f.requireSameFlow(flow); err != nil {
		return err
	}
	if top.code.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r\n\u00A0")
	}
	if top.code.Len()+len(s) > maxCode {
		return newRefusal(TooComplex, "%s: a field code of more than %d bytes", f.where, maxCode)
	}
	top.code.WriteString(s)
	return nil
}

func (f *fieldParser) separateField(flow int) error {
	if err := f.requireSameFlow(flow); err != nil {
		return err
	}
	top := f.openCode()
	if top == nil {
		return nil
	}
	top.result = true
	return checkFieldCode(f.where, top.code.String())
}

func (f *fieldParser) endField(flow int) error {
	err := f.separateField(flow)
	f.open = f.open[:max(0, len(f.open)-1)]
	return err
}

// endAll judges fields that never end.
func (f *fieldParser) endAll() error {
	for n := len(f.open); n > 0; n = len(f.open) {
		if err := f.endField(f.open[n-1].flow); err != nil {
			return err
		}
	}
	return nil
}

// checkFieldCode judges a code by its first word, and by words that have no business in any other code.
func checkFieldCode(where, code string) error {
	words := strings.FieldsFunc(strings.ToUpper(code), func(r rune) bool {
		return isBlank(r) || r == '"' || r == '{' || r == '}' || r == '\\'
	})
	for i, w := range words {
		if forbiddenFields[w] && i == 0 || w == "DDE" || w == "DDEAUTO" || w == "INCLUDEPICTURE" || w == "INCLUDETEXT" {
			return newRefusal(Fields, "%s: field %.80q", where, code)
		}
	}
	if len(words) > 0 && words[0] == "HYPERLINK" {
		return checkLinkCode(where, code)
	}
	return nil
}

func isBlank(r rune) bool { return r <= ' ' || r == 0xA0 }

// checkLinkCode judges each word and each quotation of a hyperlink's code that may be its address: all but those that
// belong to a switch, such as the tip that \o shows.
func checkLinkCode(where, code string) error {
	skip := false
	for rest := strings.TrimLeftFunc(code, isBlank); rest != ""; rest = strings.TrimLeftFunc(rest, isBlank) {
		var word string
		if quoted, is := strings.CutPrefix(rest, `"`); is {
			word, rest, _ = strings.Cut(quoted, `"`)
		} else {
			n := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return !isBlank(r) && r != '"' }))
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
			if err := checkHyperlink(where, word); err != nil {
				return err
			}
		}
	}
	return nil
}
