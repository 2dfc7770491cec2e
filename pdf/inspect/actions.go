package inspect

import (
	"maps"
	"slices"
	"strings"

	"segel/pdf"
)

// kindsByReason maps the reasons of [pdf.Document.ActiveContent], which recognizes objects by their shape.
var kindsByReason = map[pdf.ActiveReason]Kind{
	pdf.ActiveLaunch: Launch, pdf.ActiveJavaScript: JavaScript, pdf.ActiveSubmitForm: SubmitForm, pdf.ActiveImportData: ImportData, pdf.ActiveGoToRemote: OtherDocument,
	pdf.ActiveGoToEmbedded: OtherDocument, pdf.ActiveThread: OtherDocument, pdf.ActiveFileURI: FileURI, pdf.ActiveRichMedia: Media, pdf.ActiveRendition: Media, pdf.ActiveMovie: Media, pdf.ActiveSound: Media,
	pdf.ActiveXFA: XFA, pdf.ActiveEmbeddedFile: EmbeddedFile, pdf.ActivePortfolio: Portfolio, pdf.ActiveOpenAction: Actions, pdf.ActiveAdditionalActions: Actions,
	pdf.ActiveExternalStream: External, pdf.ActiveExternalPage: External, pdf.ActiveExternalPicture: External,
}

// inspectActions finds actions and references to other files. It checks all objects first, in the order of the file;
// only where one could be an action, or refers to another file, does it determine where it belongs.
func (i *inspection) inspectActions() error {
	active, err := i.d.ActiveContent()
	if err != nil {
		return err
	}
	i.alternates = slices.ContainsFunc(active, func(a pdf.ActiveContent) bool { return a.Reason == pdf.ActivePrintAlternate })
	active = slices.DeleteFunc(active, func(a pdf.ActiveContent) bool {
		return a.Reason == pdf.ActiveOptionalContent || a.Reason == pdf.ActivePrintAlternate
	})
	if len(active) == 0 {
		return nil
	}
	w := &actionWalk{inspection: i, left: i.limits.Objects, elementsLeft: elementsPerObject * i.limits.Objects, seen: map[pdf.Ref]bool{}}
	if err := w.walkDocument(); err != nil {
		return err
	}
	return i.addUnlocated(active)
}

// addUnlocated adds objects with the shape of a kind that was not found where it belongs: they may be where no walk
// leads. It leaves out unreferenced objects, since readers do not use them.
func (i *inspection) addUnlocated(active []pdf.ActiveContent) error {
	active = slices.DeleteFunc(active, func(a pdf.ActiveContent) bool {
		return kindsByReason[a.Reason] == "" || i.hasFinding(kindsByReason[a.Reason])
	})
	if len(active) == 0 {
		return nil
	}
	reachable, err := i.d.Reachable()
	if err := pdf.IgnoreFault(err); err != nil {
		return err
	}
	if err != nil {
		reachable = func(uint32) bool { return true } // in doubt, report it
	}
	wanted := map[uint32][]Kind{}
	for _, a := range active {
		if k := kindsByReason[a.Reason]; reachable(a.Ref.Number) && !slices.Contains(wanted[a.Ref.Number], k) {
			wanted[a.Ref.Number] = append(wanted[a.Ref.Number], k)
		}
	}
	if err := i.addToPages(wanted); err != nil {
		return err
	}
	for _, a := range active {
		if k := kindsByReason[a.Reason]; reachable(a.Ref.Number) && !i.hasFinding(k) {
			i.addFinding(Finding{Kind: k}) // on no page
		}
	}
	return nil
}

// addToPages adds findings to the pages from which objects can be reached.
func (i *inspection) addToPages(wanted map[uint32][]Kind) error {
	left, elementsLeft := i.limits.Objects, elementsPerObject*i.limits.Objects
	for page, err := range i.d.Pages() {
		if err != nil {
			return pdf.IgnoreFault(err)
		}
		if err := i.ctx.Err(); err != nil {
			return err
		}
		met := map[pdf.Ref]bool{}
		next := []pdf.Object{page.Dict["Contents"], page.Resources, page.Dict["Annots"]}
		for _, kind := range wanted[page.Ref.Number] {
			i.addFinding(Finding{Kind: kind, Page: page.Number})
		}
		for len(next) > 0 {
			o := next[len(next)-1]
			next = next[:len(next)-1]
			if ref, ok := o.(pdf.Ref); ok {
				if met[ref] {
					continue
				}
				met[ref] = true
				if left--; left < 0 {
					return nil
				}
				var err error
				if o, err = i.d.Resolve(ref); err != nil {
					continue
				}
				for _, kind := range wanted[ref.Number] {
					i.addFinding(Finding{Kind: kind, Page: page.Number})
				}
			}
			children := childObjects(o)
			if elementsLeft -= len(children); elementsLeft < 0 {
				return nil
			}
			next = append(next, children...)
		}
	}
	return nil
}

// childObjects returns the elements of an object, except those that lead to other pages.
func childObjects(o pdf.Object) []pdf.Object {
	switch o := o.(type) {
	case pdf.Array:
		return o
	case *pdf.Stream:
		return childObjects(o.Dict)
	case pdf.Dict:
		if o["Type"] == pdf.Object(pdf.Name("Page")) || o["Type"] == pdf.Object(pdf.Name("Pages")) {
			return nil
		}
		var all []pdf.Object
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if name != "Parent" && name != "P" && name != "Dest" && name != "StructParent" {
				all = append(all, o[name])
			}
		}
		return all
	}
	return nil
}

// actionWalk follows actions from where they are triggered.
type actionWalk struct {
	*inspection
	left         int // dictionaries that may still be visited
	elementsLeft int // elements of lists that may still be looked at
	seen         map[pdf.Ref]bool
	linkBase     string // of relative links
}

// elementsPerObject is how many elements of lists are looked at for each dictionary of Limits.Objects. Many objects may share a list.
const elementsPerObject = 10

// spendElements counts elements of lists, and reports whether they may be looked at. After that, the walk ends.
func (w *actionWalk) spendElements(n int) bool {
	if w.elementsLeft -= n; w.elementsLeft < 0 {
		w.left = -1
	}
	return w.left >= 0
}

// resolveOnce resolves a dictionary of a tree or list; an indirect one only once.
func (w *actionWalk) resolveOnce(o pdf.Object) pdf.Dict {
	if ref, ok := o.(pdf.Ref); ok {
		if w.seen[ref] {
			return nil
		}
		w.seen[ref] = true
	}
	if w.left--; w.left < 0 {
		return nil
	}
	dict, err := w.d.Dict(o)
	if err != nil {
		return nil
	}
	return dict
}

// maxText bounds the bytes of a text that are decoded: many actions may share a long one.
const maxText = 4 << 10

func (w *actionWalk) resolveText(o pdf.Object) string {
	s, err := w.d.String(o)
	if err != nil {
		return ""
	}
	s.Bytes = s.Bytes[:min(len(s.Bytes), maxText)]
	return s.Text()
}

// fileName returns the name in a file specification.
func (w *actionWalk) fileName(o pdf.Object) string {
	if name := w.resolveText(o); name != "" {
		return name
	}
	dict, err := w.d.Dict(o)
	if err != nil {
		return ""
	}
	for _, k := range []pdf.Name{"UF", "F", "Unix", "DOS", "Mac"} {
		if name := w.resolveText(dict[k]); name != "" {
			return name
		}
	}
	return ""
}

// walkDocument visits the places where actions are: the catalog, its forms, bookmarks and names, and the pages.
func (w *actionWalk) walkDocument() error {
	_, root, err := w.d.Root()
	if err != nil {
		return pdf.IgnoreFault(err)
	}
	if uri, err := w.d.Dict(root["URI"]); err == nil {
		w.linkBase = w.resolveText(uri["Base"])
	}
	if open, err := w.d.Resolve(root["OpenAction"]); err == nil {
		if action, ok := open.(pdf.Dict); ok {
			w.followActions(action, 0, true)
		}
	}
	w.followTriggers(root["AA"], 0)
	names, _ := w.d.Dict(root["Names"])
	if names["JavaScript"] != nil {
		w.addFinding(Finding{Kind: JavaScript})
		w.addFinding(Finding{Kind: Actions}) // readers run it when they open the file
	}
	if names["EmbeddedFiles"] != nil {
		w.walkEmbeddedFiles(names["EmbeddedFiles"], 0)
	}
	if collection, _ := w.d.Dict(root["Collection"]); collection != nil {
		w.addFinding(Finding{Kind: Portfolio})
	}
	form, _ := w.d.Dict(root["AcroForm"])
	if form["XFA"] != nil {
		w.addFinding(Finding{Kind: XFA})
	}
	for page, err := range w.d.Pages() {
		if err != nil {
			return pdf.IgnoreFault(err)
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
		w.walkPage(page)
	}
	w.walkFields(form["Fields"], 0)
	outlines, _ := w.d.Dict(root["Outlines"])
	w.walkBookmarks(outlines["First"])
	return nil
}

// maxNesting bounds trees of fields, names and bookmarks.
const maxNesting = 50

// walkEmbeddedFiles adds the embedded files of a name tree.
func (w *actionWalk) walkEmbeddedFiles(o pdf.Object, depth int) {
	node := w.resolveOnce(o)
	if node == nil || depth > maxNesting {
		return
	}
	names, _ := w.d.Array(node["Names"])
	if len(names) > 1 && !w.hasFinding(EmbeddedFile) {
		w.addFinding(Finding{Kind: EmbeddedFile, Detail: w.fileName(names[1])})
	}
	kids, _ := w.d.Array(node["Kids"])
	for _, kid := range kids {
		if !w.spendElements(1) {
			return
		}
		w.walkEmbeddedFiles(kid, depth+1)
	}
}

// walkFields visits the fields of the form: widgets were visited on their pages, and fields above them may have
// triggers.
func (w *actionWalk) walkFields(o pdf.Object, depth int) {
	list, _ := w.d.Array(o)
	for _, o := range list {
		if depth > maxNesting || !w.spendElements(1) {
			return
		}
		field := w.resolveOnce(o)
		w.followActions(field["A"], 0, false)
		w.followTriggers(field["AA"], 0)
		w.walkFields(field["Kids"], depth+1)
	}
}

func (w *actionWalk) walkBookmarks(o pdf.Object) {
	for next := []pdf.Object{o}; len(next) > 0 && w.left >= 0; {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		item := w.resolveOnce(last)
		if item == nil {
			continue
		}
		w.followActions(item["A"], 0, false)
		next = append(next, item["Next"], item["First"])
	}
}

func (w *actionWalk) walkPage(page *pdf.Page) {
	w.followTriggers(page.Dict["AA"], page.Number)
	annots, _ := w.d.Array(page.Dict["Annots"])
	for _, o := range annots {
		if !w.spendElements(1) {
			return
		}
		w.walkAnnotation(w.resolveOnce(o), page.Number)
	}
	// The navigation nodes of a presentation (ISO 32000-2 §12.4.4.2).
	for node := w.resolveOnce(page.Dict["PresSteps"]); node != nil; node = w.resolveOnce(node["Next"]) {
		w.followActions(node["NA"], page.Number, false)
		w.followActions(node["PA"], page.Number, false)
	}
}

// mediaAnnotations are annotations that play media.
var mediaAnnotations = []pdf.Name{"RichMedia", "3D", "Screen", "Movie", "Sound"}

func (w *actionWalk) walkAnnotation(dict pdf.Dict, page int) {
	kind, _ := w.d.Name(dict["Subtype"])
	if slices.Contains(mediaAnnotations, kind) {
		w.addFinding(Finding{Kind: Media, Page: page})
	}
	if kind == "FileAttachment" {
		w.addFinding(Finding{Kind: EmbeddedFile, Page: page, Detail: w.fileName(dict["FS"])})
	}
	w.followActions(dict["A"], page, false)
	w.followActions(dict["PA"], page, false)
	w.followTriggers(dict["AA"], page)
}

// followTriggers follows a dictionary of additional actions, which readers carry out on events.
func (w *actionWalk) followTriggers(o pdf.Object, page int) {
	events, _ := w.d.Dict(o)
	for _, name := range pdf.TriggerEvents {
		if action, err := w.d.Dict(events[name]); err == nil && action["S"] != nil {
			w.followActions(events[name], page, true)
		}
	}
}

// followActions follows an action and its successors. byItself is set if readers carry it out without being asked.
func (w *actionWalk) followActions(o pdf.Object, page int, byItself bool) {
	met := map[pdf.Ref]bool{} // in this chain: an action may have several triggers
	for next := []pdf.Object{o}; len(next) > 0 && w.left > 0; w.left-- {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		if ref, ok := last.(pdf.Ref); ok {
			if met[ref] {
				continue
			}
			met[ref] = true
		}
		dict, err := w.d.Dict(last)
		if err != nil || dict == nil {
			continue
		}
		w.addAction(dict, page, byItself)
		switch more, _ := w.d.Resolve(dict["Next"]); more := more.(type) {
		case pdf.Dict:
			next = append(next, dict["Next"])
		case pdf.Array:
			if !w.spendElements(len(more)) {
				return
			}
			next = append(next, more...)
		}
	}
}

func (w *actionWalk) addAction(dict pdf.Dict, page int, byItself bool) {
	kind, _ := w.d.Name(dict["S"])
	add := func(k Kind, detail string) { w.addFinding(Finding{Kind: k, Page: page, Detail: detail}) }
	if byItself && kind != "GoTo" && kind != "" {
		add(Actions, string(kind))
	}
	switch kind {
	case "JavaScript":
		add(JavaScript, "")
	case "Launch":
		add(Launch, w.launchTarget(dict))
	case "SubmitForm":
		add(SubmitForm, w.fileName(dict["F"]))
	case "ImportData":
		add(ImportData, w.fileName(dict["F"]))
	case "GoToR", "GoToE":
		add(OtherDocument, w.fileName(dict["F"]))
	case "Thread":
		if dict["F"] != nil {
			add(OtherDocument, w.fileName(dict["F"]))
		}
	case "URI":
		w.checkLink(w.resolveText(dict["URI"]), page)
	case "Rendition":
		add(Media, "")
		if dict["JS"] != nil {
			add(JavaScript, "")
		}
	case "Movie", "Sound", "RichMediaExecute", "GoTo3DView":
		add(Media, "")
	case "Hide", "SetOCGState":
		if byItself {
			add(ViewVaries, "") // what is shown depends on whether a reader carries out actions
		}
	}
}

// launchTarget is what a launch action starts, on whichever system it is for.
func (w *actionWalk) launchTarget(dict pdf.Dict) string {
	if name := w.fileName(dict["F"]); name != "" {
		return name
	}
	for _, system := range []pdf.Name{"Win", "Mac", "Unix"} {
		if name := w.fileName(dict[system]); name != "" {
			return name
		}
	}
	return ""
}

func (w *actionWalk) checkLink(uri string, page int) {
	u := strings.ToLower(strings.TrimSpace(uri))
	if !strings.Contains(u, ":") {
		u = strings.ToLower(strings.TrimSpace(w.linkBase)) + u
	}
	switch {
	case strings.HasPrefix(u, "file:"):
		w.addFinding(Finding{Kind: FileURI, Page: page, Detail: uri})
	case strings.HasPrefix(u, "javascript:"):
		w.addFinding(Finding{Kind: JavaScript, Page: page})
	}
}
