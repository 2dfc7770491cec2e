package identity

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// picture returns a white image, with or without a line.
func picture(t *testing.T, encode func(*bytes.Buffer, image.Image) error, line bool) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 300, 100))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for x := 40; line && x < 260; x++ {
		for y := 48; y < 53; y++ {
			m.SetGray(x, y+x/20, color.Gray{20})
		}
	}
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(b *bytes.Buffer, m image.Image) error  { return png.Encode(b, m) }
func asJPEG(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }

func TestSpecimenIsStoredAndDeleted(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	by := h.alive(t, h.login(t).Access)
	if _, err := h.Specimen(t.Context(), by, store.SignatureSpecimen); contract.KindOf(err) != contract.NotFound {
		t.Errorf("before: %v", err)
	}
	for want, b := range map[string][]byte{"image/png": picture(t, asPNG, true), "image/jpeg": picture(t, asJPEG, true)} {
		if err := h.SetSpecimen(t.Context(), by, store.SignatureSpecimen, b); err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		got, err := h.Specimen(t.Context(), by, store.SignatureSpecimen)
		if err != nil || got.Type != want || !bytes.Equal(got.Image, b) {
			t.Errorf("%s came back as %s, %v", want, got.Type, err)
		}
	}
	if _, err := h.Specimen(t.Context(), by, store.InitialsSpecimen); contract.KindOf(err) != contract.NotFound {
		t.Errorf("a signature was stored as initials: %v", err)
	}
	testing := by
	testing.Key = &contract.KeyGrant{Scopes: []contract.KeyScope{contract.ScopeSign}, Test: true}
	for what, err := range map[string]error{
		"set":    h.SetSpecimen(t.Context(), testing, store.SignatureSpecimen, picture(t, asPNG, true)),
		"delete": h.DeleteSpecimen(t.Context(), testing, store.SignatureSpecimen),
	} {
		if !errors.Is(err, contract.ErrKeyTest) {
			t.Errorf("%s with a test key: %v", what, err)
		}
	}
	if err := h.DeleteSpecimen(t.Context(), by, store.SignatureSpecimen); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Specimen(t.Context(), by, store.SignatureSpecimen); contract.KindOf(err) != contract.NotFound {
		t.Errorf("after: %v", err)
	}
}

func TestSpecimenThatCannotBecomeStrokesIsNotStored(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	by := h.alive(t, h.login(t).Access)
	if err := h.SetSpecimen(t.Context(), by, store.SignatureSpecimen, picture(t, asPNG, false)); !errors.Is(err, contract.Refuse(contract.Invalid, "specimen.no_strokes")) {
		t.Errorf("a blank page: %v", err)
	}
	if _, err := h.Specimen(t.Context(), by, store.SignatureSpecimen); contract.KindOf(err) != contract.NotFound {
		t.Errorf("kept: %v", err)
	}
}
