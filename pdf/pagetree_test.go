package pdf_test

import (
	"errors"
	"strings"
	"testing"

	"segel/pdf"
)

// TestPageTreeThatReadersDisagreeOnIsRewrittenOrRefused has trees of which readers show different pages, or pages of
// different boxes.
func TestPageTreeThatReadersDisagreeOnIsRewrittenOrRefused(t *testing.T) {
	t.Parallel()
	const catalog, page = "<</Type /Catalog /Pages 2 0 R>>", "<</Type /Page /Parent 2 0 R /Contents 6 0 R>>"
	for name, c := range map[string]struct {
		objects []string // from 2 on; 6 is a stream
		pages   int      // 0: the file is refused
		sound   bool     // it is not rewritten
	}{
		"sound":                         {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 9 9]>>", page}, 1, true},
		"page twice":                    {[]string{"<</Type /Pages /Count 2 /Kids [3 0 R 3 0 R]>>", page}, 2, false},
		"node twice":                    {[]string{"<</Type /Pages /Count 2 /Kids [4 0 R 4 0 R]>>", "<</Type /Page /Parent 4 0 R>>", "<</Type /Pages /Parent 2 0 R /Count 1 /Kids [3 0 R]>>"}, 2, false},
		"stream as a kid":               {[]string{"<</Type /Pages /Count 2 /Kids [3 0 R 6 0 R]>>", page}, 0, false},
		"catalog as a kid":              {[]string{"<</Type /Pages /Count 2 /Kids [3 0 R 1 0 R]>>", page}, 0, false},
		"type in an object":             {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type 4 0 R /Parent 2 0 R>>", "/Page"}, 1, true},
		"parent missing":                {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page>>"}, 1, true},
		"parent missing, box inherited": {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 9 9]>>", "<</Type /Page>>"}, 1, false},
		"parent missing, box its own":   {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 9 9]>>", "<</Type /Page /MediaBox [0 0 9 9]>>"}, 1, true},
		"parent missing, turned":        {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R] /Rotate 90>>", "<</Type /Page>>"}, 1, false},
		"parent is another":             {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 4 0 R>>", "<</Type /Pages /Rotate 90>>"}, 1, false},
		"parent is the catalog":         {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 1 0 R>>"}, 1, true},
		"parent is no dictionary":       {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 7>>"}, 1, true},
		"parents in circles":            {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 3 0 R>>"}, 1, true},
		"root with a parent":            {[]string{"<</Type /Pages /Count 1 /Kids [3 0 R] /Parent 4 0 R>>", page, "<</Rotate 90>>"}, 1, false},
		"node with another parent": {[]string{
			"<</Type /Pages /Count 1 /Kids [4 0 R] /Rotate 90>>", "<</Type /Page /Parent 4 0 R>>", "<</Type /Pages /Parent 5 0 R /Count 1 /Kids [3 0 R]>>", "<</Rotate 180>>",
		}, 1, false},
	} {
		objects := append([]string{catalog}, c.objects...)
		for len(objects) < 5 {
			objects = append(objects, "null")
		}
		file := tableFile(append(objects, "<</Length 3>>\nstream\nq Q\nendstream")...)("")
		if err := open(t, file).Check(); (err == nil) != c.sound {
			t.Errorf("%s: check: %v", name, err)
		}
		b, err := rewrite(t, file, pdf.RewriteOptions{})
		if c.pages == 0 {
			if !errors.Is(err, pdf.ErrDamaged) {
				t.Errorf("%s: rewritten, %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := open(t, b)
		if err := d.Check(); err != nil {
			t.Errorf("%s: check of the rewriting: %v", name, err)
		}
		seen := map[pdf.Ref]bool{}
		for p, err := range d.Pages() {
			if err != nil || seen[p.Ref] {
				t.Errorf("%s: page %v, %v", name, p, err)
				break
			}
			seen[p.Ref] = true
		}
		if len(seen) != c.pages {
			t.Errorf("%s: %d pages, want %d", name, len(seen), c.pages)
		}
	}
}

// TestTreeOfFewNodesCannotStandForManyPages has twenty nodes, each with the next one for both kids.
func TestTreeOfFewNodesCannotStandForManyPages(t *testing.T) {
	t.Parallel()
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>"}
	for i := range 16 {
		objects = append(objects, strings.NewReplacer("N", string(rune('0'+(i+3)/10))+string(rune('0'+(i+3)%10))).Replace("<</Type /Pages /Count 2 /Kids [N 0 R N 0 R]>>"))
	}
	file := tableFile(append(objects, "<</Type /Page /MediaBox [0 0 9 9]>>")...)("")
	if _, err := rewrite(t, file, pdf.RewriteOptions{}); !errors.Is(err, pdf.ErrTooLarge) {
		t.Errorf("rewritten: %v", err)
	}
}
