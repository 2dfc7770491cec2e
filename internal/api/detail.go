package api

import (
	"segel/internal/contract"
	"segel/internal/text"
)

type detailData struct {
	ID                   contract.DocumentID `json:"id" example:"1207"`
	DocumentTitle        string              `json:"document_title" example:"Perjanjian Sewa"`
	DocumentName         string              `json:"document_name" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	Status               contract.State      `json:"status" example:"processing"`
	Expired              *string             `json:"expired" doc:"ISO 8601, null for never"`
	IsExpired            string              `json:"is_expired" enum:"0,1" example:"0"`
	SigningStatus        contract.State      `json:"signing_status" doc:"status of the signatures alone" example:"processing"`
	Description          string              `json:"description" example:"Dokumen menunggu tanda tangan"`
	CreateAt             string              `json:"createAt" example:"2024-10-14T06:06:00.000Z"`
	IsParallel           bool                `json:"is_parallel"`
	IsOwner              bool                `json:"is_owner" doc:"the caller owns it"`
	IsPaid               bool                `json:"is_paid" doc:"all that it needs is reserved or spent"`
	IsSign               bool                `json:"is_sign" doc:"the caller has something to sign now"`
	Owner                detailOwner         `json:"owner"`
	Signer               []detailSigner      `json:"signer" doc:"participants by number"`
	DataToken            dataToken           `json:"data_token"`
	InfoRestamping       infoRestamping      `json:"info_restamping"`
	LastSignedAt         *string             `json:"last_signed_at" doc:"of the last signature or stamp"`
	StatusInfo           string              `json:"status_info" example:"Menunggu tanda tangan"`
	ActiveDownloadButton bool                `json:"active_download_button"`
	SerialNumber         []string            `json:"serial_number" doc:"of the duty stamps that stand in the file"`
	Specimen             bool                `json:"specimen" doc:"stamped by the sandbox office: of no legal value"`
	Mode                 contract.Mode       `json:"mode,omitempty" doc:"missing while a draft" enum:"signing,stamping" example:"signing"`
	Progress             progress            `json:"progress"`
	Placements           []placementItem     `json:"placements" doc:"the boxes of all people, in the order in which they were placed"`
	Warnings             []warning           `json:"warnings,omitempty" doc:"what was done to the file that its owner may not expect, and what was found in it"`
}

type detailOwner struct {
	UserID contract.PersonID `json:"user_id" example:"5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00"`
	Email  string            `json:"email" example:"andi@contoh.id"`
	Name   string            `json:"name" example:"Andi Wijaya"`
}

type detailSigner struct {
	Name          string  `json:"name" example:"Siti Rahma"`
	Email         *string `json:"email" example:"siti@contoh.id"`
	Status        bool    `json:"status" doc:"has acted: signed, or viewed for a viewer"`
	SigningStatus bool    `json:"signing_status" doc:"has signed"`
	SignedAt      *string `json:"signed_at"`
	IsOwner       bool    `json:"is_owner"`
}

// dataToken is the quota that the document uses.
type dataToken struct {
	Used    tokenCount `json:"used" doc:"reserved or spent"`
	Success tokenCount `json:"success" doc:"spent"`
	Failed  tokenCount `json:"failed" doc:"released or lost"`
}

type tokenCount struct {
	Emet   int `json:"emet" doc:"duty stamps"`
	Base   int `json:"base" doc:"signatures with the embedded authority's certificates"`
	Peruri int `json:"peruri" doc:"signatures with certificates of a licensed provider"`
}

func tokenCountOf(n contract.Count) tokenCount { return tokenCount{Emet: n.Stamps, Base: n.Signatures} }

type infoRestamping struct {
	ButtonRestamping string `json:"button_restamping" enum:"enable,disable" example:"disable"`
	AllowedStamping  bool   `json:"allowed_stamping" doc:"a stamp is due, and quota and state permit it"`
	ColorBackground  string `json:"color_background" enum:"success,warning,danger" example:"success"`
}

func (s *server) registerDetail() {
	serveGet(s, endpoint{
		path: documentBase + "detail/{document_id}", id: "detail", group: groupDocuments, op: contract.OpDetail,
		summary: "All about a document",
	}, func(c *call) (found[detailData], error) {
		d, err := c.loadPathDocument()
		if err != nil {
			return found[detailData]{}, err
		}
		return foundAnswer(c.detailOf(&d)), nil
	})
}

func (c *call) detailOf(d *contract.Document) detailData {
	counters := d.Counters()
	data := detailData{
		ID: d.ID, DocumentTitle: d.Title, DocumentName: d.Name,
		Status: d.State, Expired: isoOrNull(d.ExpiresAt), IsExpired: isExpired(d, c.Clock()),
		SigningStatus: d.SigningState(), Description: text.Description(c.language, d), CreateAt: formatISO(d.CreatedAt),
		IsParallel: d.Parallel, IsOwner: c.by.ID == d.Owner.ID, IsPaid: d.IsPaid(), IsSign: d.InTurn(c.by.ID),
		Owner:          detailOwner{UserID: d.Owner.ID, Email: d.Owner.Email, Name: d.Owner.Name},
		Signer:         []detailSigner{},
		DataToken:      dataToken{Used: tokenCountOf(counters.Used), Success: tokenCountOf(counters.Success), Failed: tokenCountOf(counters.Failed)},
		InfoRestamping: restampingOf(d),
		LastSignedAt:   isoOrNull(d.LastSignedAt), StatusInfo: c.statusInfo(d),
		ActiveDownloadButton: d.State == contract.Completed, SerialNumber: d.Serials(),
		Specimen: d.Specimen, Mode: d.Mode, Progress: progressOf(d, c.language), Placements: placementsOf(d), Warnings: c.fileWarnings(d),
	}
	for _, p := range d.Participants {
		data.Signer = append(data.Signer, detailSigner{
			Name: p.Name, Email: orNull(p.Email), Status: d.HasActed(p), SigningStatus: d.HasSigned(p),
			SignedAt: isoOrNull(p.SignedAt), IsOwner: p.ID == d.Owner.ID,
		})
	}
	return data
}

// fileWarnings returns the warnings about the file: it differs from the upload, may look different, or contains
// findings.
func (c *call) fileWarnings(d *contract.Document) []warning {
	var all []warning
	add := func(w contract.Warning) {
		all = append(all, warning{Field: w.Field, Code: w.Code, Msg: text.Warning(c.language, w)})
	}
	if d.Normalised() {
		add(contract.Warning{Field: "document", Code: "document.normalised"})
	}
	if d.Conversion.State == contract.Converting {
		add(contract.Warning{Field: "document", Code: contract.ErrConverting.Code})
	}
	for _, w := range d.Conversion.Warnings {
		add(w)
	}
	for _, f := range d.Findings {
		all = append(all, warning{
			Field: "document", Code: string(f.Code), Msg: text.Warning(c.language, f.Warning()),
			Page: f.Page, MustAccept: f.Refused, Accepted: f.Accepted,
		})
	}
	return all
}

// restampingOf returns what the client shows at the button for stamping again.
func restampingOf(d *contract.Document) infoRestamping {
	due := d.FullySigned() && d.NextStamp() >= 0
	r := infoRestamping{
		ButtonRestamping: "disable", ColorBackground: "success",
		AllowedStamping: due && d.IsPaid() && (d.State == contract.Processing || d.State == contract.Failed),
	}
	switch {
	case d.State == contract.Failed:
		r.ButtonRestamping, r.ColorBackground = "enable", "danger"
	case d.Restamping:
		r.ColorBackground = "warning"
	}
	return r
}
