package workflow_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
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
	if _, err := h.Place(h.t.Context(), h.owner, d.ID, 0, []contract.PlaceRequest{box}); err != nil {
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
	if err := h.store.SetSpecimen(t.Context(), h.signer.ID, store.SignatureSpecimen, scan(t, false)); err != nil {
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
		if err := h.store.SetSpecimen(t.Context(), h.signer.ID, store.SignatureSpecimen, scan(t, true)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{}); err != nil {
			t.Fatal(err)
		}
		doc, pictures := h.shownPictures(id)
		if len(pictures) != 1 {
			t.Fatalf("%s: %d pictures", kind, len(pictures))
		}
		for _, picture := range pictures {
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

// shownPictures returns the pictures in the box of the signature of a document.
func (h *harness) shownPictures(id contract.DocumentID) (*pdf.Document, []*pdf.Stream) {
	h.t.Helper()
	must := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(err)
		}
	}
	b := h.bytesOf(h.Preview(h.t.Context(), h.owner, id))
	doc, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	must(err)
	signatures, err := doc.Signatures()
	if err != nil || len(signatures) != 1 {
		h.t.Fatalf("%d signatures, %v", len(signatures), err)
	}
	looks, err := doc.Dict(signatures[0].Field.Widgets[0].Dict["AP"])
	must(err)
	form, err := doc.Stream(looks["N"])
	must(err)
	resources, err := doc.Dict(form.Dict["Resources"])
	must(err)
	objects, err := doc.Dict(resources["XObject"])
	must(err)
	var all []*pdf.Stream
	for _, o := range objects {
		picture, err := doc.Stream(o)
		must(err)
		all = append(all, picture)
	}
	return doc, all
}

// uprightScan returns a picture of a white page with an upright black line.
func uprightScan(t testing.TB) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 200, 600))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := 60; y < 540; y++ {
		for x := 95; x < 105; x++ {
			m.SetGray(x, y, color.Gray{})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBoxesForInitialsShowAPictureOfTheirOwn tells the pictures apart by their form: the signature is wide, initials are tall.
func TestBoxesForInitialsShowAPictureOfTheirOwn(t *testing.T) {
	t.Parallel()
	wide, tall := scan(t, true), uprightScan(t)
	const initials, signature = contract.PlaceInitials, contract.PlaceSignature
	for name, c := range map[string]struct {
		box                            contract.PlacementKind
		request                        workflow.SignRequest
		storedSignature, storedInitial []byte
		want                           string
	}{
		"initials of the request":                      {initials, workflow.SignRequest{Picture: wide, Initials: tall}, nil, nil, "tall"},
		"initials alone":                               {initials, workflow.SignRequest{Initials: tall}, wide, nil, "tall"},
		"signature beside initials":                    {signature, workflow.SignRequest{Picture: wide, Initials: tall}, nil, tall, "wide"},
		"a client that knows no initials":              {initials, workflow.SignRequest{Picture: wide}, nil, tall, "wide"},
		"stored initials":                              {initials, workflow.SignRequest{}, wide, tall, "tall"},
		"stored initials are not shown as a signature": {signature, workflow.SignRequest{}, nil, tall, "none"},
		"a stored signature without stored initials":   {initials, workflow.SignRequest{}, wide, nil, "wide"},
		"nothing stored":                               {initials, workflow.SignRequest{}, nil, nil, "none"},
	} {
		h := newHarness(t)
		id := h.signing(c.box)
		for kind, picture := range map[store.SpecimenKind][]byte{store.SignatureSpecimen: c.storedSignature, store.InitialsSpecimen: c.storedInitial} {
			if err := h.store.SetSpecimen(t.Context(), h.signer.ID, kind, picture); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Sign(t.Context(), h.signer, id, c.request); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, pictures := h.shownPictures(id)
		got := "none"
		if len(pictures) == 1 {
			width, _ := pictures[0].Dict["Width"].(pdf.Integer)
			height, _ := pictures[0].Dict["Height"].(pdf.Integer)
			if got = "tall"; width > height {
				got = "wide"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s (%d pictures), want %s", name, got, len(pictures), c.want)
		}
	}
}

func TestInitialsThatCannotBecomeStrokesAreRefusedBeforeAnythingIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.signing(contract.PlaceInitials)
	_, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{Picture: scan(t, true), Initials: scan(t, false)})
	if !errors.Is(err, contract.Refuse(contract.Invalid, "specimen.no_strokes")) {
		t.Fatalf("%v", err)
	}
	d := h.read(id)
	if p := d.Participant(h.signer.ID); !p.IntentAt.IsZero() || !p.SignedAt.IsZero() {
		t.Errorf("recorded: %+v", p)
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
