package appearance_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"segel/pades/appearance"
)

// photo is a JPEG file of a scene 48 by 24, red at the upper left and blue at the lower right, stored as a camera
// stores it that was held in that orientation.
func photo(t testing.TB, orientation int, order binary.AppendByteOrder) []byte {
	t.Helper()
	const w, h = 48, 24
	scene := func(x, y int) color.Color {
		switch {
		case x < w/2 && y < h/2:
			return color.RGBA{220, 20, 20, 255}
		case x >= w/2 && y >= h/2:
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

func TestPhotographsStandAsTheCameraWasHeld(t *testing.T) {
	t.Parallel()
	for orientation := 1; orientation <= 8; orientation++ {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			m := must[*appearance.Image](t)(appearance.Encode(photo(t, orientation, order)))
			if m.Width != 48 || m.Height != 24 {
				t.Fatalf("orientation %d: %d by %d", orientation, m.Width, m.Height)
			}
			shown := must[image.Image](t)(jpeg.Decode(bytes.NewReader(m.Pixels)))
			r, _, b, _ := shown.At(10, 5).RGBA()
			r2, _, b2, _ := shown.At(40, 18).RGBA()
			if r>>8 < 150 || b>>8 > 100 || r2>>8 > 100 || b2>>8 < 150 {
				t.Errorf("orientation %d: red is not at the upper left, or blue not at the lower right", orientation)
			}
		}
	}
}

func FuzzPicturesAreEncodedOrRefused(f *testing.F) {
	f.Add(photo(f, 6, binary.BigEndian))
	f.Add(photo(f, 3, binary.LittleEndian)[:60])
	f.Add(picture(f, true, 8, 8))
	f.Add(bomb())
	f.Add([]byte("\xFF\xD8\xFF\xE1\x00\x10Exif\x00\x00MM\x00*\xFF\xFF\xFF\xF0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := appearance.Encode(b); err == nil && (m.Width <= 0 || m.Height <= 0 || len(m.Pixels) == 0) {
			t.Errorf("%d by %d pixels, %d bytes", m.Width, m.Height, len(m.Pixels))
		}
	})
}
