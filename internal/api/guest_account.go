package api

import (
	"segel/internal/contract"
	"segel/internal/identity"
)

type guestAccountIn struct {
	Name     phrase `json:"name" required:"false" doc:"missing: the name that the sender of the document entered" example:"Budi Santoso"`
	Password phrase `json:"password" required:"true" doc:"at least 12 characters, and not a common one"`
}

// createGuestAccount creates an account for the caller, a guest who verified their mailbox.
func (c *call) createGuestAccount(in *guestAccountIn) (noted, error) {
	var bad problems
	name, password := in.Name.checkedValue("name", &bad), in.Password.checkedValue("password", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if _, err := c.Identity.CreateMailboxAccount(c.r.Context(), c.by, identity.NewMailboxAccount{Name: name, Password: password}); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.account_created"), nil
}

type guestDocumentIn struct {
	DocumentID integer `json:"document_id" required:"true" example:"1207"`
}

// openAsGuest opens a document that names the caller's verified mailbox as a guest's.
func (c *call) openAsGuest(in *guestDocumentIn) (found[guestSessionData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	if err := bad.asError(); err != nil {
		return found[guestSessionData]{}, err
	}
	g, err := c.Identity.OpenAsGuest(c.r.Context(), c.by, id)
	if err != nil {
		return found[guestSessionData]{}, err
	}
	return foundAnswer(guestSessionDataOf(g)), nil
}

// accountOffer says that the caller, a guest, can create an account.
type accountOffer struct {
	Email string `json:"email" doc:"of the account: the mailbox that the guest verified" example:"budi@contoh.id"`
}

// offerAccount returns the account that the caller can create; nil if they cannot.
func (c *call) offerAccount() (*accountOffer, error) {
	address, err := c.Identity.FindAccountOffer(c.r.Context(), c.by)
	if err != nil || address == "" {
		return nil, err
	}
	return &accountOffer{address}, nil
}

// readerOf returns the participant that the caller is in a document of their lists: themselves, or the guest whom the document names with the
// mailbox that the caller verified.
func (c *call) readerOf(d *contract.Document) (id contract.PersonID, asGuest bool) {
	if d.IsVisibleTo(c.by.ID) {
		return c.by.ID, false
	}
	if p := d.GuestReading(c.by.Mailbox); p != nil {
		return p.ID, true
	}
	return c.by.ID, false
}
