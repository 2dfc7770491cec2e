package diff

import (
	"bytes"
	"slices"

	"segel/pdf"
)

// equalObjects reports whether two objects have the same value. References are equal if they name the same object; a
// change of that object is reported for itself. The notation of a string makes no difference, and neither does 1 or
// 1.0.
func equalObjects(a, b pdf.Object) bool {
	switch a := a.(type) {
	case nil:
		return b == nil || b == pdf.Object(pdf.Null{})
	case pdf.Null:
		return b == nil || b == pdf.Object(pdf.Null{})
	case pdf.Array:
		b, ok := b.(pdf.Array)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalObjects(a[i], b[i]) {
				return false
			}
		}
		return true
	case pdf.Dict:
		b, ok := b.(pdf.Dict)
		return ok && len(Differing(a, b)) == 0
	case pdf.String:
		b, ok := b.(pdf.String)
		return ok && bytes.Equal(a.Bytes, b.Bytes)
	case pdf.Integer:
		if r, ok := b.(pdf.Real); ok {
			return pdf.Real(a) == r
		}
		return a == b
	case pdf.Real:
		if i, ok := b.(pdf.Integer); ok {
			return a == pdf.Real(i)
		}
		return pdf.Object(a) == b
	case pdf.Boolean, pdf.Name, pdf.Ref:
		switch b.(type) {
		case pdf.Boolean, pdf.Name, pdf.Ref:
			return a == b
		}
	}
	return false
}

// Differing returns the keys under which two dictionaries differ, in order.
func Differing(a, b pdf.Dict) []pdf.Name {
	var keys []pdf.Name
	for k, v := range a {
		if !equalObjects(v, b[k]) {
			keys = append(keys, k)
		}
	}
	for k, v := range b {
		if _, there := a[k]; !there && !equalObjects(nil, v) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// equalStreams compares two streams, their stored data included. Data of more than maxComparedStream bytes counts as
// different: no honest writer stores that again unchanged.
func equalStreams(old, new *pdf.Document, a, b *pdf.Stream) bool {
	if a.Len() != b.Len() || a.Len() > maxComparedStream || !equalObjects(a.Dict, b.Dict) {
		return false
	}
	x, err1 := old.Raw(a)
	y, err2 := new.Raw(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

const maxComparedStream = 4 << 20

// addedElements returns the elements that new has and old lacks, if new keeps all elements of old in their order.
func addedElements(old, new pdf.Array) (added pdf.Array, ok bool) {
	for _, v := range new {
		if len(old) > 0 && equalObjects(old[0], v) {
			old = old[1:]
			continue
		}
		added = append(added, v)
	}
	return added, len(old) == 0
}
