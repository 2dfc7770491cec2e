package facts_test

import (
	"bytes"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
)

// TestFilesOfTheCorpusStayIntactWhenSigned signs every file that can be signed, twice and with validation data, and
// expects all of it to be valid.
func TestFilesOfTheCorpusStayIntactWhenSigned(t *testing.T) {
	t.Parallel()
	signed := 0
	corpus(t, func(t *testing.T, name string, b []byte) {
		b = bytes.Clone(b)
		source := func() pades.Source { return pades.Source{R: bytes.NewReader(b), Size: int64(len(b))} }
		for _, spec := range []pades.FieldSpec{{Name: "SegelA", Page: 1, Rect: boxA}, {Name: "SegelB", Page: 1, Rect: boxB}} {
			o := on(t, b).options("", shown)
			o.NewField = &spec
			r, err := pades.Sign(t.Context(), source(), o)
			if err != nil {
				return // not to be signed, or not read
			}
			b = append(b, r.Tail...)
		}
		f, err := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		signed++
		for _, s := range f.Signatures {
			if (s.Field == "SegelA" || s.Field == "SegelB") && (len(troubles(s)) > 0 || s.Coverage.State == facts.Broken) {
				t.Errorf("%s: %s", name, summary(f))
				break
			}
		}
	})
	t.Logf("%d files signed", signed)
}
