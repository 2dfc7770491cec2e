package evidence

import (
	"fmt"
	"time"

	"segel/pades/appearance"
	"segel/pdf"
)

// Lengths in points, on A4.
const (
	pageWidth, pageHeight  = 595.28, 841.89
	margin                 = 56.0
	top, bottom            = pageHeight - margin, margin + 14
	labelWidth             = 118.0
	textSize, smallSize    = 8.5, 7.0
	pictureGap             = 12.0
	picturesInRow          = 4
	pictureSide            = (pageWidth - 2*margin - (picturesInRow-1)*pictureGap) / picturesInRow
	pictureHeight          = pictureSide * 1.42 // a page of A4
	captionHeight          = 12.0
	maxRows                = 9000 // on pages: about 150 pages
	maxText                = 2000 // characters of one text
	languageID, languageEN = "id-ID", "en"
)

var (
	black = appearance.Color{R: 20, G: 24, B: 33}
	grey  = appearance.Color{R: 84, G: 90, B: 100}
	rule  = appearance.Color{R: 198, G: 203, B: 211}
	warn  = appearance.Color{R: 176, G: 32, B: 32}
)

// element is a structure element (ISO 32000-2 §14.7.2).
type element struct {
	tag      string
	language string // empty: that of the parent
	alt      string
	attrs    pdf.Dict
	kids     []*element
	content  []markedContent // after the kids
}

// markedContent is a piece of a page.
type markedContent struct{ page, id int }

func (e *element) addKid(tag string) *element {
	kid := &element{tag: tag}
	e.kids = append(e.kids, kid)
	return kid
}

// layout sets text on pages from top to bottom.
type layout struct {
	pages    []*appearance.Drawing
	contents [][]*element // by page: the element of each piece of marked content
	y        float64      // of the next line, from the bottom of the last page
	rows     int          // set so far
	root     *element
	zone     *time.Location // of the times
	err      error
}

func newLayout() *layout { return &layout{root: &element{tag: "Document"}} }

// advance moves down by a height, to the next page if it does not fit on this one, and returns the upper edge.
func (l *layout) advance(height float64) (y float64) {
	if len(l.pages) == 0 || l.y-height < bottom {
		l.pages = append(l.pages, appearance.New(pageWidth, pageHeight))
		l.contents = append(l.contents, nil)
		l.y = top
	}
	y = l.y
	l.y -= height
	return y
}

// skipSpace leaves space, except at the top of a page.
func (l *layout) skipSpace(height float64) {
	if len(l.pages) > 0 && l.y < top {
		l.y -= height
	}
}

func (l *layout) page() *appearance.Drawing { return l.pages[len(l.pages)-1] }

// drawTagged draws content of an element on the current page.
func (l *layout) drawTagged(e *element, draw func(*appearance.Drawing)) {
	at := len(l.pages) - 1
	id := len(l.contents[at])
	l.contents[at] = append(l.contents[at], e)
	e.content = append(e.content, markedContent{at, id})
	l.page().Tagged(e.tag, id, draw)
}

// style is how a text is set.
type style struct {
	size  float64
	bold  bool
	color appearance.Color
}

var (
	titleStyle   = style{16, true, black}
	sectionStyle = style{11, true, black}
	personStyle  = style{10, true, black}
	plainStyle   = style{textSize, false, black}
	greyStyle    = style{textSize, false, grey}
	smallStyle   = style{smallSize, false, grey}
	warnStyle    = style{textSize, true, warn}
)

func (s style) lineHeight() float64 { return s.size * appearance.LineHeight }

// wrapText breaks a text into lines.
func (l *layout) wrapText(text string, s style, width float64) []string {
	if short := []rune(text); len(short) > maxText {
		text = string(short[:maxText]) + "…"
	}
	lines, err := appearance.WrapText(text, s.bold, s.size, width)
	l.rows += len(lines)
	if l.err == nil {
		l.err = err
	}
	return lines
}

// splitLong splits a text into parts of at most maxText characters, at spaces where it has any.
func splitLong(text string) (parts []string) {
	for rest := []rune(text); len(rest) > 0; {
		n := min(len(rest), maxText)
		for i := n; n < len(rest) && i > n/2; i-- {
			if rest[i] == ' ' {
				n = i
				break
			}
		}
		parts, rest = append(parts, string(rest[:n])), rest[n:]
	}
	return parts
}

// isFull reports whether the certificate has become so long that the rest is left to the attached facts.
func (l *layout) isFull() bool { return l.rows >= maxRows }

// drawLine sets one line of an element in a box of a width from x, below y.
func (l *layout) drawLine(e *element, x, y, width float64, text string, s style) {
	l.drawTagged(e, func(d *appearance.Drawing) { setText(d, x, y, width, text, s, appearance.Start) })
}

func setText(d *appearance.Drawing, x, y, width float64, text string, s style, align appearance.Align) {
	// A little more than the line needs, so that rounding does not make it smaller.
	box := pdf.Rect{LLX: x, LLY: y - s.size*appearance.LineHeight*1.001, URX: x + width*1.001, URY: y}
	d.Text(box, appearance.TextOptions{MaxSize: s.size, MinSize: s.size * 0.9, Horizontal: align}, appearance.Line{Text: text, Bold: s.bold, Color: s.color})
}

// addParagraph adds a text over the whole width.
func (l *layout) addParagraph(e *element, text string, s style) {
	for _, line := range l.wrapText(text, s, pageWidth-2*margin) {
		y := l.advance(s.lineHeight())
		l.drawLine(e, margin, y, pageWidth-2*margin, line, s)
	}
}

// addHeading adds a heading in both languages: the English one is smaller and follows.
func (l *layout) addHeading(parent *element, tag string, w words, s style) {
	h := parent.addKid(tag)
	l.addParagraph(h.addKid("Span"), w.id, s)
	if w.en != w.id {
		en := h.addKid("Span")
		en.language = languageEN
		l.addParagraph(en, w.en, style{s.size * 0.72, false, grey})
	}
}

// addSection begins a section.
func (l *layout) addSection(w words) *element {
	if l.y-90 < bottom {
		l.y = bottom // a heading does not stand alone at the end of a page
	}
	l.skipSpace(16)
	section := l.root.addKid("Sect")
	l.addHeading(section, "H2", w, sectionStyle)
	l.skipSpace(3)
	return section
}

// addTexts adds paragraphs in both languages.
func (l *layout) addTexts(parent *element, w words, s style) {
	l.addParagraph(parent.addKid("P"), w.id, s)
	en := parent.addKid("P")
	en.language = languageEN
	l.addParagraph(en, w.en, style{s.size, s.bold, grey})
}

// cellLine is one line of a cell.
type cellLine struct {
	of   *element
	text string
	s    style
}

// addRow adds a row of a table: a label in both languages, and values, each of which is the same in both languages or stands in both.
func (l *layout) addRow(table *element, label words, values ...words) {
	if len(values) == 0 {
		return
	}
	row := table.addKid("TR")
	head, cell := row.addKid("TH"), row.addKid("TD")
	head.attrs = pdf.Dict{"O": pdf.Name("Table"), "Scope": pdf.Name("Row")}
	left := l.wrapWords(nil, head, label, greyStyle, smallStyle, labelWidth-8)
	var right []cellLine
	const width = pageWidth - 2*margin - labelWidth
	for _, v := range values {
		right = l.wrapWords(right, cell, v, plainStyle, greyStyle, width)
	}
	l.skipSpace(3)
	height, count := greyStyle.lineHeight(), max(len(left), len(right))
	if rest := height * float64(count); rest < (top-bottom)/3 && l.y-rest < bottom {
		l.y = bottom // a short row stays on one page
	}
	for i := range count {
		y := l.advance(height)
		if i < len(left) {
			l.drawLine(left[i].of, margin, y, labelWidth-8, left[i].text, left[i].s)
		}
		if i < len(right) {
			l.drawLine(right[i].of, margin+labelWidth, y, width, right[i].text, right[i].s)
		}
	}
	l.skipSpace(3)
	y := l.y
	l.page().Artifact(func(d *appearance.Drawing) {
		d.Fill(rule, appearance.Rectangle(pdf.Rect{LLX: margin, LLY: y, URX: pageWidth - margin, URY: y + 0.4}))
	})
}

// wrapWords appends the lines of a text in both languages, as paragraphs of a cell.
func (l *layout) wrapWords(lines []cellLine, cell *element, w words, s, english style, width float64) []cellLine {
	for i, text := range []string{w.id, w.en} {
		if i == 1 && w.en == w.id {
			break
		}
		p := cell.addKid("P")
		if i == 1 {
			p.language, s = languageEN, english
		}
		for _, line := range l.wrapText(text, s, width) {
			lines = append(lines, cellLine{p, line, s})
		}
	}
	return lines
}

// same is a text that is the same in both languages.
func same(text string) words { return words{text, text} }

// addPictures adds pictures in rows, with the numbers of their pages.
func (l *layout) addPictures(section *element, pictures []Picture) error {
	for first := 0; first < len(pictures); first += picturesInRow {
		y := l.advance(pictureHeight + captionHeight + 4)
		for i, p := range pictures[first:min(first+picturesInRow, len(pictures))] {
			drawn, err := appearance.NewPicture(p.Image, pictureSidePixels, maxPictureBytes)
			if err != nil {
				return fmt.Errorf("picture of page %d: %w", p.Page, err)
			}
			x := margin + float64(i)*(pictureSide+pictureGap)
			box := pdf.Rect{LLX: x, LLY: y - pictureHeight, URX: x + pictureSide, URY: y}
			l.page().Artifact(func(d *appearance.Drawing) { d.Stroke(rule, 0.5, appearance.Rectangle(box)) })
			figure := section.addKid("Figure")
			caption := pageWords.format(p.Page)
			figure.alt = caption.id + " / " + caption.en
			figure.attrs = pdf.Dict{"O": pdf.Name("Layout"), "BBox": box.Array(), "Placement": pdf.Name("Block")}
			l.drawTagged(figure, func(d *appearance.Drawing) { d.Picture(appearance.Inset(box, 1), drawn) })
			label := section.addKid("P")
			l.drawTagged(label, func(d *appearance.Drawing) {
				setText(d, x, y-pictureHeight-2, pictureSide, fmt.Sprintf("%s / %s", caption.id, caption.en), smallStyle, appearance.Middle)
			})
		}
	}
	return nil
}
