package appearance

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"segel/pades/font"
	"segel/pdf"
)

// SignatureText is what a signature shows on its page. Only Name is required.
type SignatureText struct {
	Heading      string // a small line above the name; empty: "Ditandatangani secara elektronik oleh"
	Name         string
	Time         time.Time // shown in its zone
	Organisation string    // a line below the time
	Reason       string
	Location     string
	Specimen     *Strokes // the signer's handwriting
	Logo         *Picture // of the organisation; may be nil
	Accent       *Color   // of the bar at the left edge; nil: blue
	QR           string   // content of the code
}

// Colours of signatures.
var (
	strokeColor = Color{22, 33, 54}
	mutedColor  = Color{86, 99, 117}
	accentColor = Color{24, 88, 160}
	edgeColor   = Color{200, 210, 222}
)

const defaultHeading = "Ditandatangani secara elektronik oleh"

var months = [...]string{"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober", "November", "Desember"}

// formatTime formats a time with its zone: 2 Januari 2027 09:30:15 WIB.
func formatTime(t time.Time) string {
	return fmt.Sprintf("%d %s %s", t.Day(), months[t.Month()-1], t.Format("2006 15:04:05 MST"))
}

// Signature draws a signature for a box of that size in points, as displayed. The handwriting gets the area that text and code
// leave, beside the text or above it, whichever makes it larger.
//
// Text has at least six points. Lines without space are left out: the location first, then the reason, the heading, the
// organisation, the time. A name that does not fit is cut off. A code whose modules would be too small for a phone is left
// out, and so is a logo without space.
func Signature(t SignatureText, width, height float64) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	short := min(width, height)
	line := min(0.75, short*0.02)
	d.Stroke(edgeColor, line, Rounded(Inset(d.Bounds(), line/2), short*0.06))
	pad := min(short*0.08, 6)
	bar := min(2.4, width*0.03)
	inner := Inset(d.Bounds(), pad)
	accent := accentColor
	if t.Accent != nil {
		accent = *t.Accent
	}
	d.Fill(accent, Rounded(pdf.Rect{LLX: inner.LLX, LLY: inner.LLY, URX: inner.LLX + bar, URY: inner.URY}, bar/2))
	inner.LLX += bar + pad
	if inner.Empty() {
		return d
	}
	fonts, err := font.SystemCollection()
	if err != nil {
		d.setError(err)
		return d
	}
	at, err := t.arrange(fonts, inner, pad)
	if err != nil {
		d.setError(err)
		return d
	}
	if !at.strokes.Empty() {
		d.Strokes(at.strokes, t.Specimen)
	}
	if !at.logo.Empty() {
		d.Picture(at.logo, t.Logo)
	}
	if !at.code.Empty() {
		d.addQR(at.code, strokeColor, t.QR)
	}
	if !at.text.Empty() {
		d.Text(at.text, TextOptions{MaxSize: min(11, max(7, height*0.2)), MinSize: LeastText, Vertical: Middle}, t.textLines()...)
	}
	return d
}

const (
	// LeastText is the size in points below which the text of a signature is not set.
	LeastText = 6
	// leastModule is the side in points of the smallest module of a code that phones scan from print: 0.33 mm.
	leastModule = 0.33 * 72 / 25.4
	// leastLogo is the height in points of the smallest logo.
	leastLogo = 8
	// largestLogo bounds the height of a logo in points.
	largestLogo = 30
)

// signatureParts are the places of what a signature shows. A part without content, or with too little space, is empty.
type signatureParts struct{ strokes, text, code, logo pdf.Rect }

// arrange divides the inside of a box: in a wide one, code and logo are at its right, in a high one at its foot.
func (t SignatureText) arrange(fonts *font.Collection, r pdf.Rect, gap float64) (signatureParts, error) {
	var at signatureParts
	wide := r.Width() >= 1.5*r.Height()
	along, across := r.Height(), r.Width()*0.3 // what code and logo may take, along the edge and across
	if !wide {
		along, across = r.Width(), r.Height()*0.3
	}
	code := 0.0
	if t.QR != "" {
		least, err := leastCodeSide(t.QR)
		if err != nil {
			return at, err
		}
		if least <= min(along, across) {
			code = max(least, min(along*0.6, across, 1.5*least))
		}
	}
	logoWidth, logoHeight := 0.0, 0.0
	if t.Logo != nil {
		// Beside the code there is what it leaves of the edge; without one, the logo has half of the edge.
		w, h := max(code, across*0.8), min(along*0.5, largestLogo)
		if code > 0 {
			w, h = code, min(along-code-gap, largestLogo)
		}
		if !wide {
			w, h = min(along-code-gap, along*0.6), min(across, largestLogo)
		}
		scale := min(w/float64(t.Logo.Width), h/float64(t.Logo.Height))
		if lw, lh := float64(t.Logo.Width)*scale, float64(t.Logo.Height)*scale; lh >= leastLogo || lw >= 3*leastLogo {
			logoWidth, logoHeight = lw, lh
		}
	}
	rest := r
	if wide {
		if edge := max(code, logoWidth); edge > 0 {
			rest.URX -= edge + gap
		}
		at.code = pdf.Rect{LLX: r.URX - code, LLY: r.LLY, URX: r.URX, URY: r.LLY + code}
		if logoHeight == 0 { // in the middle of the edge
			at.code.LLY += (r.Height() - code) / 2
			at.code.URY += (r.Height() - code) / 2
		}
		at.logo = pdf.Rect{LLX: r.URX - logoWidth, LLY: r.URY - logoHeight, URX: r.URX, URY: r.URY}
	} else {
		if edge := max(code, logoHeight); edge > 0 {
			rest.LLY += edge + gap
		}
		at.code = pdf.Rect{LLX: r.LLX, LLY: r.LLY, URX: r.LLX + code, URY: r.LLY + code}
		at.logo = pdf.Rect{LLX: r.URX - logoWidth, LLY: r.LLY, URX: r.URX, URY: r.LLY + logoHeight}
	}
	at.text = rest
	if t.Specimen != nil {
		at.strokes, at.text = t.arrangeStrokes(fonts, rest, gap)
	}
	return at, nil
}

// arrangeStrokes divides an area between handwriting and text: one beside the other or one above the other, whichever makes
// the handwriting larger. The text gets what name and time need at a readable size, but never more than about half.
func (t SignatureText) arrangeStrokes(fonts *font.Collection, r pdf.Rect, gap float64) (strokes, text pdf.Rect) {
	scale := func(r pdf.Rect) float64 {
		return min(r.Width()/float64(t.Specimen.Width), r.Height()/float64(t.Specimen.Height))
	}
	need := 0.0
	for _, l := range t.textLines() {
		if l.Drop <= 2 {
			need = max(need, fonts.MeasureText(weightOf(l), font.CleanText(l.Text))*max(LeastText, l.Size*7)/1000)
		}
	}
	beside, besideText := r, r
	besideText.LLX = r.URX - min(need+0.5, r.Width()*0.55)
	beside.URX = besideText.LLX - gap
	above, aboveText := r, r
	aboveText.URY = r.LLY + min(max(r.Height()*0.42, 2.3*LineHeight*LeastText), r.Height()*0.55)
	above.LLY = aboveText.URY + min(gap, r.Height()*0.05)
	if !beside.Empty() && scale(beside) > scale(above) {
		return beside, besideText
	}
	return above, aboveText
}

func (t SignatureText) textLines() []Line {
	head := t.Heading
	if head == "" {
		head = defaultHeading
	}
	lines := []Line{
		{Text: head, Size: 0.66, Color: mutedColor, Drop: 4, Whole: true},
		{Text: t.Name, Size: 1.1, Bold: true, Color: strokeColor, Gap: 0.1, Drop: 1, Shorten: true},
	}
	if !t.Time.IsZero() {
		lines = append(lines, Line{Text: formatTime(t.Time), Size: 0.72, Color: mutedColor, Gap: 0.2, Drop: 2, Whole: true})
	}
	for i, s := range []string{t.Organisation, t.Reason, t.Location} {
		lines = append(lines, Line{Text: s, Size: 0.72, Color: mutedColor, Gap: 0.1, Drop: [...]int{3, 5, 6}[i]})
	}
	return lines
}

// Initials draws what appears on each page: the specimen, or the first letters of the name if they fit at a readable size.
func Initials(name string, specimen *Strokes, width, height float64) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	short := min(width, height)
	line := min(0.6, short*0.02)
	d.Stroke(edgeColor, line, Rounded(Inset(d.Bounds(), line/2), short*0.08))
	inner := Inset(d.Bounds(), short*0.06)
	if specimen != nil {
		d.Strokes(inner, specimen)
		return d
	}
	d.Text(inner, TextOptions{MaxSize: max(height, LeastText), MinSize: LeastText, Horizontal: Middle, Vertical: Middle}, Line{Text: firstLetters(name), Bold: true, Color: strokeColor, Drop: 1})
	return d
}

// firstLetters returns the first letters of up to three words.
func firstLetters(name string) string {
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) && n < 3 {
			b.WriteRune(unicode.ToUpper(r))
			n++
		}
	}
	if n == 0 {
		return name
	}
	return b.String()
}

// Notice is a statement that a drawing must always show.
type Notice struct {
	Text        string // in full; may be empty
	Translation string // of Text, in smaller letters below it if there is space; may be empty
	Short       string // used if there is no space for Text. Required
	Word        string // used if there is no space for Short at a readable size; may be empty
}

// Colours of a notice.
var (
	noticeColor     = Color{112, 60, 0}
	noticeEdgeColor = Color{204, 140, 40}
)

// noticeForms are the ways to set a notice, the fullest first: the lines, the smallest size in points, and the share of the
// height that they may take. The last one is for boxes in which no word can be read: the sentence is in the file for those who
// copy text or listen to it.
var noticeForms = []struct {
	lines func(Notice) []Line
	least float64
	part  float64
}{
	{func(n Notice) []Line { return noticeLines(n.Text, n.Translation) }, LeastText, 0.36},
	{func(n Notice) []Line { return noticeLines(n.Text, "") }, LeastText, 0.4},
	{func(n Notice) []Line { return noticeLines(n.Short, "") }, LeastText, 0.5},
	{func(n Notice) []Line { return noticeLines(n.Word, "") }, LeastText, 0.72},
	{func(n Notice) []Line { return noticeLines(n.Short, "") }, tinySize, 0.3},
}

// largestNotice is the maximal size of a notice in points.
const largestNotice = 7

// WithNotice draws a notice in a strip along the lower edge of a box of that size in points, and what above draws in
// the rest. Nothing that is drawn above gets into the strip, however long its text is: the strip is as high as the
// notice needs, and what is above is clipped to the rest. The strip has no background, so it hides nothing of the page.
func WithNotice(n Notice, width, height float64, above func(width, height float64) *Drawing) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	fonts, err := font.SystemCollection()
	if err != nil {
		d.setError(err)
		return d
	}
	text, strip := n.layoutNotice(fonts, width, height)
	rest := above(width, height-strip)
	if rest.err != nil {
		d.setError(rest.err)
		return d
	}
	d.addGroup(func(part *Drawing) { part.ops = rest.ops }, func(w *canvas) {
		w.buf.writeOperator("cm", 1, 0, 0, 1, 0, strip)
		w.buf.writePath(Rectangle(rest.Bounds()))
		w.buf.writeText("W n\n")
	})
	box := pdf.Rect{URX: width, URY: strip}
	line := min(0.5, strip*0.05)
	d.Stroke(noticeEdgeColor, line, Rectangle(Inset(box, line/2)))
	d.addOperation(func(w *canvas) error {
		text.drawRows(w)
		return nil
	})
	return d
}

// layoutNotice chooses the fullest form of a notice that is readable in a box, and returns its text and the height of
// its strip.
func (n Notice) layoutNotice(fonts *font.Collection, width, height float64) (*textLayout, float64) {
	for _, f := range noticeForms {
		lines := f.lines(n)
		if len(lines) == 0 {
			continue
		}
		strip := height * f.part
		s := &textLayout{fonts: fonts, box: stripInterior(width, strip), least: f.least, o: TextOptions{Horizontal: Middle, Vertical: Middle}}
		if !s.fitLargest(lines, f.least) {
			continue
		}
		strip = min(strip, s.totalHeight()+strip-s.box.Height())
		s.box = stripInterior(width, strip)
		return s, strip
	}
	return &textLayout{}, height * noticeForms[len(noticeForms)-1].part
}

// fitLargest sets lines at the largest size, at least least, that any kind of wrapping allows, and reports whether
// there is one. Lines stay whole if possible.
func (s *textLayout) fitLargest(lines []Line, least float64) bool {
	best, how := 0.0, keepLines
	for _, wrap := range []wrapping{keepLines, keepWords, breakWords} {
		if s.fitSize(lines, least, largestNotice, wrap) && s.size > best*(1+wholeLineFactor) {
			best, how = s.size, wrap
		}
	}
	return best > 0 && s.fitSize(lines, least, largestNotice, how)
}

// stripInterior is the area for the text of a strip.
func stripInterior(width, height float64) pdf.Rect {
	return Inset(pdf.Rect{URX: width, URY: height}, min(2, width*0.04, height*0.07))
}

// noticeLines returns the lines of a notice; none if there is no text.
func noticeLines(text, translation string) []Line {
	if text = font.CleanText(text); text == "" {
		return nil
	}
	lines := []Line{{Text: text, Size: 1, Bold: true, Color: noticeColor, Whole: true}}
	if translation = font.CleanText(translation); translation != "" {
		lines = append(lines, Line{Text: translation, Size: 0.85, Color: noticeColor, Whole: true})
	}
	return lines
}
