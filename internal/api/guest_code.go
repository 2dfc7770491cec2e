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
	Channel   string `json:"channel" doc:"by which it is sent" enum:"mail,whatsapp,sms" example:"mail"`
	Address   string `json:"address" doc:"the mailbox or the phone number, in part" example:"b***@contoh.id"`
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
		said := "done.guest_code"
		if o.Channel.IsPhone() {
			said = "done.guest_code_phone"
		}
		return doneAnswer(c, said, guestCodeData{
			Channel: nameChannel(o.Channel), Address: maskContact(o.Channel, o.Address), ExpiresAt: formatISO(o.At.Add(contract.CodeLifetime)), NextAt: formatISO(o.At.Add(contract.CodePause)),
			Digest: hex.EncodeToString(o.Digest[:]),
		})
	})
}

// maskContact returns the part of an address or phone number by which its owner recognises it.
func maskContact(c contract.Channel, address string) string {
	if c.IsPhone() {
		return contract.MaskPhone(address)
	}
	return contract.MaskAddress(address)
}

type proveContactIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Code       phrase  `json:"code" required:"true" doc:"six digits; spaces do not matter" example:"482913"`
}

func (c *call) proveContact(in *proveContactIn) (done[verbData], error) {
	var bad problems
	id, code := parseDocumentID(in.DocumentID, &bad), in.Code.checkedValue("code", &bad)
	if code == "" && !in.Code.bad {
		bad.add("code", "value.required")
	}
	said := "done.guest_verify"
	if c.by.Channel.IsPhone() {
		said = "done.guest_verify_phone"
	}
	return runDocumentOperation(c, id, bad, said, func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.ProveContact(ctx, c.by, id, code)
	})
}

type correctGuestIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	UserID     phrase  `json:"user_id" required:"true" doc:"of a guest on the document" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name       *phrase `json:"name" required:"false" doc:"unchanged if missing" example:"Budi Tamu"`
	Email      *phrase `json:"email" required:"false" doc:"unchanged if missing" example:"budi@contoh.id"`
	Phone      *phrase `json:"phone" required:"false" doc:"unchanged if missing" example:"+628123456789"`
	Channel    *phrase `json:"channel" required:"false" doc:"by which messages reach them; unchanged if missing" enum:"mail,whatsapp,sms" example:"whatsapp"`
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
	if in.Channel != nil {
		channel := parseChannel(*in.Channel, "", &bad)
		to.Channel = &channel
	}
	return runDocumentOperation(c, id, bad, "done.correct_guest", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.CorrectGuest(ctx, c.by, id, person, to)
	})
}

// guestCheck says whether the caller, a guest, has to enter a code.
type guestCheck struct {
	ToRead    bool   `json:"to_read" doc:"before the file can be read"`
	ToSign    bool   `json:"to_sign" doc:"before the current revision can be signed"`
	Channel   string `json:"channel" doc:"by which the code is sent" enum:"mail,whatsapp,sms" example:"mail"`
	Address   string `json:"address" doc:"the mailbox or the phone number, in part" example:"b***@contoh.id"`
	Delivered bool   `json:"delivered" doc:"codes can be sent: a mail server or a provider is configured, and the guest has an address or a number"`
}

// guestCheckOf returns nil for people with an account, and for guests who need no code any more.
func (c *call) guestCheckOf(d *contract.Document) *guestCheck {
	if c.by.Guest == 0 {
		return nil
	}
	channel, address := d.Reach(c.by.ID)
	check := guestCheck{
		ToRead: d.Authorise(c.by, contract.OpPreview) != nil, ToSign: d.InTurn(c.by.ID) && d.NeedsCode(c.by),
		Channel: nameChannel(channel), Address: maskContact(channel, address), Delivered: c.Workflow.Delivers(channel) && address != "",
	}
	if !check.ToRead && !check.ToSign {
		return nil
	}
	return &check
}
