package sqlstore

import (
	"strings"
	"testing"
)

func TestEnteredGuestsAreFoundByTheListOfTheirOwner(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	plan := strings.Join(explain(t, s, selectEnteredGuests), "; ")
	for _, index := range []string{"sqlite_autoindex_box_1 (person=? AND box=?)", "SEARCH p USING INDEX sqlite_autoindex_participant_"} {
		if !strings.Contains(plan, index) {
			t.Errorf("%s\ndoes not use %s", plan, index)
		}
	}
	if strings.Contains(plan, "SCAN p") || strings.Contains(plan, "SCAN box") {
		t.Error(plan)
	}
}
