package content_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/content"
)

// newAppearanceStream makes an appearance stream of 200 by 20 units.
func newAppearanceStream(operators string, resources, more pdf.Dict) *pdf.Stream {
	dict := pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 20}.Array(), "Resources": resources}
	for k, v := range more {
		dict[k] = v
	}
	return &pdf.Stream{Dict: dict, Data: []byte(operators)}
}

var fieldBox = pdf.Rect{LLX: 72, LLY: 600, URX: 272, URY: 620}

// readAppearance reads an appearance stream that make builds, in a file of its own.
func readAppearance(t testing.TB, turn int, make func(u *pdf.Update) *pdf.Stream) (*content.Appearance, error) {
	t.Helper()
	d, page := openPage(t, square, "", func(u *pdf.Update, page pdf.Dict) { page["Look"] = u.Add(make(u)) })
	st, err := d.Stream(page.Dict["Look"])
	if err != nil {
		t.Fatal(err)
	}
	return content.NewReader(d, content.Limits{}).ReadAppearance(st, fieldBox, turn)
}

// standardFont is Helvetica with an encoding and more entries.
func standardFont(more pdf.Dict) pdf.Dict {
	f := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica")}
	for k, v := range more {
		f[k] = v
	}
	return f
}

func inFont(f pdf.Object) pdf.Dict { return pdf.Dict{"Font": pdf.Dict{"F": f}} }

func textOf(a *content.Appearance) (s string) {
	for _, g := range a.Glyphs {
		s += g.Text
	}
	return s
}

// weakestReliability is the weakest reading of its glyphs.
func weakestReliability(a *content.Appearance) content.Reliability {
	all := content.Certain
	for _, g := range a.Glyphs {
		all = min(all, g.Reliability)
	}
	return all
}

func cmap(from, to string) *pdf.Stream {
	return &pdf.Stream{Dict: pdf.Dict{}, Data: fmt.Appendf(nil, "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <%s> <%s> endbfchar", from, to)}
}

func cmap2(from, to string) *pdf.Stream {
	return &pdf.Stream{Dict: pdf.Dict{}, Data: fmt.Appendf(nil, "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <%s> <%s> endbfchar", from, to)}
}

func TestGlyphTextIsReadFromWhatSelectsTheGlyph(t *testing.T) {
	t.Parallel()
	embedded := func(u *pdf.Update, more pdf.Dict) pdf.Dict {
		f := standardFont(more)
		f["BaseFont"] = pdf.Name("ABCDEF+Segel")
		f["FontDescriptor"] = pdf.Dict{"Type": pdf.Name("FontDescriptor"), "FontFile2": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("x")})}
		return f
	}
	composite := func(name string, encoding, descriptor, unicode pdf.Object) pdf.Dict {
		kid := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType2"), "DW": pdf.Integer(500)}
		if descriptor != nil {
			kid["FontDescriptor"] = descriptor
		}
		f := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": pdf.Name(name), "Encoding": encoding, "DescendantFonts": pdf.Array{kid}}
		if unicode != nil {
			f["ToUnicode"] = unicode
		}
		return f
	}
	program := func(u *pdf.Update) pdf.Dict {
		return pdf.Dict{"FontFile2": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("x")})}
	}
	differences := func(names ...pdf.Object) pdf.Dict {
		return pdf.Dict{"Encoding": pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": append(pdf.Array{pdf.Integer(65)}, names...)}}
	}
	for _, c := range []struct {
		name, show string
		font       func(u *pdf.Update) pdf.Dict
		want       string
		reading    content.Reliability
		standard   bool
	}{
		{"no encoding", "(A')", func(*pdf.Update) pdf.Dict { return standardFont(nil) }, "A’", content.Certain, true},
		{"a named encoding", "(A'\\200)", func(*pdf.Update) pdf.Dict { return standardFont(pdf.Dict{"Encoding": pdf.Name("WinAnsiEncoding")}) }, "A'€", content.Certain, true},
		{"differences", "(AB)", func(*pdf.Update) pdf.Dict { return standardFont(differences(pdf.Name("one"), pdf.Name("Lslash"))) }, "1Ł", content.Certain, true},
		{"a glyph without a name that anybody knows", "(A)", func(*pdf.Update) pdf.Dict { return standardFont(differences(pdf.Name("g17"))) }, "", content.Unreliable, true},
		{"another meaning of what a standard font draws", "(1)", func(u *pdf.Update) pdf.Dict { return standardFont(pdf.Dict{"ToUnicode": u.Add(cmap("31", "0039"))}) }, "1", content.Certain, true},
		{"symbols", "(1)", func(*pdf.Update) pdf.Dict {
			return standardFont(pdf.Dict{"BaseFont": pdf.Name("ZapfDingbats"), "Encoding": pdf.Name("WinAnsiEncoding")})
		}, "\uF031", content.Certain, true},
		{"a font that no reader has", "(1)", func(*pdf.Update) pdf.Dict { return standardFont(pdf.Dict{"BaseFont": pdf.Name("Wingdings")}) }, "1", content.Stated, false},
		{"a style of a standard font", "(1)", func(*pdf.Update) pdf.Dict { return standardFont(pdf.Dict{"BaseFont": pdf.Name("Arial,Bold")}) }, "1", content.Certain, true},
		{"a font that begins like a standard font", "(1)", func(*pdf.Update) pdf.Dict { return standardFont(pdf.Dict{"BaseFont": pdf.Name("Arial-Barcode")}) }, "1", content.Stated, false},
		{"an embedded font", "(1)", func(u *pdf.Update) pdf.Dict { return embedded(u, pdf.Dict{"Encoding": pdf.Name("WinAnsiEncoding")}) }, "1", content.Stated, false},
		{"an embedded font with an encoding of its own", "(1)", func(u *pdf.Update) pdf.Dict { return embedded(u, nil) }, "", content.Unreliable, false},
		{"an embedded font that states what its codes mean", "(1)", func(u *pdf.Update) pdf.Dict { return embedded(u, pdf.Dict{"ToUnicode": u.Add(cmap("31", "0039"))}) }, "9", content.Stated, false},
		{"an embedded font that contradicts itself", "(1)", func(u *pdf.Update) pdf.Dict {
			return embedded(u, pdf.Dict{"Encoding": pdf.Name("WinAnsiEncoding"), "ToUnicode": u.Add(cmap("31", "0039"))})
		}, "1", content.Unreliable, false},
		{"a font that draws its glyphs by operators", "(A)", func(u *pdf.Update) pdf.Dict {
			f := differences(pdf.Name("one"))
			f["Type"], f["Subtype"], f["FontMatrix"] = pdf.Name("Font"), pdf.Name("Type3"), pdf.Array{pdf.Real(.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(.001), pdf.Integer(0), pdf.Integer(0)}
			f["CharProcs"] = pdf.Dict{"one": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("500 0 0 0 500 700 d1 0 0 500 700 re f")})}
			f["FontBBox"], f["FirstChar"], f["Widths"] = pdf.Rect{URX: 500, URY: 700}.Array(), pdf.Integer(65), pdf.Array{pdf.Integer(500)}
			return f
		}, "1", content.Unreliable, false},
		{"numbers of glyphs that mean nothing", "<0031>", func(u *pdf.Update) pdf.Dict { return composite("X", pdf.Name("Identity-H"), program(u), nil) }, "", content.Unreliable, false},
		{"numbers of glyphs that mean something", "<0031>", func(u *pdf.Update) pdf.Dict {
			return composite("X", pdf.Name("Identity-H"), program(u), u.Add(cmap2("0031", "0041")))
		}, "A", content.Stated, false},
		{"characters of a collection", "<0041>", func(*pdf.Update) pdf.Dict {
			return composite("KozMinPr6N-Regular", pdf.Name("UniJIS-UCS2-H"), nil, nil)
		}, "A", content.Certain, true},
		{"characters of a collection in an embedded font", "<0041>", func(u *pdf.Update) pdf.Dict { return composite("X", pdf.Name("UniJIS-UCS2-H"), program(u), nil) }, "A", content.Stated, false},
		{"characters for any font that a reader has", "<0041>", func(*pdf.Update) pdf.Dict {
			return composite("sans-serif", pdf.Name("Identity-H"), nil, pdf.Name("Identity-H"))
		}, "A", content.Stated, true},
	} {
		a, err := readAppearance(t, 0, func(u *pdf.Update) *pdf.Stream {
			return newAppearanceStream("BT /F 12 Tf 2 5 Td "+c.show+" Tj ET", inFont(u.Add(c.font(u))), nil)
		})
		if err != nil || textOf(a) != c.want || weakestReliability(a) != c.reading || len(a.Fonts) != 1 || a.Fonts[0].Standard != c.standard {
			t.Errorf("%s: %q %v %+v, %v", c.name, textOf(a), weakestReliability(a), a.Fonts, err)
		}
	}
	a, err := readAppearance(t, 0, func(*pdf.Update) *pdf.Stream {
		return newAppearanceStream("BT /Missing 12 Tf 2 5 Td (A) Tj ET", pdf.Dict{}, nil)
	})
	if !errors.Is(err, content.ErrIncomplete) || textOf(a) != "A" || weakestReliability(a) != content.Unreliable {
		t.Errorf("a font that is not there: %q %v, %v", textOf(a), weakestReliability(a), err)
	}
}

func TestGlyphsOfAnAppearanceAreWhereTheyAreShown(t *testing.T) {
	t.Parallel()
	helvetica := inFont(standardFont(nil))
	type place struct {
		x, y, size float64
		upright    bool
		hidden     content.Hidden
		seen       bool
	}
	for _, c := range []struct {
		name, content string
		turn          int
		more          pdf.Dict
		want          place // of its only glyph
	}{
		{"as it is", "BT /F 12 Tf 2 5 Td (A) Tj ET", 0, nil, place{2, 5, 12, true, "", true}},
		{"slanted", "BT /F 12 Tf 1 0 .3 1 2 5 Tm (A) Tj ET", 0, nil, place{2, 5, 12.5, true, "", true}},
		{"turned with its widget", "BT /F 12 Tf 2 5 Td (A) Tj ET", 90, pdf.Dict{
			"BBox": pdf.Rect{URX: 20, URY: 200}.Array(), "Matrix": pdf.Array{pdf.Integer(0), pdf.Integer(1), pdf.Integer(-1), pdf.Integer(0), pdf.Integer(200), pdf.Integer(0)},
		}, place{2, 5, 12, true, "", true}},
		{"turned in a widget that is not", "BT /F 12 Tf 2 5 Td (A) Tj ET", 0, pdf.Dict{
			"BBox": pdf.Rect{URX: 20, URY: 200}.Array(), "Matrix": pdf.Array{pdf.Integer(0), pdf.Integer(1), pdf.Integer(-1), pdf.Integer(0), pdf.Integer(200), pdf.Integer(0)},
		}, place{195, 2, 12, false, "", true}},
		{"upside down", "BT /F 12 Tf -1 0 0 -1 50 15 Tm (A) Tj ET", 0, nil, place{50, 15, 12, false, "", true}},
		{"mirrored", "BT /F 12 Tf -1 0 0 1 50 5 Tm (A) Tj ET", 0, nil, place{50, 5, 12, false, "", true}},
		{"mirrored by its scale", "BT /F 12 Tf -100 Tz 50 5 Td (A) Tj ET", 0, nil, place{50, 5, 12, false, "", true}},
		{"fitted into a smaller box", "BT /F 120 Tf 20 50 Td (A) Tj ET", 0, pdf.Dict{"BBox": pdf.Rect{URX: 2000, URY: 200}.Array()}, place{2, 5, 12, true, "", true}},
		{"too small to be seen", "BT /F .1 Tf 2 5 Td (A) Tj ET", 0, nil, place{2, 5, .1, true, content.BySize, true}},
		{"neither filled nor stroked", "BT /F 12 Tf 3 Tr 2 5 Td (A) Tj ET", 0, nil, place{2, 5, 12, true, content.ByMode, true}},
		{"outside of its box", "BT /F 12 Tf 2 30 Td (A) Tj ET", 0, nil, place{2, 30, 12, true, "", false}},
		{"outside of its clip", "0 0 1 20 re W n BT /F 12 Tf 2 5 Td (A) Tj ET", 0, nil, place{2, 5, 12, true, "", false}},
	} {
		a, err := readAppearance(t, c.turn, func(*pdf.Update) *pdf.Stream { return newAppearanceStream(c.content, helvetica, c.more) })
		if err != nil || len(a.Glyphs) != 1 {
			t.Errorf("%s: %+v, %v", c.name, a, err)
			continue
		}
		g := a.Glyphs[0]
		if math.Abs(g.X-c.want.x)+math.Abs(g.Y-c.want.y) > .1 || math.Abs(g.Size-c.want.size) > .1 || g.Upright != c.want.upright || g.Hidden != c.want.hidden || g.VisibleShare > 0 != c.want.seen {
			t.Errorf("%s: %+v, want %+v", c.name, g, c.want)
		}
	}
}

func TestWhatAnAppearancePaintsBesideTextIsListed(t *testing.T) {
	t.Parallel()
	resources := func(u *pdf.Update) pdf.Dict {
		nested := newAppearanceStream("BT /F 12 Tf (B) Tj ET", inFont(standardFont(nil)), nil)
		image := pdf.Dict{"Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1), "ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8)}
		return pdf.Dict{
			"Font":       pdf.Dict{"F": standardFont(nil)},
			"XObject":    pdf.Dict{"N": u.Add(nested), "I": u.Add(&pdf.Stream{Dict: image, Data: []byte{1}})},
			"Properties": pdf.Dict{"L": u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})},
			"ExtGState":  pdf.Dict{"T": pdf.Dict{"ca": pdf.Real(.5)}, "R": pdf.Dict{"TR": pdf.Name("Identity")}, "B": pdf.Dict{"BM": pdf.Name("Multiply")}},
			"Shading":    pdf.Dict{"S": pdf.Dict{"ShadingType": pdf.Integer(2)}},
			"ColorSpace": pdf.Dict{"P": pdf.Array{pdf.Name("Separation"), pdf.Name("None"), pdf.Name("DeviceGray"), pdf.Dict{}}},
		}
	}
	for operators, want := range map[string]struct {
		text     string
		pictures int
		unclear  string
		path     string // of the last path
	}{
		"/N Do":                             {text: "B"},
		"/I Do":                             {pictures: 1},
		"BI /W 1 /H 1 ID x EI":              {pictures: 1},
		"/S sh":                             {pictures: 1},
		"/OC /L BDC BT /F 9 Tf (A) Tj EMC":  {text: "A", unclear: "optional content"},
		"/T gs BT /F 9 Tf (A) Tj":           {text: "A", unclear: "transparency"},
		"/B gs 0 0 9 9 re f":                {unclear: "transparency", path: "filled rectangle of 4 black"},
		"/R gs BT /F 9 Tf (A) Tj":           {text: "A", unclear: "a transfer function or the like"},
		"BT /F 9 Tf 7 Tr (A) Tj ET":         {text: "A", unclear: "text that clips"},
		"0 0 m 9 0 l 4 9 l h W n":           {unclear: "a clip that is no rectangle"},
		"0 0 5 5 re 6 6 5 5 re W n":         {unclear: "a clip that is no rectangle"},
		"0 0 m 9 0 l 9 9 l 0 9 l 0 0 l W n": {},
		"1 1 198 18 re W n":                 {},
		"1 0 0 rg 0 0 200 20 re f":          {path: "filled rectangle of 4 red"},
		"2 w 0 0 1 RG 1 1 198 18 re s":      {path: "stroked rectangle of 4 blue"},
		"0 0 m 9 9 l S":                     {path: "stroked shape of 2 black"},
		"0 0 m 9 0 l S":                     {path: "stroked rectangle of 2 black"},
		"0 0 m 9 0 9 9 0 9 c f":             {path: "filled shape of 4 black"},
		"/P cs 1 scn 0 0 9 9 re f":          {path: "filled rectangle of 4 unknown"},
		"0 1 1 0 k 0 0 9 9 re f":            {path: "filled rectangle of 4 red"},
	} {
		a, err := readAppearance(t, 0, func(u *pdf.Update) *pdf.Stream { return newAppearanceStream(operators, resources(u), nil) })
		path := ""
		for _, p := range a.Paths {
			path = describe(p)
		}
		if err != nil || textOf(a) != want.text || a.Pictures != want.pictures || strings.Join(a.Unclear, ",") != want.unclear || path != want.path {
			t.Errorf("%s: %q, %d pictures, %v, %q, %v", operators, textOf(a), a.Pictures, a.Unclear, path, err)
		}
	}
	layered, err := readAppearance(t, 0, func(u *pdf.Update) *pdf.Stream {
		return newAppearanceStream("", nil, pdf.Dict{"OC": u.Add(pdf.Dict{"Type": pdf.Name("OCG")})})
	})
	if err != nil || !slices.Contains(layered.Unclear, "optional content") {
		t.Errorf("layer of the stream: %+v, %v", layered, err)
	}
	spaces, err := readAppearance(t, 0, func(*pdf.Update) *pdf.Stream {
		return newAppearanceStream("", pdf.Dict{"ColorSpace": pdf.Dict{"DefaultGray": pdf.Name("DeviceGray")}}, nil)
	})
	if err != nil || !slices.Contains(spaces.Unclear, "default colour spaces") {
		t.Errorf("default colour space: %+v, %v", spaces, err)
	}
}

func describe(p content.Path) string {
	how, shape, color := "stroked", "shape", "unknown"
	if p.Filled {
		how = "filled"
	}
	if p.Rectangle {
		shape = "rectangle"
	}
	for name, c := range map[string]content.Color{"black": {Known: true}, "red": {Red: 1, Known: true}, "blue": {Blue: 1, Known: true}} {
		if p.Color == c {
			color = name
		}
	}
	return fmt.Sprintf("%s %s of %d %s", how, shape, p.Points, color)
}

func TestAppearancesAreReadWithinLimits(t *testing.T) {
	t.Parallel()
	d, page := openPage(t, square, "", func(u *pdf.Update, page pdf.Dict) {
		ref := u.Reserve()
		u.Set(ref, newAppearanceStream(strings.Repeat("BT /F 12 Tf (A) Tj ET /X Do ", 20), pdf.Dict{"XObject": pdf.Dict{"X": ref}, "Font": pdf.Dict{"F": standardFont(nil)}}, nil))
		page["Look"] = ref
	})
	st, err := d.Stream(page.Dict["Look"])
	if err != nil {
		t.Fatal(err)
	}
	r := content.NewReader(d, content.Limits{Bytes: 100_000})
	a, err := r.ReadAppearance(st, fieldBox, 0)
	if !errors.Is(err, content.ErrIncomplete) || a == nil || r.RemainingBytes() != 0 {
		t.Errorf("%d glyphs, %d bytes left, %v", len(a.Glyphs), r.RemainingBytes(), err)
	}
}
