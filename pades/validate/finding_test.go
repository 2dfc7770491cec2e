package validate

import (
	"strings"
	"testing"

	"segel/pdf/inspect"
)

func TestFindingsAreToldWithTheirPagesAndAnExample(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.Findings = []inspect.Finding{
		{Kind: inspect.PrintDiffers, Page: 2}, {Kind: inspect.PrintDiffers, Page: 3, Detail: "Harga\n9\u202e"}, {Kind: inspect.Launch, Detail: strings.Repeat("x", 100) + ".exe"},
		{Kind: inspect.Unreliable, Page: 1, Detail: "1", Shown: "9"}, {Kind: inspect.InvisibleText, Page: 1, Detail: "white"}, {Kind: inspect.XFA},
	}
	got := map[string]Reason{}
	for _, x := range p.judge(date(2025, 6, 4)).Warnings {
		got[x.Code] = x
	}
	for code, want := range map[string][2]string{
		"finding.print_differs":   {"Hasil cetak berkas berbeda dari tampilan di layar (halaman 2-3): “Harga 9”.", "In print, the file shows something other than on the screen (page 2-3): “Harga 9”."},
		"finding.launch":          {"…”.", "…”."},
		"finding.unreliable_text": {"(halaman 1): tampak “9”, terbaca “1”.", "(page 1): it shows “9” and says “1”."},
		"finding.xfa":             {"pengganti halaman.", "instead of the pages."},
		"warning.active_content":  {"skrip", "scripts"},
	} {
		r, told := got[code]
		if !told || !strings.Contains(r.Indonesian, want[0]) || !strings.Contains(r.English, want[1]) {
			t.Errorf("%s: %+v", code, r)
		}
	}
	if _, told := got["finding.invisible_text"]; told {
		t.Error("invisible text is told twice")
	}
	if launch := got["finding.launch"]; len([]rune(launch.English)) > 150 {
		t.Errorf("%q", launch.English)
	}
}

func TestFileThatDoesNothingHasNoWarningOfScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.f.Findings = []inspect.Finding{{Kind: inspect.EmbeddedFile, Detail: "faktur.xml"}}
	r := p.judge(date(2025, 6, 4))
	if hasReason(r.Warnings, "warning.active_content") || !hasReason(r.Warnings, "finding.embedded_file") {
		t.Errorf("%+v", r.Warnings)
	}
}
