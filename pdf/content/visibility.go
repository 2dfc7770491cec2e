package content

import "segel/pdf"

// visibility is in which views content is shown, and why not on a screen where it is not.
type visibility struct {
	in  Views
	why Hidden
}

// without is the same for content that is off in some views.
func (s visibility) without(off Views, why Hidden) visibility {
	if s.in&Screen != 0 && off&Screen != 0 {
		s.why = why
	}
	s.in &^= off
	return s
}

// begin enters marked content, which may belong to a layer.
func (p *painter) begin(c *content) {
	o := c.operands
	if len(o) < 2 || o[len(o)-2].kind != isName || string(o[len(o)-2].text) != "OC" || o[len(o)-1].kind != isName {
		p.push(0)
		return
	}
	if p.trace != nil {
		p.trace.unclear("optional content")
	}
	p.push(p.off(p.resource("Properties", pdf.Name(o[len(o)-1].text))))
}

// push enters marked content that is off in some views.
func (p *painter) push(off Views) {
	if len(p.layered) >= p.limits.States {
		p.stop(errStates)
		return
	}
	p.layered = append(p.layered, p.visible)
	p.setVisible(p.visible.without(off, ByLayer))
}

func (p *painter) pop() {
	n := len(p.layered)
	if n == 0 {
		return
	}
	p.setVisible(p.layered[n-1])
	p.layered = p.layered[:n-1]
}

// setVisible changes in which views content is shown. A word ends there.
func (p *painter) setVisible(s visibility) {
	if s != p.visible {
		p.flush()
		p.visible = s
	}
}
