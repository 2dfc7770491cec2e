package diff

import (
	"bytes"
	"math"
	"slices"

	"segel/pades/validate/formfield"
	"segel/pdf"
	"segel/pdf/content"
)

// Bounds of what is spent on comparing the fields of one file with their values.
const (
	maxFieldWork       = 64 << 20 // bytes, about
	maxAppearanceBytes = 32 << 20 // of appearances, as package content counts them
)

// compareFieldOnce judges what became of a field as a whole, once for all of its objects that a revision changed: where the value
// stays, what its widgets show stays too, and where it is another, they show it.
func (r *revision) compareFieldOnce(f fieldInfo, asked uint32) verdict {
	number := f.number
	if number == 0 {
		number = asked
	}
	if v, judged := r.fieldVerdicts[number]; judged {
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
	result := formfield.Compare(before, after, formfield.Options{Old: was, New: is, Unchanged: r.isUnchangedObject, Placed: r.isPlacedWidget, AddedLater: r.c.laterFonts.hasFont})
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

// isPlacedWidget reports whether a page lists a widget.
func (r *revision) isPlacedWidget(number uint32) bool {
	return number != 0 && r.g.listedOn.get(number) != 0
}

// unlistedWidgets returns the widgets that name a field as their parent and that it does not list: readers that go by what stands
// on the pages show them as its own.
func (r *revision) unlistedWidgets(field uint32) []uint32 {
	below := r.g.widgets[field]
	if len(below) == 0 {
		return nil
	}
	o, err := objectAt(r.old, field)
	dict, ok := o.(pdf.Dict)
	if err != nil || !ok {
		return nil
	}
	kids, err := r.old.Array(dict["Kids"])
	if err != nil {
		return nil
	}
	listed := map[uint32]bool{}
	for _, kid := range kids {
		listed[refOf(kid).Number] = true
	}
	return slices.DeleteFunc(slices.Clone(below), func(n uint32) bool { return listed[n] })
}

// checkCharacteristics judges the appearance characteristics of a widget: some programs write them anew with a field, without
// what readers do not need where there is an appearance, and with colours that they have rounded.
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

// equalColors reports whether two colours of an annotation are the same as far as anybody sees (ISO 32000-2 §12.5.6.19).
func (r *revision) equalColors(a, b pdf.Object) bool {
	x, ok1 := readColor(r.old, a)
	y, ok2 := readColor(r.new, b)
	if !ok1 || !ok2 || len(x) != len(y) {
		return false
	}
	for i := range x {
		if math.Abs(x[i]-y[i]) > 0.01 {
			return false
		}
	}
	return true
}

// readColor reads a colour as red, green and blue; no components are no colour.
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

// checkStyle judges the default appearance of a field: some programs write it anew, without saying that text is black.
func (r *revision) checkStyle(was fieldInfo, old, new pdf.Object) verdict {
	if new == nil && was.kind == "Btn" {
		if _, form, err := r.old.Form(); err == nil && isAbsentOrFalse(r.old, form["NeedAppearances"]) {
			return verdict{level: None} // its appearances draw it
		}
	}
	a, err1 := r.old.String(old)
	b, err2 := r.new.String(new)
	if err1 != nil || err2 != nil || old == nil || new == nil || !bytes.Equal(normalizeStyle(a.Bytes), normalizeStyle(b.Bytes)) {
		return deny(CodeFieldChanged, "/DA")
	}
	return verdict{level: None}
}

func isAbsentOrFalse(d *pdf.Document, o pdf.Object) bool {
	b, err := d.Boolean(o)
	return err == nil && !b
}

// normalizeStyle brings a default appearance into one form: colour, then font and size. One with other operators stays as it is.
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
