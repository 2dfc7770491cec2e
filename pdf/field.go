package pdf

import "fmt"

// Field is a terminal form field: one that has no fields below it.
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

// Form returns the form dictionary of the catalog with the reference of the
// object that it is, which is zero if the dictionary is direct. Both are zero if
// there is no form.
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
			break // an error comes back below
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

// Fields lists the terminal fields of the form in the order of the tree.
func (d *Document) Fields() ([]*Field, error) {
	_, form, err := d.Form()
	if err != nil {
		return nil, err
	}
	kids, err := d.Array(form["Fields"])
	if err != nil {
		return nil, fmt.Errorf("/Fields of form: %w", err)
	}
	w := &fieldWalk{d: d, seen: map[Ref]bool{}}
	for _, kid := range kids {
		if err := w.visitField(kid, Field{}, 0); err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
	}
	return w.fields, nil
}

type fieldWalk struct {
	d      *Document
	seen   map[Ref]bool
	count  int // fields, widgets and kids looked at
	fields []*Field
}

// visitField walks a field and those below it. A field that was seen before is
// skipped: some files list one twice, hostile ones run in circles.
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

// spendVisit pays for a field or widget, and for a kid that may turn out to be none.
func (w *fieldWalk) spendVisit() error {
	if w.count++; w.count > 3*w.d.limits.Fields {
		return tooLarge(-1, "more than %d form fields", w.d.limits.Fields)
	}
	return nil
}

// resolveField resolves what is in the place of a field. Something that is no
// dictionary is no field, for any reader, and is passed over.
func (w *fieldWalk) resolveField(o Object) (Dict, error) {
	v, err := w.d.Resolve(o)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case Dict, *Stream, Null:
		return w.d.Dict(v)
	}
	w.d.noteDefect("form field that is no dictionary")
	return nil, nil
}

// readAttributes overlays what the field says over what f brought from its parent.
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
			return err // names grow with every level, and each field has its own
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
