package pades

import (
	"errors"
	"fmt"
	"strings"

	"segel/pdf"
)

// FieldSpec describes a field to add.
type FieldSpec struct {
	Name  string // without periods; unique in the file
	Label string // what it is for, read out to those who cannot see it; may be empty
	Page  int    // from 1; 0 makes a signature field that is not to be seen
	// Rect is where the widget goes: default user space of the page, as pdf.Page.ToUser makes it.
	Rect pdf.Rect
	// Lock is what a signature in the field locks; nil is nothing.
	Lock *Lock
	// Mark makes a box that is no signature field but shows the signer's Mark once he signed: initials on each
	// page, say. It is a read-only button, whose picture may be filled in like any form field.
	Mark bool
}

// Flags of widgets, buttons and forms (ISO 32000-2 §12.5.3, §12.7).
const (
	flagPrint          = 1 << 2
	flagLocked         = 1 << 7
	buttonReadOnly     = 1 << 0
	buttonPush         = 1 << 16
	signaturesExist    = 1 << 0
	signaturesAppended = 1 << 1
)

// AddFields adds empty fields in one update and returns its tail. Fields, defaults and resources of a form that is
// there stay as they are. In a tagged file that has no signature yet, each visible field also becomes part of the
// structure.
//
// Errors: ErrFieldExists, ErrCertified.
func AddFields(d *pdf.Document, fields []FieldSpec) (*pdf.Tail, error) {
	a, err := newFieldAdder(d, d.NewUpdate())
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		return nil, errors.New("no field to add")
	}
	if err := a.openStructure(); err != nil {
		return nil, err
	}
	if err := a.separateFields(); err != nil {
		return nil, err
	}
	for _, f := range fields {
		if _, err := a.addField(f); err != nil {
			return nil, fmt.Errorf("add field %q: %w", f.Name, err)
		}
	}
	if err := a.writeFields(); err != nil {
		return nil, err
	}
	if err := raiseExtension(d, a.u, levelSignature); err != nil {
		return nil, err
	}
	return a.u.Build()
}

// fieldAdder adds fields to one update.
type fieldAdder struct {
	d                *pdf.Document
	u                *pdf.Update
	permitted        int // DocMDP
	usedNames        map[string]bool
	fields           pdf.Array // new ones
	annots           map[pdf.Ref]pdf.Array
	pages            []pdf.Ref           // keys of annots in order of first use
	structure        *structureTree      // nil: new fields do not become part of it
	emptyAppearances map[boxSize]pdf.Ref // shared appearances of fields that are still empty
	needsAppearance  bool                // fields that are not to be seen have an appearance too
	copyFields       bool                // the form gets a list of fields of its own
	annotsUsers      map[pdf.Ref]int     // how many pages have an array for their /Annots; nil before it is asked for
}

// boxSize is that of a box as displayed, in user space units.
type boxSize struct{ width, height float64 }

func newFieldAdder(d *pdf.Document, u *pdf.Update) (*fieldAdder, error) {
	facts := d.Facts()
	level, err := computePermittedLevel(d)
	if err != nil {
		return nil, err
	}
	a := &fieldAdder{
		d: d, u: u, permitted: level, usedNames: map[string]bool{}, annots: map[pdf.Ref]pdf.Array{}, emptyAppearances: map[boxSize]pdf.Ref{},
		needsAppearance: strings.HasPrefix(facts.PDFA, "1"), // the other parts of PDF/A excuse boxes without area
	}
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		root, _, _ := strings.Cut(f.Name, ".")
		a.usedNames[f.Name], a.usedNames[root] = true, true
	}
	return a, nil
}

// findUnusedName returns a name that no field has, such as prefix and a number.
func (a *fieldAdder) findUnusedName(prefix string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s%d", prefix, i); !a.usedNames[name] {
			return name
		}
	}
}

// addField makes the field, merged with its one widget.
func (a *fieldAdder) addField(f FieldSpec) (*pdf.Field, error) {
	if err := a.checkSpec(f); err != nil {
		return nil, err
	}
	a.usedNames[f.Name] = true
	page, err := a.d.Page(max(f.Page, 1))
	if err != nil {
		return nil, err
	}
	ref := a.u.Reserve()
	dict := pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString(f.Name),
		"F": pdf.Integer(flagPrint | flagLocked), "P": page.Ref, "Rect": f.Rect.Array(),
	}
	if f.Mark {
		dict["FT"], dict["Ff"] = pdf.Name("Btn"), pdf.Integer(buttonPush|buttonReadOnly)
	}
	if f.Lock != nil {
		lock, err := f.Lock.buildDictionary()
		if err != nil {
			return nil, err
		}
		dict["Lock"] = a.u.Add(lock)
	}
	if f.Label != "" {
		dict["TU"] = pdf.TextString(f.Label)
	}
	if f.Page == 0 {
		dict["Rect"] = pdf.Array{pdf.Integer(0), pdf.Integer(0), pdf.Integer(0), pdf.Integer(0)}
		if a.needsAppearance {
			dict["AP"] = pdf.Dict{"N": a.addEmptyAppearance(boxSize{})}
		}
	} else {
		box := boxSize{f.Rect.Width(), f.Rect.Height()}
		if page.Rotate%180 != 0 {
			box = boxSize{box.height, box.width}
		}
		dict["AP"] = pdf.Dict{"N": a.addEmptyAppearance(box)}
		if err := a.structure.addElement(a.u, dict, ref, page.Ref, f); err != nil {
			return nil, err
		}
	}
	a.u.Set(ref, dict)
	a.fields = append(a.fields, ref)
	if _, known := a.annots[page.Ref]; !known {
		a.pages = append(a.pages, page.Ref)
	}
	a.annots[page.Ref] = append(a.annots[page.Ref], ref)
	return &pdf.Field{Name: f.Name, Ref: ref, Type: dict["FT"].(pdf.Name), Dict: dict, Widgets: []pdf.Widget{{Ref: ref, Dict: dict}}}, nil
}

func (a *fieldAdder) checkSpec(f FieldSpec) error {
	switch {
	case f.Name == "" || strings.Contains(f.Name, "."):
		return errors.New("a name must not be empty or contain periods")
	case a.usedNames[f.Name]:
		return ErrFieldExists
	case f.Lock != nil && f.Mark:
		return errors.New("a mark is not signed and so locks nothing")
	case f.Page < 0 || f.Page == 0 && f.Mark || f.Page > 0 && f.Rect.Empty():
		return fmt.Errorf("nothing to be seen at %v on page %d", f.Rect, f.Page)
	case a.permitted == 1 || a.permitted != 0 && f.Page > 0:
		// Filling in and signing is allowed at 2 and 3, another box on a page is not: see Permits.
		return ErrCertified
	}
	return nil
}

// addEmptyAppearance is what is drawn in a visible field before it is signed: archives want every widget to have a picture. It has
// the shape and the filter of what signing puts in its place, because there are validators that take only the data of
// a picture for filled in, and call it an undefined change if its /BBox or /Filter differs.
func (a *fieldAdder) addEmptyAppearance(box boxSize) pdf.Ref {
	if ref, made := a.emptyAppearances[box]; made {
		return ref
	}
	ref := a.u.Add(&pdf.Stream{
		Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "Resources": pdf.Dict{},
			"BBox": pdf.Rect{URX: box.width, URY: box.height}.Array(), "Filter": pdf.Name("FlateDecode"),
		},
		Data: deflatedEmpty,
	})
	a.emptyAppearances[box] = ref
	return ref
}

// deflatedEmpty is no data at all in the format of RFC 1950.
var deflatedEmpty = []byte{0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01}

// writeFields puts the new fields into the form and onto their pages.
func (a *fieldAdder) writeFields() error {
	for _, page := range a.pages {
		if err := a.appendWidgets(page); err != nil {
			return fmt.Errorf("annotations of page %v: %w", page, err)
		}
	}
	if err := a.structure.writeElements(a.u); err != nil {
		return err
	}
	if err := addToForm(a.d, a.u, a.fields, a.copyFields); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	return nil
}

// addToForm appends fields to the form and sets its signature flags. A form that is new stands for itself, so that
// the catalog need not change again. What is right already is not touched. If detach is set, the form gets a list of
// fields of its own.
func addToForm(d *pdf.Document, u *pdf.Update, fields pdf.Array, own bool) error {
	root, _, err := d.Root()
	if err != nil {
		return err
	}
	at, form, err := d.Form()
	if err != nil {
		return err
	}
	if form == nil {
		catalog, err := u.Edit(root)
		if err != nil {
			return err
		}
		catalog["AcroForm"] = u.Add(pdf.Dict{"Fields": fields, "SigFlags": pdf.Integer(signaturesExist | signaturesAppended)})
		return nil
	}
	flags, err := d.Integer(form["SigFlags"])
	if err != nil {
		return err
	}
	if set := flags | signaturesExist | signaturesAppended; set != flags {
		edit, err := u.EditIn(root, "AcroForm")
		if err != nil {
			return err
		}
		edit["SigFlags"] = pdf.Integer(set)
	}
	if len(fields) == 0 {
		return nil
	}
	if own {
		list, err := d.Array(form["Fields"])
		if err != nil {
			return err
		}
		edit, err := u.EditIn(root, "AcroForm")
		if err != nil {
			return err
		}
		edit["Fields"] = append(append(pdf.Array{}, list...), fields...)
		return nil
	}
	if !at.IsZero() {
		return u.Append(at, "Fields", fields...)
	}
	if form["Fields"] != nil && form.Ref("Fields") != (pdf.Ref{}) {
		array, err := u.Get(form.Ref("Fields"))
		if err != nil {
			return err
		}
		list, ok := array.(pdf.Array)
		if ok {
			u.Set(form.Ref("Fields"), append(list, fields...))
			return nil
		}
	}
	edit, err := u.EditIn(root, "AcroForm")
	if err != nil {
		return err
	}
	return u.AppendTo(edit, "Fields", fields...)
}
