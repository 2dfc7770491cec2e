package contract

import (
	"reflect"
	"testing"
)

func TestAGuestIsSuggestedOnceAsTheyWereEnteredLast(t *testing.T) {
	t.Parallel()
	entered := []GuestContact{
		{"Budi Santoso", "budi@example.test", "0811"}, {"Citra", "citra@example.test", ""}, {"Tanpa Alamat", "", "0812"},
		{"Budi S.", "Budi@Example.test", ""}, {"Dewi", "dewi@budi.test", ""},
	}
	for _, c := range []struct {
		search string
		limit  int
		want   []GuestContact
	}{
		{"", 9, []GuestContact{entered[0], entered[1], entered[4]}},
		{"", 2, []GuestContact{entered[0], entered[1]}},
		{" BUDI ", 9, []GuestContact{entered[0], entered[4]}},
		{"Budi S.", 9, []GuestContact{}}, // a former name of an address does not return
		{"tanpa", 9, []GuestContact{}},
	} {
		if got := SuggestGuests(entered, c.search, c.limit); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, %d: %v, want %v", c.search, c.limit, got, c.want)
		}
	}
}
