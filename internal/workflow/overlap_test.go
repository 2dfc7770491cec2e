package workflow_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// warned places boxes on page 1 of a draft and returns the warnings.
func (h *harness) warned(id contract.DocumentID, kind contract.PlacementKind, boxes ...contract.Box) []string {
	h.t.Helper()
	var places []contract.PlaceRequest
	for _, b := range boxes {
		places = append(places, contract.PlaceRequest{Kind: kind, Page: 1, Person: h.signer.ID, Emet: &b})
	}
	placed, err := h.Place(h.t.Context(), h.owner, id, 0, places)
	if err != nil {
		h.t.Fatal(err)
	}
	var found []string
	for _, w := range placed.Warnings {
		found = append(found, fmt.Sprintf("%s %s %v", w.Field, w.Code, w.Args["what"]))
	}
	return found
}

func TestStampOverTheFilesOwnTextStampsAndSignaturesIsWarnedOf(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := t.Context()
	at := func(x, y float64) contract.Box { return contract.Box{LLX: x, LLY: y, URX: x + 60, URY: y + 60} }

	// The page of the test file says "Page 1" in 24 points at (72, 720).
	d, err := h.take(pdftest.Table(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.warned(d.ID, contract.PlaceStamp, at(90, 700), at(300, 300)); !slices.Equal(got, []string{"signers[0] placement.over_text Page 1"}) {
		t.Errorf("%q", got)
	}
	for _, kind := range []contract.PlacementKind{contract.PlaceSignature, contract.PlaceInitials} {
		if got := h.warned(d.ID, kind, at(60, 700), at(90, 690)); !slices.Equal(got, []string{"signers[0] placement.over_text Page", "signers[1] placement.over_box <nil>", "signers[1] placement.over_text Page 1"}) {
			t.Errorf("%s over text: %q", kind, got)
		}
	}

	// Upload a completed document again, with a signature at (200, 200) and a stamp at (300, 300).
	boxes := []contract.PlaceRequest{
		{Kind: contract.PlaceSignature, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 260, URY: 260}},
		{Kind: contract.PlaceStamp, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 300, LLY: 300, URX: 360, URY: 360}},
	}
	if _, err := h.Place(ctx, h.owner, d.ID, 0, boxes); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.work(d.ID)
	serial := h.read(d.ID).Stamps[0].Serial
	again, err := h.take(h.bytesOf(h.Download(ctx, h.owner, d.ID)))
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]string{
		240: "signers[0] placement.over_signature Budi",
		340: "signers[0] placement.over_former_stamp " + serial,
	} {
		if got := h.warned(again.ID, contract.PlaceStamp, at(x, x)); !slices.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if got := h.warned(again.ID, contract.PlaceSignature, at(x, x)); !slices.Contains(got, want) {
			t.Errorf("a signature: %q, want %q", got, want)
		}
	}
}

func TestStampOverAnEmptyFieldOfTheFileIsWarnedOf(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	file := pdftest.Table(1)
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tail, err := pades.AddFields(doc, []pades.FieldSpec{{Name: "Waiting", Page: 1, Rect: pdf.Rect{LLX: 100, LLY: 100, URX: 200, URY: 150}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.take(append(file, tail.Bytes...))
	if err != nil {
		t.Fatal(err)
	}
	got := h.warned(d.ID, contract.PlaceStamp, contract.Box{LLX: 150, LLY: 120, URX: 210, URY: 180})
	if !slices.Equal(got, []string{"signers[0] placement.over_field Waiting"}) {
		t.Errorf("%q", got)
	}
}

func TestFinalizedDocumentIsHeldAgainstTheFileAsItCame(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	d, err := h.take(pdftest.Table(1))
	if err != nil {
		t.Fatal(err)
	}
	boxes := []contract.PlaceRequest{
		{Kind: contract.PlaceSignature, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 260, URY: 260}},
		{Kind: contract.PlaceStamp, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 90, LLY: 700, URX: 150, URY: 760}},
	}
	if _, err := h.Place(t.Context(), h.owner, d.ID, 0, boxes); err != nil {
		t.Fatal(err)
	}
	finalized, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The signer's field, added by finalize, is not a field of the upload.
	w := h.PlacementWarnings(t.Context(), finalized.Document)
	if len(w) != 1 || w[0].Code != "placement.over_text" || w[0].Field != "placements[1]" || w[0].Args["what"] != "Page 1" {
		t.Errorf("%+v", w)
	}
}

func TestDraftPlacedUnderALargerLimitIsRefusedAtFinalize(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	d, err := h.take(pdftest.Table(1))
	if err != nil {
		t.Fatal(err)
	}
	h.Limits.BoxArea = 100
	box := contract.PlaceRequest{Kind: contract.PlaceInitials, Page: 1, Person: h.signer.ID, Emet: &contract.Box{URX: 595, URY: 842}}
	if _, err := h.Place(t.Context(), h.owner, d.ID, 0, []contract.PlaceRequest{box}); err != nil {
		t.Fatal(err)
	}
	h.Limits.BoxArea = 25
	_, err = h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{})
	var refused *contract.Error
	if !errors.As(err, &refused) || refused.Kind != contract.Invalid || len(refused.Fields) != 1 || refused.Fields[0].Field != "placements[0]" || refused.Fields[0].Code != "placement.too_large" {
		t.Fatalf("%v", err)
	}
	if d := h.read(d.ID); d.State != contract.Draft || len(d.Revisions) != 1 {
		t.Errorf("the document is %s with %d revisions", d.State, len(d.Revisions))
	}
}

func TestShareOfThePageIsThatOfThePageAsDisplayed(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	for name, c := range map[string]struct {
		edit          func(page pdf.Dict)
		width, height float64 // of the page as displayed
	}{
		"turned":          {func(page pdf.Dict) { page["Rotate"] = pdf.Integer(90) }, 841.89, 595.276},
		"cropped":         {func(page pdf.Dict) { page["CropBox"] = pdf.Rect{LLX: 100, LLY: 200, URX: 400, URY: 500}.Array() }, 300, 300},
		"of another unit": {func(page pdf.Dict) { page["UserUnit"] = pdf.Integer(2) }, 2 * 595.276, 2 * 841.89},
		"turned and cropped": {func(page pdf.Dict) {
			page["Rotate"], page["CropBox"] = pdf.Integer(270), pdf.Rect{URX: 200, URY: 400}.Array()
		}, 400, 200},
		"with a large media box": {func(page pdf.Dict) {
			page["MediaBox"], page["CropBox"] = pdf.Rect{URX: 5000, URY: 5000}.Array(), pdf.Rect{URX: 500, URY: 500}.Array()
		}, 500, 500},
	} {
		h := newHarness(t)
		d, err := h.take(pageOf(t, c.edit))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		place := func(w, height float64) error {
			box := contract.PlaceRequest{Kind: contract.PlaceSignature, Page: 1, Person: h.signer.ID, Emet: &contract.Box{URX: w, URY: height}}
			_, err := h.Place(t.Context(), h.owner, d.ID, 0, []contract.PlaceRequest{box})
			return err
		}
		if err := place(c.width/2, c.height/2); err != nil {
			t.Errorf("%s: a quarter: %v", name, err)
		}
		if err := place(c.width*0.6, c.height/2); err == nil {
			t.Errorf("%s: a box on 30 %% of the page was accepted", name)
		}
	}
}

// pageOf returns a file with one edited page.
func pageOf(t testing.TB, edit func(page pdf.Dict)) []byte {
	t.Helper()
	file := pdftest.Table(1)
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := doc.Page(1)
	if err != nil {
		t.Fatal(err)
	}
	u := doc.NewUpdate()
	dict, err := u.Edit(page.Ref)
	if err != nil {
		t.Fatal(err)
	}
	edit(dict)
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	return append(file, tail.Bytes...)
}
