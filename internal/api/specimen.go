package api

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"segel/internal/specimen"
)

func (s *server) registerSpecimen() {
	const path = "/v1/auth/specimen"
	serveStream(s, endpoint{
		method: http.MethodGet, path: path, id: "specimen", timeLimit: lengthy, group: groupAccount, answers: pictureAnswer(),
		summary:     "The picture of the caller's signature",
		description: "PNG or JPEG as it was given; 404 when none was.",
	}, func(c *call) error {
		p, err := c.Identity.Specimen(c.r.Context(), c.by)
		if err != nil {
			return err
		}
		h := c.w.Header()
		h.Set("Content-Type", p.Type)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Content-Security-Policy", "default-src 'none'")
		http.ServeContent(c.w, withoutManyRanges(c.r), "", time.Time{}, bytes.NewReader(p.Image))
		return nil
	})

	e := endpoint{
		method: http.MethodPut, path: path, id: "put-specimen", timeLimit: lengthy, group: groupAccount,
		limit:   specimen.MaxBytes + 1, // one byte more, so that the refusal names the specimen's own limit
		body:    pictureBody(),
		summary: "Give a picture of the caller's signature",
		description: "The body is the picture itself, PNG or JPEG by its content, of at most 1 MiB. It becomes dark strokes on a " +
			"transparent ground wherever it is shown; a picture that cannot is 422.",
	}
	s.describeAnswer(&e, typeOf[noted]())
	serveStream(s, e, func(c *call) error {
		picture, err := io.ReadAll(c.r.Body)
		if err != nil {
			return bodyReadError(err)
		}
		if err := c.Identity.SetSpecimen(c.r.Context(), c.by, picture); err != nil {
			return err
		}
		return c.writeAnswer(http.StatusOK, c.notedAnswer("done.specimen"))
	})

	serveGet(s, endpoint{
		method: http.MethodDelete, path: path, id: "delete-specimen", group: groupAccount,
		summary: "Forget the picture of the caller's signature",
	}, func(c *call) (noted, error) {
		if err := c.Identity.DeleteSpecimen(c.r.Context(), c.by); err != nil {
			return noted{}, err
		}
		return c.notedAnswer("done.specimen_deleted"), nil
	})
}
