package facts_test

import (
	"bytes"
	"compress/zlib"
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func addTo(t *testing.T, u *pdf.Update, array uint32, o pdf.Object) {
	t.Helper()
	a := must[pdf.Object](t)(u.Get(pdf.Ref{Number: array})).(pdf.Array)
	u.Set(pdf.Ref{Number: array}, append(a, o))
}

func TestCertifiedFilesForbidWhatTheyState(t *testing.T) {
	t.Parallel()
	filled := fillName("Agus")
	comment := revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) { addTo(t, u, annots, u.Add(overlay(u, "FreeText"))) })
	redact := revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) { addTo(t, u, annots, u.Add(overlay(u, "Redact"))) })
	link := revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
		a := overlay(u, "Stamp")
		a["A"] = pdf.Dict{"S": pdf.Name("URI"), "URI": pdf.TextString("https://jahat.test")}
		addTo(t, u, annots, u.Add(a))
	})
	proven := func(t *testing.T, b []byte) []byte { return on(t, b).addValidationData().addTimestamp().b }
	signed := func(t *testing.T, b []byte) []byte { return on(t, b).sign("B", shown).b }
	for level, all := range map[pdf.Permission][]mutation{
		1: {{"filled in", "filled", filled}, {"comment", "comment", comment}, {"proven", "", proven}},
		2: {{"filled in", "", filled}, {"comment", "comment", comment}, {"signed", "", signed}, {"proven", "", proven}},
		3: {{"filled in", "", filled}, {"comment", "comment", comment}, {"redaction", "annotation_changed", redact}, {"link", "annotation_changed", link}, {"proven", "", proven}},
	} {
		p := on(t, pdftest.Form()).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 1, Rect: boxB})
		tamper(t, p.sign("A", certify(level), shown).b, all)
	}
}

// TestNoPictureIsAddedBehindACertification: adding a field and signing it is the sneaky signature attack.
func TestNoPictureIsAddedBehindACertification(t *testing.T) {
	t.Parallel()
	seen := func(t *testing.T, b []byte) []byte {
		return on(t, addField(func(*pdf.Update, pdf.Dict) {})(t, b)).sign("baru", shown).b
	}
	unseen := func(t *testing.T, b []byte) []byte {
		return on(t, addField(func(_ *pdf.Update, w pdf.Dict) { w["Rect"] = pdf.Rect{}.Array() })(t, b)).sign("baru").b
	}
	fields := []pades.FieldSpec{{Name: "A", Page: 1, Rect: boxA}, {Name: "B", Page: 1, Rect: boxB}}
	tamper(t, on(t, pdftest.Form()).fields(fields...).sign("A", shown).b, []mutation{{"approved", "", seen}})
	for _, level := range []pdf.Permission{2, 3} {
		certified := on(t, pdftest.Form()).fields(fields...).sign("A", certify(level), shown)
		tamper(t, certified.b, []mutation{{"certified, to be seen", "signature_field", seen}, {"certified, not to be seen", "", unseen}})
	}
	both := on(t, pdftest.Form()).fields(fields...).sign("A", certify(2), shown).sign("B", shown)
	f := runSteps(t, seen(t, both.b))
	for i, s := range f.Signatures[:2] {
		if !slices.Contains(troubles(s), "signature_field") {
			t.Errorf("signature %d: %s", i, summary(f))
		}
	}
}

func TestCommentsAreDeniedEvenBehindACertificationThatPermitsThem(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Form()).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", certify(3), shown)
	p.update(func(_ *pdf.Document, u *pdf.Update) { addTo(t, u, annots, u.Add(overlay(u, "FreeText"))) })
	f := runSteps(t, p.b)
	s := f.Signatures[0]
	if l := s.Later[0]; s.Permits != diff.Annotations || l.Level != diff.Annotations || len(l.Denied) == 0 {
		t.Errorf("permits %v, level %v, denied %v", s.Permits, l.Level, l.Denied)
	}
}

func TestLocksAreKept(t *testing.T) {
	t.Parallel()
	filled, checked := fillName("Agus"), checkBoxAgree
	signed := func(t *testing.T, b []byte) []byte {
		return on(t, b).update(func(_ *pdf.Document, u *pdf.Update) {
			ref := u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("baru")})
			if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
				t.Fatal(err)
			}
		}).b
	}
	proven := func(t *testing.T, b []byte) []byte { return on(t, b).addValidationData().addTimestamp().b }
	for name, c := range map[string]struct {
		lock pades.Lock
		all  []mutation
	}{
		"all":     {pades.Lock{Action: pdf.LockAll}, []mutation{{"name", "filled", filled}, {"box", "filled", checked}, {"proven", "", proven}}},
		"include": {pades.Lock{Action: pdf.LockInclude, Fields: []string{"name"}}, []mutation{{"name", "filled", filled}, {"box", "", checked}, {"new field", "", signed}}},
		"group":   {pades.Lock{Action: pdf.LockInclude, Fields: []string{"group"}}, []mutation{{"name", "", filled}, {"box", "filled", checked}}},
		"exclude": {pades.Lock{Action: pdf.LockExclude, Fields: []string{"name"}}, []mutation{{"name", "", filled}, {"box", "filled", checked}}},
		"level":   {pades.Lock{Action: pdf.LockInclude, Fields: []string{"x"}, Permit: 1}, []mutation{{"name", "filled", filled}, {"proven", "", proven}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := on(t, pdftest.Form()).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA, Lock: &c.lock})
			tamper(t, p.sign("A", shown).b, c.all)
		})
	}
}

func TestValidationDataIsOnlyAdded(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", timed(t), shown).addValidationData().addTimestamp()
	d := p.open()
	_, root, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	store := root.Ref("DSS").Number
	dss := must[pdf.Dict](t)(d.Dict(root["DSS"]))
	certs := must[pdf.Array](t)(d.Array(dss["Certs"]))
	tamper(t, p.b, []mutation{
		{"deleted", "store_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { delete(d, "DSS") })},
		{"emptied", "store_changed", dict(store, func(_ *pdf.Update, d pdf.Dict) { delete(d, "Certs") })},
		{"fewer", "store_changed", dict(store, func(_ *pdf.Update, d pdf.Dict) { d["Certs"] = certs[1:] })},
		{"validation data replaced", "store_changed", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Set(certs[0].(pdf.Ref), words("Lunas")) })},
		{"entry of a signature changed", "store_changed", dict(store, func(_ *pdf.Update, d pdf.Dict) {
			for k := range d["VRI"].(pdf.Dict) {
				d["VRI"].(pdf.Dict)[k] = pdf.Dict{}
			}
		})},
		{"something else", "store_changed", dict(store, func(_ *pdf.Update, d pdf.Dict) { d["Extra"] = pdf.Integer(1) })},
		{"more", "", dict(store, func(u *pdf.Update, d pdf.Dict) { d["Certs"] = append(slices.Clone(certs), u.Add(words("x"))) })},
		{"more that cannot be decoded", "unreadable", dict(store, func(u *pdf.Update, d pdf.Dict) {
			broken := &pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: []byte("no deflate")}
			d["Certs"] = append(slices.Clone(certs), u.Add(broken))
		})},
		{"more that its check sum denies", "unreadable", dict(store, func(u *pdf.Update, d pdf.Dict) {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			if _, err := z.Write([]byte("proof")); err != nil || z.Close() != nil {
				t.Fatal("compress item:", err)
			}
			b.Bytes()[b.Len()-1] ^= 1
			d["Certs"] = append(slices.Clone(certs), u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: b.Bytes()}))
		})},
		{"said again", "", dict(store, func(u *pdf.Update, store pdf.Dict) {
			again := must[*pdf.Stream](t)(d.Stream(certs[0]))
			store["Certs"] = append(slices.Clone(certs[1:]), u.Add(&pdf.Stream{Data: must[[]byte](t)(d.Decode(again))}))
		})},
		{"said otherwise", "store_changed", dict(store, func(u *pdf.Update, d pdf.Dict) { d["Certs"] = append(slices.Clone(certs[1:]), u.Add(words("x"))) })},
		{"list of its own", "", dict(store, func(u *pdf.Update, d pdf.Dict) { d["Certs"] = u.Add(append(slices.Clone(certs), u.Add(words("x")))) })},
	})
	cut := on(t, p.b[:must[[]pdf.Revision](t)(d.Revisions())[2].End])
	if f := runSteps(t, cut.b); len(f.Signatures) != 1 || len(troubles(f.Signatures[0])) > 0 {
		t.Errorf("a file that was cut back to a revision of its own: %s", summary(f))
	}
}

func TestFieldAddedToATaggedFileIsAllowedWithItsPlaceInTheStructure(t *testing.T) {
	t.Parallel()
	b := pdftest.PDFA(2)
	if !on(t, b).open().Properties().Tagged {
		b = tagged(t)
	}
	p := on(t, b).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown)
	p.update(func(d *pdf.Document, u *pdf.Update) { addTagged(t, d, u, "B", "Form") })
	wantIntact(t, runSteps(t, p.b), "A")
	tamper(t, p.b, []mutation{
		{"a heading", "structure_changed", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) { addTagged(t, d, u, "C", "H1") })},
		{"role map", "structure_changed", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			_, root, _ := d.Root()
			must[pdf.Dict](t)(u.Edit(root.Ref("StructTreeRoot")))["RoleMap"] = pdf.Dict{"Form": pdf.Name("P")}
		})},
	})
}

// tagged is a file of one page with a structure tree of one document.
func tagged(t *testing.T) []byte {
	t.Helper()
	return on(t, pdftest.Table(1)).update(func(_ *pdf.Document, u *pdf.Update) {
		root, document := u.Reserve(), u.Reserve()
		u.Set(root, pdf.Dict{
			"Type": pdf.Name("StructTreeRoot"), "K": document, "ParentTree": u.Add(pdf.Dict{"Nums": pdf.Array{}}), "ParentTreeNextKey": pdf.Integer(0),
		})
		u.Set(document, pdf.Dict{"Type": pdf.Name("StructElem"), "S": pdf.Name("Document"), "P": root, "K": pdf.Array{}})
		c := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog}))
		c["StructTreeRoot"], c["MarkInfo"] = root, pdf.Dict{"Marked": pdf.Boolean(true)}
	}).b
}

// addTagged adds a signature field with an element of the structure tree.
func addTagged(t *testing.T, d *pdf.Document, u *pdf.Update, name, kind string) {
	t.Helper()
	_, root, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	at := root.Ref("StructTreeRoot")
	tree := must[pdf.Dict](t)(u.Edit(at))
	next := tree["ParentTreeNextKey"].(pdf.Integer)
	tree["ParentTreeNextKey"] = next + 1
	first := must[*pdf.Page](t)(d.Page(1))
	widget := u.Add(pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString(name), "P": first.Ref,
		"Rect": boxB.Array(), "F": pdf.Integer(132), "StructParent": next,
	})
	if err := u.Append(first.Ref, "Annots", widget); err != nil {
		t.Fatal(err)
	}
	ref, _, err := d.Form()
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Append(ref, "Fields", widget); err != nil {
		t.Fatal(err)
	}
	element := u.Add(pdf.Dict{
		"Type": pdf.Name("StructElem"), "S": pdf.Name(kind), "P": at, "Pg": first.Ref, "K": pdf.Dict{"Type": pdf.Name("OBJR"), "Obj": widget, "Pg": first.Ref},
	})
	k := tree["K"]
	if list, ok := k.(pdf.Array); ok {
		tree["K"] = append(list, element)
	} else {
		tree["K"] = pdf.Array{k, element}
	}
	parents := must[pdf.Dict](t)(u.EditIn(at, "ParentTree"))
	if err := u.AppendTo(parents, "Nums", next, element); err != nil {
		t.Fatal(err)
	}
}

func TestKindsAreToldApart(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).sign("A", certify(2)).sign("B").addTimestamp()
	var kinds []facts.Kind
	for _, s := range runSteps(t, p.b).Signatures {
		kinds = append(kinds, s.Kind)
	}
	if want := []facts.Kind{facts.Certification, facts.Approval, facts.Timestamp}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}
