package facts

import (
	"bytes"
	"strings"
	"testing"

	"segel/pdf"
)

func TestSkippedRevisionIsSeenHoweverTheFileIsRead(t *testing.T) {
	t.Parallel()
	const own, other = "%PDF-1.7\nstartxref\n9\n%%EOF\n", "junk\nstartxref\n27\n%%EOF\n"
	apart := strings.Repeat(" ", 64)
	for what, c := range map[string]struct {
		file string
		want int
	}{
		"a skipped revision":                     {own + other + other, 1},
		"no other end":                           {own + "junk\n", 0},
		"the first end of a linearized file":     {own + "startxref\n0\n%%EOF\n", 0},
		"more ends than are examined":            {own + apart + strings.Repeat("%%EOF\n", maxUnknown+1), 1},
		"ends that are no revision's, but a few": {own + apart + strings.Repeat("%%EOF\n", maxUnknown), 0},
	} {
		file := []byte(c.file)
		for chunk := 1; chunk < 80; chunk++ {
			r := &reader{r: bytes.NewReader(file), file: &File{Size: int64(len(file))}}
			end := int64(len(own))
			r.endScan.setRevisions([]pdf.Revision{{End: end, EOF: end - 1}})
			for at := 0; at < len(file); at += chunk {
				r.endScan.scanBytes(r, file[at:min(len(file), at+chunk)], int64(at))
			}
			if len(r.file.Warnings) != c.want {
				t.Fatalf("%s, read %d bytes at a time: %v", what, chunk, r.file.Warnings)
			}
		}
	}
}
