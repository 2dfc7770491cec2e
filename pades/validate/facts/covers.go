package facts

import (
	"segel/pades/validate/diff"
	"segel/pdf"
)

// Bounds of the content that is looked at for what is covered, of all pages of a file.
const (
	maxCovered      = 32 << 20 // bytes, decoded
	maxCoveredPage  = 4 << 20  // of one page
	maxCoveredMarks = 60_000
)

// painted is what the content of pages paints, each looked at once: a revision that changed it is denied for that.
type painted struct {
	pages map[int]page
	spare int64
	marks int
	held  int // comparisons that were made
}

type page struct {
	marks  []mark
	unseen bool // there may be more
}

func (r *reader) content(d *pdf.Document, number int) page {
	c := &r.painted
	if p, known := c.pages[number]; known {
		return p
	}
	if c.pages == nil {
		c.pages, c.spare = map[int]page{}, maxCovered
	}
	p := page{unseen: true}
	if at, err := d.Page(number); err == nil && c.spare > 0 && c.marks < maxCoveredMarks {
		h := r.newHiding(d)
		h.spare = min(c.spare, maxCoveredPage)
		c.spare -= h.spare
		h.look(at)
		c.spare += max(0, h.spare)
		c.marks += len(h.marks)
		p = page{h.marks, h.full || h.unseen}
	}
	c.pages[number] = p
	return p
}

// covers tells what the content of a page paints within a box. What cannot be looked at to its end counts as a picture.
func (r *reader) covers(d *pdf.Document, number int, box pdf.Rect) []diff.Note {
	p := r.content(d, number)
	if r.painted.held += len(p.marks); r.painted.held > maxComparisons {
		p = page{unseen: true}
	}
	text, picture := false, p.unseen
	for _, m := range p.marks {
		if touches(box, m) {
			text, picture = text || m.text, picture || !m.text
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

// touches tells whether a box covers enough of what is painted to hide something of it: of text a letter, of a picture
// anything, of a filled area, which may be no more than a background, a fifth.
func touches(box pdf.Rect, m mark) bool {
	common := box.Intersect(m.box)
	if m.hidden != "" || common.Empty() {
		return false
	}
	if m.text || m.picture {
		letter := 0.3 * min(m.box.Width(), m.box.Height(), 40)
		return common.Width() > letter && common.Height() > letter
	}
	return share(box, m.box) > 0.2
}
