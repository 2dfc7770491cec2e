package sniff

import (
	"bufio"
	"encoding/xml"
	"io"
	"slices"
	"strings"
)

// element is a start tag.
type element struct {
	space, name string
	attributes  []xml.Attr
}

// attributeValue returns the value of the first attribute with that local name.
func (e element) attributeValue(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// markupWalker reads the markup of one part. Element names are compared without their namespaces: what is refused in
// one is refused in all.
type markupWalker struct {
	*docxCheck
	name      string
	limit     int // of nesting
	onElement func(element) error

	path   []level // the open elements
	flows  int     // counts the elements that begin a separate text
	fields fieldParser
}

// level is an open element.
type level struct {
	name string // local
	flow int    // the text that it is part of
}

// flowElements are the elements that a text runs through. Any other element begins a separate text, which a reader may
// skip.
var flowElements = map[string]bool{
	"p": true, "r": true, "ins": true, "del": true, "moveFrom": true, "moveTo": true, "hyperlink": true, "smartTag": true, "sdt": true,
	"sdtContent": true, "customXml": true, "fldSimple": true, "tbl": true, "tr": true, "tc": true, "dir": true, "bdo": true,
	"ruby": true, "rt": true, "rubyBase": true,
}

// walkPart reads the part to its end. Go's decoder knows only the five entities of XML and only UTF-8; both is what we
// need.
func (w *markupWalker) walkPart(in *bufio.Reader) error {
	p := &pieceReader{Reader: in}
	d := xml.NewDecoder(p)
	for {
		p.length = 0
		t, err := d.Token()
		if err == io.EOF {
			return w.fields.endAll()
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.Directive:
			return newRefusal(Damaged, "part %q declares a document type", w.name)
		case xml.ProcInst:
			err = w.checkInstruction(t)
		case xml.StartElement:
			err = w.enterElement(t)
		case xml.EndElement:
			w.fonts.leaveElement(t.Name.Local)
			w.path = w.path[:len(w.path)-1]
		case xml.CharData:
			err = w.addText(string(t))
		}
		if err != nil {
			return err
		}
	}
}

// checkInstruction refuses what could make another reader see other characters or another document. The decoder
// ignores an encoding with a space after its name.
func (w *markupWalker) checkInstruction(p xml.ProcInst) error {
	switch p.Target {
	case "mso-contentType", "mso-application":
		return nil
	case "xml":
	default:
		return newRefusal(Damaged, "part %q has an instruction %q", w.name, p.Target)
	}
	_, encoding, found := strings.Cut(strings.ToLower(string(p.Inst)), "encoding")
	if found && !strings.HasPrefix(encoding, `="utf-8"`) && !strings.HasPrefix(encoding, `='utf-8'`) {
		return newRefusal(Damaged, "part %q is declared as %.80q", w.name, p.Inst)
	}
	return nil
}

// decisiveElements are the elements whose attributes decide something here. No attribute may appear twice in them,
// because another reader might use the other one.
var decisiveElements = map[string]bool{"Relationship": true, "Default": true, "Override": true, "fldChar": true, "fldSimple": true}

func (w *markupWalker) enterElement(t xml.StartElement) error {
	if len(w.path) == w.limit {
		return newRefusal(TooComplex, "part %q: element %q is too deep", w.name, t.Name.Local)
	}
	for i, a := range t.Attr {
		if a.Name.Space == xmlSpace && a.Name.Local == "base" {
			return newRefusal(Links, "part %q: element %q has the base %.200q", w.name, t.Name.Local, a.Value)
		}
		again := func(b xml.Attr) bool { return b.Name.Local == a.Name.Local }
		if decisiveElements[t.Name.Local] && slices.ContainsFunc(t.Attr[:i], again) {
			return newRefusal(Damaged, "part %q: element %q has %s twice", w.name, t.Name.Local, a.Name.Local)
		}
	}
	l := level{name: t.Name.Local}
	if n := len(w.path); n > 0 && flowElements[l.name] && isWordSpace(t.Name.Space) {
		l.flow = w.path[n-1].flow
	} else {
		w.flows++
		l.flow = w.flows
	}
	w.path = append(w.path, l)
	return w.onElement(element{t.Name.Space, t.Name.Local, t.Attr})
}

const xmlSpace = "http://www.w3.org/XML/1998/namespace"

// isWordSpace reports whether a namespace is that of a Word document's text.
func isWordSpace(space string) bool {
	return space == "http://schemas.openxmlformats.org/wordprocessingml/2006/main" || space == "http://purl.oclc.org/ooxml/wordprocessingml/main"
}

// forbiddenElements must not occur in a self-contained contract.
var forbiddenElements = map[string]Reason{
	"altChunk": OtherFiles, "subDoc": OtherFiles, "frameset": OtherFiles, "sourceFileName": OtherFiles,
	"attachedTemplate": Template,
	"OLEObject":        Objects, "oleObject": Objects, "oleObj": Objects, "objectEmbed": Objects, "objectLink": Objects, "control": Objects,
	"ocx": Objects, "foreignObject": Objects,
	"mailMerge": Links, "script": Macros, "customUI": Macros, "mcds": Macros, "vbaSuppData": Macros,
}

// checkContent checks an element of a part that lists neither content types nor relations.
func (w *markupWalker) checkContent(e element) error {
	if strings.HasPrefix(w.name, "customXml/") && isForeignSpace(e.space) {
		return nil // data of other programs, which converters ignore
	}
	if reason, evil := forbiddenElements[e.name]; evil {
		return newRefusal(reason, "part %q: element %q", w.name, e.name)
	}
	if err := w.checkReferences(e); err != nil {
		return err
	}
	if err := w.graph.addShown(w.name, e); err != nil {
		return err
	}
	switch e.name {
	case "fldChar", "instrText", "delInstrText":
		if !isWordSpace(e.space) {
			return newRefusal(Damaged, "part %q: %q of %.80q", w.name, e.name, e.space)
		}
		return w.addFieldChar(e)
	case "fldSimple":
		return checkFieldCode(w.name, e.attributeValue("instr"))
	case "ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange", "cellIns", "cellDel":
		w.tracked = w.tracked || strings.Contains(e.space, "wordprocessingml")
	}
	w.fonts.addElement(w, e)
	return nil
}

// isForeignSpace reports whether a namespace is unknown to converters.
func isForeignSpace(space string) bool {
	for _, ours := range []string{"openxmlformats", "microsoft", "purl.oclc.org", "/svg"} {
		if strings.Contains(space, ours) {
			return false
		}
	}
	return space != ""
}

// addFieldChar handles a field character.
func (w *markupWalker) addFieldChar(e element) error {
	flow := w.outerFlow()
	switch e.attributeValue("fldCharType") {
	case "begin":
		return w.fields.beginField(flow)
	case "separate":
		return w.fields.separateField(flow)
	case "end":
		return w.fields.endField(flow)
	}
	return nil
}

// outerFlow returns the text that the parent of the current element is part of.
func (w *markupWalker) outerFlow() int {
	if len(w.path) < 2 {
		return 0
	}
	return w.path[len(w.path)-2].flow
}

// linkElements are the elements whose href is followed only by a click.
var linkElements = map[string]bool{
	"a": true, "hyperlink": true, "shape": true, "shapetype": true, "rect": true, "roundrect": true, "oval": true, "line": true,
	"polyline": true, "arc": true, "curve": true, "group": true,
}

// checkReferences refuses what pictures in VML and SVG reference directly. Everything else references parts by
// relations.
func (w *markupWalker) checkReferences(e element) error {
	for _, a := range e.attributes {
		name := strings.ToLower(a.Name.Local)
		if name != "href" && name != "src" && name != "althref" {
			continue
		}
		if name == "href" && linkElements[e.name] {
			if err := checkHyperlink(w.name, a.Value); err != nil {
				return err
			}
			continue
		}
		v := strings.TrimSpace(a.Value)
		if isRasterURI(v) || strings.HasPrefix(v, "#") {
			continue
		}
		if strings.ContainsAny(v, `:\`) || strings.HasPrefix(v, "/") || strings.Contains(v, "..") {
			return newRefusal(Links, "part %q: %s of %q is %.200q", w.name, name, e.name, a.Value)
		}
	}
	return nil
}

// isRasterURI reports whether a data URI is a PNG, JPEG or GIF, by its first bytes. An SVG in the data URI of an SVG
// could show anything.
func isRasterURI(address string) bool {
	kind, content, found := strings.Cut(address[:min(len(address), 100)], ";base64,")
	if !found || !strings.HasPrefix(strings.ToLower(kind), "data:image/") {
		return false
	}
	return strings.HasPrefix(content, "iVBORw0KGgo") || strings.HasPrefix(content, "/9j/") || strings.HasPrefix(content, "R0lGOD")
}

// addText handles the text of the current element.
func (w *markupWalker) addText(s string) error {
	if len(w.path) == 0 {
		return nil
	}
	switch w.path[len(w.path)-1].name {
	case "instrText", "delInstrText":
		return w.fields.addText(w.outerFlow(), s)
	case "t", "delText":
		w.fonts.addText(s)
	case "Pages":
		if w.name == "docProps/app.xml" {
			w.pages = parseSmallNumber(s)
		}
	}
	return nil
}

// parseSmallNumber parses a small number; 0 if it is not one.
func parseSmallNumber(s string) int {
	n := 0
	for _, c := range strings.TrimSpace(s) {
		if c < '0' || c > '9' || n > 1_000_000 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// maxPiece is more than any tag or text of a real document has: addresses may contain pictures in Base64.
const maxPiece = 16 << 20

// maxAttributes is more than any element of the format has, including namespace declarations.
const maxAttributes = 256

// pieceReader passes markup to a decoder byte by byte and stops when a tag or a text becomes too large: the decoder
// buffers all of it, and some hundred bytes for every attribute.
type pieceReader struct {
	*bufio.Reader
	length int // of the current piece
	tag    bool
	quote  byte // the open quotation mark; 0: none
	quotes int  // in the current tag
}

// ReadByte implements [io.ByteReader]. Quotes are counted from each "<", which attributes cannot contain. Miscounting
// in a comment ends at the next "<".
func (p *pieceReader) ReadByte() (byte, error) {
	b, err := p.Reader.ReadByte()
	if err != nil {
		return b, err
	}
	switch {
	case b == '<':
		p.tag, p.quote, p.quotes = true, 0, 0
	case !p.tag:
	case p.quote == 0 && (b == '"' || b == '\''):
		p.quote = b
		p.quotes++
	case p.quote == 0 && b == '>':
		p.tag = false
	case p.quote == b:
		p.quote = 0
	}
	if p.length++; p.length > maxPiece {
		return 0, newRefusal(TooComplex, "more than %d bytes of one tag or text", maxPiece)
	}
	if p.quotes > maxAttributes {
		return 0, newRefusal(TooComplex, "more than %d attributes", maxAttributes)
	}
	return b, nil
}
