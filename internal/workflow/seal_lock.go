package workflow

import (
	"fmt"
	"strings"

	"segel/pades"
	"segel/pdf"
)

// maxLockBytes bounds the names of the fields that a seal locks. They are in the file twice: in the /Lock of the seal's
// field and in the seal.
const maxLockBytes = 512 << 10

// lockAtFinalize returns the lock of the seal's field: it names the fields of the form at finalize and those added for
// signers. It is nil if there are none. Duty stamps come later; the seal itself names them.
func lockAtFinalize(doc *pdf.Document, added []pades.FieldSpec) (*pades.Lock, error) {
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form: %w", err)
	}
	for _, f := range added {
		names = append(names, f.Name)
	}
	if names = boundNames(names); len(names) == 0 {
		return nil, nil
	}
	return &pades.Lock{Action: pades.LockInclude, Fields: names}, nil
}

// lockAtSealing lists the fields that exist when a document is sealed, so that they cannot be filled in later.
func lockAtSealing(src pades.Source) ([]string, error) {
	doc, err := src.Open()
	if err != nil {
		return nil, fmt.Errorf("open document to be sealed: %w", err)
	}
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form to be sealed: %w", err)
	}
	return boundNames(names), nil
}

// boundNames bounds the names that a seal locks in a large form. A name includes the fields below it, so the root names
// of the form cover the same fields in fewer bytes. If even those are too many, no field is locked, and the comparison
// of later changes still protects what the fields show.
func boundNames(names []string) []string {
	if lengthOf(names) <= maxLockBytes {
		return names
	}
	var roots []string
	listed := map[string]bool{}
	for _, n := range names {
		root, _, _ := strings.Cut(n, ".")
		if !listed[root] {
			listed[root] = true
			roots = append(roots, root)
		}
	}
	if lengthOf(roots) <= maxLockBytes {
		return roots
	}
	return nil
}

func lengthOf(names []string) int {
	total := 0
	for _, n := range names {
		total += len(n)
	}
	return total
}
