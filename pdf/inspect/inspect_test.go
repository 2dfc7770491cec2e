package inspect_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/inspect"
	"segel/pdf/pdftest"
)

func open(t testing.TB, file []byte) *pdf.Document {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func inspectFile(t testing.TB, file []byte, l inspect.Limits) []inspect.Finding {
	t.Helper()
	found, err := inspect.Document(t.Context(), open(t, file), l)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func kindsOf(found []inspect.Finding) []string {
	var kinds []string
	for _, f := range found {
		if !slices.Contains(kinds, string(f.Kind)) {
			kinds = append(kinds, string(f.Kind))
		}
	}
	slices.Sort(kinds)
	return kinds
}

func TestEachKindIsFoundHoweverItIsDone(t *testing.T) {
	t.Parallel()
	for _, s := range pdftest.SuspectCases() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			found := inspectFile(t, s.File, inspect.Limits{})
			want := slices.Sorted(slices.Values(s.Kinds))
			if got := kindsOf(found); !slices.Equal(got, want) {
				t.Fatalf("found %q, want %q: %+v", got, want, found)
			}
			for _, kind := range s.Kinds {
				at := slices.IndexFunc(found, func(f inspect.Finding) bool { return string(f.Kind) == kind && (f.Page == 1) != s.WholeFile })
				if at < 0 {
					t.Errorf("%s is not on its page: %+v", kind, found)
				}
			}
		})
	}
}

func TestHarmlessFilesHaveNoFindings(t *testing.T) {
	t.Parallel()
	for _, s := range pdftest.HarmlessCases() {
		found := inspectFile(t, s.File, inspect.Limits{})
		want := slices.Sorted(slices.Values(s.Kinds))
		if got := kindsOf(found); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q: %+v", s.Name, got, want, found)
		}
	}
}

func TestUnexaminedPagesAreAFinding(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("0 0 1 1 re f ", 1000)
	plain := func(content string) []byte {
		return newEditedFile(t, content, func(*pdf.Update, pdf.Dict) {})
	}
	layer := func(usage pdf.Dict) []byte {
		return newEditedFile(t, many+"/OC /L BDC 0 0 9 9 re f EMC", func(u *pdf.Update, page pdf.Dict) {
			group := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L"), "Usage": usage})
			catalog, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
			if err != nil {
				t.Fatal(err)
			}
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{group}, "D": pdf.Dict{}}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": group}}
		})
	}
	stamp := func(flags pdf.Integer) []byte {
		return newEditedFile(t, many, func(u *pdf.Update, page pdf.Dict) {
			page["Annots"] = pdf.Array{u.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Stamp"), "Rect": pdf.Rect{URX: 9, URY: 9}.Array(), "F": flags})}
		})
	}
	alternate := newEditedFile(t, many, func(u *pdf.Update, page pdf.Dict) {
		image := u.Add(&pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Image")}, Data: []byte("x")})
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"I": u.Add(&pdf.Stream{
			Dict: pdf.Dict{"Subtype": pdf.Name("Image"), "Alternates": pdf.Array{pdf.Dict{"Image": image, "DefaultForPrinting": pdf.Boolean(true)}}}, Data: []byte("x"),
		})}}
	})
	few := inspect.Limits{Content: content.Limits{Operators: 500}}
	for name, c := range map[string]struct {
		file   []byte
		limits inspect.Limits
		want   []string
	}{
		"all of it":                             {plain(many), inspect.Limits{}, nil},
		"too many operators":                    {plain(many), few, []string{"not_examined"}},
		"too many bytes":                        {plain(many), inspect.Limits{Content: content.Limits{Bytes: 100}}, []string{"not_examined"}},
		"too many marks":                        {plain(many), inspect.Limits{Content: content.Limits{Marks: 100}}, []string{"not_examined"}},
		"too many comparisons":                  {plain(many + "BT /F1 9 Tf (a) Tj ET " + many), inspect.Limits{Marks: 100}, []string{"not_examined"}},
		"a layer that is not printed behind it": {layer(pdf.Dict{"Print": pdf.Dict{"PrintState": pdf.Name("OFF")}}), few, []string{"not_examined", "print_differs"}},
		"a layer that is printed behind it":     {layer(pdf.Dict{}), few, []string{"not_examined"}},
		"an annotation for printing behind it":  {stamp(4 | 32), few, []string{"not_examined", "print_differs"}},
		"an annotation behind it":               {stamp(4), few, []string{"not_examined"}},
		"an alternate image behind it":          {alternate, few, []string{"not_examined", "print_differs"}},
		"content that is damaged":               {plain("q (no end"), inspect.Limits{}, []string{"not_examined"}},
		"forms that contain each other":         {newNestedFile(t), inspect.Limits{}, []string{"not_examined"}},
		"a filter that is not for page contents": {newEditedFile(t, "", func(u *pdf.Update, page pdf.Dict) {
			page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("CCITTFaxDecode")}, Data: []byte("x")})
		}), inspect.Limits{}, []string{"not_examined"}},
	} {
		if got := kindsOf(inspectFile(t, c.file, c.limits)); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

// TestPagesThatShareAnnotationsCostNoMoreThanTheLimit has pages with a list of 50,000 annotations, and pages without
// annotations. Behind the limit those with the list count as different in print.
func TestPagesThatShareAnnotationsCostNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	const pages, annotations = 8, 50_000
	file := pdftest.Table(pages)
	u := open(t, file).NewUpdate()
	shared := u.Add(slices.Repeat(pdf.Array{pdf.Dict{"F": pdf.Integer(4)}}, annotations))
	for i := range pages {
		page, err := u.Edit(pdf.Ref{Number: uint32(pdftest.FirstPageNumber + 2*i)})
		if err != nil {
			t.Fatal(err)
		}
		if i != pages-2 {
			page["Annots"] = shared
		}
	}
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	var differ []inspect.Finding
	for _, f := range inspectFile(t, append(file, tail.Bytes...), inspect.Limits{Content: content.Limits{Operators: 1}}) {
		if f.Kind == inspect.PrintDiffers {
			differ = append(differ, f)
		}
	}
	if got := inspect.PageRanges(differ); got != "5-6, 8" {
		t.Errorf("different in print: %q", got)
	}
}

// newNestedFile is a page with a form that shows itself.
func newNestedFile(t *testing.T) []byte {
	t.Helper()
	return newEditedFile(t, "/X Do", func(u *pdf.Update, page pdf.Dict) {
		form := u.Reserve()
		resources := pdf.Dict{"XObject": pdf.Dict{"X": form}}
		u.Set(form, &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array(), "Resources": resources}, Data: []byte("/X Do")})
		page["Resources"] = resources
	})
}

func TestEachPageIsNamedOnceForEachKind(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(4)
	u := open(t, file).NewUpdate()
	for _, number := range []int{2, 4} {
		page, err := u.Edit(pdf.Ref{Number: uint32(pdftest.FirstPageNumber + 2*(number-1))})
		if err != nil {
			t.Fatal(err)
		}
		annots := pdf.Array{}
		for range 3 {
			annots = append(annots, u.Add(pdf.Dict{
				"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Link"), "Rect": pdf.Rect{URX: 9, URY: 9}.Array(),
				"A": pdf.Dict{"S": pdf.Name("Launch"), "F": pdf.TextString("calc.exe")},
			}))
		}
		page["Annots"] = annots
	}
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	found := inspectFile(t, append(file, tail.Bytes...), inspect.Limits{})
	if len(found) != 2 || found[0].Page != 2 || found[1].Page != 4 || found[0].Kind != inspect.Launch || found[0].Detail != "calc.exe" {
		t.Errorf("%+v", found)
	}
	if found := inspectFile(t, append(file, tail.Bytes...), inspect.Limits{PerKind: 1}); len(found) != 1 {
		t.Errorf("beyond the limit: %+v", found)
	}
}

func TestActionsAreFollowedWithinTheirLimit(t *testing.T) {
	t.Parallel()
	file := newEditedFile(t, "", func(u *pdf.Update, page pdf.Dict) {
		first, last := u.Reserve(), u.Reserve()
		u.Set(first, pdf.Dict{"S": pdf.Name("GoTo"), "Next": pdf.Array{last, first}}) // a loop
		u.Set(last, pdf.Dict{"S": pdf.Name("Launch"), "F": pdf.TextString("calc.exe"), "Next": first})
		page["AA"] = pdf.Dict{"O": first}
	})
	if got := kindsOf(inspectFile(t, file, inspect.Limits{})); !slices.Equal(got, []string{"actions", "launch"}) {
		t.Errorf("%q", got)
	}
	// If the walk ends before it gets there, the shape of the object is enough.
	if got := kindsOf(inspectFile(t, file, inspect.Limits{Objects: 1})); !slices.Equal(got, []string{"actions", "launch"}) {
		t.Errorf("behind the limit: %q", got)
	}
}

func TestInspectionEndsWhenItIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inspect.Document(ctx, open(t, pdftest.Table(3)), inspect.Limits{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzDocument inspects files that resemble the cases.
func FuzzDocument(f *testing.F) {
	for _, s := range pdftest.SuspectCases() {
		f.Add(s.File)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Repair: true, Limits: pdf.Limits{Work: 4 << 20}})
		if err != nil {
			t.Skip()
		}
		l := inspect.Limits{Content: content.Limits{Bytes: 1 << 20, Operators: 20_000, Marks: 2_000}, Fonts: 1 << 20, Objects: 5_000, Marks: 100_000, PerKind: 50}
		found, err := inspect.Document(t.Context(), d, l)
		if err != nil {
			return
		}
		count := map[inspect.Kind]int{}
		for _, f := range found {
			if count[f.Kind]++; f.Kind == "" || f.Page < 0 || count[f.Kind] > l.PerKind {
				t.Errorf("%+v", f)
			}
		}
	})
}

func TestPagesOfFindingsAreWrittenAsRanges(t *testing.T) {
	t.Parallel()
	for want, pages := range map[string][]int{"": {0}, "7": {0, 7, 7}, "1-3": {3, 1, 2}, "1-2, 4, 6-8": {8, 1, 4, 2, 7, 6}} {
		var found []inspect.Finding
		for _, p := range pages {
			found = append(found, inspect.Finding{Page: p})
		}
		if got := inspect.PageRanges(found); got != want {
			t.Errorf("%v: %q, want %q", pages, got, want)
		}
	}
}

func TestFindingsQuoteWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, s := range pdftest.SuspectCases() {
		want := map[string]string{"layer that is printed only": "Harga 9.000.000", "text outside of the page": "Harga 9", "launch by a link": "calc.exe", "embedded file": "faktur.xml"}[s.Name]
		if want == "" {
			continue
		}
		found := inspectFile(t, s.File, inspect.Limits{})
		if len(found) == 0 || found[0].Detail != want {
			t.Errorf("%s: %+v, want %q", s.Name, found, want)
		}
	}
}
