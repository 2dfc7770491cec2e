package api

import (
	"context"
	"encoding/hex"
	"strings"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// guestCodeData says which code was sent where.
type guestCodeData struct {
	Address   string `json:"address" doc:"the mailbox, in part" example:"b***@contoh.id"`
	ExpiresAt string `json:"expires_at" doc:"until when the code can be entered" example:"2024-10-14T06:21:00.000Z"`
	NextAt    string `json:"next_at" doc:"when another code can be asked for" example:"2024-10-14T06:07:00.000Z"`
	Digest    string `json:"digest" doc:"SHA-256 in hex of the revision that can be signed with the code" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func (c *call) orderGuestCode(in *documentIn) (done[guestCodeData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	if err := c.refuseInput(id, bad); err != nil {
		return done[guestCodeData]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.OrderedCode, error) {
		return c.Workflow.OrderGuestCode(ctx, c.by, id)
	}, func(o workflow.OrderedCode) done[guestCodeData] {
		return doneAnswer(c, "done.guest_code", guestCodeData{
			Address: maskAddress(o.Address), ExpiresAt: formatISO(o.At.Add(contract.CodeLifetime)), NextAt: formatISO(o.At.Add(contract.CodePause)),
			Digest: hex.EncodeToString(o.Digest[:]),
		})
	})
}

// maskAddress returns an address without what is before the "@", except its first character: enough for its owner to recognise it.
func maskAddress(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	return string([]rune(local)[:min(1, len([]rune(local)))]) + "***@" + domain
}

type proveMailboxIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Code       phrase  `json:"code" required:"true" doc:"six digits; spaces do not matter" example:"482913"`
}

func (c *call) proveMailbox(in *proveMailboxIn) (done[verbData], error) {
	var bad problems
	id, code := parseDocumentID(in.DocumentID, &bad), in.Code.checkedValue("code", &bad)
	if code == "" && !in.Code.bad {
		bad.add("code", "value.required")
	}
	return runDocumentOperation(c, id, bad, "done.guest_verify", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.ProveMailbox(ctx, c.by, id, code)
	})
}

type correctGuestIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	UserID     phrase  `json:"user_id" required:"true" doc:"of a guest on the document" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name       *phrase `json:"name" required:"false" doc:"unchanged if missing" example:"Budi Tamu"`
	Email      *phrase `json:"email" required:"false" doc:"unchanged if missing" example:"budi@contoh.id"`
	Phone      *phrase `json:"phone" required:"false" doc:"unchanged if missing" example:"+628123456789"`
}

func (c *call) correctGuest(in *correctGuestIn) (done[verbData], error) {
	ids := guestLinkIn{DocumentID: in.DocumentID, UserID: in.UserID}
	id, person, bad := ids.checkedIDs()
	var to contract.GuestCorrection
	for name, m := range map[string]struct {
		given *phrase
		value **string
	}{"name": {in.Name, &to.Name}, "email": {in.Email, &to.Email}, "phone": {in.Phone, &to.Phone}} {
		if m.given != nil {
			v := strings.TrimSpace(m.given.checkedValue(name, &bad))
			*m.value = &v
		}
	}
	return runDocumentOperation(c, id, bad, "done.correct_guest", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.CorrectGuest(ctx, c.by, id, person, to)
	})
}

// guestCheck says whether the caller, a guest, has to enter a code.
type guestCheck struct {
	ToRead    bool   `json:"to_read" doc:"before the file can be read"`
	ToSign    bool   `json:"to_sign" doc:"before the current revision can be signed"`
	Address   string `json:"address" doc:"the mailbox, in part" example:"b***@contoh.id"`
	Delivered bool   `json:"delivered" doc:"codes can be sent: a mail server is configured and the guest has an address"`
}

// guestCheckOf returns nil for people with an account, and for guests who need no code any more.
func (c *call) guestCheckOf(d *contract.Document) *guestCheck {
	if c.by.Guest == 0 {
		return nil
	}
	check := guestCheck{
		ToRead: d.Authorise(c.by, contract.OpPreview) != nil, ToSign: d.InTurn(c.by.ID) && d.NeedsCode(c.by),
		Address: maskAddress(c.by.Email), Delivered: !c.Workflow.KeepNotices && c.by.Email != "",
	}
	if !check.ToRead && !check.ToSign {
		return nil
	}
	return &check
}
