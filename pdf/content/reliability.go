package content

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"segel/pdf"
)

// Reliability says how far the characters of a glyph can be relied on.
type Reliability uint8

// The readings.
const (
	// Unreliable glyphs may draw anything: their font maps them to nothing, or in two ways that contradict each other.
	Unreliable Reliability = iota
	// Stated glyphs draw these characters if what the file brings along to draw them keeps to what it states.
	Stated
	// Certain glyphs are chosen by these characters, and the reader draws them.
	Certain
)

// fontReliability tells what the glyphs of a font draw.
type fontReliability struct {
	standard bool
	texts    [256]string // of simple fonts
	byCode   [256]Reliability
	level    Reliability // of the glyphs of a composite font that have a text
	unicode  bool        // codes of a composite font are UTF-16
}

// readReliability finds out once what the glyphs of a font draw.
func (p *interpreter) readReliability(f *font) *fontReliability {
	if f.reliability == nil {
		f.reliability = &fontReliability{}
		if f.composite != nil {
			p.readCompositeFont(f)
		} else {
			p.readSimpleFont(f)
		}
	}
	return f.reliability
}

// readGlyphText tells which characters a glyph draws. Text in a font that is missing is drawn in whatever a reader takes instead.
func (p *interpreter) readGlyphText(f *font, code []byte, g glyph) (string, Reliability) {
	if f == nil {
		return g.text, Unreliable
	}
	r := p.readReliability(f)
	switch {
	case f.composite == nil:
		return r.texts[code[0]], r.byCode[code[0]]
	case r.unicode:
		return decodeUTF16(code), r.level
	case g.text == "":
		return "", Unreliable
	}
	return g.text, r.level
}

// hasEmbeddedProgram reports whether a font brings along what draws its glyphs.
func (p *interpreter) hasEmbeddedProgram(dict pdf.Dict) bool {
	descriptor, err := p.d.Dict(dict["FontDescriptor"])
	p.failed(err)
	return descriptor["FontFile"] != nil || descriptor["FontFile2"] != nil || descriptor["FontFile3"] != nil
}

// family is the kind of a standard font.
type family uint8

const (
	otherFamily family = iota
	textFamily
	symbolFamily // Symbol and ZapfDingbats, whose codes are no letters
)

// standardFamilies are the fonts that every reader has or replaces by their like, by name without style.
var standardFamilies = map[string]family{
	"helvetica": textFamily, "times": textFamily, "courier": textFamily, "arial": textFamily, "arialmt": textFamily, "timesnewroman": textFamily,
	"timesnewromanps": textFamily, "timesnewromanpsmt": textFamily, "couriernew": textFamily, "couriernewps": textFamily, "couriernewpsmt": textFamily,
	"symbol": symbolFamily, "zapfdingbats": symbolFamily,
}

var styles = map[string]bool{
	"": true, "roman": true, "bold": true, "italic": true, "oblique": true, "bolditalic": true, "boldoblique": true, "boldmt": true, "italicmt": true, "bolditalicmt": true,
}

// familyOf finds the family of a font by its name.
func familyOf(name string) family {
	name = strings.ToLower(strings.ReplaceAll(name, " ", ""))
	base, style, _ := strings.Cut(strings.ReplaceAll(name, ",", "-"), "-")
	if !styles[strings.ReplaceAll(style, "-", "")] {
		return otherFamily
	}
	return standardFamilies[base]
}

// readSimpleFont reads the encoding by which the glyphs of a simple font are chosen, and its /ToUnicode, which only says what
// they mean. Of a standard font the encoding decides.
func (p *interpreter) readSimpleFont(f *font) {
	name, err := p.d.Name(f.dict["BaseFont"])
	p.failed(err)
	kind := familyOf(string(name))
	brought := f.type3 || p.hasEmbeddedProgram(f.dict)
	r := f.reliability
	r.standard = !brought && kind != otherFamily
	drawn := p.readEncodingTexts(f, brought)
	means := p.readCMap(f.dict["ToUnicode"])
	for c := range 256 {
		text, stated := drawn[c], ""
		if means != nil {
			stated = means.textOf(uint32(c))
		}
		switch {
		case r.standard && kind == symbolFamily:
			r.texts[c], r.byCode[c] = string(rune(0xF000+c)), Certain // of private use: none of these is a letter
		case r.standard:
			if r.texts[c] = text; text != "" {
				r.byCode[c] = Certain
			}
		case f.type3, text == "" && stated == "", text != "" && stated != "" && !isSameText(text, stated):
			r.texts[c] = text
		case text == "":
			r.texts[c], r.byCode[c] = stated, Stated
		default:
			r.texts[c], r.byCode[c] = text, Stated
		}
	}
}

// readEncodingTexts is what the codes of a simple font mean by its encoding alone; empty where that is left to what the file
// brings along, or a glyph has a name that is not known here.
func (p *interpreter) readEncodingTexts(f *font, brought bool) *[256]string {
	v, err := p.d.Resolve(f.dict["Encoding"])
	p.failed(err)
	base, differences := pdf.Object(v), pdf.Object(nil)
	if d, ok := v.(pdf.Dict); ok {
		base, differences = d["BaseEncoding"], d["Differences"]
	}
	t := standardEncoding
	name, err := p.d.Name(base)
	if p.failed(err) {
		name = ""
	}
	switch name {
	case "WinAnsiEncoding":
		t = winAnsi
	case "MacRomanEncoding":
		t = macRoman
	case "StandardEncoding":
	default:
		if brought {
			t = [256]string{}
		}
	}
	p.eachDifference(differences, func(code int, name pdf.Name) { t[code] = named(string(name)) })
	return &t
}

// isSameText reports whether two texts are the same but for their composition.
func isSameText(a, b string) bool { return norm.NFKC.String(a) == norm.NFKC.String(b) }

// readCompositeFont reads how the glyphs of a composite font are chosen: by a collection of characters that readers have, or
// by numbers of glyphs, whose /ToUnicode says what they mean.
func (p *interpreter) readCompositeFont(f *font) {
	r, c := f.reliability, f.composite
	kids, err := p.d.Array(f.dict["DescendantFonts"])
	p.failed(err)
	var kid pdf.Dict
	if len(kids) > 0 {
		kid, err = p.d.Dict(kids[0])
		p.failed(err)
	}
	encoding, err := p.d.Resolve(f.dict["Encoding"])
	p.failed(err)
	identity := strings.HasPrefix(string(asName(encoding)), "Identity")
	means, err := p.d.Resolve(f.dict["ToUnicode"])
	p.failed(err)
	brought := kid == nil || p.hasEmbeddedProgram(kid)
	r.level = Stated
	switch {
	case !identity && asName(encoding) != "":
		r.standard = !brought
		if !brought && c.codesAreUTF16 {
			r.level, r.unicode = Certain, true
		}
	case identity && !brought && strings.HasPrefix(string(asName(means)), "Identity"):
		// Some programs write characters that no font of the form has in this way, for the reader to find one.
		r.unicode = true
		r.standard = genericFamilies[strings.ToLower(string(asName(f.dict["BaseFont"])))]
	}
}

// genericFamilies are the names of fonts that stand for whatever a reader has.
var genericFamilies = map[string]bool{"sans-serif": true, "serif": true, "monospace": true}

func asName(o pdf.Object) pdf.Name {
	n, _ := o.(pdf.Name)
	return n
}
