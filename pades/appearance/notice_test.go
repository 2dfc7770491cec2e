package appearance_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

var guestNotice = appearance.Notice{
	Text:        "Tamu, dicantumkan oleh Sari Wulandari (PT Contoh); identitas tidak diverifikasi",
	Translation: "Guest, named by Sari Wulandari (PT Contoh); identity not verified",
	Short:       "Tamu — identitas tidak diverifikasi",
	Word:        "Tamu",
}

// noticed draws a signature of that name with the notice below it.
func noticed(n appearance.Notice, name string, specimen *appearance.Strokes, width, height float64) *appearance.Drawing {
	return appearance.WithNotice(n, width, height, func(w, h float64) *appearance.Drawing {
		return appearance.Signature(appearance.SignatureText{Name: name, Time: moment, Reason: "Menyetujui isi dokumen ini", Specimen: specimen}, w, h)
	})
}

// shownText is the text of a page, with runs of white space as one space and broken words joined.
func shownText(t *testing.T, file []byte) string {
	t.Helper()
	var b strings.Builder
	for _, page := range wordsOf(t, file, func(int) float64 { return 842 }) {
		for _, w := range page {
			b.WriteString(w.text)
		}
	}
	return b.String()
}

func joinFields(s string) string { return strings.Join(strings.Fields(s), "") }

func TestNoticeIsNeverLeftOutWhateverTheNameAndTheBox(t *testing.T) {
	t.Parallel()
	names := []string{
		"Budi Santoso", strings.Repeat("Raden Mas Kangjeng Gusti Pangeran Haryo ", 6), strings.Repeat("W", 255),
		"Budi Santoso — identitas terverifikasi oleh PT Contoh", "بودي سانتوسو", "Budi" + strings.Repeat("\u0336\u0338\u20dd", 80),
	}
	picture := dense(t)
	for _, size := range [][2]float64{{220, 90}, {160, 60}, {120, 50}, {80, 80}, {60, 200}, {40, 20}, {20, 60}, {12, 12}, {200, 10}, {6, 3}, {2.84, 2.84}} {
		for i, name := range names {
			for _, m := range []*appearance.Strokes{nil, picture} {
				box := pdf.Rect{LLX: 100, LLY: 500, URX: 100 + size[0], URY: 500 + size[1]}
				file := placeDrawings(t, pdftest.Table(1), placed{1, box, noticed(guestNotice, name, m, size[0], size[1])})
				got := shownText(t, file)
				// In full or short; where neither can be read, as a word. Where not even that can, the sentence is in the file.
				word := size[0] >= 20 && size[1] >= 12 && size[0]*size[1] < 2500 && strings.Contains(got, guestNotice.Word)
				if !word && !strings.Contains(got, joinFields(guestNotice.Short)) && !strings.Contains(got, joinFields(guestNotice.Text)) {
					t.Errorf("%v, name %d, picture %t: %s", size, i, m != nil, got)
				}
				for _, page := range wordsOf(t, file, func(int) float64 { return 842 }) {
					for _, w := range page {
						if w.box.LLY >= 490 && w.box.URY <= 700 && w.box.LLX >= 90 && !isWithin(w.box, box, 1) {
							t.Errorf("%v, name %d: %q at %v leaves %v", size, i, w.text, w.box, box)
						}
					}
				}
			}
		}
	}
}

func TestLargeBoxHasTheNoticeInFullInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height float64
		full, both    bool
	}{{260, 100, true, true}, {220, 80, true, true}, {200, 44, true, false}, {200, 26, false, false}, {90, 40, false, false}, {40, 20, false, false}} {
		box := pdf.Rect{LLX: 100, LLY: 500, URX: 100 + c.width, URY: 500 + c.height}
		got := shownText(t, placeDrawings(t, pdftest.Table(1), placed{1, box, noticed(guestNotice, "Budi Santoso", nil, c.width, c.height)}))
		if full, both := strings.Contains(got, joinFields(guestNotice.Text)), strings.Contains(got, joinFields(guestNotice.Translation)); full != c.full || both != c.both {
			t.Errorf("%g by %g: in full %t, in both languages %t: %s", c.width, c.height, full, both, got)
		}
		if !strings.Contains(got, "BudiSa") { // in the smallest box it is cut off
			t.Errorf("%g by %g: no name: %s", c.width, c.height, got)
		}
	}
}

func TestInitialsHaveTheNoticeToo(t *testing.T) {
	t.Parallel()
	n := appearance.Notice{Short: guestNotice.Short, Word: guestNotice.Word}
	for _, c := range []struct {
		width, height float64
		notice        string
		letters       bool // without space for both, the notice is shown
	}{{80, 50, n.Short, true}, {60, 40, n.Word, true}, {30, 30, n.Word, true}, {20, 12, n.Word, false}} {
		d := appearance.WithNotice(n, c.width, c.height, func(w, h float64) *appearance.Drawing { return appearance.Initials("Budi Santoso", nil, w, h) })
		box := pdf.Rect{LLX: 100, LLY: 500, URX: 100 + c.width, URY: 500 + c.height}
		if got := shownText(t, placeDrawings(t, pdftest.Table(1), placed{1, box, d})); !strings.Contains(got, joinFields(c.notice)) || strings.Contains(got, "BS") != c.letters {
			t.Errorf("%v: %s", c, got)
		}
	}
}

// What is drawn above does not get into the strip: neither text that leaves its box nor pictures.
func TestNothingIsPaintedOverTheNotice(t *testing.T) {
	t.Parallel()
	over := func(w, h float64) *appearance.Drawing {
		d := appearance.New(w, h)
		d.Fill(appearance.Color{}, appearance.Rectangle(pdf.Rect{LLX: -50, LLY: -50, URX: w, URY: h}))
		return d
	}
	box := pdf.Rect{LLX: 100, LLY: 500, URX: 300, URY: 580}
	file := placeDrawings(t, pdftest.Table(1), placed{1, box, appearance.WithNotice(guestNotice, 200, 80, over)})
	m := renderPage(t, file)
	// At the strip's left edge the page is visible, and above the strip it is black.
	if r, g, b, _ := m.At(pixel(102), pixel(842-503)).RGBA(); r>>8 < 240 || g>>8 < 240 || b>>8 < 240 {
		t.Errorf("the strip is %d %d %d", r>>8, g>>8, b>>8)
	}
	if r, _, _, _ := m.At(pixel(200), pixel(842-570)).RGBA(); r>>8 > 20 {
		t.Errorf("above the strip it is %d", r>>8)
	}
}

// renderPage is page 1 as rendered by poppler, with two pixels per point.
func renderPage(t *testing.T, file []byte) image.Image {
	t.Helper()
	return renderPageAt(t, file, 144)
}

// renderPageAt is page 1 as rendered by poppler, with that many pixels per inch.
func renderPageAt(t *testing.T, file []byte, resolution int) image.Image {
	t.Helper()
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("pdftoppm is not installed")
	}
	in := filepath.Join(t.TempDir(), "in.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out := must[[]byte](t)(exec.CommandContext(t.Context(), program, "-png", "-r", strconv.Itoa(resolution), "-singlefile", in).Output())
	return must[image.Image](t)(png.Decode(bytes.NewReader(out)))
}

func pixel(points int) int { return 2 * points }

func TestNoticeWithoutSpaceIsAnError(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]float64{{0, 10}, {10, 0}, {-1, 5}} {
		d := noticed(guestNotice, "Budi", nil, size[0], size[1])
		doc := must[*pdf.Document](t)(pdf.Open(strings.NewReader(string(pdftest.Table(1))), int64(len(pdftest.Table(1))), pdf.Options{}))
		if _, err := d.Form(doc.NewUpdate(), appearance.Frame{Width: 10, Height: 10}); err == nil {
			t.Errorf("%v was drawn", size)
		}
	}
}
