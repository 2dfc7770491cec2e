package validate_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// FuzzValidate judges anything. Whoever changes a signed byte of a file that passes must not find it passing still: the
// seed is one that passes, so what passes has to begin with it, or with another spelling of its container's digits.
// Its keys are new each time, so coverage differs from run to run: -fuzzminimizetime 5x keeps the engine from chasing that.
func FuzzValidate(f *testing.F) {
	office, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		f.Fatal(err)
	}
	sound := signed(office)
	f.Add(sound)
	f.Add(sound[:bytes.LastIndex(sound[:len(sound)-10], []byte("%%EOF"))+6])
	f.Add(append(bytes.Clone(sound), "\n1 0 obj\nnull\nendobj\nstartxref\n9\n%%EOF\n"...))
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", office.Root())
	at := time.Now().Add(time.Minute)
	limits := facts.Limits{PDF: pdf.Limits{Work: 32 << 20}, Signatures: 20, Revisions: 50}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: at, Trust: &trust, Explain: true, Limits: limits})
		if err != nil {
			return
		}
		if r.Passed() {
			last := r.Signatures[len(r.Signatures)-1]
			if n := last.Covers.Length; n > int64(len(sound)) || !bytes.Equal(bytes.ToUpper(file[:n]), bytes.ToUpper(sound[:n])) {
				t.Errorf("passed, though nobody signed it")
			}
		}
		if err := r.WriteText(io.Discard, "id"); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}
