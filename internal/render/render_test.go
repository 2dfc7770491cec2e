package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"segel/internal/isolation/isolationtest"
)

// openRenderer returns a renderer, or skips the test without Poppler or a sandbox unless SEGEL_REQUIRE_CONVERT requires them.
func openRenderer(t *testing.T, l Limits) *Renderer {
	t.Helper()
	r, err := Open(t.Context(), l)
	isolationtest.Require(t, err)
	return r
}

// page returns a file with one page of 200 by 100 points and the given content.
func page(content, more string) string {
	return "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n" +
		"3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R" + more + ">> endobj\n" +
		"4 0 obj <</Length " + strconv.Itoa(len(content)) + ">> stream\n" + content + "\nendstream endobj\ntrailer <</Root 1 0 R>>\n"
}

// isClose reports whether two colours look the same.
func isClose(a, b color.Color) bool {
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	near := func(x, y uint32) bool { return max(x, y)-min(x, y) < 0x1800 }
	return near(r, r2) && near(g, g2) && near(bl, bl2)
}

var red, white = color.RGBA{0xFF, 0, 0, 0xFF}, color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}

func TestThePageIsDrawnAsItIsDisplayed(t *testing.T) {
	t.Parallel()
	r := openRenderer(t, Limits{})
	const lowerLeft = "1 0 0 rg 0 0 20 20 re f"
	for name, c := range map[string]struct {
		file       string
		size       image.Point
		red, white image.Point // pixels
	}{
		"plain":      {page(lowerLeft, ""), image.Pt(400, 200), image.Pt(10, 190), image.Pt(10, 10)},
		"rotated":    {page(lowerLeft, "/Rotate 90"), image.Pt(200, 400), image.Pt(10, 10), image.Pt(10, 390)},
		"crop box":   {page(lowerLeft, "/CropBox[10 10 110 60]"), image.Pt(200, 100), image.Pt(5, 95), image.Pt(40, 95)},
		"square":     {page(lowerLeft, "/MediaBox[0 0 595 595]"), image.Pt(720, 720), image.Pt(5, 715), image.Pt(100, 100)},
		"other area": {page("1 0 0 rg -30 -30 20 20 re f", "/MediaBox[-50 -50 0 0]"), image.Pt(100, 100), image.Pt(50, 50), image.Pt(90, 10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := r.drawPage(t.Context(), strings.NewReader(c.file), int64(len(c.file)), 1, c.size)
			if err != nil {
				t.Fatal(err)
			}
			if !isClose(p.At(c.red.X, c.red.Y), red) || !isClose(p.At(c.white.X, c.white.Y), white) {
				t.Errorf("%v, red %v, white %v", p.Bounds(), p.At(c.red.X, c.red.Y), p.At(c.white.X, c.white.Y))
			}
		})
	}
}

// endless returns a file whose page draws 10 forms that draw 10 forms, 12 times.
func endless() string {
	var s strings.Builder
	s.WriteString("%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n")
	s.WriteString("3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>> endobj\n")
	draw := strings.Repeat("/F Do ", 10)
	fmt.Fprintf(&s, "4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", len(draw), draw)
	for i := 5; i < 17; i++ {
		fmt.Fprintf(&s, "%d 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</XObject<</F %d 0 R>>>>/Length %d>> stream\n%s\nendstream endobj\n", i, i+1, len(draw), draw)
	}
	s.WriteString("17 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 200 100]/Length 14>> stream\n0 0 9 9 re f  \nendstream endobj\ntrailer <</Root 1 0 R>>\n")
	return s.String()
}

func TestWhatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	r := openRenderer(t, Limits{Time: time.Second})
	file := endless()
	if _, err := r.drawPage(t.Context(), strings.NewReader(file), int64(len(file)), 1, image.Pt(200, 100)); !errors.Is(err, ErrTooLong) {
		t.Errorf("a page that is never finished: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.drawPage(ctx, strings.NewReader(file), int64(len(file)), 1, image.Pt(200, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has gone: %v", err)
	}
}

func TestAPageThatCannotBeDrawnIsRefused(t *testing.T) {
	t.Parallel()
	r := openRenderer(t, Limits{})
	small := page("", "")
	failed := errors.New("disk")
	for name, c := range map[string]struct {
		file io.Reader
		page int
		size image.Point
		want error
	}{
		"no PDF":              {strings.NewReader("hello"), 1, image.Pt(10, 10), ErrUnreadable},
		"nothing":             {strings.NewReader(""), 1, image.Pt(10, 10), ErrUnreadable},
		"page out of range":   {strings.NewReader(small), 2, image.Pt(10, 10), ErrUnreadable},
		"too many pixels":     {strings.NewReader(small), 1, image.Pt(10_000, 10_000), ErrUnreadable},
		"no pixels":           {strings.NewReader(small), 1, image.Pt(0, 0), ErrUnreadable},
		"file cannot be read": {io.MultiReader(strings.NewReader(small), iotest.ErrReader(failed)), 1, image.Pt(10, 10), failed},
	} {
		if _, err := r.drawPage(t.Context(), c.file, int64(len(small)), c.page, c.size); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAPageThatIsDrawnInPartIsRefused uses an image for which there is no memory: Poppler draws the rest and reports success.
func TestAPageThatIsDrawnInPartIsRefused(t *testing.T) {
	t.Parallel()
	r := openRenderer(t, Limits{})
	file := strings.Replace(page("1 0 0 rg 0 0 20 20 re f 100 0 0 50 50 10 cm /I Do", "/Resources<</XObject<</I 5 0 R>>>>"), "trailer",
		"5 0 obj <</Type/XObject/Subtype/Image/Width 200000000/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8/Length 2>> stream\nab\nendstream endobj\ntrailer", 1)
	if _, err := r.drawPage(t.Context(), strings.NewReader(file), int64(len(file)), 1, image.Pt(200, 100)); !errors.Is(err, ErrUnreadable) {
		t.Errorf("a page without one of its images: %v", err)
	}
}

func TestAPictureIsEncodedInTheSmallerWay(t *testing.T) {
	t.Parallel()
	text, photo := image.NewRGBA(image.Rect(0, 0, 300, 200)), image.NewRGBA(image.Rect(0, 0, 300, 200))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range text.Pix {
		text.Pix[i], photo.Pix[i] = 0xFF, byte(noise.Uint32())
	}
	for y := 20; y < 180; y += 20 {
		for x := range 300 {
			text.Set(x, y, color.RGBA{0x33, 0x33, 0x33, 0xFF})
		}
	}
	got, kind, err := encodePicture(text)
	if err != nil || kind != "image/png" || len(got) > 1000 {
		t.Fatalf("text: %s, %d bytes, %v", kind, len(got), err)
	}
	decoded, err := png.Decode(bytes.NewReader(got))
	if err != nil || !isClose(decoded.At(5, 20), color.Gray{0x33}) || !isClose(decoded.At(5, 21), white) {
		t.Errorf("text is decoded as %v, %v", decoded.At(5, 20), err)
	}
	if _, kind, err = encodePicture(photo); err != nil || kind != "image/jpeg" {
		t.Errorf("photo: %s, %v", kind, err)
	}
}
