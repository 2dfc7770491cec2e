package pdf

import (
	"fmt"
	"slices"
)

// Field is a terminal form field: one without fields below it.
type Field struct {
	Name    string // fully qualified: partial names joined by periods
	Ref     Ref    // zero if the field is a direct object
	Parent  Ref    // the field above, or zero
	Type    Name   // Btn, Tx, Ch or Sig, perhaps inherited
	Flags   int64  // /Ff, perhaps inherited
	Value   Object // /V, perhaps inherited, unresolved
	Dict    Dict
	Widgets []Widget
}

// Widget is the annotation that shows a field on a page.
type Widget struct {
	Ref  Ref // equal to the field's if field and widget are one dictionary
	Dict Dict
}

// Form returns the form dictionary of the catalog and the reference of its object, which is zero if the dictionary is
// direct. Both are zero if there is no form.
func (d *Document) Form() (Ref, Dict, error) {
	_, root, err := d.Root()
	if err != nil {
		return Ref{}, nil, err
	}
	at := root.Ref("AcroForm")
	for range maxNested {
		o, err := d.Object(at)
		next, further := o.(Ref)
		if err != nil || !further {
			break // the error is returned below
		}
		at = next
	}
	form, err := d.Dict(root["AcroForm"])
	if err != nil {
		return Ref{}, nil, fmt.Errorf("/AcroForm: %w", err)
	}
	if form == nil {
		at = Ref{}
	}
	return at, form, nil
}

// Fields lists the terminal fields of the form in the order of the tree. The form is walked once: the fields are shared by
// all callers and must not be changed.
func (d *Document) Fields() ([]*Field, error) {
	if d.fields != nil {
		return slices.Clone(d.fields), nil
	}
	_, form, err := d.Form()
	if err != nil {
		return nil, err
	}
	kids, err := d.Array(form["Fields"])
	if err != nil {
		return nil, fmt.Errorf("/Fields of form: %w", err)
	}
	w := &fieldWalk{d: d, seen: map[Ref]bool{}, fields: make([]*Field, 0, len(kids))}
	for _, kid := range kids {
		if err := w.visitField(kid, Field{}, 0); err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
	}
	d.fields = w.fields
	return slices.Clone(w.fields), nil
}

type fieldWalk struct {
	d      *Document
	seen   map[Ref]bool
	count  int // fields, widgets and kids visited
	fields []*Field
}

// visitField walks a field and those below it. It skips a field that was visited before: some files list one twice,
// hostile ones form loops.
func (w *fieldWalk) visitField(o Object, parent Field, depth int) error {
	dict, ref, err := w.enterField(o, depth)
	if err != nil || dict == nil {
		return err
	}
	f := parent
	f.Ref, f.Dict, f.Parent = ref, dict, parent.Ref
	if err := w.readAttributes(&f); err != nil {
		return fmt.Errorf("field %v: %w", ref, err)
	}
	kids, err := w.d.Array(dict["Kids"])
	if err != nil {
		return fmt.Errorf("/Kids of field %v: %w", ref, err)
	}
	var widgets []Widget
	below := false
	for _, kid := range kids {
		if err := w.spendVisit(); err != nil {
			return err
		}
		k, err := w.resolveField(kid)
		if err != nil {
			return fmt.Errorf("kid of field %v: %w", ref, err)
		}
		if k["T"] == nil && k["Kids"] == nil {
			kd, kref, err := w.enterField(kid, depth)
			if err != nil {
				return err
			}
			if kd != nil {
				widgets = append(widgets, Widget{Ref: kref, Dict: kd})
			}
			continue
		}
		below = true
		if err := w.visitField(kid, f, depth+1); err != nil {
			return err
		}
	}
	if below {
		return nil
	}
	if len(kids) == 0 && (dict["Subtype"] == Name("Widget") || dict["Rect"] != nil) {
		widgets = []Widget{{Ref: ref, Dict: dict}}
	}
	f.Widgets = widgets
	w.fields = append(w.fields, &f)
	return nil
}

func (w *fieldWalk) enterField(o Object, depth int) (Dict, Ref, error) {
	ref, _ := o.(Ref)
	if !ref.IsZero() && w.seen[ref] {
		return nil, ref, nil
	}
	w.seen[ref] = true
	if err := w.spendVisit(); err != nil {
		return nil, ref, err
	}
	if depth > w.d.limits.Depth {
		return nil, ref, tooLarge(-1, "form fields nested too deeply")
	}
	dict, err := w.resolveField(o)
	return dict, ref, err
}

// spendVisit counts a field, a widget, or a kid that may turn out to be neither.
func (w *fieldWalk) spendVisit() error {
	if w.count++; w.count > 3*w.d.limits.Fields {
		return tooLarge(-1, "more than %d form fields", w.d.limits.Fields)
	}
	return nil
}

// resolveField resolves an element of a list of fields. No reader takes anything but a dictionary for a field, so
// others are skipped.
func (w *fieldWalk) resolveField(o Object) (Dict, error) {
	v, err := w.d.Resolve(o)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case Dict, *Stream, Null:
		return w.d.Dict(v)
	}
	w.d.noteDefect("form field that is not a dictionary")
	return nil, nil
}

// readAttributes overlays the field's entries over those that f has from its parent.
func (w *fieldWalk) readAttributes(f *Field) error {
	if f.Dict["T"] != nil {
		t, err := w.d.String(f.Dict["T"])
		if err != nil {
			return err
		}
		if f.Name != "" {
			f.Name += "."
		}
		f.Name += t.Text()
		if err := w.d.spendWork(int64(len(f.Name))); err != nil {
			return err // names grow with every level of fields
		}
	}
	if f.Dict["FT"] != nil {
		t, err := w.d.Name(f.Dict["FT"])
		if err != nil {
			return err
		}
		f.Type = t
	}
	if f.Dict["Ff"] != nil {
		n, err := w.d.Integer(f.Dict["Ff"])
		if err != nil {
			return err
		}
		f.Flags = n
	}
	if v := f.Dict["V"]; v != nil {
		f.Value = v
	}
	return nil
}

// IsSigned reports whether the value of a field is a signature. In a signature field, any value counts, even if it
// cannot be read; in a field of another type or without one, a dictionary with a /ByteRange.
func (d *Document) IsSigned(f *Field) (bool, error) {
	value, err := d.Resolve(f.Value)
	if err != nil && !IsFault(err) {
		return false, err
	}
	if f.Type == "Sig" {
		return err != nil || value != Object(Null{}), nil
	}
	dict, ok := value.(Dict)
	return ok && dict["ByteRange"] != nil, nil
}

// Signature is a signature field with a value: a signature or a document timestamp. It is reported as stated, not
// validated.
type Signature struct {
	Field             *Field
	Ref               Ref // of the signature dictionary; zero if it is direct
	Dict              Dict
	Type              Name // Sig or DocTimeStamp; Sig if missing
	Filter, SubFilter Name
	ByteRange         []int64 // as stated, nil if missing or not integers
	Contents          []byte  // as stated, zero padding included
	// ContentsAt and ContentsEnd are the offsets of the /Contents string in the file, angle brackets included. Both are
	// zero if it is in an object stream.
	ContentsAt, ContentsEnd int64
}

// Signatures lists the signed signature fields in the order of the form.
func (d *Document) Signatures() ([]*Signature, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	var all []*Signature
	for _, f := range fields {
		if f.Type != "Sig" {
			continue
		}
		dict, err := d.Dict(f.Value)
		if err != nil {
			return nil, fmt.Errorf("value of signature field %q: %w", f.Name, err)
		}
		if dict == nil {
			continue
		}
		s, err := d.readSignature(f, dict)
		if err != nil {
			return nil, fmt.Errorf("signature in field %q: %w", f.Name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func (d *Document) readSignature(f *Field, dict Dict) (*Signature, error) {
	s := &Signature{Field: f, Dict: dict, Type: "Sig"}
	s.Ref, _ = f.Value.(Ref)
	for _, n := range []struct {
		key Name
		to  *Name
	}{{"Type", &s.Type}, {"Filter", &s.Filter}, {"SubFilter", &s.SubFilter}} {
		v, err := d.Name(dict[n.key])
		if err != nil {
			return nil, fmt.Errorf("/%s: %w", n.key, err)
		}
		if v != "" {
			*n.to = v
		}
	}
	contents, err := d.String(dict["Contents"])
	if err != nil {
		return nil, fmt.Errorf("/Contents: %w", err)
	}
	s.Contents = contents.Bytes
	s.ContentsAt, s.ContentsEnd = contents.FileRange()
	ranges, err := d.Array(dict["ByteRange"])
	if err != nil {
		return nil, fmt.Errorf("/ByteRange: %w", err)
	}
	for _, o := range ranges {
		n, err := d.Integer(o)
		if err != nil {
			return nil, fmt.Errorf("/ByteRange: %w", err)
		}
		s.ByteRange = append(s.ByteRange, n)
	}
	return s, nil
}
