package api

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"segel/internal/branding"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// senderOut is the organisation of the owner of a document, with its branding.
type senderOut struct {
	Organisation string  `json:"organisation" doc:"its name" example:"PT Contoh Sejahtera"`
	Colour       *string `json:"colour" doc:"#rrggbb; null: that of the service" example:"#0b6e5f"`
	Logo         *string `json:"logo" doc:"address of a PNG or JPEG picture; null: none. What an address shows never changes" example:"https://segel.contoh.id/v1/logo/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func (s *server) senderOf(o store.Organisation) senderOut {
	return senderOut{Organisation: o.Name, Colour: orNull(o.Branding.Colour), Logo: s.logoURL(o.Branding)}
}

// logoURL returns the address of a logo; nil if there is none.
func (s *server) logoURL(b contract.Branding) *string {
	if b.Logo == "" {
		return nil
	}
	return orNull(s.PublicURL + "/v1/logo/" + url.PathEscape(b.Logo))
}

// adminBranding is the branding of one organisation.
type adminBranding struct {
	Organisation organisationOut `json:"organisation"`
	Colour       *string         `json:"colour" doc:"#rrggbb; null: that of the service" example:"#0b6e5f"`
	Logo         *string         `json:"logo" doc:"address of a PNG or JPEG picture; null: none. What an address shows never changes" example:"https://segel.contoh.id/v1/logo/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func (c *call) adminBranding(o store.Organisation) adminBranding {
	return adminBranding{Organisation: organisationOf(o), Colour: orNull(o.Branding.Colour), Logo: c.logoURL(o.Branding)}
}

func (c *call) loadBranding() (adminBranding, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminBranding{}, err
	}
	o, err := c.Workflow.Branding(c.r.Context(), c.by, of)
	if err != nil {
		return adminBranding{}, err
	}
	return c.adminBranding(o), nil
}

type brandingIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Colour       phrase  `json:"colour" required:"false" doc:"#rrggbb; missing or empty: that of the service" example:"#0b6e5f"`
	Logo         *phrase `json:"logo" required:"false" doc:"PNG or JPEG in base64, at most 512 KiB and 2,000 pixels on each side; missing: the stored one stays; empty: none" example:"iVBORw0KGgoAAAANSUhEUgAAACAAAAAQAQAAAABfe0D0AAAAIklEQVR42mP4DwQM2IgPYIIfxGUAEUAmA5TzgR+khB+bNgAmijnH5rUZ2wAAAABJRU5ErkJggg=="`
}

func (c *call) storeBranding(in *brandingIn) (done[adminBranding], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	r := workflow.BrandingRequest{Colour: strings.TrimSpace(in.Colour.checkedValue("colour", &bad))}
	if in.Logo != nil {
		text := in.Logo.checkedValue("logo", &bad)
		if rest, ok := strings.CutPrefix(text, "data:"); ok {
			_, text, _ = strings.Cut(rest, ",")
		}
		file, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			bad.add("logo", "value.not_base64")
		}
		r.Logo = append([]byte{}, file...)
	}
	if err := bad.asError(); err != nil {
		return done[adminBranding]{}, err
	}
	o, err := c.Workflow.SetBranding(c.r.Context(), c.by, of, r)
	if err != nil {
		return done[adminBranding]{}, err
	}
	return doneAnswer(c, "done.branding", c.adminBranding(o)), nil
}

func (c *call) deleteBranding() (noted, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return noted{}, err
	}
	if err := c.Workflow.DeleteBranding(c.r.Context(), c.by, of); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.branding_deleted"), nil
}

// sendLogo sends a picture that the service encoded itself. Browsers keep it: its address is its digest.
func (c *call) sendLogo() error {
	image, err := c.Workflow.Logo(c.r.Context(), c.r.PathValue("logo"))
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", branding.MediaType(image))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(c.w, withoutManyRanges(c.r), "", time.Time{}, bytes.NewReader(image))
	return nil
}
