package content_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// coveringForm is an appearance of 200 by 100 units in a box of as many points at (100, 300).
type coveringForm struct {
	content   string
	resources func(u *pdf.Update) pdf.Dict
	form      pdf.Dict // entries of the stream
	widget    pdf.Dict // entries of the annotation
}

var boxOfLook = pdf.Rect{LLX: 100, LLY: 300, URX: 300, URY: 400}

// coverOf returns what an appearance hides.
func coverOf(t testing.TB, p pdftest.Page, l coveringForm, change ...func(page pdf.Dict)) (*content.Coverage, *pdf.Page) {
	t.Helper()
	var widget pdf.Ref
	d, page := openPage(t, p, "", func(u *pdf.Update, page pdf.Dict) {
		for _, c := range change {
			c(page)
		}
		dict := pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 100}.Array()}
		if l.resources != nil {
			dict["Resources"] = l.resources(u)
		}
		for k, v := range l.form {
			dict[k] = v
		}
		form := u.Add(&pdf.Stream{Dict: dict, Data: []byte(l.content)})
		annot := pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": boxOfLook.Array(), "F": pdf.Integer(4), "AP": pdf.Dict{"N": form}}
		for k, v := range l.widget {
			annot[k] = v
		}
		widget = u.Add(annot)
		page["Annots"] = pdf.Array{widget}
	})
	c, err := content.NewReader(d, content.Limits{}).MeasureCoverage(page, []pdf.Ref{widget})
	if err != nil {
		t.Fatal(err)
	}
	return c, page
}

func deflated(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pixels is an image of 20 by 10 pixels with n components, each that value.
func pixels(n int, value byte, entries pdf.Dict) *pdf.Stream {
	d := pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(20), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
		"ColorSpace": map[int]pdf.Object{1: pdf.Name("DeviceGray"), 3: pdf.Name("DeviceRGB")}[n],
	}
	for k, v := range entries {
		d[k] = v
	}
	return &pdf.Stream{Dict: d, Data: bytes.Repeat([]byte{value}, 200*n)}
}

// halfImage is a mask whose left half has a value and whose right half another.
func halfImage(left, right byte, entries pdf.Dict) *pdf.Stream {
	s := pixels(1, 0, entries)
	s.Data = nil
	for range 10 {
		s.Data = append(append(s.Data, bytes.Repeat([]byte{left}, 10)...), bytes.Repeat([]byte{right}, 10)...)
	}
	return s
}

const drawn = "200 0 0 100 0 0 cm /I Do"

func withImage(image func(u *pdf.Update) *pdf.Stream) func(u *pdf.Update) pdf.Dict {
	return func(u *pdf.Update) pdf.Dict {
		return pdf.Dict{"XObject": pdf.Dict{"I": u.Add(image(u))}}
	}
}

func extGState(entries pdf.Dict) func(u *pdf.Update) pdf.Dict {
	return func(u *pdf.Update) pdf.Dict {
		return pdf.Dict{"ExtGState": pdf.Dict{"G": entries}, "Font": pdf.Dict{"F": pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica")}}}
	}
}

func TestCoverageMeasuresWhatAnAppearanceHides(t *testing.T) {
	t.Parallel()
	photo := func(v uint8) *pdf.Stream {
		m := image.NewGray(image.Rect(0, 0, 20, 10))
		for i := range m.Pix {
			m.Pix[i] = v
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, nil); err != nil {
			t.Fatal(err)
		}
		return &pdf.Stream{Data: b.Bytes(), Dict: pdf.Dict{
			"Subtype": pdf.Name("Image"), "Width": pdf.Integer(20), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
			"ColorSpace": pdf.Name("DeviceGray"), "Filter": pdf.Name("DCTDecode"),
		}}
	}
	stencil := func(entries pdf.Dict) *pdf.Stream {
		s := &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Image"), "ImageMask": pdf.Boolean(true), "Width": pdf.Integer(16), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(1)}}
		for range 10 {
			s.Data = append(s.Data, 0x00, 0xFF)
		}
		for k, v := range entries {
			s.Dict[k] = v
		}
		return s
	}
	masked := func(mask *pdf.Stream) func(u *pdf.Update) pdf.Dict {
		return withImage(func(u *pdf.Update) *pdf.Stream { return pixels(3, 255, pdf.Dict{"SMask": u.Add(mask)}) })
	}
	tall := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name string
		look coveringForm
		want float64 // share of the whole box that is hidden
	}{
		{"nothing", coveringForm{}, 0},
		{"a white rectangle", coveringForm{content: "1 g 0 0 200 100 re f"}, 1},
		{"a rectangle over the left half", coveringForm{content: "0 0 100 100 re f"}, 0.5},
		{"a rectangle drawn as lines", coveringForm{content: "1 g 0 0 m 200 0 l 200 100 l 0 100 l h f"}, 1},
		{"a rectangle drawn as curves", coveringForm{content: "0 0 m 0 0 200 0 200 0 c 200 0 200 100 200 100 c 200 100 0 100 0 100 c f"}, 1},
		{"a triangle", coveringForm{content: "0 0 m 200 0 l 0 100 l f"}, 0.5},
		{"a circle", coveringForm{content: "100 0 m 127.6 0 150 22.4 150 50 c 150 77.6 127.6 100 100 100 c 72.4 100 50 77.6 50 50 c 50 22.4 72.4 0 100 0 c f"}, math.Pi / 8},
		{"a frame by even and odd", coveringForm{content: "0 0 200 100 re 10 10 180 80 re f*"}, 1 - 0.72},
		{"two rectangles one way round", coveringForm{content: "0 0 200 100 re 10 10 180 80 re f"}, 1},
		{"a hole by the other way round", coveringForm{content: "0 0 m 200 0 l 200 100 l 0 100 l h 10 10 m 10 90 l 190 90 l 190 10 l h f"}, 1 - 0.72},
		{"a border", coveringForm{content: "2 w 1 1 198 98 re S"}, 0.06},
		{"a very thick line", coveringForm{content: "1 G 100 w 0 50 m 200 50 l S"}, 1},
		{"many thin lines side by side", coveringForm{content: "1 G 1 w " + func() string {
			s := ""
			for i := range 100 {
				s += fmt.Sprintf("0 %d.5 m 200 %d.5 l S ", i, i)
			}
			return s
		}()}, 1},
		{"a path that is not painted", coveringForm{content: "0 0 200 100 re n"}, 0},
		{"a rectangle that is clipped", coveringForm{content: "q 0 0 50 100 re W n 0 0 200 100 re f Q"}, 0.25},
		{"a rectangle that is larger than its box", coveringForm{content: "-500 -500 2000 2000 re f"}, 1},
		{"a shading", coveringForm{content: "/S sh", resources: func(u *pdf.Update) pdf.Dict { return pdf.Dict{} }}, 1},
		{"half opaque", coveringForm{content: "/G gs 0 0 200 100 re f", resources: extGState(pdf.Dict{"ca": pdf.Real(0.5)})}, 0},
		{"half opaque three times", coveringForm{content: "/G gs 0 0 200 100 re f 0 0 200 100 re f 0 0 200 100 re f", resources: extGState(pdf.Dict{"ca": pdf.Real(0.5)})}, 1},
		{"lines of no opacity", coveringForm{content: "/G gs 300 w 0 50 m 200 50 l S", resources: extGState(pdf.Dict{"CA": pdf.Integer(0)})}, 0},
		{"with a soft mask in the state", coveringForm{content: "/G gs 0 0 200 100 re f", resources: extGState(pdf.Dict{"SMask": pdf.Dict{"S": pdf.Name("Alpha")}})}, 1},
		{"multiplied, white", coveringForm{content: "/G gs 1 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Multiply")})}, 0},
		{"multiplied, black", coveringForm{content: "/G gs 0 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Multiply")})}, 1},
		{"multiplied or normal, as the reader knows", coveringForm{content: "/G gs 1 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Array{pdf.Name("Normal"), pdf.Name("Multiply")}})}, 1},
		{"of an unknown mode", coveringForm{content: "/G gs 1 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Hell")})}, 1},
		{"screened, white", coveringForm{content: "/G gs 1 1 1 rg 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Screen")})}, 1},
		{"screened, black", coveringForm{content: "/G gs 0 0 0 1 k 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Screen")})}, 0},
		{"differing", coveringForm{content: "/G gs .5 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Difference")})}, 1},
		{"in its hue alone", coveringForm{content: "/G gs 1 0 0 rg 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Hue")})}, 0},
		{"luminosity", coveringForm{content: "/G gs 1 g 0 0 200 100 re f", resources: extGState(pdf.Dict{"BM": pdf.Name("Luminosity")})}, 1},
		{"an image", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream { return pixels(3, 255, nil) })}, 1},
		{"an image that cannot be decoded", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream { return pixels(3, 255, pdf.Dict{"Filter": pdf.Name("JPXDecode")}) })}, 1},
		{"an image multiplied, white", coveringForm{content: "/G gs " + drawn, resources: func(u *pdf.Update) pdf.Dict {
			r := extGState(pdf.Dict{"BM": pdf.Name("Multiply")})(u)
			r["XObject"] = pdf.Dict{"I": u.Add(pixels(3, 255, nil))}
			return r
		}}, 0},
		{"a photo multiplied, black", coveringForm{content: "/G gs " + drawn, resources: func(u *pdf.Update) pdf.Dict {
			r := extGState(pdf.Dict{"BM": pdf.Name("Multiply")})(u)
			r["XObject"] = pdf.Dict{"I": u.Add(photo(0))}
			return r
		}}, 1},
		{"an image with a soft mask of 1", coveringForm{content: drawn, resources: masked(pixels(1, 255, nil))}, 1},
		{"an image with a soft mask of 0", coveringForm{content: drawn, resources: masked(pixels(1, 0, nil))}, 0},
		{"an image with a soft mask of its half", coveringForm{content: drawn, resources: masked(halfImage(255, 0, nil))}, 0.5},
		{"an image with a soft mask turned over", coveringForm{content: drawn, resources: masked(halfImage(255, 255, pdf.Dict{"Decode": pdf.Array{pdf.Integer(1), pdf.Integer(0)}}))}, 0},
		{"an image with a soft mask that is a photo", coveringForm{content: drawn, resources: masked(photo(255))}, 1},
		{"an image with a soft mask that is a dark photo", coveringForm{content: drawn, resources: masked(photo(0))}, 0},
		{"an image with a soft mask that cannot be decoded", coveringForm{content: drawn, resources: masked(pixels(1, 0, pdf.Dict{"Filter": pdf.Name("JBIG2Decode")}))}, 1},
		{"an image with a soft mask that is cut off", coveringForm{content: drawn, resources: masked(&pdf.Stream{Dict: pixels(1, 0, nil).Dict, Data: []byte{0}})}, 1},
		{"an image with a stencil for a mask", coveringForm{content: drawn, resources: withImage(func(u *pdf.Update) *pdf.Stream {
			return pixels(3, 255, pdf.Dict{"Mask": u.Add(stencil(nil))})
		})}, 0.5},
		{"a stencil", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream { return stencil(nil) })}, 0.5},
		{"a stencil that paints all", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream {
			s := stencil(nil)
			clear(s.Data)
			return s
		})}, 1},
		{"a stencil turned over", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream {
			return stencil(pdf.Dict{"Decode": pdf.Array{pdf.Integer(1), pdf.Integer(0)}})
		})}, 0.5},
		{"an image whose white is left out", coveringForm{content: drawn, resources: withImage(func(*pdf.Update) *pdf.Stream {
			return halfImage(255, 10, pdf.Dict{"Mask": pdf.Array{pdf.Integer(250), pdf.Integer(255)}})
		})}, 0.5},
		{"an inline image", coveringForm{content: "200 0 0 100 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI"}, 1},
		{"an inline image that seems to end before its end", coveringForm{content: "BI /W 20 /H 1 /BPC 8 /CS /G ID AA EI q (AAAAAAAAAAA EI Q 0 0 200 100 re f %)\n"}, 1},
		{"usual text", coveringForm{content: "BT /F 10 Tf 0 0 0 rg 0 5 Td (" + tall(40) + ") Tj ET", resources: extGState(nil)}, 0},
		{"white text", coveringForm{content: "BT /F 10 Tf 1 g 0 5 Td (" + tall(20) + ") Tj ET", resources: extGState(nil)}, 0.05},
		{"very large text", coveringForm{content: "BT /F 100 Tf 0 25 Td (" + tall(4) + ") Tj ET", resources: extGState(nil)}, 1},
		{"text with very thick lines", coveringForm{content: "BT /F 10 Tf 1 Tr 20 w 0 25 Td (" + tall(4) + ") Tj ET", resources: extGState(nil)}, 0.01},
		{"a group of half opacity", coveringForm{content: "/G gs /I Do", resources: func(u *pdf.Update) pdf.Dict {
			r := extGState(pdf.Dict{"ca": pdf.Real(0.5)})(u)
			r["XObject"] = pdf.Dict{"I": u.Add(&pdf.Stream{Data: []byte("/H gs 0 0 200 100 re f"), Dict: pdf.Dict{
				"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 100}.Array(), "Group": pdf.Dict{"S": pdf.Name("Transparency")},
				"Resources": pdf.Dict{"ExtGState": pdf.Dict{"H": pdf.Dict{"ca": pdf.Integer(1), "BM": pdf.Name("Normal")}}},
			}})}
			return r
		}}, 0},
		{"a group that is multiplied, white", coveringForm{content: "/G gs /I Do", resources: func(u *pdf.Update) pdf.Dict {
			r := extGState(pdf.Dict{"BM": pdf.Name("Multiply")})(u)
			r["XObject"] = pdf.Dict{"I": u.Add(&pdf.Stream{Data: []byte("1 g 0 0 200 100 re f"), Dict: pdf.Dict{
				"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 100}.Array(), "Group": pdf.Dict{"S": pdf.Name("Transparency")},
			}})}
			return r
		}}, 0},
		{"a form within a form", coveringForm{content: "/I Do", resources: func(u *pdf.Update) pdf.Dict {
			return pdf.Dict{"XObject": pdf.Dict{"I": u.Add(&pdf.Stream{Data: []byte("0 0 1000 1000 re f"), Dict: pdf.Dict{
				"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 1000, URY: 1000}.Array(),
			}})}}
		}}, 1},
		{"a small appearance that is stretched", coveringForm{content: "0 0 1 1 re f", form: pdf.Dict{"BBox": pdf.Rect{URX: 1, URY: 1}.Array()}}, 1},
		{"an appearance that is turned and larger than its box", coveringForm{content: "-10000 -10000 20000 20000 re f", form: pdf.Dict{
			"Matrix": pdf.Array{pdf.Integer(0), pdf.Integer(50), pdf.Integer(-50), pdf.Integer(0), pdf.Integer(7), pdf.Integer(9)}, "BBox": pdf.Rect{LLX: -5000, LLY: -5000, URX: 5000, URY: 5000}.Array(),
		}}, 1},
		{"more than can be looked at", coveringForm{content: strings.Repeat("q ", 600) + "0 0 1 1 re f"}, 1},
		{"a background that readers draw", coveringForm{widget: pdf.Dict{"AP": pdf.Dict{}, "MK": pdf.Dict{"BG": pdf.Array{pdf.Integer(1)}}}}, 1},
	} {
		cover, _ := coverOf(t, square, c.look)
		if got := cover.HiddenShare(boxOfLook); math.Abs(got-c.want) > 0.03 {
			t.Errorf("%s: %.3f of the box is hidden, want %.3f", c.name, got, c.want)
		}
	}
}

func TestWhatAnAppearanceUnderTheMouseHidesCounts(t *testing.T) {
	t.Parallel()
	var widget pdf.Ref
	d, page := openPage(t, square, "", func(u *pdf.Update, page pdf.Dict) {
		form := u.Add(&pdf.Stream{Data: []byte("0 0 200 100 re f"), Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 100}.Array()}})
		widget = u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": boxOfLook.Array(), "AP": pdf.Dict{"R": form}})
	})
	c, err := content.NewReader(d, content.Limits{}).MeasureCoverage(page, []pdf.Ref{widget})
	if err != nil || c.HiddenShare(boxOfLook) < 0.99 {
		t.Errorf("%.2f is hidden, %v", c.HiddenShare(boxOfLook), err)
	}
}

func TestCoverageFollowsThePageAsDisplayed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(page pdf.Dict){
		"as it is": func(pdf.Dict) {},
		"turned":   func(page pdf.Dict) { page["Rotate"] = pdf.Integer(90) },
		"turned twice, cropped, and of another unit": func(page pdf.Dict) {
			page["Rotate"], page["UserUnit"] = pdf.Integer(180), pdf.Real(1.5)
			page["CropBox"] = pdf.Rect{LLX: 50, LLY: 200, URX: 400, URY: 500}.Array()
		},
	} {
		c, page := coverOf(t, square, coveringForm{content: "0 0 100 100 re f"}, change) // the left half in user space
		left, right := pdf.Rect{LLX: 105, LLY: 305, URX: 195, URY: 395}, pdf.Rect{LLX: 205, LLY: 305, URX: 295, URY: 395}
		if a, b := c.HiddenShare(page.FromUser(left)), c.HiddenShare(page.FromUser(right)); a < 0.98 || b > 0.02 {
			t.Errorf("%s: %.2f of what is covered and %.2f of what is not is hidden", name, a, b)
		}
	}
	// Of a box that extends beyond the page, only the part on the page counts.
	c, page := coverOf(t, square, coveringForm{content: "0 0 200 100 re f"}, func(page pdf.Dict) { page["CropBox"] = pdf.Rect{LLX: 250, LLY: 350, URX: 600, URY: 800}.Array() })
	if got := c.HiddenShare(page.FromUser(pdf.Rect{LLX: 250, LLY: 350, URX: 300, URY: 400})); got < 0.98 {
		t.Errorf("%.2f is hidden on the page", got)
	}
	c, _ = coverOf(t, square, coveringForm{content: "0 0 200 100 re f"}, func(page pdf.Dict) { page["CropBox"] = pdf.Rect{LLX: 500, LLY: 500, URX: 600, URY: 800}.Array() })
	if got := c.HiddenShare(pdf.Rect{URX: 100, URY: 300}); got != 0 {
		t.Errorf("%.2f of the page is hidden by what lies off it", got)
	}
}

func TestSeveralAnnotationsHideTogether(t *testing.T) {
	t.Parallel()
	var widgets []pdf.Ref
	d, page := openPage(t, square, "", func(u *pdf.Update, page pdf.Dict) {
		for i := range 4 {
			form := u.Add(&pdf.Stream{Data: []byte("0 0 9 9 re f"), Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array()}})
			x, y := float64(i%2)*300, float64(i/2)*400
			widgets = append(widgets, u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": pdf.Rect{LLX: x, LLY: y, URX: x + 300, URY: y + 400}.Array(), "AP": pdf.Dict{"N": form}}))
		}
	})
	c, err := content.NewReader(d, content.Limits{}).MeasureCoverage(page, widgets)
	if err != nil || c.HiddenShare(pdf.Rect{LLX: 280, LLY: 380, URX: 320, URY: 420}) < 0.99 {
		t.Errorf("where four tiles meet %.2f is hidden, %v", c.HiddenShare(pdf.Rect{LLX: 280, LLY: 380, URX: 320, URY: 420}), err)
	}
}

func TestCoverageOfAHostileAppearanceEndsAndHides(t *testing.T) {
	t.Parallel()
	for name, operators := range map[string]string{
		"a great many rectangles":     strings.Repeat("0 0 200 100 re f ", 60_000),
		"a path of many points":       "0 0 m " + strings.Repeat("200 100 l 0 0 l ", 150_000) + "f",
		"a great many faint shadings": "q /G gs " + strings.Repeat("/S sh ", 3_000) + "Q 0 0 200 100 re f",
		"lines without end":           "1e30 w 0 0 m 1e30 1e30 l S 0 0 m 99999999999 99999999999999 l 3 3 l f 0 0 200 100 re f",
	} {
		c, _ := coverOf(t, square, coveringForm{content: operators, resources: extGState(pdf.Dict{"ca": pdf.Real(0.0001)})})
		if got := c.HiddenShare(boxOfLook); got < 0.99 {
			t.Errorf("%s: %.2f is hidden", name, got)
		}
	}
}

func BenchmarkCoverOfAFullPage(b *testing.B) {
	form := coveringForm{content: "1 g 0 0 200 100 re f 0 g " + strings.Repeat("10 10 m 20 30 40 50 60 70 c 80 20 l f BT /F 8 Tf 20 20 Td (Perjanjian) Tj ET ", 200), resources: extGState(nil), widget: pdf.Dict{"Rect": pdf.Rect{URX: 600, URY: 800}.Array()}}
	var widget pdf.Ref
	d, page := openPage(b, square, "", func(u *pdf.Update, page pdf.Dict) {
		st := u.Add(&pdf.Stream{Data: deflated(b, []byte(form.content)), Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 100}.Array(), "Resources": form.resources(u)}})
		widget = u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": pdf.Rect{URX: 600, URY: 800}.Array(), "AP": pdf.Dict{"N": st}})
	})
	for b.Loop() {
		if _, err := content.NewReader(d, content.Limits{}).MeasureCoverage(page, []pdf.Ref{widget}); err != nil {
			b.Fatal(err)
		}
	}
}
