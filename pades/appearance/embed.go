package appearance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"segel/pades/font"
	"segel/pdf"
)

// embedding is a font of the file: some glyphs of a face, with codes in the order of first use.
type embedding struct {
	face      *font.Face
	asciiOnly bool     // exactly the printable ASCII characters: one such font serves many drawings
	glyphs    []uint16 // by code
	texts     []string // by code
	codes     map[uint16]int

	ascii func() (pdf.Dict, error) // what fontDict returns if asciiOnly is set
}

// maxType3Glyphs is the largest number of glyphs of a Type 3 font: its codes are single bytes.
const maxType3Glyphs = 255

func newEmbedding(f *font.Face) *embedding {
	e := &embedding{face: f, codes: map[uint16]int{}}
	if f.IsTrueType() {
		e.addGlyph(0, "") // code 0 is the missing glyph
	}
	return e
}

// asciiEmbeddings has the embedding of each TrueType face that findASCIIEmbedding returned. Faces belong to few collections, which live as long as the process.
var asciiEmbeddings sync.Map // of *font.Face to *embedding

// findASCIIEmbedding returns the font with all printable ASCII characters of a TrueType face. It never changes, so all drawings share it: cutting it down and
// compressing it takes longer than the rest of a drawing.
func findASCIIEmbedding(f *font.Face) *embedding {
	if e, ok := asciiEmbeddings.Load(f); ok {
		return e.(*embedding)
	}
	e := newEmbedding(f)
	e.asciiOnly = true
	for r := ' '; r <= '~'; r++ {
		if g, ok := f.Glyph(r); ok {
			e.addGlyph(g, string(r))
		}
	}
	e.ascii = sync.OnceValues(func() (pdf.Dict, error) {
		tree, err := e.trueTypeFont()
		if err == nil {
			err = compressStreams(tree)
		}
		return tree, err
	})
	first, _ := asciiEmbeddings.LoadOrStore(f, e)
	return first.(*embedding)
}

// compressStreams compresses the streams of a tree.
func compressStreams(tree pdf.Object) (err error) {
	switch o := tree.(type) {
	case pdf.Array:
		for _, v := range o {
			err = cmp.Or(err, compressStreams(v))
		}
	case pdf.Dict:
		for _, v := range o {
			err = cmp.Or(err, compressStreams(v))
		}
	case *pdf.Stream:
		err = o.Compress()
	}
	return err
}

func (e *embedding) addGlyph(glyph uint16, text string) int {
	code := len(e.glyphs)
	e.codes[glyph] = code
	e.glyphs, e.texts = append(e.glyphs, glyph), append(e.texts, text)
	return code
}

// codeOf returns the code of a glyph, a new one if necessary; ok is false if the font is full.
func (e *embedding) codeOf(g font.Glyph) (code int, ok bool) {
	if code, ok := e.codes[g.ID]; ok {
		return code, true
	}
	if e.asciiOnly || !e.face.IsTrueType() && len(e.glyphs) == maxType3Glyphs {
		return 0, false
	}
	return e.addGlyph(g.ID, g.Text), true
}

// findEmbedding returns the index of the font that has the glyph, and its code.
func (w *canvas) findEmbedding(g font.Glyph) (index, code int) {
	for i, e := range w.fonts {
		if e.face != g.Face {
			continue
		}
		if c, ok := e.codeOf(g); ok {
			return i, c
		}
	}
	e := newEmbedding(g.Face)
	if len(g.Text) == 1 && g.Face.IsTrueType() {
		p := findASCIIEmbedding(g.Face)
		if _, ok := p.codes[g.ID]; ok {
			e = p
		}
	}
	w.fonts = append(w.fonts, e)
	c, _ := e.codeOf(g)
	return len(w.fonts) - 1, c
}

// appendCode appends a code in hexadecimal.
func (e *embedding) appendCode(b []byte, code int) []byte {
	if e.face.IsTrueType() {
		return fmt.Appendf(b, "%04X", code)
	}
	return fmt.Appendf(b, "%02X", code)
}

// showGlyphs writes the glyphs of a line that begins at a point.
func (w *canvas) showGlyphs(glyphs []font.Glyph, size, x, y float64) {
	for len(glyphs) > 0 {
		index, code := w.findEmbedding(glyphs[0])
		w.buf.writeText("/" + string(resourceName("F", index)) + " ")
		w.buf.writeOperator("Tf", size)
		w.buf.writeOperator("Tm", 1, 0, 0, 1, x, y)
		w.buf.writeText("<")
		width, n := 0.0, 0
		for i := index; i == index; {
			w.buf.Write(w.fonts[index].appendCode(w.buf.AvailableBuffer(), code))
			width += glyphs[n].Advance
			if n++; n == len(glyphs) {
				break
			}
			i, code = w.findEmbedding(glyphs[n])
		}
		w.buf.writeText("> Tj\n")
		x += width * size / 1000
		glyphs = glyphs[n:]
	}
}

// fontDict returns the font as an object, with the objects it refers to as values. It must not be changed.
func (e *embedding) fontDict() (pdf.Dict, error) {
	if e.asciiOnly {
		return e.ascii()
	}
	if e.face.IsTrueType() {
		return e.trueTypeFont()
	}
	return e.type3Font()
}

// fingerprint distinguishes embeddings of one face.
func (e *embedding) fingerprint() any {
	var b []byte
	for _, g := range e.glyphs {
		b = binary.BigEndian.AppendUint16(b, g)
	}
	return struct {
		face   *font.Face
		glyphs string
	}{e.face, string(b)}
}

// trueTypeFont embeds a subset as a CID font whose codes are its glyph numbers (ISO 32000-2 §9.7.4).
func (e *embedding) trueTypeFont() (pdf.Dict, error) {
	file, count, err := e.face.Subset(e.glyphs)
	if err != nil {
		return nil, fmt.Errorf("cut down %s: %w", e.face.Name(), err)
	}
	base := pdf.Name(e.subsetTag() + "+" + e.face.Name())
	m := e.face.Metrics()
	stem := 80
	if m.Bold {
		stem = 140
	}
	descriptor := pdf.Dict{
		"Type": pdf.Name("FontDescriptor"), "FontName": base, "Flags": pdf.Integer(symbolic), "ItalicAngle": pdf.Integer(0),
		"FontBBox": fontBox(m).Array(),
		"Ascent":   pdf.Real(roundNumber(m.Ascent)), "Descent": pdf.Real(roundNumber(m.Descent)), "CapHeight": pdf.Real(roundNumber(m.CapHeight)),
		"StemV": pdf.Integer(stem), "FontFile2": &pdf.Stream{Dict: pdf.Dict{"Length1": pdf.Integer(len(file))}, Data: file},
		"CIDSet": &pdf.Stream{Dict: pdf.Dict{}, Data: firstBits(count)},
	}
	widths := make(pdf.Array, len(e.glyphs))
	for i, g := range e.glyphs {
		widths[i] = pdf.Integer(e.face.Advance(g) + 0.5)
	}
	descendant := pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType2"), "BaseFont": base, "FontDescriptor": descriptor,
		"CIDSystemInfo": pdf.Dict{"Registry": pdf.TextString("Adobe"), "Ordering": pdf.TextString("Identity"), "Supplement": pdf.Integer(0)},
		"CIDToGIDMap":   pdf.Name("Identity"), "W": pdf.Array{pdf.Integer(0), widths},
	}
	return pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": base, "Encoding": pdf.Name("Identity-H"),
		"DescendantFonts": pdf.Array{descendant}, "ToUnicode": e.buildToUnicode(4),
	}, nil
}

// firstBits has the first n bits set, from the highest of each byte on: a CIDSet with all CIDs. PDF/A-1 requires it for
// subsets.
func firstBits(n int) []byte {
	b := bytes.Repeat([]byte{0xFF}, (n+7)/8)
	if n%8 != 0 {
		b[len(b)-1] <<= 8 - n%8
	}
	return b
}

func fontBox(m font.Metrics) pdf.Rect {
	return pdf.Rect{LLX: m.Box[0], LLY: m.Box[1], URX: m.Box[2], URY: m.Box[3]}
}

// symbolic marks a font whose characters are not those of standard Latin.
const symbolic = 1 << 2

// subsetTag is the six letters that distinguish subsets of one font.
func (e *embedding) subsetTag() string {
	h := sha256.New()
	for _, g := range e.glyphs {
		h.Write(binary.BigEndian.AppendUint16(nil, g))
	}
	sum := h.Sum(nil)
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + sum[i]%26
	}
	return string(tag)
}

// type3Font embeds the glyphs of other fonts as drawings, in a Type 3 font (ISO 32000-2 §9.6.4).
func (e *embedding) type3Font() (pdf.Dict, error) {
	procs, differences, widths := pdf.Dict{}, pdf.Array{pdf.Integer(0)}, pdf.Array{}
	for i, g := range e.glyphs {
		drawn, err := drawOutline(e.face, g)
		if err != nil {
			return nil, err
		}
		procs[resourceName("g", i)] = &pdf.Stream{Dict: pdf.Dict{}, Data: drawn}
		differences = append(differences, resourceName("g", i))
		widths = append(widths, pdf.Real(roundNumber(e.face.Advance(g))))
	}
	return pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type3"), "Resources": pdf.Dict{}, "CharProcs": procs,
		"FontBBox":   fontBox(e.face.Metrics()).Array(),
		"FontMatrix": pdf.Array{pdf.Real(0.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(0.001), pdf.Integer(0), pdf.Integer(0)},
		"Encoding":   pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": differences},
		"FirstChar":  pdf.Integer(0), "LastChar": pdf.Integer(len(e.glyphs) - 1), "Widths": widths, "ToUnicode": e.buildToUnicode(2),
	}, nil
}

// drawOutline draws a glyph in thousandths of an em.
func drawOutline(f *font.Face, glyph uint16) ([]byte, error) {
	segments, err := f.Outline(glyph)
	if err != nil {
		return nil, err
	}
	var c contentBuffer
	m := f.Metrics()
	c.writeOperator("d1", f.Advance(glyph), 0, m.Box[0], m.Box[1], m.Box[2], m.Box[3])
	for _, s := range segments {
		p := s.Points
		switch {
		case s.Move:
			c.writeOperator("m", p[0][:]...)
		case s.Curve:
			c.writeOperator("c", slices.Concat(p[0][:], p[1][:], p[2][:])...)
		default:
			c.writeOperator("l", p[0][:]...)
		}
	}
	if len(segments) > 0 {
		c.writeText("f\n")
	}
	return c.Bytes(), nil
}

// buildToUnicode maps codes of that many hexadecimal digits to text (ISO 32000-2 §9.10.3).
func (e *embedding) buildToUnicode(digits int) *pdf.Stream {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n")
	fmt.Fprintf(&b, "<%0*X> <%s>\nendcodespacerange\n", digits, 0, strings.Repeat("F", digits))
	var lines []string
	for code, text := range e.texts {
		if text == "" {
			continue
		}
		var utf []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			utf = binary.BigEndian.AppendUint16(utf, unit)
		}
		lines = append(lines, fmt.Sprintf("<%0*X> <%s>\n", digits, code, hex.EncodeToString(utf)))
	}
	const most = 100 // entries of one block
	for block := range slices.Chunk(lines, most) {
		fmt.Fprintf(&b, "%d beginbfchar\n%sendbfchar\n", len(block), strings.Join(block, ""))
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return &pdf.Stream{Dict: pdf.Dict{}, Data: []byte(b.String())}
}

// calibratedSpaces defines the device colours as sRGB, except for its gamma, which is 2.2.
func calibratedSpaces() pdf.Dict {
	white := pdf.Array{pdf.Real(0.9505), pdf.Integer(1), pdf.Real(1.089)}
	return pdf.Dict{
		"DefaultRGB": pdf.Array{pdf.Name("CalRGB"), pdf.Dict{
			"WhitePoint": white, "Gamma": pdf.Array{pdf.Real(2.2), pdf.Real(2.2), pdf.Real(2.2)},
			"Matrix": pdf.Array{
				pdf.Real(0.4124), pdf.Real(0.2126), pdf.Real(0.0193), pdf.Real(0.3576), pdf.Real(0.7152), pdf.Real(0.1192),
				pdf.Real(0.1805), pdf.Real(0.0722), pdf.Real(0.9505),
			},
		}},
		"DefaultGray": pdf.Array{pdf.Name("CalGray"), pdf.Dict{"WhitePoint": white, "Gamma": pdf.Real(2.2)}},
	}
}
