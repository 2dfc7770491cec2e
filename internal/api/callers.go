package api

import "segel/internal/contract"

// callers says who may call an endpoint. Accounts with a password of their own may call every endpoint that requires
// a token.
type callers uint8

const (
	accounts  callers = iota // only accounts with a password of their own
	guestsToo                // also guests, except where an endpoint names a document
	givenToo                 // also accounts that still have a password given by an admin
	anyToken                 // guests and all accounts
	anybody                  // no token is required
	ownAnswer                // the handler authenticates by itself
)

// admitsGuests reports whether a guest's token is accepted.
func (c callers) admitsGuests() bool { return c == guestsToo || c == anyToken }

// admitsGivenPasswords reports whether an account may call that still has the password given by an admin.
func (c callers) admitsGivenPasswords() bool { return c == givenToo || c == anyToken }

// authoriseCaller authenticates the caller and checks whether they may use this endpoint.
func (c *call) authoriseCaller() error {
	who := c.endpoint.callers
	if who == anybody || who == ownAnswer {
		return nil
	}
	by, err := c.authenticate()
	if err != nil {
		return err
	}
	c.by, c.actor = by, by.ID
	if by.Guest != 0 && !who.admitsGuests() {
		return contract.ErrNotAllowed
	}
	if c.endpoint.admin != "" {
		_, err = by.AuthoriseAdmin(c.endpoint.admin, "") // before the body is read; the workflow checks the organisation later
	}
	return err
}
