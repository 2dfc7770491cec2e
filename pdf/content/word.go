package content

import (
	"math"
	"strings"

	"segel/pdf"
)

// word is the run of glyphs that is being gathered.
type word struct {
	box     pdf.Rect
	hidden  Hidden
	in      Views
	white   bool
	joins   bool
	rough   bool
	letters []byte
	glyphs  int
	clip    pdf.Rect
	x, y    float64 // where the next glyph is expected
	em      float64
	look    sum     // of the strings that it is of, for a deep reader
	hides   float64 // opacity, where it is covered what text hides
}

// Bounds of one mark: its glyphs, and the bytes of what they mean. A glyph may claim to mean a whole sentence.
const (
	maxWord    = 64
	maxLetters = 256
)

// Bounds of what belongs together, in sizes of the text: a gap that is wider than wideGap parts words; a step back is
// kerning up to backStep, and a step aside up to asideStep.
const (
	wideGap   = 0.2
	backStep  = 0.3
	asideStep = 0.3
)

// add adds a glyph to the word at hand, or begins another: its box on the page, what it means and how wide it is.
func (p *painter) add(r *shown, box pdf.Rect, text string, advance float64) {
	x, y := r.m[4], r.m[5]
	hidden, in := r.hidden, r.in
	if max(box.Width(), box.Height()) < smallest {
		in = 0
		if hidden == "" {
			hidden = BySize
		}
	}
	w := &p.word
	goesOn := w.glyphs > 0 && w.follows(x, y, r)
	if goesOn && r.straight && w.glyphs < maxWord && w.white == r.white && w.hidden == hidden && w.in == in && w.clip == p.clip {
		w.box = union(w.box, box)
		w.rough = w.rough || r.font.rough
		w.hides = max(w.hides, r.hides)
		if p.deep != nil {
			w.look = w.look.word(uint64(r.look))
		}
	} else {
		p.flush()
		w.box, w.hidden, w.in, w.white, w.joins, w.rough, w.clip, w.hides = box, hidden, in, r.white, goesOn, r.font.rough, p.clip, r.hides
		w.look = r.look
	}
	w.glyphs++
	if len(w.letters) < maxLetters {
		w.letters = append(w.letters, text...)
	}
	w.x, w.y, w.em = x+r.dx*advance, y+r.dy*advance, r.em
}

// smallest is the height in points below which nobody sees text.
const smallest = 0.7

// follows reports whether a glyph at (x, y) goes on with the word without a space.
func (w *word) follows(x, y float64, r *shown) bool {
	if !(r.length > 0) || r.em > 2*w.em || w.em > 2*r.em {
		return false
	}
	dx, dy, em := r.dx/r.length, r.dy/r.length, r.em
	ahead := (x-w.x)*dx + (y-w.y)*dy
	aside := (x-w.x)*dy - (y-w.y)*dx
	return ahead > -backStep*em && ahead < wideGap*em && math.Abs(aside) < asideStep*em
}

// flush ends the word at hand.
func (p *painter) flush() {
	w := &p.word
	if w.glyphs == 0 {
		return
	}
	if p.cover != nil && (w.in != 0 || w.hidden == ByLayer) {
		if blocks(w.letters) {
			w.hides = 1
		}
		p.cover.fill(w.box.Intersect(w.clip), w.hides)
	}
	m := Mark{Kind: Text, Box: w.box, Hidden: w.hidden, In: w.in, White: w.white, Joins: w.joins, Rough: w.rough, Text: p.kept(w.letters), Look: uint64(w.look)}
	w.glyphs, w.letters = 0, w.letters[:0]
	p.put(m, w.clip)
}

// slab is how many bytes of words are kept together.
const slab = 4 << 10

// kept makes a string of the letters of a word; those of one page stand in a few pieces of memory.
func (p *painter) kept(letters []byte) string {
	b := p.letters
	if b == nil || b.Cap()-b.Len() < len(letters) {
		b = &strings.Builder{}
		b.Grow(slab)
		p.letters = b
	}
	from := b.Len()
	b.Write(letters)
	return b.String()[from:]
}
