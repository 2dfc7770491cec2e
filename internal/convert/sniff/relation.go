package sniff

import (
	"net/url"
	"path"
	"strings"
)

// forbiddenRelations lead to content that is refused, wherever it is. They are the last path elements of the types, in
// lower case: the strict and the transitional format differ in the rest.
var forbiddenRelations = map[string]Reason{
	"attachedtemplate": Template, "glossaryattachedtemplate": Template,
	"afchunk": OtherFiles, "subdocument": OtherFiles, "frame": OtherFiles,
	"oleobject": Objects, "control": Objects, "activexcontrolbinary": Objects, "activexcontrol": Objects,
	"vbaproject": Macros, "wordvbadata": Macros, "extensibility": Macros, "usercustomization": Macros,
	"mailmergesource": Links, "mailmergeheadersource": Links, "externallink": Links, "externallinkpath": Links, "recipientdata": Links,
}

// checkRelation checks one relation of a part. Only a hyperlink may lead out of the package, because only a click
// follows it.
func (w *markupWalker) checkRelation(e element) error {
	if e.name != "Relationship" {
		return nil
	}
	kind, target := strings.ToLower(path.Base(e.attributeValue("Type"))), e.attributeValue("Target")
	if reason, evil := forbiddenRelations[kind]; evil {
		return newRefusal(reason, "%s: relation %q to %.200q", w.name, kind, target)
	}
	// The data of a chart is in a workbook; elsewhere an embedded package is another program's object.
	if kind == "package" && !strings.Contains(w.name, "/charts/") {
		return newRefusal(Objects, "%s: relation %q to %.200q", w.name, kind, target)
	}
	switch mode := strings.ToLower(e.attributeValue("TargetMode")); {
	case mode == "external" && kind == "hyperlink":
		if err := w.graph.addOutsideLink(w.name, e.attributeValue("Id")); err != nil {
			return err
		}
		return checkHyperlink(w.name, target)
	case mode == "external":
		return newRefusal(Links, "%s: relation %q to %.200q", w.name, kind, target)
	case mode != "" && mode != "internal":
		return newRefusal(Damaged, "%s: a relation of mode %q", w.name, mode)
	}
	if err := checkInternalTarget(w.name, kind, target); err != nil {
		return err
	}
	if !isForeignSpace(e.attributeValue("Type")) {
		w.graph.addMarkupTarget(w.name, kind, target)
	}
	if w.name == "_rels/.rels" && kind == "officedocument" {
		if w.root != "" {
			return newRefusal(Damaged, "the package has more than one document")
		}
		w.root = path.Clean(strings.TrimPrefix(target, "/"))
	}
	return nil
}

// checkInternalTarget refuses an internal relation whose target is outside the package: a reader that ignores the mode
// would follow it.
func checkInternalTarget(part, kind, target string) error {
	if kind == "hyperlink" {
		return checkHyperlink(part, target)
	}
	unescaped, err := url.PathUnescape(target)
	if err != nil || strings.ContainsAny(unescaped, `:\`) || strings.HasPrefix(unescaped, "//") {
		return newRefusal(Links, "%s: relation %q to %.200q", part, kind, target)
	}
	if full := path.Join(partFolder(part), unescaped); !strings.HasPrefix(unescaped, "/") && (full == ".." || strings.HasPrefix(full, "../")) {
		return newRefusal(Links, "%s: relation %q to %.200q", part, kind, target)
	}
	return nil
}

// partFolder returns the folder of the part to which a list of relations belongs.
func partFolder(list string) string { return path.Dir(path.Dir(list)) }

// forbiddenSchemes are schemes with which a hyperlink runs a program.
var forbiddenSchemes = []string{"vnd.", "macro", "javascript", "vbscript", "data", "service", "slot", "private", "uno", "hid", "script", "com.sun"}

// checkHyperlink refuses a hyperlink that would run something.
func checkHyperlink(part, target string) error {
	t := strings.ToLower(strings.TrimSpace(target))
	scheme, _, found := strings.Cut(t, ":")
	if !found {
		return nil
	}
	for _, evil := range forbiddenSchemes {
		if strings.HasPrefix(scheme, evil) {
			return newRefusal(Macros, "%s: a hyperlink to %.200q", part, target)
		}
	}
	return nil
}

// relationGraph holds what parts and relations say about each other. They come in any order, so it is checked at the
// end.
type relationGraph struct {
	parts    map[string]bool      // by name in lower case: true if the part is not markup
	markup   map[string]bool      // parts that a reader parses as markup
	outside  map[relationEnd]bool // relations of hyperlinks to targets outside the package
	pictures map[relationEnd]bool // relations used to show something, not as a hyperlink
}

// relationEnd identifies a relation of a part.
type relationEnd struct{ part, id string }

// maxEnds is more than any real document has of either kind.
const maxEnds = 1 << 17

func newRelationGraph(entries []entry) *relationGraph {
	g := &relationGraph{parts: map[string]bool{}, markup: map[string]bool{}, outside: map[relationEnd]bool{}, pictures: map[relationEnd]bool{}}
	for _, e := range entries {
		g.parts[strings.ToLower(e.name)] = false
	}
	return g
}

// opaqueKinds are the kinds of relations whose targets need not be markup; readers parse the targets of all others.
var opaqueKinds = map[string]bool{
	"image": true, "hdphoto": true, "font": true, "thumbnail": true, "audio": true, "video": true, "media": true, "model3d": true,
	"package": true, "printersettings": true, "attachedtoolbars": true, "origin": true, "hyperlink": true,
}

// addMarkupTarget records a relation inside the package.
func (g *relationGraph) addMarkupTarget(list, kind, target string) {
	unescaped, err := url.PathUnescape(target)
	if err != nil || opaqueKinds[kind] {
		return
	}
	if !strings.HasPrefix(unescaped, "/") {
		unescaped = path.Join(partFolder(list), unescaped)
	}
	full := strings.ToLower(strings.TrimPrefix(path.Clean(unescaped), "/"))
	if _, there := g.parts[full]; there {
		g.markup[full] = true
	}
}

// addOutsideLink records the relation of a hyperlink to a target outside the package.
func (g *relationGraph) addOutsideLink(list, id string) error {
	return addRelationEnd(g.outside, relationEnd{path.Join(partFolder(list), strings.TrimSuffix(path.Base(list), path.Ext(list))), id})
}

// clickElements are the elements whose relation only a click follows.
var clickElements = map[string]bool{"hyperlink": true, "hlinkClick": true, "hlinkHover": true, "hlinkMouseOver": true}

// addShown records the relations that an element names.
func (g *relationGraph) addShown(part string, e element) error {
	if clickElements[e.name] {
		return nil
	}
	for _, a := range e.attributes {
		if strings.HasSuffix(a.Name.Space, "/relationships") || a.Name.Local == "relid" {
			if err := addRelationEnd(g.pictures, relationEnd{part, a.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

func addRelationEnd(ends map[relationEnd]bool, e relationEnd) error {
	if len(ends) == maxEnds {
		return newRefusal(TooComplex, "more than %d relations", maxEnds)
	}
	ends[relationEnd{strings.ToLower(e.part), e.id}] = true
	return nil
}

// checkRelations refuses a hyperlink's relation that is used to show something: readers go by its identifier, not by
// its kind. It also refuses parts that readers parse as markup and that are not markup here.
func (g *relationGraph) checkRelations() error {
	for e := range g.outside {
		if g.pictures[e] {
			return newRefusal(Links, "part %q: relation %q of a hyperlink is shown", e.part, e.id)
		}
	}
	for part := range g.markup {
		if g.parts[part] {
			return newRefusal(Damaged, "part %q should be markup", part)
		}
	}
	return nil
}
