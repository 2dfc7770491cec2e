package workflow_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// whiteArea is an opaque appearance.
type whiteArea struct{}

func (whiteArea) Form(u *pdf.Update, _ appearance.Frame) (pdf.Ref, error) {
	return u.Add(&pdf.Stream{Data: []byte("1 g 0 0 9 9 re f"), Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array(), "Resources": pdf.Dict{},
	}}), nil
}

// covered returns a signed file with a second signature in an opaque box.
func covered(t *testing.T, a *authority.Authority, box pdf.Rect) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), authority.Holder{ID: "1", Name: "Orang lain", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	file := signedBy(t, a, pdftest.Table(1))
	r, err := pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
		NewField: &pades.FieldSpec{Name: "Atas", Page: 1, Rect: box}, Appearance: whiteArea{}, Key: key, Chain: chain, Time: time.Now(), Timestamper: a.Timestamper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(file, r.Tail...)
}

// TestMarksAreJudgedAtUploadAndFinalizeAsInAVerdict checks that upload and finalize refuse what the validation of the
// finished file would deny, before people sign.
func TestMarksAreJudgedAtUploadAndFinalizeAsInAVerdict(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, c := range map[string]struct {
		box   pdf.Rect
		limit int
		code  string
	}{
		"all of the page": {pdf.Rect{URX: 595, URY: 842}, 25, "file.signature_changed"},
		"all of the page, where boxes may be so large":     {pdf.Rect{URX: 595, URY: 842}, 100, ""},
		"a tenth of the page, over what was signed before": {pdf.Rect{LLX: 40, LLY: 640, URX: 240, URY: 840}, 25, ""},
	} {
		h.Limits.BoxArea = c.limit
		file := covered(t, h.ca, c.box)
		if _, err := h.take(file); codeOf(err) != c.code {
			t.Errorf("%s: upload: %v, want %q", name, err, c.code)
		}
		if _, err := h.Finalize(t.Context(), h.owner, h.draftAsBefore(file), contract.FinalizeOptions{}); codeOf(err) != c.code {
			t.Errorf("%s: finalize: %v, want %q", name, err, c.code)
		}
	}
}

// TestSealedFileIsHeldAgainstTheRulesForMarks checks that a document that was finalized under a larger limit on marks
// is not completed if its validation would deny the marks, and that one that was completed then is still renewed.
func TestSealedFileIsHeldAgainstTheRulesForMarks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Limits.BoxArea = 100
	file := covered(t, h.ca, pdf.Rect{URX: 595, URY: 842})
	ready := func() contract.DocumentID {
		t.Helper()
		d, err := h.take(file)
		if err == nil {
			_, err = h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		h.signs(d.ID)
		return d.ID
	}
	waits, completed := ready(), ready()
	h.work(completed)
	if d := h.read(completed); d.State != contract.Completed {
		t.Fatalf("%s, %q", d.State, d.Reason)
	}
	h.Limits.BoxArea = 25
	if err := h.Complete(t.Context(), waits); err == nil || !strings.Contains(err.Error(), "signature_changed Lain") {
		t.Errorf("sealing: %v", err)
	}
	if d := h.read(waits); d.State != contract.Processing {
		t.Errorf("the waiting document is %s", d.State)
	}
	h.raised("sealing", map[documents.Alarm]int{documents.AlarmInvalid: 1})
	h.later(19*year + 30*24*time.Hour)
	h.another()
	if renewed, err := h.Renew(t.Context(), completed); err != nil || !renewed {
		t.Errorf("renewed %v, %v", renewed, err)
	}
	h.raised("renewing", map[documents.Alarm]int{documents.AlarmInvalid: 1})
}
