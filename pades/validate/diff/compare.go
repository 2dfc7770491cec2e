package diff

import (
	"bytes"

	"segel/pdf"
)

// equalObjects reports whether two objects are written with the same value. References are the same if they name the same
// object: whether that changed is judged where it did. How a string is bracketed is no difference, nor is 1 to 1.0.
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
	sortNames(keys)
	return keys
}

// equalStreams compares two streams, their stored data included. Data of more than maxSame bytes counts as different:
// nobody writes that again for nothing.
func equalStreams(old, new *pdf.Document, a, b *pdf.Stream) bool {
	if a.Len() != b.Len() || a.Len() > maxComparedStream || !equalObjects(a.Dict, b.Dict) {
		return false
	}
	x, err1 := old.Raw(a)
	y, err2 := new.Raw(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

const maxComparedStream = 4 << 20

// addedElements returns what new has behind or between the elements of old, if new has all those in the same order.
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
