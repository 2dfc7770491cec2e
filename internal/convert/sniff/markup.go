package sniff

import (
	"encoding/xml"
	"io"
	"strings"
)

// element is the start of one.
type element struct {
	space, name string
	attributes  []xml.Attr
}

// attribute returns the value of the first attribute of that local name.
func (e element) attribute(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walker reads the markup of one part. Names are compared without their namespaces: what is refused in one is not
// welcome in any other.
type walker struct {
	*docx
	name    string
	limit   int // of depth
	element func(element) error

	path   []string // local names of the elements we are in
	fields fields
}

// maxAttributes is more than any element of the format has, declarations of namespaces included.
const maxAttributes = 256

// walk reads to the end. Go's decoder knows no entities but the five of XML and reads UTF-8 only; both suits us.
func (w *walker) walk(in io.Reader) error {
	d := xml.NewDecoder(in)
	for {
		t, err := d.Token()
		if err == io.EOF {
			return w.fields.finish()
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.Directive:
			return refuse(Damaged, "part %q declares a document type", w.name)
		case xml.ProcInst:
			if t.Target != "xml" && t.Target != "mso-contentType" && t.Target != "mso-application" {
				return refuse(Damaged, "part %q has an instruction %q", w.name, t.Target)
			}
		case xml.StartElement:
			if len(w.path) == w.limit || len(t.Attr) > maxAttributes {
				return refuse(TooComplex, "part %q: element %q is too deep or too long", w.name, t.Name.Local)
			}
			w.path = append(w.path, t.Name.Local)
			if err := w.element(element{t.Name.Space, t.Name.Local, t.Attr}); err != nil {
				return err
			}
		case xml.EndElement:
			if err := w.leave(t.Name.Local); err != nil {
				return err
			}
			w.path = w.path[:len(w.path)-1]
		case xml.CharData:
			if err := w.text(string(t)); err != nil {
				return err
			}
		}
	}
}

// evilElements have no place in a contract that is to be read by itself.
var evilElements = map[string]Reason{
	"altChunk": OtherFiles, "subDoc": OtherFiles, "frameset": OtherFiles, "sourceFileName": OtherFiles,
	"attachedTemplate": Template,
	"OLEObject":        Objects, "oleObject": Objects, "oleObj": Objects, "objectEmbed": Objects, "objectLink": Objects, "control": Objects,
	"ocx": Objects, "foreignObject": Objects,
	"mailMerge": Links, "script": Macros, "customUI": Macros, "mcds": Macros, "vbaSuppData": Macros,
}

// content examines an element of any part that is neither a list of parts nor of relations.
func (w *walker) content(e element) error {
	if strings.HasPrefix(w.name, "customXml/") && foreign(e.space) {
		return nil // data of other programs, which no converter interprets
	}
	if reason, evil := evilElements[e.name]; evil {
		return refuse(reason, "part %q: element %q", w.name, e.name)
	}
	if err := w.references(e); err != nil {
		return err
	}
	switch e.name {
	case "fldChar":
		return w.fieldChar(e.attribute("fldCharType"))
	case "fldSimple":
		return harmless(w.name, e.attribute("instr"))
	case "ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange", "cellIns", "cellDel":
		w.tracked = w.tracked || strings.Contains(e.space, "wordprocessingml")
	}
	w.fonts.element(w, e)
	return nil
}

// foreign reports whether a namespace is none that a converter knows.
func foreign(space string) bool {
	for _, ours := range []string{"openxmlformats", "microsoft", "purl.oclc.org", "/svg"} {
		if strings.Contains(space, ours) {
			return false
		}
	}
	return space != ""
}

func (w *walker) fieldChar(kind string) error {
	switch kind {
	case "begin":
		return w.fields.begin()
	case "separate":
		return w.fields.separate()
	case "end":
		return w.fields.end()
	}
	return nil
}

// links are the elements whose href somebody has to click.
var links = map[string]bool{
	"a": true, "hyperlink": true, "shape": true, "shapetype": true, "rect": true, "roundrect": true, "oval": true, "line": true,
	"polyline": true, "arc": true, "curve": true, "group": true,
}

// references refuses what pictures in VML and SVG name directly. All else names parts by relations.
func (w *walker) references(e element) error {
	for _, a := range e.attributes {
		name := strings.ToLower(a.Name.Local)
		if name != "href" && name != "src" && name != "althref" {
			continue
		}
		if name == "href" && links[e.name] {
			if err := clickable(w.name, a.Value); err != nil {
				return err
			}
			continue
		}
		v := strings.ToLower(strings.TrimSpace(a.Value))
		if strings.HasPrefix(v, "data:image/") || strings.HasPrefix(v, "#") {
			continue
		}
		if strings.ContainsAny(v, `:\`) || strings.HasPrefix(v, "/") || strings.Contains(v, "..") {
			return refuse(Links, "part %q: %s of %q is %.200q", w.name, name, e.name, a.Value)
		}
	}
	return nil
}

// text takes the text of the element we are in.
func (w *walker) text(s string) error {
	switch w.inside() {
	case "instrText", "delInstrText":
		return w.fields.text(s)
	case "t", "delText":
		w.fonts.text(s)
	case "Pages":
		if w.name == "docProps/app.xml" {
			w.pages = number(s)
		}
	}
	return nil
}

func (w *walker) inside() string {
	if len(w.path) == 0 {
		return ""
	}
	return w.path[len(w.path)-1]
}

func (w *walker) leave(name string) error {
	w.fonts.leave(name)
	return nil
}

// number reads a small number; 0 when it is none.
func number(s string) int {
	n := 0
	for _, c := range strings.TrimSpace(s) {
		if c < '0' || c > '9' || n > 1_000_000 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
