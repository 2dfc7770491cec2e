package api

import (
	"encoding/base64"

	"segel/internal/contract"
	"segel/internal/specimen"
)

type specimenPreviewIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Specimen   phrase  `json:"specimen" required:"true" doc:"PNG or JPEG in base64, at most 1 MiB" example:"iVBORw0KGgoAAAANSUhEUgAAACAAAAAQAQAAAABfe0D0AAAAIklEQVR42mP4DwQM2IgPYIIfxGUAEUAmA5TzgR+khB+bNgAmijnH5rUZ2wAAAABJRU5ErkJggg=="`
}

type specimenPreviewData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Picture    string              `json:"picture" doc:"the strokes as a PNG in base64, in one dark colour on a transparent ground" example:"iVBORw0KGgo..."`
	Coverage   float64             `json:"coverage" doc:"share of the picture that the strokes cover, at most 0.4" example:"0.08"`
}

func (s *server) registerSpecimenPreview() {
	servePost(s, endpoint{
		path: signBase + "specimen-preview-docs", id: "specimen-preview", timeLimit: lengthy, group: groupVerbs, op: contract.OpSign, limit: pictureLimit,
		summary: "See what a picture of a signature becomes",
		description: "Answers the strokes that sign-docs would show for the same picture. Nothing is signed and nothing is kept. A picture " +
			"that cannot become strokes is 422.",
	}, func(c *call, in *specimenPreviewIn) (done[specimenPreviewData], error) {
		var bad problems
		id := parseDocumentID(in.DocumentID, &bad)
		file := parsePicture(in.Specimen, &bad)
		if len(file) == 0 && len(bad) == 0 {
			bad.add("specimen", "value.required")
		}
		if err := c.requireValid(id, bad); err != nil {
			return done[specimenPreviewData]{}, err
		}
		d, err := c.Workflow.Detail(c.r.Context(), c.by, contract.OpSign, id)
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
	})
}
