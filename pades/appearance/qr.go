package appearance

import (
	"errors"
	"fmt"

	"rsc.io/qr"

	"segel/pdf"
)

// quietZone is the empty margin around a code, in modules. The standard asks for four; readers need less.
const quietZone = 2

// qrCode is a QR code as a resource of a drawing. Equal ones are one object of a file.
type qrCode struct{ text string }

// encodeText returns the smallest code for the text, with as much error correction as its size has room for, up to level M.
func (q qrCode) encodeText() (*qr.Code, error) {
	code, err := qr.Encode(q.text, qr.L)
	if err == nil {
		var m *qr.Code
		if m, err = qr.Encode(q.text, qr.M); err == nil && m.Size == code.Size {
			code = m
		}
	}
	if err != nil {
		return nil, fmt.Errorf("QR code of %d bytes: %w", len(q.text), err)
	}
	return code, nil
}

// leastCodeSide is the side in points of the smallest code for a text that can be scanned, with its quiet zone.
func leastCodeSide(text string) (float64, error) {
	code, err := qrCode{text}.encodeText()
	if err != nil {
		return 0, err
	}
	return float64(code.Size+2*quietZone) * leastModule, nil
}

// QR draws a QR code for text, as large as fits into r and centred: dark modules on white.
func (d *Drawing) QR(r pdf.Rect, c Color, text string) {
	side := min(r.Width(), r.Height())
	x, y := r.LLX+(r.Width()-side)/2, r.LLY+(r.Height()-side)/2
	square := pdf.Rect{LLX: x, LLY: y, URX: x + side, URY: y + side}
	if side > 0 {
		d.Fill(Color{255, 255, 255}, Rectangle(square))
	}
	d.addQR(square, c, text)
}

// addQR draws the dark modules of a QR code for text in a square, and the quiet zone around them.
func (d *Drawing) addQR(r pdf.Rect, c Color, text string) {
	code, err := qrCode{text}.encodeText()
	if err != nil {
		d.setError(err)
		return
	}
	module := r.Width() / float64(code.Size+2*quietZone)
	if !(module > 0) {
		d.setError(errors.New("no space for QR code"))
		return
	}
	d.addOperation(func(w *canvas) error {
		w.buf.writeText("q\n")
		w.setColor(c, "rg")
		w.buf.writeOperator("cm", module, 0, 0, module, r.LLX+quietZone*module, r.LLY+quietZone*module)
		w.buf.writeText("/" + string(w.addObject(qrCode{text})) + " Do\nQ\n")
		return nil
	})
}

// object returns the dark modules as a form XObject: squares with a side of 1, painted in the current colour.
func (q qrCode) object(bool) (*pdf.Stream, error) {
	code, err := q.encodeText()
	if err != nil {
		return nil, err
	}
	var b contentBuffer
	for row := range code.Size {
		for from := 0; from < code.Size; from++ {
			to := from
			for to < code.Size && code.Black(to, row) {
				to++
			}
			if to > from {
				b.writeOperator("re", float64(from), float64(code.Size-1-row), float64(to-from), 1)
				from = to
			}
		}
	}
	b.writeText("f\n")
	side := float64(code.Size)
	return &pdf.Stream{Data: b.Bytes(), Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: side, URY: side}.Array(), "Resources": pdf.Dict{},
	}}, nil
}
