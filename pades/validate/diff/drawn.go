package diff

import (
	"bytes"

	"segel/pdf"
)

// checkPlacement demands that a new widget has one place, which all readers agree on.
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

// isDrawn reports whether a widget paints anything, or might: one of its appearances, the one under the mouse among them,
// or what readers make of its characteristics where it has none (ISO 32000-2 §12.5.6.19).
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

// maxDrawn bounds the appearance of an empty field that is looked at.
const maxDrawn = 64 << 10

// hasPainting reports whether an appearance has anything but saving and restoring the graphics state, or might.
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
