package facts_test

import (
	"slices"
	"testing"

	"segel/pades"
	"segel/pdf/pdftest"
)

func TestSignedFileReportsWhatItsReadersMayNotSee(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(pdftest.SuspectCases(), pdftest.HarmlessCases()) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			f := runSteps(t, on(t, s.File).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown).b)
			wantIntact(t, f, "A")
			var kinds []string
			for _, x := range f.Findings {
				if !slices.Contains(kinds, string(x.Kind)) {
					kinds = append(kinds, string(x.Kind))
				}
			}
			slices.Sort(kinds)
			if want := slices.Sorted(slices.Values(s.Kinds)); !slices.Equal(kinds, want) {
				t.Errorf("found %q, want %q: %+v", kinds, want, f.Findings)
			}
		})
	}
}
