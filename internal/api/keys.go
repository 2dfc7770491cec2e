package api

import (
	"net/netip"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
)

// keyOut is an API key without its secret.
type keyOut struct {
	ID          contract.KeyID      `json:"id" doc:"client_id of OAuth 2.0" example:"01929a3c-5e2b-4c1d-9e7b-2f9d0c4a5b61"`
	Name        string              `json:"name" example:"ERP"`
	Hint        string              `json:"hint" doc:"how the key begins" example:"sgl_ak_Ab3d"`
	Scopes      []contract.KeyScope `json:"scopes" doc:"documents:read, documents:write, sign, stamp, admin"`
	Networks    []string            `json:"networks" doc:"from which it may be used, in CIDR notation; empty: from all"`
	Test        bool                `json:"test" doc:"it makes test documents and acts on no others"`
	Status      contract.KeyStatus  `json:"status" enum:"active,expired,revoked" example:"active"`
	CreatedAt   string              `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	ExpiresAt   *string             `json:"expires_at" doc:"null: never" example:"2025-10-14T06:06:00.000Z"`
	RevokedAt   *string             `json:"revoked_at" doc:"null: it was not" example:"2024-10-14T06:06:00.000Z"`
	LastUsedAt  *string             `json:"last_used_at" doc:"up to five minutes old while the key is in use; null: not in the last months" example:"2024-10-14T06:06:00.000Z"`
	LastNetwork *string             `json:"last_network" doc:"the address, or of IPv6 the network, of that use" example:"203.0.113.7"`
}

func (c *call) keyOf(k contract.APIKey) keyOut {
	return keyOut{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Scopes: append([]contract.KeyScope{}, k.Scopes...), Networks: convertAll(k.Networks, netip.Prefix.String), Test: k.Test,
		Status: k.Status(c.Clock()), CreatedAt: formatISO(k.CreatedAt), ExpiresAt: isoOrNull(k.ExpiresAt), RevokedAt: isoOrNull(k.RevokedAt),
		LastUsedAt: isoOrNull(k.LastUsedAt), LastNetwork: orNull(k.LastNetwork),
	}
}

type keysData struct {
	Keys       []keyOut   `json:"keys" doc:"the newest first"`
	Pagination pagination `json:"pagination"`
}

// parseKeySelection reads the page and the filters of a list of API keys.
func (q *query) parseKeySelection() (page, identity.KeySelection) {
	p := q.parsePage(adminLimit)
	return p, identity.KeySelection{Search: q.parseSearch(), Status: parseChoice(q, "status", contract.KeyStatuses), Page: int(p.number), Limit: p.limit}
}

func keyFilterParams(search string) []*huma.Param {
	return []*huma.Param{
		{Name: "search", In: "query", Description: search, Schema: textSchema()},
		choiceParam("status", "Only keys with this status.", contract.KeyStatuses),
	}
}

func (c *call) listKeys() (keysData, error) {
	q := c.parseQuery()
	p, selected := q.parseKeySelection()
	if err := q.bad.asError(); err != nil {
		return keysData{}, err
	}
	keys, total, err := c.Identity.ListKeys(c.r.Context(), c.by, selected)
	if err != nil {
		return keysData{}, err
	}
	return keysData{Keys: convertAll(keys, c.keyOf), Pagination: paginate(p, total, len(keys))}, nil
}

// keyIn is what a person asks for when they make an API key.
type keyIn struct {
	Name      phrase       `json:"name" required:"true" doc:"at most 100 characters; signatures and the audit log show it" example:"ERP"`
	Scopes    list[phrase] `json:"scopes" required:"true" doc:"at least one of documents:read, documents:write, sign, stamp, admin" example:"[\"documents:read\"]"`
	Networks  list[phrase] `json:"networks" required:"false" doc:"networks in CIDR notation or addresses, IPv4 or IPv6, from which it may be used; missing or empty: from all" example:"[\"203.0.113.0/24\"]"`
	Test      binary       `json:"test" required:"false" doc:"whether the key makes test documents, whose stamps have no value, and acts on no others"`
	ExpiresAt phrase       `json:"expires_at" required:"false" doc:"ISO 8601 with a zone, within five years; missing: never" example:"2025-10-14T06:06:00.000Z"`
}

// keyMade is a new key with its secret.
type keyMade struct {
	Key    keyOut `json:"key"`
	Secret string `json:"secret" doc:"shown only once; for x-access-token, Authorization: Bearer, or as client_secret of OAuth 2.0" example:"sgl_ak_..."`
}

func (c *call) createKey(in *keyIn) (done[keyMade], error) {
	var bad problems
	settings := contract.KeySettings{Name: in.Name.checkedValue("name", &bad), Test: in.Test.checkedValue("test", &bad)}
	for _, s := range in.Scopes.checkedValue("scopes", &bad) {
		settings.Scopes = append(settings.Scopes, contract.KeyScope(s.checkedValue("scopes", &bad)))
	}
	for _, n := range in.Networks.checkedValue("networks", &bad) {
		settings.Networks = append(settings.Networks, n.checkedValue("networks", &bad))
	}
	if s := in.ExpiresAt.checkedValue("expires_at", &bad); s != "" {
		at, ok := parseISO(s)
		if !ok {
			bad.add("expires_at", "value.not_time")
		}
		settings.ExpiresAt = at
	}
	if err := bad.asError(); err != nil {
		return done[keyMade]{}, err
	}
	k, secret, err := c.Identity.CreateKey(c.r.Context(), c.by, settings)
	if err != nil {
		return done[keyMade]{}, err
	}
	return doneAnswer(c, "done.key_created", keyMade{Key: c.keyOf(k), Secret: secret}), nil
}

func (c *call) pathKey() contract.KeyID {
	return contract.KeyID(parsePersonID(c.r.PathValue("key_id")))
}

type keyAnswer struct {
	Key keyOut `json:"key"`
}

func (c *call) revokeOwnKey() (done[keyAnswer], error) {
	k, err := c.Identity.RevokeKey(c.r.Context(), c.by, c.pathKey())
	if err != nil {
		return done[keyAnswer]{}, err
	}
	return doneAnswer(c, "done.key_revoked", keyAnswer{c.keyOf(k)}), nil
}

// memberKeyOut is an API key as administrators see it.
type memberKeyOut struct {
	Key          keyOut            `json:"key"`
	PersonID     contract.PersonID `json:"person_id" doc:"as whom it acts" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	PersonName   string            `json:"person_name" example:"Siti Rahma"`
	PersonEmail  string            `json:"person_email" example:"siti@contoh.id"`
	Organisation organisationOut   `json:"organisation"`
}

func (c *call) memberKeyOf(k identity.MemberKey) memberKeyOut {
	return memberKeyOut{
		Key: c.keyOf(k.APIKey), PersonID: k.Holder.ID, PersonName: k.Holder.Name, PersonEmail: k.Holder.Email,
		Organisation: organisationOut{ID: k.Organisation, Name: k.OrganisationName},
	}
}

type memberKeysData struct {
	Keys       []memberKeyOut `json:"keys" doc:"the newest first"`
	Pagination pagination     `json:"pagination"`
}

func (c *call) listMemberKeys() (memberKeysData, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	p, selected := q.parseKeySelection()
	if err := q.bad.asError(); err != nil {
		return memberKeysData{}, err
	}
	keys, total, err := c.Identity.ListMemberKeys(c.r.Context(), c.by, of, selected)
	if err != nil {
		return memberKeysData{}, err
	}
	return memberKeysData{Keys: convertAll(keys, c.memberKeyOf), Pagination: paginate(p, total, len(keys))}, nil
}

type memberKeyAnswer struct {
	Key memberKeyOut `json:"key"`
}

func (c *call) revokeMemberKey() (done[memberKeyAnswer], error) {
	k, err := c.Identity.RevokeMemberKey(c.r.Context(), c.by, c.pathKey())
	if err != nil {
		return done[memberKeyAnswer]{}, err
	}
	return doneAnswer(c, "done.key_revoked", memberKeyAnswer{c.memberKeyOf(k)}), nil
}

func keyParam() *huma.Param {
	return &huma.Param{Name: "key_id", In: "path", Required: true, Description: "UUID of an API key.", Schema: textSchema(), Example: "01929a3c-5e2b-4c1d-9e7b-2f9d0c4a5b61"}
}
