package formfield

import (
	"bytes"
	"math"
	"strconv"

	"segel/pdf"
	"segel/pdf/content"
)

// checkLegible checks that people see the text of an appearance and nothing else: Shown, or Differs with the reason.
// NotCompared is for problems of the form itself.
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
			return Result{Differs, "a font added by the change"}
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
		return Result{Differs, "overlapping glyphs"}
	case areCrowded(lines):
		return Result{NotCompared, "overlapping glyphs in a font of the form"}
	case len(lines) > 0 && c.isTooSmall(a, lines):
		return Result{Differs, "text too small to read"}
	}
	return Result{Outcome: Shown}
}

// checkVisible checks that the glyphs of lines are visible.
func (c *comparison) checkVisible(a *content.Appearance, lines []line) Result {
	usual, stated := c.new.textColor()
	for _, l := range lines {
		for _, g := range l {
			what := hiddenReason(a, g.Glyph, usual)
			switch {
			case what == sameColor && !stated:
				// Some programs draw in the background's colour if the form states no text colour.
				return Result{NotCompared, what}
			case what != "":
				return Result{Differs, what}
			}
		}
	}
	return Result{Outcome: Shown}
}

// sameColor is the reason for text in the colour of its background.
const sameColor = "text in the colour of its background"

// isKnownFont reports whether a font was there when the form was signed: among the form's resources, or in a former
// appearance of the field.
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
		looks, _ := c.old.listAppearances(w) // an unreadable appearance has no fonts
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

// Least contrast of readable text, and least share of a glyph within the clip.
const (
	leastContrast = 0.15
	leastSeen     = 0.25
)

// hiddenReason returns why a glyph is not visible; empty if it is. It does not consider the clip.
func hiddenReason(a *content.Appearance, g content.Glyph, usual content.Color) string {
	switch {
	case g.Hidden != "":
		return "hidden text (" + string(g.Hidden) + ")"
	case !g.Upright:
		return "text that is turned or mirrored"
	case !g.Color.Known:
		return "text in an unknown colour"
	}
	background, painted := content.Color{Red: 1, Green: 1, Blue: 1, Known: true}, false
	before := -1
	for _, p := range a.Paths {
		if !p.Filled || g.Box.ShareWithin(p.Box.Intersect(p.Clip)) < 0.1 {
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
		return "" // as the form states it, on the content of the page
	}
	return sameColor
}

// textColor returns the text colour of a field's default appearance, or black.
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

// textSize returns the text size of a field's default appearance; 0 is automatic.
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

// isTooSmall reports whether text is too small to read although there is room for larger text and the form does not ask
// for it.
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

// findOtherPainting returns what an appearance paints besides text and a usual frame; empty if nothing.
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
			return "too many lines for a frame"
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

// maxFrame bounds the lines and areas of a frame.
const maxFrame = 40

type frameKind uint8

const (
	frameNone   frameKind = iota
	framePart             // background, border, divider, highlighted line of a list
	frameCorner           // light or shadow of a raised border
)

// classifyPath returns what a path is to the frame of a field.
func (c *comparison) classifyPath(a *content.Appearance, p content.Path, border float64) frameKind {
	all := pdf.Rect{URX: a.Width, URY: a.Height}
	box := p.Box.Intersect(all)
	if seen := box.Intersect(p.Clip); seen.LLX > seen.URX || seen.LLY > seen.URY {
		return framePart // nothing of it is visible
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

// isCombDivider reports whether a vertical line lies between two cells of a comb.
func (c *comparison) isCombDivider(a *content.Appearance, box pdf.Rect) bool {
	if !c.isComb() {
		return false
	}
	cells := (box.LLX + box.URX) / 2 * float64(c.new.maxLen) / a.Width
	return math.Abs(cells-math.Round(cells)) < 0.15
}

// isNearlyAll reports whether a length is nearly all of another.
func isNearlyAll(length, of float64) bool { return length >= 0.8*of || of-length <= 8 }

// hadPath reports whether a former appearance of the widget paints the same path.
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
