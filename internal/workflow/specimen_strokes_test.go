package workflow_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// scan returns a picture of a white page, with or without a black line.
func scan(t testing.TB, line bool) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 600, 200))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for x := 60; line && x < 540; x++ {
		for y := 95; y < 105; y++ {
			m.SetGray(x, y, color.Gray{})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// signing returns a document that waits for the signer, who has one box on its page.
func (h *harness) signing(kind contract.PlacementKind) contract.DocumentID {
	h.t.Helper()
	d, err := h.take(pdftest.Table(1))
	if err != nil {
		h.t.Fatal(err)
	}
	box := contract.PlaceRequest{Kind: kind, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 200, LLY: 200, URX: 360, URY: 260}}
	if _, err := h.Place(h.t.Context(), h.owner, d.ID, []contract.PlaceRequest{box}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(h.t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	return d.ID
}

func TestSpecimenKeptEarlierThatCannotBecomeStrokesIsRefusedBeforeAnythingIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.signing(contract.PlaceInitials)
	if err := h.store.SetSpecimen(t.Context(), h.signer.ID, scan(t, false)); err != nil {
		t.Fatal(err)
	}
	_, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{})
	if !errors.Is(err, contract.Refuse(contract.Invalid, "specimen.no_strokes")) {
		t.Fatalf("%v", err)
	}
	d := h.read(id)
	if p := d.Participant(h.signer.ID); !p.IntentAt.IsZero() || !p.SignedAt.IsZero() {
		t.Errorf("recorded: %+v", p)
	}
}

func TestSpecimenKeptEarlierIsShownAsStrokes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, kind := range []contract.PlacementKind{contract.PlaceInitials, contract.PlaceSignature} {
		id := h.signing(kind)
		if err := h.store.SetSpecimen(t.Context(), h.signer.ID, scan(t, true)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{}); err != nil {
			t.Fatal(err)
		}
		b := h.bytesOf(h.Preview(t.Context(), h.owner, id))
		doc, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		signatures, err := doc.Signatures()
		if err != nil || len(signatures) != 1 {
			t.Fatalf("%d signatures, %v", len(signatures), err)
		}
		looks, err := doc.Dict(signatures[0].Field.Widgets[0].Dict["AP"])
		if err != nil {
			t.Fatal(err)
		}
		form, err := doc.Stream(looks["N"])
		if err != nil {
			t.Fatal(err)
		}
		resources, err := doc.Dict(form.Dict["Resources"])
		if err != nil {
			t.Fatal(err)
		}
		objects, err := doc.Dict(resources["XObject"])
		if err != nil || len(objects) != 1 {
			t.Fatalf("%s: %d pictures, %v", kind, len(objects), err)
		}
		for _, o := range objects {
			picture, err := doc.Stream(o)
			if err != nil {
				t.Fatal(err)
			}
			mask, err := doc.Stream(picture.Dict["SMask"])
			if err != nil || mask == nil {
				t.Fatalf("%s: the picture has no mask: %v", kind, err)
			}
			alpha, err := doc.Decode(mask)
			if err != nil {
				t.Fatal(err)
			}
			covered := 0
			for _, a := range alpha {
				if a > 0 {
					covered++
				}
			}
			if share := float64(covered) / float64(len(alpha)); share == 0 || share > 0.4 {
				t.Errorf("%s: %.2f of the picture is covered", kind, share)
			}
		}
	}
}

func TestPictureIsDecodedOnlyForThoseWhoMaySign(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.signing(contract.PlaceInitials)
	broken := workflow.SignRequest{Picture: []byte("no picture")}
	if _, err := h.Sign(t.Context(), h.owner, id, broken); err == nil || errors.Is(err, contract.Refuse(contract.Unsupported, "specimen.not_picture")) {
		t.Errorf("a person who does not sign: %v", err)
	}
	if _, err := h.Sign(t.Context(), h.signer, id+1000, broken); contract.KindOf(err) != contract.NotFound {
		t.Errorf("a missing document: %v", err)
	}
	if _, err := h.Sign(t.Context(), h.signer, id, broken); !errors.Is(err, contract.Refuse(contract.Unsupported, "specimen.not_picture")) {
		t.Errorf("the signer: %v", err)
	}
	d := h.read(id)
	if p := d.Participant(h.signer.ID); !p.IntentAt.IsZero() || !p.SignedAt.IsZero() {
		t.Errorf("recorded: %+v", p)
	}
	if _, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{Picture: scan(t, true)}); err != nil {
		t.Error(err)
	}
	if _, err := h.Sign(t.Context(), h.signer, id, broken); err == nil || errors.Is(err, contract.Refuse(contract.Unsupported, "specimen.not_picture")) {
		t.Errorf("a person who has signed: %v", err)
	}
}
