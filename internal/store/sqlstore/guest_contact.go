package sqlstore

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// Of the guests whom a person entered, those on so many of their newest documents are read, and so many at most.
const (
	suggestedDocuments = 500
	suggestedGuests    = 1000
)

// selectEnteredGuests selects the guests on the newest documents of a list, the newest first.
const selectEnteredGuests = `SELECT p.name, p.email, p.phone
	FROM (SELECT document FROM box WHERE person = $1 AND box = $2 ORDER BY document DESC LIMIT $3) newest
	JOIN participant p ON p.document = newest.document WHERE p.guest AND ` + isSuggested + ` ORDER BY newest.document DESC, p.position LIMIT $4`

// EnteredGuests implements [store.Documents].
func (s *Store) EnteredGuests(ctx context.Context, owner contract.PersonID) ([]contract.GuestContact, error) {
	guests, err := readAll(ctx, s, func(g *contract.GuestContact) []any { return []any{&g.Name, &g.Email, &g.Phone} },
		selectEnteredGuests, owner, store.Outbox, suggestedDocuments, suggestedGuests)
	return guests, wrapf(err, "read the guests that %s entered", owner)
}
