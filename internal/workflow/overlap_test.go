package workflow_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// warned places boxes on page 1 of a draft and returns what is warned of.
func (h *house) warned(id contract.DocumentID, kind contract.PlacementKind, boxes ...contract.Box) []string {
	h.t.Helper()
	var places []contract.PlaceRequest
	for _, b := range boxes {
		places = append(places, contract.PlaceRequest{Kind: kind, Page: 1, Person: h.signer.ID, Emet: &b})
	}
	_, warnings, err := h.Place(h.t.Context(), h.owner, id, places)
	if err != nil {
		h.t.Fatal(err)
	}
	var found []string
	for _, w := range warnings {
		found = append(found, fmt.Sprintf("%s %s %v", w.Field, w.Code, w.Args["what"]))
	}
	return found
}

func TestStampOverTheFilesOwnTextStampsAndSignaturesIsWarnedOf(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
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
	if got := h.warned(d.ID, contract.PlaceSignature, at(60, 700)); got != nil {
		t.Errorf("a signature over text: %q", got)
	}

	// What comes out of a walk is taken in again: a signature at (200, 200), a stamp at (300, 300).
	boxes := []contract.PlaceRequest{
		{Kind: contract.PlaceSignature, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 260, URY: 260}},
		{Kind: contract.PlaceStamp, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 300, LLY: 300, URX: 360, URY: 360}},
	}
	if _, _, err := h.Place(ctx, h.owner, d.ID, boxes); err != nil {
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
		if got := h.warned(again.ID, contract.PlaceSignature, at(x, x)); !slices.Equal(got, []string{want}) {
			t.Errorf("a signature: %q, want %q", got, want)
		}
	}
}

func TestStampOverAnEmptyFieldOfTheFileIsWarnedOf(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
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
	h := newHouse(t)
	d, err := h.take(pdftest.Table(1))
	if err != nil {
		t.Fatal(err)
	}
	boxes := []contract.PlaceRequest{
		{Kind: contract.PlaceSignature, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 260, URY: 260}},
		{Kind: contract.PlaceStamp, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 90, LLY: 700, URX: 150, URY: 760}},
	}
	if _, _, err := h.Place(t.Context(), h.owner, d.ID, boxes); err != nil {
		t.Fatal(err)
	}
	if d, err = h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		t.Fatal(err)
	}
	// The field that finalizing has made for the signer is no field of the file's.
	w := h.Covered(t.Context(), d)
	if len(w) != 1 || w[0].Code != "placement.over_text" || w[0].Field != "placements[1]" || w[0].Args["what"] != "Page 1" {
		t.Errorf("%+v", w)
	}
}
