package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestBoxesFollowThePageAsDisplayed(t *testing.T) {
	t.Parallel()
	d := open(t, pdftest.Rotated())
	// A box of 20 by 10 whose lower left corner is (30, 40) as displayed. The
	// crop box is 400 by 700 at (100, 50).
	box := pdf.Rect{LLX: 30, LLY: 40, URX: 50, URY: 50}
	want := map[int]pdf.Rect{
		0:   {LLX: 130, LLY: 90, URX: 150, URY: 100},
		90:  {LLX: 450, LLY: 80, URX: 460, URY: 100},
		180: {LLX: 450, LLY: 700, URX: 470, URY: 710},
		270: {LLX: 140, LLY: 700, URX: 150, URY: 720},
	}
	for n := 1; n <= 4; n++ {
		p := must[*pdf.Page](t)(d.Page(n))
		if got := p.ToUser(box); got != want[p.Rotate] {
			t.Errorf("rotated by %d: %v, want %v", p.Rotate, got, want[p.Rotate])
		}
		if back := p.FromUser(p.ToUser(box)); back != box {
			t.Errorf("rotated by %d: back to %v", p.Rotate, back)
		}
		w, h := p.DisplayedSize()
		if p.Rotate%180 != 0 {
			w, h = h, w
		}
		if w != 400 || h != 700 {
			t.Errorf("rotated by %d: displayed %v by %v", p.Rotate, w, h)
		}
	}
}

func TestUserUnitScalesTheDisplayedPage(t *testing.T) {
	t.Parallel()
	d := open(t, pdftest.Pages(pdftest.Page{MediaBox: [4]float64{0, 0, 100, 100}, Rotate: -90, Entries: "/UserUnit 2"}))
	p := must[*pdf.Page](t)(d.Page(1))
	if w, h := p.DisplayedSize(); w != 200 || h != 200 || p.Rotate != 270 {
		t.Errorf("%v by %v, turned by %d", w, h, p.Rotate)
	}
	if got := p.ToUser(pdf.Rect{URX: 20, URY: 10}); math.Abs(got.Width()-5) > 1e-9 || math.Abs(got.Height()-10) > 1e-9 {
		t.Errorf("box %v", got)
	}
}

func TestPagesAreFoundThroughNestedTrees(t *testing.T) {
	t.Parallel()
	d := open(t, nestedPages("2", "3"))
	if n := must[int](t)(d.PageCount()); n != 3 {
		t.Errorf("%d pages", n)
	}
	for n, want := range []uint32{4, 6, 7} {
		p := must[*pdf.Page](t)(d.Page(n + 1))
		if p.Ref.Number != want || p.Rotate != 90 || p.MediaBox.URX != 300 {
			t.Errorf("page %d is %+v", n+1, p)
		}
	}
	if _, err := d.Page(4); !errors.Is(err, pdf.ErrMisuse) {
		t.Errorf("page 4: %v", err)
	}
}

func TestWrongCountsAreDetected(t *testing.T) {
	t.Parallel()
	for _, counts := range [][2]string{{"9", "3"}, {"0", "3"}, {"2", "1"}} {
		d := open(t, nestedPages(counts[0], counts[1]))
		if n := must[int](t)(d.PageCount()); n != 3 {
			t.Errorf("%v: %d pages", counts, n)
		}
		if p := must[*pdf.Page](t)(d.Page(3)); p.Ref.Number != 7 {
			t.Errorf("%v: page 3 is %v", counts, p.Ref)
		}
		if err := d.Check(); !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%v: check says %v", counts, err)
		}
	}
}

func TestCircularPageTreeIsDamage(t *testing.T) {
	t.Parallel()
	d := open(t, replace(t, nestedPages("2", "3"), "[6 0 R 7 0 R]", "[6 0 R 2 0 R]"))
	if _, err := d.PageCount(); !errors.Is(err, pdf.ErrDamaged) {
		t.Errorf("count: %v", err)
	}
}

// nestedPages is a file whose page 1 is object 4, and whose pages 6 and 7 are
// below node 5; the nodes state the given counts.
func nestedPages(inner, outer string) []byte {
	return assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [4 0 R 5 0 R] /Count %s /Rotate 90 /MediaBox [0 0 300 300] >>", outer),
		"null",
		"<< /Type /Page /Parent 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Parent 2 0 R /Kids [6 0 R 7 0 R] /Count %s >>", inner),
		"<< /Type /Page /Parent 5 0 R >>",
		"<< /Type /Page /Parent 5 0 R >>",
	)
}

// assemble is a file of the given objects, numbered from 1, with a table.
func assemble(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, a := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", a)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

func TestFieldsHaveFullNamesAndInheritedTypes(t *testing.T) {
	t.Parallel()
	fields := must[[]*pdf.Field](t)(open(t, pdftest.Form()).Fields())
	if len(fields) != 2 {
		t.Fatalf("%d fields", len(fields))
	}
	name, agree := fields[0], fields[1]
	if name.Name != "name" || name.Type != "Tx" || len(name.Widgets) != 1 || name.Widgets[0].Ref != name.Ref {
		t.Errorf("field %+v", name)
	}
	if v := name.Value.(pdf.String); v.Text() != "Siti" {
		t.Errorf("value %q", v.Text())
	}
	if agree.Name != "group.agree" || agree.Type != "Btn" || len(agree.Widgets) != 1 ||
		agree.Widgets[0].Ref.Number != pdftest.FormNumber+4 || agree.Parent.Number != pdftest.FormNumber+2 {
		t.Errorf("field %+v", agree)
	}
}

func TestCircularFormEnds(t *testing.T) {
	t.Parallel()
	d := open(t, assemble(
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [3 0 R 3 0 R] >> >>",
		"<< /Type /Pages /Kids [] /Count 0 >>",
		"<< /T (a) /Kids [4 0 R] >>",
		"<< /T (b) /Kids [3 0 R] >>",
	))
	must[[]*pdf.Field](t)(d.Fields())
}

func TestSignatureHasTheOffsetsOfItsContents(t *testing.T) {
	t.Parallel()
	file := assemble(
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [3 0 R] /SigFlags 3 >> /Perms << /DocMDP 4 0 R >> >>",
		"<< /Type /Pages /Kids [] /Count 0 >>",
		"<< /FT /Sig /T (s) /V 4 0 R >>",
		"<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 10 20 5000000000] /Contents <0A0B> "+
			"/Reference [<< /TransformMethod /DocMDP /TransformParams << /P 1 >> >>] >>",
	)
	d := open(t, file)
	all := must[[]*pdf.Signature](t)(d.Signatures())
	if len(all) != 1 {
		t.Fatalf("%d signatures", len(all))
	}
	s := all[0]
	if !slices.Equal(s.ByteRange, []int64{0, 10, 20, 5_000_000_000}) || s.SubFilter != "ETSI.CAdES.detached" {
		t.Errorf("signature %+v", s)
	}
	if got := string(file[s.ContentsAt:s.ContentsEnd]); got != "<0A0B>" {
		t.Errorf("contents span %q", got)
	}
	if d.Properties().DocMDP != 1 {
		t.Errorf("facts %+v", d.Properties())
	}
}

func TestActiveContentIsNamed(t *testing.T) {
	t.Parallel()
	found := must[[]pdf.ActiveContent](t)(open(t, pdftest.Active()).ActiveContent())
	var reasons []string
	for _, a := range found {
		reasons = append(reasons, string(a.Reason))
	}
	slices.Sort(reasons)
	want := []string{"additional_actions", "file_uri", "goto_remote", "javascript", "launch", "open_action"}
	if got := slices.Compact(reasons); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	for name, sample := range styles {
		if found := must[[]pdf.ActiveContent](t)(open(t, sample(2)).ActiveContent()); len(found) != 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

// TestActiveContentIsThatOfTheMembersThatEntriesLeadTo reads object streams that have a number twice, before and after another question has parsed them.
func TestActiveContentIsThatOfTheMembersThatEntriesLeadTo(t *testing.T) {
	t.Parallel()
	for _, parsed := range []bool{false, true} {
		d := open(t, pdftest.ActiveStreams())
		if parsed {
			must[uint32](t)(d.NextObject())
		}
		var found []string
		for _, a := range must[[]pdf.ActiveContent](t)(d.ActiveContent()) {
			found = append(found, fmt.Sprintf("%d %s", a.Ref.Number, a.Reason))
		}
		if want := []string{"101 launch", "102 goto_remote"}; !slices.Equal(found, want) {
			t.Errorf("parsed before: %v: found %q, want %q", parsed, found, want)
		}
	}
}

func TestOneReasonDoesNotCrowdOutAnother(t *testing.T) {
	t.Parallel()
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"}
	for range 1500 {
		objects = append(objects, "<< /S /URI /URI (file:///x) >>")
	}
	objects = append(objects, "<< /S /Launch /F (x) >>")
	found := must[[]pdf.ActiveContent](t)(open(t, assemble(objects...)).ActiveContent())
	if len(found) > 200 || !slices.ContainsFunc(found, func(a pdf.ActiveContent) bool { return a.Reason == pdf.ActiveLaunch }) {
		t.Errorf("%d found, the last is %+v", len(found), found[len(found)-1])
	}
}

func TestOnlyFileSpecificationsMakeAStreamExternal(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]bool{
		"/F (other.bin)": true, "/F << /Type /Filespec /F (other.bin) >>": true, "/F 4 0 R": true, "/F /FlateDecode": false, "/F [/FlateDecode]": false, "": false,
	} {
		d := open(t, assemble(
			"<< /Type /Catalog /Pages 2 0 R /Metadata 3 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>",
			"<< "+entry+" /Length 0 >>\nstream\n\nendstream", "(other.bin)",
		))
		found := must[[]pdf.ActiveContent](t)(d.ActiveContent())
		if got := slices.ContainsFunc(found, func(a pdf.ActiveContent) bool { return a.Reason == pdf.ActiveExternalStream }); got != want {
			t.Errorf("%q: external %v", entry, got)
		}
	}
}

func TestReachableIsWhatTheTrailerLeadsTo(t *testing.T) {
	t.Parallel()
	d := open(t, assemble("<< /Type /Catalog /Pages 2 0 R /X [4 0 R] >>", "<< /Type /Pages /Kids [] /Count 0 >>", "(nothing leads here)", "<< /Y 5 0 R >>", "(far)"))
	reachable := must[func(uint32) bool](t)(d.Reachable())
	for number, want := range map[uint32]bool{1: true, 2: true, 3: false, 4: true, 5: true, 99: false} {
		if reachable(number) != want {
			t.Errorf("object %d: %v", number, !want)
		}
	}
}

func TestPDFAClaimIsRead(t *testing.T) {
	t.Parallel()
	xmp := "<rdf:Description><pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description>"
	d := open(t, assemble(
		"<< /Type /Catalog /Version /2.0 /Pages 2 0 R /Metadata 3 0 R /MarkInfo << /Marked true >> >>",
		"<< /Type /Pages /Kids [] /Count 0 >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(xmp), xmp),
	))
	if f := d.Properties(); f.PDFA != "2b" || !f.Tagged || f.Version != "2.0" || f.HeaderVersion != "1.7" {
		t.Errorf("facts %+v", f)
	}
}
