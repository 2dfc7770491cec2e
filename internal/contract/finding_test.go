package contract

import (
	"errors"
	"slices"
	"testing"
)

func withFindings(f ...Finding) func(*Upload) { return func(u *Upload) { u.Findings = f } }

func TestFinalizeRefusesWhatWasFoundUntilTheOwnerAcceptsIt(t *testing.T) {
	t.Parallel()
	found := []Finding{
		NewFinding(FindingPrintDiffers, 2, "pages", "2, 4-5", "what", "Harga 9"), NewFinding(FindingLaunch, 1, "pages", "1"), NewFinding(FindingJavaScript, 0),
	}
	d := newDraft(t, withFindings(found...))
	for _, c := range []struct {
		accept []FindingCode
		open   []string // codes that are still in the way
	}{
		{nil, []string{"finding.print_differs", "finding.launch"}},
		{[]FindingCode{FindingJavaScript, "finding.unheard_of"}, []string{"finding.print_differs", "finding.launch"}},
		{[]FindingCode{FindingLaunch}, []string{"finding.print_differs"}},
		{[]FindingCode{FindingLaunch, FindingPrintDiffers}, nil},
	} {
		change, _, err := Finalize(d, FinalizeOptions{AcceptFindings: c.accept}, owner, t0)
		if c.open == nil {
			if err != nil {
				t.Fatalf("accepting %q: %v", c.accept, err)
			}
			wantAccepted(t, change)
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Kind != Invalid || e.Code != "document.active_content" {
			t.Fatalf("accepting %q: %v", c.accept, err)
		}
		var open []string
		for _, f := range e.Fields {
			open = append(open, f.Code)
			if f.Field != "accept_findings" || f.Code == "finding.print_differs" && f.Args["pages"] != "2, 4-5" {
				t.Errorf("%+v", f)
			}
		}
		if !slices.Equal(open, c.open) {
			t.Errorf("accepting %q leaves %q, want %q", c.accept, open, c.open)
		}
	}
}

// wantAccepted checks that the refused findings are accepted, and that the log says who accepted what.
func wantAccepted(t *testing.T, c Change) {
	t.Helper()
	for _, f := range c.After.Findings {
		if f.Accepted != f.Refused {
			t.Errorf("%+v", f)
		}
	}
	for _, f := range c.Before.Findings {
		if f.Accepted {
			t.Errorf("the document as it was has accepted %s", f.Code)
		}
	}
	var codes []string
	for _, e := range c.Events {
		if e.Type == EventFindingAccepted {
			codes = append(codes, e.Details["code"])
			if e.Person != owner.Person || e.Details["code"] == "finding.print_differs" && e.Details["what"] != "Harga 9" {
				t.Errorf("%+v", e)
			}
		}
	}
	if !slices.Equal(codes, []string{"finding.print_differs", "finding.launch"}) || c.Events[len(c.Events)-1].Type != EventFinalized {
		t.Errorf("events %+v", c.Events)
	}
}

func TestAFileWithoutFindingsThatAreRefusedIsFinalizedAsBefore(t *testing.T) {
	t.Parallel()
	for _, found := range [][]Finding{nil, {NewFinding(FindingEmbeddedFile, 0), NewFinding(FindingNotExamined, 3), NewFinding(FindingUnreliableText, 1)}} {
		c, _, err := Finalize(newDraft(t, withFindings(found...)), FinalizeOptions{}, owner, t0)
		if err != nil || len(c.Events) != 1 {
			t.Errorf("%+v: %v, %+v", found, err, c.Events)
		}
	}
}

func TestTheLogSaysWhichPagesTheServiceShowed(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	digest := d.Current().Digest
	for _, c := range []struct {
		shown                  ShownPages
		pages, total, pictures string
	}{
		{ShownPages{}, PagesNone, "", ""},
		{ShownPages{Digest: digest}, PagesNone, "", ""},
		{ShownPages{Pages: []int{1, 2}}, PagesNone, "", ""},
		{ShownPages{Digest: digest, Pages: []int{2, 1, 2}}, "1-2", "2", ""},
		{ShownPages{Digest: digest, Pages: []int{2}}, "2", "2", ""},
		{ShownPages{Digest: digest, Pages: []int{1, 2}, Pictures: []int{2}}, "1-2", "2", "2"},
	} {
		intent, err := IntendSign(d, c.shown, first, t0)
		if err != nil {
			t.Fatal(err)
		}
		sign, err := Sign(&intent.After, nextRevision(d, 10), c.shown, attestationOf(d, first), first, t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(intent.Events, sign.Events...) {
			if e.Details["pages_shown"] != c.pages || e.Details["pages"] != c.total || e.Details["pages_as_pictures"] != c.pictures || e.Details["digest"] == "" {
				t.Errorf("%+v: %s says %v", c.shown, e.Type, e.Details)
			}
		}
	}
	for _, pages := range [][]int{{0}, {1, 3}, {-1}} {
		if _, err := IntendSign(d, ShownPages{Digest: digest, Pages: pages}, first, t0); KindOf(err) != Invalid {
			t.Errorf("pages %v: %v", pages, err)
		}
	}
}

func TestAPictureOfAPageThatWasNotShownIsRefused(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	_, err := IntendSign(d, ShownPages{Digest: d.Current().Digest, Pages: []int{1}, Pictures: []int{1, 2}}, first, t0)
	var e *Error
	if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != "pictures_shown[1]" || e.Fields[0].Code != "page.not_shown" {
		t.Errorf("refused as %v", err)
	}
}

func TestPagesAreWrittenAsRanges(t *testing.T) {
	t.Parallel()
	for want, pages := range map[string][]int{"": nil, "7": {7, 7}, "1-3": {3, 1, 2}, "1-2, 4, 6-8": {8, 1, 4, 2, 7, 6}} {
		if got := PageRanges(pages); got != want {
			t.Errorf("%v: %q, want %q", pages, got, want)
		}
	}
	all := make([]int, 2000)
	for i := range all {
		all[i] = 2000 - i
	}
	if got := PageRanges(all); got != "1-2000" || all[0] != 2000 {
		t.Errorf("%q", got)
	}
}
