package sniff

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"segel/internal/convert"
)

// mainType is the content type of a document's main part. Templates and documents with macros have others.
const mainType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

// checkDOCX checks an Office Open XML package: every part of it, whether it is referenced or not.
func checkDOCX(r io.ReaderAt, size int64, l Limits) (Findings, error) {
	entries, err := readDirectory(r, size, l)
	if err != nil {
		return Findings{}, err
	}
	types := slices.IndexFunc(entries, func(e entry) bool { return e.name == "[Content_Types].xml" })
	if types < 0 {
		return Findings{}, newRefusal(NotWord, "the archive is no package of Office Open XML")
	}
	if err := checkSizes(entries, l); err != nil {
		return Findings{}, err
	}
	d := &docxCheck{limits: l, markupLeft: l.Markup, fonts: newFontCollector(), graph: newRelationGraph(entries)}
	// The kind is found first: a spreadsheet is not refused because of its content.
	entries[0], entries[types] = entries[types], entries[0]
	for _, e := range entries {
		if err := d.checkPart(e, r); err != nil {
			return Findings{}, err
		}
		if e.name == "[Content_Types].xml" && d.main == "" {
			return Findings{}, newRefusal(NotWord, "the package has no main part of a Word document")
		}
	}
	if err := d.graph.checkRelations(); err != nil {
		return Findings{}, err
	}
	if d.root != d.main {
		return Findings{}, newRefusal(NotWord, "the package relations name %q as the document, and the content types %q", d.root, d.main)
	}
	return Findings{Kind: convert.DOCX, Pages: d.pages, Fonts: d.fonts.usedFamilies(), Tracked: d.tracked}, nil
}

// docxCheck collects what the parts contain.
type docxCheck struct {
	limits     Limits
	markupLeft int64
	main, root string // name of the main part according to the content types, and according to the package's relations
	pages      int
	tracked    bool
	fonts      *fontCollector
	graph      *relationGraph
}

// checkPart checks one entry. What begins like markup is read as markup, whatever its name.
func (d *docxCheck) checkPart(e entry, r io.ReaderAt) error {
	in := bufio.NewReaderSize(e.openEntry(r), 4096)
	head, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		if d.markupLeft -= e.size; d.markupLeft < 0 {
			return newRefusal(TooComplex, "more than %d bytes of markup", d.limits.Markup)
		}
		return d.checkMarkup(e.name, in)
	case isMarkupName(e.name) && e.size > 0:
		return newRefusal(Damaged, "part %q begins with % x", e.name, head[:min(len(head), 8)])
	case bytes.HasPrefix(text, []byte("\xFF\xFE")), bytes.HasPrefix(text, []byte("\xFE\xFF")), bytes.HasPrefix(text, []byte("\x00<")), bytes.HasPrefix(text, []byte("+ADw")):
		return newRefusal(Damaged, "part %q is text in an encoding other than UTF-8", e.name)
	}
	if err := checkBinaryPart(e.name, text); err != nil {
		return err
	}
	if e.size > 0 {
		d.graph.parts[strings.ToLower(e.name)] = true
	}
	if err := d.checkPacked(e.name, in); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in) // reading to the end verifies size and checksum
	return err
}

// checkPacked checks a part that is compressed once more, as a picture may be: a gzipped SVG is an SVG.
func (d *docxCheck) checkPacked(name string, in *bufio.Reader) error {
	if head, _ := in.Peek(2); string(head) != "\x1F\x8B" {
		return nil
	}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return newRefusal(Damaged, "part %q: %v", name, err)
	}
	limited := &io.LimitedReader{R: unpacked, N: d.markupLeft}
	inner := bufio.NewReaderSize(limited, 4096)
	head, err := inner.Peek(512)
	if err != nil && err != io.EOF {
		return newRefusal(Damaged, "part %q: %v", name, err)
	}
	if !bytes.HasPrefix(bytes.TrimLeft(head, "\xEF\xBB\xBF \t\r\n"), []byte("<")) {
		return checkBinaryPart(name, head)
	}
	err = d.checkMarkup(name, inner)
	d.markupLeft = limited.N
	return err
}

func isMarkupName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".xml" || ext == ".rels" || ext == ".vml" || ext == ".svg"
}

// checkBinaryPart refuses parts that make a reader start another program.
func checkBinaryPart(name string, head []byte) error {
	lower := strings.ToLower(name)
	switch {
	case strings.Contains(lower, "vbaproject"), strings.Contains(lower, "vbadata"):
		return newRefusal(Macros, "part %q", name)
	case strings.Contains(lower, "activex"), bytes.HasPrefix(head, cfbMagic):
		return newRefusal(Objects, "part %q", name)
	case bytes.HasPrefix(head, []byte("%!")), bytes.HasPrefix(head, []byte("\xC5\xD0\xD3\xC6")), bytes.HasPrefix(head, []byte("%PDF")):
		return newRefusal(Objects, "part %q is PostScript or PDF", name) // another interpreter would render it
	case bytes.HasPrefix(head, []byte(`{\rtf`)), bytes.HasPrefix(head, []byte("MZ")), bytes.HasPrefix(head, []byte("\x7FELF")), bytes.HasPrefix(head, []byte("#!")):
		return newRefusal(Objects, "part %q begins with %.8q", name, head)
	}
	return nil
}

// checkMarkup checks one part of markup.
func (d *docxCheck) checkMarkup(name string, in *bufio.Reader) error {
	w := &markupWalker{docxCheck: d, name: name, fields: fieldParser{where: name}, limit: d.limits.Depth}
	switch lower := strings.ToLower(name); {
	case name == "[Content_Types].xml":
		w.onElement = d.checkContentType
	case strings.HasSuffix(lower, ".rels"):
		w.onElement = w.checkRelation
	default:
		w.onElement = w.checkContent
	}
	err := w.walkPart(in)
	var r *Refusal
	if err == nil || errors.As(err, &r) {
		return err
	}
	return newRefusal(Damaged, "part %q: %v", name, err)
}

// checkContentType checks one entry of the list of content types.
func (d *docxCheck) checkContentType(e element) error {
	kind := e.attributeValue("ContentType")
	lower := strings.ToLower(kind)
	switch {
	case strings.Contains(lower, "macroenabled"), strings.Contains(lower, "vba"):
		return newRefusal(Macros, "a part of type %q", kind)
	case strings.Contains(lower, "activex"), strings.Contains(lower, "oleobject"):
		return newRefusal(Objects, "a part of type %q", kind)
	case kind != mainType:
		return nil
	case d.main != "" || e.name != "Override":
		return newRefusal(Damaged, "there is more than one main part")
	}
	d.main = strings.TrimPrefix(e.attributeValue("PartName"), "/")
	return nil
}
