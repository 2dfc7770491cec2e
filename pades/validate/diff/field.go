package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"segel/pades/validate/formfield"
	"segel/pdf"
)

// fieldInfo is a field, or a widget below one, with what it inherits, in one state of the file.
type fieldInfo struct {
	number  uint32   // of the field that has the value
	self    pdf.Dict // the field or widget asked for
	name    string   // fully qualified
	kind    pdf.Name // FT
	value   pdf.Object
	flags   int64        // Ff
	styles  []pdf.Object // default appearance strings (DA), its own first
	aligned bool         // it, or a field above, has a text alignment (Q)
	inForm  bool         // it, or a field above, is in the tree of the form
	ok      bool         // it was read without an error
}

// isFixed reports whether people cannot fill the field in: it is read-only, or a push button, which has no value.
func (f fieldInfo) isFixed() bool {
	return f.kind != "Sig" && f.flags&fieldReadOnly != 0 || f.kind == "Btn" && f.flags&fieldPushButton != 0
}

// maxAbove bounds the fields above a field.
const maxAbove = 32

// readField reads the field or widget with that object number, in one state of the file.
func (r *revision) readField(d *pdf.Document, n uint32) fieldInfo {
	var f fieldInfo
	var names []string
	flagged := false
	for range maxAbove {
		dict, ok := dictAt(d, n)
		if !ok {
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
			slices.Reverse(names)
			f.name, f.ok = strings.Join(names, "."), true
			return f
		}
		n = parent.Number
	}
	return f
}

// locateWidget returns the page of a widget, from the page that lists it or else from its own /P, and whether it is
// visible. If its box cannot be read it counts as visible: readers may draw it.
func (r *revision) locateWidget(d *pdf.Document, widget pdf.Dict, number uint32) (page int, box pdf.Rect, visible bool) {
	if page = int(r.g.pages.get(r.g.listedOn.get(number))); page == 0 {
		page = int(r.g.pages.get(widget.Ref("P").Number))
	}
	flags, _ := d.Integer(widget["F"])
	visible = formfield.Shows(flags)
	box, err := d.Rect(widget["Rect"])
	if err != nil {
		return page, pdf.Rect{}, visible
	}
	return page, box, visible && !box.Empty()
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

	// flagsNew are those that a new widget may have. The others let it show elsewhere than its box says, or depend on
	// the mouse.
	flagsNew = flagsHarmless | flagInvisible | flagHidden | flagNoView
	// flagsHarmless only protect a widget or let it be printed.
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

// checkPlacement requires that a new widget has one place on which all readers agree.
func (r *revision) checkPlacement(widget pdf.Dict) verdict {
	if _, err := r.new.Rect(widget["Rect"]); err != nil {
		return deny(CodeFieldAdded, "/Rect cannot be read")
	}
	flags, err := r.new.Integer(widget["F"])
	if err != nil || flags&^flagsNew != 0 {
		return deny(CodeFieldAdded, "/F")
	}
	return verdict{}
}

// isDrawn reports whether a widget paints something or may: one of its appearances, including the rollover one, or,
// without appearances, what readers draw from its characteristics (ISO 32000-2 §12.5.6.19).
func isDrawn(d *pdf.Document, widget pdf.Dict) bool {
	looks, err := d.Dict(widget["AP"])
	if err != nil {
		return true
	}
	for _, look := range looks {
		if hasPainting(d, look) {
			return true
		}
	}
	characteristics, err := d.Dict(widget["MK"])
	if err != nil {
		return true
	}
	for _, k := range []pdf.Name{"BG", "BC", "CA", "RC", "AC", "I", "RI", "IX"} {
		colour, isArray := characteristics[k].(pdf.Array)
		if v := characteristics[k]; v != nil && (!isArray || len(colour) > 0) {
			return true
		}
	}
	return false
}

// maxDrawn bounds the examined appearance of an empty field.
const maxDrawn = 64 << 10

// hasPainting reports whether an appearance has other operators than saving and restoring the graphics state, or may
// have.
func hasPainting(d *pdf.Document, look pdf.Object) bool {
	st, err := d.Stream(look)
	if err != nil || st == nil || st.Len() > maxDrawn {
		return true
	}
	b, err := d.Decode(st)
	if err != nil || len(b) > maxDrawn {
		return true
	}
	for line := range bytes.FieldsFuncSeq(b, func(c rune) bool { return c == '\n' || c == '\r' }) {
		line, _, _ = bytes.Cut(line, []byte("%"))
		for word := range bytes.FieldsSeq(line) {
			if w := string(word); w != "q" && w != "Q" {
				return true
			}
		}
	}
	return false
}
