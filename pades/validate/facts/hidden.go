package facts

import (
	"fmt"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// hiding looks for what is on a page and not to be seen. It reads page after page of one document.
type hiding struct {
	d     *pdf.Document
	spare int64 // bytes of content still to be decoded
	full  bool  // something was left out
	// unseen is set if something of the page at hand was left out.
	unseen bool
	held   int // comparisons still to be made
	layer  map[pdf.Ref]bool
	marks  []mark // of the page at hand
}

func (r *reader) newHiding(d *pdf.Document) *hiding {
	h := &hiding{d: d, spare: r.o.Limits.Content, held: maxComparisons, layer: map[pdf.Ref]bool{}}
	h.readLayers()
	return h
}

// hidden looks for content that was hidden before anybody signed: what an attacker has signed unseen he can bring to
// light later, by a change that looks harmless. It looks at pages as they are now; if they changed since, that is
// found out elsewhere. Without a signature it does not look.
func (r *reader) hidden() error {
	if len(r.file.Signatures) == 0 || r.file.Repaired {
		return nil
	}
	h := r.newHiding(r.d)
	for ref := range h.layer {
		r.warn(Warning{Code: WarnHiddenLayer, Ref: ref, Detail: h.layerName(ref)})
	}
	for page, err := range r.d.Pages() {
		if err != nil {
			break
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		h.lookOver(page)
		r.report(h, page.Number)
		if h.unseen && !h.full {
			r.warn(Warning{Code: WarnNotLooked, Page: page.Number, Detail: "not all of it"})
		}
		if h.full {
			r.warn(Warning{Code: WarnNotLooked, Page: page.Number, Detail: "from this page on"})
			break
		}
	}
	return nil
}

// report warns once of each kind of hidden text on a page.
func (r *reader) report(h *hiding, page int) {
	told := map[WarningCode]bool{}
	for i, m := range h.marks {
		code, detail := h.judge(i, m)
		if code != "" && !told[code] {
			told[code] = true
			r.warn(Warning{Code: code, Page: page, Box: m.box, Detail: detail})
		}
	}
}

// judge tells why a piece of text is not to be seen, or "".
func (h *hiding) judge(i int, m mark) (WarningCode, string) {
	switch {
	case !m.text:
		return "", ""
	case m.hidden == "layer":
		return WarnHiddenLayer, "text"
	case m.hidden != "":
		return WarnInvisibleText, m.hidden
	case h.held < 0:
		h.full = true
	case m.white && !h.darkBelow(i, m.box):
		return WarnInvisibleText, "white"
	case h.coveredLater(i, m.box):
		return WarnCoveredText, "by what is painted over it"
	}
	return "", ""
}

// maxComparisons bounds how often marks are held against each other in one file.
const maxComparisons = 30_000_000

// maxHeld bounds how many marks one is held against.
const maxHeld = 2000

func (h *hiding) darkBelow(i int, box pdf.Rect) bool {
	below := h.marks[max(0, i-maxHeld):i]
	h.held -= len(below)
	for _, m := range below {
		if !m.text && !m.drawing && !m.white && share(m.box, box) > 0.3 {
			return true
		}
	}
	return false
}

func (h *hiding) coveredLater(i int, box pdf.Rect) bool {
	above := h.marks[i+1 : min(len(h.marks), i+1+maxHeld)]
	h.held -= len(above)
	for _, m := range above {
		if !m.text && !m.drawing && share(m.box, box) > 0.9 {
			return true
		}
	}
	return false
}

// share is how much of a box lies within an area, from 0 to 1.
func share(area, box pdf.Rect) float64 {
	common := area.Intersect(box)
	if common.Empty() || box.Empty() {
		return 0
	}
	return common.Width() * common.Height() / (box.Width() * box.Height())
}

// look notes what the content of a page paints.
func (h *hiding) look(page *pdf.Page) {
	h.marks, h.unseen = h.marks[:0], false
	resources, _ := h.d.Dict(page.Resources)
	p := &painter{hiding: h, resources: resources, state: state{ctm: identity, scale: 1}}
	p.run(h.contents(page.Dict["Contents"]))
}

// lookOver notes what the annotations over it paint as well.
func (h *hiding) lookOver(page *pdf.Page) {
	h.look(page)
	annots, _ := h.d.Array(page.Dict["Annots"])
	for _, o := range annots[:min(len(annots), maxHeld)] {
		h.annotation(o)
	}
}

// contents joins the streams of a page.
func (h *hiding) contents(o pdf.Object) []byte {
	v, err := h.d.Resolve(o)
	if err != nil {
		return nil
	}
	if st, ok := v.(*pdf.Stream); ok {
		return h.decode(st)
	}
	list, _ := v.(pdf.Array)
	var b []byte
	for _, o := range list {
		if st, err := h.d.Stream(o); err == nil && st != nil {
			b = append(append(b, h.decode(st)...), '\n')
		}
	}
	return b
}

// decode decodes a stream within the budget; what is beyond it is left out.
func (h *hiding) decode(st *pdf.Stream) []byte {
	if st.Len() > h.spare {
		h.full = true
		return nil
	}
	b, err := h.d.Decode(st)
	if err != nil {
		h.unseen = true
		return nil
	}
	if h.spare -= int64(len(b)); h.spare < 0 {
		h.full = true
		return nil
	}
	return b
}

// annotation paints an annotation that is to be seen. Those of signatures are what the file is about and are left out.
func (h *hiding) annotation(o pdf.Object) {
	dict, err := h.d.Dict(o)
	if err != nil || dict == nil {
		return
	}
	flags, _ := h.d.Integer(dict["F"])
	kind, _ := h.d.Name(dict["FT"])
	rect, err := h.d.Rect(dict["Rect"])
	if err != nil || rect.Empty() || !diff.Shows(flags) || kind == "Sig" || h.off(dict["OC"]) {
		return
	}
	looks, _ := h.d.Dict(dict["AP"])
	v, _ := h.d.Resolve(looks["N"])
	if states, ok := v.(pdf.Dict); ok {
		as, _ := h.d.Name(dict["AS"])
		v, _ = h.d.Resolve(states[as])
	}
	st, ok := v.(*pdf.Stream)
	if !ok {
		return
	}
	box, err := h.d.Rect(st.Dict["BBox"])
	if err != nil || box.Empty() {
		return
	}
	p := &painter{hiding: h, state: state{scale: 1}}
	p.ctm = matrix{rect.Width() / box.Width(), 0, 0, rect.Height() / box.Height(), rect.LLX, rect.LLY}
	p.ctm = matrix{1, 0, 0, 1, -box.LLX, -box.LLY}.then(p.ctm)
	p.form(st, false)
}

// readLayers finds the layers that are off at first (ISO 32000-2 §8.11.4.3).
func (h *hiding) readLayers() {
	_, root, err := h.d.Root()
	if err != nil {
		return
	}
	properties, _ := h.d.Dict(root["OCProperties"])
	config, _ := h.d.Dict(properties["D"])
	if base, _ := h.d.Name(config["BaseState"]); base == "OFF" {
		h.list(properties["OCGs"], true)
		h.list(config["ON"], false)
	}
	h.list(config["OFF"], true)
}

func (h *hiding) list(o pdf.Object, off bool) {
	groups, _ := h.d.Array(o)
	for _, o := range groups[:min(len(groups), maxHeld)] {
		if ref := refOf(o); off && !ref.IsZero() {
			h.layer[ref] = true
		} else {
			delete(h.layer, ref)
		}
	}
}

// off tells whether a layer, or all layers of a membership, are off.
func (h *hiding) off(o pdf.Object) bool {
	if o == nil || len(h.layer) == 0 {
		return false
	}
	if h.layer[refOf(o)] {
		return true
	}
	dict, err := h.d.Dict(o)
	if err != nil || dict["OCGs"] == nil {
		return false
	}
	if ref := refOf(dict["OCGs"]); h.layer[ref] {
		return true
	}
	groups, _ := h.d.Array(dict["OCGs"])
	for _, g := range groups {
		if !h.layer[refOf(g)] {
			return false
		}
	}
	return len(groups) > 0
}

func (h *hiding) layerName(ref pdf.Ref) string {
	dict, _ := h.d.Dict(ref)
	name, _ := h.d.String(dict["Name"])
	return fmt.Sprintf("%.60q", name.Text())
}
