package facts

import (
	"errors"
	"fmt"

	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/pdf/ink"
)

// hidden looks for content that was hidden before anybody signed: what an attacker has signed unseen he can bring to
// light later, by a change that looks harmless. It looks at pages as they are now; if they changed since, that is
// found out elsewhere. Without a signature it does not look.
func (r *reader) hidden() error {
	if len(r.file.Signatures) == 0 || r.file.Repaired || r.o.ForSigning {
		return nil
	}
	h := &hiding{reader: r, ink: ink.NewReader(r.d, ink.Limits{Bytes: r.o.Limits.Content}), held: maxComparisons}
	for _, ref := range h.ink.Layers() {
		r.warn(Warning{Code: WarnHiddenLayer, Ref: ref, Detail: r.layerName(ref)})
	}
	for page, err := range r.d.Pages() {
		if err != nil {
			break
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		all, err := h.look(page)
		switch {
		case told(err) && all:
			continue
		case err != nil && !errors.Is(err, ink.ErrUntold):
			return err
		case !all || h.ink.Spent():
			r.warn(Warning{Code: WarnNotLooked, Page: page.Number, Detail: "from this page on"})
			return nil
		}
		r.warn(Warning{Code: WarnNotLooked, Page: page.Number, Detail: "not all of it"})
	}
	return nil
}

func (r *reader) layerName(ref pdf.Ref) string {
	dict, _ := r.d.Dict(ref)
	name, _ := r.d.String(dict["Name"])
	return fmt.Sprintf("%.60q", name.Text())
}

// hiding looks for what is on a page and not to be seen, page after page.
type hiding struct {
	*reader
	ink  *ink.Reader
	held int // comparisons still to be made

	marks  []ink.Mark // of the page at hand, that are to be seen or are text
	opaque []int      // those of them that hide what is below, in order
}

// look warns once of each kind of hidden text on a page. It returns false if there was too much to be held against
// each other; an error is that of [ink.Reader.Page].
func (h *hiding) look(page *pdf.Page) (bool, error) {
	marks, err := h.ink.Page(page)
	h.sift(marks)
	warned := map[WarningCode]bool{}
	for i, m := range h.marks {
		code, detail := h.judge(i, m)
		if h.held < 0 {
			return false, err
		}
		if code != "" && !warned[code] {
			warned[code] = true
			h.warn(Warning{Code: code, Page: page.Number, Box: page.ToUser(m.Box), Detail: detail})
		}
	}
	return true, err
}

// sift leaves out what annotations of signatures paint, which are what the file is about, and takes for seen what is
// seen in print.
func (h *hiding) sift(marks []ink.Mark) {
	h.marks, h.opaque = marks[:0], h.opaque[:0]
	var of pdf.Ref
	var signature, shows bool
	for _, m := range marks {
		if m.Annot != of {
			of = m.Annot
			signature, shows = h.annotation(of)
		}
		if signature && !of.IsZero() {
			continue
		}
		if m.Hidden == ink.ByFlag && shows {
			m.Hidden = ""
		}
		if m.Opaque() {
			h.opaque = append(h.opaque, len(h.marks))
		}
		h.marks = append(h.marks, m)
	}
}

// annotation reports whether an annotation is the widget of a signature field, and whether it shows.
func (h *hiding) annotation(ref pdf.Ref) (signature, shows bool) {
	dict, err := h.d.Dict(ref)
	if err != nil {
		return false, false
	}
	kind, _ := h.d.Name(dict["FT"])
	flags, err := h.d.Integer(dict["F"])
	return kind == "Sig", err == nil && diff.Shows(flags)
}

// judge tells why a piece of text is not to be seen, or "". What lies outside of the page or of a clip nothing harmless
// can bring to light.
func (h *hiding) judge(i int, m ink.Mark) (WarningCode, string) {
	switch {
	case m.Kind != ink.Text || m.Hidden == ink.ByClip || m.Hidden == ink.ByFlag:
		return "", ""
	case m.Hidden == ink.ByLayer:
		return WarnHiddenLayer, "text"
	case m.Hidden != "":
		return WarnInvisibleText, string(m.Hidden)
	case m.White && !h.darkBelow(i, m.Box):
		return WarnInvisibleText, "white"
	case h.coveredLater(i, m.Box):
		return WarnCoveredText, "by what is painted over it"
	}
	return "", ""
}

// maxComparisons bounds how often marks are held against each other in one file.
const maxComparisons = 30_000_000

func (h *hiding) darkBelow(i int, box pdf.Rect) bool {
	for _, o := range h.opaque {
		if o > i || h.held < 0 {
			break
		}
		h.held--
		if m := &h.marks[o]; !m.White && share(m.Box, box) > 0.3 {
			return true
		}
	}
	return false
}

func (h *hiding) coveredLater(i int, box pdf.Rect) bool {
	for k := len(h.opaque) - 1; k >= 0 && h.opaque[k] > i && h.held >= 0; k-- {
		h.held--
		if share(h.marks[h.opaque[k]].Box, box) > 0.9 {
			return true
		}
	}
	return false
}
