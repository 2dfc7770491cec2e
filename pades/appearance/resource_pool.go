package appearance

import (
	"bytes"

	"segel/pdf"
)

// Stock is the fonts and pictures that a file has already, so that the next drawing need not bring them again: the
// fiftieth signature costs no more than its own text. A nil Stock has none.
type Stock struct {
	d     *pdf.Document
	fonts []pdf.Ref // candidates from the file
	image []pdf.Ref
	fresh map[any]pdf.Ref // added by the present update: pictures by pointer, fonts by fingerprint
}

// maxStock bounds the candidates that are held against a font or picture.
const maxStock = 100

// NewStock looks into appearance streams of the file, the likeliest first. What cannot be read is passed over.
func NewStock(d *pdf.Document, appearances ...pdf.Object) *Stock {
	s := &Stock{d: d, fresh: map[any]pdf.Ref{}}
	for _, o := range appearances {
		st, err := d.Stream(o)
		if err != nil || st == nil {
			continue
		}
		resources, _ := d.Dict(st.Dict["Resources"])
		fonts, _ := d.Dict(resources["Font"])
		objects, _ := d.Dict(resources["XObject"])
		s.fonts, s.image = collect(s.fonts, fonts), collect(s.image, objects)
	}
	return s
}

func collect(list []pdf.Ref, from pdf.Dict) []pdf.Ref {
next:
	for _, key := range sorted(from) {
		o := from[key]
		ref, ok := o.(pdf.Ref)
		if !ok || len(list) == maxStock {
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

// put returns an object of the file that is the same as a tree, or adds the tree to the update. Names and places
// prove nothing: a file from elsewhere may have a font of that name which shows other letters. So everything is
// compared, the data of streams too.
func (s *Stock) put(u *pdf.Update, key any, candidates func(*Stock) []pdf.Ref, tree pdf.Object) pdf.Ref {
	if s == nil {
		return spread(u, tree).(pdf.Ref)
	}
	if ref, ok := s.fresh[key]; ok {
		return ref
	}
	for _, ref := range candidates(s) {
		if s.same(tree, ref) {
			return ref
		}
	}
	ref := spread(u, tree).(pdf.Ref)
	s.fresh[key] = ref
	return ref
}

func fontsOf(s *Stock) []pdf.Ref  { return s.fonts }
func imagesOf(s *Stock) []pdf.Ref { return s.image }

// spread gives each part of a tree that stands for itself a number: streams, fonts and their descriptors.
func spread(u *pdf.Update, o pdf.Object) pdf.Object {
	switch o := o.(type) {
	case pdf.Array:
		out := make(pdf.Array, len(o))
		for i, v := range o {
			out[i] = spread(u, v)
		}
		return out
	case *pdf.Stream:
		return u.Add(&pdf.Stream{Dict: spreadAll(u, o.Dict), Data: o.Data})
	case pdf.Dict:
		out := spreadAll(u, o)
		if t := o["Type"]; t == pdf.Object(pdf.Name("Font")) || t == pdf.Object(pdf.Name("FontDescriptor")) {
			return u.Add(out)
		}
		return out
	}
	return o
}

func spreadAll(u *pdf.Update, d pdf.Dict) pdf.Dict {
	out := pdf.Dict{}
	for _, key := range sorted(d) {
		out[key] = spread(u, d[key])
	}
	return out
}

// same reports whether what is in the file is the same as a tree.
func (s *Stock) same(tree, have pdf.Object) bool {
	o, err := s.d.Resolve(have)
	if err != nil {
		return false
	}
	switch want := tree.(type) {
	case pdf.Dict:
		have, ok := o.(pdf.Dict)
		return ok && s.sameEntries(want, have)
	case pdf.Array:
		have, ok := o.(pdf.Array)
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !s.same(want[i], have[i]) {
				return false
			}
		}
		return true
	case *pdf.Stream:
		have, ok := o.(*pdf.Stream)
		return ok && s.sameStream(want, have)
	case pdf.String:
		have, ok := o.(pdf.String)
		return ok && bytes.Equal(have.Bytes, want.Bytes)
	case pdf.Integer, pdf.Real:
		a, ok1 := float(want)
		b, ok2 := float(o)
		return ok1 && ok2 && a == b
	}
	return o == tree
}

func float(o pdf.Object) (float64, bool) {
	switch o := o.(type) {
	case pdf.Integer:
		return float64(o), true
	case pdf.Real:
		return float64(o), true
	}
	return 0, false
}

func (s *Stock) sameEntries(want, have pdf.Dict) bool {
	if len(want) != len(have) {
		return false
	}
	for _, key := range sorted(want) {
		if have[key] == nil || !s.same(want[key], have[key]) {
			return false
		}
	}
	return true
}

// sameStream compares data as it is encoded if the tree says how, else decoded.
func (s *Stock) sameStream(want, have *pdf.Stream) bool {
	entries := pdf.Dict{}
	for key, o := range have.Dict {
		if _, encoded := want.Dict["Filter"]; key == "Length" || key == "Filter" && !encoded {
			continue
		}
		entries[key] = o
	}
	if !s.sameEntries(want.Dict, entries) {
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
