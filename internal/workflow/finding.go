package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/pdf"
	"segel/pdf/inspect"
)

// findingCodes are the codes of what is found, in the order in which it is told. What is not listed is not told.
var findingCodes = []struct {
	kind inspect.Kind
	code contract.FindingCode
}{
	{inspect.PrintDiffers, contract.FindingPrintDiffers}, {inspect.ViewVaries, contract.FindingViewVaries}, {inspect.External, contract.FindingExternal},
	{inspect.Launch, contract.FindingLaunch}, {inspect.Unreliable, contract.FindingUnreliableText}, {inspect.CoveredText, contract.FindingCoveredText},
	{inspect.InvisibleText, contract.FindingInvisibleText}, {inspect.HiddenLayer, contract.FindingHiddenLayer}, {inspect.OutsidePage, contract.FindingOutsidePage},
	{inspect.ScreenOnly, contract.FindingScreenOnly}, {inspect.Portfolio, contract.FindingPortfolio}, {inspect.XFA, contract.FindingXFA},
	{inspect.JavaScript, contract.FindingJavaScript}, {inspect.Actions, contract.FindingActions}, {inspect.SubmitForm, contract.FindingSubmitForm},
	{inspect.ImportData, contract.FindingImportData}, {inspect.OtherDocument, contract.FindingOtherDocument}, {inspect.FileURI, contract.FindingFileURI},
	{inspect.Media, contract.FindingMedia}, {inspect.EmbeddedFile, contract.FindingEmbeddedFile}, {inspect.NotExamined, contract.FindingNotExamined},
}

// listFindings looks for what the readers of a file may not see or expect, and tells each kind once, with all its pages.
func listFindings(ctx context.Context, doc *pdf.Document) ([]contract.Finding, error) {
	found, err := inspect.Document(ctx, doc, inspect.Limits{})
	if err != nil {
		return nil, err
	}
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, f := range found {
		// A scanned page that a machine has read has its text below the picture: that is what it shows.
		if f.Kind != inspect.InvisibleText || !f.OnPicture {
			byKind[f.Kind] = append(byKind[f.Kind], f)
		}
	}
	var all []contract.Finding
	for _, c := range findingCodes {
		if of := byKind[c.kind]; len(of) > 0 {
			all = append(all, findingOf(c.code, of))
		}
	}
	return all, nil
}

// findingOf is one finding of what was found of a kind: its pages, and an example.
func findingOf(code contract.FindingCode, found []inspect.Finding) contract.Finding {
	var args []string
	add := func(name, value string) {
		if value != "" {
			args = append(args, name, value)
		}
	}
	page := 0
	for _, f := range found {
		if f.Page > 0 && (page == 0 || f.Page < page) {
			page = f.Page
		}
	}
	add("pages", inspect.PageRanges(found))
	if slices.Contains(quotedKinds, found[0].Kind) {
		at := max(0, slices.IndexFunc(found, func(f inspect.Finding) bool { return f.Detail != "" }))
		add("what", shortenText(found[at].Detail))
		add("shown", shortenText(found[at].Shown))
	}
	return contract.NewFinding(code, page, args...)
}

// quotedKinds are those whose detail is the file's own text or the name of something, and is told.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.Unreliable, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData,
	inspect.OtherDocument, inspect.FileURI, inspect.EmbeddedFile,
}

// shortenText is the beginning of a text that the file chose, fit to stand in a sentence of ours.
func shortenText(s string) string {
	const most = 60 // letters
	letters := []rune(contract.CleanText(s))
	if len(letters) <= most {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:most])) + "…"
}

// examineStored looks at a file that came in before files were looked at.
func (s *Service) examineStored(ctx context.Context, d *contract.Document) error {
	f, err := s.openRevisions(ctx, d.Revisions[:1])
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := pdf.Open(f, f.Size(), pdf.Options{Budget: pdf.FileBudget(ctx, f.Size())})
	if err != nil {
		return fmt.Errorf("open document %d: %w", d.ID, err)
	}
	found, err := listFindings(ctx, doc)
	if err != nil {
		return fmt.Errorf("examine document %d: %w", d.ID, fileRefusal(err))
	}
	d.Findings, d.Examined = found, true
	return nil
}
