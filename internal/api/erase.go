package api

import (
	"segel/internal/contract"
)

// erasureOut says how far an erasure got.
type erasureOut struct {
	AskedAt string  `json:"asked_at" example:"2026-11-24T06:06:00.000Z"`
	DoneAt  *string `json:"done_at" doc:"null: the service goes on" example:"2026-11-24T06:06:01.000Z"`
}

type erasedGuestIn struct {
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Email        phrase `json:"email" required:"false" doc:"of a person without an account; missing if phone is given" example:"budi@contoh.id"`
	Phone        phrase `json:"phone" required:"false" doc:"of a person without an account, in place of email: every guest with this number is erased" example:"+628123456789"`
}

// erasedAccountIn confirms that a person erases their account.
type erasedAccountIn struct {
	Email phrase `json:"email" required:"true" doc:"the caller's own address, as a confirmation" example:"siti@contoh.id"`
}

func (c *call) eraseOwnAccount(in *erasedAccountIn) (noted, error) {
	var bad problems
	email := in.Email.checkedValue("email", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if err := c.Workflow.EraseOwnAccount(c.r.Context(), c.by, email); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.erased_own"), nil
}

func (c *call) erasePerson() (done[erasureOut], error) {
	x, err := c.Workflow.ErasePerson(c.r.Context(), c.by, c.pathPerson())
	if err != nil {
		return done[erasureOut]{}, err
	}
	return doneAnswer(c, "done.erased", erasureOf(x)), nil
}

func erasureOf(x contract.Erasure) erasureOut {
	return erasureOut{AskedAt: formatISO(x.At), DoneAt: isoOrNull(x.DoneAt)}
}

func (c *call) eraseGuest(in *erasedGuestIn) (noted, error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	who := contract.GuestContact{Email: in.Email.checkedValue("email", &bad), Phone: in.Phone.checkedValue("phone", &bad)}
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if err := c.Workflow.EraseGuest(c.r.Context(), c.by, of, who); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.erased_guest"), nil
}
