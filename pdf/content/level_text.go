package content

import (
	"math"

	"segel/pdf"
)

// isLevelText reports whether text is level: its glyphs stand side by side along the page or across it, large enough to be
// seen and so close that no gap parts them, as nearly all text does. Then the box of each is that of its width alone,
// and a word lasts from space to space.
func (p *interpreter) isLevelText(r *textRun) bool {
	f := r.font
	if f.vertical || f.type3 || !r.straight || !(r.length > 0) {
		return false
	}
	up, down := f.ascent, f.descent
	r.reach = pdf.Rect{
		LLX: min(r.m[2]*down, r.m[2]*up), LLY: min(r.m[3]*down, r.m[3]*up),
		URX: max(r.m[2]*down, r.m[2]*up), URY: max(r.m[3]*down, r.m[3]*up),
	}
	gap := p.charSpacing / p.fontSize * r.length
	r.forward = f.composite == nil && f.forward && gap >= 0
	return max(r.reach.Width(), r.reach.Height()) >= minVisibleSize && gap > -backStep*r.em && gap < wideGap*r.em && !math.IsInf(r.length, 0)
}

// glyphBox is that of a glyph of so much width where the text stands.
func (r *textRun) glyphBox(width float64) pdf.Rect {
	x, y := r.m[0]*width, r.m[1]*width
	return pdf.Rect{
		LLX: r.m[4] + r.reach.LLX + min(0, x), LLY: r.m[5] + r.reach.LLY + min(0, y),
		URX: r.m[4] + r.reach.URX + max(0, x), URY: r.m[5] + r.reach.URY + max(0, y),
	}
}

// showLevelText shows a string that is level: what the first glyph of a word is asked, those behind it need not be.
func (p *interpreter) showLevelText(r *textRun, s []byte) {
	w, from := &p.word, r.m
	inside := false // the glyph before is of this string and this word
	gone := 0.0     // in text space
	for len(s) > 0 && !p.stopped {
		g := p.measureGlyph(r.font, s)
		switch {
		case g.blank:
			p.flushWord()
			inside = false
		case inside && w.glyphs < maxWord:
			w.box = unionRect(w.box, r.glyphBox(g.width))
			w.glyphs++
			if len(w.letters) < maxLetters {
				w.letters = append(w.letters, g.text...)
			}
			w.x, w.y = r.m[4]+r.dx*g.width, r.m[5]+r.dy*g.width
		default:
			p.addGlyph(r, r.glyphBox(g.width), g.text, g.width)
			inside = true
		}
		step := g.width*p.fontSize + p.charSpacing
		if g.bytes == 1 && s[0] == ' ' {
			step += p.wordSpacing
		}
		gone += step * p.horizontalScale
		s = s[g.bytes:]
		if inside && r.forward {
			n, before, after := p.extendWord(r.font, s)
			if n > 0 {
				width := r.font.widths[s[n-1]]
				r.moveTo(from, gone+before)
				w.box = unionRect(w.box, r.glyphBox(width))
				w.x, w.y = r.m[4]+r.dx*width, r.m[5]+r.dy*width
				gone, s = gone+after, s[n:]
			}
		}
		r.moveTo(from, gone)
	}
	p.textMatrix = p.textMatrix.translate(gone, 0)
}

// moveTo moves to so far from where the text stood, in text space.
func (r *textRun) moveTo(from matrix, gone float64) {
	r.m[4], r.m[5] = from[4]+r.step[0]*gone, from[5]+r.step[1]*gone
}

// extendWord adds to the word at hand the letters of a simple font that a string begins with, if all go forward: their
// boxes are within those of the first and the last. It returns how many these are, and how far it is to the last of them
// and behind it.
func (p *interpreter) extendWord(f *font, s []byte) (n int, before, after float64) {
	w, widths := &p.word, 0.0
	for room := min(len(s), maxWord-w.glyphs); n < room && f.kinds[s[n]] == asciiLetter; n++ {
		widths += f.widths[s[n]]
	}
	if n == 0 {
		return 0, 0, 0
	}
	w.glyphs += n
	w.letters = append(w.letters, s[:min(n, max(0, maxLetters-len(w.letters)))]...)
	after = (widths*p.fontSize + float64(n)*p.charSpacing) * p.horizontalScale
	return n, after - (f.widths[s[n-1]]*p.fontSize+p.charSpacing)*p.horizontalScale, after
}

// measured is as much of a glyph as level text asks for.
type measured struct {
	bytes int
	width float64
	text  string
	blank bool
}

// measureGlyph takes the next glyph off a string in a font that is neither type 3 nor vertical.
func (p *interpreter) measureGlyph(f *font, s []byte) measured {
	if f.composite == nil {
		c := s[0]
		return measured{1, f.widths[c], f.texts[c], f.kinds[c] == blankLetter}
	}
	code, n := f.composite.nextCode(s)
	if p.recent == nil {
		p.recent = new([recentGlyphs]recent)
	}
	known := &p.recent[(code^code>>8)%recentGlyphs]
	if known.font != f || known.code != code || known.bytes != n {
		g := f.composite.findGlyph(f, code, n)
		*known = recent{f, code, measured{n, g.width, g.text, g.space}}
	}
	return known.measured
}

// recent is a glyph of a composite font that was looked up not long ago: text uses few of them.
type recent struct {
	font *font
	code uint32
	measured
}

const recentGlyphs = 512
