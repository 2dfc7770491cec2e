package api

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"segel/internal/contract"
	"segel/internal/workflow"
)

type signIn struct {
	DocumentID integer       `json:"document_id" required:"true"`
	Digest     phrase        `json:"digest" required:"false" doc:"SHA-256 in hex of the revision that the signer saw: the ETag of preview. 409 if the current revision is another one" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	PagesShown list[integer] `json:"pages_shown" required:"false" doc:"numbers of the pages of the revision with this digest that were shown to the signer. Missing, or without digest: the log records that the service did not show the pages"`
	Specimen   phrase        `json:"specimen" required:"false" doc:"appearance of this signature: PNG or JPEG in base64, at most 1 MiB, shown as dark strokes on a transparent background. Missing: the caller's stored picture, else their printed name" example:"iVBORw0KGgo..."`
	OTP        phrase        `json:"otp" required:"false" doc:"code of a second factor, if one is required"`
}

func (c *call) signDocument(in *signIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	request := workflow.SignRequest{
		Shown: contract.ShownPages{Digest: parseDigest(in.Digest, &bad), Pages: parsePagesShown(in.PagesShown, &bad)},
		OTP:   in.OTP.checkedValue("otp", &bad),
	}
	request.Picture = parsePicture(in.Specimen, &bad)
	return runDocumentOperation(c, id, bad, "done.sign", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Sign(ctx, c.by, id, request)
	})
}

// parsePagesShown reads page numbers. The rule checks whether the document has these pages.
func parsePagesShown(l list[integer], bad *problems) []int {
	items := l.checkedValue("pages_shown", bad)
	if len(items) > maxItems {
		bad.add("pages_shown", "value.too_many", "limit", maxItems)
		return nil
	}
	var pages []int
	for i, n := range items {
		pages = append(pages, int(min(n.checkedValue(fmt.Sprintf("pages_shown[%d]", i), 0, bad), math.MaxInt32)))
	}
	return pages
}

// parseDigest reads a SHA-256 in hex. It returns zero when none is given.
func parseDigest(p phrase, bad *problems) (sum [32]byte) {
	s := strings.TrimSpace(p.checkedValue("digest", bad))
	if s == "" {
		return sum
	}
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(sum) {
		bad.add("digest", "value.not_hex")
		return sum
	}
	copy(sum[:], b)
	if sum == ([32]byte{}) {
		// Zero would mean that none was given. No revision has this digest.
		sum[0] = 1
	}
	return sum
}

// parsePicture reads a picture in base64, or as a data URL. It returns nil when none is given.
func parsePicture(p phrase, bad *problems) []byte {
	s := p.checkedValue("specimen", bad)
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		_, s, _ = strings.Cut(rest, ",")
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		bad.add("specimen", "value.not_base64")
		return nil
	}
	return b
}
