package pdf_test

import (
	"errors"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestCheckRefusesSomethingElseInAPagesPlace(t *testing.T) {
	t.Parallel()
	sound := pdftest.Table(1)
	if err := open(t, sound).Check(); err != nil {
		t.Fatal(err)
	}
	odd := replace(t, sound, "/Type /Page /Parent", "/Type /Font /Parent")
	if err := open(t, odd).Check(); !errors.Is(err, pdf.ErrDamaged) {
		t.Errorf("a font in a page's place: %v", err)
	}
}
