package emeterai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"segel/pades/validate/diff"
	"segel/pdf"
)

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
