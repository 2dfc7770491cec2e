package specimen_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"segel/internal/contract"
	"segel/internal/specimen"
)

var (
	white = color.NRGBA{255, 255, 255, 255}
	black = color.NRGBA{0, 0, 0, 255}
	clear = color.NRGBA{}
)

// drawPicture is filled with a colour, with a line of another across.
func drawPicture(t *testing.T, encode func(*bytes.Buffer, image.Image) error, w, h int, ground, line color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := ground
			if x > w/8 && x < w-w/8 && y > h/2 && y < h/2+max(2, h/20) {
				c = line
			}
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stripedPicture has vertical lines that fill half of it, on a transparent ground.
func stripedPicture(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 300, 100))
	for y := range 100 {
		for x := range 300 {
			if x%10 < 5 {
				m.Set(x, y, black)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(b *bytes.Buffer, m image.Image) error  { return png.Encode(b, m) }
func asJPEG(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
func asGIF(b *bytes.Buffer, m image.Image) error  { return gif.Encode(b, m, nil) }

// claimSize returns a PNG whose header claims another size than it has.
func claimSize(b []byte, w, h uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestPicturesOfSignaturesBecomeStrokes(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"PNG on white": drawPicture(t, asPNG, 300, 100, white, black), "JPEG on white": drawPicture(t, asJPEG, 300, 100, white, black),
		"white on black": drawPicture(t, asPNG, 300, 100, black, white), "black on nothing": drawPicture(t, asPNG, 300, 100, clear, black),
		"a large one within bounds": drawPicture(t, asPNG, 4000, 1000, white, black),
	} {
		s, err := specimen.ExtractStrokes(t.Context(), b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s.Coverage <= 0 || s.Coverage > 0.4 {
			t.Errorf("%s: coverage %g", name, s.Coverage)
		}
	}
}

func TestWhatIsNotThePictureOfASignatureIsRefused(t *testing.T) {
	t.Parallel()
	whole := drawPicture(t, asPNG, 300, 100, white, black)
	for _, test := range []struct {
		name string
		b    []byte
		kind contract.Kind
		code string
	}{
		{"nothing", nil, contract.Unsupported, "specimen.not_picture"},
		{"text", []byte("<svg onload=alert(1)>"), contract.Unsupported, "specimen.not_picture"},
		{"a GIF", drawPicture(t, asGIF, 10, 10, white, black), contract.Unsupported, "specimen.not_picture"},
		{"half a PNG", whole[:len(whole)/2], contract.Unsupported, "specimen.not_picture"},
		{"the first bytes of PNG alone", whole[:8], contract.Unsupported, "specimen.not_picture"},
		{"half a JPEG", drawPicture(t, asJPEG, 300, 100, white, black)[:200], contract.Unsupported, "specimen.not_picture"},
		{"a PNG that claims too much", claimSize(whole, 60000, 60000), contract.Invalid, "specimen.too_many_pixels"},
		{"a PNG that claims too much within its sides", claimSize(whole, 3000, 3000), contract.Invalid, "specimen.too_many_pixels"},
		{"a long line", drawPicture(t, asPNG, 4001, 1, white, black), contract.Invalid, "specimen.too_many_pixels"},
		{"too large a file", append(bytes.Clone(whole), make([]byte, specimen.MaxBytes)...), contract.TooLarge, "specimen.too_large"},
		{"a blank page", drawPicture(t, asPNG, 300, 100, white, white), contract.Invalid, "specimen.no_strokes"},
		{"an opaque block", drawPicture(t, asPNG, 300, 100, black, black), contract.Invalid, "specimen.no_strokes"},
		{"a picture that is dark all over", stripedPicture(t), contract.Invalid, "specimen.too_dark"},
	} {
		_, err := specimen.ExtractStrokes(t.Context(), test.b)
		if !errors.Is(err, contract.Refuse(test.kind, test.code)) || contract.KindOf(err) != test.kind {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
