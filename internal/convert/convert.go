// Package convert is the interface for converting Word documents to PDF. It has two implementations: package
// libreoffice runs LibreOffice in a sandbox, package gotenberg uses a service that runs it.
//
// The resulting PDF is as untrusted as the document: the converter has parsed a file of unknown origin, and the caller
// examines the PDF like any upload.
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
	DOCX Kind = "docx" // an Office Open XML package with a wordprocessing main part
	DOC  Kind = "doc"  // the binary format of Word 97 to 2003
)

// Converter converts Word documents to PDF. It is safe for concurrent use; how many documents it converts at a time is
// its own decision.
type Converter interface {
	// Convert reads a document of that kind and writes its PDF to out. After an error, what was written must be
	// discarded.
	//
	// ErrUnreadable, ErrTooLong and ErrTooLarge are caused by the document: retrying does not help. ErrUnavailable is
	// temporary. ErrMissing must be fixed by the operator.
	Convert(ctx context.Context, kind Kind, in io.Reader, out io.Writer) error

	// CheckAvailable returns why no document can be converted, as far as is known; nil if there is no known reason.
	CheckAvailable() error

	// FontFamilies returns the names of the font families that it can draw with, in any case; nil if it does not know.
	FontFamilies() []string
}

// Errors of every converter.
var (
	ErrUnreadable  = errors.New("the converter cannot read the document")
	ErrTooLong     = errors.New("converting takes too long")
	ErrTooLarge    = errors.New("the converted document is too large")
	ErrUnavailable = errors.New("the converter does not answer")
	ErrMissing     = errors.New("no converter is available")
)
