package facts_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// rawLook is an appearance of 100 by 100 units, whatever the frame.
type rawLook struct {
	content   string
	resources func(u *pdf.Update) pdf.Dict
	form      pdf.Dict
}

func (l rawLook) Form(u *pdf.Update, _ appearance.Frame) (pdf.Ref, error) {
	dict := pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 100, URY: 100}.Array(), "Resources": pdf.Dict{}}
	if l.resources != nil {
		dict["Resources"] = l.resources(u)
	}
	for k, v := range l.form {
		dict[k] = v
	}
	return u.Add(&pdf.Stream{Dict: dict, Data: []byte(l.content)}), nil
}

// Looks of another contract, opaque in different ways.
const (
	otherContract = " 0 g BT /F 4 Tf 10 70 Td (Harga seluruhnya sembilan ratus juta rupiah) Tj ET"
	whole         = "100 0 0 100 0 0 cm /I Do"
)

func helvetica(more pdf.Dict) func(*pdf.Update) pdf.Dict {
	return func(*pdf.Update) pdf.Dict {
		r := pdf.Dict{"Font": pdf.Dict{"F": pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica")}}}
		for k, v := range more {
			r[k] = v
		}
		return r
	}
}

// whitePicture is an image of white pixels, with entries that may name a mask.
func whitePicture(entries func(u *pdf.Update) pdf.Dict) func(*pdf.Update) pdf.Dict {
	return func(u *pdf.Update) pdf.Dict {
		d := pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8), "ColorSpace": pdf.Name("DeviceRGB"),
		}
		if entries != nil {
			for k, v := range entries(u) {
				d[k] = v
			}
		}
		r := helvetica(nil)(u)
		r["XObject"] = pdf.Dict{"I": u.Add(&pdf.Stream{Dict: d, Data: bytes.Repeat([]byte{255}, 300)})}
		return r
	}
}

func softMask(value byte) func(u *pdf.Update) pdf.Dict {
	return func(u *pdf.Update) pdf.Dict {
		return pdf.Dict{"SMask": u.Add(&pdf.Stream{Data: bytes.Repeat([]byte{value}, 100), Dict: pdf.Dict{
			"Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8), "ColorSpace": pdf.Name("DeviceGray"),
		}})}
	}
}

func mode(name string, fill string) rawLook {
	return rawLook{content: "/G gs " + fill + " 0 0 100 100 re f", resources: func(*pdf.Update) pdf.Dict {
		return pdf.Dict{"ExtGState": pdf.Dict{"G": pdf.Dict{"BM": pdf.Name(name)}}}
	}}
}

var (
	whiteImage = rawLook{content: whole, resources: whitePicture(nil)}
	whitePaint = rawLook{content: "1 g 0 0 100 100 re f" + otherContract, resources: helvetica(nil)}
)

// contract is a page of 600 by 800 points with two lines of text, near its top and in its middle.
const contract = "BT /F1 12 Tf 72 720 Td (Harga seluruhnya seribu rupiah) Tj 0 -320 Td (dibayar paling lambat akhir tahun) Tj ET"

// agreement is a page with that content, on which A signs in a field of its own after the others were added.
func agreement(t testing.TB, content string, edit func(u *pdf.Update, page pdf.Dict), more ...pades.FieldSpec) *testFile {
	t.Helper()
	return on(t, pdftest.Table(1)).update(func(_ *pdf.Document, u *pdf.Update) {
		u.Set(pdf.Ref{Number: contents}, &pdf.Stream{Dict: pdf.Dict{}, Data: []byte(content)})
		dict := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: paintedPage}))
		dict["MediaBox"] = pdf.Rect{URX: 600, URY: 800}.Array()
		if edit != nil {
			edit(u, dict)
		}
	}).fields(append([]pades.FieldSpec{{Name: "A", Page: 1, Rect: pdf.Rect{LLX: 400, LLY: 20, URX: 500, URY: 60}}}, more...)...).sign("A", shown)
}

// signIn signs in a new field.
func (p *testFile) signIn(name string, box pdf.Rect, look pades.Appearance) *testFile {
	p.t.Helper()
	return p.sign("", func(o *pades.Options) {
		o.NewField, o.Appearance = &pades.FieldSpec{Name: name, Page: 1, Rect: box}, look
	})
}

// readLimited reads with the limit of a quarter of the page.
func readLimited(t testing.TB, b []byte) *facts.File {
	t.Helper()
	return must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{MarkArea: 0.25}))
}

// hidesSigned reports whether something behind the first signature was denied for what it hides, and demands that
// nothing was denied for another reason.
func hidesSigned(t testing.TB, f *facts.File) bool {
	t.Helper()
	denied := troubles(f.Signatures[0])
	for _, code := range denied {
		if code != string(diff.CodeHidesSigned) {
			t.Errorf("denied for another reason: %s", summary(f))
		}
	}
	return len(denied) > 0
}

func over(llx, lly, urx, ury float64) pdf.Rect {
	return pdf.Rect{LLX: llx, LLY: lly, URX: urx, URY: ury}
}

func TestASignerCannotReplaceWhatOthersSigned(t *testing.T) {
	t.Parallel()
	page := over(0, 0, 600, 800)
	tiles := func(n int, look pades.Appearance) ([]pades.FieldSpec, map[string]pades.Appearance) {
		var fields []pades.FieldSpec
		marks := map[string]pades.Appearance{}
		for i := range n {
			name, high := fmt.Sprintf("M%d", i), 800/float64(n)
			fields = append(fields, pades.FieldSpec{Name: name, Page: 1, Mark: true, Rect: over(0, float64(i)*high, 600, float64(i+1)*high)})
			marks[name] = look
		}
		return fields, marks
	}
	marked := func(t *testing.T, fields []pades.FieldSpec, marks map[string]pades.Appearance) []byte {
		b := pades.FieldSpec{Name: "B", Page: 1, Rect: over(20, 20, 100, 60)}
		return agreement(t, contract, nil, append(fields, b)...).sign("B", shown, func(o *pades.Options) { o.Marks = marks }).b
	}
	tenFields, tenMarks := tiles(10, whitePaint)
	oneField, oneMark := tiles(1, whiteImage)
	prepared := pades.FieldSpec{Name: "B", Page: 1, Rect: page}
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"initials of the whole page, an opaque picture", marked(t, oneField, oneMark)},
		{"ten initials that tile the page", marked(t, tenFields, tenMarks)},
		{"a signature of the whole page with a white picture", agreement(t, contract, nil).signIn("B", page, whiteImage).b},
		{"a field of the whole page that waited", agreement(t, contract, nil, prepared).sign("B", func(o *pades.Options) { o.Appearance = whiteImage }).b},
		{"a form in the place of a picture", agreement(t, contract, nil).signIn("B", page, rawLook{content: "/I Do", resources: func(u *pdf.Update) pdf.Dict {
			return pdf.Dict{"XObject": pdf.Dict{"I": u.Add(&pdf.Stream{Data: []byte("1 g 0 0 m 100 0 l 100 100 l 0 100 l f"), Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": over(0, 0, 100, 100).Array()}})}}
		}}).b},
		{"a picture with a soft mask of 1", agreement(t, contract, nil).signIn("B", page, rawLook{content: whole, resources: whitePicture(softMask(255))}).b},
		{"a picture with a soft mask of 0.9", agreement(t, contract, nil).signIn("B", page, rawLook{content: whole, resources: whitePicture(softMask(230))}).b},
		{"white that lightens", agreement(t, contract, nil).signIn("B", page, mode("Lighten", "1 g")).b},
		{"white by screen", agreement(t, contract, nil).signIn("B", page, mode("Screen", "1 1 1 rg")).b},
		{"grey that differs", agreement(t, contract, nil).signIn("B", page, mode("Difference", ".5 g")).b},
		{"black that multiplies", agreement(t, contract, nil).signIn("B", page, mode("Multiply", "0 g")).b},
		{"a line as wide as the page", agreement(t, contract, nil).signIn("B", page, rawLook{content: "1 G 100 w 0 50 m 100 50 l S"}).b},
		{"letters as large as the page", agreement(t, contract, nil).signIn("B", page, rawLook{content: "1 g BT /F 130 Tf 0 25 Td (MM) Tj ET", resources: helvetica(nil)}).b},
		{"half of the page over one of the lines", agreement(t, contract, nil).signIn("B", over(0, 500, 600, 800), whitePaint).b},
		{"three quarters of a page by three signers", agreement(t, contract, nil).signIn("B", over(0, 0, 600, 200), whitePaint).signIn("C", over(0, 200, 600, 400), whitePaint).signIn("D", over(0, 400, 600, 600), whitePaint).b},
		{"a box that leaves the page on all sides", agreement(t, contract, nil).signIn("B", over(-3000, -3000, 3000, 3000), whitePaint).b},
		{"a turned page", agreement(t, contract, func(_ *pdf.Update, page pdf.Dict) { page["Rotate"] = pdf.Integer(90) }).signIn("B", over(0, 380, 600, 800), whitePaint).b},
		{"a page of another unit, cropped", agreement(t, contract, func(_ *pdf.Update, page pdf.Dict) {
			page["UserUnit"], page["CropBox"] = pdf.Real(3), over(50, 600, 500, 790).Array()
		}).signIn("B", over(50, 680, 500, 740), whitePaint).b},
		{"a large appearance in a form with a matrix", agreement(t, contract, nil).signIn("B", over(0, 350, 600, 800), rawLook{
			content: "1 g -1000 -1000 2000 2000 re f", form: pdf.Dict{"BBox": over(-500, -500, 500, 500).Array(), "Matrix": pdf.Array{pdf.Integer(0), pdf.Integer(2), pdf.Integer(-2), pdf.Integer(0), pdf.Integer(0), pdf.Integer(0)}},
		}).b},
		{"a scanned page", agreement(t, "q 600 0 0 800 0 0 cm /S Do Q", func(u *pdf.Update, page pdf.Dict) { page["Resources"] = scanned(u) }).signIn("B", over(0, 500, 600, 800), whitePaint).b},
		{"a scan in strips", agreement(t, func() string {
			s := ""
			for i := range 40 {
				s += fmt.Sprintf("q 600 0 0 20 0 %d cm /S Do Q ", i*20)
			}
			return s
		}(), func(u *pdf.Update, page pdf.Dict) { page["Resources"] = scanned(u) }).signIn("B", over(0, 500, 600, 800), whitePaint).b},
		{"letters drawn as paths", agreement(t, strings.Repeat("72 720 m 76 732 l 80 720 l f 82 720 m 86 732 l 90 720 l f ", 10), nil).signIn("B", over(0, 500, 600, 800), whitePaint).b},
		{"content that cannot be decoded", agreement(t, contract, func(u *pdf.Update, page pdf.Dict) {
			page["Contents"] = pdf.Array{pdf.Ref{Number: contents}, u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("CCITTFaxDecode")}, Data: []byte("x")})}
		}).signIn("B", over(0, 0, 600, 350), whitePaint).b},
	} {
		if !hidesSigned(t, readLimited(t, c.b)) {
			t.Errorf("%s: nothing was denied", c.name)
		}
		if hidesSigned(t, runSteps(t, c.b)) {
			t.Errorf("%s: denied without a limit", c.name)
		}
	}
}

// scanned are resources with the picture of a page, S.
func scanned(u *pdf.Update) pdf.Dict {
	return pdf.Dict{"XObject": pdf.Dict{"S": u.Add(&pdf.Stream{Data: []byte{200}, Dict: pdf.Dict{
		"Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1), "BitsPerComponent": pdf.Integer(8), "ColorSpace": pdf.Name("DeviceGray"),
	}})}}
}

func TestASignerCannotHideTheSignatureOfAnother(t *testing.T) {
	t.Parallel()
	card := appearance.Signature(appearance.SignatureText{Name: "Budi Santoso", Reason: "Menyetujui"}, 200, 80)
	p := agreement(t, "", nil).signIn("B", over(50, 300, 250, 380), card)
	f := readLimited(t, on(t, p.b).signIn("C", over(0, 200, 400, 700), whitePaint).b)
	if !hidesSigned(t, f) {
		t.Error("a large mark over a signature was allowed")
	}
	f = readLimited(t, on(t, p.b).signIn("C", over(60, 310, 260, 360), whitePaint).b)
	if hidesSigned(t, f) || !slices.Contains(notes(f), diff.OverlapsSignature) {
		t.Errorf("a small mark over a signature: %s", summary(f))
	}
}

func TestUsualMarksAreNotDenied(t *testing.T) {
	t.Parallel()
	card := func(w, h float64) pades.Appearance {
		return appearance.Signature(appearance.SignatureText{Name: "Budi Santoso, S.H.", Reason: "Menyetujui isi dokumen ini", QR: "https://segel.example/verify"}, w, h)
	}
	upper := over(50, 500, 550, 790) // 30 % of the page, over a line
	for _, c := range []struct {
		name string
		b    []byte
		want []diff.Note // expected notes; nil: none about what it covers
	}{
		{"our card over a line", agreement(t, contract, nil).signIn("B", over(60, 690, 260, 750), card(200, 60)).b, []diff.Note{diff.OverlapsText}},
		{"our card, larger than a quarter of the page, over a line", agreement(t, contract, nil).signIn("B", upper, appearance.Signature(appearance.SignatureText{Name: "Budi"}, 500, 290)).b, []diff.Note{diff.OverlapsText}},
		{"a seal on white, over a line", agreement(t, contract, nil).signIn("B", over(60, 650, 260, 750), whiteImage).b, []diff.Note{diff.OverlapsText}},
		{"a mark just under the limit over the amount", agreement(t, contract, nil).signIn("B", over(50, 560, 550, 790), whitePaint).b, []diff.Note{diff.OverlapsText}},
		{"a large opaque card where nothing stands", agreement(t, contract, nil).signIn("B", over(0, 60, 600, 390), whitePaint).b, nil},
		{"a large opaque card over a line to sign on", agreement(t, "BT /F1 12 Tf 72 200 Td (..............................) Tj 0 -20 Td (______________) Tj ET", nil).signIn("B", over(0, 60, 600, 390), whitePaint).b, []diff.Note{diff.OverlapsText}},
		{"a large picture with a transparent ground", agreement(t, contract, nil).signIn("B", upper, rawLook{content: whole, resources: whitePicture(softMask(20))}).b, []diff.Note{diff.OverlapsText}},
		{"a large seal that multiplies on white", agreement(t, contract, nil).signIn("B", upper, rawLook{content: "/G gs " + whole, resources: func(u *pdf.Update) pdf.Dict {
			r := whitePicture(nil)(u)
			r["ExtGState"] = pdf.Dict{"G": pdf.Dict{"BM": pdf.Name("Multiply")}}
			return r
		}}).b, []diff.Note{diff.OverlapsText}},
		{"a large frame with text within", agreement(t, contract, nil).signIn("B", upper, rawLook{content: "0 0 1 RG 1 w 1 1 98 98 re S BT /F 5 Tf 10 50 Td (Digitally signed by Budi Santoso) Tj ET", resources: helvetica(nil)}).b, []diff.Note{diff.OverlapsText}},
		{"a large pale logo behind text", agreement(t, contract, nil).signIn("B", upper, rawLook{content: "/G gs 1 .9 .9 rg 20 10 m 50 90 l 80 10 l f 0 g BT /F 5 Tf 10 50 Td (Digitally signed by Budi Santoso) Tj ET", resources: helvetica(pdf.Dict{"ExtGState": pdf.Dict{"G": pdf.Dict{"ca": pdf.Real(.3)}}})}).b, []diff.Note{diff.OverlapsText}},
		{"a logo in a large mark beside the line", agreement(t, contract, nil).signIn("B", upper, rawLook{content: "1 .6 .6 rg 70 10 20 30 re f"}).b, []diff.Note{diff.OverlapsText}},
		{"a box that leaves the page, a little of it on it", agreement(t, contract, nil).signIn("B", over(60, 700, 200, 5000), whitePaint).b, []diff.Note{diff.OverlapsText}},
		{"a box beside the page", agreement(t, contract, nil).signIn("B", over(700, 0, 1500, 800), whitePaint).b, nil},
		{"a box beside the crop box, over a line that is not shown", agreement(t, contract, func(_ *pdf.Update, page pdf.Dict) { page["CropBox"] = over(300, 0, 600, 300).Array() }).signIn("B", over(0, 310, 600, 800), whitePaint).b, nil},
		{"an appearance of a thousand points in a small box", agreement(t, contract, nil).signIn("B", over(60, 700, 200, 740), rawLook{
			content: "1 g -1000 -1000 2000 2000 re f", form: pdf.Dict{"BBox": over(-500, -500, 500, 500).Array(), "Matrix": pdf.Array{pdf.Integer(9), pdf.Integer(0), pdf.Integer(0), pdf.Integer(9), pdf.Integer(-500), pdf.Integer(-500)}},
		}).b, []diff.Note{diff.OverlapsText}},
		{"two signers with a quarter each", agreement(t, contract, nil).signIn("B", over(0, 600, 600, 800), whitePaint).signIn("C", over(0, 350, 600, 550), whitePaint).b, []diff.Note{diff.OverlapsText}},
		{"a small logo under a large card", agreement(t, "q 60 0 0 40 100 600 cm /S Do Q", func(u *pdf.Update, page pdf.Dict) { page["Resources"] = scanned(u) }).signIn("B", upper, whitePaint).b, []diff.Note{diff.OverlapsPicture}},
		{"a large card on a background", agreement(t, ".9 g 0 0 600 800 re f", nil).signIn("B", upper, whitePaint).b, []diff.Note{diff.OverlapsPicture}},
	} {
		f := readLimited(t, c.b)
		if hidesSigned(t, f) {
			t.Errorf("%s: %s", c.name, summary(f))
		}
		all := notes(f)
		covering := slices.DeleteFunc(slices.Clone(all), func(n diff.Note) bool { return !slices.Contains(diff.Covering, n) })
		for _, n := range c.want {
			if !slices.Contains(all, n) {
				t.Errorf("%s: noted %v, want %v", c.name, all, n)
			}
		}
		if c.want == nil && len(covering) > 0 {
			t.Errorf("%s: noted %v", c.name, covering)
		}
	}
}

func TestAMarkWhosePictureWasReplacedInPlaceCountsToo(t *testing.T) {
	t.Parallel()
	// The field's appearance is an object of the signed state, which the revision that signs writes anew.
	p := agreement(t, contract, nil, pades.FieldSpec{Name: "B", Page: 1, Rect: over(0, 0, 600, 800)})
	d := p.open()
	var look pdf.Ref
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		if f.Name == "B" {
			look = must[pdf.Dict](t)(d.Dict(f.Widgets[0].Dict["AP"])).Ref("N")
		}
	}
	p.update(func(_ *pdf.Document, u *pdf.Update) {
		u.Set(look, &pdf.Stream{Data: []byte("1 g 0 0 600 800 re f"), Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": over(0, 0, 600, 800).Array()}})
	})
	if len(troubles(readLimited(t, p.b).Signatures[0])) == 0 {
		t.Error("an opaque picture of the whole page was allowed")
	}
}

func TestASignatureThatIsExemptMayBeLarge(t *testing.T) {
	t.Parallel()
	b := agreement(t, contract, nil).signIn("Emet", over(0, 0, 600, 800), whitePaint).b
	var asked pdf.Rect
	f := must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{MarkArea: 0.25, Exempt: func(s *facts.Signature, shown pdf.Rect) bool {
		asked = shown
		return s.Field == "Emet"
	}}))
	if hidesSigned(t, f) || asked != over(0, 0, 600, 800) {
		t.Errorf("asked about %v: %s", asked, summary(f))
	}
}
