package content

import (
	"math"
	"slices"

	"segel/pdf"
)

// Appearance is what one appearance stream paints, glyph by glyph and path by path. Coordinates are points from the
// lower left of the annotation's rectangle, rotated so that the annotation is upright.
type Appearance struct {
	Width, Height float64
	Glyphs        []Glyph
	Paths         []Path
	Fonts         []Font // of Glyphs, each once
	Pictures      int    // images, inline ones too, and shadings
	// Unclear lists why readers may show something else: optional content, a clip that is not a rectangle, text that
	// clips, paint that is blended or masked. It is empty for the appearances that form fillers write.
	Unclear []string
}

// Glyph is one glyph that is shown.
type Glyph struct {
	Text         string // the characters that it draws, as far as its font states
	Reliability  Reliability
	Font         int // index into Appearance.Fonts
	X, Y         float64
	EndX         float64 // where the next glyph begins, with character spacing
	Size         float64 // height of the em
	Box          pdf.Rect
	Upright      bool    // neither turned nor mirrored; slanted letters are upright
	Hidden       Hidden  // empty if it is painted; see VisibleShare for ByClip
	VisibleShare float64 // share of Box that lies within the clip, from 0 to 1
	Color        Color
	Order        int // order of painting, among the paths
}

// Path is one part of a path that is filled or stroked.
type Path struct {
	Box       pdf.Rect // without the line width
	Clip      pdf.Rect
	Filled    bool
	Stroked   bool
	Line      float64 // line width, if it is stroked
	Rectangle bool    // its corners are those of Box
	Points    int     // of its construction
	Outline   uint64  // equal for parts with the same points
	Color     Color   // of the fill, or else of the stroke
	Order     int     // order of painting, among the glyphs
}

// Color is an approximate colour. Known is false for patterns, spot colours and others.
type Color struct {
	Red, Green, Blue float64 // from 0 to 1
	Known            bool
}

// Contrast is the largest difference of a component from another colour, from 0 to 1; 0 if one of them is not known.
func (c Color) Contrast(d Color) float64 {
	if !c.Known || !d.Known {
		return 0
	}
	return max(math.Abs(c.Red-d.Red), math.Abs(c.Green-d.Green), math.Abs(c.Blue-d.Blue))
}

// Font is a font resource of an appearance.
type Font struct {
	Object pdf.Object // a reference or a direct dictionary; nil if the resource is missing
	// Standard fonts come with every reader: one of the fourteen, or of the character collections of predefined CMaps.
	// Their glyph programs are not in the file.
	Standard bool
}

// ReadAppearance reads an appearance stream as fitted into the rectangle of its annotation (ISO 32000-2 §12.5.5), which
// is rotated counterclockwise by turn, a multiple of 90 (its /MK /R). The caller owns the result.
//
// Errors: *IncompleteError, if there may be more than is listed; others are from the io.ReaderAt of the document. The
// result is not nil if the error is an *IncompleteError.
func (r *Reader) ReadAppearance(st *pdf.Stream, rect pdf.Rect, turn int) (*Appearance, error) {
	a := &Appearance{Width: rect.Width(), Height: rect.Height()}
	p := &r.page
	*p = interpreter{Reader: r, base: uprightMatrix(rect, turn), marks: r.marks[:0], trace: a}
	if turn%180 != 0 {
		a.Width, a.Height = a.Height, a.Width
	}
	p.pageBox = pdf.Rect{URX: a.Width, URY: a.Height}
	p.graphicsState = p.initialState()
	if !isPlausible(rect) || rect.Empty() {
		p.noteIncomplete(Coordinates, nil)
		return a, p.problem
	}
	box, err := p.d.Rect(st.Dict["BBox"])
	if p.failed(err) {
		return a, p.problem
	}
	shown := p.readMatrix(st.Dict["Matrix"]).mapBox(box)
	if box.Empty() || shown.Empty() || !isPlausible(shown) {
		return a, p.problem // readers show nothing
	}
	if st.Dict["OC"] != nil {
		a.addUnclear("optional content")
	}
	p.interpretForm(st, fitMatrix(shown, rect))
	p.flushWord()
	r.marks = p.marks[:0]
	return a, p.problem
}

// RemainingBytes is how much of Limits.Bytes is left, for a Reader of another state of the same file.
func (r *Reader) RemainingBytes() int64 { return max(r.bytes, 0) }

// fitMatrix maps a box to a rectangle.
func fitMatrix(box, rect pdf.Rect) matrix {
	sx, sy := rect.Width()/box.Width(), rect.Height()/box.Height()
	return matrix{sx, 0, 0, sy, rect.LLX - box.LLX*sx, rect.LLY - box.LLY*sy}
}

// uprightMatrix maps default user space so that a rotated rectangle is upright at the origin.
func uprightMatrix(rect pdf.Rect, turn int) matrix {
	m := matrix{1, 0, 0, 1, -rect.LLX, -rect.LLY}
	switch ((turn % 360) + 360) % 360 {
	case 90:
		return m.then(matrix{0, -1, 1, 0, 0, rect.Width()})
	case 180:
		return m.then(matrix{-1, 0, 0, -1, rect.Width(), rect.Height()})
	case 270:
		return m.then(matrix{0, 1, -1, 0, rect.Height(), 0})
	}
	return m
}

// maxUnclear bounds the entries of Unclear.
const maxUnclear = 8

func (a *Appearance) addUnclear(what string) {
	if len(a.Unclear) < maxUnclear && !slices.Contains(a.Unclear, what) {
		a.Unclear = append(a.Unclear, what)
	}
}

// nextOrder is the next number in the order of painting.
func (a *Appearance) nextOrder() int { return len(a.Glyphs) + len(a.Paths) }

// traceText lists the glyphs of a string.
func (p *interpreter) traceText(r *textRun, s []byte) {
	if p.textMode >= 4 {
		p.trace.addUnclear("text that clips")
	}
	font := p.traceFont()
	for len(s) > 0 && !p.stopped {
		if len(p.trace.Glyphs) >= p.limits.Marks {
			p.stopAtLimit(errMarks)
			return
		}
		g := r.font.nextGlyph(p, s)
		t := Glyph{Font: font, X: r.m[4], Y: r.m[5], Size: math.Hypot(r.m[2], r.m[3]), Hidden: r.hidden, Color: p.textColor(), Order: p.trace.nextOrder()}
		t.Text, t.Reliability = p.readGlyphText(p.font, s[:g.bytes], g)
		t.Box = r.font.glyphSpace(r.m).mapBox(g.box)
		t.Upright = r.m[0] > 0 && r.m[3] > 0 && math.Abs(r.m[1]) < 0.02*r.m[0] && math.Abs(r.m[2]) < 0.5*r.m[3] && !r.font.vertical
		if t.Hidden == "" && t.Size < minVisibleSize {
			t.Hidden = BySize
		}
		if !isPlausible(t.Box) {
			p.noteIncomplete(Coordinates, nil)
			return
		}
		t.VisibleShare = shareWithin(p.clip, t.Box)
		p.traceBlending()
		p.advanceGlyph(r, g)
		t.EndX = r.m[4]
		p.trace.Glyphs = append(p.trace.Glyphs, t)
		s = s[g.bytes:]
	}
}

// shareWithin is the share of a box that lies within an area, from 0 to 1. A box without area counts by its place.
func shareWithin(area, box pdf.Rect) float64 {
	common := area.Intersect(box)
	switch {
	case common.LLX > common.URX || common.LLY > common.URY:
		return 0
	case box.Empty():
		return 1
	}
	return common.Width() * common.Height() / (box.Width() * box.Height())
}

func (p *interpreter) traceBlending() {
	if p.translucent || p.blended {
		p.trace.addUnclear("transparency")
	}
}

// clearStates are the entries of graphics state dictionaries for lines, fonts and opacity.
var clearStates = []pdf.Name{"Type", "LW", "LC", "LJ", "ML", "D", "RI", "Font", "FL", "SM", "SA", "CA", "ca", "AIS", "BM", "SMask", "OP", "op", "OPM"}

// traceState records effects of a graphics state dictionary other than lines, fonts and opacity.
func (p *interpreter) traceState(gs pdf.Dict) {
	clear := 0
	for _, k := range clearStates {
		if gs[k] != nil {
			clear++
		}
	}
	if len(gs) > clear {
		p.trace.addUnclear("a transfer function or the like")
	}
}

// traceResources records resources that change the meaning of colour operators (ISO 32000-2 §8.6.5.6).
func (p *interpreter) traceResources() {
	if p.scopes == nil {
		return
	}
	spaces, err := p.d.Dict(p.scopes.dict["ColorSpace"])
	if p.failed(err) {
		return
	}
	for _, k := range []pdf.Name{"DefaultGray", "DefaultRGB", "DefaultCMYK"} {
		if spaces[k] != nil {
			p.trace.addUnclear("default colour spaces")
		}
	}
}

// findFormResource finds a resource that an appearance names and does not have. Some readers use the resources of the
// form, others paint nothing: a font from there is used, and anything else found there is unclear.
func (p *interpreter) findFormResource(category, name pdf.Name) pdf.Object {
	if p.Reader.formResources == nil {
		p.Reader.formResources = pdf.Dict{}
		_, form, err := p.d.Form()
		if p.failed(err) {
			return nil
		}
		resources, err := p.d.Dict(form["DR"])
		if p.failed(err) {
			return nil
		}
		if resources != nil {
			p.Reader.formResources = resources
		}
	}
	list, err := p.d.Dict(p.Reader.formResources[category])
	if p.failed(err) || list[name] == nil {
		return nil
	}
	if category != "Font" {
		p.trace.addUnclear("a resource that it takes from the form")
		return nil
	}
	return list[name]
}

// traceFont returns the index of the current font among those that are listed.
func (p *interpreter) traceFont() int {
	i := slices.Index(p.tracedFonts, p.font)
	if i >= 0 {
		return i
	}
	f := Font{}
	if p.font != nil {
		f.Object, f.Standard = p.font.object, p.readReliability(p.font).standard
	}
	p.tracedFonts, p.trace.Fonts = append(p.tracedFonts, p.font), append(p.trace.Fonts, f)
	return len(p.trace.Fonts) - 1
}

func (p *interpreter) textColor() Color {
	if p.textMode == 1 || p.textMode == 5 {
		return p.stroke.color
	}
	return p.fill.color
}

// tracePaths lists the parts of a path that is painted.
func (p *interpreter) tracePaths(filled, stroked bool) {
	p.traceBlending()
	for i := range p.path.parts {
		r := &p.path.parts[i]
		if r.LLX > r.URX {
			continue
		}
		if len(p.trace.Paths) >= p.limits.Marks {
			p.stopAtLimit(errMarks)
			return
		}
		t := Path{
			Box: r.Rect, Clip: p.clip, Filled: filled, Stroked: stroked, Rectangle: r.isRectangle(), Points: r.points, Outline: r.fingerprint, Color: p.fill.color,
			Order: p.trace.nextOrder(),
		}
		if stroked {
			t.Line = math.Abs(p.lineWidth) * p.ctm.scaleFactor()
		}
		if !filled {
			t.Color = p.stroke.color
		}
		p.trace.Paths = append(p.trace.Paths, t)
	}
}

// traceClip records a clip that is not a rectangle.
func (p *interpreter) traceClip() {
	parts := 0
	for i := range p.path.parts {
		if r := &p.path.parts[i]; r.LLX <= r.URX {
			if parts++; !r.isRectangle() {
				parts = 2
			}
		}
	}
	if parts > 1 {
		p.trace.addUnclear("a clip that is not a rectangle")
	}
}
