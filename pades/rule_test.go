package pades_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestWhatCannotBeSignedIsRefusedByName(t *testing.T) {
	t.Parallel()
	budi := newSigner(t, "Budi")
	p := &testFile{b: pdftest.Form()}
	p.addFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
	p.signField(t, budi.newOptions(t, "A"))
	for name, c := range map[string]struct {
		change func(*pades.Options)
		want   error
	}{
		"missing field":     {func(o *pades.Options) { o.Field = "Z" }, pades.ErrNoField},
		"text field":        {func(o *pades.Options) { o.Field = "name" }, pades.ErrNoField},
		"signed field":      {func(o *pades.Options) { o.Field = "A" }, pades.ErrFieldSigned},
		"late certificate":  {func(o *pades.Options) { o.Certify = 2 }, pades.ErrNotFirst},
		"name that is used": {func(o *pades.Options) { o.Field, o.NewField = "", &pades.FieldSpec{Name: "group"} }, pades.ErrFieldExists},
		"no timestamp":      {func(o *pades.Options) { o.Timestamper = failingTimestamper{err: errors.New("out of order")} }, pades.ErrTimestamp},
		"no real timestamp": {func(o *pades.Options) { o.Timestamper = failingTimestamper{token: []byte("0")} }, pades.ErrTimestamp},
	} {
		o := budi.newOptions(t, "B")
		c.change(&o)
		if _, err := pades.Sign(t.Context(), p.source(), o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := budi.newOptions(t, "B")
	other.Key = newSigner(t, "Ani").key
	if _, err := pades.Sign(t.Context(), p.source(), other); err == nil {
		t.Error("signed with a key that is not the certificate's")
	}
}

func TestCertificationForbidsWhatItSays(t *testing.T) {
	t.Parallel()
	budi := newSigner(t, "Budi")
	for permitted, c := range map[int]struct{ sign, box error }{
		1: {pades.ErrCertified, pades.ErrCertified}, 2: {nil, pades.ErrCertified}, 3: {nil, pades.ErrCertified},
	} {
		t.Run(fmt.Sprint(permitted), func(t *testing.T) {
			t.Parallel()
			p := &testFile{b: pdftest.Table(1)}
			p.addFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
			o := budi.newOptions(t, "A")
			o.Certify = permitted
			p.signField(t, o)
			if got := p.openFile(t).Facts().DocMDP; got != permitted {
				t.Fatalf("certified with %d", got)
			}
			_, err := pades.AddFields(p.openFile(t), []pades.FieldSpec{{Name: "C", Page: 1, Rect: pdf.Rect{URX: 9, URY: 9}}})
			if !errors.Is(err, c.box) {
				t.Errorf("another box: %v", err)
			}
			if _, err = pades.Sign(t.Context(), p.source(), budi.newOptions(t, "B")); !errors.Is(err, c.sign) {
				t.Errorf("another signature: %v", err)
			}
			p.completeBLTA(t)
			runTool(t, "qpdf", "--check", p.writeTemp(t))
		})
	}
}

func TestLockedFieldIsNotSigned(t *testing.T) {
	t.Parallel()
	budi := newSigner(t, "Budi")
	p := &testFile{b: pdftest.Table(1)}
	p.addFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"})
	d := p.openFile(t)
	u := d.NewUpdate()
	field := must[pdf.Dict](t)(u.Edit(must[[]*pdf.Field](t)(d.Fields())[0].Ref))
	field["Lock"] = pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name("Include"), "Fields": pdf.Array{pdf.TextString("B")}}
	p.b = append(p.b, must[*pdf.Tail](t)(u.Build()).Bytes...)
	p.signField(t, budi.newOptions(t, "A"))
	if _, err := pades.Sign(t.Context(), p.source(), budi.newOptions(t, "B")); !errors.Is(err, pades.ErrFieldLocked) {
		t.Errorf("locked field: %v", err)
	}
	p.signField(t, budi.newOptions(t, "C"))
	wantValid(t, p, "A", "C")
}

func TestEncryptedFileWithoutItsPasswordIsToldApart(t *testing.T) {
	t.Parallel()
	plain := &testFile{b: pdftest.Table(1)}
	path := plain.writeTemp(t)
	runTool(t, "qpdf", "--encrypt", "user", "owner", "256", "--", path, path+".locked")
	runTool(t, "qpdf", "--encrypt", "", "owner", "256", "--", path, path+".open")
	budi := newSigner(t, "Budi")
	locked := &testFile{b: readSample(t, path+".locked")}
	o := budi.newOptions(t, "")
	o.NewField = &pades.FieldSpec{Name: "A"}
	if _, err := pades.Sign(t.Context(), locked.source(), o); !errors.Is(err, pades.ErrEncrypted) {
		t.Errorf("without password: %v", err)
	}
	locked.password = "user"
	locked.signField(t, o)
	out := locked.writeTemp(t)
	runTool(t, "qpdf", "--check", "--password=user", out)
	if said := runTool(t, "pdfsig", "-nocert", "-upw", "user", out); !strings.Contains(said, "Signature is Valid") || !strings.Contains(said, "Total document signed") {
		t.Error(said)
	}
	opened := &testFile{b: readSample(t, path+".open")}
	opened.signField(t, o)
	wantValid(t, opened, "A")
}

func TestTaggedFileTakesFieldsIntoItsStructure(t *testing.T) {
	t.Parallel()
	p := &testFile{b: newTaggedFile(t)}
	p.addFields(t, pades.FieldSpec{Name: "A", Label: "Tanda tangan A", Page: 1, Rect: pdf.Rect{URX: 90, URY: 30}}, pades.FieldSpec{Name: "B"})
	d := p.openFile(t)
	_, catalog, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	root := must[pdf.Dict](t)(d.Dict(catalog["StructTreeRoot"]))
	nums := must[pdf.Array](t)(d.Array(must[pdf.Dict](t)(d.Dict(root["ParentTree"]))["Nums"]))
	field := must[[]*pdf.Field](t)(d.Fields())[0]
	key, element := nums[len(nums)-2], must[pdf.Dict](t)(d.Dict(nums[len(nums)-1]))
	if key != field.Dict["StructParent"] || root["ParentTreeNextKey"] != pdf.Object(key.(pdf.Integer)+1) {
		t.Errorf("key %v, /StructParent %v, next %v", key, field.Dict["StructParent"], root["ParentTreeNextKey"])
	}
	if element["S"] != pdf.Object(pdf.Name("Form")) || element["K"].(pdf.Dict).Ref("Obj") != field.Ref {
		t.Errorf("element %v", element)
	}
	parent := must[pdf.Dict](t)(d.Dict(element["P"]))
	if parent["S"] != pdf.Object(pdf.Name("Document")) || !bytes.Contains(fmt.Append(nil, parent["K"]), fmt.Append(nil, nums[len(nums)-1])) {
		t.Errorf("parent %v", parent)
	}
	p.signField(t, newSigner(t, "A").newOptions(t, "A"))
	wantValid(t, p, "A")
	// Once it is signed the structure is left alone.
	p.addFields(t, pades.FieldSpec{Name: "C", Page: 1, Rect: pdf.Rect{URX: 90, URY: 30}})
	for _, f := range must[[]*pdf.Field](t)(p.openFile(t).Fields()) {
		if f.Name == "C" && f.Dict["StructParent"] != nil {
			t.Error("structure changed behind a signature")
		}
	}
}

// newTaggedFile is a file with a structure tree of one document.
func newTaggedFile(t *testing.T) []byte {
	t.Helper()
	p := &testFile{b: pdftest.Table(1)}
	d := p.openFile(t)
	u := d.NewUpdate()
	root, _, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	tree, document := u.Reserve(), u.Reserve()
	u.Set(document, pdf.Dict{"Type": pdf.Name("StructElem"), "S": pdf.Name("Document"), "P": tree})
	u.Set(tree, pdf.Dict{
		"Type": pdf.Name("StructTreeRoot"), "K": document,
		"ParentTree": u.Add(pdf.Dict{"Nums": pdf.Array{pdf.Integer(4), pdf.Array{document}}}),
	})
	catalog := must[pdf.Dict](t)(u.Edit(root))
	catalog["StructTreeRoot"], catalog["MarkInfo"] = tree, pdf.Dict{"Marked": pdf.Boolean(true)}
	return append(p.b, must[*pdf.Tail](t)(u.Build()).Bytes...)
}

func TestMarksAreFilledWithTheSignature(t *testing.T) {
	t.Parallel()
	p := &testFile{b: pdftest.Table(2)}
	spec, look := newVisibleField(t, p, "A")
	p.addFields(t, spec, pades.FieldSpec{Name: "AMark1", Page: 2, Rect: pdf.Rect{LLX: 10, LLY: 10, URX: 40, URY: 40}, Mark: true})
	o := newSigner(t, "A").newOptions(t, "A")
	o.Appearance, o.Marks = look, map[string]pades.Appearance{"AMark1": look}
	p.signField(t, o)
	wantValid(t, p, "A")
	d := p.openFile(t)
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		ap := must[pdf.Dict](t)(d.Dict(f.Dict["AP"]))
		if st := must[*pdf.Stream](t)(d.Stream(ap["N"])); st == nil || st.Len() < 100 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
	if _, err := pades.Sign(t.Context(), p.source(), newSigner(t, "A").newOptions(t, "AMark1")); !errors.Is(err, pades.ErrNoField) {
		t.Errorf("mark as a field: %v", err)
	}
}

func TestLockedMarkIsNotFilled(t *testing.T) {
	t.Parallel()
	p := &testFile{b: pdftest.Table(1)}
	spec, look := newVisibleField(t, p, "B")
	p.addFields(t, pades.FieldSpec{Name: "A"}, spec, pades.FieldSpec{Name: "BMark", Page: 1, Rect: pdf.Rect{LLX: 10, LLY: 10, URX: 40, URY: 40}, Mark: true})
	editField(t, p, "A", func(f pdf.Dict) {
		f["Lock"] = pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name("Include"), "Fields": pdf.Array{pdf.TextString("BMark")}}
	})
	p.signField(t, newSigner(t, "A").newOptions(t, "A"))
	o := newSigner(t, "B").newOptions(t, "B")
	o.Appearance, o.Marks = look, map[string]pades.Appearance{"BMark": look}
	if _, err := pades.Sign(t.Context(), p.source(), o); !errors.Is(err, pades.ErrFieldLocked) {
		t.Errorf("locked mark: %v", err)
	}
}
