package formfield

import (
	"bytes"

	"segel/pdf"
)

// maxSameDepth bounds how deep objects are compared.
const maxSameDepth = 30

// objectComparer compares objects of two states of a file by what they are worth, whatever their numbers are.
type objectComparer struct {
	old, new  *pdf.Document
	unchanged func(pdf.Ref) bool // whether an object is the same in both states
	work      *Work
}

// equalObjects reports whether two objects are worth the same. What is too much to look at is not.
func (s *objectComparer) equalObjects(a, b pdf.Object, depth int) bool {
	if ref, ok := a.(pdf.Ref); ok && ref == b && s.unchanged(ref) {
		return true
	}
	if depth > maxSameDepth || !s.work.spend(objectCost) {
		return false
	}
	a, err1 := s.old.Resolve(a)
	b, err2 := s.new.Resolve(b)
	if err1 != nil || err2 != nil {
		return false
	}
	switch a := a.(type) {
	case pdf.Array:
		b, ok := b.(pdf.Array)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !s.equalObjects(a[i], b[i], depth+1) {
				return false
			}
		}
		return true
	case pdf.Dict:
		b, ok := b.(pdf.Dict)
		return ok && s.equalDicts(a, b, depth)
	case *pdf.Stream:
		b, ok := b.(*pdf.Stream)
		return ok && s.equalStreams(a, b, depth)
	case pdf.String:
		b, ok := b.(pdf.String)
		return ok && bytes.Equal(a.Bytes, b.Bytes)
	}
	return equalScalars(a, b)
}

func equalScalars(a, b pdf.Object) bool {
	if isAbsent(a) || isAbsent(b) {
		return isAbsent(a) && isAbsent(b)
	}
	x, isNumber := numberOf(a)
	if y, ok := numberOf(b); ok || isNumber {
		return ok && isNumber && x == y
	}
	switch b.(type) {
	case pdf.Name, pdf.Boolean:
		return a == b
	}
	return false
}

// isAbsent reports whether a value is as good as none.
func isAbsent(o pdf.Object) bool { return o == nil || o == pdf.Object(pdf.Null{}) }

func numberOf(o pdf.Object) (float64, bool) {
	switch o := o.(type) {
	case pdf.Integer:
		return float64(o), true
	case pdf.Real:
		return float64(o), true
	}
	return 0, false
}

// storageKeys are the entries of a stream that say how its data is stored, and what program wrote it when.
var storageKeys = map[pdf.Name]bool{"Length": true, "Filter": true, "DecodeParms": true, "DL": true, "LastModified": true}

func (s *objectComparer) equalDicts(a, b pdf.Dict, depth int) bool {
	for k, v := range a {
		if !s.equalObjects(v, b[k], depth+1) {
			return false
		}
	}
	for k, v := range b {
		if a[k] == nil && !isAbsent(v) {
			return false
		}
	}
	return true
}

func (s *objectComparer) equalStreams(a, b *pdf.Stream, depth int) bool {
	x, y := pdf.Dict{}, pdf.Dict{}
	for k, v := range a.Dict {
		if !storageKeys[k] {
			x[k] = v
		}
	}
	for k, v := range b.Dict {
		if !storageKeys[k] {
			y[k] = v
		}
	}
	if !s.equalDicts(x, y, depth) {
		return false
	}
	if !s.work.spend(int(a.Len() + b.Len())) {
		return false
	}
	p, err1 := s.old.Decode(a)
	q, err2 := s.new.Decode(b)
	return err1 == nil && err2 == nil && s.work.spend(len(p)+len(q)) && bytes.Equal(p, q)
}

// equalAppearances compares the appearance dictionaries of two states of a widget.
func (s *objectComparer) equalAppearances(a, b Widget) bool {
	if isAbsent(a.dict["AP"]) != isAbsent(b.dict["AP"]) {
		return false
	}
	return s.equalObjects(a.dict["AP"], b.dict["AP"], 0)
}
