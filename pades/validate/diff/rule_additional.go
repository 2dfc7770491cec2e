package diff

import "segel/pdf"

// additionalStreams is the trailer entry by which LibreOffice finds the document that a PDF was made from: [type
// reference ...], with streams of the file. It opens that instead of the pages if /DocChecksum of the same trailer is
// the checksum of what precedes it. No other reader follows the entry, and the standard does not define it. PDFBox
// drops the document when it rewrites a file, and gives the reference an unused object number. Each later revision by
// PDFBox gives it another one, and may use the former one for an object.
const additionalStreams = "AdditionalStreams"

// docChecksum is the trailer entry without whose right value LibreOffice shows the pages. A writer of a later revision can
// compute it, so it must not change beside the other entry.
const docChecksum = "DocChecksum"

// followAdditionalStreams visits what /AdditionalStreams refers to. For references to other objects than streams only
// the numbers are recorded: they must not become streams.
func (c *Comparer) followAdditionalStreams(w *walker, o pdf.Object) error {
	list, ok := flatArray(o)
	if !ok {
		w.followValue(keyStep(additionalStreams), o, roleOther, 0)
		return w.err
	}
	w.steps = append(w.steps, keyStep(additionalStreams))
	for i, v := range list {
		ref, isRef := v.(pdf.Ref)
		if !isRef || ref.Number == 0 {
			continue
		}
		opens, err := c.g.mayBeStream(w.d, ref.Number)
		if err != nil {
			return err
		}
		if opens {
			w.followValue(indexStep(i), ref, roleOther, 0)
		} else {
			c.noStreams.add(ref.Number)
		}
	}
	w.steps = w.steps[:len(w.steps)-1]
	return w.err
}

// flatArray returns an array without nested arrays or dictionaries.
func flatArray(o pdf.Object) (pdf.Array, bool) {
	list, ok := o.(pdf.Array)
	for _, v := range list {
		if _, isRef := v.(pdf.Ref); !isRef && !isScalar(v) {
			return nil, false
		}
	}
	return list, ok
}

// mayBeStream reports whether there may be a stream under a number, whatever its generation: also if the object is a
// reference or cannot be read.
func (g *graph) mayBeStream(d *pdf.Document, n uint32) (bool, error) {
	o, err := objectAt(d, n)
	if err != nil {
		return true, g.handleFault(err)
	}
	switch o.(type) {
	case *pdf.Stream, pdf.Ref:
		return true, nil
	}
	return false, nil
}

// checkAdditionalKey checks a new value of /AdditionalStreams: it may name other numbers if neither value refers to a
// stream. /DocChecksum has to stay: while it is not the checksum, LibreOffice opens no embedded document, not even one
// under a number that the cross-reference does not list.
func (r *revision) checkAdditionalKey(old, new pdf.Object) verdict {
	denied := deny(CodeTrailerChanged, "/"+additionalStreams)
	a, ok1 := flatArray(old)
	b, ok2 := flatArray(new)
	if !ok1 || !ok2 || len(a) != len(b) || !equalObjects(r.old.Trailer()[docChecksum], r.new.Trailer()[docChecksum]) {
		return denied
	}
	for i := range a {
		from, isRef1 := a[i].(pdf.Ref)
		to, isRef2 := b[i].(pdf.Ref)
		if !isRef1 || !isRef2 {
			if !equalObjects(a[i], b[i]) {
				return denied
			}
			continue
		}
		before, err1 := r.g.mayBeStream(r.old, from.Number)
		after, err2 := r.g.mayBeStream(r.new, to.Number)
		for _, err := range []error{err1, err2} {
			if err != nil {
				r.readErr = err
			}
		}
		if before || after {
			return denied
		}
	}
	return allow("trailer", None, CodeTrailer)
}

// checkAdditionalStreams denies that a number named by /AdditionalStreams becomes a stream: in the signed file
// LibreOffice showed the pages.
func (r *revision) checkAdditionalStreams() verdict {
	for n, m := range r.moves {
		if !r.c.noStreams.has(n) || m.isFreed() {
			continue
		}
		opens, err := r.g.mayBeStream(r.new, n)
		if err != nil {
			r.readErr = err
		}
		if opens {
			return deny(CodeTrailerChanged, "/"+additionalStreams)
		}
	}
	return verdict{level: None}
}
