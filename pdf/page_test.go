package pdf_test

import (
	"strings"
	"testing"

	"segel/pdf"
)

func TestOddPageEntriesAreReadAsEveryReaderDoes(t *testing.T) {
	t.Parallel()
	letter := pdf.Rect{URX: 612, URY: 792}
	huge := "1" + strings.Repeat("0", 308)
	sheet := pdf.Rect{LLX: 10, LLY: 20, URX: 310, URY: 420}
	for name, c := range map[string]struct {
		entries, above string // of the page and of the node above it
		media, crop    pdf.Rect
		rotate         int
		unit           float64
	}{
		"nothing":                {"", "", letter, letter, 0, 1},
		"inherited":              {"", "/MediaBox [10 20 310 420] /Rotate 90 /CropBox [20 30 100 110]", sheet, pdf.Rect{LLX: 20, LLY: 30, URX: 100, URY: 110}, 90, 1},
		"own before inherited":   {"/MediaBox [10 20 310 420] /Rotate 180", "/MediaBox [0 0 1 1] /Rotate 90", sheet, sheet, 180, 1},
		"unit not inherited":     {"", "/UserUnit 3", letter, letter, 0, 1},
		"inverted boxes":         {"/MediaBox [310 420 10 20] /CropBox [100 110 20 30]", "", sheet, pdf.Rect{LLX: 20, LLY: 30, URX: 100, URY: 110}, 0, 1},
		"crop beyond the page":   {"/MediaBox [10 20 310 420] /CropBox [-50 -50 5000 100]", "", sheet, pdf.Rect{LLX: 10, LLY: 20, URX: 310, URY: 100}, 0, 1},
		"crop beside the page":   {"/MediaBox [10 20 310 420] /CropBox [500 500 600 600]", "", sheet, sheet, 0, 1},
		"empty boxes":            {"/MediaBox [5 5 5 5] /CropBox [1 1 1 1]", "", letter, letter, 0, 1},
		"short box":              {"/MediaBox [0 0 10] /CropBox (no)", "", letter, letter, 0, 1},
		"turn by less than none": {"/Rotate -90", "", letter, letter, 270, 1},
		"turn twice around":      {"/Rotate 810", "", letter, letter, 90, 1},
		"turn as a real number":  {"/Rotate 90.0", "", letter, letter, 90, 1},
		"turn by an eighth":      {"/Rotate 45", "", letter, letter, 0, 1},
		"turn by a name":         {"/Rotate /Left", "", letter, letter, 0, 1},
		"turn by very much":      {"/Rotate 99999999999999999999999", "", letter, letter, 0, 1},
		"unit":                   {"/UserUnit 2.5", "", letter, letter, 0, 2.5},
		"unit of nothing":        {"/UserUnit 0", "", letter, letter, 0, 1},
		"unit below nothing":     {"/UserUnit -2", "", letter, letter, 0, 1},
		"references":             {"/MediaBox 4 0 R /Rotate 5 0 R /UserUnit 6 0 R", "", sheet, sheet, 270, 2},
		"references to nothing":  {"/MediaBox 9 0 R /CropBox 9 0 R /Rotate 9 0 R /UserUnit 9 0 R", "/MediaBox [10 20 310 420] /Rotate 90", sheet, sheet, 90, 1},
		"references to null":     {"/MediaBox 7 0 R /Rotate 7 0 R", "/MediaBox [10 20 310 420] /Rotate 90", sheet, sheet, 90, 1},
		"unit beyond numbers":    {"/UserUnit 1" + strings.Repeat("0", 307), "", letter, letter, 0, 1},
		"sides beyond numbers":   {"/MediaBox [-" + huge + " 0 " + huge + " 100]", "", letter, letter, 0, 1},
	} {
		file := tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R] "+c.above+">>",
			"<</Type /Page /Parent 2 0 R "+c.entries+">>", "[10 20 310 420]", "270", "2", "null")("")
		p, err := open(t, file).Page(1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.MediaBox != c.media || p.CropBox != c.crop || p.Rotate != c.rotate || p.UserUnit != c.unit {
			t.Errorf("%s: media %v, crop %v, turn %d, unit %g", name, p.MediaBox, p.CropBox, p.Rotate, p.UserUnit)
		}
		box := pdf.Rect{LLX: 1, LLY: 2, URX: 3, URY: 5}
		if back := p.FromUser(p.ToUser(box)); back != box {
			t.Errorf("%s: %v went to %v", name, box, back)
		}
	}
}
