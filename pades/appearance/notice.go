package appearance

import (
	"segel/pades/font"
	"segel/pdf"
)

// Notice is what a drawing has to say about itself, wherever it is drawn.
type Notice struct {
	Text        string // in full; empty: Short is all there is
	Translation string // of Text, in smaller letters below it where there is room; may be empty
	Short       string // where there is no room for Text. It is never left out. Required
}

// Colours of a notice.
var (
	noticeColor     = Color{112, 60, 0}
	noticeEdgeColor = Color{204, 140, 40}
)

// noticeForms are the ways to set a notice, the fullest first: the lines, the smallest size in points at which they can be
// read, and the part of the height that they may take. The last one has to do, at whatever size fits.
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

// largestNotice is the size in points that no notice exceeds.
const largestNotice = 7

// WithNotice draws a notice in a strip along the lower edge of a box of that size in points, and what above draws in the
// room that is left. Nothing that is drawn above gets into the strip, however long its text is: the strip has room of its
// own, as high as the notice needs, and what is above is clipped to the rest. The strip has no ground, so it hides nothing
// of the page.
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
	d.addOperation(func(w *canvas) error {
		w.buf.writeText("q\n")
		w.buf.writeOperator("cm", 1, 0, 0, 1, 0, strip)
		w.buf.writePath(Rectangle(rest.Bounds()))
		w.buf.writeText("W n\n")
		for _, op := range rest.ops {
			if err := op(w); err != nil {
				return err
			}
		}
		w.buf.writeText("Q\n")
		return nil
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

// layoutNotice chooses the fullest form of a notice that can be read in a box, and returns its text and the height of the strip
// that it stands in.
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

// fitLargest sets lines at the largest size from one on that any way to wrap them allows, and reports whether there is one.
// Where lines can stay whole they do.
func (s *textLayout) fitLargest(lines []Line, least float64) bool {
	best, how := 0.0, keepLines
	for _, wrap := range []wrapping{keepLines, keepWords, breakWords} {
		if s.fitSize(lines, least, largestNotice, wrap) && s.size > best*(1+wholeLineFactor) {
			best, how = s.size, wrap
		}
	}
	return best > 0 && s.fitSize(lines, least, largestNotice, how)
}

// stripInterior is the room for the text of a strip.
func stripInterior(width, height float64) pdf.Rect {
	return Inset(pdf.Rect{URX: width, URY: height}, min(2, width*0.04, height*0.1))
}

// noticeLines are the lines of a notice; none where there is no text.
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
