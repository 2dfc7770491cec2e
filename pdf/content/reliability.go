package content

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"segel/pdf"
)

// Reliability is how reliable the characters of a glyph are.
type Reliability uint8

// The values of Reliability.
const (
	// Unreliable glyphs may draw anything: their font maps them to nothing, or in two contradictory ways.
	Unreliable Reliability = iota
	// Stated glyphs draw these characters if the embedded font program agrees with what the file states.
	Stated
	// Certain glyphs are selected by these characters, and the reader draws them.
	Certain
)

// fontReliability is what the glyphs of a font draw.
type fontReliability struct {
	standard bool
	texts    [256]string // of simple fonts
	byCode   [256]Reliability
	level    Reliability // of the glyphs of a composite font that have a text
	unicode  bool        // codes of a composite font are UTF-16
}

// readReliability determines once what the glyphs of a font draw.
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

// readGlyphText returns the characters that a glyph draws. Text in a missing font is drawn in a font of the reader's
// choice.
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

// hasEmbeddedProgram reports whether a font has an embedded font program.
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
	symbolFamily // Symbol and ZapfDingbats, whose codes are not letters
)

// standardFamilies are the fonts that every reader has or substitutes, by name without style.
var standardFamilies = map[string]family{
	"helvetica": textFamily, "times": textFamily, "courier": textFamily, "arial": textFamily, "arialmt": textFamily, "timesnewroman": textFamily,
	"timesnewromanps": textFamily, "timesnewromanpsmt": textFamily, "couriernew": textFamily, "couriernewps": textFamily, "couriernewpsmt": textFamily,
	"symbol": symbolFamily, "zapfdingbats": symbolFamily,
}

var styles = map[string]bool{
	"": true, "roman": true, "bold": true, "italic": true, "oblique": true, "bolditalic": true, "boldoblique": true, "boldmt": true, "italicmt": true, "bolditalicmt": true,
}

// familyOf returns the family of a font by its name.
func familyOf(name string) family {
	name = strings.ToLower(strings.ReplaceAll(name, " ", ""))
	base, style, _ := strings.Cut(strings.ReplaceAll(name, ",", "-"), "-")
	if !styles[strings.ReplaceAll(style, "-", "")] {
		return otherFamily
	}
	return standardFamilies[base]
}

// readSimpleFont reads the encoding that selects the glyphs of a simple font, and its /ToUnicode, which only states
// their text. For a standard font the encoding decides.
func (p *interpreter) readSimpleFont(f *font) {
	name, err := p.d.Name(f.dict["BaseFont"])
	p.failed(err)
	kind := familyOf(string(name))
	embedded := f.type3 || p.hasEmbeddedProgram(f.dict)
	r := f.reliability
	r.standard = !embedded && kind != otherFamily
	drawn := p.readEncodingTexts(f, embedded)
	toUnicode := p.readCMap(f.dict["ToUnicode"])
	for c := range 256 {
		text, stated := drawn[c], ""
		if toUnicode != nil {
			stated = toUnicode.textOf(uint32(c))
		}
		switch {
		case r.standard && kind == symbolFamily:
			r.texts[c], r.byCode[c] = string(rune(0xF000+c)), Certain // private use: not letters
		case r.standard:
			if r.texts[c] = text; text != "" {
				r.byCode[c] = Certain
			}
		case f.type3, text == "" && stated == "", text != "" && stated != "" && norm.NFKC.String(text) != norm.NFKC.String(stated):
			r.texts[c] = text
		case text == "":
			r.texts[c], r.byCode[c] = stated, Stated
		default:
			r.texts[c], r.byCode[c] = text, Stated
		}
	}
}

// readEncodingTexts returns what the codes of a simple font mean by its encoding only; empty where the embedded program
// decides, or for a glyph with an unknown name.
func (p *interpreter) readEncodingTexts(f *font, embedded bool) *[256]string {
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
		if embedded {
			t = [256]string{}
		}
	}
	p.eachDifference(differences, func(code int, name pdf.Name) { t[code] = GlyphText(string(name)) })
	return &t
}

// readCompositeFont reads how the glyphs of a composite font are selected: by a character collection that readers have,
// or by glyph numbers, whose /ToUnicode states their text.
func (p *interpreter) readCompositeFont(f *font) {
	r, c := f.reliability, f.composite
	kid := p.descendantFont(f.dict)
	encoding, err := p.d.Resolve(f.dict["Encoding"])
	p.failed(err)
	identity := strings.HasPrefix(string(asName(encoding)), "Identity")
	toUnicode, err := p.d.Resolve(f.dict["ToUnicode"])
	p.failed(err)
	embedded := kid == nil || p.hasEmbeddedProgram(kid)
	r.level = Stated
	switch {
	case !identity && asName(encoding) != "":
		r.standard = !embedded
		if !embedded && c.codesAreUTF16 {
			r.level, r.unicode = Certain, true
		}
	case identity && !embedded && strings.HasPrefix(string(asName(toUnicode)), "Identity"):
		// Some programs write characters in this way if the form has no font for them, and leave the choice of a font
		// to the reader.
		r.unicode = true
		r.standard = genericFamilies[strings.ToLower(string(asName(f.dict["BaseFont"])))]
	}
}

// genericFamilies are font names that leave the choice to the reader.
var genericFamilies = map[string]bool{"sans-serif": true, "serif": true, "monospace": true}

func asName(o pdf.Object) pdf.Name {
	n, _ := o.(pdf.Name)
	return n
}
