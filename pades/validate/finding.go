package validate

import (
	"slices"

	"segel/pades/validate/facts"
	"segel/pdf/inspect"
)

// warnedByFacts are the kinds of findings that the facts warn of in words of their own.
var warnedByFacts = []inspect.Kind{inspect.CoveredText, inspect.InvisibleText, inspect.HiddenLayer, inspect.NotExamined}

// activeKinds are the kinds that make a file do something.
var activeKinds = []inspect.Kind{inspect.JavaScript, inspect.Actions, inspect.Launch, inspect.SubmitForm, inspect.ImportData}

// quotedKinds are the kinds whose detail is the file's own text or the name of something, and is told.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData, inspect.OtherDocument, inspect.FileURI,
	inspect.EmbeddedFile,
}

// describeFindings puts what the readers of the file may not see or expect into words, each kind once with all its pages.
func describeFindings(f *facts.File) []Reason {
	var order []inspect.Kind
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, x := range f.Findings {
		if slices.Contains(warnedByFacts, x.Kind) {
			continue
		}
		if byKind[x.Kind] == nil {
			order = append(order, x.Kind)
		}
		byKind[x.Kind] = append(byKind[x.Kind], x)
	}
	var all []Reason
	if slices.ContainsFunc(order, func(k inspect.Kind) bool { return slices.Contains(activeKinds, k) }) {
		all = append(all, newReason("warning.active_content"))
	}
	for _, k := range order {
		all = append(all, newFindingReason(k, byKind[k]))
	}
	return all
}

// newFindingReason is the sentence about findings of one kind, with their pages and an example where there are some.
func newFindingReason(kind inspect.Kind, found []inspect.Finding) Reason {
	var pairs []string
	if pages := inspect.PageRanges(found); pages != "" {
		pairs = append(pairs, "pages", pages)
	}
	example := found[max(0, slices.IndexFunc(found, func(x inspect.Finding) bool { return x.Detail != "" }))]
	if example.Detail != "" && slices.Contains(quotedKinds, kind) {
		pairs = append(pairs, "what", shortenText(example.Detail))
	}
	if kind == inspect.Unreliable {
		pairs = append(pairs, "says", shortenText(example.Detail), "shown", shortenText(example.Shown))
	}
	r := newReason("finding."+string(kind), pairs...)
	extend := func(s sentence) {
		r.Indonesian += fillTemplate(s.id, r.Args)
		r.English += fillTemplate(s.en, r.Args)
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

// shortenText is the beginning of a text of the file.
func shortenText(s string) string {
	const most = 60
	if letters := []rune(cleanText(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return cleanText(s)
}
