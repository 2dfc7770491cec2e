package pdf

import (
	"slices"
	"strings"
)

// ActiveContent is one thing in a file that acts, hides content or refers to other files.
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

// maxPerReason bounds how often one reason is listed. More of them add nothing, and one reason must not crowd out
// another.
const maxPerReason = 100

// ActiveContent lists what is in any object that the cross-reference leads to, unreferenced ones included, since a later
// revision could refer to them. It skips objects that cannot be parsed; Check finds misplaced ones. It parses every
// object once, though no stream data, and not at all if NextObject or Check has, so call it when a file is accepted, not
// for each signature.
func (d *Document) ActiveContent() ([]ActiveContent, error) {
	if !d.references.current {
		s := &referenceScan{d: d, objectStreams: map[uint32]bool{}}
		if err := s.scanCurrent(); err != nil {
			return nil, err
		}
	}
	return slices.Clone(d.active), nil
}

type activeWalk struct {
	d     *Document
	found []ActiveContent
	count map[string]int // of each reason
	here  Ref
}

// checkIndirect checks an object that a reference leads to.
func (w *activeWalk) checkIndirect(ref Ref, o Object) {
	w.here = ref
	w.checkObject(o)
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

// isFile reports whether o is a file specification. A name is not: some producers abbreviate /Filter that way.
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

// hasActions distinguishes a dictionary of additional actions from a resource that is called AA.
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

// checkCatalog checks entries that have a meaning in the catalog only.
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
		w.checkURI(uri["Base"]) // of relative links
	}
	if root["Collection"] != nil && w.isDict(root["Collection"]) {
		w.addReason("portfolio")
	}
}

// Reachable returns a function that reports whether an object number can be reached from the trailer. It reads every
// reachable object once.
func (d *Document) Reachable() (func(number uint32) bool, error) {
	r := &reachWalk{d: d}
	if err := r.markReachable(); err != nil {
		return nil, err
	}
	return r.isMarked, nil
}
