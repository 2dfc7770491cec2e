package validate

import (
	"slices"

	"segel/pades/validate/facts"
	"segel/pdf/inspect"
)

// warnedByFacts are the kinds of findings that have warnings of package facts.
var warnedByFacts = []inspect.Kind{inspect.CoveredText, inspect.InvisibleText, inspect.HiddenLayer, inspect.NotExamined}

// activeKinds are the kinds of actions and scripts.
var activeKinds = []inspect.Kind{inspect.JavaScript, inspect.Actions, inspect.Launch, inspect.SubmitForm, inspect.ImportData}

// quotedKinds are the kinds whose detail, a text or name from the file, is an argument.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData, inspect.OtherDocument, inspect.FileURI,
	inspect.EmbeddedFile,
}

// describeFindings returns what readers may not see or expect, each kind once with all its pages.
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
		all = append(all, NewReason("warning.active_content"))
	}
	for _, k := range order {
		all = append(all, newFindingReason(k, byKind[k]))
	}
	return all
}

// newFindingReason returns the reason for findings of one kind, with their pages and an example.
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
	return NewReason("finding."+string(kind), pairs...)
}

// shortenText is the beginning of a text of the file.
func shortenText(s string) string {
	const most = 60
	if letters := []rune(CleanText(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return CleanText(s)
}
