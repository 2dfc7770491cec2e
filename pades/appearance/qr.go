package appearance

import (
	"errors"
	"fmt"

	"rsc.io/qr"

	"segel/pdf"
)

// quietZone is the empty margin around a code, in modules. Four is what the standard asks for, and readers need less.
const quietZone = 2

// QR draws a QR code for text, as large as fits into r and in its middle: dark modules on white.
func (d *Drawing) QR(r pdf.Rect, c Color, text string) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		d.setError(fmt.Errorf("QR code of %d bytes: %w", len(text), err))
		return
	}
	side := min(r.Width(), r.Height())
	module := side / float64(code.Size+2*quietZone)
	if !(module > 0) {
		d.setError(errors.New("QR code without room"))
		return
	}
	x, y := r.LLX+(r.Width()-side)/2, r.LLY+(r.Height()-side)/2
	d.Fill(Color{255, 255, 255}, Rectangle(pdf.Rect{LLX: x, LLY: y, URX: x + side, URY: y + side}))
	d.addOperation(func(w *canvas) error {
		w.buf.writeText("q\n")
		w.setColor(c, "rg")
		// One unit is one module from here on, so that all numbers are small and whole.
		w.buf.writeOperator("cm", module, 0, 0, module, x+quietZone*module, y+quietZone*module)
		for row := range code.Size {
			for from := 0; from < code.Size; from++ {
				to := from
				for to < code.Size && code.Black(to, row) {
					to++
				}
				if to > from {
					w.buf.writeOperator("re", float64(from), float64(code.Size-1-row), float64(to-from), 1)
					from = to
				}
			}
		}
		w.buf.writeText("f\nQ\n")
		return nil
	})
}
