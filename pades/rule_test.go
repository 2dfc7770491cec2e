package pades_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestWhatCannotBeSignedIsRefusedByName(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi")
	p := &testFile{Bytes: pdftest.Form()}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
	p.Sign(t, budi.Options(t, "A"))
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
		o := budi.Options(t, "B")
		c.change(&o)
		if _, err := pades.Sign(t.Context(), p.Source(), o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := budi.Options(t, "B")
	other.Key = signtest.NewSigner(t, "Ani").Key
	if _, err := pades.Sign(t.Context(), p.Source(), other); err == nil {
		t.Error("signed with a key that is not the certificate's")
	}
}

func TestCertificationForbidsWhatItSays(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi")
	for permitted, c := range map[pdf.Permission]struct{ sign, box error }{
		1: {pades.ErrCertified, pades.ErrCertified}, 2: {nil, pades.ErrCertified}, 3: {nil, pades.ErrCertified},
	} {
		t.Run(fmt.Sprint(permitted), func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: pdftest.Table(1)}
			p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
			o := budi.Options(t, "A")
			o.Certify = permitted
			p.Sign(t, o)
			if got := p.Open(t).Properties().DocMDP; got != permitted {
				t.Fatalf("certified with %d", got)
			}
			_, err := pades.AddFields(p.Open(t), []pades.FieldSpec{{Name: "C", Page: 1, Rect: pdf.Rect{URX: 9, URY: 9}}})
			if !errors.Is(err, c.box) {
				t.Errorf("another box: %v", err)
			}
			if _, err = pades.Sign(t.Context(), p.Source(), budi.Options(t, "B")); !errors.Is(err, c.sign) {
				t.Errorf("another signature: %v", err)
			}
			p.Complete(t, signtest.Authority(t))
			runTool(t, "qpdf", "--check", writeTemp(t, p))
		})
	}
}

func TestLockedFieldIsNotSigned(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi")
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"})
	d := p.Open(t)
	u := d.NewUpdate()
	field := must[pdf.Dict](t)(u.Edit(must[[]*pdf.Field](t)(d.Fields())[0].Ref))
	field["Lock"] = pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name("Include"), "Fields": pdf.Array{pdf.TextString("B")}}
	p.Bytes = append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...)
	p.Sign(t, budi.Options(t, "A"))
	if _, err := pades.Sign(t.Context(), p.Source(), budi.Options(t, "B")); !errors.Is(err, pades.ErrFieldLocked) {
		t.Errorf("locked field: %v", err)
	}
	p.Sign(t, budi.Options(t, "C"))
	wantValid(t, p, "A", "C")
}

func TestEncryptedFileWithoutItsPasswordIsToldApart(t *testing.T) {
	t.Parallel()
	plain := &testFile{Bytes: pdftest.Table(1)}
	path := writeTemp(t, plain)
	runTool(t, "qpdf", "--encrypt", "user", "owner", "256", "--", path, path+".locked")
	runTool(t, "qpdf", "--encrypt", "", "owner", "256", "--", path, path+".open")
	budi := signtest.NewSigner(t, "Budi")
	locked := &testFile{Bytes: readSample(t, path+".locked")}
	o := budi.Options(t, "")
	o.NewField = &pades.FieldSpec{Name: "A"}
	if _, err := pades.Sign(t.Context(), locked.Source(), o); !errors.Is(err, pades.ErrEncrypted) {
		t.Errorf("without password: %v", err)
	}
	locked.Password = "user"
	locked.Sign(t, o)
	out := writeTemp(t, locked)
	runTool(t, "qpdf", "--check", "--password=user", out)
	if out := runTool(t, "pdfsig", "-nocert", "-upw", "user", out); !strings.Contains(out, "Signature is Valid") || !strings.Contains(out, "Total document signed") {
		t.Error(out)
	}
	opened := &testFile{Bytes: readSample(t, path+".open")}
	opened.Sign(t, o)
	wantValid(t, opened, "A")
}

func TestTaggedFileTakesFieldsIntoItsStructure(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: newTaggedFile(t)}
	p.AddFields(t, pades.FieldSpec{Name: "A", Label: "Tanda tangan A", Page: 1, Rect: pdf.Rect{URX: 90, URY: 30}}, pades.FieldSpec{Name: "B"})
	d := p.Open(t)
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
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	wantValid(t, p, "A")
	// After the first signature the structure tree stays unchanged.
	p.AddFields(t, pades.FieldSpec{Name: "C", Page: 1, Rect: pdf.Rect{URX: 90, URY: 30}})
	for _, f := range must[[]*pdf.Field](t)(p.Open(t).Fields()) {
		if f.Name == "C" && f.Dict["StructParent"] != nil {
			t.Error("structure changed after a signature")
		}
	}
}

// newTaggedFile returns a file with a structure tree of one document.
func newTaggedFile(t *testing.T) []byte {
	t.Helper()
	p := &testFile{Bytes: pdftest.Table(1)}
	d := p.Open(t)
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
	return append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...)
}

func TestMarksAreFilledWithTheSignature(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(2)}
	spec, drawing := newVisibleField(t, p, "A")
	p.AddFields(t, spec, pades.FieldSpec{Name: "AMark1", Page: 2, Rect: pdf.Rect{LLX: 10, LLY: 10, URX: 40, URY: 40}, Mark: true})
	o := signtest.NewSigner(t, "A").Options(t, "A")
	o.Appearance, o.Marks = drawing, map[string]pades.Appearance{"AMark1": drawing}
	p.Sign(t, o)
	wantValid(t, p, "A")
	d := p.Open(t)
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		ap := must[pdf.Dict](t)(d.Dict(f.Dict["AP"]))
		if st := must[*pdf.Stream](t)(d.Stream(ap["N"])); st == nil || st.Len() < 100 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
	if _, err := pades.Sign(t.Context(), p.Source(), signtest.NewSigner(t, "A").Options(t, "AMark1")); !errors.Is(err, pades.ErrNoField) {
		t.Errorf("mark as a field: %v", err)
	}
}

func TestLockedMarkIsNotFilled(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	spec, drawing := newVisibleField(t, p, "B")
	p.AddFields(t, pades.FieldSpec{Name: "A"}, spec, pades.FieldSpec{Name: "BMark", Page: 1, Rect: pdf.Rect{LLX: 10, LLY: 10, URX: 40, URY: 40}, Mark: true})
	editField(t, p, "A", func(f pdf.Dict) {
		f["Lock"] = pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name("Include"), "Fields": pdf.Array{pdf.TextString("BMark")}}
	})
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	o := signtest.NewSigner(t, "B").Options(t, "B")
	o.Appearance, o.Marks = drawing, map[string]pades.Appearance{"BMark": drawing}
	if _, err := pades.Sign(t.Context(), p.Source(), o); !errors.Is(err, pades.ErrFieldLocked) {
		t.Errorf("locked mark: %v", err)
	}
}
