package appearance

import (
	"bytes"
	"slices"

	"segel/pdf"
)

// ResourcePool has the fonts, pictures and codes that a file already has, so that the next drawing can reuse them: the
// fiftieth signature costs no more than its text. A nil ResourcePool has none.
type ResourcePool struct {
	d       *pdf.Document
	fonts   []pdf.Ref // candidates from the file
	objects []pdf.Ref
	added   map[any]pdf.Ref // added by the current update: pictures by pointer, codes by their text, fonts by fingerprint
}

// maxPooled bounds the candidates that are compared with a font or picture.
const maxPooled = 100

// NewResourcePool collects the resources of appearance streams of the file, given with the most likely first. It skips
// what cannot be read.
func NewResourcePool(d *pdf.Document, appearances ...pdf.Object) *ResourcePool {
	s := &ResourcePool{d: d, added: map[any]pdf.Ref{}}
	for _, o := range appearances {
		st, err := d.Stream(o)
		if err != nil || st == nil {
			continue
		}
		resources, _ := d.Dict(st.Dict["Resources"])
		fonts, _ := d.Dict(resources["Font"])
		objects, _ := d.Dict(resources["XObject"])
		s.fonts, s.objects = collectRefs(s.fonts, fonts), collectRefs(s.objects, objects)
	}
	return s
}

func collectRefs(list []pdf.Ref, from pdf.Dict) []pdf.Ref {
	for _, key := range sortedKeys(from) {
		if ref, ok := from[key].(pdf.Ref); ok && len(list) < maxPooled && !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	return list
}

// findOrAdd returns an object of the file that is equal to a tree, or adds the tree to the update. Names prove nothing:
// a file may have a font of that name which shows other letters. So everything is compared, the data of streams too.
func (s *ResourcePool) findOrAdd(u *pdf.Update, key any, candidates func(*ResourcePool) []pdf.Ref, tree pdf.Object) pdf.Ref {
	if s == nil {
		return addParts(u, tree).(pdf.Ref)
	}
	if ref, ok := s.added[key]; ok {
		return ref
	}
	for _, ref := range candidates(s) {
		if s.isSame(tree, ref) {
			return ref
		}
	}
	ref := addParts(u, tree).(pdf.Ref)
	s.added[key] = ref
	return ref
}

func fontsOf(s *ResourcePool) []pdf.Ref   { return s.fonts }
func objectsOf(s *ResourcePool) []pdf.Ref { return s.objects }

// addParts adds the parts of a tree that are indirect objects to the update: streams, fonts and their descriptors.
func addParts(u *pdf.Update, o pdf.Object) pdf.Object {
	switch o := o.(type) {
	case pdf.Array:
		out := make(pdf.Array, len(o))
		for i, v := range o {
			out[i] = addParts(u, v)
		}
		return out
	case *pdf.Stream:
		added := *o // compressed, if it was before
		added.Dict = addDictParts(u, o.Dict)
		return u.Add(&added)
	case pdf.Dict:
		out := addDictParts(u, o)
		if t := o["Type"]; t == pdf.Object(pdf.Name("Font")) || t == pdf.Object(pdf.Name("FontDescriptor")) {
			return u.Add(out)
		}
		return out
	}
	return o
}

func addDictParts(u *pdf.Update, d pdf.Dict) pdf.Dict {
	out := pdf.Dict{}
	for _, key := range sortedKeys(d) {
		out[key] = addParts(u, d[key])
	}
	return out
}

// isSame reports whether an object of the file is equal to a tree.
func (s *ResourcePool) isSame(tree, have pdf.Object) bool {
	o, err := s.d.Resolve(have)
	if err != nil {
		return false
	}
	switch want := tree.(type) {
	case pdf.Dict:
		have, ok := o.(pdf.Dict)
		return ok && s.isSameDict(want, have)
	case pdf.Array:
		have, ok := o.(pdf.Array)
		return ok && slices.EqualFunc(want, have, s.isSame)
	case *pdf.Stream:
		have, ok := o.(*pdf.Stream)
		return ok && s.isSameStream(want, have)
	case pdf.String:
		have, ok := o.(pdf.String)
		return ok && bytes.Equal(have.Bytes, want.Bytes)
	case pdf.Integer, pdf.Real:
		a, ok1 := pdf.AsNumber(want)
		b, ok2 := pdf.AsNumber(o)
		return ok1 && ok2 && a == b
	}
	return o == tree
}

func (s *ResourcePool) isSameDict(want, have pdf.Dict) bool {
	if len(want) != len(have) {
		return false
	}
	for _, key := range sortedKeys(want) {
		if have[key] == nil || !s.isSame(want[key], have[key]) {
			return false
		}
	}
	return true
}

// isSameStream compares encoded data if the tree has a filter, else decoded data.
func (s *ResourcePool) isSameStream(want, have *pdf.Stream) bool {
	entries := pdf.Dict{}
	for key, o := range have.Dict {
		if _, encoded := want.Dict["Filter"]; key == "Length" || key == "Filter" && !encoded {
			continue
		}
		entries[key] = o
	}
	if !s.isSameDict(want.Dict, entries) {
		return false
	}
	read := s.d.Decode
	if _, encoded := want.Dict["Filter"]; encoded {
		if have.Len() != int64(len(want.Data)) {
			return false
		}
		read = s.d.Raw
	}
	data, err := read(have)
	return err == nil && bytes.Equal(data, want.Data)
}
