package appearance_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"segel/pades/appearance"
)

// photo is a JPEG file of a scene 240 by 120, a red line along the upper left and a blue one down the lower right, stored
// as a camera stores it that was held in that orientation.
func photo(t testing.TB, orientation int, order binary.AppendByteOrder) []byte {
	t.Helper()
	const w, h = 240, 120
	scene := func(x, y int) color.Color {
		switch {
		case x >= 20 && x < 110 && y >= 20 && y < 28:
			return color.RGBA{220, 20, 20, 255}
		case x >= 200 && x < 208 && y >= 70 && y < 110:
			return color.RGBA{20, 20, 220, 255}
		}
		return color.White
	}
	sw, sh := w, h
	if orientation >= 5 {
		sw, sh = h, w
	}
	stored := image.NewRGBA(image.Rect(0, 0, sw, sh))
	for y := range sh {
		for x := range sw {
			// Where the pixel that is stored here is in the scene: Exif names the edge of the scene that row 0 and
			// column 0 are.
			at := [8][2]int{{x, y}, {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y}, {y, x}, {w - 1 - y, x}, {w - 1 - y, h - 1 - x}, {y, h - 1 - x}}[orientation-1]
			stored.Set(x, y, scene(at[0], at[1]))
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, stored, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	tiff := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x0100, 7}, {0x0112, uint16(orientation)}} {
		tiff = order.AppendUint16(order.AppendUint16(tiff, entry[0]), 3)
		tiff = order.AppendUint16(order.AppendUint32(tiff, 1), entry[1])
		tiff = append(tiff, 0, 0)
	}
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(body)+2))
	return bytes.Join([][]byte{b.Bytes()[:2], segment, body, b.Bytes()[2:]}, nil)
}

func TestPhotographsAreRotatedAsTheCameraWasHeld(t *testing.T) {
	t.Parallel()
	for orientation := 1; orientation <= 8; orientation++ {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			m := must[*appearance.Strokes](t)(appearance.ExtractStrokes(photo(t, orientation, order)))
			if m.Width < 184 || m.Width > 192 || m.Height < 86 || m.Height > 94 {
				t.Fatalf("orientation %d: %d by %d", orientation, m.Width, m.Height)
			}
			shown := must[image.Image](t)(png.Decode(bytes.NewReader(must[[]byte](t)(m.PNG()))))
			inked := func(x, y int) bool {
				_, _, _, a := shown.At(x, y).RGBA()
				return a > 0
			}
			if !inked(40, 4) || !inked(m.Width-4, m.Height-20) || inked(4, 40) || inked(m.Width-40, m.Height-4) {
				t.Errorf("orientation %d: the lines are not along the upper left and down the lower right", orientation)
			}
		}
	}
}

func FuzzStrokesAreExtractedOrRefused(f *testing.F) {
	f.Add(photo(f, 6, binary.BigEndian))
	f.Add(photo(f, 3, binary.LittleEndian)[:60])
	f.Add(picture(f, true, 8, 8))
	f.Add(newDecompressionBomb())
	f.Add([]byte("\xFF\xD8\xFF\xE1\x00\x10Exif\x00\x00MM\x00*\xFF\xFF\xFF\xF0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := appearance.ExtractStrokes(b)
		if err != nil {
			return
		}
		if m.Width <= 0 || m.Height <= 0 || m.Coverage <= 0 || m.Coverage > appearance.MaxCoverage {
			t.Errorf("%d by %d pixels, coverage %g", m.Width, m.Height, m.Coverage)
		}
		must[[]byte](t)(m.PNG())
	})
}
