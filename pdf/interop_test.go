package pdf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/pdf"
)

// qpdfFacts is the output of qpdf --json for a file.
type qpdfFacts struct {
	Pages   []json.RawMessage
	Encrypt struct {
		Encrypted  bool
		Parameters struct {
			P                          int64
			R, V, Bits                 int
			StreamMethod, StringMethod string
			FileMethod                 string
		}
	}
	QPDF []json.RawMessage
}

// TestFactsAgreeWithQpdf compares the facts of both readers for every file that qpdf can read: how many pages and
// objects it has, and how it is encrypted.
func TestFactsAgreeWithQpdf(t *testing.T) {
	t.Parallel()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Skip("qpdf is not installed")
	}
	names := map[string]string{"none": "none", "RC4": "RC4", "AESv2": "AES-128", "AESv3": "AES-256", "AES": "AES-128"}
	compared := 0
	for _, path := range append(samples(t), corpus(t)...) {
		name := filepath.Base(path)
		file := must[[]byte](t)(os.ReadFile(path))
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil || d.Check() != nil {
			continue // see TestRewrittenFilesAreSoundAndLookAlike for those
		}
		out, err := exec.Command(qpdf, "--json=2", "--json-key=pages", "--json-key=encrypt", "--json-key=qpdf", "--json-stream-data=none", path).Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 2 {
			t.Logf("%s: qpdf gives up: %.200s", name, exit.Stderr)
			continue
		}
		var q qpdfFacts
		if !json.Valid(out) {
			t.Logf("%s: the output of qpdf is not JSON", name) // it copies numbers such as "1." as they are
			continue
		}
		if err := json.Unmarshal(out, &q); err != nil || len(q.QPDF) != 2 {
			t.Errorf("%s: qpdf --json: %v", name, err)
			continue
		}
		compared++
		if n, err := d.PageCount(); err != nil || n != len(q.Pages) {
			t.Errorf("%s: %d pages, qpdf counts %d (%v)", name, n, len(q.Pages), err)
		}
		var objects map[string]json.RawMessage
		if err := json.Unmarshal(q.QPDF[1], &objects); err != nil {
			t.Fatal(err)
		}
		// qpdf lists former generations of a number that was freed and used again, so numbers are what is counted.
		count, null := 0, 0
		seen := map[string]bool{}
		for k, v := range objects {
			number, _, _ := strings.Cut(k, " ")
			switch {
			case !strings.HasPrefix(k, "obj:"), seen[number]:
			case strings.Join(strings.Fields(string(v)), "") == `{"value":null}`:
				null++ // also where something refers to nothing
			default:
				seen[number] = true
				count++
			}
		}
		facts := d.Properties()
		// If it warns, it may have added objects: a copy of a page that is in the tree twice.
		if exit == nil && (facts.Objects < count || facts.Objects > count+null) {
			t.Errorf("%s: %d objects, qpdf counts %d and %d that are null", name, facts.Objects, count, null)
		}
		p, e := q.Encrypt.Parameters, facts.Encryption
		if facts.Encrypted != q.Encrypt.Encrypted {
			t.Errorf("%s: encrypted %v, qpdf says %v", name, facts.Encrypted, q.Encrypt.Encrypted)
		} else if facts.Encrypted && (e.Version != p.V || e.Revision != p.R || int64(e.Permissions) != p.P || e.Bits != p.Bits ||
			e.Streams != names[p.StreamMethod] || e.Strings != names[p.StringMethod] || e.Files != names[p.FileMethod]) {
			t.Errorf("%s: %+v, qpdf says %+v", name, e, p)
		}
	}
	t.Logf("%d files compared", compared)
}
