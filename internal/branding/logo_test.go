package branding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"segel/internal/contract"
)

func encoded(t testing.TB, width, height int, at func(x, y int) color.NRGBA) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, at(x, y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func red(int, int) color.NRGBA { return color.NRGBA{200, 20, 40, 255} }

func TestLogoIsEncodedAgainSoThatNothingElseOfTheFileIsKept(t *testing.T) {
	t.Parallel()
	file := append(encoded(t, 1200, 300, red), "<script>alert(1)</script>"...)
	l, err := ReadLogo(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(l.Image, []byte("script")) || len(l.Address) != 64 || MediaType(l.Image) != "image/png" {
		t.Errorf("%d bytes, %q, %s", len(l.Image), l.Address, MediaType(l.Image))
	}
	size, err := decodeSize(l.Image)
	if err != nil || size.Width != 480 || size.Height != 120 {
		t.Errorf("%d by %d, %v", size.Width, size.Height, err)
	}
	again, err := ReadLogo(t.Context(), encoded(t, 1200, 300, red))
	if err != nil || again.Address != l.Address {
		t.Errorf("the same pixels have the address %q, %v", again.Address, err)
	}
}

func TestAnyLogoBecomesSmall(t *testing.T) {
	t.Parallel()
	noise := func(x, y int) color.NRGBA {
		n := uint32(x*7919+y*104729) * 2654435761
		return color.NRGBA{byte(n >> 8), byte(n >> 16), byte(n >> 24), 255}
	}
	clear := func(x, y int) color.NRGBA {
		c := noise(x, y)
		c.A = byte(x)
		return c
	}
	for name, file := range map[string][]byte{"opaque": encoded(t, 400, 300, noise), "with transparency": encoded(t, 400, 300, clear), "one pixel": encoded(t, 1, 1, red), "a line": encoded(t, 2000, 1, red)} {
		l, err := ReadLogo(t.Context(), file)
		if err != nil || len(l.Image) > storedBytes {
			t.Errorf("%s: %d bytes, %v", name, len(l.Image), err)
			continue
		}
		if p, err := CardPicture(l.Image); err != nil || p.Size() > cardBytes {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNoLogoIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	good := encoded(t, 40, 30, red)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a JPEG":             {photo.Bytes(), ""},
		"SVG":                {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "logo.svg"},
		"GIF":                {[]byte("GIF89a"), "logo.not_picture"},
		"nothing":            {nil, "logo.not_picture"},
		"half of a PNG":      {good[:len(good)/2], "logo.not_picture"},
		"half of a JPEG":     {photo.Bytes()[:len(photo.Bytes())/2], "logo.not_picture"},
		"a wide picture":     {encoded(t, maxSide+1, 1, red), "logo.too_many_pixels"},
		"100,000 by 100,000": {newBomb(), "logo.too_many_pixels"},
		"a large file":       {append(bytes.Clone(good), make([]byte, MaxBytes)...), "logo.too_large"},
	} {
		_, err := ReadLogo(t.Context(), c.file)
		var e *contract.Error
		if errors.As(err, &e); e == nil && c.want != "" || e != nil && e.Code != c.want || e == nil && err != nil {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// newBomb is the header of a PNG of 100,000 by 100,000 pixels.
func newBomb() []byte {
	header := []byte("IHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00")
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(header))
}

func FuzzReadLogo(f *testing.F) {
	f.Add(encoded(f, 3, 2, red))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Add([]byte("<svg/>"))
	f.Fuzz(func(t *testing.T, file []byte) {
		l, err := ReadLogo(t.Context(), file)
		if err == nil && (len(l.Image) == 0 || len(l.Image) > storedBytes) {
			t.Errorf("%d bytes", len(l.Image))
		}
	})
}
