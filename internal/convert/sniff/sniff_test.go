package sniff

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
)

func TestAttacksAreRefusedForTheirReason(t *testing.T) {
	t.Parallel()
	for _, a := range converttest.Attacks(converttest.Targets{URL: "http://127.0.0.1:9/", Secret: "/tmp/secret.txt", Picture: "/tmp/picture.png"}) {
		_, err := CheckDocument(t.Context(), bytes.NewReader(a.File), int64(len(a.File)), Limits{})
		var r *Refusal
		if !errors.As(err, &r) || string(r.Reason) != a.Reason {
			t.Errorf("%s: %v, not refused for %s", a.Name, err, a.Reason)
		}
	}
}

func requireAccepted(t *testing.T, file []byte) Findings {
	t.Helper()
	f, err := CheckDocument(t.Context(), bytes.NewReader(file), int64(len(file)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAPlainDocumentIsTaken(t *testing.T) {
	t.Parallel()
	if f := requireAccepted(t, converttest.Document{Body: converttest.Paragraphs("Pasal 1")}.Bytes()); f.Kind != convert.DOCX || f.Tracked || f.Pages != 0 || len(f.Fonts) != 0 {
		t.Errorf("%+v", f)
	}
}

func TestWhatAContractHoldsIsTaken(t *testing.T) {
	t.Parallel()
	f := requireAccepted(t, converttest.Sample())
	if f.Pages != converttest.SamplePages || !f.Tracked {
		t.Errorf("%+v", f)
	}
	for _, want := range []string{"Calibri", "Cambria", "Fonta Yang Tidak Ada"} {
		if !slices.Contains(f.Fonts, want) {
			t.Errorf("the fonts %q lack %q", f.Fonts, want)
		}
	}
	if slices.Contains(f.Fonts, "Fonta Gaya Yang Tidak Dipakai") {
		t.Errorf("the fonts %q are of styles that nothing uses, too", f.Fonts)
	}
}
