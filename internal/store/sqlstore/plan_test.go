package sqlstore

import (
	"strings"
	"testing"
)

// TestWhatEachStampAsksWalksNoOrganisation holds SQLite, which has no statistics to go by, to the index that is made for
// the question: a walk over all serials that an organisation ever had would be made before each of its orders.
func TestWhatEachStampAsksWalksNoOrganisation(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["SQLite"](t))
	for query, index := range map[string]string{
		`SELECT serial FROM serial ` + whereFree:                                                         "serial_free (state=? AND organisation=?)",
		`SELECT number FROM quota_entry WHERE organisation = $1 AND made_at >= $2 ORDER BY made_at DESC`: "quota_entry_organisation (organisation=? AND made_at>?)",
	} {
		var plan []string
		err := s.db.read(t.Context(), func(q querier) error {
			return each(t.Context(), q, func(scan func(...any) error) error {
				var id, parent, unused int
				var step string
				err := scan(&id, &parent, &unused, &step)
				plan = append(plan, step)
				return err
			}, `EXPLAIN QUERY PLAN `+query, "org", 1)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(plan, "; "); !strings.Contains(got, index) || strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s\n%s", query, got)
		}
	}
}
