package content

import "segel/pdf"

// visibility is in which views content is shown, and why not on a screen where it is not.
type visibility struct {
	views    Views
	hiddenBy Hidden
}

// hideIn is the same for content that is off in some views.
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

// setVisible changes in which views content is shown. A word ends there.
func (p *interpreter) setVisible(s visibility) {
	if s != p.visible {
		p.flushWord()
		p.visible = s
	}
}
