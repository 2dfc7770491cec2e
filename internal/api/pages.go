package api

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/workflow"
)

// pageList is the answer of pages.
type pageList struct {
	Digest   string      `json:"digest" doc:"SHA-256 in hex of the current revision: the ETag of preview" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Size     int64       `json:"size" doc:"bytes of the file" example:"204800"`
	Count    int         `json:"count" example:"12"`
	Sizes    []pageSizes `json:"sizes" doc:"of the first pages; later ones are most likely like the last"`
	Pictures bool        `json:"pictures" doc:"page-picture draws them"`
	Widths   []int       `json:"widths" doc:"of the pictures, in pixels" example:"[360,720,1080,1440]"`
	Sender   senderOut   `json:"sender" doc:"as in detail: the web app shows it before it has loaded the detail"`
}

type pageSizes struct {
	First  int     `json:"first" doc:"number of a page" example:"1"`
	Last   int     `json:"last" doc:"number of the last page of the same size" example:"12"`
	Width  float64 `json:"width" doc:"as displayed, in points" example:"595.28"`
	Height float64 `json:"height" example:"841.89"`
}

func (c *call) listPages() (pageList, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return pageList{}, err
	}
	l, err := c.Workflow.Pages(c.r.Context(), c.by, id)
	if err != nil {
		return pageList{}, err
	}
	return pageList{
		Digest: hex.EncodeToString(l.Digest[:]), Size: l.Size, Count: l.Count, Pictures: l.Pictures, Widths: workflow.PictureWidths,
		Sender: c.senderOf(l.Sender),
		Sizes:  convertAll(l.Sizes, func(s workflow.PageSizes) pageSizes { return pageSizes(s) }),
	}, nil
}

// sendPagePicture sends a picture of a page. Browsers keep it, and ask each time whether they may show it.
func (c *call) sendPagePicture() error {
	id, err := c.pathDocumentID()
	if err != nil {
		return err
	}
	q := c.parseQuery()
	r := q.parsePicture()
	if err := c.refuseInput(id, q.bad); err != nil {
		return err
	}
	p, err := c.Workflow.DrawPage(c.r.Context(), c.by, id, r)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", p.Type)
	h.Set("ETag", fmt.Sprintf(`"%x-%d-%d"`, r.Digest, r.Page, r.Width))
	h.Set("Page-Size", fmt.Sprintf("%.2f %.2f", p.Width, p.Height))
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'")
	http.ServeContent(c.w, withoutManyRanges(c.r), "", time.Time{}, bytes.NewReader(p.Bytes))
	return nil
}

func (q *query) parsePicture() (r workflow.PictureRequest) {
	sum, err := hex.DecodeString(q.Get("digest"))
	if err != nil || len(sum) != len(r.Digest) {
		q.bad.add("digest", "value.not_hex")
	}
	copy(r.Digest[:], sum)
	page, ok := parseInteger(q.Get("page"))
	if r.Page = int(page); !ok || page < 1 || page != int64(r.Page) {
		q.bad.add("page", "value.out_of_range", "min", 1, "max", maxInteger)
	}
	r.Width, _ = strconv.Atoi(q.Get("width"))
	if !slices.Contains(workflow.PictureWidths, r.Width) {
		q.bad.add("width", "value.not_one_of", "allowed", strings.Trim(fmt.Sprint(workflow.PictureWidths), "[]"))
	}
	return r
}

// pictureParams describes the query of a picture of a page.
func pictureParams() []*huma.Param {
	return []*huma.Param{
		{Name: "digest", In: "query", Required: true, Description: "SHA-256 in hex of the revision to show, which pages names.", Schema: textSchema(), Example: strings.Repeat("0a", 32)},
		{Name: "page", In: "query", Required: true, Description: "The page, from 1.", Schema: &huma.Schema{Type: "integer"}, Example: 1},
		{Name: "width", In: "query", Required: true, Description: "Pixels: one of the widths that pages lists.", Schema: &huma.Schema{Type: "integer"}, Example: 720},
	}
}
