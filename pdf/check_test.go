package pdf_test

import (
	"bytes"
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

func TestWrongEntryOfAnUnreferencedObjectIsAccepted(t *testing.T) {
	t.Parallel()
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R /Thumb 5 0 R>>", "(alone)", "(thumb)"}
	for header, want := range map[string]error{"4 0 obj": nil, "5 0 obj": pdf.ErrDamaged, "1 0 obj": pdf.ErrDamaged} {
		d, err := pdf.Open(bytes.NewReader(replace(t, tableFile(objects...)(""), header, "9 9 obj")), int64(len(tableFile(objects...)(""))), pdf.Options{})
		if err == nil {
			err = d.Check()
		}
		if !errors.Is(err, want) {
			t.Errorf("entry of %s is wrong: %v, want %v", header, err, want)
		}
	}
}

// TestNumbersDoNotEndWhileAFileIsSigned lets a file claim nearly all numbers, by /Size and by a free object.
func TestNumbersDoNotEndWhileAFileIsSigned(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	at := bytes.LastIndex(file, []byte("/Size "))
	b := append(append(bytes.Clone(file[:at]), "/Size 8388600 /Was "...), file[at+len("/Size "):]...)
	for range 20 {
		u := open(t, b).NewUpdate()
		u.Add(pdf.Boolean(true))
		b = build(t, b, u)
	}
	at = bytes.LastIndex(file, []byte("trailer"))
	b = append(append(bytes.Clone(file[:at]), "8388600 1\n0000000000 00000 f \n"...), file[at:]...)
	if err := open(t, b).Check(); !errors.Is(err, pdf.ErrTooLarge) {
		t.Errorf("a file whose numbers are used up: %v", err)
	}
}
