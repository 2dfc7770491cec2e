package workflow

import (
	"fmt"
	"strings"

	"segel/pades"
	"segel/pdf"
)

// maxLockBytes bounds the names of fields that a seal locks: they stand in the file twice, in the /Lock of its field and in
// the seal.
const maxLockBytes = 512 << 10

// lockAtFinalize is what the field of the seal states that it locks: the fields of the form as it is taken in, and those
// that are added for signers. It is nil if there are none. Duty stamps come later; the seal names them itself.
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

// lockAtSealing lists the fields that exist when a document is sealed, so that it cannot be filled in again.
func lockAtSealing(src pades.Source) ([]string, error) {
	doc, err := pdf.Open(src.R, src.Size, pdf.Options{})
	if err != nil {
		return nil, fmt.Errorf("open document to be sealed: %w", err)
	}
	names, err := pades.LockableFields(doc)
	if err != nil {
		return nil, fmt.Errorf("read form to be sealed: %w", err)
	}
	return boundNames(names), nil
}

// boundNames keeps what a seal says of a large form within bounds: a name stands for the fields below it, so the names at
// the root of the form say the same in less. Where even they are too many, none is locked, and the rules by which later
// changes are compared protect what the fields show.
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
