package pdf_test

import (
	"bytes"
	"crypto/sha512"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

var styles = map[string]func(int) []byte{
	"table": pdftest.Table, "stream": pdftest.Streams, "hybrid": pdftest.Hybrid, "linearized": pdftest.Linearized,
}

func TestTailTakesTheStyleOfTheNewestSection(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		file := sample(2)
		d := open(t, file)
		u := d.NewUpdate()
		added := u.Add(pdf.Dict{"Marker": pdf.TextString("héllo")})
		whole := build(t, file, u)
		tail := string(whole[len(file):])
		if name == "stream" != strings.Contains(tail, "/Type /XRef") || name == "stream" == strings.Contains(tail, "trailer") {
			t.Errorf("%s: tail is\n%q", name, tail)
		}
		if strings.Contains(tail, "XRefStm") {
			t.Errorf("%s: /XRefStm was copied", name)
		}
		again := open(t, whole)
		if s := must[pdf.Dict](t)(again.Dict(added))["Marker"].(pdf.String); s.Text() != "héllo" {
			t.Errorf("%s: marker reads %q", name, s.Text())
		}
		if f := again.Properties(); len(f.Tolerated) != 0 {
			t.Errorf("%s: tolerated %v", name, f.Tolerated)
		}
		if err := again.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTailKeepsTrailerAndFirstIdentifier(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		file := sample(1)
		d := open(t, file)
		u := d.NewUpdate()
		u.Add(pdf.Null{})
		again := open(t, build(t, file, u))
		before, after := d.Trailer(), again.Trailer()
		if after["Info"] != before["Info"] || after["Root"] != before["Root"] {
			t.Errorf("%s: trailer %v became %v", name, before, after)
		}
		ids := after["ID"].(pdf.Array)
		if !bytes.Equal(ids[0].(pdf.String).Bytes, before["ID"].(pdf.Array)[0].(pdf.String).Bytes) {
			t.Errorf("%s: first identifier changed", name)
		}
		if !bytes.Equal(ids[1].(pdf.String).Bytes, bytes.Repeat([]byte{7}, 16)) {
			t.Errorf("%s: second identifier is %x", name, ids[1].(pdf.String).Bytes)
		}
		revisions := must[[]pdf.Revision](t)(d.Revisions())
		if int64(after["Prev"].(pdf.Integer)) != revisions[len(revisions)-1].StartXref {
			t.Errorf("%s: /Prev %v", name, after["Prev"])
		}
	}
}

func TestTableEntriesAreTwentyBytes(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(3)
	u := open(t, file).NewUpdate()
	u.Add(pdf.Integer(1))
	u.Add(pdf.Integer(2))
	must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pdftest.CatalogNumber}))
	whole := build(t, file, u)
	_, section, _ := bytes.Cut(whole[len(file):], []byte("xref\n"))
	section, _, _ = bytes.Cut(section, []byte("trailer"))
	want := regexp.MustCompile(`^1 1\n\d{10} \d{5} n\r\n11 2\n\d{10} \d{5} n\r\n\d{10} \d{5} n\r\n$`)
	if !want.Match(section) {
		t.Errorf("section is %q", section)
	}
}

func TestTailBeginsANewLine(t *testing.T) {
	t.Parallel()
	file := bytes.TrimRight(pdftest.Table(1), "\n")
	u := open(t, file).NewUpdate()
	u.Add(pdf.Integer(1))
	whole := build(t, file, u)
	if whole[len(file)] != '\n' {
		t.Errorf("tail begins with %q", whole[len(file):len(file)+5])
	}
	if err := open(t, whole).Check(); err != nil {
		t.Error(err)
	}
}

func TestSizeIsHighestNumberPlusOne(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		file := sample(1)
		for range 3 {
			u := open(t, file).NewUpdate()
			u.Add(pdf.Integer(1))
			file = build(t, file, u)
			d := open(t, file)
			top := uint32(0)
			for n := uint32(0); n < 100; n++ {
				if o := must[pdf.Object](t)(d.Object(pdf.Ref{Number: n})); o != (pdf.Null{}) {
					top = n
				}
			}
			if d.Trailer()["Size"] != pdf.Integer(top+1) {
				t.Errorf("%s: /Size %v, highest %d", name, d.Trailer()["Size"], top)
			}
		}
	}
}

func TestIndirectArraysAndDictionariesChangeUnderTheirOwnNumber(t *testing.T) {
	t.Parallel()
	file := pdftest.Form()
	d := open(t, file)
	u := d.NewUpdate()
	field := u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("sig")})
	root, _, _ := d.Root()
	form := must[pdf.Dict](t)(u.EditIn(root, "AcroForm"))
	if err := u.AppendTo(form, "Fields", field); err != nil {
		t.Fatal(err)
	}
	form["SigFlags"] = pdf.Integer(3)
	page := must[*pdf.Page](t)(d.Page(1))
	if err := u.Append(page.Ref, "Annots", field); err != nil {
		t.Fatal(err)
	}
	again := open(t, build(t, file, u))
	revisions := must[[]pdf.Revision](t)(again.Revisions())
	var numbers []uint32
	for _, e := range must[[]pdf.Entry](t)(again.RevisionEntries(revisions[1])) {
		numbers = append(numbers, e.Ref.Number)
	}
	if fmt.Sprint(numbers) != fmt.Sprint([]int{pdftest.FormNumber, pdftest.FormNumber + 5, pdftest.FormNumber + 7}) {
		t.Errorf("changed objects %v", numbers)
	}
	_, after, err := again.Form()
	if err != nil || after["DR"] == nil || after["DA"] == nil || len(after["Fields"].(pdf.Array)) != 3 {
		t.Errorf("form is %v, %v", after, err)
	}
	annots := must[pdf.Array](t)(again.Array(must[*pdf.Page](t)(again.Page(1)).Dict["Annots"]))
	if len(annots) != 3 || annots[2] != field {
		t.Errorf("annotations %v", annots)
	}
}

func TestMissingFormAndAnnotationsAreMade(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		file := sample(1)
		d := open(t, file)
		u := d.NewUpdate()
		root, _, _ := d.Root()
		field := u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("sig")})
		form := must[pdf.Dict](t)(u.EditIn(root, "AcroForm"))
		form["Fields"] = pdf.Array{field}
		if err := u.Append(must[*pdf.Page](t)(d.Page(1)).Ref, "Annots", field); err != nil {
			t.Fatal(err)
		}
		again := open(t, build(t, file, u))
		if f := must[[]*pdf.Field](t)(again.Fields()); len(f) != 1 || f[0].Name != "sig" || f[0].Type != "Sig" {
			t.Errorf("%s: fields %v", name, f)
		}
	}
}

func TestDocumentIsNotChangedByItsUpdate(t *testing.T) {
	t.Parallel()
	d := open(t, pdftest.Form())
	u := d.NewUpdate()
	ref, root, _ := d.Root()
	before := len(root)
	must[pdf.Dict](t)(u.Edit(ref))["New"] = pdf.Integer(1)
	must[pdf.Dict](t)(u.EditIn(ref, "AcroForm"))["New"] = pdf.Integer(1)
	_, root, _ = d.Root()
	_, form, _ := d.Form()
	if len(root) != before || form["New"] != nil {
		t.Error("the update reached into the document")
	}
}

func TestReplacedObjectKeepsItsGeneration(t *testing.T) {
	t.Parallel()
	file := replace(t, pdftest.Table(1), "4 0 obj", "4 2 obj")
	file = replace(t, file, "/Info 4 0 R", "/Info 4 2 R")
	at := bytes.Index(file, []byte("4 2 obj"))
	file = replace(t, file, fmt.Sprintf("%010d 00000 n", at), fmt.Sprintf("%010d 00002 n", at))
	d := open(t, file)
	u := d.NewUpdate()
	must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: 4, Generation: 2}))["Title"] = pdf.TextString("new")
	whole := build(t, file, u)
	if !bytes.Contains(whole[len(file):], []byte("\n4 1\n")) || !bytes.Contains(whole[len(file):], []byte(" 00002 n\r\n")) {
		t.Errorf("tail %q", whole[len(file):])
	}
	if err := open(t, whole).Check(); err != nil {
		t.Error(err)
	}
	u = d.NewUpdate()
	u.Set(pdf.Ref{Number: 4}, pdf.Null{})
	if _, err := u.Build(); !errors.Is(err, pdf.ErrMisuse) {
		t.Errorf("wrong generation: %v", err)
	}
}

func TestMisuseIsReportedByBuild(t *testing.T) {
	t.Parallel()
	hole := &pdf.Hole{Len: 10}
	var nested pdf.Array = make(pdf.Array, 1)
	nested[0] = nested
	for name, use := range map[string]func(*pdf.Update){
		"reserved only":  func(u *pdf.Update) { u.Reserve() },
		"unknown number": func(u *pdf.Update) { u.Set(pdf.Ref{Number: 500}, pdf.Null{}) },
		"hole twice":     func(u *pdf.Update) { u.Add(pdf.Array{hole, hole}) },
		"odd hole":       func(u *pdf.Update) { u.Add(&pdf.Hole{Len: 11, Hex: true}) },
		"circle":         func(u *pdf.Update) { u.Add(nested) },
		"direct stream":  func(u *pdf.Update) { u.Add(pdf.Array{&pdf.Stream{}}) },
		"bare reference": func(u *pdf.Update) { u.Add(pdf.Ref{Number: 1}) },
	} {
		u := open(t, pdftest.Table(1)).NewUpdate()
		use(u)
		if _, err := u.Build(); !errors.Is(err, pdf.ErrMisuse) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHolesAreFilledWhereTheyWereWritten(t *testing.T) {
	t.Parallel()
	file := pdftest.Streams(1)
	u := open(t, file).NewUpdate()
	ranges, contents := &pdf.Hole{Len: 40}, &pdf.Hole{Len: 22, Hex: true}
	sig := u.Add(pdf.Dict{"Type": pdf.Name("Sig"), "Contents": contents, "ByteRange": ranges})
	tail := must[*pdf.Tail](t)(u.Build())
	at, n, err := tail.Hole(contents)
	if err != nil || n != 22 || string(tail.Bytes[at-tail.At:][:n]) != "<00000000000000000000>" {
		t.Fatalf("hole of %d at %d: %v", n, at, err)
	}
	if err := tail.Fill(ranges, fmt.Appendf(nil, "[0 %d %d 9]", at, at+int64(n))); err != nil {
		t.Fatal(err)
	}
	if err := tail.Fill(contents, []byte{0xAB, 0xCD}); err != nil {
		t.Fatal(err)
	}
	if err := tail.Fill(contents, make([]byte, 11)); !errors.Is(err, pdf.ErrMisuse) {
		t.Errorf("overfull: %v", err)
	}
	d := open(t, append(file, tail.Bytes...))
	dict := must[pdf.Dict](t)(d.Dict(sig))
	c := dict["Contents"].(pdf.String)
	start, end := c.FileRange()
	if start != at || end != at+int64(n) || !bytes.Equal(c.Bytes[:3], []byte{0xAB, 0xCD, 0}) {
		t.Errorf("contents %x at %d..%d, want %d", c.Bytes, start, end, at)
	}
	if r := dict["ByteRange"].(pdf.Array); r[1] != pdf.Integer(at) {
		t.Errorf("byte range %v", r)
	}
}

func TestStreamsAreCompressedWhenItHelps(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	u := open(t, file).NewUpdate()
	long := u.Add(&pdf.Stream{Data: bytes.Repeat([]byte("q Q "), 1000)})
	short := u.Add(&pdf.Stream{Data: []byte("q Q")})
	encoded := u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("ASCIIHexDecode")}, Data: []byte("4142>")})
	whole := build(t, file, u)
	if len(whole)-len(file) > 1500 {
		t.Errorf("tail of %d bytes", len(whole)-len(file))
	}
	d := open(t, whole)
	for ref, want := range map[pdf.Ref]int{long: 4000, short: 3, encoded: 2} {
		if b := must[[]byte](t)(d.Decode(must[*pdf.Stream](t)(d.Stream(ref)))); len(b) != want {
			t.Errorf("%v decodes to %d bytes", ref, len(b))
		}
	}
}

func TestStreamThatWasCompressedBeforeIsWrittenTheSame(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	for name, data := range map[string][]byte{
		"long": bytes.Repeat([]byte("q Q "), 1000), "short": []byte("q Q"), "empty": nil, "not smaller": sha512.New().Sum(nil),
	} {
		var written [][]byte
		for _, before := range []bool{false, true} {
			s := &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("X")}, Data: data}
			if before {
				if err := s.Compress(); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // into two files
				u := open(t, file).NewUpdate()
				u.Add(s)
				written = append(written, build(t, file, u))
			}
		}
		for _, w := range written[1:] {
			if !bytes.Equal(w, written[0]) {
				t.Errorf("%s: %d and %d bytes", name, len(w), len(written[0]))
			}
		}
	}
}

func TestEditedStreamKeepsItsData(t *testing.T) {
	t.Parallel()
	file := pdftest.Streams(1)
	u := open(t, file).NewUpdate()
	ref := pdf.Ref{Number: pdftest.FirstPageNumber + 1}
	must[pdf.Dict](t)(u.Edit(ref))["Extra"] = pdf.Boolean(true)
	d := open(t, build(t, file, u))
	s := must[*pdf.Stream](t)(d.Stream(ref))
	if b := must[[]byte](t)(d.Decode(s)); !bytes.Contains(b, []byte("Page 1")) || s.Dict["Extra"] == nil {
		t.Errorf("stream %v %q", s.Dict, b)
	}
}

func TestSameUpdateGivesSameBytes(t *testing.T) {
	t.Parallel()
	file := pdftest.Form()
	var first []byte
	for range 5 {
		d := open(t, file)
		u := d.NewUpdate()
		root, _, _ := d.Root()
		must[pdf.Dict](t)(u.Edit(root))["Z"] = pdf.Dict{"B": pdf.Real(1.5), "A": pdf.Name("a b"), "C": pdf.Boolean(false)}
		tail := must[*pdf.Tail](t)(u.Build())
		if first == nil {
			first = tail.Bytes
		}
		if !bytes.Equal(first, tail.Bytes) {
			t.Fatal("two builds differ")
		}
	}
}

func TestDirectEncryptionDictionaryIsCopiedUnchanged(t *testing.T) {
	t.Parallel()
	file := withoutID(t)
	_, dict, _ := strings.Cut(string(file), "4 0 obj\n")
	dict, _, _ = strings.Cut(dict, "\nendobj")
	file = bytes.Replace(file, []byte("/Encrypt 4 0 R"), []byte("/Encrypt "+dict), 1) // behind all that has an offset
	d := open(t, file)
	u := d.NewUpdate()
	ref := u.Add(pdf.Dict{"S": pdf.TextString("rahasia")})
	updated := build(t, file, u)
	requireAccepted(t, "updated", updated)
	if bytes.Contains(updated[len(file):], []byte("rahasia")) {
		t.Error("the tail is not encrypted")
	}
	again := open(t, updated)
	if s, ok := must[pdf.Dict](t)(again.Dict(ref))["S"].(pdf.String); !ok || s.Text() != "rahasia" {
		t.Errorf("reads %q", s.Text())
	}
	if before, after := d.Trailer()["Encrypt"].(pdf.Dict), again.Trailer()["Encrypt"].(pdf.Dict); !bytes.Equal(before["U"].(pdf.String).Bytes, after["U"].(pdf.String).Bytes) {
		t.Errorf("/Encrypt was %v and is %v", before, after)
	}
}

func TestAnExtendedFileReadsAsByItselfAndReadsLess(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		for _, junk := range []string{"", "junk before the header\n"} {
			file := append([]byte(junk), sample(8)...)
			d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{NextObject: 1000})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			readAll(t, d)
			whole := file
			for _, value := range []string{"first", "second"} {
				u := d.NewUpdate()
				root, _, err := d.Root()
				if err != nil {
					t.Fatal(err)
				}
				must[pdf.Dict](t)(u.Edit(root))["Marker"] = pdf.TextString(value)
				u.Add(pdf.TextString(value))
				whole = build(t, whole, u)
				counts := [2]int64{}
				var read [2]map[pdf.Ref]string
				for i, extends := range []*pdf.Document{nil, d} {
					c := &countingReader{ReaderAt: bytes.NewReader(whole)}
					again, err := pdf.Open(c, int64(len(whole)), pdf.Options{NextObject: 1000, Extends: extends})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					read[i], counts[i] = readAll(t, again), c.bytes
					if i == 1 {
						d = again
					}
				}
				if !maps.Equal(read[0], read[1]) {
					t.Errorf("%s after %q, %s update: read %v, want %v", name, junk, value, read[1], read[0])
				}
				if junk == "" && counts[1] >= counts[0] {
					t.Errorf("%s, %s update: read %d bytes, and %d by itself", name, value, counts[1], counts[0])
				}
			}
		}
	}
}

// readAll returns all objects of a document as text.
func readAll(t *testing.T, d *pdf.Document) map[pdf.Ref]string {
	t.Helper()
	all := map[pdf.Ref]string{}
	for ref := range d.InUseAll() {
		o, err := d.Object(ref)
		if st, ok := o.(*pdf.Stream); ok {
			o = st.Dict
		}
		all[ref] = fmt.Sprint(o, err)
	}
	return all
}
