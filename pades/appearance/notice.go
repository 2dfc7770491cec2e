package appearance

import (
	"segel/pades/font"
	"segel/pdf"
)

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
