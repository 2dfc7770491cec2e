package workflow_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
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

// TestFileWithTwoReadingsAndASignatureOutsideItsFormIsNotRewritten has usage rights, whose signature is in no field. Rewriting
// would break it.
func TestFileWithTwoReadingsAndASignatureOutsideItsFormIsNotRewritten(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	file := pdftest.TwofoldFiles()["page that states its contents twice"]
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	root, _, err := doc.Root()
	if err != nil {
		t.Fatal(err)
	}
	u := doc.NewUpdate()
	catalog, err := u.Edit(root)
	if err != nil {
		t.Fatal(err)
	}
	catalog["Perms"] = pdf.Dict{"UR3": u.Add(pdf.Dict{
		"Type": pdf.Name("Sig"), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": pdf.Name("adbe.pkcs7.detached"), "Contents": pdf.String{Bytes: make([]byte, 9), Hex: true},
	})}
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, tail.Bytes...)
	d, err := h.take(file)
	if err != nil {
		t.Fatal(err)
	}
	if d.Normalised() || len(d.Findings) != 1 || d.Findings[0].Code != contract.FindingViewVaries || !d.Findings[0].Refused {
		t.Errorf("rewritten %v, %+v", d.Normalised(), d.Findings)
	}
	if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); codeOf(err) != "document.active_content" {
		t.Errorf("finalize: %v", err)
	}
	if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{AcceptFindings: []contract.FindingCode{contract.FindingViewVaries}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Sign(t.Context(), h.signer, d.ID, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.work(d.ID)
	if d := h.read(d.ID); d.State != contract.Completed {
		t.Errorf("%s, %q", d.State, d.Reason)
	}
	if b := h.bytesOf(h.Download(t.Context(), h.owner, d.ID)); !bytes.HasPrefix(b, file) {
		t.Error("the completed file does not begin with the uploaded one")
	}
}

// TestViewOfTheWholeFileThatVariesIsReportedBesideItsPages has a page with a layer of one user, in a file that can be read in
// two ways.
func TestViewOfTheWholeFileThatVariesIsReportedBesideItsPages(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	cases := pdftest.SuspectCases()
	i := slices.IndexFunc(cases, func(c pdftest.InspectCase) bool { return c.Name == "layer of a user" })
	file := bytes.Replace(cases[i].File, []byte("/Encoding /WinAnsiEncoding"), []byte("/BaseFont /Times-Roman    "), 1)
	d, err := h.take(signedBy(t, h.ca, file))
	if err != nil {
		t.Fatal(err)
	}
	var pages []int
	for _, f := range d.Findings {
		if f.Code == contract.FindingViewVaries {
			pages = append(pages, f.Page)
		}
	}
	if !slices.Equal(pages, []int{1, 0}) {
		t.Errorf("%+v", d.Findings)
	}
}

// TestDraftOfAnOlderReleaseWithTwoReadingsIsRewrittenAtFinalize has drafts of files that releases before took as they are. The update that adds
// the fields writes the page again as we read it; where that is what was stated twice, the file has one reading and stays.
func TestDraftOfAnOlderReleaseWithTwoReadingsIsRewrittenAtFinalize(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	stays := []string{"page that states its contents twice", "object stream with another page there", "object stream that has a page twice"}
	for name, file := range pdftest.TwofoldFiles() {
		rewritten, files := !slices.Contains(stays, name), 1
		if rewritten {
			files = 2
		}
		id := h.draftAsBefore(file)
		before := h.blobs()
		if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := h.read(id)
		if d.Normalised() != rewritten || d.Original.Digest != sha256.Sum256(file) || h.blobs() != before+files {
			t.Errorf("%s: normalised %v, original %x, %d files more", name, d.Normalised(), d.Original.Digest, h.blobs()-before)
		}
		events, err := h.store.Events(t.Context(), id)
		if err != nil || rewritten != slices.ContainsFunc(events, func(e contract.Event) bool {
			return e.Type == contract.EventNormalised && e.Details["reason"] == contract.NormalisedDamaged
		}) {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
		h.signs(id)
		h.work(id)
		if d := h.read(id); d.State != contract.Completed {
			t.Errorf("%s: %s, %q", name, d.State, d.Reason)
		}
		if b := h.bytesOf(h.Original(t.Context(), h.owner, id)); !bytes.Equal(b, file) {
			t.Errorf("%s: the original is not what was uploaded", name)
		}
	}
}

// TestSignedDraftOfAnOlderReleaseWithTwoReadingsIsRefusedUntilTheOwnerAcceptsIt has a draft whose upload found nothing.
func TestSignedDraftOfAnOlderReleaseWithTwoReadingsIsRefusedUntilTheOwnerAcceptsIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draftAsBefore(signedBy(t, h.ca, pdftest.TwofoldFiles()["annotation hidden in a hybrid file"]))
	if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{}); codeOf(err) != "document.active_content" {
		t.Errorf("finalize: %v", err)
	}
	if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{AcceptFindings: []contract.FindingCode{contract.FindingViewVaries}}); err != nil {
		t.Fatal(err)
	}
	d := h.read(id)
	if d.Normalised() || len(d.Findings) != 1 || d.Findings[0].Code != contract.FindingViewVaries || !d.Findings[0].Accepted {
		t.Errorf("rewritten %v, %+v", d.Normalised(), d.Findings)
	}
	events, err := h.store.Events(t.Context(), id)
	if err != nil || !slices.ContainsFunc(events, func(e contract.Event) bool { return e.Type == contract.EventFindingAccepted }) {
		t.Errorf("%v, %+v", err, events)
	}
}
