package api

import "segel/internal/contract"

type placementsData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Placements []placementItem     `json:"placements" doc:"in the order in which they were placed"`
	Warnings   []warning           `json:"warnings,omitempty" doc:"of a draft: which lie over text, stamps or signatures"`
}

// placementItem is one box on a page as it was accepted: put right, and square for a duty stamp.
type placementItem struct {
	Type   contract.PlacementKind `json:"type" enum:"emet,sign,paraf" example:"sign"`
	Page   int                    `json:"page" doc:"from 1" example:"1"`
	UserID contract.PersonID      `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Box    boxData                `json:"box" doc:"points of the page as displayed, origin at the lower left"`
}

type boxData struct {
	LLX float64 `json:"llx" example:"306"`
	LLY float64 `json:"lly" example:"342"`
	URX float64 `json:"urx" example:"360"`
	URY float64 `json:"ury" example:"396"`
}

func (s *server) placements() {
	get(s, endpoint{
		path: documentBase + "placements/{document_id}", id: "placements", group: groupDocuments, op: contract.OpDetail,
		summary: "What is placed on the pages of a document",
	}, func(c *call) (found[placementsData], error) {
		d, err := c.shown()
		if err != nil {
			return found[placementsData]{}, err
		}
		data := placementsData{DocumentID: d.ID, Placements: []placementItem{}}
		for _, p := range d.Placements {
			data.Placements = append(data.Placements, placementItem{Type: p.Kind, Page: p.Page, UserID: p.Person, Box: boxData(p.Box)})
		}
		if d.State == contract.Draft {
			data.Warnings = c.warnings(c.Workflow.Covered(c.r.Context(), d))
		}
		return finding(data), nil
	})
}
