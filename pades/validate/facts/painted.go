package facts

import (
	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/pdf/content"
)

// Limits for examining covered content, of all pages of a file.
const (
	maxCovered      = 80 << 20 // bytes, as package content counts them
	maxCoveredMarks = 200_000
	maxComparisons  = 30_000_000 // between marks, in one file
)

// paintedPages is what the content of pages paints, examined once, in the first revision that asks for it: a revision
// that changes it is denied for that.
type paintedPages struct {
	document    *pdf.Document
	reader      *content.Reader
	pages       map[int]paintedPage
	marks       int
	comparisons int // made so far
	shown       shownText
}

// shownText is the text that annotations of pages show in one state of the file; for form fields, the text they were
// filled in with. Text of signature fields is left out: covering that is reported separately.
type shownText struct {
	document *pdf.Document
	reader   *content.Reader
	pages    map[int]paintedPage
}

// maxShown bounds the examined appearances of annotations, of all states of a file, as package content counts them.
const maxShown = 32 << 20

type paintedPage struct {
	*pdf.Page
	marks      []paintedMark
	incomplete bool // there may be more marks
}

// paintedMark is the part of a content.Mark that is stored.
type paintedMark struct {
	box        pdf.Rect // points of the page as displayed
	text, area bool     // area: a filled rectangle, perhaps only a background
}

func (r *reader) readContent(d *pdf.Document, number int) paintedPage {
	c := &r.pageContents
	if c.reader == nil {
		c.document, c.reader, c.pages = d, content.NewReader(d, content.Limits{Bytes: maxCovered}), map[int]paintedPage{}
	}
	if p, known := c.pages[number]; known {
		return p
	}
	p := paintedPage{incomplete: true}
	if at, err := c.document.Page(number); err == nil && c.marks < maxCoveredMarks {
		marks, err := c.reader.ContentMarks(at)
		p = paintedPage{Page: at, incomplete: !content.IsComplete(err)}
		for _, m := range marks {
			if m.Hidden == "" && !m.StrokeOnly {
				p.marks = append(p.marks, paintedMark{m.Box, m.Kind == content.Text, m.Kind == content.Drawing && m.FillsBox})
			}
		}
		c.marks += len(p.marks)
	}
	c.pages[number] = p
	return p
}

// annotationText lists the text that the annotations of a page show in one state of the file.
func (r *reader) annotationText(d *pdf.Document, number int) paintedPage {
	s := &r.pageContents.shown
	if s.document != d {
		left := int64(maxShown)
		if s.reader != nil {
			left = max(s.reader.RemainingBytes(), 1)
		}
		*s = shownText{document: d, reader: content.NewReader(d, content.Limits{Bytes: left}), pages: map[int]paintedPage{}}
	}
	if p, known := s.pages[number]; known {
		return p
	}
	p := paintedPage{incomplete: true}
	if at, err := d.Page(number); err == nil {
		marks, err := s.reader.AnnotationMarks(at)
		p = paintedPage{Page: at, incomplete: !content.IsComplete(err)}
		for _, m := range marks {
			if m.Kind == content.Text && m.Hidden == "" && !isSignatureWidget(d, m.Annot) {
				p.marks = append(p.marks, paintedMark{box: m.Box, text: true})
			}
		}
	}
	s.pages[number] = p
	return p
}

// isSignatureWidget reports whether an annotation is the widget of a signature field.
func isSignatureWidget(d *pdf.Document, ref pdf.Ref) bool {
	dict, err := d.Dict(ref)
	for range 3 {
		if err != nil || dict == nil {
			return false
		}
		if kind, err := d.Name(dict["FT"]); err == nil && kind != "" {
			return kind == "Sig"
		}
		dict, err = d.Dict(dict["Parent"])
	}
	return false
}

// describeCovered returns what a page paints within a box of default user space: its content, and the text of
// annotations, which a refilled field replaces. Content that cannot be examined completely counts as a picture.
func (r *reader) describeCovered(d *pdf.Document, number int, box pdf.Rect) []diff.Note {
	text, picture := false, false
	for _, p := range [2]paintedPage{r.readContent(d, number), r.annotationText(d, number)} {
		if r.pageContents.comparisons += len(p.marks); r.pageContents.comparisons > maxComparisons {
			p = paintedPage{incomplete: true}
		}
		at := box
		if p.Page != nil {
			at = p.FromUser(box)
		}
		picture = picture || p.incomplete
		for _, m := range p.marks {
			if hidesMark(at, m) {
				text, picture = text || m.text, picture || !m.text
			}
		}
	}
	var notes []diff.Note
	if text {
		notes = append(notes, diff.OverlapsText)
	}
	if picture {
		notes = append(notes, diff.OverlapsPicture)
	}
	return notes
}

// hidesMark reports whether a box covers enough of a mark to hide something: a letter of text, any part of a picture, a
// fifth of a filled area, which may be a background.
func hidesMark(box pdf.Rect, m paintedMark) bool {
	common := box.Intersect(m.box)
	if common.Empty() {
		return false
	}
	if m.area {
		return m.box.ShareWithin(box) > 0.2
	}
	letter := 0.3 * min(m.box.Width(), m.box.Height(), 40)
	return common.Width() > letter && common.Height() > letter
}
