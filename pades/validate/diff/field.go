package diff

import (
	"fmt"
	"strings"

	"segel/pdf"
)

// fieldInfo is what a field or a widget below one inherits, as one state of the file has it.
type fieldInfo struct {
	number  uint32   // of the field that has the value
	self    pdf.Dict // the field or widget that was asked about
	name    string   // fully qualified
	kind    pdf.Name // FT
	value   pdf.Object
	flags   int64        // Ff
	styles  []pdf.Object // default looks (DA), its own first
	aligned bool         // it, or a field above, says how its text is aligned (Q)
	inForm  bool         // it, or a field above, is in the tree of the form
	ok      bool         // it can be read
}

// isSigned reports whether a signature field has a value.
func (f fieldInfo) isSigned() bool { return f.kind == "Sig" && f.value != nil }

// isFixed reports whether nobody can fill it in by hand: it is read-only, or a push button, which has no value.
func (f fieldInfo) isFixed() bool {
	return f.kind != "Sig" && f.flags&fieldReadOnly != 0 || f.kind == "Btn" && f.flags&fieldPushButton != 0
}

// maxAbove bounds the fields above a field.
const maxAbove = 32

// readField collects what the field or widget under a number is, in one state of the file.
func (r *revision) readField(d *pdf.Document, n uint32) fieldInfo {
	var f fieldInfo
	var names []string
	flagged := false
	for range maxAbove {
		o, err := objectAt(d, n)
		dict, ok := o.(pdf.Dict)
		if err != nil || !ok {
			return f
		}
		if f.self == nil {
			f.self = dict
		}
		f.inForm = f.inForm || r.g.hasRole(n, roleField)
		if t, err := d.String(dict["T"]); err == nil && dict["T"] != nil {
			names = append(names, t.Text())
			if f.number == 0 {
				f.number = n
			}
		}
		if t, err := d.Name(dict["FT"]); err == nil && f.kind == "" {
			f.kind = t
		}
		if flags, err := d.Integer(dict["Ff"]); err == nil && !flagged && dict["Ff"] != nil {
			f.flags, flagged = flags, true
		}
		if dict["DA"] != nil {
			f.styles = append(f.styles, dict["DA"])
		}
		f.aligned = f.aligned || dict["Q"] != nil
		if v, err := d.Resolve(dict["V"]); f.value == nil && (err != nil || v != pdf.Object(pdf.Null{})) {
			f.value = dict["V"]
		}
		parent, ok := dict["Parent"].(pdf.Ref)
		if !ok {
			for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
				names[i], names[j] = names[j], names[i]
			}
			f.name, f.ok = strings.Join(names, "."), true
			return f
		}
		n = parent.Number
	}
	return f
}

// locateWidget says on which page a widget stands, by the page that lists it, or else as it says itself, and whether it is to
// be seen. Where it stands nobody knows if its box cannot be read, but readers may draw it all the same.
func (r *revision) locateWidget(d *pdf.Document, widget pdf.Dict, number uint32) (page int, box pdf.Rect, visible bool) {
	if page = int(r.g.pages.get(r.g.listedOn.get(number))); page == 0 {
		page = int(r.g.pages.get(widget.Ref("P").Number))
	}
	flags, _ := d.Integer(widget["F"])
	visible = Shows(flags)
	box, err := d.Rect(widget["Rect"])
	if err != nil {
		return page, pdf.Rect{}, visible
	}
	return page, box, visible && !box.Empty()
}

// Shows tells by the flags of a widget whether it is to be seen, on a screen or in print. The flag Invisible is about
// annotations of unknown kinds only (ISO 32000-2 §12.5.3).
func Shows(flags int64) bool {
	return flags&flagHidden == 0 && (flags&flagNoView == 0 || flags&flagPrint != 0)
}

// Flags of annotations (ISO 32000-2 §12.5.3).
const (
	flagInvisible  = 1 << 0
	flagHidden     = 1 << 1
	flagPrint      = 1 << 2
	flagNoView     = 1 << 5
	flagReadOnly   = 1 << 6
	flagLocked     = 1 << 7
	flagLockedText = 1 << 9

	// flagsNew are those that a new widget may have. The others let it stand elsewhere than its box says, or come and
	// go under the mouse.
	flagsNew = flagsHarmless | flagInvisible | flagHidden | flagNoView
	// flagsHarmless keep a widget from being changed or let it be printed.
	flagsHarmless = flagPrint | flagReadOnly | flagLocked | flagLockedText

	// Flags of fields (ISO 32000-2 §12.7.4).
	fieldReadOnly   = 1 << 0
	fieldPushButton = 1 << 16 // of buttons
)

// isTimestamp reports whether a signature dictionary is that of a document timestamp.
func isTimestamp(d *pdf.Document, value pdf.Object) bool {
	dict, err := d.Dict(value)
	return err == nil && equalObjects(dict["Type"], pdf.Name("DocTimeStamp")) && equalObjects(dict["SubFilter"], pdf.Name("ETSI.RFC3161"))
}

func keyDetail(k pdf.Name) string { return fmt.Sprintf("/%s", k) }
