package appearance_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

const verifyAddress = "https://segel.contoh.co.id/verify?document=120734"

// logo is a filled circle on a transparent ground.
func logo(t testing.TB, width, height int) *appearance.Picture {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if dx, dy := float64(x-width/2)/float64(width), float64(y-height/2)/float64(height); dx*dx+dy*dy < 0.25 {
				m.SetNRGBA(x, y, color.NRGBA{200, 30, 60, 255})
			}
		}
	}
	return must[*appearance.Picture](t)(appearance.NewPicture(m, 240, 12<<10))
}

var (
	fontSize  = regexp.MustCompile(`/F\d+ ([\d.]+) Tf`)
	transform = regexp.MustCompile(`([-\d.]+) [-\d.]+ [-\d.]+ ([-\d.]+) [-\d.]+ [-\d.]+ cm\n/I(\d+) Do`)
)

// contentOf returns the content of a drawing.
func contentOf(t *testing.T, d *appearance.Drawing, width, height float64) string {
	t.Helper()
	file := pdftest.Table(1)
	doc := must[*pdf.Document](t)(pdf.Open(strings.NewReader(string(file)), int64(len(file)), pdf.Options{}))
	u := doc.NewUpdate()
	ref := must[pdf.Ref](t)(d.Form(u, appearance.Frame{Width: width, Height: height}))
	return string(must[pdf.Object](t)(u.Get(ref)).(*pdf.Stream).Data)
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	return must[float64](t)(strconv.ParseFloat(s, 64))
}

func TestTextOfACardHasAtLeastSixPoints(t *testing.T) {
	t.Parallel()
	picture, brand := dense(t), logo(t, 300, 100)
	names := []string{"Budi", "Raden Mas Kangjeng Gusti Pangeran Haryo Suryodiningrat", strings.Repeat("W", 255), "Владимир"}
	for _, size := range [][2]float64{{300, 120}, {200, 70}, {160, 60}, {120, 40}, {100, 25}, {90, 90}, {60, 120}, {60, 20}, {40, 40}, {20, 90}, {500, 15}} {
		for _, name := range names {
			for _, m := range []*appearance.Strokes{nil, picture} {
				text := appearance.SignatureText{
					Name: name, Time: moment, Organisation: "PT Contoh Sejahtera Abadi", Reason: "Menyetujui isi dokumen ini", Specimen: m, QR: verifyAddress, Logo: brand,
				}
				all := map[string]*appearance.Drawing{
					"signature": appearance.Signature(text, size[0], size[1]),
					"initials":  appearance.Initials(name, nil, size[0], size[1]),
				}
				if size[0] >= 20 && size[1] >= 12 { // in a smaller box not even the word fits
					all["guest"] = appearance.WithNotice(guestNotice, size[0], size[1], func(w, h float64) *appearance.Drawing { return appearance.Signature(text, w, h) })
				}
				for what, d := range all {
					for _, match := range fontSize.FindAllStringSubmatch(contentOf(t, d, size[0], size[1]), -1) {
						if points := number(t, match[1]); points < appearance.LeastText {
							t.Errorf("%s of %.12s in %v: text of %g points", what, name, size, points)
						}
					}
				}
			}
		}
	}
}

func TestLinesWithoutSpaceAreLeftOutByTheirImportance(t *testing.T) {
	t.Parallel()
	text := appearance.SignatureText{Name: "Budi Santoso", Time: moment, Organisation: "PT Contoh", Reason: "Menyetujui isi dokumen ini", Location: "Bandung"}
	order := []string{"Santoso", "Januari", "Contoh", "Ditandatangani", "Menyetujui", "Bandung"} // the most important first
	var last int
	for _, height := range []float64{9, 16, 24, 32, 42, 60} {
		box := pdf.Rect{LLX: 100, LLY: 500, URX: 260, URY: 500 + height}
		got := shownText(t, placeDrawings(t, pdftest.Table(1), placed{1, box, appearance.Signature(text, 160, height)}))
		shown := 0
		for shown < len(order) && strings.Contains(got, order[shown]) {
			shown++
		}
		for _, less := range order[shown:] {
			if strings.Contains(got, less) {
				t.Errorf("%g points high: %s is shown and %s is not: %s", height, less, order[shown], got)
			}
		}
		if shown < last || shown == 0 {
			t.Errorf("%g points high: %d lines, %d in a lower box", height, shown, last)
		}
		last = shown
	}
	if last != len(order) {
		t.Errorf("the largest box shows %d lines", last)
	}
}

func TestNameThatDoesNotFitIsCutOff(t *testing.T) {
	t.Parallel()
	box := pdf.Rect{LLX: 100, LLY: 500, URX: 160, URY: 512}
	d := appearance.Signature(appearance.SignatureText{Name: "Raden Mas Kangjeng Gusti Pangeran Haryo Suryodiningrat"}, 60, 12)
	got := shownText(t, placeDrawings(t, pdftest.Table(1), placed{1, box, d}))
	if !strings.Contains(got, "RadenMas") || !strings.Contains(got, "…") || strings.Contains(got, "Gusti") {
		t.Error(got)
	}
}

// TestNameIsNotCutOffBetweenALetterAndItsMark has a mark that no font has, so that it takes space.
func TestNameIsNotCutOffBetweenALetterAndItsMark(t *testing.T) {
	t.Parallel()
	for width := 60.0; width < 70; width++ {
		d := appearance.Signature(appearance.SignatureText{Name: strings.Repeat("x\U0001E8D0", 40)}, width, 12)
		box := pdf.Rect{LLX: 100, LLY: 500, URX: 100 + width, URY: 512}
		got := shownText(t, placeDrawings(t, pdftest.Table(1), placed{1, box, d}))
		if !strings.Contains(got, "x\uFFFD…") {
			t.Errorf("in %g points: %q", width, got)
		}
	}
}

func TestHandwritingUsesTheSpaceThatTextLeaves(t *testing.T) {
	t.Parallel()
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 600, 200))) // three times as wide as high
	aspect := float64(specimen.Width) / float64(specimen.Height)
	for _, c := range []struct{ width, height, least float64 }{{200, 70, 80}, {160, 60, 70}, {300, 100, 120}, {120, 120, 95}} {
		text := appearance.SignatureText{Name: "Budi Santoso", Time: moment, Specimen: specimen}
		match := transform.FindStringSubmatch(contentOf(t, appearance.Signature(text, c.width, c.height), c.width, c.height))
		if match == nil {
			t.Fatalf("%v: no handwriting", c)
		}
		if w, h := number(t, match[1]), number(t, match[2]); w < c.least || math.Abs(w/h-aspect) > 0.05 {
			t.Errorf("%v: %g by %g points", c, w, h)
		}
	}
}

func TestCodeIsLargeEnoughForAPhoneOrLeftOut(t *testing.T) {
	t.Parallel()
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 600, 200)))
	for _, c := range []struct {
		width, height float64
		want          bool
	}{{200, 70, true}, {160, 60, true}, {90, 160, true}, {110, 38, false}, {60, 30, false}, {300, 34, false}} {
		text := appearance.SignatureText{Name: "Budi Santoso", Time: moment, Specimen: specimen, QR: verifyAddress}
		var found bool
		for _, match := range transform.FindAllStringSubmatch(contentOf(t, appearance.Signature(text, c.width, c.height), c.width, c.height), -1) {
			if module := number(t, match[1]); module < 4 { // the other one is the handwriting
				found = true
				if mm := module * 25.4 / 72; mm < 0.3299 {
					t.Errorf("%v: modules of %.3f mm", c, mm)
				}
			}
		}
		if found != c.want {
			t.Errorf("%v: drawn %t", c, found)
		}
	}
}

// TestCodeIsReadFromAPage has another program draw the page at 300 dots per inch, and another library read the code.
func TestCodeIsReadFromAPage(t *testing.T) {
	t.Parallel()
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 600, 200)))
	for _, size := range [][2]float64{{200, 70}, {160, 60}, {90, 160}} {
		text := appearance.SignatureText{Name: "Budi Santoso", Time: moment, Specimen: specimen, QR: verifyAddress, Logo: logo(t, 300, 100), Organisation: "PT Contoh"}
		box := pdf.Rect{LLX: 100, LLY: 500, URX: 100 + size[0], URY: 500 + size[1]}
		page := renderPageAt(t, placeDrawings(t, pdftest.Table(1), placed{1, box, appearance.Signature(text, size[0], size[1])}), 300)
		pixels := func(points float64) int { return int(points * 300 / 72) }
		card := page.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(pixels(box.LLX-10), pixels(842-box.URY-10), pixels(box.URX+10), pixels(842-box.LLY+10)))
		if got := readCode(t, card); got != verifyAddress {
			t.Errorf("%v: %q", size, got)
		}
	}
}

func readCode(t *testing.T, m image.Image) string {
	t.Helper()
	bitmap := must[*gozxing.BinaryBitmap](t)(gozxing.NewBinaryBitmapFromImage(m))
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return fmt.Sprint("no code: ", err)
	}
	return result.GetText()
}

func TestLogoKeepsItsProportionsAndIsLeftOutWithoutSpace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pixels        [2]int
		width, height float64
		want          bool
	}{{[2]int{300, 100}, 200, 70, true}, {[2]int{100, 100}, 200, 70, true}, {[2]int{1000, 40}, 200, 70, true}, {[2]int{300, 100}, 90, 160, true}, {[2]int{40, 1000}, 60, 16, false}, {[2]int{300, 100}, 40, 14, false}} {
		p := logo(t, c.pixels[0], c.pixels[1])
		match := transform.FindStringSubmatch(contentOf(t, appearance.Signature(appearance.SignatureText{Name: "Budi", Time: moment, Logo: p}, c.width, c.height), c.width, c.height))
		if (match != nil) != c.want {
			t.Errorf("%v: drawn %t", c, match != nil)
		}
		if match == nil {
			continue
		}
		if w, h := number(t, match[1]), number(t, match[2]); math.Abs(w/h/(float64(p.Width)/float64(p.Height))-1) > 0.02 || h > 31 {
			t.Errorf("%v: %g by %g points", c, w, h)
		}
	}
}

func TestPictureBecomesSmallEnough(t *testing.T) {
	t.Parallel()
	noise := image.NewNRGBA(image.Rect(0, 0, 800, 600))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i * 2654435761 >> 13)
	}
	p := must[*appearance.Picture](t)(appearance.NewPicture(noise, 240, 12<<10))
	if p.Size() > 12<<10 || max(p.Width, p.Height) < 16 {
		t.Errorf("%d by %d, %d bytes", p.Width, p.Height, p.Size())
	}
	if _, err := appearance.NewPicture(image.NewNRGBA(image.Rectangle{}), 240, 12<<10); err == nil {
		t.Error("a picture without pixels")
	}
}
