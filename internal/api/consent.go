package api

import (
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// consentIn names a text that a signer accepted.
type consentIn struct {
	Version phrase `json:"version" required:"true" doc:"of the text" example:"segel-1"`
	Digest  phrase `json:"digest" required:"true" doc:"SHA-256 in hex of the text in the language in which the signer read it" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func (in *consentIn) parse(at string, bad *problems) contract.GivenConsent {
	var inner problems
	given := contract.GivenConsent{Version: strings.TrimSpace(in.Version.checkedValue("version", &inner)), Digest: parseDigest(in.Digest, &inner)}
	if given.Version == "" && len(inner) == 0 {
		inner.add("version", "value.required")
	}
	if given.Digest == ([32]byte{}) && len(inner) == 0 {
		inner.add("digest", "value.required")
	}
	bad.addBelow(at, inner)
	return given
}

// consentOut is the text that signers of a document accept.
type consentOut struct {
	Version    string       `json:"version" doc:"segel-1 is a text of the service; 3 one of the organisation. A version never changes" example:"segel-1"`
	Required   bool         `json:"required" doc:"the organisation refuses signatures of people who did not accept it"`
	Texts      consentTexts `json:"texts"`
	AcceptedAt *string      `json:"accepted_at" doc:"when the caller accepted this version, perhaps with another document; null: not yet" example:"2024-10-14T06:06:00.000Z"`
}

type consentTexts struct {
	ID consentTextOut `json:"id"`
	EN consentTextOut `json:"en"`
}

type consentTextOut struct {
	Text   string `json:"text" example:"Saya menandatangani dokumen ini secara elektronik."`
	Digest string `json:"digest" doc:"SHA-256 in hex of the text in UTF-8" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func consentTextsOf(t contract.ConsentText) consentTexts {
	of := func(l string) consentTextOut {
		return consentTextOut{Text: t.Texts[l], Digest: fmt.Sprintf("%x", t.Digest(l))}
	}
	return consentTexts{ID: of("id"), EN: of("en")}
}

func (c *call) loadConsent() (consentOut, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return consentOut{}, err
	}
	out, err := c.Workflow.ShowConsent(c.r.Context(), c.by, id)
	if err != nil {
		return consentOut{}, err
	}
	answer := consentOut{Version: out.Text.Name(), Required: out.Required, Texts: consentTextsOf(out.Text)}
	if out.Accepted.Version != "" {
		answer.AcceptedAt = orNull(formatISO(out.Accepted.At))
	}
	return answer, nil
}

// adminConsent is what an organisation demands of those who sign its documents.
type adminConsent struct {
	Organisation organisationOut `json:"organisation"`
	Version      string          `json:"version" doc:"segel-1 is a text of the service; 3 one of the organisation" example:"3"`
	Own          bool            `json:"own" doc:"the organisation has its own text"`
	Required     bool            `json:"required" doc:"signatures of people who did not accept it are refused, also those that programs ask for"`
	Texts        consentTexts    `json:"texts"`
}

func adminConsentOf(o store.Organisation, t contract.ConsentText) adminConsent {
	return adminConsent{Organisation: organisationOf(o), Version: t.Name(), Own: t.Organisation != "", Required: o.Consent.Required, Texts: consentTextsOf(t)}
}

func (c *call) loadAdminConsent() (adminConsent, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminConsent{}, err
	}
	o, text, err := c.Workflow.AdminConsent(c.r.Context(), c.by, of)
	if err != nil {
		return adminConsent{}, err
	}
	return adminConsentOf(o, text), nil
}

type adminConsentIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	ID           *phrase `json:"id" required:"false" doc:"the text in Indonesian; with en it becomes the next version, unless both are as they are now. Both empty: the text of the service. Missing: unchanged"`
	EN           *phrase `json:"en" required:"false" doc:"the text in English"`
	Required     *binary `json:"required" required:"false" doc:"refuse signatures of people who did not accept the text; missing: unchanged"`
}

func (c *call) storeConsent(in *adminConsentIn) (done[adminConsent], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	var r store.ConsentChange
	if in.ID != nil || in.EN != nil {
		r.Texts = map[string]string{}
		for name, p := range map[string]*phrase{"id": in.ID, "en": in.EN} {
			if p == nil {
				continue
			}
			if s := p.checkedValue(name, &bad); strings.TrimSpace(s) != "" {
				r.Texts[name] = s
			}
		}
	}
	if in.Required != nil {
		required := in.Required.checkedValue("required", &bad)
		r.Required = &required
	}
	if err := bad.asError(); err != nil {
		return done[adminConsent]{}, err
	}
	o, text, err := c.Workflow.SetConsent(c.r.Context(), c.by, of, r)
	if err != nil {
		return done[adminConsent]{}, err
	}
	return doneAnswer(c, "done.consent", adminConsentOf(o, text)), nil
}
