package pdf

import (
	"bytes"
	"slices"
)

// ActiveContent is one thing in a file that acts, hides content or refers to other files.
type ActiveContent struct {
	Reason ActiveReason
	Ref    Ref // the object it was found in
}

// ActiveReason is what active content is.
type ActiveReason string

// The reasons.
const (
	ActiveJavaScript        ActiveReason = "javascript"
	ActiveLaunch            ActiveReason = "launch" // starts a program or opens a file
	ActiveSubmitForm        ActiveReason = "submit_form"
	ActiveImportData        ActiveReason = "import_data"
	ActiveGoToRemote        ActiveReason = "goto_remote"   // leads to another file
	ActiveGoToEmbedded      ActiveReason = "goto_embedded" // leads to an embedded file
	ActiveThread            ActiveReason = "thread"        // leads to an article, perhaps of another file
	ActiveFileURI           ActiveReason = "file_uri"      // a link to a file of the reader's machine
	ActiveRichMedia         ActiveReason = "rich_media"
	ActiveRendition         ActiveReason = "rendition"
	ActiveMovie             ActiveReason = "movie"
	ActiveSound             ActiveReason = "sound"
	ActiveXFA               ActiveReason = "xfa" // a form in XML
	ActiveEmbeddedFile      ActiveReason = "embedded_file"
	ActivePortfolio         ActiveReason = "portfolio"
	ActiveOpenAction        ActiveReason = "open_action"        // when the file is opened
	ActiveAdditionalActions ActiveReason = "additional_actions" // at other events (/AA)
	ActiveHide              ActiveReason = "hide"               // shows or hides annotations
	ActiveSetLayers         ActiveReason = "set_layers"
	ActiveExternalStream    ActiveReason = "external_stream"  // data that are in another file
	ActiveExternalPage      ActiveReason = "external_page"    // a page of another file
	ActiveExternalPicture   ActiveReason = "external_picture" // a picture of a print shop (OPI)
	ActivePrintAlternate    ActiveReason = "print_alternate"  // an image that is printed in place of another
	ActiveOptionalContent   ActiveReason = "optional_content" // layers
)

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
	count map[ActiveReason]int // of each reason
	here  Ref
}

// checkIndirect checks an object that a reference leads to.
func (w *activeWalk) checkIndirect(ref Ref, o Object) {
	w.here = ref
	w.checkObject(o)
}

func (w *activeWalk) addReason(reason ActiveReason) {
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
			w.addReason(ActiveExternalStream)
		}
		w.checkDict(o.Dict)
	case Dict:
		w.checkDict(o)
	}
}

var actions = map[Name]ActiveReason{
	"JavaScript":       ActiveJavaScript,
	"Launch":           ActiveLaunch,
	"SubmitForm":       ActiveSubmitForm,
	"ImportData":       ActiveImportData,
	"GoToR":            ActiveGoToRemote,
	"GoToE":            ActiveGoToEmbedded,
	"Rendition":        ActiveRendition,
	"Movie":            ActiveMovie,
	"Sound":            ActiveSound,
	"RichMediaExecute": ActiveRichMedia,
	"GoTo3DView":       ActiveRichMedia,
	"Thread":           ActiveThread,
	"Hide":             ActiveHide,
	"SetOCGState":      ActiveSetLayers,
}

var annotations = map[Name]ActiveReason{
	"RichMedia":      ActiveRichMedia,
	"3D":             ActiveRichMedia,
	"Screen":         ActiveRendition,
	"Movie":          ActiveMovie,
	"Sound":          ActiveSound,
	"FileAttachment": ActiveEmbeddedFile,
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
			w.addReason(ActiveJavaScript)
		}
	}
	if reason, ok := annotations[w.resolveName(d["Subtype"])]; ok {
		w.addReason(reason)
	}
	if d["AA"] != nil && w.hasActions(d["AA"]) {
		w.addReason(ActiveAdditionalActions)
	}
	if d["EF"] != nil && (d["F"] != nil || d["UF"] != nil || d["Type"] == Object(Name("Filespec"))) {
		w.addReason(ActiveEmbeddedFile)
	}
	if w.resolveName(d["Subtype"]) == "Form" && d["Ref"] != nil && w.isDict(d["Ref"]) {
		w.addReason(ActiveExternalPage) // ISO 32000-2 §8.10.4
	}
	if printing, err := w.d.Boolean(d["DefaultForPrinting"]); err == nil && printing {
		w.addReason(ActivePrintAlternate)
	}
	if d["OPI"] != nil && w.isDict(d["OPI"]) {
		w.addReason(ActiveExternalPicture) // ISO 32000-1 §14.11.7
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

// TriggerEvents are the events of additional actions, in order: of annotations, pages, fields and the catalog (ISO 32000-2
// §12.6.3). No other key of such a dictionary has a meaning.
var TriggerEvents = []Name{"Bl", "C", "D", "DP", "DS", "E", "F", "Fo", "K", "O", "PC", "PI", "PO", "PV", "U", "V", "WC", "WP", "WS", "X"}

// hasActions distinguishes a dictionary of additional actions from a resource that is called AA. Many objects may share one
// dictionary, so it looks at no more keys than there are events.
func (w *activeWalk) hasActions(o Object) bool {
	triggers, err := w.d.Dict(o)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(TriggerEvents, func(event Name) bool {
		action, err := w.d.Dict(triggers[event])
		return err == nil && w.resolveName(action["S"]) != ""
	})
}

func (w *activeWalk) checkURI(o Object) {
	s, err := w.d.String(o)
	if err != nil {
		return
	}
	const longest = "javascript:"
	u := bytes.TrimSpace(s.Bytes)
	u = bytes.ToLower(u[:min(len(u), len(longest))]) // many links may share a long one
	switch {
	case bytes.HasPrefix(u, []byte("file:")):
		w.addReason(ActiveFileURI)
	case string(u) == longest:
		w.addReason(ActiveJavaScript)
	}
}

// checkCatalog checks entries that have a meaning in the catalog only.
func (w *activeWalk) checkCatalog(ref Ref, root Dict) {
	w.here = ref
	if open, _ := w.d.Resolve(root["OpenAction"]); open != nil {
		// A destination, or an action that only goes to one, is harmless.
		if a, ok := open.(Dict); ok && w.resolveName(a["S"]) != "GoTo" {
			w.addReason(ActiveOpenAction)
		}
	}
	if form, _ := w.d.Dict(root["AcroForm"]); form["XFA"] != nil {
		w.addReason(ActiveXFA)
	}
	if oc, _ := w.d.Dict(root["OCProperties"]); oc != nil {
		if groups, _ := w.d.Array(oc["OCGs"]); len(groups) > 0 {
			w.addReason(ActiveOptionalContent)
		}
	}
	if names, _ := w.d.Dict(root["Names"]); names["JavaScript"] != nil {
		w.addReason(ActiveJavaScript)
	}
	if uri, _ := w.d.Dict(root["URI"]); uri["Base"] != nil {
		w.checkURI(uri["Base"]) // of relative links
	}
	if root["Collection"] != nil && w.isDict(root["Collection"]) {
		w.addReason(ActivePortfolio)
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
