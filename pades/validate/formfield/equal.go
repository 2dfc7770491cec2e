package formfield

import (
	"bytes"
	"maps"
	"slices"

	"segel/pdf"
)

// maxSameDepth bounds the depth of comparisons.
const maxSameDepth = 30

// objectComparer compares objects of two states of a file by value, whatever their numbers.
type objectComparer struct {
	old, new  *pdf.Document
	unchanged func(pdf.Ref) bool // reports whether an object is the same in both states
	work      *Work
}

// equalObjects reports whether two objects have the same value; false if that is too expensive to determine.
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
		return ok && slices.EqualFunc(a, b, func(x, y pdf.Object) bool { return s.equalObjects(x, y, depth+1) })
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
	x, isNumber := pdf.AsNumber(a)
	if y, ok := pdf.AsNumber(b); ok || isNumber {
		return ok && isNumber && x == y
	}
	switch b.(type) {
	case pdf.Name, pdf.Boolean:
		return a == b
	}
	return false
}

// isAbsent reports whether a value is missing or null.
func isAbsent(o pdf.Object) bool { return o == nil || o == pdf.Object(pdf.Null{}) }

// storageKeys are the stream entries that concern the storage of the data, or the program that wrote it.
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
	x, y := maps.Clone(a.Dict), maps.Clone(b.Dict)
	for _, dict := range []pdf.Dict{x, y} {
		maps.DeleteFunc(dict, func(k pdf.Name, _ pdf.Object) bool { return storageKeys[k] })
	}
	if !s.equalDicts(x, y, depth) || !s.work.spend(int(a.Len()+b.Len())) {
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
