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

// mainType is the content type of a document's main part. Those of templates and of documents with macros differ.
const mainType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

// lookDOCX examines a package of Office Open XML: every part of it, whether anything refers to it or not.
func lookDOCX(r io.ReaderAt, size int64, l Limits) (Findings, error) {
	entries, err := directory(r, size, l)
	if err != nil {
		return Findings{}, err
	}
	types := slices.IndexFunc(entries, func(e entry) bool { return e.name == "[Content_Types].xml" })
	if types < 0 {
		return Findings{}, refuse(NotWord, "the archive is no package of Office Open XML")
	}
	if err := bounded(entries, l); err != nil {
		return Findings{}, err
	}
	d := &docx{limits: l, markupLeft: l.Markup, fonts: newFonts(), graph: newGraph(entries)}
	// The kind is told first: a spreadsheet is not refused for what it holds.
	entries[0], entries[types] = entries[types], entries[0]
	for _, e := range entries {
		if err := d.part(e, r); err != nil {
			return Findings{}, err
		}
		if e.name == "[Content_Types].xml" && d.main == "" {
			return Findings{}, refuse(NotWord, "the package has no main part of a Word document")
		}
	}
	if err := d.graph.judge(); err != nil {
		return Findings{}, err
	}
	if d.root != d.main {
		return Findings{}, refuse(NotWord, "the package says its document is %q, and its Word document is %q", d.root, d.main)
	}
	return Findings{Kind: convert.DOCX, Pages: d.pages, Fonts: d.fonts.used(), Tracked: d.tracked}, nil
}

// docx gathers what the parts say.
type docx struct {
	limits     Limits
	markupLeft int64
	main, root string // name of the main part by the content types, and by the package's relations
	pages      int
	tracked    bool
	fonts      *fonts
	graph      *graph
}

// part examines one entry. What begins like markup is read as markup, whatever it is called.
func (d *docx) part(e entry, r io.ReaderAt) error {
	in := bufio.NewReaderSize(e.open(r), 4096)
	head, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		if d.markupLeft -= e.size; d.markupLeft < 0 {
			return refuse(TooComplex, "more than %d bytes of markup", d.limits.Markup)
		}
		return d.read(e.name, in)
	case markupName(e.name) && e.size > 0:
		return refuse(Damaged, "part %q begins with % x", e.name, head[:min(len(head), 8)])
	case bytes.HasPrefix(text, []byte("\xFF\xFE")), bytes.HasPrefix(text, []byte("\xFE\xFF")), bytes.HasPrefix(text, []byte("\x00<")), bytes.HasPrefix(text, []byte("+ADw")):
		return refuse(Damaged, "part %q is text in an encoding other than UTF-8", e.name)
	}
	if err := binaryPart(e.name, text); err != nil {
		return err
	}
	if e.size > 0 {
		d.graph.binary(e.name)
	}
	if err := d.packed(e.name, in); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in) // it must be what the directory says
	return err
}

// packed examines a part that is packed once more, as a picture may be: an SVG in gzip is an SVG.
func (d *docx) packed(name string, in *bufio.Reader) error {
	if head, _ := in.Peek(2); string(head) != "\x1F\x8B" {
		return nil
	}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return refuse(Damaged, "part %q: %v", name, err)
	}
	limited := &io.LimitedReader{R: unpacked, N: d.markupLeft}
	inner := bufio.NewReaderSize(limited, 4096)
	head, err := inner.Peek(512)
	if err != nil && err != io.EOF {
		return refuse(Damaged, "part %q: %v", name, err)
	}
	if !bytes.HasPrefix(bytes.TrimLeft(head, "\xEF\xBB\xBF \t\r\n"), []byte("<")) {
		return binaryPart(name, head)
	}
	err = d.read(name, inner)
	d.markupLeft = limited.N
	return err
}

func markupName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".xml" || ext == ".rels" || ext == ".vml" || ext == ".svg"
}

// binaryPart refuses parts that programs would be started for.
func binaryPart(name string, head []byte) error {
	lower := strings.ToLower(name)
	switch {
	case strings.Contains(lower, "vbaproject"), strings.Contains(lower, "vbadata"):
		return refuse(Macros, "part %q", name)
	case strings.Contains(lower, "activex"), bytes.HasPrefix(head, cfbMagic):
		return refuse(Objects, "part %q", name)
	case bytes.HasPrefix(head, []byte("%!")), bytes.HasPrefix(head, []byte("\xC5\xD0\xD3\xC6")), bytes.HasPrefix(head, []byte("%PDF")):
		return refuse(Objects, "part %q is PostScript or PDF", name) // another interpreter would draw it
	case bytes.HasPrefix(head, []byte(`{\rtf`)), bytes.HasPrefix(head, []byte("MZ")), bytes.HasPrefix(head, []byte("\x7FELF")), bytes.HasPrefix(head, []byte("#!")):
		return refuse(Objects, "part %q begins with %.8q", name, head)
	}
	return nil
}

// read walks through one part of markup.
func (d *docx) read(name string, in *bufio.Reader) error {
	w := &walker{docx: d, name: name, fields: fields{where: name}, limit: d.limits.Depth}
	switch lower := strings.ToLower(name); {
	case name == "[Content_Types].xml":
		w.element = d.contentType
	case strings.HasSuffix(lower, ".rels"):
		w.element = w.relation
	default:
		w.element = w.content
	}
	err := w.walk(in)
	var r *Refusal
	if err == nil || errors.As(err, &r) {
		return err
	}
	return refuse(Damaged, "part %q: %v", name, err)
}

// contentType examines one entry of the list of parts.
func (d *docx) contentType(e element) error {
	kind := e.attribute("ContentType")
	lower := strings.ToLower(kind)
	switch {
	case strings.Contains(lower, "macroenabled"), strings.Contains(lower, "vba"):
		return refuse(Macros, "a part of type %q", kind)
	case strings.Contains(lower, "activex"), strings.Contains(lower, "oleobject"):
		return refuse(Objects, "a part of type %q", kind)
	case kind != mainType:
		return nil
	case d.main != "" || e.name != "Override":
		return refuse(Damaged, "more than one main part")
	}
	d.main = strings.TrimPrefix(e.attribute("PartName"), "/")
	return nil
}
