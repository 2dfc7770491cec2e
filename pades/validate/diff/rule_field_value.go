package diff

import (
	"bytes"
	"math"
	"slices"

	"segel/pades/validate/formfield"
	"segel/pdf"
	"segel/pdf/content"
)

// Limits for comparing the fields of one file with their values.
const (
	maxFieldWork       = 64 << 20 // bytes, about
	maxAppearanceBytes = 32 << 20 // of appearances, as package content counts them
)

// compareFieldOnce checks a field as a whole, once for all its objects that a revision changed: if the value stays, its
// widgets show the same as before, and if not, they show the new value.
func (r *revision) compareFieldOnce(f fieldInfo, asked uint32) verdict {
	number := f.number
	if number == 0 {
		number = asked
	}
	if v, known := r.fieldVerdicts[number]; known {
		return v
	}
	v := r.compareField(number).forField(f)
	r.fieldVerdicts[number] = v
	return v
}

func (r *revision) compareField(number uint32) verdict {
	more := r.unlistedWidgets(number)
	before, err := formfield.Read(r.old, number, r.c.fieldWork, more...)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	after, err := formfield.Read(r.new, number, r.c.fieldWork, more...)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	was, is := r.appearanceReader(r.old), r.appearanceReader(r.new)
	result := formfield.Compare(before, after, formfield.Options{Old: was, New: is, Unchanged: r.isUnchangedObject, Placed: func(widget uint32) bool { return widget != 0 && r.g.listedOn.get(widget) != 0 }, AddedLater: r.c.laterFonts.hasFont})
	r.c.appearanceBytes -= maxAppearanceBytes - was.RemainingBytes() + maxAppearanceBytes - is.RemainingBytes()
	if r.c.appearanceBytes < 0 {
		return deny(CodeTooMuch, "appearances of fields")
	}
	v := allow("form filling", FormFilling, CodeFilled)
	switch result.Outcome {
	case formfield.Kept, formfield.Shown:
	case formfield.NotCompared:
		v.notes, v.detail = []Note{ValueNotCompared}, result.Detail
	case formfield.AppearanceChanged:
		return deny(CodeAppearanceChanged, result.Detail)
	case formfield.Differs:
		return deny(CodeAppearanceDiffers, result.Detail)
	default:
		return deny(CodeUnreadable, result.Detail)
	}
	return v
}

func (r *revision) appearanceReader(d *pdf.Document) *content.Reader {
	return content.NewReader(d, content.Limits{Bytes: maxAppearanceBytes})
}

// isUnchangedObject reports whether an object is the same before and after the revision.
func (r *revision) isUnchangedObject(ref pdf.Ref) bool {
	if m := r.moves[ref.Number]; m != nil {
		return m.oldErr == nil && m.newErr == nil && m.Before == ref && m.After == ref && r.isUnchanged(m)
	}
	has, used := r.new.InUse(ref.Number)
	return used && has == ref
}

// unlistedWidgets returns the widgets that name a field as their parent although it does not list them: readers that
// start from the pages show them as its widgets.
func (r *revision) unlistedWidgets(field uint32) []uint32 {
	below := r.g.widgets[field]
	if len(below) == 0 {
		return nil
	}
	dict, ok := dictAt(r.old, field)
	if !ok {
		return nil
	}
	kids, err := r.old.Array(dict["Kids"])
	if err != nil {
		return nil
	}
	listed := map[uint32]bool{}
	for _, kid := range kids {
		listed[pdf.AsRef(kid).Number] = true
	}
	return slices.DeleteFunc(slices.Clone(below), func(n uint32) bool { return listed[n] })
}

// checkCharacteristics checks the appearance characteristics of a widget: some programs rewrite them with a field,
// without entries that readers do not need if there is an appearance, and with rounded colours.
func (r *revision) checkCharacteristics(old, new pdf.Object) verdict {
	before, err1 := r.old.Dict(old)
	after, err2 := r.new.Dict(new)
	if _, direct := new.(pdf.Dict); err1 != nil || err2 != nil || !direct && new != nil {
		return deny(CodeFieldChanged, "/MK")
	}
	for _, k := range Differing(before, after) {
		switch k {
		case "BG", "BC":
			if !r.equalColors(before[k], after[k]) {
				return deny(CodeFieldChanged, "/MK"+keyDetail(k))
			}
		case "CA", "RC", "AC", "TP":
			if after[k] != nil {
				return deny(CodeFieldChanged, "/MK"+keyDetail(k))
			}
		default:
			return deny(CodeFieldChanged, "/MK"+keyDetail(k))
		}
	}
	return verdict{level: None}
}

// equalColors reports whether people see no difference between two colours of an annotation (ISO 32000-2 §12.5.6.19).
func (r *revision) equalColors(a, b pdf.Object) bool {
	x, ok1 := readColor(r.old, a)
	y, ok2 := readColor(r.new, b)
	return ok1 && ok2 && slices.EqualFunc(x, y, func(a, b float64) bool { return math.Abs(a-b) <= 0.01 })
}

// readColor reads a colour as red, green and blue; without components it is transparent.
func readColor(d *pdf.Document, o pdf.Object) ([]float64, bool) {
	list, err := d.Array(o)
	if err != nil || len(list) > 4 {
		return nil, false
	}
	var v []float64
	for _, o := range list {
		n, err := d.Number(o)
		if err != nil {
			return nil, false
		}
		v = append(v, n)
	}
	switch len(v) {
	case 1:
		return []float64{v[0], v[0], v[0]}, true
	case 4:
		return []float64{(1 - v[0]) * (1 - v[3]), (1 - v[1]) * (1 - v[3]), (1 - v[2]) * (1 - v[3])}, true
	}
	return v, len(v) != 2
}

// checkStyle checks the default appearance of a field: some programs rewrite it without the operator for black text.
func (r *revision) checkStyle(was fieldInfo, old, new pdf.Object) verdict {
	if new == nil && was.kind == "Btn" {
		if _, form, err := r.old.Form(); err == nil {
			if redraw, err := r.old.Boolean(form["NeedAppearances"]); err == nil && !redraw {
				return verdict{level: None} // readers use its appearances
			}
		}
	}
	a, err1 := r.old.String(old)
	b, err2 := r.new.String(new)
	if err1 != nil || err2 != nil || old == nil || new == nil || !bytes.Equal(normalizeStyle(a.Bytes), normalizeStyle(b.Bytes)) {
		return deny(CodeFieldChanged, "/DA")
	}
	return verdict{level: None}
}

// normalizeStyle reorders a default appearance: colour, then font and size. One with other operators stays as it is.
func normalizeStyle(s []byte) []byte {
	operands := map[string]int{"g": 1, "rg": 3, "k": 4, "Tf": 2}
	color, font := []byte("0 g"), []byte(nil)
	var pending [][]byte
	for _, word := range bytes.Fields(s) {
		n, known := operands[string(word)]
		if !known {
			pending = append(pending, word)
			continue
		}
		if len(pending) != n {
			return s
		}
		whole := append(bytes.Join(pending, []byte(" ")), ' ')
		whole = append(whole, word...)
		if pending = nil; string(word) == "Tf" {
			font = whole
		} else {
			color = whole
		}
	}
	if len(pending) > 0 {
		return s
	}
	return append(append(color, ' '), font...)
}
