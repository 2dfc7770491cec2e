package api

import (
	"segel/internal/contract"
	"segel/internal/store"
)

// adminLocale is the language and the time zone of an organisation.
type adminLocale struct {
	Organisation organisationOut `json:"organisation"`
	Language     *string         `json:"language" doc:"of messages to people for whom none is chosen: id or en; null: that of the service" example:"en"`
	TimeZone     string          `json:"time_zone" doc:"of the IANA time zone database" example:"Asia/Makassar"`
}

func adminLocaleOf(o store.Organisation) adminLocale {
	return adminLocale{Organisation: organisationOf(o), Language: orNull(o.Locale.Language), TimeZone: o.Locale.ZoneName()}
}

func (c *call) loadLocale() (adminLocale, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminLocale{}, err
	}
	o, err := c.Workflow.AdminLocale(c.r.Context(), c.by, of)
	if err != nil {
		return adminLocale{}, err
	}
	return adminLocaleOf(o), nil
}

type adminLocaleIn struct {
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Language     phrase `json:"language" required:"false" doc:"id or en; missing or empty: that of the service" example:"en"`
	TimeZone     phrase `json:"time_zone" required:"false" doc:"of the IANA time zone database; missing or empty: Asia/Jakarta" example:"Asia/Makassar"`
}

func (c *call) storeLocale(in *adminLocaleIn) (done[adminLocale], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	l := contract.Locale{Language: in.Language.checkedValue("language", &bad), Zone: in.TimeZone.checkedValue("time_zone", &bad)}
	if err := bad.asError(); err != nil {
		return done[adminLocale]{}, err
	}
	o, err := c.Workflow.SetLocale(c.r.Context(), c.by, of, l)
	if err != nil {
		return done[adminLocale]{}, err
	}
	return doneAnswer(c, "done.locale", adminLocaleOf(o)), nil
}
