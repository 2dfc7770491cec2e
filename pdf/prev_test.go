package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestSectionThatLeavesOutEarlierOnesIsDamage appends sections that do not lead to earlier ones.
func TestSectionThatLeavesOutEarlierOnesIsDamage(t *testing.T) {
	t.Parallel()
	base := tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R /Contents 4 0 R>>", "<</Length 5>>\nstream\n(old)\nendstream")
	update := func(trailer string, objects ...int) []byte {
		b := base("")
		values := map[int]string{1: "<</Type /Catalog /Pages 2 0 R>>", 2: "<</Type /Pages /Count 1 /Kids [3 0 R]>>", 3: "<</Type /Page /Parent 2 0 R /Contents 4 0 R>>", 4: "<</Length 5>>\nstream\n(new)\nendstream"}
		table := []byte("xref\n0 1\n0000000000 65535 f \n")
		for _, n := range objects {
			table = fmt.Appendf(table, "%d 1\n%010d 00000 n \n", n, len(b))
			b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", n, values[n])
		}
		at := len(b)
		return fmt.Appendf(append(b, table...), "trailer\n<</Size 5 /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", trailer, at)
	}
	linearized := pdftest.Linearized(1)
	copy(linearized[bytes.LastIndex(linearized, []byte("/Root 1 0 R")):], "/Prev 0    ")
	for name, c := range map[string]struct {
		file  []byte
		sound bool
	}{
		"first section, 0":               {base("/Prev 0"), true},
		"first section, null":            {base("/Prev null"), true},
		"linearized, 0 in the main part": {linearized, true},
		"0, contents":                    {update("/Prev 0", 4), false},
		"0, catalog":                     {update("/Prev 0", 1, 4), false},
		"0, catalog and pages":           {update("/Prev 0", 1, 2, 4), false},
		"0, everything":                  {update("/Prev 0", 1, 2, 3, 4), false},
		"none, contents":                 {update("", 4), false},
		"none, catalog":                  {update("", 1, 4), false},
		"none, everything":               {update("", 1, 2, 3, 4), true},
		"beyond the end":                 {update("/Prev 99999", 4), false},
		"negative":                       {update("/Prev -1", 4), false},
		"real":                           {update("/Prev 0.0", 1, 2, 3, 4), false},
		"reference":                      {update("/Prev 4 0 R", 1, 2, 3, 4), false},
		"no section":                     {update("/Prev 20", 1, 2, 3, 4), false},
	} {
		_, err := pdf.Open(bytes.NewReader(c.file), int64(len(c.file)), pdf.Options{})
		if (err == nil) != c.sound || err != nil && !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		d := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(c.file), int64(len(c.file)), pdf.Options{Repair: true}))
		if d.Properties().Repaired == c.sound {
			t.Errorf("%s: repaired %v", name, !c.sound)
		}
		if n := must[int](t)(d.PageCount()); n != 1 {
			t.Errorf("%s: %d pages", name, n)
		}
		if c.sound {
			continue
		}
		st := must[*pdf.Stream](t)(d.Stream(must[*pdf.Page](t)(d.Page(1)).Dict["Contents"]))
		if data := must[[]byte](t)(d.Decode(st)); string(data) != "(new)" {
			t.Errorf("%s: contents are %s", name, data)
		}
	}
}
