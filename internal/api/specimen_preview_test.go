package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"slices"
	"testing"
)

// linePicture is a PNG of a white line on black.
func linePicture(t *testing.T) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 120, 40))
	for x := 10; x < 110; x++ {
		for y := 18; y < 22; y++ {
			m.SetGray(x, y, color.Gray{255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestPreviewOfASpecimenShowsDarkStrokesOnATransparentGround(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	w := b.ask("POST", sBase+"specimen-preview-docs", `{"document_id":1207,"specimen":"`+linePicture(t)+`"}`, "X-Access-Token", "guest")
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var answer done[specimenPreviewData]
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	data := answer.Response.Data
	file, err := base64.StdEncoding.DecodeString(data.Picture)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	size := m.Bounds()
	middle := color.NRGBAModel.Convert(m.At(size.Dx()/2, size.Dy()/2)).(color.NRGBA)
	if _, _, _, corner := m.At(0, 0).RGBA(); corner != 0 || middle.A < 200 || middle.R > 60 || middle.G > 60 || middle.B > 90 {
		t.Errorf("the corner has alpha %d, the line has colour %v", corner, middle)
	}
	if data.DocumentID != 1207 || data.Coverage <= 0 || data.Coverage > 0.4 {
		t.Errorf("document %d, coverage %g", data.DocumentID, data.Coverage)
	}
	if asked := b.store.asked(); slices.Contains(asked, "Commit") {
		t.Errorf("something was stored: %v", asked)
	}
}

func TestPreviewOfWhatCannotBecomeStrokesIsRefused(t *testing.T) {
	t.Parallel()
	var blank bytes.Buffer
	if err := png.Encode(&blank, image.NewGray(image.Rect(0, 0, 60, 20))); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, processing())
	ask := func(specimen string) *bytes.Buffer {
		w := b.ask("POST", sBase+"specimen-preview-docs", `{"document_id":1207,"specimen":"`+specimen+`"}`)
		if w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%.20q: %d", specimen, w.Code)
		}
		return w.Body
	}
	if !bytes.Contains(ask(base64.StdEncoding.EncodeToString(blank.Bytes())).Bytes(), []byte("specimen.no_strokes")) {
		t.Error("a blank picture was refused for another reason")
	}
	if !bytes.Contains(ask("").Bytes(), []byte("value.required")) {
		t.Error("a missing picture was refused for another reason")
	}
}
