package facts_test

import (
	"bytes"
	"fmt"
	"testing"

	"segel/pades"
	"segel/pdf/pdftest"
)

// TestSmallSizeRevealsNoHiddenObject: with a /Size below the number of the catalog, Poppler rebuilds the cross-reference and
// takes the last object of each number, such as one that the signed part has and its cross-reference does not state.
func TestSmallSizeRevealsNoHiddenObject(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	table := bytes.LastIndex(file, []byte("\nxref")) + 1
	withShadow := func(shadow string) []byte {
		b := append(bytes.Clone(file[:table]), shadow...)
		b = append(b, file[table:]...)
		return fmt.Appendf(b[:bytes.LastIndex(b, []byte("startxref"))], "startxref\n%d\n%%%%EOF\n", table+len(shadow))
	}
	for name, c := range map[string]struct {
		file   []byte
		denied bool
	}{
		"sound":         {file, false},
		"with a shadow": {withShadow("6 0 obj\n<</Length 42>>\nstream\nBT /F1 24 Tf 72 700 Td (Another text) Tj ET\nendstream\nendobj\n"), true},
	} {
		signed := on(t, c.file).fields(pades.FieldSpec{Name: "A"}).sign("A").b
		if found := troubles(runSteps(t, signed).Signatures[0]); len(found) > 0 {
			t.Fatalf("%s: %v", name, found)
		}
		var prev int
		if _, err := fmt.Sscanf(string(signed[bytes.LastIndex(signed, []byte("startxref")):]), "startxref\n%d", &prev); err != nil {
			t.Fatal(err)
		}
		b := fmt.Appendf(bytes.Clone(signed), "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", prev, len(signed))
		if found := troubles(runSteps(t, b).Signatures[0]); len(found) > 0 != c.denied {
			t.Errorf("%s: %v", name, found)
		}
	}
}
