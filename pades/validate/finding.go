package validate

import (
	"slices"

	"segel/pades/validate/facts"
	"segel/pdf/inspect"
)

// ownWarnings are the kinds of findings that the facts warn of in words of their own.
var ownWarnings = []inspect.Kind{inspect.CoveredText, inspect.InvisibleText, inspect.HiddenLayer, inspect.NotExamined}

// scripts are the kinds that make a file do something.
var scripts = []inspect.Kind{inspect.JavaScript, inspect.Actions, inspect.Launch, inspect.SubmitForm, inspect.ImportData}

// quoted are the kinds whose detail is the file's own text or the name of something, and is told.
var quoted = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData, inspect.OtherDocument, inspect.FileURI,
	inspect.EmbeddedFile,
}

// findings puts what the readers of the file may not see or expect into words, each kind once with all its pages.
func findings(f *facts.File) []Reason {
	var order []inspect.Kind
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, x := range f.Findings {
		if slices.Contains(ownWarnings, x.Kind) {
			continue
		}
		if byKind[x.Kind] == nil {
			order = append(order, x.Kind)
		}
		byKind[x.Kind] = append(byKind[x.Kind], x)
	}
	var all []Reason
	if slices.ContainsFunc(order, func(k inspect.Kind) bool { return slices.Contains(scripts, k) }) {
		all = append(all, reason("warning.active_content"))
	}
	for _, k := range order {
		all = append(all, findingReason(k, byKind[k]))
	}
	return all
}

// findingReason is the sentence about findings of one kind, with their pages and an example where there are some.
func findingReason(kind inspect.Kind, found []inspect.Finding) Reason {
	var pairs []string
	if pages := inspect.PageRanges(found); pages != "" {
		pairs = append(pairs, "pages", pages)
	}
	example := found[max(0, slices.IndexFunc(found, func(x inspect.Finding) bool { return x.Detail != "" }))]
	if example.Detail != "" && slices.Contains(quoted, kind) {
		pairs = append(pairs, "what", excerpt(example.Detail))
	}
	if kind == inspect.Unreliable {
		pairs = append(pairs, "says", excerpt(example.Detail), "shown", excerpt(example.Shown))
	}
	r := reason("finding."+string(kind), pairs...)
	extend := func(s sentence) {
		r.Indonesian += fill(s.id, r.Args)
		r.English += fill(s.en, r.Args)
	}
	if r.Args["pages"] != "" {
		extend(sentences["finding.pages"])
	}
	if r.Args["shown"] != "" {
		extend(sentences["finding.shown"])
	}
	if r.Args["what"] != "" {
		extend(sentence{": “{what}”", ": “{what}”"})
	}
	extend(sentence{".", "."})
	return r
}

// excerpt is the beginning of a text of the file.
func excerpt(s string) string {
	const most = 60
	if letters := []rune(clean(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return clean(s)
}
