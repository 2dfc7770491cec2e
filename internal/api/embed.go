package api

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
	"segel/internal/workflow"
)

// maxEmbedOrigins is how many origins a request may name before they are checked one by one.
const maxEmbedOrigins = 100

// adminEmbedding is in whose pages those of an organisation may be shown.
type adminEmbedding struct {
	Organisation organisationOut `json:"organisation"`
	Origins      []string        `json:"origins" doc:"whose pages may show those of the organisation in frames" example:"[\"https://erp.contoh.id\"]"`
	InForce      bool            `json:"in_force" doc:"false: the organisation is suspended or closed, and no page may until it is active again"`
}

func (c *call) loadEmbedding() (adminEmbedding, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return adminEmbedding{}, err
	}
	o, origins, err := c.Workflow.EmbedOrigins(c.r.Context(), c.by, of)
	return adminEmbeddingOf(o, origins), err
}

func adminEmbeddingOf(o store.Organisation, origins []string) adminEmbedding {
	return adminEmbedding{Organisation: organisationOf(o), Origins: append([]string{}, origins...), InForce: o.State == contract.OrganisationActive}
}

type adminEmbeddingIn struct {
	Organisation phrase       `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Origins      list[phrase] `json:"origins" required:"true" doc:"at most 20, as https://host or https://host:port; http only for private hosts. Empty: no page may"`
}

func (c *call) storeEmbedding(in *adminEmbeddingIn) (done[adminEmbedding], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	origins := parseOrigins(in.Origins, &bad)
	if !in.Origins.given && len(bad) == 0 {
		bad.add("origins", "value.required")
	}
	if err := bad.asError(); err != nil {
		return done[adminEmbedding]{}, err
	}
	o, origins, err := c.Workflow.SetEmbedOrigins(c.r.Context(), c.by, of, origins)
	if err != nil {
		return done[adminEmbedding]{}, err
	}
	return doneAnswer(c, "done.embedding", adminEmbeddingOf(o, origins)), nil
}

func parseOrigins(l list[phrase], bad *problems) []string {
	items := l.checkedValue("origins", bad)
	if len(items) > maxEmbedOrigins {
		bad.add("origins", "value.too_many", "limit", maxEmbedOrigins)
		return nil
	}
	texts := make([]string, len(items))
	for i, p := range items {
		texts[i] = p.checkedValue(fmt.Sprintf("origins[%d]", i), bad)
	}
	return texts
}

type embedIn struct {
	DocumentID integer      `json:"document_id" required:"true"`
	UserID     phrase       `json:"user_id" required:"false" doc:"who opens the address: a participant, or the owner; missing: the owner" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Purpose    phrase       `json:"purpose" required:"true" doc:"place: the owner places boxes on the pages of a draft; sign: a signer whose turn it is reads, and signs or declines; view: a person who may see the document reads it" enum:"place,sign,view" example:"sign"`
	Origins    list[phrase] `json:"origins" required:"false" doc:"in whose pages the address may be opened: some of those that the organisation lists; missing: all of them"`
}

// embedData is an address of an embedded page.
type embedData struct {
	URL       string                `json:"url" doc:"the address for a frame; it can be opened once" example:"https://segel.contoh.id/embed/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a#sgl_ea_..."`
	ExpiresAt string                `json:"expires_at" doc:"until when it can be opened" example:"2024-10-14T06:16:00.000Z"`
	Purpose   contract.EmbedPurpose `json:"purpose" enum:"place,sign,view" example:"sign"`
	UserID    contract.PersonID     `json:"user_id" doc:"who opens it" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name      string                `json:"name" example:"Budi Tamu"`
	Origins   []string              `json:"origins" doc:"in whose pages it can be opened" example:"[\"https://erp.contoh.id\"]"`
}

func (c *call) requestEmbed(in *embedIn) (done[embedData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	request := contract.EmbedRequest{
		Person: parsePersonID(in.UserID.checkedValue("user_id", &bad)), Purpose: contract.EmbedPurpose(in.Purpose.checkedValue("purpose", &bad)), Origins: parseOrigins(in.Origins, &bad),
	}
	if err := c.refuseInput(id, bad); err != nil {
		return done[embedData]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.EmbedRequested, error) {
		return c.Workflow.RequestEmbed(ctx, c.by, id, request)
	}, func(r workflow.EmbedRequested) done[embedData] {
		return doneAnswer(c, "done.embed", embedData{
			URL: r.URL, ExpiresAt: formatISO(r.Address.ExpiresAt), Purpose: r.Address.Purpose, UserID: r.Person.ID, Name: r.Person.DisplayName(), Origins: r.Address.Origins,
		})
	})
}

type openEmbedIn struct {
	Address phrase `json:"address" required:"true" doc:"the complete address, or only its secret" example:"sgl_ea_..."`
	Origin  phrase `json:"origin" required:"true" doc:"of the page that shows it in a frame, as its browser states it" example:"https://erp.contoh.id"`
}

// embeddedData is what an embedded page gets for its address.
type embeddedData struct {
	Token        string                `json:"token" doc:"valid for this person, document and purpose alone" example:"sgl_et_..."`
	ExpiresIn    int                   `json:"expires_in" doc:"seconds until it expires" example:"3600"`
	DocumentID   contract.DocumentID   `json:"document_id" example:"1207"`
	UserID       contract.PersonID     `json:"user_id" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name         string                `json:"name" example:"Budi Tamu"`
	Purpose      contract.EmbedPurpose `json:"purpose" enum:"place,sign,view" example:"sign"`
	Origin       string                `json:"origin" doc:"of the page, to which messages may be sent" example:"https://erp.contoh.id"`
	AsksPassword bool                  `json:"asks_password" doc:"the person has an account, and gives password (and otp) in sign-docs and reject-docs"`
}

func (c *call) openEmbed(in *openEmbedIn) (found[embeddedData], error) {
	var bad problems
	address, origin := in.Address.checkedValue("address", &bad), in.Origin.checkedValue("origin", &bad)
	if address == "" && len(bad) == 0 {
		bad.add("address", "value.required")
	}
	if err := bad.asError(); err != nil {
		return found[embeddedData]{}, err
	}
	hash, ok := identity.CheckEmbedAddress(address)
	if !ok {
		return found[embeddedData]{}, contract.ErrEmbedAddress
	}
	opened, err := c.Workflow.OpenEmbed(c.r.Context(), contract.Actor{IP: c.client, UserAgent: c.r.UserAgent()}, hash, origin)
	if err != nil {
		return found[embeddedData]{}, err
	}
	return foundAnswer(embeddedData{
		Token: opened.Token, ExpiresIn: int(contract.EmbedSessionLifetime.Seconds()), DocumentID: opened.Address.Document, UserID: opened.Person.ID, Name: opened.Person.DisplayName(),
		Purpose: opened.Address.Purpose, Origin: opened.Address.Origin, AsksPassword: !opened.IsGuest && opened.Address.Purpose == contract.EmbedSign,
	}), nil
}

type rejectIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Reason     phrase  `json:"reason" required:"false" doc:"in the actor's own words" example:"Harga salah"`
	Password   phrase  `json:"password" required:"false" doc:"as in sign-docs"`
	OTP        phrase  `json:"otp" required:"false" doc:"as in sign-docs, of a person in an embedded page" example:"123456"`
}

func (c *call) rejectDocument(in *rejectIn) (done[verbData], error) {
	var bad problems
	id, reason := parseDocumentID(in.DocumentID, &bad), in.Reason.checkedValue("reason", &bad)
	given := contract.GivenFactor{Password: in.Password.checkedValue("password", &bad), OTP: in.OTP.checkedValue("otp", &bad)}
	return runDocumentOperation(c, id, bad, "done.reject", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Reject(ctx, c.by, id, reason, given)
	})
}
