package pades_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// drawSignature draws something like a signature, black on nothing.
func drawSignature(t testing.TB) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 600, 240))
	for i := range 6000 {
		a := float64(i) / 6000
		x, y := 40+a*520, 120+80*math.Sin(a*19)*math.Cos(a*5)
		for dx := -3; dx <= 3; dx++ {
			for dy := -3; dy <= 3; dy++ {
				m.SetNRGBA(int(x)+dx, int(y)+dy, color.NRGBA{10, 20, 90, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
