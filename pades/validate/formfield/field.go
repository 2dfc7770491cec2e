// Package formfield determines whether a form field shows its value (ISO 32000-2 §12.7): whether the appearances of its
// widgets paint what /V says, and, if /V is unchanged, whether they still paint the same.
//
// A reader shows the appearance and not the value, so changing one without the other makes a signed file show something
// that was not signed. The comparison uses what the glyphs of an appearance draw, not what the font claims they mean
// (see package content). If something cannot be compared, that is a separate outcome.
package formfield

import (
	"errors"

	"segel/pdf"
)

// Field is a terminal form field with its widgets, in one state of the file.
type Field struct {
	d    *pdf.Document
	work *Work

	Type    pdf.Name   // /FT: Tx, Ch, Btn or Sig; perhaps inherited
	Flags   int64      // /Ff, perhaps inherited
	Value   pdf.Object // /V, perhaps inherited, resolved; nil if there is none
	Widgets []Widget

	options     []option
	indices     pdf.Object // /I, resolved; nil if there is none
	topIndex    int
	richText    pdf.Object // /RV, resolved; nil if there is none
	maxLen      int        // 0: no limit
	quadding    int64
	defaultLook []byte // /DA
	format      *formatScript
	barcode     bool // the value is drawn as a barcode (/PMD)
	fieldsBelow bool // fields below it inherit its value
	form        formDefaults
}

// formDefaults are the form's entries that concern all fields.
type formDefaults struct {
	needAppearances bool
	xfa             bool
	fonts           []pdf.Object // of /DR and of the field's own /DR
}

// Widget is an annotation that shows a field.
type Widget struct {
	Number   uint32 // of its object; 0 if it is direct
	dict     pdf.Dict
	rect     pdf.Rect
	rotation int
	border   float64 // width
	visible  bool    // on screen or in print
}

// option is an option of a choice field: its export value and its label.
type option struct{ export, label string }

// Flags of fields (ISO 32000-2 §12.7.5).
const (
	flagMultiline   = 1 << 12
	flagPassword    = 1 << 13
	flagRadio       = 1 << 15
	flagPushButton  = 1 << 16
	flagCombo       = 1 << 17
	flagComb        = 1 << 24
	flagRichText    = 1 << 25
	flagRadioUnison = 1 << 25 // of radio buttons
)

// Limits for reading one field.
const (
	maxAbove   = 32
	maxWidgets = 2000
	maxOptions = 10_000
	maxText    = 1 << 20 // bytes of a value
)

var errTooMuch = errors.New("more than the limits allow")

// Work is what may still be spent on comparing the fields of one file, roughly in bytes examined.
type Work struct{ Left int64 }

// spend reports whether n more may be spent, and spends it.
func (w *Work) spend(n int) bool {
	w.Left -= int64(n)
	return w.Left >= 0
}

// objectCost is the cost of reading an object, besides its bytes.
const objectCost = 64

// Read reads the field with that object number, which has a partial name. More are the numbers of widgets that name the
// field as their parent although it does not list them.
func Read(d *pdf.Document, number uint32, work *Work, more ...uint32) (*Field, error) {
	f := &Field{d: d, work: work}
	own, err := f.readObject(number)
	if err != nil {
		return nil, err
	}
	if err := f.inheritEntries(own); err != nil {
		return nil, err
	}
	if err := f.readForm(own); err != nil {
		return nil, err
	}
	return f, f.readWidgets(own, number, more)
}

func (f *Field) readObject(number uint32) (pdf.Dict, error) {
	if !f.work.spend(objectCost) {
		return nil, errTooMuch
	}
	ref, used := f.d.InUse(number)
	if !used {
		return nil, errors.New("no object")
	}
	return f.d.Dict(ref)
}

// inheritEntries collects the entries of the field and those it inherits (ISO 32000-2 §12.7.4.1). In practice /Opt and
// /I are inherited too.
func (f *Field) inheritEntries(dict pdf.Dict) error {
	found := map[pdf.Name]pdf.Object{}
	for above := 0; ; above++ {
		if above > maxAbove || !f.work.spend(objectCost) {
			return errTooMuch
		}
		for _, k := range []pdf.Name{"FT", "Ff", "V", "DA", "Q", "MaxLen", "Opt", "I", "TI", "RV", "AA", "PMD"} {
			if found[k] != nil || dict[k] == nil {
				continue
			}
			v, err := f.d.Resolve(dict[k])
			if err != nil {
				return err
			}
			if v != pdf.Object(pdf.Null{}) {
				found[k] = v
			}
		}
		if dict["Parent"] == nil {
			break
		}
		var err error
		if dict, err = f.d.Dict(dict["Parent"]); err != nil {
			return err
		}
	}
	f.Value, f.indices, f.richText, f.barcode = found["V"], found["I"], found["RV"], found["PMD"] != nil
	f.Type, _ = found["FT"].(pdf.Name)
	f.Flags = integerOf(found["Ff"])
	f.quadding = integerOf(found["Q"])
	f.maxLen, f.topIndex = int(min(max(integerOf(found["MaxLen"]), 0), maxText)), int(min(max(integerOf(found["TI"]), 0), maxOptions))
	if s, ok := found["DA"].(pdf.String); ok {
		f.defaultLook = s.Bytes
	}
	var err error
	if f.format, err = f.readFormat(found["AA"]); err != nil {
		return err
	}
	return f.readOptions(found["Opt"])
}

func integerOf(o pdf.Object) int64 {
	n, _ := o.(pdf.Integer)
	return int64(n)
}

func (f *Field) readOptions(o pdf.Object) error {
	list, _ := o.(pdf.Array)
	if len(list) > maxOptions || !f.work.spend(objectCost*len(list)) {
		return errTooMuch
	}
	for _, o := range list {
		v, err := f.d.Resolve(o)
		if err != nil {
			return err
		}
		pair, isPair := v.(pdf.Array)
		if !isPair || len(pair) != 2 {
			pair = pdf.Array{v, v}
		}
		var texts [2]string
		for i, o := range pair {
			v, err := f.d.Resolve(o)
			if err != nil {
				return err
			}
			texts[i], _ = textOf(f.d, v) // other values count as empty
		}
		f.options = append(f.options, option{texts[0], texts[1]})
	}
	return nil
}

// readForm reads the defaults of the form.
func (f *Field) readForm(own pdf.Dict) error {
	_, form, err := f.d.Form()
	if err != nil {
		return err
	}
	if len(f.defaultLook) == 0 {
		if s, err := f.d.String(form["DA"]); err == nil {
			f.defaultLook = s.Bytes
		}
	}
	f.form.xfa = form["XFA"] != nil
	need, err := f.d.Boolean(form["NeedAppearances"])
	if err != nil {
		return err
	}
	f.form.needAppearances = need
	for _, o := range []pdf.Object{form["DR"], own["DR"]} {
		if err := f.addFonts(o); err != nil {
			return err
		}
	}
	return nil
}

// addFonts adds the fonts of a resource dictionary.
func (f *Field) addFonts(resources pdf.Object) error {
	dict, err := f.d.Dict(resources)
	if err != nil {
		return err
	}
	fonts, err := f.d.Dict(dict["Font"])
	if err != nil {
		return err
	}
	if !f.work.spend(objectCost * len(fonts)) {
		return errTooMuch
	}
	for _, o := range fonts {
		f.form.fonts = append(f.form.fonts, o)
	}
	return nil
}

// readWidgets lists the widgets: the field itself, or its kids without a name.
func (f *Field) readWidgets(own pdf.Dict, number uint32, more []uint32) error {
	kids, err := f.d.Array(own["Kids"])
	if err != nil {
		return err
	}
	if err := f.addKids(kids, 0); err != nil {
		return err
	}
	if own["Kids"] == nil && own["Rect"] != nil {
		if err := f.addWidget(own, number); err != nil {
			return err
		}
	}
	for _, n := range more {
		dict, err := f.readObject(n)
		if err != nil {
			return err
		}
		if err := f.addWidget(dict, n); err != nil {
			return err
		}
	}
	return nil
}

// addKids adds the widgets among the kids of a field. Kids without a name may have widgets below them; those with a
// name are other fields.
func (f *Field) addKids(kids pdf.Array, depth int) error {
	if depth > maxAbove || len(kids)+len(f.Widgets) > maxWidgets || !f.work.spend(objectCost*len(kids)) {
		return errTooMuch
	}
	for _, kid := range kids {
		dict, err := f.d.Dict(kid)
		if err != nil {
			return err
		}
		if kind, err := f.d.Name(dict["FT"]); err == nil && f.Type == "" && dict["T"] == nil {
			f.Type = kind // the field leaves its type to the widgets
		}
		switch {
		case dict["T"] != nil:
			f.fieldsBelow = f.fieldsBelow || dict["V"] == nil
		case dict["Kids"] != nil:
			below, err := f.d.Array(dict["Kids"])
			if err != nil {
				return err
			}
			if err := f.addKids(below, depth+1); err != nil {
				return err
			}
		default:
			if err := f.addWidget(dict, pdf.AsRef(kid).Number); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flags of annotations (ISO 32000-2 §12.5.3).
const (
	flagHidden       = 1 << 1
	flagPrint        = 1 << 2
	flagNoView       = 1 << 5
	flagToggleNoView = 1 << 8
)

// Shows reports whether the flags of a widget let it show on a screen, if only under the mouse, or in print. The flag
// Invisible concerns only annotations of unknown types (ISO 32000-2 §12.5.3).
func Shows(flags int64) bool {
	return flags&flagHidden == 0 && (flags&flagNoView == 0 || flags&(flagPrint|flagToggleNoView) != 0)
}

func (f *Field) addWidget(dict pdf.Dict, number uint32) error {
	w := Widget{Number: number, dict: dict}
	var err error
	if dict["Rect"] != nil {
		if w.rect, err = f.d.Rect(dict["Rect"]); err != nil {
			return err
		}
	}
	flags, err := f.d.Integer(dict["F"])
	if err != nil {
		return err
	}
	w.visible = !w.rect.Empty() && Shows(flags)
	characteristics, err := f.d.Dict(dict["MK"])
	if err != nil {
		return err
	}
	if characteristics["R"] != nil {
		turn, err := f.d.Integer(characteristics["R"])
		if err != nil {
			return err
		}
		if turn%90 == 0 {
			w.rotation = int(turn % 360)
		}
	}
	if w.border, err = f.borderWidth(dict); err != nil {
		return err
	}
	if f.format == nil {
		if f.format, err = f.readFormat(dict["AA"]); err != nil {
			return err
		}
	}
	f.Widgets = append(f.Widgets, w)
	return nil
}

// borderWidth is the width of the border of a widget (ISO 32000-2 §12.5.4, Table 166).
func (f *Field) borderWidth(widget pdf.Dict) (float64, error) {
	style, err := f.d.Dict(widget["BS"])
	if err != nil || style["W"] != nil {
		w, err2 := f.d.Number(style["W"])
		return w, errors.Join(err, err2)
	}
	border, err := f.d.Array(widget["Border"])
	if err != nil || len(border) < 3 {
		return 0, err
	}
	return f.d.Number(border[2])
}

// appearance is one stream of the appearance dictionary of a widget.
type appearance struct {
	kind   pdf.Name // N, R or D
	state  pdf.Name // empty without states
	stream *pdf.Stream
}

// listAppearances lists the streams of a widget's appearance dictionary in no particular order.
func (f *Field) listAppearances(w Widget) ([]appearance, error) {
	kinds, err := f.d.Dict(w.dict["AP"])
	if err != nil {
		return nil, err
	}
	var all []appearance
	for _, kind := range []pdf.Name{"N", "R", "D"} {
		v, err := f.d.Resolve(kinds[kind])
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case *pdf.Stream:
			all = append(all, appearance{kind: kind, stream: v})
		case pdf.Dict:
			if !f.work.spend(objectCost * len(v)) {
				return nil, errTooMuch
			}
			for state, o := range v {
				st, err := f.d.Stream(o)
				if err != nil {
					return nil, err
				}
				if st != nil {
					all = append(all, appearance{kind: kind, state: state, stream: st})
				}
			}
		case pdf.Null, nil:
		default:
			return nil, errors.New("an appearance that is not a stream")
		}
	}
	return all, nil
}

// appearanceState returns the appearance state that a widget selects, or an empty name.
func (f *Field) appearanceState(w Widget) pdf.Name {
	name, err := f.d.Name(w.dict["AS"])
	if err != nil {
		return ""
	}
	return name
}
