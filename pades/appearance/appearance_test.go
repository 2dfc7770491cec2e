package appearance_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// placed is a drawing on a page, in a box as displayed.
type placed struct {
	page int
	box  pdf.Rect
	d    *appearance.Drawing
}

// placeDrawings appends the drawings to a file as annotations, in one update.
func placeDrawings(t testing.TB, file []byte, all ...placed) []byte {
	t.Helper()
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	u := doc.NewUpdate()
	pool := appearance.NewResourcePool(doc)
	for _, p := range all {
		page := must[*pdf.Page](t)(doc.Page(p.page))
		rect := page.ToUser(p.box)
		form := must[pdf.Ref](t)(p.d.Form(u, appearance.Frame{Width: rect.Width(), Height: rect.Height(), Rotate: page.Rotate, Pool: pool}))
		annot := u.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Stamp"), "F": pdf.Integer(4), "Rect": rect.Array(), "AP": pdf.Dict{"N": form}})
		if err := u.Append(page.Ref, "Annots", annot); err != nil {
			t.Fatal(err)
		}
	}
	return append(bytes.Clone(file), must[*pdf.Tail](t)(u.Build()).Bytes...)
}

// runProgram runs another program on the file, which must succeed without messages.
func runProgram(t testing.TB, file []byte, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	in := filepath.Join(t.TempDir(), "in.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	args = append(args, in)
	if program == "pdftotext" {
		args = append(args, "-") // the output of text; pictures are written there anyway
	}
	c := exec.CommandContext(t.Context(), path, args...)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%s: %v\n%s", program, err, complaints.String())
	}
	return string(out)
}

type word struct {
	text string
	box  pdf.Rect // origin at the lower left of the page as displayed
}

var wordPattern = regexp.MustCompile(`<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*)</word>`)

// wordsOf returns the words that pdftotext finds and their places, page by page.
func wordsOf(t testing.TB, file []byte, displayed func(page int) float64) [][]word {
	t.Helper()
	var pages [][]word
	for i, text := range strings.Split(runProgram(t, file, "pdftotext", "-bbox", "-cropbox"), "<page ")[1:] {
		height := displayed(i + 1)
		var found []word
		for _, m := range wordPattern.FindAllStringSubmatch(text, -1) {
			var v [4]float64
			for j := range v {
				v[j] = must[float64](t)(strconv.ParseFloat(m[j+1], 64))
			}
			found = append(found, word{m[5], pdf.Rect{LLX: v[0], LLY: height - v[3], URX: v[2], URY: height - v[1]}})
		}
		pages = append(pages, found)
	}
	return pages
}

func isWithin(in, out pdf.Rect, slack float64) bool {
	return in.LLX >= out.LLX-slack && in.LLY >= out.LLY-slack && in.URX <= out.URX+slack && in.URY <= out.URY+slack
}

var moment = time.Date(2027, 1, 2, 10, 4, 5, 0, time.FixedZone("WIB", 7*60*60))

func TestTextNeverLeavesItsBox(t *testing.T) {
	t.Parallel()
	names := []string{
		"Budi", "Raden Mas Kangjeng Gusti Pangeran Haryo Suryodiningrat Wirabraja Notonegoro",
		"Pneumonoultramicroscopicsilicovolcanoconiosis", strings.Repeat("W", 200), "Владимир Владимирович Маяковский",
	}
	sizes := [][2]float64{{200, 70}, {60, 20}, {20, 90}, {500, 15}, {40, 40}, {300, 300}, {8, 8}}
	for _, name := range names {
		for _, size := range sizes {
			box := pdf.Rect{LLX: 30, LLY: 30, URX: 30 + size[0], URY: 30 + size[1]}
			d := appearance.Signature(appearance.SignatureText{Name: name, Time: moment, Reason: strings.Repeat("Menyetujui isi dokumen ini. ", 8)}, size[0], size[1])
			for _, w := range wordsOf(t, placeDrawings(t, pdftest.Table(1), placed{1, box, d}), func(int) float64 { return 841.89 })[0] {
				if w.box.LLY < 600 && !isWithin(w.box, box, 0.35+size[1]*0.02) {
					t.Errorf("%.20s in %v: %q stands in %.1f", name, size, w.text, w.box)
				}
			}
		}
	}
}

func TestSignatureIsUprightOnRotatedPages(t *testing.T) {
	t.Parallel()
	file := pdftest.Rotated()
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	box := pdf.Rect{LLX: 50, LLY: 40, URX: 250, URY: 110}
	var all []placed
	heights := map[int]float64{}
	for i := range 4 {
		all = append(all, placed{i + 1, box, appearance.Signature(appearance.SignatureText{Name: "Santoso", Time: moment}, 200, 70)})
		_, heights[i+1] = must[*pdf.Page](t)(doc.Page(i + 1)).DisplayedSize()
	}
	for i, page := range wordsOf(t, placeDrawings(t, file, all...), func(page int) float64 { return heights[page] }) {
		found := false
		for _, w := range page {
			if w.text != "Santoso" {
				continue
			}
			found = true
			if !isWithin(w.box, box, 0.5) || w.box.Width() < w.box.Height() {
				t.Errorf("page %d: the name stands in %v", i+1, w.box)
			}
		}
		if !found {
			t.Errorf("page %d: no name among %v", i+1, page)
		}
	}
}

func TestTextCanBeCopiedFromThePage(t *testing.T) {
	t.Parallel()
	box := pdf.Rect{LLX: 30, LLY: 30, URX: 330, URY: 130}
	for _, name := range []string{"Budi Santoso", "Ñandú Çelik", "Владимир", "Ελένη", "Nguyễn Văn Ánh"} {
		d := appearance.Signature(appearance.SignatureText{Name: name, Time: moment, QR: "https://segel.example/"}, 300, 100)
		out := runProgram(t, placeDrawings(t, pdftest.Table(1), placed{1, box, d}), "pdftotext", "-raw")
		if !strings.Contains(out, name) || !strings.Contains(out, "2 Januari 2027 10:04:05 WIB") {
			t.Errorf("%q: %s", name, out)
		}
	}
}

func TestReadersHaveNoComplaints(t *testing.T) {
	t.Parallel()
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 300, 100)))
	d := appearance.New(100, 100)
	d.Stroke(appearance.Color{R: 200}, 2, appearance.Rounded(d.Bounds(), 40))
	d.Fill(appearance.Color{G: 90}, appearance.Rectangle(pdf.Rect{LLX: 80, LLY: 80, URX: 90, URY: 90}))
	d.Clipped(appearance.Rounded(d.Bounds(), 9), func(d *appearance.Drawing) { d.Strokes(d.Bounds(), specimen) })
	d.Rotated(30, 50, 50, func(d *appearance.Drawing) {
		d.Faded(0.4, func(d *appearance.Drawing) {
			d.Text(pdf.Rect{LLX: 5, LLY: 40, URX: 95, URY: 60}, appearance.TextOptions{Horizontal: appearance.Middle}, appearance.Line{Text: "SPESIMEN é", Bold: true})
		})
	})
	box := pdf.Rect{LLX: 30, LLY: 30, URX: 130, URY: 130}
	file := placeDrawings(t, pdftest.Table(1), placed{1, box, d}, placed{1, box, appearance.Initials("Budi Santoso", nil, 100, 100)})
	runProgram(t, file, "pdftoppm", "-r", "50")
	runProgram(t, file, "pdftotext")
}

// picture draws a diagonal on a transparent or white background.
func picture(t testing.TB, clear bool, w, h int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	if !clear {
		for i := range m.Pix {
			m.Pix[i] = 255
		}
	}
	for x := w / 4; x < w/2; x++ {
		m.SetNRGBA(x, x*h/w, color.NRGBA{40, 40, 40, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPicturesBecomeNoLargerThanABoxNeeds(t *testing.T) {
	t.Parallel()
	m := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 400, 200)))
	if m.Width < 96 || m.Width > 100 || m.Height < 48 || m.Height > 50 {
		t.Errorf("margins stayed: %d by %d", m.Width, m.Height)
	}
	m = must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, false, 3000, 1500)))
	if m.Width > 260 || m.Height > 130 {
		t.Errorf("a large picture became %d by %d", m.Width, m.Height)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 30, 20)), nil); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, []byte("GIF89a"), b.Bytes()[:40], newDecompressionBomb()} {
		if _, err := appearance.ExtractStrokes(bad); !errors.Is(err, appearance.ErrImage) {
			t.Errorf("%.8q: %v", bad, err)
		}
	}
}

// newDecompressionBomb is a PNG header that claims 100,000 by 100,000 pixels.
func newDecompressionBomb() []byte {
	return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00\x2b\x96\x80\x5d")
}

func TestDrawingKeepsItsProportions(t *testing.T) {
	t.Parallel()
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(pdftest.Table(1)), int64(len(pdftest.Table(1))), pdf.Options{}))
	u := doc.NewUpdate()
	ref := must[pdf.Ref](t)(appearance.New(100, 50).Form(u, appearance.Frame{Width: 50, Height: 200, Rotate: 90}))
	form := must[pdf.Object](t)(u.Get(ref)).(*pdf.Stream)
	// Shown 200 wide and 50 high, so 100 by 50 uses half of the width.
	if got := fmt.Sprint(form.Dict["BBox"]); got != "[-50 0 150 50]" {
		t.Errorf("/BBox %s", got)
	}
}

func TestWrongDrawingsAreErrors(t *testing.T) {
	t.Parallel()
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(pdftest.Table(1)), int64(len(pdftest.Table(1))), pdf.Options{}))
	for name, d := range map[string]*appearance.Drawing{
		"no size":     appearance.New(0, 10),
		"no pixels":   newDrawing(func(d *appearance.Drawing) { d.Strokes(d.Bounds(), nil) }),
		"no space":    newDrawing(func(d *appearance.Drawing) { d.Text(pdf.Rect{}, appearance.TextOptions{}, appearance.Line{Text: "a"}) }),
		"large code":  newDrawing(func(d *appearance.Drawing) { d.QR(d.Bounds(), appearance.Color{}, strings.Repeat("x", 9000)) }),
		"inside that": newDrawing(func(d *appearance.Drawing) { d.Faded(1, func(d *appearance.Drawing) { d.Strokes(d.Bounds(), nil) }) }),
	} {
		if _, err := d.Form(doc.NewUpdate(), appearance.Frame{Width: 10, Height: 10}); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

func newDrawing(draw func(*appearance.Drawing)) *appearance.Drawing {
	d := appearance.New(10, 10)
	draw(d)
	return d
}

// TestWordsAreNotBrokenBetweenALetterAndItsMark has a mark that no font has, so that it takes space.
func TestWordsAreNotBrokenBetweenALetterAndItsMark(t *testing.T) {
	t.Parallel()
	const mark = "\U0001E8D0"
	for width := 20.0; width < 60; width++ {
		lines, err := appearance.WrapText(strings.Repeat("x"+mark, 20), false, 10, width)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if strings.HasPrefix(l, mark) {
				t.Errorf("in %g points a line begins with a mark: %q", width, lines)
				break
			}
		}
	}
}
