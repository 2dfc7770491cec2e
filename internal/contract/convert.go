package contract

import (
	"fmt"
	"time"
)

// Conversion is how far a Word document is on its way to the PDF that people sign. The zero value is that of a
// document that was uploaded as PDF.
type Conversion struct {
	State    ConversionState
	Problem  string    // the code of why it failed
	Warnings []Warning // what may look different from what its author saw
}

// ConversionState is where a conversion stands.
type ConversionState string

// The states of a conversion.
const (
	Converting       ConversionState = "converting" // the document has no PDF yet; a job is at it
	ConvertedWell    ConversionState = "converted"
	ConversionFailed ConversionState = "failed" // for good: the file is the reason
)

// Refusals while there is no PDF.
var (
	ErrConverting   = Refuse(Conflict, "document.converting").With("retry_after", 2).WithRetry()
	errNotConverted = Refuse(Conflict, "document.not_converted")
)

// IsWord reports whether the document was uploaded as something else than PDF.
func (d *Document) IsWord() bool { return d.Conversion.State != "" }

// RequirePDF returns nil when there is a PDF to be seen, placed on and signed; else why not.
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

// Convert gives a Word document its PDF. Done is true when nothing is left to convert: it was converted by somebody
// faster, or its time ran out meanwhile.
//
// Durable after its commit: that the PDF is the document's base. The original stays what was uploaded.
func Convert(d *Document, base Revision, pages int, findings []Finding, warnings []Warning, l Limits, now time.Time) (c Change, done bool, err error) {
	if d.State != Draft || d.Conversion.State != Converting {
		return Change{}, true, nil
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
	return c, false, nil
}

// RecordConvertFailure records that a Word document cannot be converted. Done is as for [Convert].
func RecordConvertFailure(d *Document, code string, now time.Time) (c Change, done bool) {
	if d.State != Draft || d.Conversion.State != Converting {
		return Change{}, true
	}
	c = newChange(d)
	c.After.Conversion = Conversion{State: ConversionFailed, Problem: code}
	c.addEvent(EventConvertFailed, Actor{}, now, "problem", code)
	return c, false
}
