package facts_test

import (
	"crypto"
	"errors"
	"slices"
	"strings"
	"testing"

	"segel/cms"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// signRaw signs with a dictionary that states more, whatever earlier signatures permit.
func (p *testFile) signRaw(edit func(u *pdf.Update, value pdf.Ref), more pdf.Dict) *testFile {
	p.t.Helper()
	who := signtest.Certify(p.t, signtest.Authority(p.t), "Sari", sari())
	return p.signAs(edit, pdf.Name(facts.FormDetached), more, func(digest func(crypto.Hash) []byte) []byte {
		return must[[]byte](p.t)(cms.Sign(nil, digest(crypto.SHA256), who.Key, who.Chain, cms.Options{}))
	})
}

// TestSigningRefusesWhatValidationDenies states permissions in many ways, readable or not, and compares what package pades
// permits next with what validation accepts when it was done all the same.
func TestSigningRefusesWhatValidationDenies(t *testing.T) {
	t.Parallel()
	name := func(s string) pdf.Object { return pdf.Name(s) }
	names := func(all ...string) pdf.Array {
		list := pdf.Array{}
		for _, n := range all {
			list = append(list, pdf.TextString(n))
		}
		return list
	}
	transform := func(method, params pdf.Object) pdf.Object {
		d := pdf.Dict{"Type": name("SigRef"), "TransformMethod": method}
		if params != nil {
			d["TransformParams"] = params
		}
		return pdf.Dict{"Reference": pdf.Array{d}}
	}
	docMDP := func(p pdf.Object) pdf.Object { return transform(name("DocMDP"), pdf.Dict{"P": p}) }
	const (
		nothing  = "nothing"
		hidden   = "fill, hidden"
		anything = "fill, hidden, visible"
		fill     = "fill"
		add      = "hidden, visible"
	)
	type statement struct {
		name      string
		signature pdf.Object // entries of the signature dictionary
		lock      pdf.Object // of its field
		permits   string
		odd       bool
	}
	all := []statement{
		{"nothing", nil, nil, anything, false},
		{"rights of one reader", transform(name("UR3"), pdf.Dict{"P": pdf.Boolean(true)}), nil, anything, false},
		{"no reference", pdf.Dict{"Reference": pdf.Null{}}, nil, anything, false},
		{"reference integer", pdf.Dict{"Reference": pdf.Integer(7)}, nil, nothing, true},
		{"references integers", pdf.Dict{"Reference": pdf.Array{pdf.Integer(7)}}, nil, nothing, true},
		{"reference null", pdf.Dict{"Reference": pdf.Array{pdf.Null{}}}, nil, nothing, true},
		{"method missing", transform(pdf.Null{}, pdf.Dict{"P": pdf.Integer(3)}), nil, nothing, true},
		{"method string", transform(pdf.TextString("DocMDP"), pdf.Dict{"P": pdf.Integer(3)}), nil, nothing, true},
		{"method unknown", transform(name("PageMDP"), pdf.Dict{"P": pdf.Integer(3)}), nil, nothing, true},
		{"too many references", pdf.Dict{"Reference": slices.Repeat(docMDP(pdf.Integer(3)).(pdf.Dict)["Reference"].(pdf.Array), 51)}, nil, nothing, true},
		{"level 1", docMDP(pdf.Integer(1)), nil, nothing, false},
		{"level 2", docMDP(pdf.Integer(2)), nil, hidden, false},
		{"level 3", docMDP(pdf.Integer(3)), nil, hidden, false},
		{"level real", docMDP(pdf.Real(2)), nil, hidden, false},
		{"level null", docMDP(pdf.Null{}), nil, hidden, false},
		{"level of an object that does not exist", docMDP(pdf.Ref{Number: 9999}), nil, hidden, false},
		{"no parameters", transform(name("DocMDP"), nil), nil, hidden, false},
		{"level 0", docMDP(pdf.Integer(0)), nil, nothing, true},
		{"level 4", docMDP(pdf.Integer(4)), nil, nothing, true},
		{"level negative", docMDP(pdf.Integer(-1)), nil, nothing, true},
		{"level fraction", docMDP(pdf.Real(2.5)), nil, nothing, true},
		{"level name", docMDP(name("2")), nil, nothing, true},
		{"level array", docMDP(pdf.Array{pdf.Integer(2)}), nil, nothing, true},
		{"parameters integer", transform(name("DocMDP"), pdf.Integer(3)), nil, nothing, true},
		{"lock without parameters", transform(name("FieldMDP"), nil), nil, nothing, true},
		{"lock with integer parameters", transform(name("FieldMDP"), pdf.Integer(3)), nil, nothing, true},
		{"field lock integer", nil, pdf.Integer(3), nothing, true},
		{"field lock null", nil, pdf.Null{}, anything, false},
	}
	for _, l := range []struct {
		name    string
		lock    pdf.Dict
		permits string
		odd     bool
	}{
		{"all", pdf.Dict{"Action": name("All")}, nothing, false},
		{"include fields", pdf.Dict{"Action": name("Include"), "Fields": names("B")}, add, false},
		{"include others", pdf.Dict{"Action": name("Include"), "Fields": names("name", "group")}, anything, false},
		{"include none", pdf.Dict{"Action": name("Include"), "Fields": names()}, anything, false},
		{"exclude fields", pdf.Dict{"Action": name("Exclude"), "Fields": names("B")}, fill, false},
		{"exclude others", pdf.Dict{"Action": name("Exclude"), "Fields": names("name")}, nothing, false},
		{"include without fields", pdf.Dict{"Action": name("Include")}, nothing, true},
		{"exclude without fields", pdf.Dict{"Action": name("Exclude")}, nothing, true},
		{"include a string", pdf.Dict{"Action": name("Include"), "Fields": pdf.TextString("name")}, nothing, true},
		{"include an integer", pdf.Dict{"Action": name("Include"), "Fields": append(names("name"), pdf.Integer(7))}, nothing, true},
		{"include null", pdf.Dict{"Action": name("Include"), "Fields": append(names("name"), pdf.Null{})}, nothing, true},
		{"exclude an integer", pdf.Dict{"Action": name("Exclude"), "Fields": append(names("B"), pdf.Integer(7))}, nothing, true},
		{"no action", pdf.Dict{"Fields": names("name")}, nothing, true},
		{"unknown action", pdf.Dict{"Action": name("Only"), "Fields": names("name")}, nothing, true},
		{"action in other letters", pdf.Dict{"Action": name("include"), "Fields": names("name")}, nothing, true},
		{"action string", pdf.Dict{"Action": pdf.TextString("Include"), "Fields": names("name")}, nothing, true},
	} {
		all = append(all, statement{"lock: " + l.name, transform(name("FieldMDP"), l.lock), nil, l.permits, l.odd},
			statement{"field lock: " + l.name, nil, l.lock, l.permits, l.odd})
	}
	for _, l := range []struct {
		name    string
		level   pdf.Object
		permits string
		odd     bool
	}{
		{"1", pdf.Integer(1), nothing, false}, {"2", pdf.Integer(2), anything, false}, {"3", pdf.Integer(3), anything, false}, {"null", pdf.Null{}, anything, false},
		{"0", pdf.Integer(0), nothing, true}, {"9", pdf.Integer(9), nothing, true}, {"name", name("2"), nothing, true},
	} {
		all = append(all, statement{"field lock of level " + l.name, nil, pdf.Dict{"Action": name("Include"), "Fields": names("name"), "P": l.level}, l.permits, l.odd})
	}
	base := on(t, pdftest.Form()).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B"})
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := on(t, base.b)
			if c.lock != nil {
				p.update(func(d *pdf.Document, u *pdf.Update) { editNamed(t, d, u, "A")["Lock"] = c.lock })
			}
			entries, _ := c.signature.(pdf.Dict)
			p.signRaw(func(u *pdf.Update, value pdf.Ref) { editNamed(t, p.open(), u, "A")["V"] = value }, entries)
			if s := runSteps(t, p.b).Signatures[0]; c.odd != slices.ContainsFunc(s.Odd, func(r facts.Reason) bool { return r.Code == facts.PermissionUnreadable }) {
				t.Errorf("oddities %v", s.Odd)
			}
			wantAgreement(t, p, c.permits)
		})
	}
	t.Run("certification that only the catalog states", func(t *testing.T) {
		t.Parallel()
		p := on(t, base.b)
		p.signRaw(func(u *pdf.Update, value pdf.Ref) {
			editNamed(t, p.open(), u, "A")["V"] = value
			must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog}))["Perms"] = pdf.Dict{"DocMDP": value}
		}, nil)
		wantAgreement(t, p, hidden)
	})
	t.Run("signature in a field without a type", func(t *testing.T) {
		t.Parallel()
		p := on(t, base.b)
		p.signRaw(func(u *pdf.Update, value pdf.Ref) {
			f := editNamed(t, p.open(), u, "A")
			delete(f, "FT")
			f["V"] = value
		}, docMDP(pdf.Integer(1)).(pdf.Dict))
		wantAgreement(t, p, nothing)
	})
	t.Run("stricter signature later", func(t *testing.T) {
		t.Parallel()
		p := on(t, base.b).sign("A", certify(3))
		p.signRaw(func(u *pdf.Update, value pdf.Ref) {
			ref := u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("C"), "V": value})
			if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
				t.Fatal(err)
			}
		}, transform(name("FieldMDP"), pdf.Dict{"Action": name("Only")}).(pdf.Dict))
		wantAgreement(t, p, nothing)
	})
}

// editNamed edits the field with that name.
func editNamed(t *testing.T, d *pdf.Document, u *pdf.Update, name string) pdf.Dict {
	t.Helper()
	fields := must[[]*pdf.Field](t)(d.Fields())
	i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no field %s", name)
	}
	return must[pdf.Dict](t)(u.Edit(fields[i].Ref))
}

// wantAgreement signs the empty field B, or a new field that shows something or does not, and demands that package pades
// permits it and validation accepts it exactly if it is listed.
func wantAgreement(t *testing.T, p *testFile, permitted string) {
	t.Helper()
	widget := func(u *pdf.Update, box pdf.Rect) pdf.Dict {
		w := pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString("baru"), "P": pdf.Ref{Number: paintedPage},
			"Rect": box.Array(), "F": pdf.Integer(4),
		}
		if !box.Empty() {
			w["AP"] = pdf.Dict{"N": look(u, "0.8 g 0 0 9 9 re f")}
		}
		return w
	}
	signNew := func(box pdf.Rect) func(u *pdf.Update, value pdf.Ref) {
		return func(u *pdf.Update, value pdf.Ref) {
			w := widget(u, box)
			w["V"] = value
			ref := u.Add(w)
			if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
				t.Fatal(err)
			}
			addTo(t, u, annots, ref)
		}
	}
	var signing, validation []string
	for _, c := range []struct {
		name  string
		ahead func() error
		do    func(u *pdf.Update, value pdf.Ref)
	}{
		{"fill", func() error {
			_, err := pades.Sign(t.Context(), p.source(), p.options("B"))
			return err
		}, func(u *pdf.Update, value pdf.Ref) { editNamed(t, p.open(), u, "B")["V"] = value }},
		{"hidden", func() error { return pades.RequireNewFieldPermitted(p.open(), "baru", false) }, signNew(pdf.Rect{})},
		{"visible", func() error { return pades.RequireNewFieldPermitted(p.open(), "baru", true) }, signNew(boxB)},
	} {
		switch err := c.ahead(); {
		case err == nil:
			signing = append(signing, c.name)
		case !errors.Is(err, pades.ErrCertified) && !errors.Is(err, pades.ErrFieldLocked):
			t.Errorf("%s: %v", c.name, err)
		}
		f := runSteps(t, on(t, p.b).signRaw(c.do, nil).b)
		if !slices.ContainsFunc(f.Signatures, func(s *facts.Signature) bool { return len(troubles(s)) > 0 }) {
			validation = append(validation, c.name)
		}
	}
	join := func(all []string) string {
		if len(all) == 0 {
			return "nothing"
		}
		return strings.Join(all, ", ")
	}
	if got := join(signing); got != permitted {
		t.Errorf("signing permits %s, want %s", got, permitted)
	}
	if got := join(validation); got != permitted {
		t.Errorf("validation permits %s, want %s", got, permitted)
	}
}
