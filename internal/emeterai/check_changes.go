package emeterai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// increment is a revision of the tail: the document as it left it, and what it changed.
type increment struct {
	*pdf.State
	changes []diff.Change
}

// maxChangedObjects bounds the objects that one increment changes. A stamp takes some twenty.
const maxChangedObjects = 20_000

// compareIncrements has every increment of the tail compared with the state before it: the first with our source, all of which is
// gone through for that. It returns a [*Problem] that asks for another try if our source cannot be read.
func (j *stampCheck) compareIncrements(ctx context.Context, added []pdf.Revision) error {
	err := j.walkRevisions(ctx, added)
	var damaged *pdf.Error
	if err == nil || errors.As(err, &damaged) {
		return err
	}
	return &Problem{Class: Unknown, Code: CodeReturn, Text: "what came back could not be judged", Err: err}
}

// walkRevisions goes through the states of the file up to the last. An error is one of package pdf, or the reader's.
func (j *stampCheck) walkRevisions(ctx context.Context, added []pdf.Revision) error {
	h, err := j.stamped.History("", maxChangedObjects)
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
		entries, err := j.stamped.RevisionEntries(r)
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
		j.increments = append(j.increments, increment{state, changes})
	}
	return nil
}

// allowedChanges are the changes that come with a stamp beside its field: the lists that lead to it, its picture, proof, and
// what the document says of itself, which no page shows. That a field is signed or filled in that was there before, a
// timestamp, and more in the structure tree are changes that rules allow and nobody ordered.
var allowedChanges = map[diff.Code]bool{
	diff.CodeCatalog: true, diff.CodeForm: true, diff.CodePage: true, diff.CodeAnnotations: true, diff.CodeAppearance: true, diff.CodeStore: true,
	diff.CodeExtensions: true, diff.CodeMetadata: true, diff.CodeInformation: true,
	diff.CodeTrailer: true, diff.CodeCrossReference: true, diff.CodeUnreachable: true, diff.CodeUnchanged: true,
}

// checkChanges checks that an increment changed nothing but what a stamp needs. Field is the stamp's; empty: it brings none.
func (i increment) checkChanges(field string) error {
	size, err := i.Integer(i.Trailer()["Size"])
	if err != nil {
		return err
	}
	for _, c := range i.changes {
		switch {
		// The next increment may define what lies above, so that nothing here may.
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

// changeError says of a change what it was.
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

// allowedCatalogEntries are the entries of the catalog that a stamp may change; rules know others that change nothing to be seen.
var allowedCatalogEntries = map[pdf.Name]bool{"AcroForm": true, "DSS": true, "Extensions": true, "Version": true, "Metadata": true}

// checkCatalog checks that an increment left the other entries of the catalog as they were, and what they lead to.
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
