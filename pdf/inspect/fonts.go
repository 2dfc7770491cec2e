package inspect

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/fontfile"
)

// inspectFonts compares what text means, when it is searched or copied, with what its glyphs show.
func (i *inspection) inspectFonts() error {
	c := &fontCheck{inspection: i, bytesLeft: i.limits.Fonts, programs: map[pdf.Ref]*fontfile.Font{}}
	for _, f := range i.reader.UsedFonts() {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		c.skipped = false
		says, shown := c.findContradiction(f)
		if c.skipped {
			i.addFinding(Finding{Kind: NotExamined, Page: f.Pages[0], Detail: TooMuch})
		}
		if says == "" {
			continue
		}
		for _, page := range f.Pages {
			i.addFinding(Finding{Kind: Unreliable, Page: page, Detail: says, Shown: shown})
		}
	}
	return nil
}

type fontCheck struct {
	*inspection
	bytesLeft int64 // bytes of programs that may still be decoded and compared, and of memory that they may take
	skipped   bool  // a program was not read completely, or not all of its digits were compared
	programs  map[pdf.Ref]*fontfile.Font
}

// glyph is what is known of a glyph besides the text that the file states.
type glyph struct {
	meanings []string // from its name and the program's character map
	outline  []byte   // equal for two glyphs that look the same
}

// findContradiction returns the stated text of one code of a font, and what is shown in its place; "" if there is no
// contradiction.
func (c *fontCheck) findContradiction(f content.UsedFont) (says, shown string) {
	find := c.glyphFinder(f)
	if find == nil {
		return "", ""
	}
	digits := map[string]string{} // by outline
	for _, code := range f.Codes {
		g, text := find(code)
		if text == "" {
			continue
		}
		if other := contradictingMeaning(text, g.meanings); other != "" {
			return text, other
		}
		if len(text) == 1 && text[0] >= '0' && text[0] <= '9' && len(g.outline) > 0 {
			if c.bytesLeft -= int64(len(g.outline)); c.bytesLeft < 0 {
				c.skipped = true
				return "", ""
			}
			key := string(g.outline)
			if first, known := digits[key]; known && first != text {
				return text, first
			}
			digits[key] = text
		}
	}
	return "", ""
}

// contradictingMeaning returns what a glyph is, if that is known and differs from the text.
func contradictingMeaning(text string, meanings []string) string {
	other := ""
	for _, m := range meanings {
		if m == "" {
			continue
		}
		if isAlike(text, m) {
			return ""
		}
		other = m
	}
	return other
}

// isAlike reports whether two texts look the same to a person, or one of them has no letters and digits.
func isAlike(a, b string) bool {
	x, y := confusableSkeleton(a), confusableSkeleton(b)
	if x == y || x == "" || y == "" {
		return true
	}
	return len([]rune(x)) > 1 && len([]rune(y)) > 1 && (strings.Contains(x, y) || strings.Contains(y, x))
}

// confusableSkeleton returns the letters and digits of a text, without marks and case, with lookalikes of other scripts
// replaced by Latin letters.
func confusableSkeleton(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if latin, ok := latinLookalikes[r]; ok {
			r = latin
		}
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// latinLookalikes are the letters of Greek and Cyrillic that fonts draw like Latin ones, and letters without their dots
// and bars.
var latinLookalikes = func() map[rune]rune {
	m := map[rune]rune{}
	other, latin := []rune("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕЗІЈКМНОРСТУХаеіјорсухѕıȷłđøØŁĐµμ"), []rune("ABEZHIKMNOPTYXoABE3IJKMHOPCTYXaeijopcyxsijldoOLDuu")
	for k, r := range other {
		m[r] = latin[k]
	}
	return m
}()

// glyphFinder returns a function that finds the glyph and the text of a code, or nil if nothing is known of the font.
func (c *fontCheck) glyphFinder(f content.UsedFont) func(content.Code) (glyph, string) {
	kind, _ := c.d.Name(f.Dict["Subtype"])
	switch kind {
	case "Type0":
		return c.compositeGlyphFinder(f)
	case "Type3":
		return func(code content.Code) (glyph, string) {
			var g glyph
			if ref, ok := code.Proc.(pdf.Ref); ok {
				g.outline = []byte(ref.String()) // two codes with the same description show the same
			}
			if len(code.Name) > 1 { // names of one letter are often just numbering
				g.meanings = []string{content.GlyphText(code.Name)}
			}
			return g, code.Text
		}
	}
	return c.simpleGlyphFinder(f, kind)
}

// loadProgram returns the font program of a descriptor, or nil.
func (c *fontCheck) loadProgram(o pdf.Object) *fontfile.Font {
	descriptor, err := c.d.Dict(o)
	if err != nil {
		return nil
	}
	for _, key := range []pdf.Name{"FontFile", "FontFile2", "FontFile3"} {
		ref := descriptor.Ref(key)
		if ref.IsZero() {
			continue
		}
		program, known := c.programs[ref]
		if !known {
			if b := c.decodeStream(ref); b != nil {
				program, _ = fontfile.Parse(b) // an unreadable program adds no information
			}
			if program != nil {
				c.bytesLeft -= program.Memory()
			}
			c.programs[ref] = program
		}
		c.skipped = c.skipped || program != nil && program.Truncated()
		return program
	}
	return nil
}

// decodeStream returns the data of a stream, or nil if it cannot be read.
func (c *fontCheck) decodeStream(o pdf.Object) []byte {
	st, err := c.d.Stream(o)
	if err != nil || st == nil {
		return nil
	}
	if c.bytesLeft <= 0 {
		c.skipped = true
		return nil
	}
	b, err := c.d.Decode(st)
	c.bytesLeft -= int64(len(b))
	if err != nil {
		return nil
	}
	return b
}

// compositeGlyphFinder finds glyphs by CID, where the file defines its CIDs.
func (c *fontCheck) compositeGlyphFinder(f content.UsedFont) func(content.Code) (glyph, string) {
	encoding, err := c.d.Resolve(f.Dict["Encoding"])
	if name, ok := encoding.(pdf.Name); err != nil || ok && !strings.HasPrefix(string(name), "Identity") {
		return nil
	}
	kids, err := c.d.Array(f.Dict["DescendantFonts"])
	if err != nil || len(kids) == 0 {
		return nil
	}
	kid, err := c.d.Dict(kids[0])
	if err != nil {
		return nil
	}
	program := c.loadProgram(kid["FontDescriptor"])
	if program == nil {
		return nil
	}
	table := c.decodeStream(kid["CIDToGIDMap"])
	if name, _ := c.d.Name(kid["CIDToGIDMap"]); table == nil && kid["CIDToGIDMap"] != nil && name != "Identity" {
		return nil
	}
	return func(code content.Code) (glyph, string) {
		number, ok := program.GlyphByCID(code.CID)
		if table != nil {
			at := 2 * int(code.CID)
			if ok = at+1 < len(table); ok {
				number = int(table[at])<<8 | int(table[at+1])
			}
		}
		if !ok || number == 0 {
			return glyph{}, code.Text
		}
		return c.programGlyph(program, number), code.Text
	}
}

func (c *fontCheck) programGlyph(program *fontfile.Font, number int) glyph {
	g := glyph{meanings: []string{content.GlyphText(program.GlyphName(number))}, outline: program.Outline(number)}
	for _, r := range program.GlyphRunes(number) {
		if r >= 0xe000 && r <= 0xf8ff { // private use has no meaning
			continue
		}
		g.meanings = append(g.meanings, string(r))
	}
	return g
}

// simpleGlyphFinder finds glyphs as readers do, by the name that the encoding gives a code, or by the program's
// built-in encoding (ISO 32000-2 §9.6.5).
func (c *fontCheck) simpleGlyphFinder(f content.UsedFont, kind pdf.Name) func(content.Code) (glyph, string) {
	descriptor, err := c.d.Dict(f.Dict["FontDescriptor"])
	if err != nil {
		return nil
	}
	flags, _ := c.d.Integer(descriptor["Flags"])
	symbolic := flags&4 != 0
	program := c.loadProgram(f.Dict["FontDescriptor"])
	base := c.baseEncoding(f.Dict["Encoding"])
	return func(code content.Code) (glyph, string) {
		named := code.Name
		encoded := content.GlyphText(named)
		if named == "" && (base != "" || program == nil && !symbolic) {
			encoded = content.CodeText(base, byte(code.Code))
		}
		text := code.Text
		if text == "" {
			text = encoded
		}
		if program == nil {
			return glyph{meanings: []string{encoded}}, text
		}
		number, ok := 0, false
		switch {
		case kind == "TrueType" && symbolic:
			number, ok = program.GlyphByCode(byte(code.Code))
		case kind == "TrueType":
			if r := []rune(encoded); len(r) == 1 {
				number, ok = program.GlyphByRune(r[0])
			}
		case named != "":
			number, ok = program.GlyphByName(named)
		case base == "":
			number, ok = program.GlyphByCode(byte(code.Code))
		}
		if !ok || number == 0 {
			return glyph{meanings: []string{encoded}}, text
		}
		g := c.programGlyph(program, number)
		if kind != "TrueType" || !symbolic {
			g.meanings = append(g.meanings, encoded)
		}
		return g, text
	}
}

func (c *fontCheck) baseEncoding(o pdf.Object) string {
	v, err := c.d.Resolve(o)
	if err != nil {
		return ""
	}
	if dict, ok := v.(pdf.Dict); ok {
		v, _ = c.d.Resolve(dict["BaseEncoding"])
	}
	name, _ := v.(pdf.Name)
	return string(name)
}
