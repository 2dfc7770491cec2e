package emeterai

import (
	"errors"
	"fmt"
	"math"

	"segel/pdf"
)

// changes checks that the tail changes nothing but what a stamp needs: the catalog's form and security store,
// the form's list of fields, the page's list of annotations. New objects are free: what leads to them is not.
// The document's own information (/Info, /Metadata) may be brought up to date; no page shows it.
func (j *judge) changes() error {
	if err := j.trailer(); err != nil {
		return err
	}
	root, catalog, err := j.before.Root()
	if err != nil {
		return err
	}
	_, now, err := j.after.Root()
	if err != nil {
		return err
	}
	if err := extends("catalog", catalog, now, "AcroForm", "DSS", "Extensions", "Version", "Metadata"); err != nil {
		return err
	}
	if err := keepsProof(j.before, j.after, catalog["DSS"], now["DSS"]); err != nil {
		return err
	}
	page, err := j.page()
	if err != nil {
		return err
	}
	if err := j.form(); err != nil {
		return err
	}
	allowed := map[pdf.Ref]bool{root: true, page: true, catalog.Ref("AcroForm"): true, catalog.Ref("Metadata"): true, j.before.Trailer().Ref("Info"): true}
	if err := j.lists(allowed, catalog, page); err != nil {
		return err
	}
	return j.entries(allowed)
}

// trailer checks that the newest trailer leads where the source's did.
func (j *judge) trailer() error {
	old, now := j.before.Trailer(), j.after.Trailer()
	if old.Ref("Root") != now.Ref("Root") || !equal(old["Encrypt"], now["Encrypt"]) {
		return errors.New("another catalog or encryption")
	}
	return nil
}

// page checks the ordered page and returns its reference.
func (j *judge) page() (pdf.Ref, error) {
	old, err := j.before.Page(j.want.Page)
	if err != nil {
		return pdf.Ref{}, fmt.Errorf("page %d: %w", j.want.Page, err)
	}
	now, err := j.after.Page(j.want.Page)
	if err != nil {
		return pdf.Ref{}, fmt.Errorf("page %d: %w", j.want.Page, err)
	}
	if old.Ref != now.Ref {
		return pdf.Ref{}, fmt.Errorf("page %d is another", j.want.Page)
	}
	if err := extends("page", old.Dict, now.Dict, "Annots"); err != nil {
		return pdf.Ref{}, err
	}
	return old.Ref, j.oneMore("annotations", old.Dict["Annots"], now.Dict["Annots"], j.signature.Field.Widgets[0].Ref)
}

// form checks that the form gained one field and lost nothing.
func (j *judge) form() error {
	_, old, err := j.before.Form()
	if err != nil {
		return err
	}
	_, now, err := j.after.Form()
	if err != nil {
		return err
	}
	if !j.signature.Field.Parent.IsZero() {
		return errors.New("the stamp's field has a parent")
	}
	if err := j.oneMore("fields", old["Fields"], now["Fields"], j.signature.Field.Ref); err != nil {
		return err
	}
	flags, err := j.before.Integer(old["SigFlags"])
	if err != nil {
		return err
	}
	set, err := j.after.Integer(now["SigFlags"])
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

// oneMore checks that an array has its former items and, behind them, the new one.
func (j *judge) oneMore(what string, old, now pdf.Object, item pdf.Ref) error {
	before, err := j.before.Array(old)
	if err != nil {
		return err
	}
	after, err := j.after.Array(now)
	if err != nil {
		return err
	}
	if len(after) != len(before)+1 || !equal(before, after[:len(before)]) || !equal(item, after[len(before)]) {
		return fmt.Errorf("the list of %s was changed otherwise than by one more", what)
	}
	return nil
}

// lists allows the arrays and dictionaries that stand for themselves: they were judged by their content, or
// belong to the security store.
func (j *judge) lists(allowed map[pdf.Ref]bool, catalog pdf.Dict, page pdf.Ref) error {
	p, err := j.before.Dict(page)
	if err != nil {
		return err
	}
	form, err := j.before.Dict(catalog["AcroForm"])
	if err != nil {
		return err
	}
	store, err := j.before.Dict(catalog["DSS"])
	if err != nil {
		return err
	}
	allowed[p.Ref("Annots")], allowed[form.Ref("Fields")], allowed[catalog.Ref("DSS")] = true, true, true
	for _, key := range []pdf.Name{"VRI", "Certs", "OCSPs", "CRLs"} {
		allowed[store.Ref(key)] = true
	}
	return nil
}

// entries checks every object that the tail's sections name.
func (j *judge) entries(allowed map[pdf.Ref]bool) error {
	size, err := j.before.Integer(j.before.Trailer()["Size"])
	if err != nil {
		return err
	}
	for _, r := range j.added {
		entries, err := j.after.Changed(r)
		if err != nil {
			return err
		}
		for _, e := range entries {
			// Object 0 heads the list of free ones. An unused number below the source's /Size may be referred to
			// by the source, and defining it would change what the source shows.
			if int64(e.Ref.Number) >= size || e.Ref.Number == 0 || allowed[e.Ref] && !e.Free {
				continue
			}
			return fmt.Errorf("object %v was changed", e.Ref)
		}
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
