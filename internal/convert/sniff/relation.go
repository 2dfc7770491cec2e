package sniff

import (
	"net/url"
	"path"
	"strings"
)

// evilRelations lead to what is refused, wherever it is. They are the last words of the types, in lower case: the
// strict and the transitional format spell the rest differently.
var evilRelations = map[string]Reason{
	"attachedtemplate": Template, "glossaryattachedtemplate": Template,
	"afchunk": OtherFiles, "subdocument": OtherFiles, "frame": OtherFiles,
	"oleobject": Objects, "control": Objects, "activexcontrolbinary": Objects, "activexcontrol": Objects,
	"vbaproject": Macros, "wordvbadata": Macros, "extensibility": Macros, "usercustomization": Macros,
	"mailmergesource": Links, "mailmergeheadersource": Links, "externallink": Links, "externallinkpath": Links, "recipientdata": Links,
}

// relation examines one relation of a part. Only a hyperlink may lead out of the package, since only a click follows
// it.
func (w *walker) relation(e element) error {
	if e.name != "Relationship" {
		return nil
	}
	kind, target := strings.ToLower(path.Base(e.attribute("Type"))), e.attribute("Target")
	if reason, evil := evilRelations[kind]; evil {
		return refuse(reason, "%s: relation %q to %.200q", w.name, kind, target)
	}
	// The numbers behind a chart are in a workbook; elsewhere an embedded package is another program's object.
	if kind == "package" && !strings.Contains(w.name, "/charts/") {
		return refuse(Objects, "%s: relation %q to %.200q", w.name, kind, target)
	}
	switch mode := strings.ToLower(e.attribute("TargetMode")); {
	case mode == "external" && kind == "hyperlink":
		if err := w.graph.leads(w.name, e.attribute("Id")); err != nil {
			return err
		}
		return clickable(w.name, target)
	case mode == "external":
		return refuse(Links, "%s: relation %q to %.200q", w.name, kind, target)
	case mode != "" && mode != "internal":
		return refuse(Damaged, "%s: a relation of mode %q", w.name, mode)
	}
	if err := within(w.name, kind, target); err != nil {
		return err
	}
	if !foreign(e.attribute("Type")) {
		w.graph.asks(w.name, kind, target)
	}
	if w.name == "_rels/.rels" && kind == "officedocument" {
		if w.root != "" {
			return refuse(Damaged, "the package has more than one document")
		}
		w.root = path.Clean(strings.TrimPrefix(target, "/"))
	}
	return nil
}

// within refuses the target of an inner relation that is none: a reader that is lax about the mode would follow it.
func within(part, kind, target string) error {
	if kind == "hyperlink" {
		return clickable(part, target)
	}
	unescaped, err := url.PathUnescape(target)
	if err != nil || strings.ContainsAny(unescaped, `:\`) || strings.HasPrefix(unescaped, "//") {
		return refuse(Links, "%s: relation %q to %.200q", part, kind, target)
	}
	if full := path.Join(folder(part), unescaped); !strings.HasPrefix(unescaped, "/") && (full == ".." || strings.HasPrefix(full, "../")) {
		return refuse(Links, "%s: relation %q to %.200q", part, kind, target)
	}
	return nil
}

// folder returns that of the part to which a list of relations belongs.
func folder(list string) string { return path.Dir(path.Dir(list)) }

// evilSchemes make a hyperlink a program.
var evilSchemes = []string{"vnd.", "macro", "javascript", "vbscript", "data", "service", "slot", "private", "uno", "hid", "script", "com.sun"}

// clickable refuses a hyperlink that would run something.
func clickable(part, target string) error {
	t := strings.ToLower(strings.TrimSpace(target))
	scheme, _, found := strings.Cut(t, ":")
	if !found {
		return nil
	}
	for _, evil := range evilSchemes {
		if strings.HasPrefix(scheme, evil) {
			return refuse(Macros, "%s: a hyperlink to %.200q", part, target)
		}
	}
	return nil
}
