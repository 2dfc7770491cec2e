package api

import (
	"segel/internal/contract"
	"segel/internal/workflow"
)

// adminUsage is what an organisation uses.
type adminUsage struct {
	Organisation organisationOut `json:"organisation"`
	Documents    int             `json:"documents" doc:"also drafts, templates, and those whose files were removed" example:"1207"`
	Drafts       int             `json:"drafts" doc:"drafts and templates" example:"12"`
	Bytes        usageBytes      `json:"bytes" doc:"of stored files, as they are before they are encrypted"`
	Stamps       int             `json:"stamps" doc:"duty stamps that were spent" example:"980"`
	Signatures   int             `json:"signatures" doc:"signatures with certificates of the embedded authority that were spent" example:"2411"`
}

type usageBytes struct {
	Total     int64 `json:"total" example:"734003200"`
	Originals int64 `json:"originals" doc:"files as they were uploaded" example:"524288000"`
	Signed    int64 `json:"signed" doc:"what the service added: rewritten files, signatures, stamps and seals" example:"104857600"`
	Evidence  int64 `json:"evidence" doc:"evidence certificates" example:"104857600"`
}

func (c *call) loadUsage() (adminUsage, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return adminUsage{}, err
	}
	u, err := c.Workflow.Usage(c.r.Context(), c.by, of)
	if err != nil {
		return adminUsage{}, err
	}
	return adminUsageOf(u), nil
}

func adminUsageOf(u workflow.OrganisationUsage) adminUsage {
	return adminUsage{
		Organisation: organisationOf(u.Organisation), Documents: u.Documents, Drafts: u.Drafts,
		Bytes:  usageBytes{Total: u.Bytes, Originals: u.Originals, Signed: u.Signed(), Evidence: u.Evidence},
		Stamps: u.Spent[contract.UnitStamp], Signatures: u.Spent[contract.UnitSignature],
	}
}
