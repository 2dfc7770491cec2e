package content

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"segel/pdf"
)

// Reader tells what is painted on the pages of one document. It keeps what it learnt of fonts from page to page, and
// its limits hold for all pages together. It is not for several goroutines at once.
type Reader struct {
	d                *pdf.Document
	limits           Limits
	bytes            int64             // left of Limits.Bytes
	pixels           int64             // of images that were decoded
	operators        int               // left of Limits.Operators
	layers           map[pdf.Ref]Views // in which a layer is off; those that are on in all are left out
	layersIncomplete bool              // a limit was reached while finding out in which views content is shown
	fonts            map[pdf.Ref]*font

	deep *deepState // nil unless it looks into patterns and glyphs too

	formResources pdf.Dict // of the form (/DR), for appearances; nil until asked for

	memberships map[pdf.Ref]Views // in which the content of a membership is off
	recent      *[recentGlyphs]recent
	page        interpreter // of the page at hand
	marks       []Mark      // room for those of the next page
	operands    []operand   // room for those of the next operator
	decoded     []byte      // the same
}

// NewReader makes a Reader. Nothing is read yet but which layers are off.
func NewReader(d *pdf.Document, l Limits) *Reader {
	l = l.withDefaults()
	r := &Reader{d: d, limits: l, bytes: l.Bytes, operators: l.Operators, layers: map[pdf.Ref]Views{}, memberships: map[pdf.Ref]Views{}, fonts: map[pdf.Ref]*font{}}
	r.readLayers()
	return r
}

// NewDeepReader makes a Reader that also looks for layers within tiling patterns and the glyphs of type 3 fonts, and
// remembers which glyphs were shown of each font. Of what is painted there, it lists what is not shown in the same views
// as the pattern or the text itself.
func NewDeepReader(d *pdf.Document, l Limits) *Reader {
	r := NewReader(d, l)
	r.deep = &deepState{shown: map[*font]*usedFont{}}
	return r
}

// PageMarks lists what is painted on a page, in the order of painting, annotations last: each is a mark, followed by what
// its appearance paints. Marks outside the page are listed as Hidden. The list is the caller's until the next call.
//
// Errors: *Untold, with what was found nevertheless; others are of the io.ReaderAt of the document.
func (r *Reader) PageMarks(page *pdf.Page) ([]Mark, error) {
	p := r.interpretPage(page)
	p.interpretAnnotations(page)
	return p.finishPage()
}

// ContentMarks is Page without the annotations.
func (r *Reader) ContentMarks(page *pdf.Page) ([]Mark, error) {
	return r.interpretPage(page).finishPage()
}

// AnnotationMarks lists what the annotations of a page are and paint, as Page does at its end.
func (r *Reader) AnnotationMarks(page *pdf.Page) ([]Mark, error) {
	p := r.startPage(page)
	p.interpretAnnotations(page)
	return p.finishPage()
}

// finishPage ends a page. A list that took much room for once is not kept.
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

// Bounds of what a page leaves to the next to be used again.
const (
	maxRetainedMarks    = 5000
	maxRetainedOperands = 1000
	maxRetainedDecoded  = 64 << 10
)

// IsExhausted reports whether the limits for all pages together are used up: nothing more is found on any page.
func (r *Reader) IsExhausted() bool { return r.bytes < 0 || r.operators < 0 }

// HasVaryingLayers reports whether a layer is shown in some views and not in others, or may be, behind a limit.
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

// HiddenLayers lists those that are off when the file is opened, in order of number.
func (r *Reader) HiddenLayers() []pdf.Ref {
	off := maps.Clone(r.layers)
	maps.DeleteFunc(off, func(_ pdf.Ref, in Views) bool { return in&Screen == 0 })
	return slices.SortedFunc(maps.Keys(off), func(a, b pdf.Ref) int { return cmp.Compare(a.Number, b.Number) })
}

// interpretPage has followed the content of a page.
func (r *Reader) interpretPage(page *pdf.Page) *interpreter {
	p := r.startPage(page)
	if !p.stopped {
		p.interpretContent(p.joinContents(page.Dict["Contents"]), p.newScope(page.Resources, nil))
		p.flushWord()
	}
	return p
}

// startPage prepares to follow a page.
func (r *Reader) startPage(page *pdf.Page) *interpreter {
	width, height := page.DisplayedSize()
	p := &r.page
	*p = interpreter{Reader: r, pageBox: pdf.Rect{URX: width, URY: height}, base: displayMatrix(page), marks: r.marks}
	p.graphicsState, p.patternOrigin = p.initialState(), p.base
	if r.deep != nil {
		r.deep.startPage(page.Number)
	}
	if !isPlausible(p.pageBox) {
		p.noteIncomplete(Coordinates, nil)
		p.stopped = true
	}
	return p
}

// displayMatrix maps default user space to the page as it is displayed.
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

// spendBytes counts bytes that are gone through.
func (r *Reader) spendBytes(n int64) bool {
	r.bytes -= n
	return r.bytes >= 0
}

// noteIncomplete notes why there may be more, one reason only: one is enough to know that it is not all. The first is kept, but a
// font that is missing gives way to any other, since its text is listed, and all give way to a limit.
func (p *interpreter) noteIncomplete(why Reason, err error) {
	var before *IncompleteError
	if p.problem == nil || errors.As(p.problem, &before) && before.Reason != Limit && (before.Reason == NoFont || why == Limit) {
		p.problem = &IncompleteError{Reason: why, Err: err}
	}
}

// failed notes an error of the document and reports whether there is one. An error of its io.ReaderAt ends it all.
func (p *interpreter) failed(err error) bool {
	var fault *pdf.Error
	switch {
	case err == nil:
		return false
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

// joinContents joins the streams of a page; the parts of one operator may stand in two of them.
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
			if int64(len(b)+len(piece)) > p.bytes { // what is gathered is gone through next
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

// decodeStream undoes the filters of a stream, within the limit.
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
