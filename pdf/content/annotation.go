package content

import (
	"slices"

	"segel/pdf"
)

// Flags of annotations (ISO 32000-2 §12.5.3).
const (
	flagHidden = 1 << 1
	flagPrint  = 1 << 2
	flagNoView = 1 << 5
)

// drawnByReaders are the annotations that readers draw themselves if they have no appearance.
var drawnByReaders = []pdf.Name{
	"Widget", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink",
	"Redact", "Watermark",
}

// flagViews returns the views in which the flags hide an annotation.
func flagViews(flags int64) Views {
	var off Views
	if flags&(flagHidden|flagNoView) != 0 {
		off |= OnScreen
	}
	if flags&flagHidden != 0 || flags&flagPrint == 0 {
		off |= InPrint
	}
	return off
}

// interpretAnnotations lists the annotations of a page, each followed by what its appearance paints.
func (p *interpreter) interpretAnnotations(page *pdf.Page) {
	list, err := p.d.Array(page.Dict["Annots"])
	if p.failed(err) || p.stopped {
		return
	}
	if len(list) > p.limits.Annots {
		p.noteIncomplete(Limit, errAnnots)
		list = list[:p.limits.Annots]
	}
	for _, o := range list {
		if p.operators -= annotationOperators; p.operators < 0 {
			p.stopAtLimit(errOperators)
		}
		if p.stopped {
			return
		}
		p.interpretAnnotation(o)
	}
}

// annotationOperators is how many operators an annotation counts as: pages may share a list of them.
const annotationOperators = 4

func (p *interpreter) interpretAnnotation(o pdf.Object) {
	dict, err := p.d.Dict(o)
	if p.failed(err) || dict == nil {
		return
	}
	rect, err := p.d.Rect(dict["Rect"])
	if p.failed(err) || rect.Empty() {
		return
	}
	flags, err := p.d.Integer(dict["F"])
	if p.failed(err) {
		return
	}
	subtype, err := p.d.Name(dict["Subtype"])
	if p.failed(err) || subtype == "Popup" {
		return
	}
	p.graphicsState = p.initialState()
	p.visible = p.visible.hideIn(flagViews(flags), ByFlag).hideIn(p.hiddenViews(dict["OC"]), ByLayer)
	m := Mark{Kind: Annotation, Box: p.base.mapBox(rect), Subtype: subtype, Hidden: p.visible.hiddenBy, Views: p.visible.views}
	if subtype == "Widget" {
		m.Kind = Widget
	}
	m.NoAppearance = dict["AP"] == nil && slices.Contains(drawnByReaders, subtype)
	if p.deep != nil && m.NoAppearance {
		m.Fingerprint = uint64(fingerprint(5).addWord(uint64(p.fingerprintObject(o))))
	}
	p.annotation, _ = o.(pdf.Ref)
	p.appendMark(m, p.pageBox)
	if appearances, err := p.d.Dict(dict["AP"]); !p.failed(err) {
		p.interpretAppearance(dict, appearances["N"], rect)
	}
	p.annotation = pdf.Ref{}
}

// interpretAppearance interprets an appearance of an annotation, fitted into its rectangle (ISO 32000-2 §12.5.5).
func (p *interpreter) interpretAppearance(dict pdf.Dict, o pdf.Object, rect pdf.Rect) {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return
	}
	if states, ok := v.(pdf.Dict); ok {
		as, err := p.d.Name(dict["AS"])
		if p.failed(err) {
			return
		}
		if v, err = p.d.Resolve(states[as]); p.failed(err) {
			return
		}
	}
	st, ok := v.(*pdf.Stream)
	if !ok {
		return
	}
	box, err := p.d.Rect(st.Dict["BBox"])
	if p.failed(err) || box.Empty() {
		return
	}
	shown := p.readMatrix(st.Dict["Matrix"]).mapBox(box)
	if shown.Empty() || !isPlausible(shown) {
		return
	}
	p.interpretForm(st, fitMatrix(shown, rect))
}

// visibility is the set of views in which content is shown, and why it is not on a screen.
type visibility struct {
	views    Views
	hiddenBy Hidden
}

// hideIn returns the visibility of content that is off in some views.
func (s visibility) hideIn(off Views, why Hidden) visibility {
	if s.views&Screen != 0 && off&Screen != 0 {
		s.hiddenBy = why
	}
	s.views &^= off
	return s
}

// beginMarkedContent enters marked content, which may belong to a layer.
func (p *interpreter) beginMarkedContent(c *contentLexer) {
	o := c.operands
	if len(o) < 2 || o[len(o)-2].kind != isName || string(o[len(o)-2].text) != "OC" || o[len(o)-1].kind != isName {
		p.pushVisibility(0)
		return
	}
	if p.trace != nil {
		p.trace.addUnclear("optional content")
	}
	p.pushVisibility(p.hiddenViews(p.findResource("Properties", pdf.Name(o[len(o)-1].text))))
}

// pushVisibility enters marked content that is off in some views.
func (p *interpreter) pushVisibility(off Views) {
	if len(p.savedVisibility) >= p.limits.States {
		p.stopAtLimit(errStates)
		return
	}
	p.savedVisibility = append(p.savedVisibility, p.visible)
	p.setVisible(p.visible.hideIn(off, ByLayer))
}

func (p *interpreter) popVisibility() {
	n := len(p.savedVisibility)
	if n == 0 {
		return
	}
	p.setVisible(p.savedVisibility[n-1])
	p.savedVisibility = p.savedVisibility[:n-1]
}

// setVisible changes in which views content is shown. It ends the current word.
func (p *interpreter) setVisible(s visibility) {
	if s != p.visible {
		p.flushWord()
		p.visible = s
	}
}
