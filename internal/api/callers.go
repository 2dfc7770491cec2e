package api

import "segel/internal/contract"

// callers says who may call an endpoint. Accounts whose password is their own may call all that ask for a token.
type callers uint8

const (
	accounts  callers = iota // they alone
	guestsToo                // guests as well; so wherever an endpoint names a document
	givenToo                 // also accounts that have yet to choose a password of their own
	anyToken                 // all of these
	anybody                  // no token is asked for
	ownAnswer                // the handler finds out by itself
)

// admitsGuests reports whether a guest's token is good for it.
func (c callers) admitsGuests() bool { return c == guestsToo || c == anyToken }

// admitsGivenPasswords reports whether the token of an account is good for it whose password is the one that an admin gave.
func (c callers) admitsGivenPasswords() bool { return c == givenToo || c == anyToken }

// authoriseCaller finds out who asks and whether this endpoint is his to ask.
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
		_, err = by.AuthoriseAdmin(c.endpoint.admin, "") // before anything is read; whose affairs are meant is decided behind
	}
	return err
}
