package content

import (
	"math"
	"strings"

	"segel/pdf"
)

// executeTextOperator executes the text operators (ISO 32000-2 §9.3 and §9.4).
func (p *interpreter) executeTextOperator(op []byte, c *contentLexer) {
	var v [6]float64
	switch string(op) {
	// Showing.
	case "Tj":
		p.showOperand(c)
	case "TJ":
		p.showArray(c)
	case "\"":
		if n := len(c.operands); n >= 3 && c.operands[n-3].kind == isNumber && c.operands[n-2].kind == isNumber {
			p.wordSpacing, p.charSpacing = c.operands[n-3].number, c.operands[n-2].number
		}
		fallthrough
	case "'":
		p.startLine(0, -p.leading)
		p.showOperand(c)

	// Positioning.
	case "BT":
		p.textMatrix, p.lineMatrix = identityMatrix, identityMatrix
	case "Td":
		if c.lastNumbers(v[:2]) {
			p.startLine(v[0], v[1])
		}
	case "TD":
		if c.lastNumbers(v[:2]) {
			p.leading = -v[1]
			p.startLine(v[0], v[1])
		}
	case "Tm":
		if c.lastNumbers(v[:]) {
			p.lineMatrix = matrix(v)
			p.textMatrix = p.lineMatrix
		}
	case "T*":
		p.startLine(0, -p.leading)

	// State.
	case "Tf":
		p.selectFont(c)
	case "Tc":
		setNumber(c, &p.charSpacing)
	case "Tw":
		setNumber(c, &p.wordSpacing)
	case "Tz":
		if c.lastNumbers(v[:1]) {
			p.horizontalScale = v[0] / 100
		}
	case "TL":
		setNumber(c, &p.leading)
	case "Ts":
		setNumber(c, &p.rise)
	case "Tr":
		if c.lastNumbers(v[:1]) && v[0] >= 0 && v[0] <= 7 {
			p.textMode = int(v[0])
		}
	}
}

func setNumber(c *contentLexer, to *float64) {
	var v [1]float64
	if c.lastNumbers(v[:]) {
		*to = v[0]
	}
}

// startLine begins a line at an offset from the beginning of the previous one.
func (p *interpreter) startLine(x, y float64) {
	p.lineMatrix = p.lineMatrix.translate(x, y)
	p.textMatrix = p.lineMatrix
}

func (p *interpreter) selectFont(c *contentLexer) {
	n := len(c.operands)
	if n < 2 || c.operands[n-2].kind != isName || c.operands[n-1].kind != isNumber {
		return
	}
	p.fontSize = c.operands[n-1].number
	p.font = nil
	name := pdf.Name(c.operands[n-2].text)
	if p.scopes == nil {
		return
	}
	f, known := p.scopes.fonts[name]
	if !known {
		f = p.readFont(p.findResource("Font", name))
		p.scopes.fonts[name] = f
	}
	p.font = f
}

func (p *interpreter) showOperand(c *contentLexer) {
	if n := len(c.operands); n > 0 && c.operands[n-1].kind == isString {
		r := p.newTextRun()
		p.showString(&r, c.operands[n-1].text)
	}
}

// showArray shows the strings of an array; its numbers move back by thousandths of the size.
func (p *interpreter) showArray(c *contentLexer) {
	r := p.newTextRun()
	for _, o := range c.operands {
		switch {
		case p.stopped:
			return
		case o.kind == isString:
			p.showString(&r, o.text)
		case o.kind == isNumber && r.font.vertical:
			p.moveText(&r, 0, -o.number/1000*p.fontSize)
		case o.kind == isNumber:
			p.moveText(&r, -o.number/1000*p.fontSize*p.horizontalScale, 0)
		}
	}
}

// glyphCost is the cost of each byte of shown text in Limits.Bytes, in addition to reading it: placing a glyph takes
// about as long as reading that many bytes.
const glyphCost = 8

func (p *interpreter) showString(r *textRun, s []byte) {
	if p.font == nil && len(s) > 0 {
		p.noteIncomplete(NoFont, nil)
	}
	if !p.spendBytes(glyphCost * int64(len(s))) {
		p.stopAtLimit(errBytes)
		return
	}
	if p.trace != nil {
		p.traceText(r, s)
		return
	}
	if p.deep != nil {
		p.recordShown(r, s)
		r.fingerprint = p.fingerprintText(r, s)
		if p.textMode >= 4 {
			p.addClip(r.fingerprint.addNumber(r.m[4]).addNumber(r.m[5]))
		}
	}
	if r.isLevel {
		p.showLevelText(r, s)
		return
	}
	for len(s) > 0 && !p.stopped {
		g := r.font.nextGlyph(p, s)
		p.showGlyph(r, g)
		s = s[g.bytes:]
	}
}

// textRun is the text that one operator shows: what all its glyphs have in common, and the position of the next one.
type textRun struct {
	font        *font
	m           matrix  // a glyph of size 1 to the page
	step        matrix  // text space to the page
	dx, dy      float64 // direction of the text, by advance
	length      float64 // of (dx, dy)
	em          float64
	straight    bool // along the page or across
	hidden      Hidden
	views       Views
	white       bool
	opacity     float64
	fingerprint fingerprint // for a deep reader

	isLevel bool     // see isLevelText
	forward bool     // level text whose letters never move back
	reach   pdf.Rect // box of a glyph without width at the origin, on the page; of level text
}

func (p *interpreter) newTextRun() textRun {
	f := p.font
	if f == nil {
		f = unknownFont
	}
	r := textRun{font: f, step: p.textMatrix.then(p.ctm), white: p.isWhiteText()}
	r.hidden, r.views = p.currentVisibility()
	r.m = matrix{p.fontSize * p.horizontalScale, 0, 0, p.fontSize, 0, p.rise}.then(r.step)
	if r.dx, r.dy = r.m[0], r.m[1]; f.vertical {
		r.dx, r.dy = -r.m[2], -r.m[3]
	}
	r.length, r.em = math.Hypot(r.dx, r.dy), math.Hypot(r.m[2], r.m[3])
	r.straight = math.Abs(r.dx) < 0.01*math.Abs(r.dy) || math.Abs(r.dy) < 0.01*math.Abs(r.dx)
	if (p.textMode == 3 || p.textMode == 7) && !f.type3 {
		r.views = 0
		if r.hidden == "" {
			r.hidden = ByMode
		}
	}
	r.opacity = p.textOpacity(&r)
	r.isLevel = p.isLevelText(&r)
	return r
}

// moveText moves the position in text space.
func (p *interpreter) moveText(r *textRun, x, y float64) {
	p.textMatrix = p.textMatrix.translate(x, y)
	r.m[4] += r.step[0]*x + r.step[2]*y
	r.m[5] += r.step[1]*x + r.step[3]*y
}

// showGlyph adds one glyph and advances by its width.
func (p *interpreter) showGlyph(r *textRun, g glyph) {
	switch {
	case g.space:
		p.flushWord()
	case r.font.vertical:
		p.addGlyph(r, r.font.glyphSpace(r.m).mapBox(g.box), g.text, -g.width)
	default:
		p.addGlyph(r, r.font.glyphSpace(r.m).mapBox(g.box), g.text, g.width)
	}
	p.advanceGlyph(r, g)
}

// advanceGlyph moves the position behind a glyph.
func (p *interpreter) advanceGlyph(r *textRun, g glyph) {
	step := g.width*p.fontSize + p.charSpacing
	if g.bytes == 1 && g.code == ' ' {
		step += p.wordSpacing
	}
	if r.font.vertical {
		p.moveText(r, 0, step)
		return
	}
	p.moveText(r, step*p.horizontalScale, 0)
}

// isLevelText reports whether text is level: its glyphs are side by side along the page or across it, large enough to
// be visible and without gaps, as in nearly all text. Then the box of each has its width only, and a word extends from
// space to space.
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

// glyphBox is the box of a glyph of a width at the current position.
func (r *textRun) glyphBox(width float64) pdf.Rect {
	x, y := r.m[0]*width, r.m[1]*width
	return pdf.Rect{
		LLX: r.m[4] + r.reach.LLX + min(0, x), LLY: r.m[5] + r.reach.LLY + min(0, y),
		URX: r.m[4] + r.reach.URX + max(0, x), URY: r.m[5] + r.reach.URY + max(0, y),
	}
}

// showLevelText shows a level string: the checks for the first glyph of a word hold for the others.
func (p *interpreter) showLevelText(r *textRun, s []byte) {
	w, from := &p.word, r.m
	inside := false // the previous glyph is of this string and word
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

// moveTo moves to a distance from the start of the text, in text space.
func (r *textRun) moveTo(from matrix, gone float64) {
	r.m[4], r.m[5] = from[4]+r.step[0]*gone, from[5]+r.step[1]*gone
}

// extendWord adds to the current word the letters of a simple font that a string begins with, if all advance forward:
// their boxes are within those of the first and the last. It returns how many there are, and the distances to the last
// of them and behind it.
func (p *interpreter) extendWord(f *font, s []byte) (n int, before, after float64) {
	w, widths := &p.word, 0.0
	for limit := min(len(s), maxWord-w.glyphs); n < limit && f.kinds[s[n]] == asciiLetter; n++ {
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

// measured is what level text needs of a glyph.
type measured struct {
	bytes int
	width float64
	text  string
	blank bool
}

// measureGlyph returns the next glyph of a string in a font that is neither Type 3 nor vertical.
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

// recent is a glyph of a composite font that was looked up recently: text uses few of them.
type recent struct {
	font *font
	code uint32
	measured
}

const recentGlyphs = 512

// word is the run of glyphs that is being collected.
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
	fingerprint   fingerprint // of its strings, for a deep reader
	opacity       float64     // for a Coverage
}

// Bounds of one mark: its glyphs, and the bytes of their text. A glyph may claim to mean a whole sentence.
const (
	maxWord    = 64
	maxLetters = 256
)

// Bounds of what belongs together, in text sizes: a gap wider than wideGap separates words; a step back is kerning up
// to backStep, and a step aside up to asideStep.
const (
	wideGap   = 0.2
	backStep  = 0.3
	asideStep = 0.3
)

// addGlyph adds a glyph to the current word, or begins another: its box on the page, its text and its width.
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

// minVisibleSize is the height in points below which text is invisible.
const minVisibleSize = 0.7

// isContinuedAt reports whether a glyph at (x, y) continues the word without a space.
func (w *word) isContinuedAt(x, y float64, r *textRun) bool {
	if !(r.length > 0) || r.em > 2*w.em || w.em > 2*r.em {
		return false
	}
	dx, dy, em := r.dx/r.length, r.dy/r.length, r.em
	ahead := (x-w.x)*dx + (y-w.y)*dy
	aside := (x-w.x)*dy - (y-w.y)*dx
	return ahead > -backStep*em && ahead < wideGap*em && math.Abs(aside) < asideStep*em
}

// flushWord ends the current word.
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

// letterBlock is how many bytes of words share one allocation.
const letterBlock = 4 << 10

// internLetters returns the letters of a word as a string; those of one page share a few allocations.
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
