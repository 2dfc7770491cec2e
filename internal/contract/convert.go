package contract

import (
	"fmt"
	"time"
)

// Conversion is the state of converting a Word document to the PDF that people sign. The zero value is that of a
// document uploaded as PDF.
type Conversion struct {
	State    ConversionState
	Problem  string    // code of the reason why it failed
	Warnings []Warning // what may look different from the Word document
}

// ConversionState is the state of a conversion.
type ConversionState string

// The states of a conversion.
const (
	Converting       ConversionState = "converting" // the document has no PDF yet; a job is converting it
	ConvertedWell    ConversionState = "converted"
	ConversionFailed ConversionState = "failed" // permanently, because of the file
)

// Refusals while the document has no PDF.
var (
	ErrConverting   = Refuse(Conflict, "document.converting").With("retry_after", 2).WithRetry()
	errNotConverted = Refuse(Conflict, "document.not_converted")
)

// IsWord reports whether the document was uploaded in another format than PDF.
func (d *Document) IsWord() bool { return d.Conversion.State != "" }

// RequirePDF returns nil if there is a PDF to view, place on and sign; else the reason why not.
func (d *Document) RequirePDF() error {
	switch {
	case len(d.Revisions) > 0:
		return nil
	case d.Conversion.State == Converting:
		return ErrConverting
	case d.Conversion.Problem != "":
		return Refuse(Invalid, d.Conversion.Problem)
	}
	return errNotConverted
}

// Convert gives a Word document its PDF. Changed is false if there is nothing left to convert: another writer was faster,
// or the document has expired.
//
// Durable after its commit: that the PDF is the document's base. The original stays the uploaded file.
func Convert(d *Document, base Revision, pages int, findings []Finding, warnings []Warning, l Limits, now time.Time) (c Change, changed bool, err error) {
	if d.State != Draft || d.Conversion.State != Converting {
		return Change{}, false, nil
	}
	if pages > l.Pages {
		return Change{}, false, Refuse(Invalid, "document.too_many_pages").With("limit", l.Pages).With("pages", pages)
	}
	c = newChange(d)
	c.After.Conversion = Conversion{State: ConvertedWell, Warnings: warnings}
	c.After.Pages = pages
	c.After.Findings, c.After.Examined = findings, true
	if err := c.AppendRevision(base); err != nil {
		return Change{}, false, err
	}
	c.addEvent(EventConverted, Actor{}, now, "original", fmt.Sprintf("%x", d.Original.Digest), "digest", fmt.Sprintf("%x", base.Digest), "findings", findingCodes(findings))
	return c, true, nil
}

// RecordConvertFailure records that a Word document cannot be converted. Changed is as for [Convert].
func RecordConvertFailure(d *Document, code string, now time.Time) (c Change, changed bool) {
	if d.State != Draft || d.Conversion.State != Converting {
		return Change{}, false
	}
	c = newChange(d)
	c.After.Conversion = Conversion{State: ConversionFailed, Problem: code}
	c.addEvent(EventConvertFailed, Actor{}, now, "problem", code)
	return c, true
}
