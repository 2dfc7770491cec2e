package content

import (
	"math"
	"strings"

	"segel/pdf"
)

// word is the run of glyphs that is being gathered.
type word struct {
	box           pdf.Rect
	hidden        Hidden
	views         Views
	white         bool
	joinsPrevious bool
	boxEstimated  bool
	letters       []byte
	glyphs        int
	clip          pdf.Rect
	x, y          float64 // where the next glyph is expected
	em            float64
	fingerprint   fingerprint // of the strings that it is of, for a deep reader
	opacity       float64     // opacity, where it is covered what text hides
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

// addGlyph adds a glyph to the word at hand, or begins another: its box on the page, what it means and how wide it is.
func (p *interpreter) addGlyph(r *textRun, box pdf.Rect, text string, advance float64) {
	x, y := r.m[4], r.m[5]
	hidden, in := r.hidden, r.views
	if max(box.Width(), box.Height()) < minVisibleSize {
		in = 0
		if hidden == "" {
			hidden = BySize
		}
	}
	w := &p.word
	goesOn := w.glyphs > 0 && w.isContinuedAt(x, y, r)
	if goesOn && r.straight && w.glyphs < maxWord && w.white == r.white && w.hidden == hidden && w.views == in && w.clip == p.clip {
		w.box = unionRect(w.box, box)
		w.boxEstimated = w.boxEstimated || r.font.widthsGuessed
		w.opacity = max(w.opacity, r.opacity)
		if p.deep != nil {
			w.fingerprint = w.fingerprint.addWord(uint64(r.fingerprint))
		}
	} else {
		p.flushWord()
		w.box, w.hidden, w.views, w.white, w.joinsPrevious, w.boxEstimated, w.clip, w.opacity = box, hidden, in, r.white, goesOn, r.font.widthsGuessed, p.clip, r.opacity
		w.fingerprint = r.fingerprint
	}
	w.glyphs++
	if len(w.letters) < maxLetters {
		w.letters = append(w.letters, text...)
	}
	w.x, w.y, w.em = x+r.dx*advance, y+r.dy*advance, r.em
}

// minVisibleSize is the height in points below which nobody sees text.
const minVisibleSize = 0.7

// isContinuedAt reports whether a glyph at (x, y) goes on with the word without a space.
func (w *word) isContinuedAt(x, y float64, r *textRun) bool {
	if !(r.length > 0) || r.em > 2*w.em || w.em > 2*r.em {
		return false
	}
	dx, dy, em := r.dx/r.length, r.dy/r.length, r.em
	ahead := (x-w.x)*dx + (y-w.y)*dy
	aside := (x-w.x)*dy - (y-w.y)*dx
	return ahead > -backStep*em && ahead < wideGap*em && math.Abs(aside) < asideStep*em
}

// flushWord ends the word at hand.
func (p *interpreter) flushWord() {
	w := &p.word
	if w.glyphs == 0 {
		return
	}
	if p.cover != nil && (w.views != 0 || w.hidden == ByLayer) {
		if hasBlockCharacters(w.letters) {
			w.opacity = 1
		}
		p.cover.fillBox(w.box.Intersect(w.clip), w.opacity)
	}
	m := Mark{Kind: Text, Box: w.box, Hidden: w.hidden, Views: w.views, White: w.white, JoinsPrevious: w.joinsPrevious, BoxEstimated: w.boxEstimated, Text: p.internLetters(w.letters), Fingerprint: uint64(w.fingerprint)}
	w.glyphs, w.letters = 0, w.letters[:0]
	p.appendMark(m, w.clip)
}

// letterBlock is how many bytes of words are kept together.
const letterBlock = 4 << 10

// internLetters makes a string of the letters of a word; those of one page stand in a few pieces of memory.
func (p *interpreter) internLetters(letters []byte) string {
	b := p.letters
	if b == nil || b.Cap()-b.Len() < len(letters) {
		b = &strings.Builder{}
		b.Grow(letterBlock)
		p.letters = b
	}
	from := b.Len()
	b.Write(letters)
	return b.String()[from:]
}
