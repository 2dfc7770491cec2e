package appearance

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
)

// scene is a picture of a signature whose strokes are known.
type scene struct {
	w, h    int
	strokes []bool
}

// newScribble draws a signature of that thickness in the middle of a picture.
func newScribble(w, h int, thickness float64) scene {
	s := scene{w, h, make([]bool, w*h)}
	for i := range 4000 {
		a := float64(i) / 4000
		s.dot(float64(w)*(0.15+0.7*a), float64(h)*(0.5+0.3*math.Sin(a*23)*math.Cos(a*5)), thickness/2)
	}
	return s
}

// newLogo draws a seal: two rings around a square.
func newLogo(side int) scene {
	s := scene{side, side, make([]bool, side*side)}
	for i := range s.strokes {
		x, y := float64(i%side-side/2)/float64(side), float64(i/side-side/2)/float64(side)
		r := math.Hypot(x, y)
		s.strokes[i] = r > 0.36 && r < 0.4 || r > 0.29 && r < 0.305 || math.Abs(x) < 0.08 && math.Abs(y) < 0.08
	}
	return s
}

func (s scene) dot(cx, cy, r float64) {
	for y := int(cy - r); y <= int(cy+r); y++ {
		for x := int(cx - r); x <= int(cx+r); x++ {
			if x >= 0 && y >= 0 && x < s.w && y < s.h && math.Hypot(float64(x)-cx, float64(y)-cy) <= r {
				s.strokes[y*s.w+x] = true
			}
		}
	}
}

// paint builds the picture from the colours of the background and the strokes at each place.
func (s scene) paint(background, stroke func(x, y int) color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, s.w, s.h))
	for i, inked := range s.strokes {
		x, y := i%s.w, i/s.w
		if inked {
			m.SetNRGBA(x, y, stroke(x, y))
		} else {
			m.SetNRGBA(x, y, background(x, y))
		}
	}
	return m
}

func plain(c color.NRGBA) func(int, int) color.NRGBA {
	return func(int, int) color.NRGBA { return c }
}

func gray(v float64) color.NRGBA {
	b := uint8(max(0, min(255, v)))
	return color.NRGBA{b, b, b, 255}
}

// photographed darkens a colour by place and adds grain, like a camera in bad light.
func photographed(c color.NRGBA, light func(x, y int) float64, grain float64, seed uint64) func(x, y int) color.NRGBA {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(x, y int) color.NRGBA {
		f := func(v uint8) uint8 {
			return uint8(max(0, min(255, float64(v)*light(x, y)+random.NormFloat64()*grain)))
		}
		return color.NRGBA{f(c.R), f(c.G), f(c.B), 255}
	}
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 70}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	white = color.NRGBA{255, 255, 255, 255}
	black = color.NRGBA{20, 20, 20, 255}
	none  = color.NRGBA{}
)

func TestPicturesOfSignaturesBecomeTheirStrokes(t *testing.T) {
	t.Parallel()
	even := func(int, int) float64 { return 1 }
	lamp := func(x, y int) float64 { return 0.55 + 0.45*float64(x)/900 }
	shadow := func(x, y int) float64 {
		if x+y > 700 {
			return 0.55
		}
		return 0.95
	}
	thumb := func(x, y int) float64 {
		if math.Hypot(float64(x-100), float64(y-420)) < 260 {
			return 0.6
		}
		return 0.97
	}
	s, marker, seal, small := newScribble(900, 400, 9), newScribble(900, 400, 36), newLogo(500), newScribble(90, 40, 3)
	for _, c := range []struct {
		name string
		s    scene
		file []byte
	}{
		{"scan on white paper", s, asPNG(t, s.paint(plain(white), plain(black)))},
		{"photo on white paper", s, asJPEG(t, s.paint(photographed(white, even, 6, 1), photographed(black, even, 6, 2)))},
		{"photo on grey paper", s, asJPEG(t, s.paint(photographed(color.NRGBA{150, 150, 150, 255}, even, 6, 3), photographed(black, even, 6, 4)))},
		{"photo by a lamp on one side", s, asJPEG(t, s.paint(photographed(color.NRGBA{225, 215, 195, 255}, lamp, 7, 5), photographed(color.NRGBA{30, 40, 120, 255}, lamp, 7, 6)))},
		{"photo with a shadow across", s, asJPEG(t, s.paint(photographed(white, shadow, 5, 7), photographed(black, shadow, 5, 8)))},
		{"dark strokes on a transparent background", s, asPNG(t, s.paint(plain(none), plain(color.NRGBA{18, 50, 107, 255})))},
		{"white strokes on a transparent background", s, asPNG(t, s.paint(plain(none), plain(white)))},
		{"yellow strokes on a transparent background", s, asPNG(t, s.paint(plain(none), plain(color.NRGBA{250, 240, 60, 255})))},
		{"white on dark", s, asPNG(t, s.paint(plain(color.NRGBA{25, 25, 30, 255}), plain(white)))},
		{"chalk on a board", s, asJPEG(t, s.paint(photographed(color.NRGBA{40, 60, 45, 255}, lamp, 6, 9), photographed(color.NRGBA{230, 230, 225, 255}, lamp, 6, 10)))},
		{"red strokes on yellow paper", s, asJPEG(t, s.paint(photographed(color.NRGBA{250, 235, 130, 255}, even, 5, 11), photographed(color.NRGBA{200, 30, 40, 255}, even, 5, 12)))},
		{"photo with the shadow of a thumb", s, asJPEG(t, s.paint(photographed(white, thumb, 5, 15), photographed(black, thumb, 5, 16)))},
		{"thick marker", marker, asJPEG(t, marker.paint(photographed(white, lamp, 5, 17), photographed(black, lamp, 5, 18)))},
		{"company seal in red", seal, asJPEG(t, seal.paint(photographed(white, even, 5, 19), photographed(color.NRGBA{190, 30, 50, 255}, even, 5, 20)))},
		{"company seal on a transparent background", seal, asPNG(t, seal.paint(plain(none), plain(color.NRGBA{190, 30, 50, 255})))},
		{"small scan", small, asPNG(t, small.paint(plain(white), plain(black)))},
		{"pencil", s, asJPEG(t, s.paint(photographed(color.NRGBA{245, 245, 245, 255}, even, 3, 13), photographed(gray(175), even, 3, 14)))},
		{"card cut out with round corners", s, asPNG(t, s.paint(func(x, y int) color.NRGBA {
			dx, dy := max(0, max(60-x, x-839)), max(0, max(60-y, y-339))
			if dx*dx+dy*dy > 3600 {
				return none
			}
			return color.NRGBA{210, 210, 205, 255}
		}, plain(black)))},
	} {
		m, err := decodePicture(c.file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := extractMask(m)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.w != c.s.w || got.h != c.s.h { // the margins of a transparent background were removed
			got = got.placedIn(c.s)
		}
		kept, grain := c.s.compare(got)
		if kept < 0.9 || grain > 0.005 || got.coverage() > MaxCoverage {
			t.Errorf("%s: %.1f %% of the strokes are left, %.2f %% of the background became strokes, coverage %.2f", c.name, 100*kept, 100*grain, got.coverage())
		}
	}
}

// placedIn moves a mask whose margins were removed back to the place of the strokes in a scene.
func (m *mask) placedIn(s scene) *mask {
	whole := &mask{s.w, s.h, make([]byte, s.w*s.h)}
	for i, inked := range s.strokes {
		if inked {
			whole.pix[i] = 255
		}
	}
	seen := visibleBounds(s.paint(plain(none), plain(black)))
	at := withMargin(seen, image.Rect(0, 0, s.w, s.h)).Min
	clear(whole.pix)
	for y := range m.h {
		copy(whole.pix[(y+at.Y)*s.w+at.X:][:m.w], m.pix[y*m.w:][:m.w])
	}
	return whole
}

// compare returns the share of the strokes that a mask has, and the share of the background, two pixels from any
// stroke, that it took for strokes.
func (s scene) compare(m *mask) (kept, grain float64) {
	var strokes, hits, background, false_ float64
	for i, inked := range s.strokes {
		x, y := i%s.w, i/s.w
		if inked {
			strokes++
			if m.pix[i] >= 128 {
				hits++
			}
			continue
		}
		near := false
		for yy := max(0, y-2); yy < min(s.h, y+3) && !near; yy++ {
			for xx := max(0, x-2); xx < min(s.w, x+3); xx++ {
				near = near || s.strokes[yy*s.w+xx]
			}
		}
		if near {
			continue
		}
		background++
		if m.pix[i] > 0 {
			false_++
		}
	}
	return hits / strokes, false_ / background
}

func TestPictureWithoutStrokesIsRefused(t *testing.T) {
	t.Parallel()
	nothing := scene{600, 300, make([]bool, 600*300)}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"a white page", asPNG(t, nothing.paint(plain(white), plain(black))), ErrNoStrokes},
		{"a black page", asPNG(t, nothing.paint(plain(black), plain(black))), ErrNoStrokes},
		{"a photo of a white page", asJPEG(t, nothing.paint(photographed(white, func(x, _ int) float64 { return 0.7 + 0.3*float64(x)/600 }, 5, 1), plain(black))), ErrNoStrokes},
		{"nothing at all", asPNG(t, nothing.paint(plain(none), plain(black))), ErrNoStrokes},
		{"an opaque block on a transparent background", asPNG(t, nothing.paint(func(x, y int) color.NRGBA {
			if x > 50 && x < 550 && y > 50 && y < 250 {
				return black
			}
			return none
		}, plain(black))), ErrNoStrokes},
		{"a picture that is black up to its middle", asPNG(t, nothing.paint(func(x, _ int) color.NRGBA {
			if x < 300 {
				return black
			}
			return white
		}, plain(black))), ErrNoStrokes},
		{"stripes that fill half of the picture", asPNG(t, nothing.paint(func(x, _ int) color.NRGBA {
			if x%8 < 4 {
				return black
			}
			return none
		}, plain(black))), ErrTooDense},
	} {
		s, err := ExtractStrokes(c.file)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
			if s != nil {
				t.Logf("coverage %.2f", s.Coverage)
			}
		}
	}
}

func TestMarginsAreCutAsFarAsTheCoverageAllows(t *testing.T) {
	t.Parallel()
	line := scene{900, 400, make([]bool, 900*400)}
	for x := 200; x < 700; x++ {
		for y := 195; y < 205; y++ {
			line.strokes[y*900+x] = true
		}
	}
	for name, file := range map[string][]byte{
		"on white": asPNG(t, line.paint(plain(white), plain(black))), "on nothing": asPNG(t, line.paint(plain(none), plain(black))),
	} {
		s, err := ExtractStrokes(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Coverage > MaxCoverage || s.Coverage < MaxCoverage-0.1 || s.Width > 520 || s.Height > 40 {
			t.Errorf("%s: a straight line became %d by %d pixels, %.2f of them covered", name, s.Width, s.Height, s.Coverage)
		}
	}
}

func TestThePictureOfStrokesHasOneDarkColour(t *testing.T) {
	t.Parallel()
	s, err := ExtractStrokes(asJPEG(t, newScribble(500, 200, 6).paint(plain(white), plain(color.NRGBA{200, 20, 20, 255}))))
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.PNG()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	inked := 0
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			if c.A == 0 {
				continue
			}
			inked++
			if c.R != strokeColor.R || c.G != strokeColor.G || c.B != strokeColor.B {
				t.Fatalf("colour %v at %d, %d", c, x, y)
			}
		}
	}
	if share := float64(inked) / float64(s.Width*s.Height); math.Abs(share-s.Coverage) > 1e-9 || inked == 0 {
		t.Errorf("%.3f is covered, stated is %.3f", share, s.Coverage)
	}
}

func BenchmarkStrokesOfAPhoto(b *testing.B) {
	s := newScribble(2400, 1700, 20)
	file := asJPEG(b, s.paint(photographed(white, func(x, _ int) float64 { return 0.6 + float64(x)/6000 }, 6, 1), plain(black)))
	for b.Loop() {
		if _, err := ExtractStrokes(file); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAJPEGOfManyScansIsRefusedBeforeItIsDecoded(t *testing.T) {
	t.Parallel()
	file := asJPEG(t, newScribble(200, 100, 4).paint(plain(white), plain(black)))
	scan := []byte{0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0x3F, 0}
	if _, err := ExtractStrokes(append(file[:len(file)-2], bytes.Repeat(scan, maxScans)...)); !errors.Is(err, ErrImage) {
		t.Errorf("%v", err)
	}
}
