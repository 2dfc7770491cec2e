package appearance

import (
	"bytes"

	"segel/pdf"
)

// ResourcePool is the fonts and pictures that a file has already, so that the next drawing need not bring them again: the
// fiftieth signature costs no more than its own text. A nil Stock has none.
type ResourcePool struct {
	d      *pdf.Document
	fonts  []pdf.Ref // candidates from the file
	images []pdf.Ref
	added  map[any]pdf.Ref // added by the present update: pictures by pointer, fonts by fingerprint
}

// maxPooled bounds the candidates that are held against a font or picture.
const maxPooled = 100

// NewResourcePool looks into appearance streams of the file, the likeliest first. What cannot be read is passed over.
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
		s.fonts, s.images = collectRefs(s.fonts, fonts), collectRefs(s.images, objects)
	}
	return s
}

func collectRefs(list []pdf.Ref, from pdf.Dict) []pdf.Ref {
next:
	for _, key := range sortedKeys(from) {
		o := from[key]
		ref, ok := o.(pdf.Ref)
		if !ok || len(list) == maxPooled {
			continue
		}
		for _, known := range list {
			if known == ref {
				continue next
			}
		}
		list = append(list, ref)
	}
	return list
}

// findOrAdd returns an object of the file that is the same as a tree, or adds the tree to the update. Names and places
// prove nothing: a file from elsewhere may have a font of that name which shows other letters. So everything is
// compared, the data of streams too.
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

func fontsOf(s *ResourcePool) []pdf.Ref  { return s.fonts }
func imagesOf(s *ResourcePool) []pdf.Ref { return s.images }

// addParts gives each part of a tree that stands for itself a number: streams, fonts and their descriptors.
func addParts(u *pdf.Update, o pdf.Object) pdf.Object {
	switch o := o.(type) {
	case pdf.Array:
		out := make(pdf.Array, len(o))
		for i, v := range o {
			out[i] = addParts(u, v)
		}
		return out
	case *pdf.Stream:
		return u.Add(&pdf.Stream{Dict: addDictParts(u, o.Dict), Data: o.Data})
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

// isSame reports whether what is in the file is the same as a tree.
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
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !s.isSame(want[i], have[i]) {
				return false
			}
		}
		return true
	case *pdf.Stream:
		have, ok := o.(*pdf.Stream)
		return ok && s.isSameStream(want, have)
	case pdf.String:
		have, ok := o.(pdf.String)
		return ok && bytes.Equal(have.Bytes, want.Bytes)
	case pdf.Integer, pdf.Real:
		a, ok1 := numberValue(want)
		b, ok2 := numberValue(o)
		return ok1 && ok2 && a == b
	}
	return o == tree
}

func numberValue(o pdf.Object) (float64, bool) {
	switch o := o.(type) {
	case pdf.Integer:
		return float64(o), true
	case pdf.Real:
		return float64(o), true
	}
	return 0, false
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

// isSameStream compares data as it is encoded if the tree says how, else decoded.
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
