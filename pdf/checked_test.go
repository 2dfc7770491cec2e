package pdf_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestWrongChecksumIsAcceptedUnlessDecodingIsStrict(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write([]byte("isi"))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	right := packed.Bytes()
	wrong := bytes.Clone(right)
	wrong[len(wrong)-1] ^= 1
	b := pdftest.Table(1)
	u := open(t, b).NewUpdate()
	var refs []pdf.Ref
	for _, data := range [][]byte{right, wrong} {
		refs = append(refs, u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: data}))
	}
	b = build(t, b, u)
	d := open(t, b)
	for i, ref := range refs {
		st := must[*pdf.Stream](t)(d.Stream(ref))
		if text, err := d.Decode(st); string(text) != "isi" || err != nil {
			t.Errorf("stream %d: %q, %v", i, text, err)
		}
		if text, err := d.DecodeStrict(st); string(text) != "isi" && i == 0 || errors.Is(err, pdf.ErrDamaged) != (i == 1) {
			t.Errorf("stream %d, checked: %q, %v", i, text, err)
		}
		if from, to := st.FileRange(); !bytes.Equal(b[from:to], [][]byte{right, wrong}[i]) {
			t.Errorf("stream %d stands at %d to %d", i, from, to)
		}
	}
}
