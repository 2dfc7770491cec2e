package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pdf"
	"segel/pdf/inspect"
)

// findingCodes maps the kinds of findings to codes, in the order of the report. Kinds that are not listed are not
// reported.
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

// listFindings finds what the readers of a file may not see or expect. It reports each kind once, with all its pages.
func listFindings(ctx context.Context, doc *pdf.Document) ([]contract.Finding, error) {
	found, err := inspect.Document(ctx, doc, inspect.Limits{})
	if err != nil {
		return nil, err
	}
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, f := range found {
		// A scanned page with recognised text has that text below the picture, which shows the same.
		if f.Kind != inspect.InvisibleText || !f.OnPicture {
			byKind[f.Kind] = append(byKind[f.Kind], f)
		}
	}
	var all []contract.Finding
	for _, c := range findingCodes {
		if matching := byKind[c.kind]; len(matching) > 0 {
			all = append(all, findingOf(c.code, matching))
		}
	}
	return all, nil
}

// findingOf merges the findings of one kind: their pages and one example.
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

// quotedKinds are the kinds whose detail, a text of the file or a name, is part of the report.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.Unreliable, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData,
	inspect.OtherDocument, inspect.FileURI, inspect.EmbeddedFile,
}

// shortenText returns the beginning of a text from the file, cleaned to be quoted in a message.
func shortenText(s string) string {
	const most = 60 // letters
	letters := []rune(contract.CleanText(s))
	if len(letters) <= most {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:most])) + "…"
}

// examineStored examines a file that was uploaded before files were examined.
func (s *Service) examineStored(ctx context.Context, d *contract.Document) error {
	f, err := s.OpenRevisions(ctx, d.Revisions[:1])
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
		return fmt.Errorf("examine document %d: %w", d.ID, documents.FileRefusal(err))
	}
	d.Findings, d.Examined = found, true
	return nil
}
