// Package report writes the report of a verification as a PDF file.
package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"segel/internal/text"
	"segel/internal/text/verdict"
	"segel/pades/appearance"
	"segel/pdf"
)

// Options of a file.
type Options struct {
	Language text.Language
	// Address is where anyone can repeat the verification; it is printed and drawn as a QR code, if it is not empty.
	Address string
}

// Limits of a report: a file may have a thousand signatures, each with a hundred later revisions that changed much.
const (
	maxLines = 4000 // of the report
	maxRows  = 9000 // on pages: about 150 pages
	maxText  = 2000 // characters of one line of the report
)

// Lengths in points, on A4.
const (
	pageWidth, pageHeight = 595.28, 841.89
	margin                = 56.0
	top, bottom           = pageHeight - margin, margin + 14
	labelWidth            = 104.0
	textSize, smallSize   = 9.0, 7.0
	codeSide              = 72.0
)

var (
	black = appearance.Color{R: 20, G: 24, B: 33}
	grey  = appearance.Color{R: 96, G: 102, B: 112}
	tones = [...]appearance.Color{verdict.Unsure: {R: 176, G: 88, B: 0}, verdict.Good: {R: 11, G: 110, B: 95}, verdict.Bad: {R: 176, G: 32, B: 32}}
)

// Write writes the report of a verification as a PDF file. The text is embedded with its fonts and can be searched. Of a
// long report, of more than 4,000 lines or about 150 pages, it has the beginning, and says so.
func Write(w io.Writer, r *verdict.Report, o Options) error {
	l, caption := &layout{}, verdict.CaptionIn(o.Language)
	l.addText(caption.Heading, 15, true, black, 0)
	l.addVerdict(r.Summary.In(o.Language), tones[r.Tone()])
	for i, line := range r.Lines(o.Language, maxLines) {
		if i == maxLines || l.rows >= maxRows {
			l.addText(caption.Cut, textSize, true, grey, 6)
			break
		}
		l.addLine(line)
	}
	if o.Address == "" {
		l.addNotes("", caption.Unsigned)
	} else {
		l.addNotes(o.Address, caption.Unsigned, caption.Repeat)
	}
	if l.err != nil {
		return l.err
	}
	file, err := l.buildFile(caption.Heading, o.Language)
	if err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// layout sets lines on pages from top to bottom.
type layout struct {
	pages []*appearance.Drawing
	y     float64 // of the next line, from the bottom of the last page
	rows  int     // set so far
	err   error
}

// advance moves down by a height, to the next page if it does not fit on this one, and returns the upper edge and the page.
func (l *layout) advance(height float64) (y float64, page *appearance.Drawing) {
	if len(l.pages) == 0 || l.y-height < bottom {
		l.pages = append(l.pages, appearance.New(pageWidth, pageHeight))
		l.y = top
	}
	y = l.y
	l.y -= height
	return y, l.pages[len(l.pages)-1]
}

// skip leaves space, except at the top of a page.
func (l *layout) skip(height float64) {
	if len(l.pages) > 0 && l.y < top {
		l.y -= height
	}
}

// wrap breaks a text into lines.
func (l *layout) wrap(text string, bold bool, size, width float64) []string {
	if short := []rune(text); len(short) > maxText {
		text = string(short[:maxText]) + "…"
	}
	lines, err := appearance.WrapText(text, bold, size, width)
	l.rows += len(lines)
	if l.err == nil {
		l.err = err
	}
	return lines
}

// setLine sets one line in a box of a width from x, below y.
func setLine(d *appearance.Drawing, x, y, width, size float64, line appearance.Line) {
	// A little more than the line needs, so that rounding does not make it smaller.
	box := pdf.Rect{LLX: x, LLY: y - size*appearance.LineHeight*1.001, URX: x + width*1.001, URY: y}
	d.Text(box, appearance.TextOptions{MaxSize: size, MinSize: size * 0.9}, line)
}

// addText adds a paragraph over the whole width after a gap.
func (l *layout) addText(text string, size float64, bold bool, c appearance.Color, gap float64) {
	l.skip(gap)
	for _, line := range l.wrap(text, bold, size, pageWidth-2*margin) {
		y, page := l.advance(size * appearance.LineHeight)
		setLine(page, margin, y, pageWidth-2*margin, size, appearance.Line{Text: line, Bold: bold, Color: c})
	}
}

// addVerdict adds the verdict, with a bar in its colour.
func (l *layout) addVerdict(text string, c appearance.Color) {
	const size, inset = 11.0, 12.0
	l.skip(10)
	lines := l.wrap(text, true, size, pageWidth-2*margin-inset)
	height := float64(len(lines))*size*appearance.LineHeight + 10
	y, page := l.advance(height)
	page.Fill(c, appearance.Rectangle(pdf.Rect{LLX: margin, LLY: y - height, URX: margin + 4, URY: y}))
	for i, line := range lines {
		setLine(page, margin+inset, y-5-float64(i)*size*appearance.LineHeight, pageWidth-2*margin-inset, size, appearance.Line{Text: line, Bold: true, Color: c})
	}
	l.skip(8)
}

// addLine adds one line of the report.
func (l *layout) addLine(line verdict.Line) {
	switch line.Kind {
	case verdict.Title:
		l.addText(line.Text, 11, true, black, 0)
		l.skip(2)
	case verdict.Section:
		if l.y-60 < bottom {
			l.y = bottom // a heading does not stand alone at the end of a page
		}
		l.addText(line.Text, 10, true, black, 12)
		l.skip(2)
	case verdict.Term:
		l.addText(line.Label+": "+line.Text, textSize, false, grey, 2)
	case verdict.Row:
		l.addRow(line.Label, line.Text)
	}
}

// addRow adds a label and beside it a text.
func (l *layout) addRow(label, text string) {
	l.skip(2)
	const width = pageWidth - 2*margin - labelWidth
	for i, line := range l.wrap(text, false, textSize, width) {
		y, page := l.advance(textSize * appearance.LineHeight)
		if i == 0 && label != "" {
			setLine(page, margin, y, labelWidth-8, textSize, appearance.Line{Text: label, Color: grey})
		}
		setLine(page, margin+labelWidth, y, width, textSize, appearance.Line{Text: line, Color: black})
	}
}

// addNotes adds the paragraphs at the end, and beside them the code of an address, if there is one.
func (l *layout) addNotes(address string, notes ...string) {
	width, height := pageWidth-2*margin, 0.0
	if address != "" {
		width, height = width-codeSide-12, codeSide
		notes = append(notes, address)
	}
	var lines []string
	for _, n := range notes {
		lines = append(lines, l.wrap(n, false, textSize, width)...)
	}
	l.skip(16)
	y, page := l.advance(max(height, float64(len(lines))*textSize*appearance.LineHeight))
	for i, line := range lines {
		setLine(page, margin, y-float64(i)*textSize*appearance.LineHeight, width, textSize, appearance.Line{Text: line, Color: grey})
	}
	if address != "" {
		page.QR(pdf.Rect{LLX: pageWidth - margin - codeSide, LLY: y - codeSide, URX: pageWidth - margin, URY: y}, black, address)
	}
}

// buildFile makes the file of the pages. Each page is one form, whose text is in the order in which it is read.
func (l *layout) buildFile(title string, language text.Language) ([]byte, error) {
	base := emptyFile()
	d, err := pdf.Open(bytes.NewReader(base), int64(len(base)), pdf.Options{})
	if err != nil {
		return nil, fmt.Errorf("open empty file: %w", err)
	}
	u := d.NewUpdate()
	var kids pdf.Array
	for i, page := range l.pages {
		setLine(page, margin, margin, 80, smallSize, appearance.Line{Text: fmt.Sprintf("%d / %d", i+1, len(l.pages)), Color: grey})
		form, err := page.Form(u, appearance.Frame{Width: pageWidth, Height: pageHeight})
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", i+1, err)
		}
		kids = append(kids, u.Add(pdf.Dict{
			"Type": pdf.Name("Page"), "Parent": pdf.Ref{Number: pagesNumber}, "MediaBox": pdf.Rect{URX: pageWidth, URY: pageHeight}.Array(),
			"Resources": pdf.Dict{"XObject": pdf.Dict{"P": form}}, "Contents": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("/P Do")}),
		}))
	}
	metadata, err := formatMetadata(title, language)
	if err != nil {
		return nil, err
	}
	u.Set(pdf.Ref{Number: pagesNumber}, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": kids, "Count": pdf.Integer(len(kids))})
	u.Set(pdf.Ref{Number: catalogNumber}, pdf.Dict{
		"Type": pdf.Name("Catalog"), "Pages": pdf.Ref{Number: pagesNumber}, "Lang": pdf.TextString(string(language)),
		"ViewerPreferences": pdf.Dict{"DisplayDocTitle": pdf.Boolean(true)},
		"Metadata":          u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("Metadata"), "Subtype": pdf.Name("XML")}, Data: metadata}),
	})
	tail, err := u.Build()
	if err != nil {
		return nil, err
	}
	return append(base, tail.Bytes...), nil
}

// Object numbers of the empty file.
const catalogNumber, pagesNumber = 1, 2

// emptyFile is a file without pages.
func emptyFile() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-2.0\n%\xE2\xE3\xCF\xD3\n")
	catalog := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n", catalogNumber, pagesNumber)
	pages := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n", pagesNumber)
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \n", catalog, pages)
	fmt.Fprintf(&b, "trailer\n<< /Size 3 /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", catalogNumber, xref)
	return b.Bytes()
}

// formatMetadata returns the XMP packet with title and language.
func formatMetadata(title string, language text.Language) ([]byte, error) {
	var escaped bytes.Buffer
	if err := xml.EscapeText(&escaped, []byte(title)); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `<?xpacket begin="`+"\uFEFF"+`" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`+
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`+
		`<dc:language><rdf:Bag><rdf:li>%s</rdf:li></rdf:Bag></dc:language></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`, escaped.Bytes(), language), nil
}
