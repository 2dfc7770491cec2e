package api

import (
	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

type listData struct {
	Documents  []listItem `json:"documents"`
	Pagination pagination `json:"pagination"`
}

type listItem struct {
	ID            contract.DocumentID `json:"id" example:"1207"`
	DocumentName  string              `json:"document_name" doc:"unique, made by the service" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	DocumentTitle string              `json:"document_title" example:"Perjanjian Sewa"`
	CreatedAt     string              `json:"created_at" doc:"for display, in Asia/Jakarta" example:"14 Okt 24, 13:06"`
	Status        contract.State      `json:"status" example:"processing"`
	StatusInfo    string              `json:"status_info" example:"Menunggu tanda tangan"`
	ButtonText    string              `json:"button_text" doc:"label of what the caller would do next" example:"Tanda Tangan"`
	DataSigner    []listSigner        `json:"data_signer" doc:"participants by number"`
	Expired       *string             `json:"expired" doc:"ISO 8601, null for never"`
	IsExpired     string              `json:"is_expired" enum:"0,1" example:"0"`
	Owner         listOwner           `json:"owner"`
	Specimen      bool                `json:"specimen" doc:"stamped by the sandbox office: of no legal value"`
}

type listSigner struct {
	UserID        contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name          string            `json:"name" example:"Siti Rahma"`
	Email         *string           `json:"email" example:"siti@contoh.id"`
	Avatar        string            `json:"avatar" doc:"address of a picture"`
	IsSigning     bool              `json:"is_signing" doc:"it is his turn now"`
	SignerRole    string            `json:"signer_role" enum:"owner,signer,viewer" example:"signer"`
	SignerNumber  int               `json:"signer_number" example:"1"`
	Status        bool              `json:"status" doc:"has acted: signed, or viewed as a viewer"`
	SigningStatus bool              `json:"signing_status" doc:"has signed"`
}

type listOwner struct {
	Owner     string `json:"owner" doc:"a role word" example:"owner"`
	Name      string `json:"name" example:"Andi Wijaya"`
	CreatedAt string `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
}

func (s *server) registerLists() {
	params := append(pageParams(listLimit),
		&huma.Param{Name: "type", In: "query", Description: "in or out; overrides the path's own.", Schema: &huma.Schema{Type: "string", Enum: []any{"in", "out"}}},
		&huma.Param{Name: "periode", In: "query", Description: "By the day a document was made, in Asia/Jakarta.", Schema: enumOf(periods)},
		&huma.Param{Name: "status", In: "query", Description: "Only documents of this status.", Schema: enumOf(contract.States)},
	)
	for _, box := range []struct {
		own               store.Box
		path, id, summary string
	}{
		{store.Inbox, "data", "list-inbound", "Documents sent to the caller"},
		{store.Outbox, "out", "list-sent", "Documents the caller made"},
	} {
		serveGet(s, endpoint{
			path: documentBase + box.path, id: box.id, group: groupDocuments, params: params,
			summary: box.summary, description: "Newest first. A page out of range is empty.",
		}, func(c *call) (found[listData], error) { return c.listBox(box.own) })
	}
}

func (c *call) listBox(own store.Box) (found[listData], error) {
	q := c.parseQuery()
	p := q.parsePage(listLimit)
	r := ListRequest{Box: q.parseBox(own), State: q.parseState(), Period: q.parsePeriod(), Search: q.parseSearch(), Page: int(p.number), Limit: p.limit}
	if err := q.bad.asError(); err != nil {
		return found[listData]{}, err
	}
	l, err := c.Workflow.List(c.r.Context(), c.by, r)
	if err != nil {
		return found[listData]{}, err
	}
	data := listData{Documents: []listItem{}, Pagination: paginate(p, l.Total, len(l.Documents))}
	data.Pagination.Filter = c.filterChoices()
	for i := range l.Documents {
		data.Documents = append(data.Documents, c.listItem(&l.Documents[i]))
	}
	return foundAnswer(data), nil
}

func (c *call) listItem(d *contract.Document) listItem {
	item := listItem{
		ID: d.ID, DocumentName: d.Name, DocumentTitle: d.Title, CreatedAt: text.ShortTime(c.language, d.CreatedAt),
		Status: d.State, StatusInfo: c.statusInfo(d), ButtonText: text.ButtonLabel(c.language, d, c.by.ID),
		DataSigner: []listSigner{}, Expired: isoOrNull(d.ExpiresAt), IsExpired: isExpired(d, c.Clock()),
		Owner:    listOwner{Owner: "owner", Name: d.Owner.Name, CreatedAt: formatISO(d.CreatedAt)},
		Specimen: d.Specimen,
	}
	for _, p := range d.Participants {
		item.DataSigner = append(item.DataSigner, listSigner{
			UserID: p.ID, Name: p.Name, Email: orNull(p.Email), Avatar: c.avatarURL(p.Person),
			IsSigning: d.InTurn(p.ID), SignerRole: roleWord(d, p), SignerNumber: p.Number, Status: d.HasActed(p), SigningStatus: d.HasSigned(p),
		})
	}
	return item
}

// roleWord returns "owner" for the owner, and otherwise the participant's role.
func roleWord(d *contract.Document, p contract.Participant) string {
	if p.ID == d.Owner.ID {
		return "owner"
	}
	return string(p.Role)
}
