package api

import "segel/internal/contract"

type placementsData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Placements []placementItem     `json:"placements" doc:"in the order in which they were placed"`
	Warnings   []warning           `json:"warnings,omitempty" doc:"of a draft: which lie over text, stamps or signatures"`
}

// placementItem is one accepted box on a page, with ordered corners and square for a duty stamp.
type placementItem struct {
	Type   contract.PlacementKind `json:"type" enum:"emet,sign,paraf" example:"sign"`
	Page   int                    `json:"page" doc:"from 1" example:"1"`
	UserID contract.PersonID      `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name   string                 `json:"name" doc:"whose it is" example:"Siti Rahma"`
	Box    boxData                `json:"box" doc:"points of the page as displayed, origin at the lower left"`
	Filled bool                   `json:"filled" doc:"the file shows what the box is for: its person has signed, or the stamp is affixed"`
}

type boxData struct {
	LLX float64 `json:"llx" example:"306"`
	LLY float64 `json:"lly" example:"342"`
	URX float64 `json:"urx" example:"360"`
	URY float64 `json:"ury" example:"396"`
}

func (s *server) registerPlacements() {
	serveGet(s, endpoint{
		path: documentBase + "placements/{document_id}", id: "placements", group: groupDocuments, op: contract.OpDetail,
		summary: "What is placed on the pages of a document",
	}, func(c *call) (found[placementsData], error) {
		d, err := c.loadPathDocument()
		if err != nil {
			return found[placementsData]{}, err
		}
		data := placementsData{DocumentID: d.ID, Placements: placementsOf(&d)}
		if d.State == contract.Draft {
			data.Warnings = c.warningsOf(c.Workflow.PlacementWarnings(c.r.Context(), d))
		}
		return foundAnswer(data), nil
	})
}

// placementsOf lists the boxes of all participants, in the order in which they were placed.
func placementsOf(d *contract.Document) []placementItem {
	list := make([]placementItem, 0, len(d.Placements))
	for i, p := range d.Placements {
		item := placementItem{Type: p.Kind, Page: p.Page, UserID: p.Person, Name: d.Owner.Name, Box: boxData(p.Box)}
		if who := d.Participant(p.Person); who != nil {
			item.Name, item.Filled = who.Name, p.Kind != contract.PlaceStamp && !who.SignedAt.IsZero()
		}
		for _, s := range d.Stamps {
			item.Filled = item.Filled || s.Placement == i && s.State == contract.StampAffixed
		}
		list = append(list, item)
	}
	return list
}
