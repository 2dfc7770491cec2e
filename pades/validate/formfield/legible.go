package formfield

import (
	"bytes"
	"math"
	"strconv"

	"segel/pdf"
	"segel/pdf/content"
)

// checkLegible reports whether people see the text of an appearance, and nothing else beside it: Shown, or Differs with what
// keeps them from it. NotCompared is what the form itself is to blame for.
func (c *comparison) checkLegible(a *content.Appearance, w Widget, lines []line) Result {
	if len(a.Unclear) > 0 {
		return Result{Differs, a.Unclear[0]}
	}
	if a.Pictures > 0 {
		return Result{Differs, "a picture"}
	}
	standard := true
	for _, f := range a.Fonts {
		if f.Object != nil && !f.Standard && !c.isKnownFont(f.Object) {
			return Result{Differs, "a font that came with the change"}
		}
		standard = standard && f.Standard
	}
	if what := c.findOtherPainting(a, w, lines); what != "" {
		return Result{Differs, what}
	}
	if r := c.checkVisible(a, lines); r.Outcome != Shown {
		return r
	}
	switch {
	case areCrowded(lines) && standard:
		return Result{Differs, "glyphs on one another"}
	case areCrowded(lines):
		return Result{NotCompared, "glyphs on one another, in a font of the form"}
	case len(lines) > 0 && c.isTooSmall(a, lines):
		return Result{Differs, "text that is too small to be read"}
	}
	return Result{Outcome: Shown}
}

// checkVisible reports whether the glyphs of lines can be seen.
func (c *comparison) checkVisible(a *content.Appearance, lines []line) Result {
	usual, stated := c.new.textColor()
	for _, l := range lines {
		for _, g := range l {
			what := hiddenReason(a, g.Glyph, usual)
			switch {
			case what == sameColor && !stated:
				// Programs that go on in the colour of the background do so because the form states none for text.
				return Result{NotCompared, what}
			case what != "":
				return Result{Differs, what}
			}
		}
	}
	return Result{Outcome: Shown}
}

// sameColor is what is wrong with text that has the colour of its background.
const sameColor = "text in the colour of what is below it"

// isKnownFont reports whether a font was there when the form was signed: among the resources of the form, or in an
// appearance that the field had.
func (c *comparison) isKnownFont(o pdf.Object) bool {
	ref, indirect := o.(pdf.Ref)
	for _, known := range c.knownFonts() {
		if indirect && known == o && c.o.Unchanged(ref) || !indirect && c.objects.equalObjects(known, o, 0) {
			return true
		}
	}
	return false
}

// knownFonts lists the fonts that were there when the form was signed.
func (c *comparison) knownFonts() []pdf.Object {
	if c.fonts != nil {
		return c.fonts
	}
	c.fonts = []pdf.Object{pdf.Null{}}
	for _, o := range c.old.form.fonts {
		if c.o.AddedLater == nil || !c.o.AddedLater(o) {
			c.fonts = append(c.fonts, o)
		}
	}
	for _, w := range c.old.Widgets {
		looks, _ := c.old.listAppearances(w) // what cannot be read has no fonts
		for _, look := range looks {
			resources, _ := c.old.d.Dict(look.stream.Dict["Resources"])
			fonts, _ := c.old.d.Dict(resources["Font"])
			for _, o := range fonts {
				c.fonts = append(c.fonts, o)
			}
		}
	}
	return c.fonts
}

// Least contrast of text that can be read, and how much of a glyph has to be within the clip.
const (
	leastContrast = 0.15
	leastSeen     = 0.25
)

// hiddenReason returns why a glyph cannot be seen; empty if it can. What lies outside of the clip is not among the reasons.
func hiddenReason(a *content.Appearance, g content.Glyph, usual content.Color) string {
	switch {
	case g.Hidden != "":
		return "text that is not to be seen (" + string(g.Hidden) + ")"
	case !g.Upright:
		return "text that is turned or mirrored"
	case !g.Color.Known:
		return "text in an unknown colour"
	}
	background, painted := content.Color{Red: 1, Green: 1, Blue: 1, Known: true}, false
	before := -1
	for _, p := range a.Paths {
		if !p.Filled || coveredShare(p.Box.Intersect(p.Clip), g.Box) < 0.1 {
			continue
		}
		if p.Order > g.Order {
			return "text that is painted over"
		}
		if p.Order > before {
			background, painted, before = p.Color, true, p.Order
		}
	}
	if g.Color.Contrast(background) >= leastContrast {
		return ""
	}
	if !painted && usual.Known && g.Color.Contrast(usual) < 0.05 {
		return "" // as the form wants it, on whatever the page has there
	}
	return sameColor
}

// coveredShare is how much of a box lies within an area, from 0 to 1.
func coveredShare(area, box pdf.Rect) float64 {
	common := area.Intersect(box)
	if common.LLX >= common.URX || common.LLY >= common.URY || box.Empty() {
		return 0
	}
	return common.Width() * common.Height() / (box.Width() * box.Height())
}

// textColor is the colour of text that the default appearance of a field states, or else black.
func (f *Field) textColor() (c content.Color, stated bool) {
	words := bytes.Fields(f.defaultLook)
	for i := len(words) - 1; i > 0; i-- {
		var v []float64
		for n := map[string]int{"g": 1, "rg": 3, "k": 4}[string(words[i])]; n > 0 && i >= n && len(v) < n; {
			x, err := strconv.ParseFloat(string(words[i-n+len(v)]), 64)
			if err != nil {
				return content.Color{}, true
			}
			v = append(v, x)
		}
		switch len(v) {
		case 1:
			return content.Color{Red: v[0], Green: v[0], Blue: v[0], Known: true}, true
		case 3:
			return content.Color{Red: v[0], Green: v[1], Blue: v[2], Known: true}, true
		case 4:
			return content.Color{Red: (1 - v[0]) * (1 - v[3]), Green: (1 - v[1]) * (1 - v[3]), Blue: (1 - v[2]) * (1 - v[3]), Known: true}, true
		}
	}
	return content.Color{Known: true}, false
}

// textSize is the size that the default appearance of a field states; 0 is as it fits.
func (f *Field) textSize() float64 {
	words := bytes.Fields(f.defaultLook)
	for i := len(words) - 1; i > 1; i-- {
		if string(words[i]) == "Tf" {
			size, err := strconv.ParseFloat(string(words[i-1]), 64)
			if err != nil {
				return 0
			}
			return size
		}
	}
	return 0
}

// isTooSmall reports whether text is smaller than one reads, although there is room for larger, and the form does not want
// it so.
func (c *comparison) isTooSmall(a *content.Appearance, lines []line) bool {
	const readable, least = 2.0, 1.0
	size, widest := 0.0, 0.0
	for _, l := range lines {
		widest = max(widest, l[len(l)-1].EndX-l[0].X)
		for _, g := range l {
			if size == 0 || g.Size < size {
				size = g.Size
			}
		}
	}
	usual := c.new.textSize()
	switch {
	case size >= min(readable, 0.5*a.Height), usual > 0 && size >= 0.9*usual:
		return false
	case size < least:
		return true
	}
	full := widest > 0.5*a.Width || float64(len(lines))*size > 0.5*a.Height
	return !full
}

// findOtherPainting returns what an appearance paints beside text and the frame that a field may have; empty if there is nothing.
func (c *comparison) findOtherPainting(a *content.Appearance, w Widget, lines []line) string {
	firstGlyph := -1
	for _, l := range lines {
		for _, g := range l {
			if firstGlyph < 0 || g.Order < firstGlyph {
				firstGlyph = g.Order
			}
		}
	}
	polygons := 0
	for i, p := range a.Paths {
		if i > maxFrame+2*c.new.maxLen+len(c.new.options) {
			return "more lines than a frame has"
		}
		switch c.classifyPath(a, p, w.border) {
		case framePart:
		case frameCorner:
			if polygons++; polygons <= 4 && (firstGlyph < 0 || p.Order < firstGlyph) {
				continue
			}
			fallthrough
		default:
			if !c.hadPath(w, p) {
				return "a drawing"
			}
		}
	}
	return ""
}

// maxFrame bounds the lines and areas that a frame is painted with.
const maxFrame = 40

type frameKind uint8

const (
	frameNone   frameKind = iota
	framePart             // background, border, divider, the line of a list that is chosen
	frameCorner           // the light or the shadow of a border that looks raised
)

// classifyPath tells what a path is to the frame of a field.
func (c *comparison) classifyPath(a *content.Appearance, p content.Path, border float64) frameKind {
	all := pdf.Rect{URX: a.Width, URY: a.Height}
	box := p.Box.Intersect(all)
	if seen := box.Intersect(p.Clip); seen.LLX > seen.URX || seen.LLY > seen.URY {
		return framePart // nothing is seen of it
	}
	thin := max(0.2*min(a.Width, a.Height)+2, 1.05*border+1)
	if p.Stroked && p.Line > thin {
		return frameNone
	}
	whole := isNearlyAll(box.Width(), a.Width) && isNearlyAll(box.Height(), a.Height)
	switch {
	case p.Points > 8:
		return frameNone
	case whole && p.Rectangle:
		return framePart
	case whole && p.Filled:
		return frameCorner
	case box.Width() <= thin && box.Height() > 0.4*a.Height && (box.LLX <= thin || box.URX >= a.Width-thin || c.isCombDivider(a, box)):
		return framePart
	case box.Height() <= thin && box.Width() > 0.4*a.Width && (box.LLY <= thin || box.URY >= a.Height-thin):
		return framePart
	case c.isList() && p.Rectangle && p.Filled && box.Width() > 0.5*a.Width:
		return framePart
	}
	return frameNone
}

// isCombDivider reports whether an upright line stands between two cells of a comb.
func (c *comparison) isCombDivider(a *content.Appearance, box pdf.Rect) bool {
	if !c.isComb() {
		return false
	}
	cells := (box.LLX + box.URX) / 2 * float64(c.new.maxLen) / a.Width
	return math.Abs(cells-math.Round(cells)) < 0.15
}

// isNearlyAll reports whether a length is nearly all of another.
func isNearlyAll(length, of float64) bool { return length >= 0.8*of || of-length <= 8 }

// hadPath reports whether an appearance that the widget had paints the same path.
func (c *comparison) hadPath(w Widget, p content.Path) bool {
	for _, q := range c.formerPaths(w) {
		if p.Box == q.Box && p.Outline == q.Outline && p.Filled == q.Filled && p.Stroked == q.Stroked && p.Color == q.Color && p.Line == q.Line {
			return true
		}
	}
	return false
}

func (c *comparison) isComb() bool {
	return c.new.Type == "Tx" && c.new.Flags&flagComb != 0 && c.new.Flags&(flagMultiline|flagPassword) == 0 && c.new.maxLen > 0
}

func (c *comparison) isList() bool { return c.new.Type == "Ch" && c.new.Flags&flagCombo == 0 }
