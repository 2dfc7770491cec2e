package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
)

// section is a cross-reference section written by hand, for what the library would never write.
type section struct {
	objects map[int]string // by number, without "n 0 obj"
	entries map[int]string // of objects that are not written: "offset generation kind"
	trailer string         // more of it
	root    string         // instead of the catalog that is
	prev    int64          // instead of the newest section; -1: none
	end     string         // instead of startxref and %%EOF
	of      []byte         // the file to extend, if there is more after it
}

// append writes the section behind a file that has a cross-reference table.
func (s section) append(t *testing.T, b []byte) []byte {
	t.Helper()
	of := b
	if s.of != nil {
		of = s.of
	}
	d := on(t, of).open()
	revisions := must[[]pdf.Revision](t)(d.Revisions())
	prev := revisions[len(revisions)-1].StartXref
	if s.prev != 0 {
		prev = s.prev
	}
	size := int(d.Trailer()["Size"].(pdf.Integer))
	entries := map[int]string{}
	for n, e := range s.entries {
		entries[n] = e
		size = max(size, n+1)
	}
	for _, n := range sorted(s.objects) {
		entries[n] = fmt.Sprintf("%010d 00000 n", len(b))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", n, s.objects[n])
		size = max(size, n+1)
	}
	at := len(b)
	b = append(b, "xref\n"...)
	for _, n := range sorted(entries) {
		b = fmt.Appendf(b, "%d 1\n%s \n", n, entries[n])
	}
	root := s.root
	if root == "" {
		root = d.Trailer().Ref("Root").String()
	}
	b = fmt.Appendf(b, "trailer\n<< /Size %d /Root %s /Info 4 0 R %s", size, root, s.trailer)
	if id, ok := d.Trailer()["ID"].(pdf.Array); ok {
		first := id[0].(pdf.String)
		b = fmt.Appendf(b, " /ID [<%x> <%x>]", first.Bytes, first.Bytes)
	}
	if prev > 0 {
		b = fmt.Appendf(b, " /Prev %d", prev)
	}
	if s.end != "" {
		return append(b, " >>\n"+s.end...)
	}
	return fmt.Appendf(b, " >>\nstartxref\n%d\n%%%%EOF\n", at)
}

func sorted(m map[int]string) []int {
	var all []int
	for n := range m {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// at is where an object stands, as a cross-reference entry.
func at(t *testing.T, b []byte, object string) string {
	t.Helper()
	i := strings.Index(string(b), "\n"+object+" obj")
	if i < 0 {
		t.Fatalf("no object %q", object)
	}
	return fmt.Sprintf("%010d 00000 n", i+1)
}
