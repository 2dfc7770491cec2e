package formtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"segel/pdf"
)

// Filler edits one revision of a file, mostly of its form. It keeps its first error.
type Filler struct {
	D   *pdf.Document
	U   *pdf.Update
	Err error
}

// Append appends a revision to a file.
func Append(file []byte, edit func(*Filler)) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		return nil, err
	}
	f := &Filler{D: d, U: d.NewUpdate()}
	if edit(f); f.Err != nil {
		return nil, f.Err
	}
	tail, err := f.U.Build()
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(file), tail.Bytes...), nil
}

// Fail records an error; nil is none.
func (f *Filler) Fail(err error) { f.Err = errors.Join(f.Err, err) }

func (f *Filler) findField(name string) *pdf.Field {
	fields, err := f.D.Fields()
	i := slices.IndexFunc(fields, func(g *pdf.Field) bool { return g.Name == name })
	if err != nil || i < 0 {
		f.Err = fmt.Errorf("field %q: %w", name, err)
		return &pdf.Field{}
	}
	return fields[i]
}

// Edit edits a dictionary.
func (f *Filler) Edit(ref pdf.Ref) pdf.Dict {
	dict, err := f.U.Edit(ref)
	if err != nil {
		f.Err = err
		return pdf.Dict{}
	}
	return dict
}

// Page edits page 1.
func (f *Filler) Page() pdf.Dict {
	page, err := f.D.Page(1)
	if err != nil {
		f.Err = err
		return pdf.Dict{}
	}
	return f.Edit(page.Ref)
}

// Catalog edits the catalog.
func (f *Filler) Catalog() pdf.Dict {
	ref, _, err := f.D.Root()
	if err != nil {
		f.Err = err
		return pdf.Dict{}
	}
	return f.Edit(ref)
}

// Field edits a field.
func (f *Filler) Field(name string) pdf.Dict {
	ref := f.findField(name).Ref
	if f.Err != nil {
		return pdf.Dict{}
	}
	return f.Edit(ref)
}

// Widget edits a widget of a field, from 0.
func (f *Filler) Widget(name string, i int) pdf.Dict {
	field := f.findField(name)
	if f.Err != nil || i >= len(field.Widgets) {
		return pdf.Dict{}
	}
	return f.Edit(field.Widgets[i].Ref)
}

// Form edits the form dictionary.
func (f *Filler) Form() pdf.Dict {
	ref, _, err := f.D.Form()
	if err != nil {
		f.Err = err
		return pdf.Dict{}
	}
	return f.Edit(ref)
}

// Font returns a font of the form by name.
func (f *Filler) Font(name pdf.Name) pdf.Object {
	_, form, err := f.D.Form()
	if err != nil {
		f.Err = err
		return nil
	}
	resources, _ := f.D.Dict(form["DR"])
	fonts, _ := f.D.Dict(resources["Font"])
	return fonts[name]
}

// widgetBox returns the upright box of a widget.
func (f *Filler) widgetBox(w pdf.Dict) pdf.Rect {
	box, err := f.D.Rect(w["Rect"])
	if err != nil {
		f.Err = err
	}
	mk, _ := f.D.Dict(w["MK"])
	if mk["R"] == pdf.Object(pdf.Integer(90)) {
		return pdf.Rect{URX: box.Height(), URY: box.Width()}
	}
	return pdf.Rect{URX: box.Width(), URY: box.Height()}
}

// usualResources returns the resources that programs give an appearance.
func (f *Filler) usualResources() pdf.Dict {
	return pdf.Dict{"Font": pdf.Dict{"Helv": f.Font("Helv"), "ZaDb": f.Font("ZaDb")}}
}

// SetAppearance gives a widget a new appearance stream.
func (f *Filler) SetAppearance(w pdf.Dict, content string) *pdf.Stream {
	return f.SetAppearanceIn(w, f.usualResources(), content)
}

func (f *Filler) SetAppearanceIn(w pdf.Dict, resources pdf.Dict, content string) *pdf.Stream {
	st := newAppearance(f.widgetBox(w), resources, content)
	w["AP"] = pdf.Dict{"N": f.U.Add(st)}
	return st
}

// fillText sets the value of a field that is merged with its widget, and its appearance in the style of a program.
func (f *Filler) fillText(name, value string, style func(*Filler, pdf.Dict, string)) pdf.Dict {
	w := f.Field(name)
	w["V"] = pdf.TextString(value)
	style(f, w, value)
	return w
}

// fillWith returns a change that sets the value of a field and gives it an appearance with any content.
func fillWith(field, value, content string) func(*Filler) {
	return fillWithResources(field, value, (*Filler).usualResources, content)
}

// fillWithResources is fillWith for an appearance with its own resources.
func fillWithResources(field, value string, resources func(*Filler) pdf.Dict, content string) func(*Filler) {
	return func(f *Filler) {
		w := f.Field(field)
		w["V"] = pdf.TextString(value)
		f.SetAppearanceIn(w, resources(f), content)
	}
}

// font returns resources with one font.
func font(name pdf.Name, build func(*Filler) pdf.Object) func(*Filler) pdf.Dict {
	return func(f *Filler) pdf.Dict { return pdf.Dict{"Font": pdf.Dict{name: build(f)}} }
}

// formFont returns the font of the form with that name.
func formFont(name pdf.Name) func(*Filler) pdf.Object {
	return func(f *Filler) pdf.Object { return f.Font(name) }
}
