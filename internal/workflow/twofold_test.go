package workflow_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/pdf/pdftest"
)

// TestFileWithTwoReadingsIsRewrittenAtUpload has files that this reader shows in one way and others in another. People
// sign one of them, without what some readers would find.
func TestFileWithTwoReadingsIsRewrittenAtUpload(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, file := range pdftest.TwofoldFiles() {
		d, err := h.take(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !d.Normalised() {
			t.Errorf("%s is signed as it was uploaded", name)
		}
		for _, trace := range []string{"/ObjStm", "/XRefStm", "/Contents 6 0 R /Contents"} {
			if b := h.bytesOf(h.Preview(t.Context(), h.owner, d.ID)); bytes.Contains(b, []byte(trace)) {
				t.Errorf("%s: the file to sign has %s", name, trace)
			}
		}
	}
	for name, file := range map[string][]byte{"Word": pdftest.WordHybrid(2), "streams": pdftest.Streams(2)} {
		if d, err := h.take(file); err != nil || d.Normalised() {
			t.Errorf("%s: rewritten %v, %v", name, d.Normalised(), err)
		}
	}
}

// TestSignedFileWithTwoReadingsIsRefusedUntilTheOwnerAcceptsIt signs a file that cannot be rewritten any more.
func TestSignedFileWithTwoReadingsIsRefusedUntilTheOwnerAcceptsIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	// Signing one of the others writes its page again, so that it has one reading, or fails where a place is stated twice.
	for _, name := range []string{"annotation hidden in a hybrid file", "object stream with two counts"} {
		file := pdftest.TwofoldFiles()[name]
		d, err := h.take(signedBy(t, h.ca, file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		varies := func(f contract.Finding) bool { return f.Code == contract.FindingViewVaries && f.Refused }
		if d.Normalised() || !slices.ContainsFunc(d.Findings, varies) {
			t.Errorf("%s: rewritten %v, %+v", name, d.Normalised(), d.Findings)
		}
		var refused *contract.Error
		if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); !errors.As(err, &refused) || refused.Code != "document.active_content" {
			t.Errorf("%s: finalize: %v", name, err)
		}
		if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{AcceptFindings: []contract.FindingCode{contract.FindingViewVaries}}); err != nil {
			t.Errorf("%s: finalize: %v", name, err)
		}
	}
}
