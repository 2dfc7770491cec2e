package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/specimen"
	"segel/internal/store"
)

var specimenKinds = []store.SpecimenKind{store.SignatureSpecimen, store.InitialsSpecimen}

// parseSpecimenKind reads which picture of the caller a request is about: of their signature unless it says otherwise.
func (c *call) parseSpecimenKind() (store.SpecimenKind, error) {
	q := c.parseQuery()
	kind := parseChoice(q, "kind", specimenKinds)
	return cmp.Or(kind, store.SignatureSpecimen), q.bad.asError()
}

// specimenParams describes the query that names the picture.
func specimenParams() []*huma.Param {
	return []*huma.Param{choiceParam("kind", "Which picture: of the signature, which is meant without it, or of the initials in boxes of type paraf.", specimenKinds)}
}

func (c *call) sendSpecimen() error {
	kind, err := c.parseSpecimenKind()
	if err != nil {
		return err
	}
	p, err := c.Identity.Specimen(c.r.Context(), c.by, kind)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", p.Type)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'")
	http.ServeContent(c.w, withoutManyRanges(c.r), "", time.Time{}, bytes.NewReader(p.Image))
	return nil
}

func (c *call) storeSpecimen() error {
	kind, err := c.parseSpecimenKind()
	if err != nil {
		return err
	}
	picture, err := io.ReadAll(c.r.Body)
	if err != nil {
		return bodyReadError(err)
	}
	if err := c.Identity.SetSpecimen(c.r.Context(), c.by, kind, picture); err != nil {
		return err
	}
	return c.writeAnswer(http.StatusOK, c.notedAnswer("done.specimen"))
}

func (c *call) deleteSpecimen() (noted, error) {
	kind, err := c.parseSpecimenKind()
	if err != nil {
		return noted{}, err
	}
	if err := c.Identity.DeleteSpecimen(c.r.Context(), c.by, kind); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.specimen_deleted"), nil
}

type specimenPreviewIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Specimen   phrase  `json:"specimen" required:"true" doc:"PNG or JPEG in base64, at most 1 MiB" example:"iVBORw0KGgoAAAANSUhEUgAAACAAAAAQAQAAAABfe0D0AAAAIklEQVR42mP4DwQM2IgPYIIfxGUAEUAmA5TzgR+khB+bNgAmijnH5rUZ2wAAAABJRU5ErkJggg=="`
}

type specimenPreviewData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Picture    string              `json:"picture" doc:"the strokes as a PNG in base64, in one dark colour on a transparent ground" example:"iVBORw0KGgo..."`
	Coverage   float64             `json:"coverage" doc:"share of the picture that the strokes cover, at most 0.4" example:"0.08"`
}

func (c *call) previewSpecimen(in *specimenPreviewIn) (done[specimenPreviewData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	file := parsePicture(in.Specimen, "specimen", &bad)
	if len(file) == 0 && len(bad) == 0 {
		bad.add("specimen", "value.required")
	}
	if err := c.refuseInput(id, bad); err != nil {
		return done[specimenPreviewData]{}, err
	}
	d, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, contract.OpSign, id)
	if err != nil {
		return done[specimenPreviewData]{}, err
	}
	strokes, err := specimen.ExtractStrokes(c.r.Context(), file)
	if err != nil {
		return done[specimenPreviewData]{}, err
	}
	png, err := strokes.PNG()
	if err != nil {
		return done[specimenPreviewData]{}, err
	}
	return doneAnswer(c, "done.specimen_preview", specimenPreviewData{DocumentID: d.ID, Picture: base64.StdEncoding.EncodeToString(png), Coverage: strokes.Coverage}), nil
}
