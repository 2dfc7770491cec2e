package appearance

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rsc.io/qr"

	"segel/pades/font"
	"segel/pdf"
)

// SignatureText is what a signature shows on its page. Only Name is required.
type SignatureText struct {
	Heading  string // a small line above the name; empty: "Ditandatangani secara elektronik oleh"
	Name     string
	Time     time.Time // shown in its zone
	Reason   string
	Location string
	Specimen *Strokes // the signer's handwriting
	QR       string   // content of the code
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

// Signature draws a signature for a box of that size in points, as displayed: specimen, text and code side by side in
// wide boxes, one below the other in high ones.
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
	d.Fill(accentColor, Rounded(pdf.Rect{LLX: inner.LLX, LLY: inner.LLY, URX: inner.LLX + bar, URY: inner.URY}, bar/2))
	inner.LLX += bar + pad
	if inner.Empty() {
		return d
	}
	specimen, text, code := arrangeSignature(t, inner, pad)
	if t.Specimen != nil {
		d.Strokes(specimen, t.Specimen)
	}
	if t.QR != "" && !code.Empty() {
		d.QR(code, strokeColor, t.QR)
	}
	d.Text(text, TextOptions{MaxSize: min(11, max(7, height*0.2)), Vertical: Middle}, t.textLines()...)
	return d
}

// minCodeSide is the side in points below which a printed code cannot be scanned.
const minCodeSide = 28

// arrangeSignature divides the inside of a box. A part without content, or with too little space, is empty.
func arrangeSignature(t SignatureText, r pdf.Rect, gap float64) (specimen, text, code pdf.Rect) {
	text = r
	if r.Width() >= 1.5*r.Height() {
		if side := min(r.Height(), r.Width()*0.26); t.QR != "" && side >= minCodeSide {
			middle := (r.LLY + r.URY) / 2
			code = pdf.Rect{LLX: r.URX - side, LLY: middle - side/2, URX: r.URX, URY: middle + side/2}
			text.URX = code.LLX - gap
		}
		if t.Specimen != nil {
			specimen = text
			specimen.URX = text.LLX + min(text.Width()*0.38, r.Height()*2.6)
			text.LLX = specimen.URX + gap
		}
		return specimen, text, code
	}
	if side := min(r.Width()*0.5, r.Height()*0.3); t.QR != "" && side >= minCodeSide {
		code = pdf.Rect{LLX: r.LLX, LLY: r.LLY, URX: r.LLX + side, URY: r.LLY + side}
		text.LLY = code.URY + gap
	}
	if t.Specimen != nil {
		specimen = text
		specimen.LLY = text.URY - text.Height()*0.45
		text.URY = specimen.LLY - gap
	}
	return specimen, text, code
}

func (t SignatureText) textLines() []Line {
	head := t.Heading
	if head == "" {
		head = defaultHeading
	}
	lines := []Line{
		{Text: head, Size: 0.66, Color: mutedColor, Optional: true, Whole: true},
		{Text: t.Name, Size: 1.1, Bold: true, Color: strokeColor, Gap: 0.1},
	}
	if !t.Time.IsZero() {
		lines = append(lines, Line{Text: formatTime(t.Time), Size: 0.72, Color: mutedColor, Gap: 0.25, Whole: true})
	}
	for _, s := range []string{t.Reason, t.Location} {
		lines = append(lines, Line{Text: s, Size: 0.72, Color: mutedColor, Gap: 0.1, Optional: true})
	}
	return lines
}

// Initials draws what appears on each page: the specimen, or the first letters of the name.
func Initials(name string, specimen *Strokes, width, height float64) *Drawing {
	d := New(width, height)
	if d.err != nil {
		return d
	}
	short := min(width, height)
	line := min(0.6, short*0.02)
	d.Stroke(edgeColor, line, Rounded(Inset(d.Bounds(), line/2), short*0.08))
	inner := Inset(d.Bounds(), short*0.08)
	if specimen != nil {
		d.Strokes(inner, specimen)
		return d
	}
	d.Text(inner, TextOptions{MaxSize: height, Horizontal: Middle, Vertical: Middle}, Line{Text: firstLetters(name), Bold: true, Color: strokeColor})
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
}

// Colours of a notice.
var (
	noticeColor     = Color{112, 60, 0}
	noticeEdgeColor = Color{204, 140, 40}
)

// noticeForms are the ways to set a notice, the fullest first: the lines, the smallest readable size in points, and the
// share of the height that they may take. The last one is used at whatever size fits.
var noticeForms = []struct {
	lines func(Notice) []Line
	least float64
	part  float64
}{
	{func(n Notice) []Line { return noticeLines(n.Text, n.Translation) }, 4.5, 0.36},
	{func(n Notice) []Line { return noticeLines(n.Text, "") }, 4.5, 0.4},
	{func(n Notice) []Line { return noticeLines(n.Short, "") }, 4, 0.4},
	{func(n Notice) []Line { return noticeLines(n.Short, "") }, tinySize, 0.5},
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
		s := &textLayout{fonts: fonts, box: stripInterior(width, strip), o: TextOptions{Horizontal: Middle, Vertical: Middle}}
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
	return Inset(pdf.Rect{URX: width, URY: height}, min(2, width*0.04, height*0.1))
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

// quietZone is the empty margin around a code, in modules. The standard asks for four; readers need less.
const quietZone = 2

// QR draws a QR code for text, as large as fits into r and centred: dark modules on white.
func (d *Drawing) QR(r pdf.Rect, c Color, text string) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		d.setError(fmt.Errorf("QR code of %d bytes: %w", len(text), err))
		return
	}
	side := min(r.Width(), r.Height())
	module := side / float64(code.Size+2*quietZone)
	if !(module > 0) {
		d.setError(errors.New("no space for QR code"))
		return
	}
	x, y := r.LLX+(r.Width()-side)/2, r.LLY+(r.Height()-side)/2
	d.Fill(Color{255, 255, 255}, Rectangle(pdf.Rect{LLX: x, LLY: y, URX: x + side, URY: y + side}))
	d.addOperation(func(w *canvas) error {
		w.buf.writeText("q\n")
		w.setColor(c, "rg")
		// One unit is one module from here on, so that all numbers are small integers.
		w.buf.writeOperator("cm", module, 0, 0, module, x+quietZone*module, y+quietZone*module)
		for row := range code.Size {
			for from := 0; from < code.Size; from++ {
				to := from
				for to < code.Size && code.Black(to, row) {
					to++
				}
				if to > from {
					w.buf.writeOperator("re", float64(from), float64(code.Size-1-row), float64(to-from), 1)
					from = to
				}
			}
		}
		w.buf.writeText("f\nQ\n")
		return nil
	})
}
