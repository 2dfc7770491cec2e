// Package convert is the contract of what turns Word documents into PDF. Two implementations exist: package libreoffice
// runs LibreOffice inside a fence, package gotenberg asks a service that does.
//
// Whatever comes back is as untrusted as what went in: the converter has read a stranger's file, and the caller
// examines its PDF like any upload.
package convert

import (
	"context"
	"errors"
	"io"
)

// Kind is what a file is, by its content.
type Kind string

// The kinds of Word document.
const (
	DOCX Kind = "docx" // a package of Office Open XML with a wordprocessing main part
	DOC  Kind = "doc"  // the binary format of Word 97 to 2003
)

// Converter makes PDFs of Word documents. It may be called by many at once; how many it works on is its own matter.
type Converter interface {
	// Convert reads a document of that kind and writes its PDF to out. After an error, what was written is
	// worthless.
	//
	// ErrUnreadable, ErrTooLong and ErrTooLarge are the document's fault: trying again does not help.
	// ErrUnavailable is not, and passes. ErrMissing is the operator's to mend.
	Convert(ctx context.Context, kind Kind, in io.Reader, out io.Writer) error

	// CheckAvailable returns why no document can be converted, as far as is known; nil while nothing speaks against it.
	CheckAvailable() error

	// FontFamilies returns the names of the font families it can draw with, in any case of letters; nil where it
	// cannot tell.
	FontFamilies() []string
}

// Errors of every converter.
var (
	ErrUnreadable  = errors.New("the converter cannot read the document")
	ErrTooLong     = errors.New("converting takes too long")
	ErrTooLarge    = errors.New("the converted document is too large")
	ErrUnavailable = errors.New("the converter does not answer")
	ErrMissing     = errors.New("there is no converter")
)
