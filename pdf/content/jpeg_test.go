package content

import (
	"bytes"
	"image"
	"image/jpeg"
	"runtime"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// This test is not parallel, as it measures what is allocated.
func TestLargeProgressivePictureIsNotDecoded(t *testing.T) {
	const w, h = 4096, 3200
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	baseline := b.Bytes()
	progressive := bytes.Replace(baseline, []byte{0xFF, 0xC0}, []byte{0xFF, 0xC2}, 1)
	file := pdftest.Table(1)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	decode := func(picture []byte) (samples int, allocated uint64) {
		p := &interpreter{Reader: NewReader(d, Limits{})}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		samples = len(p.decodeJPEG(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("DCTDecode")}, Data: picture}, w, h, 1))
		runtime.ReadMemStats(&after)
		return samples, after.TotalAlloc - before.TotalAlloc
	}
	if n, _ := decode(baseline); n != w*h {
		t.Errorf("baseline: %d samples", n)
	}
	if n, allocated := decode(progressive); n != 0 || allocated > 1<<20 {
		t.Errorf("progressive: %d samples, %d bytes allocated", n, allocated)
	}
}
