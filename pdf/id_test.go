package pdf_test

import (
	"testing"

	"segel/pdf"
)

// TestInvalidIDIsReplaced extends and rewrites files whose /ID is none, and wants a sound one.
func TestInvalidIDIsReplaced(t *testing.T) {
	t.Parallel()
	file := tableFile("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>", "[<41> <42>]", "<43>")
	for id, first := range map[string]string{
		"": "", "/ID 77777777777777777": "", "/ID (x)": "", "/ID /X": "", "/ID null": "", "/ID <</A 1>>": "", "/ID []": "", "/ID [1 2]": "", "/ID [/A /B]": "", "/ID [[<41>] <42>]": "",
		"/ID [null <42>]": "", "/ID 9 0 R": "", "/ID [9 0 R 9 0 R]": "", "/ID 3 0 R": "", "/ID [3 0 R]": "",
		"/ID [<41>]": "A", "/ID [<41> <42> <43>]": "A", "/ID [<41> 7]": "A", "/ID 4 0 R": "A", "/ID [5 0 R 5 0 R]": "C",
	} {
		before := file(id)
		for name, after := range map[string][]byte{"update": build(t, before, open(t, before).NewUpdate()), "rewriting": must[[]byte](t)(rewrite(t, before, pdf.RewriteOptions{}))} {
			d := open(t, after)
			got, ok := d.Trailer()["ID"].(pdf.Array)
			if !ok || len(got) != 2 {
				t.Errorf("%q: %s has %v", id, name, d.Trailer()["ID"])
				continue
			}
			a, b := got[0].(pdf.String), got[1].(pdf.String)
			if first != "" && string(a.Bytes) != first || len(a.Bytes) == 0 || len(b.Bytes) != 16 {
				t.Errorf("%q: %s has %x and %x", id, name, a.Bytes, b.Bytes)
			}
		}
	}
}
