package pdf

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// ActiveContent is one thing in a file that acts, hides or reaches outside.
type ActiveContent struct {
	// Reason is one of: javascript, launch, submit_form, import_data,
	// goto_remote, goto_embedded, thread, file_uri, rich_media, rendition,
	// movie, sound, xfa, embedded_file, portfolio, open_action,
	// additional_actions, hide, set_layers, external_stream,
	// external_page, external_picture, print_alternate,
	// optional_content.
	Reason string
	Ref    Ref // the object it was found in
}

// maxPerReason bounds how often one reason is listed: a file with more is not
// better known for them, and one reason must not crowd out another.
const maxPerReason = 100

// ActiveContent looks at every object that the cross-reference leads to, also
// those nothing refers to now, since a later revision could refer to them.
// Objects that cannot be parsed are passed over; Check finds those that are
// not where they should be. It reads most of the file's objects once, though
// no stream data, so it belongs to the moment a file comes in.
func (d *Document) ActiveContent() ([]ActiveContent, error) {
	w := &activeWalk{d: d, count: map[string]int{}}
	type held struct {
		n uint32
		s slot
	}
	var compressed []held
	err := d.slots.eachInUse(func(n uint32, s slot) error {
		if s.kind() == slotCompressed {
			compressed = append(compressed, held{n, s})
			return nil
		}
		return w.loadAndCheck(n, s)
	})
	if err != nil {
		return nil, err
	}
	// One object stream after the other, so that each is decoded once.
	slices.SortFunc(compressed, func(a, b held) int { return cmp.Compare(a.s, b.s) })
	for _, c := range compressed {
		if err := w.loadAndCheck(c.n, c.s); err != nil {
			return nil, err
		}
	}
	d.references.current = true
	if ref, root, err := d.Root(); err == nil {
		w.checkCatalog(ref, root)
	}
	return w.found, nil
}

type activeWalk struct {
	d     *Document
	found []ActiveContent
	count map[string]int // of each reason
	here  Ref
}

// loadAndCheck parses an object past the cache, which would only be washed out.
func (w *activeWalk) loadAndCheck(n uint32, s slot) error {
	ref := Ref{Number: n, Generation: s.generation()}
	found, err := w.d.loadObject(ref, s)
	if isReadError(err) || errors.Is(err, ErrTooLarge) {
		return err
	}
	if err == nil {
		w.here = ref
		w.checkObject(found.value)
	}
	return nil
}

func (w *activeWalk) addReason(reason string) {
	a := ActiveContent{Reason: reason, Ref: w.here}
	if w.count[reason] < maxPerReason && !slices.Contains(w.found[max(0, len(w.found)-8):], a) {
		w.found = append(w.found, a)
		w.count[reason]++
	}
}

func (w *activeWalk) checkObject(o Object) {
	switch o := o.(type) {
	case Array:
		for _, v := range o {
			w.checkObject(v)
		}
	case *Stream:
		if w.isFile(o.Dict["F"]) {
			w.addReason("external_stream")
		}
		w.checkDict(o.Dict)
	case Dict:
		w.checkDict(o)
	}
}

var actions = map[Name]string{
	"JavaScript":       "javascript",
	"Launch":           "launch",
	"SubmitForm":       "submit_form",
	"ImportData":       "import_data",
	"GoToR":            "goto_remote",
	"GoToE":            "goto_embedded",
	"Rendition":        "rendition",
	"Movie":            "movie",
	"Sound":            "sound",
	"RichMediaExecute": "rich_media",
	"GoTo3DView":       "rich_media",
	"Thread":           "thread",
	"Hide":             "hide",
	"SetOCGState":      "set_layers",
}

var annotations = map[Name]string{
	"RichMedia":      "rich_media",
	"3D":             "rich_media",
	"Screen":         "rendition",
	"Movie":          "movie",
	"Sound":          "sound",
	"FileAttachment": "embedded_file",
}

func (w *activeWalk) checkDict(d Dict) {
	if s := w.resolveName(d["S"]); s != "" {
		if reason, ok := actions[s]; ok {
			w.addReason(reason)
		}
		switch {
		case s == "URI":
			w.checkURI(d["URI"])
		case s == "Rendition" && d["JS"] != nil:
			w.addReason("javascript")
		}
	}
	if reason, ok := annotations[w.resolveName(d["Subtype"])]; ok {
		w.addReason(reason)
	}
	if d["AA"] != nil && w.hasActions(d["AA"]) {
		w.addReason("additional_actions")
	}
	if d["EF"] != nil && (d["F"] != nil || d["UF"] != nil || d["Type"] == Object(Name("Filespec"))) {
		w.addReason("embedded_file")
	}
	if w.resolveName(d["Subtype"]) == "Form" && d["Ref"] != nil && w.isDict(d["Ref"]) {
		w.addReason("external_page") // ISO 32000-2 §8.10.4
	}
	if printing, err := w.d.Boolean(d["DefaultForPrinting"]); err == nil && printing {
		w.addReason("print_alternate")
	}
	if d["OPI"] != nil && w.isDict(d["OPI"]) {
		w.addReason("external_picture") // ISO 32000-1 §14.11.7
	}
	for _, v := range d {
		w.checkObject(v)
	}
}

func (w *activeWalk) resolveName(o Object) Name {
	if r, ok := o.(Ref); ok {
		o, _ = w.d.Resolve(r)
	}
	n, _ := o.(Name)
	return n
}

// isFile reports whether o is a file specification. A name is none: some
// producers abbreviate /Filter so.
func (w *activeWalk) isFile(o Object) bool {
	v, err := w.d.Resolve(o)
	if err != nil {
		return false
	}
	switch v.(type) {
	case String, Dict:
		return true
	}
	return false
}

func (w *activeWalk) isDict(o Object) bool {
	v, err := w.d.Dict(o)
	return err == nil && v != nil
}

// hasActions tells a dictionary of additional actions from a resource that
// happens to be called AA.
func (w *activeWalk) hasActions(o Object) bool {
	triggers, err := w.d.Dict(o)
	if err != nil {
		return false
	}
	for _, v := range triggers {
		if action, err := w.d.Dict(v); err == nil && w.resolveName(action["S"]) != "" {
			return true
		}
	}
	return false
}

func (w *activeWalk) checkURI(o Object) {
	s, err := w.d.String(o)
	if err != nil {
		return
	}
	u := strings.ToLower(strings.TrimSpace(string(s.Bytes)))
	switch {
	case strings.HasPrefix(u, "file:"):
		w.addReason("file_uri")
	case strings.HasPrefix(u, "javascript:"):
		w.addReason("javascript")
	}
}

// checkCatalog looks at what has a meaning in the catalog only.
func (w *activeWalk) checkCatalog(ref Ref, root Dict) {
	w.here = ref
	if open, _ := w.d.Resolve(root["OpenAction"]); open != nil {
		// A destination, or an action that only goes to one, is harmless.
		if a, ok := open.(Dict); ok && w.resolveName(a["S"]) != "GoTo" {
			w.addReason("open_action")
		}
	}
	if form, _ := w.d.Dict(root["AcroForm"]); form["XFA"] != nil {
		w.addReason("xfa")
	}
	if oc, _ := w.d.Dict(root["OCProperties"]); oc != nil {
		if groups, _ := w.d.Array(oc["OCGs"]); len(groups) > 0 {
			w.addReason("optional_content")
		}
	}
	if names, _ := w.d.Dict(root["Names"]); names["JavaScript"] != nil {
		w.addReason("javascript")
	}
	if uri, _ := w.d.Dict(root["URI"]); uri["Base"] != nil {
		w.checkURI(uri["Base"]) // of links that are relative
	}
	if root["Collection"] != nil && w.isDict(root["Collection"]) {
		w.addReason("portfolio")
	}
}

// Reachable tells which object numbers can be reached from the trailer. It
// reads every object that can, once.
func (d *Document) Reachable() (func(number uint32) bool, error) {
	r := &reachWalk{d: d}
	if err := r.markReachable(); err != nil {
		return nil, err
	}
	return r.isMarked, nil
}
