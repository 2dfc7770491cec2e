package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/pades/validate/facts"
)

// corpus calls f with each PDF of the folder SEGEL_PDFS.
func corpus(t *testing.T, f func(t *testing.T, name string, b []byte)) {
	t.Helper()
	root := os.Getenv("SEGEL_PDFS")
	if root == "" {
		t.Skip("SEGEL_PDFS names no folder with files to try")
	}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f(t, strings.TrimPrefix(path, root+"/"), b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// summary is one line about each signature.
func summary(f *facts.File) string {
	var b strings.Builder
	for _, s := range f.Signatures {
		fmt.Fprintf(&b, "%s %s %s r%d %v", s.Field, s.Kind, s.Coverage.State, s.Revision, s.Integrity)
		for _, r := range s.Coverage.Reasons {
			fmt.Fprintf(&b, " !%s(%s)", r.Code, r.Detail)
		}
		for _, l := range s.Later {
			fmt.Fprintf(&b, "\n   r%d %v denied %d of %d", l.Revision, l.Level, len(l.Denied), len(l.Changes))
			for _, i := range l.Denied {
				c := l.Changes[i]
				fmt.Fprintf(&b, "\n      %v %s %s %s %v", c.Ref, c.Operation, c.Code, c.Detail, c.Paths)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// expected are what is to be found out about signatures of known files, by field: one trouble, or none.
var expected = map[string]map[string]string{
	"coverage-anomalies__weird-byterange.pdf":                       {"Sig1": "byte_range_gap"},
	"extensions-indirect-not-all-paths.pdf":                         {"Sig1": "unexplained", "Sig2": ""},
	"extensions-indirect.pdf":                                       {"Sig1": "", "Sig2": ""},
	"extensions-update-direct.pdf":                                  {"Sig1": "", "Sig2": ""},
	"form-update-ap-indirect-sneaky-trailer.pdf":                    {"Sig1": "appearance_shared", "Sig2": ""},
	"form-update-no-override-appearance-stream-ap-indirect.pdf":     {"Sig1": "", "Sig2": ""},
	"form-update-override-appearance-stream-ap-indirect-sneaky.pdf": {"Sig1": "unexplained", "Sig2": ""},
	"form-update-override-appearance-stream-ap-indirect.pdf":        {"Sig1": "", "Sig2": ""},
	"form-update-override-appearance-stream-sneaky.pdf":             {"Sig1": "unexplained", "Sig2": ""},
	"form-update-override-appearance-stream.pdf":                    {"Sig1": "", "Sig2": ""},
	"certified-with-indirect-refs-in-dir.pdf":                       {"Sig1": ""},
	"ed448-disallowed-hash.pdf":                                     {"Sig1": "algorithm"},
	"minimal-signed-twice-no-sig-type.pdf":                          {"Sig1": "", "Sig2": ""},
	"minimal-signed-twice-second-created.pdf":                       {"Sig1": "", "Signature3": ""},
	"minimal-two-fields-signed-twice.pdf":                           {"Sig1": "", "Sig2": ""},
	"pades-lta-dss-indirect-arrs-test.pdf":                          {"Sig1": ""},
	"pades-lta-dss-indirect-arrs-test-2.pdf":                        {"Sig1": "", "Sig2": ""},
	"pades-with-old-style-signing-cert-attr-issser.pdf":             {"Sig1": ""},
	"pdf-sig-with-econtent.pdf":                                     {"Sig1": "attributes"},
	"sig-no-signed-attrs.pdf":                                       {"Sig1": ""},
	"sig-with-ski-sid.pdf":                                          {"Sig1": ""},
}

func TestFilesOfTheCorpusAreWhatTheyAreKnownToBe(t *testing.T) {
	t.Parallel()
	corpus(t, func(t *testing.T, name string, b []byte) {
		f, err := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{})
		if err != nil {
			if !errors.Is(err, facts.ErrUnreadable) {
				t.Errorf("%s: %v", name, err)
			}
			return
		}
		for field, want := range expected[filepath.Base(name)] {
			i := slices.IndexFunc(f.Signatures, func(s *facts.Signature) bool { return s.Field == field })
			if i < 0 {
				t.Errorf("%s: no signature %q", name, field)
				continue
			}
			got := troubles(f.Signatures[i])
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%s: %q has %v, want %q\n%s", name, field, got, want, summary(f))
			}
		}
	})
}
