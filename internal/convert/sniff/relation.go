package sniff

import (
	"net/url"
	"path"
	"strings"
)

// forbiddenRelations lead to what is refused, wherever it is. They are the last words of the types, in lower case: the
// strict and the transitional format spell the rest differently.
var forbiddenRelations = map[string]Reason{
	"attachedtemplate": Template, "glossaryattachedtemplate": Template,
	"afchunk": OtherFiles, "subdocument": OtherFiles, "frame": OtherFiles,
	"oleobject": Objects, "control": Objects, "activexcontrolbinary": Objects, "activexcontrol": Objects,
	"vbaproject": Macros, "wordvbadata": Macros, "extensibility": Macros, "usercustomization": Macros,
	"mailmergesource": Links, "mailmergeheadersource": Links, "externallink": Links, "externallinkpath": Links, "recipientdata": Links,
}

// checkRelation examines one relation of a part. Only a hyperlink may lead out of the package, since only a click follows
// it.
func (w *markupWalker) checkRelation(e element) error {
	if e.name != "Relationship" {
		return nil
	}
	kind, target := strings.ToLower(path.Base(e.attributeValue("Type"))), e.attributeValue("Target")
	if reason, evil := forbiddenRelations[kind]; evil {
		return newRefusal(reason, "%s: relation %q to %.200q", w.name, kind, target)
	}
	// The numbers behind a chart are in a workbook; elsewhere an embedded package is another program's object.
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

// checkInternalTarget refuses the target of an inner relation that is none: a reader that is lax about the mode would follow it.
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

// partFolder returns that of the part to which a list of relations belongs.
func partFolder(list string) string { return path.Dir(path.Dir(list)) }

// forbiddenSchemes make a hyperlink a program.
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
