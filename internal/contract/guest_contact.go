package contract

import "strings"

// GuestContact is a guest as the owner of a document entered them.
type GuestContact struct {
	Name  string
	Email string
	Phone string
}

// SuggestGuests returns at most limit of the guests that an owner entered, each address once and as it was entered last, whose
// name or address contains the search text in any case of letters. Entered has the newest first. Guests without an address
// are left out: nothing tells two of the same name apart.
func SuggestGuests(entered []GuestContact, search string, limit int) []GuestContact {
	needle := strings.ToLower(CleanText(search))
	known := map[string]bool{}
	found := []GuestContact{}
	for _, g := range entered {
		address := strings.ToLower(g.Email)
		if address == "" || known[address] {
			continue
		}
		known[address] = true
		if len(found) < limit && (strings.Contains(strings.ToLower(g.Name), needle) || strings.Contains(address, needle)) {
			found = append(found, g)
		}
	}
	return found
}
