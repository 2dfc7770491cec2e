package ink

import "segel/pdf"

// maxLayers bounds the lists of layers that are gone through.
const maxLayers = 10_000

// readLayers finds the layers that are off when the file is opened (ISO 32000-2 §8.11.4.3). What cannot be read hides
// nothing.
func (r *Reader) readLayers() {
	_, root, err := r.d.Root()
	if err != nil {
		return
	}
	properties, _ := r.d.Dict(root["OCProperties"])
	config, _ := r.d.Dict(properties["D"])
	if base, _ := r.d.Name(config["BaseState"]); base == "OFF" {
		r.turn(properties["OCGs"], true)
		r.turn(config["ON"], false)
	}
	r.turn(config["OFF"], true)
}

func (r *Reader) turn(o pdf.Object, off bool) {
	groups, _ := r.d.Array(o)
	for _, o := range groups[:min(len(groups), maxLayers)] {
		if ref, ok := o.(pdf.Ref); ok && off {
			r.layers[ref] = true
		} else if ok {
			delete(r.layers, ref)
		}
	}
}

// off reports whether a layer is off, or a membership of several hides its content by its policy (ISO 32000-2
// §8.11.2.2). An expression of visibility is not evaluated: it counts as on.
func (r *Reader) off(o pdf.Object) bool {
	if o == nil || len(r.layers) == 0 {
		return false
	}
	if ref, ok := o.(pdf.Ref); ok && r.layers[ref] {
		return true
	}
	dict, err := r.d.Dict(o)
	if err != nil || dict["OCGs"] == nil || dict["VE"] != nil {
		return false
	}
	if ref, ok := dict["OCGs"].(pdf.Ref); ok && r.layers[ref] {
		return true
	}
	groups, _ := r.d.Array(dict["OCGs"])
	groups = groups[:min(len(groups), maxLayers)]
	if len(groups) == 0 || !r.spend(int64(len(groups))) {
		return false
	}
	on, offs := 0, 0
	for _, g := range groups {
		if ref, ok := g.(pdf.Ref); ok && r.layers[ref] {
			offs++
		} else {
			on++
		}
	}
	switch policy, _ := r.d.Name(dict["P"]); policy {
	case "AllOn":
		return offs > 0
	case "AnyOff":
		return offs == 0
	case "AllOff":
		return on > 0
	}
	return on == 0
}

// begin enters marked content, which may belong to a layer.
func (p *painter) begin(c *content) {
	o := c.operands
	if len(o) < 2 || o[len(o)-2].kind != isName || string(o[len(o)-2].text) != "OC" || o[len(o)-1].kind != isName {
		p.push(false)
		return
	}
	if p.trace != nil {
		p.trace.unclear("optional content")
	}
	p.push(p.off(p.resource("Properties", pdf.Name(o[len(o)-1].text))))
}

// push enters marked content; hidden is what it was before, should it be the layer's doing.
func (p *painter) push(off bool) {
	if len(p.layered) >= p.limits.States {
		p.stop(errStates)
		return
	}
	off = off && p.hidden == ""
	p.layered = append(p.layered, off)
	if off {
		p.flush()
		p.hidden = ByLayer
	}
}

func (p *painter) pop() {
	n := len(p.layered)
	if n == 0 {
		return
	}
	if p.layered[n-1] {
		p.flush()
		p.hidden = ""
	}
	p.layered = p.layered[:n-1]
}
