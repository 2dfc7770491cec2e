package content

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"segel/pdf"
)

// Reader lists what is painted on the pages of one document. It caches fonts from page to page, and its limits hold for
// all pages together. It is not safe for use by several goroutines at once.
type Reader struct {
	d                *pdf.Document
	limits           Limits
	bytes            int64             // left of Limits.Bytes
	pixels           int64             // of images that were decoded
	operators        int               // left of Limits.Operators
	layers           map[pdf.Ref]Views // in which a layer is off; layers that are always on are left out
	layersIncomplete bool              // a limit was reached while layers were read
	fonts            map[pdf.Ref]*font

	deep *deepState // nil unless it interprets patterns and glyphs too

	formResources pdf.Dict // of the form (/DR), for appearances; nil until needed

	memberships map[pdf.Ref]Views // in which the content of a membership is off
	recent      *[recentGlyphs]recent
	page        interpreter // of the current page
	marks       []Mark      // memory for the next page
	operands    []operand   // memory for the next operator
	decoded     []byte      // the same
}

// NewReader returns a Reader. It only reads which layers are off.
func NewReader(d *pdf.Document, l Limits) *Reader {
	l = l.withDefaults()
	r := &Reader{d: d, limits: l, bytes: l.Bytes, operators: l.Operators, layers: map[pdf.Ref]Views{}, memberships: map[pdf.Ref]Views{}, fonts: map[pdf.Ref]*font{}}
	r.readLayers()
	return r
}

// NewDeepReader returns a Reader that also interprets tiling patterns and the glyphs of Type 3 fonts, and records which
// glyphs of each font were shown. Of the content of patterns and glyphs it lists what is not shown in the same views as
// the pattern or the text.
func NewDeepReader(d *pdf.Document, l Limits) *Reader {
	r := NewReader(d, l)
	r.deep = &deepState{shown: map[*font]*usedFont{}, entered: map[visitKey]bool{}, numbers: map[*font]uint64{}}
	return r
}

// PageMarks lists what is painted on a page, in the order of painting, annotations last: each is a mark, followed by
// what its appearance paints. Marks outside the page are listed as Hidden. The list is valid until the next call.
//
// Errors: *IncompleteError, with what was found; others are from the io.ReaderAt of the document.
func (r *Reader) PageMarks(page *pdf.Page) ([]Mark, error) {
	p := r.interpretPage(page)
	p.interpretAnnotations(page)
	return p.finishPage()
}

// ContentMarks is PageMarks without the annotations.
func (r *Reader) ContentMarks(page *pdf.Page) ([]Mark, error) {
	return r.interpretPage(page).finishPage()
}

// AnnotationMarks lists what the annotations of a page are and paint, as PageMarks does at its end.
func (r *Reader) AnnotationMarks(page *pdf.Page) ([]Mark, error) {
	p := r.startPage(page)
	p.interpretAnnotations(page)
	return p.finishPage()
}

// finishPage ends a page. It does not retain the memory of a very long list.
func (p *interpreter) finishPage() ([]Mark, error) {
	p.flushWord()
	if p.layersIncomplete {
		p.noteIncomplete(Limit, errLayers)
	}
	if p.Reader.marks = p.marks[:0]; cap(p.marks) > maxRetainedMarks {
		p.Reader.marks = nil
	}
	return p.marks, p.problem
}

// Bounds of the memory that a page retains for the next one.
const (
	maxRetainedMarks    = 5000
	maxRetainedOperands = 1000
	maxRetainedDecoded  = 64 << 10
)

// IsExhausted reports whether the limits for all pages together are reached: nothing more is found on any page.
func (r *Reader) IsExhausted() bool { return r.bytes < 0 || r.operators < 0 }

// HasVaryingLayers reports whether a layer is shown in some views and not in others, or may be, because a limit was
// reached.
func (r *Reader) HasVaryingLayers() bool {
	if r.layersIncomplete {
		return true
	}
	for _, off := range r.layers {
		if off != allViews {
			return true
		}
	}
	return false
}

// HiddenLayers lists the layers that are off when the file is opened, in order of number.
func (r *Reader) HiddenLayers() []pdf.Ref {
	off := maps.Clone(r.layers)
	maps.DeleteFunc(off, func(_ pdf.Ref, in Views) bool { return in&Screen == 0 })
	return slices.SortedFunc(maps.Keys(off), func(a, b pdf.Ref) int { return cmp.Compare(a.Number, b.Number) })
}

// interpretPage interprets the content of a page.
func (r *Reader) interpretPage(page *pdf.Page) *interpreter {
	p := r.startPage(page)
	if !p.stopped {
		p.interpretContent(p.joinContents(page.Dict["Contents"]), p.newScope(page.Resources, nil))
		p.flushWord()
	}
	return p
}

// startPage prepares to interpret a page.
func (r *Reader) startPage(page *pdf.Page) *interpreter {
	width, height := page.DisplayedSize()
	p := &r.page
	*p = interpreter{Reader: r, pageBox: pdf.Rect{URX: width, URY: height}, base: displayMatrix(page), marks: r.marks}
	p.graphicsState, p.patternOrigin = p.initialState(), p.base
	if r.deep != nil {
		r.deep.page = page.Number
		clear(r.deep.entered)
	}
	if !isPlausible(p.pageBox) {
		p.noteIncomplete(Coordinates, nil)
		p.stopped = true
	}
	return p
}

// displayMatrix maps default user space to the page as displayed.
func displayMatrix(page *pdf.Page) matrix {
	at := func(x, y float64) (float64, float64) {
		r := page.FromUser(pdf.Rect{LLX: x, LLY: y, URX: x, URY: y})
		return r.LLX, r.LLY
	}
	e, f := at(0, 0)
	a, b := at(1, 0)
	c, d := at(0, 1)
	return matrix{a - e, b - f, c - e, d - f, e, f}
}

// spendBytes counts bytes that are read.
func (r *Reader) spendBytes(n int64) bool {
	r.bytes -= n
	return r.bytes >= 0
}

// noteIncomplete records why there may be more, one reason only: one is enough to know that the list is incomplete. The
// first one stays, but any other replaces a missing font, since its text is listed, and a limit replaces all others.
func (p *interpreter) noteIncomplete(why Reason, err error) {
	if p.problem != nil {
		var before *IncompleteError
		if !errors.As(p.problem, &before) || before.Reason == Limit || before.Reason != NoFont && why != Limit {
			return
		}
	}
	p.problem = &IncompleteError{Reason: why, Err: err}
}

// failed records an error of the document and reports whether there is one. An error of its io.ReaderAt ends the page.
func (p *interpreter) failed(err error) bool {
	if err == nil {
		return false
	}
	var fault *pdf.Error
	switch {
	case !errors.As(err, &fault):
		p.problem, p.stopped = err, true
	case fault.Kind == pdf.TooLarge:
		p.noteIncomplete(Limit, err)
	default:
		p.noteIncomplete(Damaged, err)
	}
	return true
}

// stopAtLimit ends the page: a limit was reached.
func (p *interpreter) stopAtLimit(err error) {
	p.noteIncomplete(Limit, err)
	p.stopped = true
}

// joinContents joins the streams of a page; an operator and its operands may be in two of them.
func (p *interpreter) joinContents(o pdf.Object) []byte {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return nil
	}
	switch v := v.(type) {
	case *pdf.Stream:
		return p.decodeStream(v)
	case pdf.Array:
		var b []byte
		for _, o := range v {
			st, err := p.d.Stream(o)
			if p.failed(err) || st == nil {
				continue
			}
			piece := p.decodeStream(st)
			if int64(len(b)+len(piece)) > p.bytes { // all of it will be interpreted
				p.stopAtLimit(errBytes)
			}
			if p.stopped {
				break
			}
			b = append(append(b, piece...), '\n')
		}
		return b
	}
	return nil
}

// decodeStream decodes a stream, within the limit.
func (p *interpreter) decodeStream(st *pdf.Stream) []byte {
	if p.stopped || !p.spendBytes(st.Len()) {
		p.stopAtLimit(errBytes)
		return nil
	}
	b, err := p.d.Decode(st)
	if p.failed(err) {
		return nil
	}
	return b
}
