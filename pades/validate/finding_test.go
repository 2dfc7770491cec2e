package validate

import (
	"reflect"
	"strings"
	"testing"

	"segel/pdf/inspect"
)

func TestFindingsAreToldWithTheirPagesAndAnExample(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.Findings = []inspect.Finding{
		{Kind: inspect.PrintDiffers, Page: 2}, {Kind: inspect.PrintDiffers, Page: 3, Detail: "Harga\n9\u202e"}, {Kind: inspect.Launch, Detail: strings.Repeat("x", 100) + ".exe"},
		{Kind: inspect.Unreliable, Page: 1, Detail: "1", Shown: "9"}, {Kind: inspect.InvisibleText, Page: 1, Detail: "white"}, {Kind: inspect.XFA},
	}
	got := map[string]Reason{}
	for _, x := range p.validate(date(2025, 6, 4)).Warnings {
		got[x.Code] = x
	}
	for code, want := range map[string]map[string]string{
		"finding.print_differs":   {"pages": "2-3", "what": "Harga 9"},
		"finding.launch":          {"what": strings.Repeat("x", 60) + "…"},
		"finding.unreliable_text": {"pages": "1", "shown": "9", "says": "1"},
		"finding.xfa":             {},
		"warning.active_content":  {},
	} {
		if r, told := got[code]; !told || !reflect.DeepEqual(r.Args, want) {
			t.Errorf("%s: %+v", code, r)
		}
	}
	if _, told := got["finding.invisible_text"]; told {
		t.Error("invisible text is told twice")
	}
}

func TestFileThatDoesNothingHasNoWarningOfScripts(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.Findings = []inspect.Finding{{Kind: inspect.EmbeddedFile, Detail: "faktur.xml"}}
	r := p.validate(date(2025, 6, 4))
	if hasReason(r.Warnings, "warning.active_content") || !hasReason(r.Warnings, "finding.embedded_file") {
		t.Errorf("%+v", r.Warnings)
	}
}
