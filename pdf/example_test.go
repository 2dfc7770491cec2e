package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func ExampleOpen() {
	file := pdftest.Form() // any io.ReaderAt and its size
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if errors.Is(err, pdf.ErrPasswordNeeded) {
		log.Fatal("open it with Options.Password")
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := doc.Check(); err != nil {
		log.Fatal(err)
	}
	facts := doc.Properties()
	fmt.Println("version", facts.Version, "objects", facts.Objects, "form", facts.HasForm, "encrypted", facts.Encrypted)

	page, err := doc.Page(1)
	if err != nil {
		log.Fatal(err)
	}
	width, height := page.DisplayedSize()
	fmt.Printf("page 1 shows %.0f x %.0f points\n", width, height)

	fields, err := doc.Fields()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range fields {
		fmt.Println("field", f.Name, "of type", f.Type)
	}
	// Output:
	// version 1.7 objects 13 form true encrypted false
	// page 1 shows 595 x 842 points
	// field name of type Tx
	// field group.agree of type Btn
}

func ExampleDocument_Rewrite() {
	// A mail gateway added a header before the file, and cut off its end.
	whole := pdftest.Table(2)
	file := append([]byte("Received: by mx.example.test\r\n\r\n"), whole[:len(whole)-60]...)

	source, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Repair: true})
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	done, err := source.Rewrite(&out, pdf.RewriteOptions{Version: "1.6"})
	switch {
	case errors.Is(err, pdf.ErrSigned):
		log.Fatal("its signatures would not survive")
	case err != nil:
		log.Fatal(err)
	}
	// The result is an undamaged file that shows the same.
	repaired, err := pdf.Open(bytes.NewReader(out.Bytes()), done.Size, pdf.Options{})
	if err == nil {
		err = repaired.Check()
	}
	if err == nil {
		err = pdf.RequireEquivalent(source, repaired)
	}
	fmt.Println("repaired", source.Properties().Repaired, "objects", done.Objects, "trouble", err)
	// Output: repaired true objects 7 trouble <nil>
}

func ExampleDocument_NewUpdate() {
	file := pdftest.Table(1)
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := doc.Page(1)
	if err != nil {
		log.Fatal(err)
	}
	update := doc.NewUpdate()
	note := update.Add(pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Text"), "Contents": pdf.TextString("Sudah dibaca"),
		"Rect": page.ToUser(pdf.Rect{LLX: 20, LLY: 20, URX: 40, URY: 40}).Array(),
	})
	if err := update.Append(page.Ref, "Annots", note); err != nil {
		log.Fatal(err)
	}
	tail, err := update.Build()
	if err != nil {
		log.Fatal(err)
	}
	file = append(file, tail.Bytes...)
	revisions, err := reopened(file).Revisions()
	fmt.Println("revisions", len(revisions), "trouble", err)
	// Output: revisions 2 trouble <nil>
}

func reopened(file []byte) *pdf.Document {
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return doc
}
