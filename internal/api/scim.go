package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	scimerrors "github.com/elimity-com/scim/errors"

	"segel/internal/contract"
	"segel/internal/scim"
)

// scimBase is where directories of organisations manage accounts and groups.
const scimBase = "/scim/v2/"

// serveSCIM answers a request of the directory of an organisation, with the media type and the errors of SCIM 2.0 (RFC 7644 §3.1, §3.12).
func (c *call) serveSCIM() error {
	scheme, secret, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		secret = ""
	}
	by, err := c.SCIM.Authenticate(c.r.Context(), strings.TrimSpace(secret), c.client)
	if err == contract.ErrUnauthenticated {
		c.w.Header().Set("WWW-Authenticate", `Bearer realm="segel"`)
		scim.WriteError(c.w, scimerrors.ScimError{Status: http.StatusUnauthorized, Detail: "The secret is missing, unknown, or was replaced."})
		return nil
	}
	if contract.KindOf(err) == contract.Forbidden {
		c.cause = err
		scim.WriteError(c.w, scimerrors.ScimError{Status: http.StatusForbidden, Detail: "The organisation is suspended or closed."})
		return nil
	}
	if err != nil {
		return err
	}
	// A directory is not a person: its requests count in this share alone.
	organisation := string(by.Organisation)
	if !c.shares.directories.Take(organisation, 1) {
		c.w.Header().Set("Retry-After", "1")
		scim.WriteError(c.w, scimerrors.ScimError{Status: http.StatusTooManyRequests, Detail: "The directory has too many requests in progress."})
		return nil
	}
	defer c.shares.directories.Return(organisation, 1)
	serve, err := c.scim()
	if err != nil {
		return err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	serve(c.w, c.r, by)
	return nil
}

type scimGroupOut struct {
	ID         string               `json:"id" example:"5b0e8b2e-1d5c-4f0e-9a57-3c9a0a1f2b3c"`
	Name       string               `json:"name" example:"Legal"`
	ExternalID string               `json:"external_id" doc:"of the directory; empty: it states none" example:"7f2d1c"`
	Members    int                  `json:"members" example:"4"`
	Role       contract.AccountRole `json:"role" enum:",member,sender,admin,auditor" doc:"that the settings of the provider give it; empty: none" example:"auditor"`
}

type scimData struct {
	Organisation contract.OrganisationID `json:"organisation" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	BaseURL      string                  `json:"base_url" doc:"the address that the directory is configured with" example:"https://segel.contoh.id/scim/v2"`
	HasSecret    bool                    `json:"has_secret" doc:"the directory has access"`
	Hint         string                  `json:"hint" doc:"first characters of the secret" example:"sgl_sc_A1b2"`
	CreatedAt    *string                 `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	LastUsedAt   *string                 `json:"last_used_at" doc:"to the minute; null: not used yet" example:"2024-10-14T06:06:00.000Z"`
	Groups       []scimGroupOut          `json:"groups"`
}

func (c *call) loadSCIM() (scimData, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return scimData{}, err
	}
	d, err := c.SCIM.Load(c.r.Context(), c.by, of)
	if err != nil {
		return scimData{}, err
	}
	return scimData{
		Organisation: d.Organisation, BaseURL: c.SCIM.BaseURL(), HasSecret: d.Token.Hint != "", Hint: d.Token.Hint, CreatedAt: isoOrNull(d.Token.CreatedAt), LastUsedAt: isoOrNull(d.Token.LastUsedAt),
		Groups: convertAll(d.Groups, func(g scim.Group) scimGroupOut {
			return scimGroupOut{ID: g.ID, Name: g.Name, ExternalID: g.ExternalID, Members: g.MemberCount, Role: g.Role}
		}),
	}, nil
}

type scimSecret struct {
	Secret  string `json:"secret" doc:"shown this once" example:"sgl_sc_..."`
	BaseURL string `json:"base_url" example:"https://segel.contoh.id/scim/v2"`
}

func (c *call) replaceSCIMToken(in *ssoOrganisation) (done[scimSecret], error) {
	of, err := in.checkedOrganisation()
	if err != nil {
		return done[scimSecret]{}, err
	}
	secret, err := c.SCIM.ReplaceToken(c.r.Context(), c.by, of)
	if err != nil {
		return done[scimSecret]{}, err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	return doneAnswer(c, "done.scim_set", scimSecret{Secret: secret, BaseURL: c.SCIM.BaseURL()}), nil
}

func (c *call) deleteSCIMToken() (noted, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return noted{}, err
	}
	if err := c.SCIM.DeleteToken(c.r.Context(), c.by, of); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.scim_removed"), nil
}

func scimIDParam() *huma.Param {
	return &huma.Param{Name: "id", In: "path", Required: true, Description: "Identifier of the resource.", Schema: textSchema(), Example: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"}
}

// scimMessage is a resource or a patch, whose attributes RFC 7643 and RFC 7644 define.
type scimMessage struct {
	Schemas []string `json:"schemas" required:"true" example:"[\"urn:ietf:params:scim:schemas:core:2.0:User\"]"`
}

// scimRows are the endpoints of SCIM. The handler authenticates by itself, with the secret of a directory.
func scimRows() []row {
	serve := serveRaw((*call).serveSCIM)
	accept := serveFileFor[scimMessage]((*call).serveSCIM)
	return []row{
		{get, scimBase + "ServiceProviderConfig", "scim-config", anybody, noBody, brief, serve, "What is supported"},
		{get, scimBase + "ResourceTypes", "scim-types", anybody, noBody, brief, serve, "The types of resources"},
		{get, scimBase + "ResourceTypes/{id}", "scim-type", anybody, noBody, brief, serve, "A type of resources"},
		{get, scimBase + "Schemas", "scim-schemas", anybody, noBody, brief, serve, "The schemas of resources"},
		{get, scimBase + "Schemas/{id}", "scim-schema", anybody, noBody, brief, serve, "A schema"},
		{get, scimBase + "Users", "scim-users", anybody, noBody, lengthy, serve, "The accounts of the organisation"},
		{post, scimBase + "Users", "scim-add-user", anybody, smallJSON, lengthy, accept, "Create an account"},
		{get, scimBase + "Users/{id}", "scim-user", anybody, noBody, brief, serve, "An account"},
		{put, scimBase + "Users/{id}", "scim-replace-user", anybody, smallJSON, lengthy, accept, "Replace what is stated about an account"},
		{patch, scimBase + "Users/{id}", "scim-change-user", anybody, smallJSON, lengthy, accept, "Change an account"},
		{del, scimBase + "Users/{id}", "scim-delete-user", anybody, noBody, lengthy, serve, "Disable an account and forget it here"},
		{get, scimBase + "Groups", "scim-groups", anybody, noBody, lengthy, serve, "The groups of the organisation"},
		{post, scimBase + "Groups", "scim-add-group", anybody, smallJSON, lengthy, accept, "Create a group"},
		{get, scimBase + "Groups/{id}", "scim-group", anybody, noBody, brief, serve, "A group"},
		{put, scimBase + "Groups/{id}", "scim-replace-group", anybody, smallJSON, lengthy, accept, "Replace a group"},
		{patch, scimBase + "Groups/{id}", "scim-change-group", anybody, smallJSON, lengthy, accept, "Change a group"},
		{del, scimBase + "Groups/{id}", "scim-delete-group", anybody, noBody, lengthy, serve, "Delete a group"},
	}
}
