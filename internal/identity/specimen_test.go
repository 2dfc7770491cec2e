package identity

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"segel/internal/contract"
)

func picture(t *testing.T, encode func(*bytes.Buffer, image.Image) error, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), twoColours)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var twoColours = color.Palette{color.Black, color.White}

func asPNG(b *bytes.Buffer, m image.Image) error  { return png.Encode(b, m) }
func asJPEG(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
func asGIF(b *bytes.Buffer, m image.Image) error  { return gif.Encode(b, m, nil) }

// claiming returns a PNG whose header claims another size than it has.
func claiming(b []byte, w, h uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestASpecimenIsKeptAndForgotten(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	by := h.alive(t, h.login(t).Access)
	if _, err := h.Specimen(t.Context(), by); contract.KindOf(err) != contract.NotFound {
		t.Errorf("before: %v", err)
	}
	for want, b := range map[string][]byte{"image/png": picture(t, asPNG, 300, 100), "image/jpeg": picture(t, asJPEG, 300, 100)} {
		if err := h.SetSpecimen(t.Context(), by, b); err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		got, err := h.Specimen(t.Context(), by)
		if err != nil || got.Type != want || !bytes.Equal(got.Image, b) {
			t.Errorf("%s came back as %s, %v", want, got.Type, err)
		}
	}
	if err := h.DeleteSpecimen(t.Context(), by); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Specimen(t.Context(), by); contract.KindOf(err) != contract.NotFound {
		t.Errorf("after: %v", err)
	}
}

func TestWhatIsNoPictureOfASignatureIsRefused(t *testing.T) {
	t.Parallel()
	whole := picture(t, asPNG, 300, 100)
	for _, test := range []struct {
		name string
		b    []byte
		kind contract.Kind
	}{
		{"nothing", nil, contract.Unsupported},
		{"text", []byte("<svg onload=alert(1)>"), contract.Unsupported},
		{"a GIF", picture(t, asGIF, 10, 10), contract.Unsupported},
		{"half a PNG", whole[:len(whole)/2], contract.Unsupported},
		{"a signature of PNG alone", whole[:8], contract.Unsupported},
		{"half a JPEG", picture(t, asJPEG, 300, 100)[:200], contract.Unsupported},
		{"a PNG that claims too much", claiming(whole, 60000, 60000), contract.Invalid},
		{"a PNG that claims too much within its sides", claiming(whole, 3000, 3000), contract.Invalid},
		{"a long line", picture(t, asPNG, 4001, 1), contract.Invalid},
		{"too large a file", append(bytes.Clone(whole), make([]byte, MaxSpecimen)...), contract.TooLarge},
	} {
		if err := CheckPicture(test.b); contract.KindOf(err) != test.kind {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := CheckPicture(picture(t, asPNG, 4000, 1000)); err != nil {
		t.Errorf("a large one within bounds: %v", err)
	}
}
