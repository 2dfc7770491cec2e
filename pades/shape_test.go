package pades_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// editFile edits a file like another program.
func editFile(t testing.TB, b []byte, change func(d *pdf.Document, u *pdf.Update)) *testFile {
	t.Helper()
	p := &testFile{Bytes: bytes.Clone(b)}
	d := p.Open(t)
	u := d.NewUpdate()
	change(d, u)
	p.Bytes = append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...)
	return p
}

// pageRef returns the reference of a page.
func pageRef(t testing.TB, d *pdf.Document, number int) pdf.Ref {
	t.Helper()
	return must[*pdf.Page](t)(d.Page(number)).Ref
}

// listAnnotations returns the /Annots of a page.
func listAnnotations(t testing.TB, d *pdf.Document, number int) pdf.Array {
	t.Helper()
	return must[pdf.Array](t)(d.Array(must[*pdf.Page](t)(d.Page(number)).Dict["Annots"]))
}

func TestWidgetStandsOnItsPageAloneWhereAnnotationsAreShared(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"table": pdftest.Table(4), "streams": pdftest.Streams(4)} {
		var old pdf.Ref
		p := editFile(t, file, func(d *pdf.Document, u *pdf.Update) {
			old = u.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Square"), "Rect": pdf.Rect{URX: 9, URY: 9}.Array()})
			all, own := u.Add(pdf.Array{old}), u.Add(pdf.Array{old})
			for n := 1; n <= 3; n++ {
				must[pdf.Dict](t)(u.Edit(pageRef(t, d, n)))["Annots"] = all
			}
			must[pdf.Dict](t)(u.Edit(pageRef(t, d, 4)))["Annots"] = own
		})
		box := pdf.Rect{LLX: 50, LLY: 50, URX: 200, URY: 100}
		p.AddFields(t, pades.FieldSpec{Name: "A", Page: 2, Rect: box}, pades.FieldSpec{Name: "B", Page: 2, Rect: box}, pades.FieldSpec{Name: "C", Page: 4, Rect: box})
		p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
		wantValid(t, p, "A")
		d := p.Open(t)
		for n, want := range map[int]int{1: 1, 2: 3, 3: 1, 4: 2} {
			list := listAnnotations(t, d, n)
			if len(list) != want || !slices.Contains(list, pdf.Object(old)) {
				t.Errorf("%s: page %d has %v", name, n, list)
			}
		}
		if must[*pdf.Page](t)(d.Page(4)).Dict.Ref("Annots").IsZero() {
			t.Errorf("%s: the array that page 4 has to itself was copied", name)
		}
	}
}

func TestBoxesOfInheritedPagesAreKept(t *testing.T) {
	t.Parallel()
	p := editFile(t, pdftest.Table(2), func(d *pdf.Document, u *pdf.Update) {
		node := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pdftest.PagesNumber}))
		node["Rotate"], node["CropBox"] = pdf.Integer(90), pdf.Rect{LLX: 10, LLY: 10, URX: 500, URY: 700}.Array()
	})
	before := must[*pdf.Page](t)(p.Open(t).Page(1))
	p.AddFields(t, pades.FieldSpec{Name: "A", Page: 1, Rect: pdf.Rect{LLX: 50, LLY: 50, URX: 200, URY: 100}})
	_, drawing := newVisibleField(t, p, "A")
	o := signtest.NewSigner(t, "A").Options(t, "A")
	o.Appearance = drawing
	p.Sign(t, o)
	wantValid(t, p, "A")
	after := must[*pdf.Page](t)(p.Open(t).Page(1))
	if after.Rotate != before.Rotate || after.CropBox != before.CropBox || after.Dict["Rotate"] != nil {
		t.Errorf("page was %+v and is %+v", before, after)
	}
	if m := fmt.Sprint(pictureOf(t, p, "A").Dict["Matrix"]); m == "<nil>" {
		t.Error("the picture does not stand upright")
	}
}

// newStructuredFile returns a file with a structure tree of that shape.
func newStructuredFile(t testing.TB, pages int, flat, kids bool) *testFile {
	t.Helper()
	return editFile(t, pdftest.Table(pages), func(d *pdf.Document, u *pdf.Update) {
		root, _, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		catalog := must[pdf.Dict](t)(u.Edit(root))
		tree := u.Reserve()
		document := u.Add(pdf.Dict{"Type": pdf.Name("StructElem"), "S": pdf.Name("Document"), "P": tree})
		nums := pdf.Array{pdf.Integer(0), u.Add(pdf.Array{document})}
		parents := pdf.Dict{"Nums": nums}
		if kids {
			parents = pdf.Dict{"Kids": pdf.Array{u.Add(pdf.Dict{"Limits": pdf.Array{pdf.Integer(0), pdf.Integer(0)}, "Nums": nums})}}
		}
		top := pdf.Object(document)
		if !flat {
			top = pdf.Array{document}
		}
		u.Set(tree, pdf.Dict{"Type": pdf.Name("StructTreeRoot"), "K": top, "ParentTree": u.Add(parents), "ParentTreeNextKey": pdf.Integer(1)})
		catalog["StructTreeRoot"], catalog["MarkInfo"] = tree, pdf.Dict{"Marked": pdf.Boolean(true)}
	})
}

func TestWidgetsOfTaggedFilesArePartOfTheStructure(t *testing.T) {
	t.Parallel()
	box := pdf.Rect{LLX: 50, LLY: 50, URX: 200, URY: 100}
	for name, p := range map[string]*testFile{
		"one kid": newStructuredFile(t, 2, true, false), "kids": newStructuredFile(t, 2, false, false), "deep parent tree": newStructuredFile(t, 2, false, true),
	} {
		p.AddFields(t, pades.FieldSpec{Name: "A", Label: "Tanda tangan Ani", Page: 2, Rect: box})
		q := &testFile{Bytes: bytes.Clone(p.Bytes)}
		o := signtest.NewSigner(t, "B").Options(t, "")
		o.NewField = &pades.FieldSpec{Name: "B", Label: "Tanda tangan Budi", Page: 1, Rect: box}
		q.Sign(t, o)
		wantValid(t, q, "B")
		d := q.Open(t)
		_, catalog, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		tree := must[pdf.Dict](t)(d.Dict(catalog["StructTreeRoot"]))
		byKey := parentTree(t, d, tree["ParentTree"])
		for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
			key, ok := f.Dict["StructParent"].(pdf.Integer)
			element := must[pdf.Dict](t)(d.Dict(byKey[int64(key)]))
			if !ok || element["S"] != pdf.Object(pdf.Name("Form")) || f.Dict["TU"] == nil {
				t.Fatalf("%s: field %s has key %v, element %v", name, f.Name, key, element)
			}
			kid := must[pdf.Dict](t)(d.Dict(element["K"]))
			if kid["Type"] != pdf.Object(pdf.Name("OBJR")) || kid.Ref("Obj") != f.Ref {
				t.Errorf("%s: element of %s is about %v", name, f.Name, kid)
			}
			above := must[pdf.Dict](t)(d.Dict(element["P"]))
			if kids := must[pdf.Array](t)(d.Array(above["K"])); !slices.Contains(kids, byKey[int64(key)]) {
				t.Errorf("%s: %v is not among %v", name, byKey[int64(key)], kids)
			}
		}
		if next := must[int64](t)(d.Integer(tree["ParentTreeNextKey"])); next != 3 {
			t.Errorf("%s: next key %d", name, next)
		}
	}
}

// parentTree reads a number tree.
func parentTree(t testing.TB, d *pdf.Document, o pdf.Object) map[int64]pdf.Object {
	t.Helper()
	all := map[int64]pdf.Object{}
	node := must[pdf.Dict](t)(d.Dict(o))
	for _, kid := range must[pdf.Array](t)(d.Array(node["Kids"])) {
		for key, v := range parentTree(t, d, kid) {
			all[key] = v
		}
	}
	nums := must[pdf.Array](t)(d.Array(node["Nums"]))
	for i := 0; i+1 < len(nums); i += 2 {
		all[must[int64](t)(d.Integer(nums[i]))] = nums[i+1]
	}
	return all
}

func TestExtensionsOfOtherDevelopersStay(t *testing.T) {
	t.Parallel()
	adobe := pdf.Dict{"BaseVersion": pdf.Name("1.7"), "ExtensionLevel": pdf.Integer(8)}
	for name, c := range map[string]struct {
		stated func(u *pdf.Update) pdf.Object
		esic   string
	}{
		"none":     {func(*pdf.Update) pdf.Object { return pdf.Null{} }, "2"},
		"direct":   {func(*pdf.Update) pdf.Object { return pdf.Dict{"ADBE": adobe} }, "2"},
		"indirect": {func(u *pdf.Update) pdf.Object { return u.Add(pdf.Dict{"ADBE": u.Add(adobe)}) }, "2"},
		"lower": {func(*pdf.Update) pdf.Object {
			return pdf.Dict{"ESIC": pdf.Dict{"BaseVersion": pdf.Name("1.7"), "ExtensionLevel": pdf.Integer(1)}}
		}, "2"},
		"higher": {func(*pdf.Update) pdf.Object {
			return pdf.Dict{"ESIC": pdf.Dict{"BaseVersion": pdf.Name("1.7"), "ExtensionLevel": pdf.Integer(5)}}
		}, "5"},
		"several of it": {func(u *pdf.Update) pdf.Object {
			return pdf.Dict{"ESIC": u.Add(pdf.Array{pdf.Dict{"ExtensionLevel": pdf.Integer(1)}})}
		}, "several"},
	} {
		p := editFile(t, pdftest.Table(1), func(d *pdf.Document, u *pdf.Update) {
			must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pdftest.CatalogNumber}))["Extensions"] = c.stated(u)
		})
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
		wantValid(t, p, "A")
		p.Complete(t, signtest.Authority(t))
		runTool(t, "qpdf", "--check", writeTemp(t, p))
		d := p.Open(t)
		_, catalog, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		stated := must[pdf.Dict](t)(d.Dict(catalog["Extensions"]))
		if name == "direct" || name == "indirect" {
			if a := must[pdf.Dict](t)(d.Dict(stated["ADBE"])); fmt.Sprint(a) != fmt.Sprint(adobe) {
				t.Errorf("%s: /ADBE is %v", name, a)
			}
		}
		o := must[pdf.Object](t)(d.Resolve(stated["ESIC"]))
		got := "several"
		if e, ok := o.(pdf.Dict); ok {
			got = fmt.Sprint(e["ExtensionLevel"])
		}
		if got != c.esic {
			t.Errorf("%s: level %s, want %s", name, got, c.esic)
		}
	}
}

func TestVersionIsRaisedThroughTheCatalogBeforeTheFirstSignature(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	for header, want := range map[string]string{"1.3": "1.7", "1.5": "1.7", "1.7": "1.7", "2.0": "2.0"} {
		p := &testFile{Bytes: bytes.Replace(pdftest.Table(1), []byte("%PDF-1.7"), []byte("%PDF-"+header), 1)}
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		p.Sign(t, who.Options(t, "A"))
		wantValid(t, p, "A")
		p.Complete(t, signtest.Authority(t))
		runTool(t, "qpdf", "--check", writeTemp(t, p))
		if f := p.Open(t).Properties(); f.Version != want || f.HeaderVersion != header {
			t.Errorf("%s became %s in the catalog, %s in the header", header, f.Version, f.HeaderVersion)
		}
	}
	p := &testFile{Bytes: pdftest.PDFA(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	p.Sign(t, who.Options(t, "A"))
	if v := p.Open(t).Properties().Version; v != "1.4" {
		t.Errorf("PDF/A-1 became %s", v)
	}
}

func TestHybridFilesStayReadableForOldAndNewReaders(t *testing.T) {
	t.Parallel()
	file := pdftest.Hybrid(2)
	p := &testFile{Bytes: bytes.Clone(file)}
	spec, drawing := newVisibleField(t, p, "A")
	p.AddFields(t, spec, pades.FieldSpec{Name: "B"})
	o := signtest.NewSigner(t, "A").Options(t, "A")
	o.Appearance = drawing
	p.Sign(t, o)
	p.Sign(t, signtest.NewSigner(t, "B").Options(t, "B"))
	wantValid(t, p, "A", "B")
	if out := runTool(t, "mutool", "sign", "-v", writeTemp(t, p)); strings.Count(out, "Verifying signature") != 2 {
		t.Errorf("mutool finds %s", out)
	}
	p.Complete(t, signtest.Authority(t))
	if out := runTool(t, "mutool", "show", writeTemp(t, p), "trailer"); !strings.Contains(out, "/Root") {
		t.Errorf("mutool finds the trailer %s", out)
	}
	if bytes.Contains(p.Bytes[len(file):], []byte("/XRefStm")) || bytes.Contains(p.Bytes[len(file):], []byte("/Type /XRef")) {
		t.Error("a tail has the stream that only new readers use")
	}
	// A reader of PDF 1.4 knows only tables: without the stream everything is there except what it hides.
	old := bytes.Replace(bytes.Clone(p.Bytes), []byte("/XRefStm"), []byte("/XRefOld"), 1)
	d := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(old), int64(len(old)), pdf.Options{}))
	if s := must[[]*pdf.Signature](t)(d.Signatures()); len(s) != 3 || d.Properties().Repaired {
		t.Errorf("an old reader sees %d signatures", len(s))
	}
	// A newer reader still finds what only the stream has.
	d = p.Open(t)
	_, catalog, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	if outlines := must[pdf.Dict](t)(d.Dict(catalog["Outlines"])); outlines["Type"] != pdf.Object(pdf.Name("Outlines")) {
		t.Errorf("/Outlines %v", outlines)
	}
}

func TestPageThatIsNoObjectOfItsOwnIsRefused(t *testing.T) {
	t.Parallel()
	p := editFile(t, pdftest.Table(1), func(d *pdf.Document, u *pdf.Update) {
		page := must[*pdf.Page](t)(d.Page(1))
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pdftest.PagesNumber}))["Kids"] = pdf.Array{page.Dict}
	})
	if _, err := pades.AddFields(p.Open(t), []pades.FieldSpec{{Name: "A"}}); !errors.Is(err, pdf.ErrDamaged) {
		t.Error(err)
	}
}
