package sniff

import (
	"bufio"
	"encoding/xml"
	"io"
	"slices"
	"strings"
)

// element is the start of one.
type element struct {
	space, name string
	attributes  []xml.Attr
}

// attributeValue returns the value of the first attribute of that local name.
func (e element) attributeValue(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// markupWalker reads the markup of one part. Names of elements are compared without their namespaces: what is refused in
// one is not welcome in any other.
type markupWalker struct {
	*docxCheck
	name      string
	limit     int // of depth
	onElement func(element) error

	path   []level // the elements we are in
	flows  int     // counts the elements in which a text of its own begins
	fields fieldParser
}

// level is an element we are in.
type level struct {
	name string // local
	flow int    // which text it is part of
}

// flowElements are the elements that a text runs through. Any other one begins a text of its own, which may be one that a
// reader leaves out.
var flowElements = map[string]bool{
	"p": true, "r": true, "ins": true, "del": true, "moveFrom": true, "moveTo": true, "hyperlink": true, "smartTag": true, "sdt": true,
	"sdtContent": true, "customXml": true, "fldSimple": true, "tbl": true, "tr": true, "tc": true, "dir": true, "bdo": true,
	"ruby": true, "rt": true, "rubyBase": true,
}

// walkPart reads to the end. Go's decoder knows no entities but the five of XML and reads UTF-8 only; both suits us.
func (w *markupWalker) walkPart(in *bufio.Reader) error {
	p := &pieceReader{Reader: in}
	d := xml.NewDecoder(p)
	for {
		p.beginPiece()
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
			err = w.leaveElement(t.Name.Local)
			w.path = w.path[:len(w.path)-1]
		case xml.CharData:
			err = w.addText(string(t))
		}
		if err != nil {
			return err
		}
	}
}

// checkInstruction refuses what could make another reader see other characters, or another document. The decoder overlooks
// an encoding with a space behind its name.
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

// decisiveElements are the elements whose attributes we go by. No other reader may find another one of the same name.
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
			return newRefusal(Damaged, "part %q: element %q says its %s twice", w.name, t.Name.Local, a.Name.Local)
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

// forbiddenElements have no place in a contract that is to be read by itself.
var forbiddenElements = map[string]Reason{
	"altChunk": OtherFiles, "subDoc": OtherFiles, "frameset": OtherFiles, "sourceFileName": OtherFiles,
	"attachedTemplate": Template,
	"OLEObject":        Objects, "oleObject": Objects, "oleObj": Objects, "objectEmbed": Objects, "objectLink": Objects, "control": Objects,
	"ocx": Objects, "foreignObject": Objects,
	"mailMerge": Links, "script": Macros, "customUI": Macros, "mcds": Macros, "vbaSuppData": Macros,
}

// checkContent examines an element of any part that is neither a list of parts nor of relations.
func (w *markupWalker) checkContent(e element) error {
	if strings.HasPrefix(w.name, "customXml/") && isForeignSpace(e.space) {
		return nil // data of other programs, which no converter interprets
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

// isForeignSpace reports whether a namespace is none that a converter knows.
func isForeignSpace(space string) bool {
	for _, ours := range []string{"openxmlformats", "microsoft", "purl.oclc.org", "/svg"} {
		if strings.Contains(space, ours) {
			return false
		}
	}
	return space != ""
}

// addFieldChar takes a mark of a field.
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

// outerFlow returns which text the element around the present one is part of.
func (w *markupWalker) outerFlow() int {
	if len(w.path) < 2 {
		return 0
	}
	return w.path[len(w.path)-2].flow
}

// linkElements are the elements whose href somebody has to click.
var linkElements = map[string]bool{
	"a": true, "hyperlink": true, "shape": true, "shapetype": true, "rect": true, "roundrect": true, "oval": true, "line": true,
	"polyline": true, "arc": true, "curve": true, "group": true,
}

// checkReferences refuses what pictures in VML and SVG name directly. All else names parts by relations.
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

// isRasterURI reports whether an address is itself a picture of pixels, by its first bytes: of PNG, JPEG or GIF. An SVG in
// the address of an SVG could show anything.
func isRasterURI(address string) bool {
	kind, content, found := strings.Cut(address[:min(len(address), 100)], ";base64,")
	if !found || !strings.HasPrefix(strings.ToLower(kind), "data:image/") {
		return false
	}
	return strings.HasPrefix(content, "iVBORw0KGgo") || strings.HasPrefix(content, "/9j/") || strings.HasPrefix(content, "R0lGOD")
}

// addText takes the text of the element we are in.
func (w *markupWalker) addText(s string) error {
	switch w.currentElement() {
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

func (w *markupWalker) currentElement() string {
	if len(w.path) == 0 {
		return ""
	}
	return w.path[len(w.path)-1].name
}

func (w *markupWalker) leaveElement(name string) error {
	w.fonts.leaveElement(name)
	return nil
}

// parseSmallNumber reads a small number; 0 when it is none.
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
