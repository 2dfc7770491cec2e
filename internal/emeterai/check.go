package emeterai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// CheckStampedFile checks the file that the office returned for a request, before it becomes a revision: that it
// extends our source by one or two increments; that the first contains exactly one new signature with the ordered
// serial, page and box, that this signature verifies, and that nothing else in the document changed; that the second
// adds nothing but validation data. Each increment is checked separately: a reader that looks up what was signed shows
// the state after the first one.
//
// It returns a [*Problem]. The class is Unknown if the bytes are not a PDF, for example because the transfer was cut
// off (the serial is affixed, and stamping again costs nothing), or if our source cannot be read at the moment; else
// Quarantine, with the returned file.
//
// Package [segel/pades/validate/diff] lists the changes of an increment, so that a file accepted here is also accepted
// by a later validation of the document; this package only decides which changes were ordered. The signature is
// verified here because that costs only the tail: a validation hashes the whole file.
//
// It does not check whose certificate signed: trust anchors are configuration.
//
// It returns the opened file for further use; the file retains tail and reads the rest from the request's source.
func CheckStampedFile(ctx context.Context, want Request, tail []byte) (*pdf.Document, error) {
	c, err := newStampCheck(want, tail)
	if err != nil {
		return nil, &Problem{Class: Unknown, Code: CodeReturn, Text: "the returned file cannot be read", Err: err}
	}
	compared := func() error { return c.checkIncrements(ctx) }
	for _, check := range []func() error{compared, c.findSignature, c.checkPlace, c.checkSignatureEntries, c.checkFirstIncrement, c.verifySignature, c.checkSecondIncrement} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := check(); err != nil {
			var retry *Problem
			if ctx.Err() != nil || errors.As(err, &retry) {
				return nil, cmp.Or(ctx.Err(), err)
			}
			return nil, &Problem{Class: Quarantine, Code: CodeReturn, Text: "the returned file is not what was ordered", Evidence: newEvidence(want, tail), Err: err}
		}
	}
	return c.stamped, nil
}

// stampCheck holds the states of the document and what the checks have found.
type stampCheck struct {
	want    Request
	tail    []byte        // the returned bytes after the source
	file    io.ReaderAt   // source and tail
	source  *pdf.Document // as it was sent
	stamped *pdf.Document // after the last increment

	increments []increment    // of the tail: the stamp, and perhaps validation data
	signature  *pdf.Signature // the new signature
}

func newStampCheck(want Request, tail []byte) (*stampCheck, error) {
	c := &stampCheck{want: want, tail: tail, file: want.Source.WithTail(tail).R}
	var err error
	if c.source, err = want.OpenSource(); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if c.stamped, err = pdf.Open(c.file, want.Source.Size+int64(len(tail)), want.Source.OpenOptions); err != nil {
		return nil, err
	}
	if n := c.stamped.Properties().JunkAfter; n > 0 {
		return nil, fmt.Errorf("%d bytes after the end", n)
	}
	return c, nil
}

// checkIncrements checks that the tail continues our revisions and adds one or two, and compares them.
func (c *stampCheck) checkIncrements(ctx context.Context) error {
	old, err := c.source.Revisions()
	if err != nil {
		return err
	}
	all, err := c.stamped.Revisions()
	if err != nil {
		return err
	}
	if len(old) == 0 || old[len(old)-1].EOF == 0 {
		return errors.New("the source has no revision with an end")
	}
	if n := len(all) - len(old); n != 1 && n != 2 {
		return fmt.Errorf("%d increments", n)
	}
	for i, r := range old {
		if all[i].StartXref != r.StartXref || all[i].EOF != r.EOF {
			return errors.New("it does not continue the source")
		}
	}
	added := all[len(old):]
	for _, r := range added {
		if r.StartXref < c.want.Source.Size || r.EOF <= r.StartXref {
			return errors.New("an increment lies within the source")
		}
	}
	return c.compareIncrements(ctx, added)
}

// checkFirstIncrement checks the first increment, which adds the stamp's field.
func (c *stampCheck) checkFirstIncrement() error {
	if err := c.increments[0].checkCatalog(c.source); err != nil {
		return err
	}
	return c.increments[0].checkChanges(FieldName(c.want.Serial))
}

// checkSecondIncrement checks the second increment, if there is one.
func (c *stampCheck) checkSecondIncrement() error {
	if len(c.increments) == 1 {
		return nil
	}
	if err := errors.Join(c.increments[1].checkCatalog(c.increments[0].Document), c.increments[1].checkChanges("")); err != nil {
		return fmt.Errorf("second increment: %w", err)
	}
	return nil
}

// newEvidence returns the whole returned file. It retains tail, and reads the source again when it is opened.
func newEvidence(want Request, tail []byte) *Evidence {
	whole := want.Source.WithTail(tail)
	return &Evidence{Size: want.Source.Size + int64(len(tail)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(whole.R, 0, whole.Size)), nil
	}}
}

// increment is a revision of the tail: the document after it, and the changes it made.
type increment struct {
	*pdf.State
	changes []diff.Change
}

// maxChangedObjects bounds the objects that one increment may change. A stamp changes about twenty.
const maxChangedObjects = 20_000

// compareIncrements compares every increment of the tail with the state before it, the first with our source, which is
// read completely for that. It returns a retryable [*Problem] if our source cannot be read.
func (c *stampCheck) compareIncrements(ctx context.Context, added []pdf.Revision) error {
	err := c.walkRevisions(ctx, added)
	var damaged *pdf.Error
	if err == nil || errors.As(err, &damaged) {
		return err
	}
	return &Problem{Class: Unknown, Code: CodeReturn, Text: "the returned file could not be checked", Err: err}
}

// walkRevisions goes through the states of the file up to the last one. Errors are those of package pdf, or of the
// reader.
func (c *stampCheck) walkRevisions(ctx context.Context, added []pdf.Revision) error {
	h, err := c.stamped.History("", maxChangedObjects)
	if err != nil {
		return err
	}
	var state *pdf.State
	var o diff.Options
	for range len(h.Revisions()) - len(added) {
		if state, err = h.Next(); err != nil {
			return fmt.Errorf("source: %w", err)
		}
		o.Containers = append(o.Containers, state.ObjectStreams...)
	}
	for _, r := range added {
		entries, err := c.stamped.RevisionEntries(r)
		if err != nil {
			return err
		}
		for _, e := range entries[:min(len(entries), maxChangedObjects)] {
			o.Changed = append(o.Changed, e.Ref.Number)
		}
	}
	comparer, err := diff.NewComparer(ctx, state, o)
	if err != nil {
		return err
	}
	for range added {
		if state, err = h.Next(); err != nil {
			return err
		}
		changes, err := comparer.Step(state)
		if err != nil {
			return err
		}
		c.increments = append(c.increments, increment{state, changes})
	}
	return nil
}

// allowedChanges are the changes that a stamp may make besides its field: the lists that lead to it, its picture,
// validation data, and metadata, which no page shows. Signing or filling in an existing field, a timestamp and
// additions to the structure tree are permitted by the rules of validation, but were not ordered.
var allowedChanges = map[diff.Code]bool{
	diff.CodeCatalog: true, diff.CodeForm: true, diff.CodePage: true, diff.CodeAnnotations: true, diff.CodeAppearance: true, diff.CodeStore: true,
	diff.CodeExtensions: true, diff.CodeMetadata: true, diff.CodeInformation: true,
	diff.CodeTrailer: true, diff.CodeCrossReference: true, diff.CodeUnreachable: true, diff.CodeUnchanged: true,
}

// checkChanges checks that an increment changed only what a stamp needs. Field is the stamp's field; empty: the
// increment adds none.
func (i increment) checkChanges(field string) error {
	size, err := i.Integer(i.Trailer()["Size"])
	if err != nil {
		return err
	}
	for _, c := range i.changes {
		switch {
		// A later increment may define objects above /Size, so this one must not.
		case int64(c.Ref.Number) >= size:
			return fmt.Errorf("object %v lies above /Size %d", c.Ref, size)
		case c.Level <= diff.LTA && allowedChanges[c.Code]:
		case c.Level <= diff.FormFilling && allowedChanges[c.Code] && field != "":
		case c.Level <= diff.FormFilling && c.Code == diff.CodeSignatureField && c.Field == field:
		default:
			return changeError(c)
		}
	}
	return nil
}

// changeError returns an error that describes a change.
func changeError(c diff.Change) error {
	what := strings.Join(c.Paths, ", ")
	switch {
	case c.Operation == diff.Oddity:
		what = "the increment"
	case what == "":
		what = "object " + c.Ref.String()
	}
	if c.Field != "" {
		what += fmt.Sprintf(" (field %q)", c.Field)
	}
	return fmt.Errorf("%s: %s, %s %s", what, c.Operation, c.Code, c.Detail)
}

// allowedCatalogEntries are the entries of the catalog that a stamp may change; the rules of validation know others
// that have no visible effect.
var allowedCatalogEntries = map[pdf.Name]bool{"AcroForm": true, "DSS": true, "Extensions": true, "Version": true, "Metadata": true}

// checkCatalog checks that an increment did not change the other entries of the catalog, or what they lead to.
func (i increment) checkCatalog(before *pdf.Document) error {
	root, old, err := before.Root()
	if err != nil {
		return err
	}
	_, now, err := i.Root()
	if err != nil {
		return err
	}
	for _, key := range diff.Differing(old, now) {
		if !allowedCatalogEntries[key] {
			return fmt.Errorf("/%s of the catalog was changed", key)
		}
	}
	for _, c := range i.changes {
		if c.Code == diff.CodeExtensions && c.Ref != root {
			return changeError(c)
		}
	}
	return nil
}
