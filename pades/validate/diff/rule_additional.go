package diff

import "segel/pdf"

// additionalStreams is the entry of the trailer by which LibreOffice finds the document that a PDF was made from:
// [type reference ...], with streams of the file. It opens that in place of the pages, if /DocChecksum of the same trailer
// is the checksum of what stands before it. No other reader follows the entry, and the standard does not know it.
// PDFBox leaves the document out when it writes a file anew, and gives the reference to it a number that does not exist.
// Each of its later revisions gives it another such number, and may use the former one for an object of its own.
const additionalStreams = "AdditionalStreams"

// followAdditionalStreams visits what /AdditionalStreams leads to. References to what is not a stream lead nowhere: only their
// numbers are remembered, which must not become streams.
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

// flatArray returns an array that has no arrays or dictionaries in it.
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
// reference, or cannot be read.
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

// checkAdditionalKey checks another value of /AdditionalStreams: it may lead to other numbers as long as neither value leads to
// a stream. /DocChecksum has to stay: while it is not the checksum, LibreOffice opens no document at all, not even one
// under a number that the cross-reference does not state.
func (r *revision) checkAdditionalKey(old, new pdf.Object) verdict {
	denied := deny(CodeTrailerChanged, "/"+additionalStreams)
	a, ok1 := flatArray(old)
	b, ok2 := flatArray(new)
	if !ok1 || !ok2 || len(a) != len(b) || !equalObjects(r.old.Trailer()["DocChecksum"], r.new.Trailer()["DocChecksum"]) {
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

// checkAdditionalStreams denies that a number becomes a stream to which /AdditionalStreams led when it was none: in the file as it was
// signed, LibreOffice found the pages there.
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
