package emeterai

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"segel/pdf"
)

// step is one increment, and the states of the document before and behind it.
type step struct {
	before, after *pdf.Document
	increment     pdf.Revision
	page          int        // that the stamp was ordered for, from 1
	stamp         *pdf.Field // that the increment brings; nil if it brings none
}

// check checks that the increment changes nothing but what a stamp needs: the catalog's form and security store,
// the form's list of fields, the page's list of annotations. New objects are free: what leads to them is not.
// The document's own information (/Info, /Metadata) may be brought up to date; no page shows it.
func (s step) check() error {
	if err := s.trailer(); err != nil {
		return err
	}
	root, catalog, err := s.before.Root()
	if err != nil {
		return err
	}
	_, now, err := s.after.Root()
	if err != nil {
		return err
	}
	if err := extends("catalog", catalog, now, "AcroForm", "DSS", "Extensions", "Version", "Metadata"); err != nil {
		return err
	}
	if err := keepsProof(s.before, s.after, catalog["DSS"], now["DSS"]); err != nil {
		return err
	}
	page, err := s.annotations()
	if err != nil {
		return err
	}
	if err := s.form(); err != nil {
		return err
	}
	allowed := map[pdf.Ref]bool{root: true, page: true, catalog.Ref("AcroForm"): true, catalog.Ref("Metadata"): true, s.before.Trailer().Ref("Info"): true}
	if err := s.lists(allowed, catalog, page); err != nil {
		return err
	}
	return s.entries(allowed)
}

// trailer checks that the newest trailer leads where the former one did.
func (s step) trailer() error {
	old, now := s.before.Trailer(), s.after.Trailer()
	if old.Ref("Root") != now.Ref("Root") || !equal(old["Encrypt"], now["Encrypt"]) {
		return errors.New("another catalog or encryption")
	}
	return nil
}

// annotations checks the ordered page and returns its reference.
func (s step) annotations() (pdf.Ref, error) {
	old, err := s.before.Page(s.page)
	if err != nil {
		return pdf.Ref{}, fmt.Errorf("page %d: %w", s.page, err)
	}
	now, err := s.after.Page(s.page)
	if err != nil {
		return pdf.Ref{}, fmt.Errorf("page %d: %w", s.page, err)
	}
	if old.Ref != now.Ref {
		return pdf.Ref{}, fmt.Errorf("page %d is another", s.page)
	}
	if err := extends("page", old.Dict, now.Dict, "Annots"); err != nil {
		return pdf.Ref{}, err
	}
	var items []pdf.Ref
	if s.stamp != nil {
		items = append(items, s.stamp.Widgets[0].Ref)
	}
	return old.Ref, s.gained("annotations", old.Dict["Annots"], now.Dict["Annots"], items...)
}

// form checks that the form gained the stamp's field and lost nothing.
func (s step) form() error {
	_, old, err := s.before.Form()
	if err != nil {
		return err
	}
	_, now, err := s.after.Form()
	if err != nil {
		return err
	}
	var items []pdf.Ref
	if s.stamp != nil {
		if !s.stamp.Parent.IsZero() {
			return errors.New("the stamp's field has a parent")
		}
		items = append(items, s.stamp.Ref)
	}
	if err := s.gained("fields", old["Fields"], now["Fields"], items...); err != nil {
		return err
	}
	flags, err := s.before.Integer(old["SigFlags"])
	if err != nil {
		return err
	}
	set, err := s.after.Integer(now["SigFlags"])
	if err != nil {
		return err
	}
	if set&flags != flags {
		return fmt.Errorf("signature flags %d became %d", flags, set)
	}
	if len(old) == 0 { // a new form may say what it likes about its one field
		for _, key := range []pdf.Name{"XFA", "NeedAppearances", "CO"} {
			if _, ok := now[key]; ok {
				return fmt.Errorf("form with /%s", key)
			}
		}
		return nil
	}
	free := []pdf.Name{"Fields", "SigFlags"}
	for _, key := range []pdf.Name{"DR", "DA"} { // a default that was missing is a default for the new field
		if _, ok := old[key]; !ok {
			free = append(free, key)
		}
	}
	return extends("form", old, now, free...)
}

// gained checks that an array has its former items and, behind them, the new ones.
func (s step) gained(what string, old, now pdf.Object, items ...pdf.Ref) error {
	want, err := s.before.Array(old)
	if err != nil {
		return err
	}
	after, err := s.after.Array(now)
	if err != nil {
		return err
	}
	want = slices.Clone(want) // the document's own
	for _, r := range items {
		want = append(want, r)
	}
	if !equal(want, after) {
		return fmt.Errorf("the list of %s was changed otherwise than by %d more", what, len(items))
	}
	return nil
}

// lists allows the arrays and dictionaries that stand for themselves: they were judged by their content, or
// belong to the security store.
func (s step) lists(allowed map[pdf.Ref]bool, catalog pdf.Dict, page pdf.Ref) error {
	p, err := s.before.Dict(page)
	if err != nil {
		return err
	}
	form, err := s.before.Dict(catalog["AcroForm"])
	if err != nil {
		return err
	}
	store, err := s.before.Dict(catalog["DSS"])
	if err != nil {
		return err
	}
	allowed[p.Ref("Annots")], allowed[form.Ref("Fields")], allowed[catalog.Ref("DSS")] = true, true, true
	for _, key := range []pdf.Name{"VRI", "Certs", "OCSPs", "CRLs"} {
		allowed[store.Ref(key)] = true
	}
	return nil
}

// entries checks every object that the increment's sections name.
func (s step) entries(allowed map[pdf.Ref]bool) error {
	size, err := s.before.Integer(s.before.Trailer()["Size"])
	if err != nil {
		return err
	}
	grown, err := s.after.Integer(s.after.Trailer()["Size"])
	if err != nil {
		return err
	}
	if grown < size {
		return fmt.Errorf("/Size %d became %d", size, grown)
	}
	entries, err := s.after.Changed(s.increment)
	if err != nil {
		return err
	}
	for _, e := range entries {
		// The next increment may define what lies above, so that nothing here may.
		if int64(e.Ref.Number) >= grown {
			return fmt.Errorf("object %v lies above /Size %d", e.Ref, grown)
		}
		// Object 0 heads the list of free ones. An unused number below the former /Size may be referred to
		// already, and defining it would change what the document shows.
		if int64(e.Ref.Number) >= size || e.Ref.Number == 0 || allowed[e.Ref] && !e.Free {
			continue
		}
		return fmt.Errorf("object %v was changed", e.Ref)
	}
	return nil
}

// extends checks that a dictionary has the entries it had, and no others but those named.
func extends(what string, old, now pdf.Dict, but ...pdf.Name) error {
	free := map[pdf.Name]bool{}
	for _, key := range but {
		free[key] = true
	}
	for key, o := range old {
		if !free[key] && !equal(o, now[key]) {
			return fmt.Errorf("/%s of the %s was changed", key, what)
		}
	}
	for key := range now {
		if _, ok := old[key]; !ok && !free[key] {
			return fmt.Errorf("/%s of the %s is new", key, what)
		}
	}
	return nil
}

// equal compares two objects as they stand, references by where they lead. A stream has no equal.
func equal(a, b pdf.Object) bool {
	switch a := a.(type) {
	case nil:
		return b == nil || b == pdf.Object(pdf.Null{})
	case pdf.Array:
		b, ok := b.(pdf.Array)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case pdf.Dict:
		b, ok := b.(pdf.Dict)
		return ok && extends("", a, b) == nil
	case pdf.String:
		b, ok := b.(pdf.String)
		return ok && string(a.Bytes) == string(b.Bytes)
	case pdf.Integer:
		return number(b) == float64(a)
	case pdf.Real:
		return number(b) == float64(a)
	case pdf.Name, pdf.Boolean, pdf.Ref, pdf.Null:
		return a == b
	}
	return false
}

func number(o pdf.Object) float64 {
	switch o := o.(type) {
	case pdf.Integer:
		return float64(o)
	case pdf.Real:
		return float64(o)
	}
	return math.NaN()
}
