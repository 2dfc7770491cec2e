package validate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

func TestARevisionNamesEveryFieldThatItFilledInHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	var changes []diff.Change
	var want []FilledField
	for page := range 50 {
		for _, who := range []string{"Budi", "Siti"} {
			name := fmt.Sprintf("%s-Mark-%d", who, page+1)
			want = append(want, FilledField{name, page + 1})
			// A field of which an object and its widget changed is one field; its appearance is not another one.
			c := diff.Change{Operation: diff.Replaced, Rule: "test", Code: diff.CodeFilled, Level: diff.FormFilling, Field: name, Page: page + 1}
			changes = append(changes, c, c)
			c.Code = diff.CodeAppearance
			changes = append(changes, c)
		}
	}
	revisions := (&validation{}).describeRevisions(&facts.File{Revisions: []facts.Revision{{Number: 1}, {Number: 2, Changes: changes}}})
	if len(revisions) != 1 || len(revisions[0].What) != maxToldChanges+1 {
		t.Fatalf("revisions: %+v", revisions)
	}
	if d := cmp.Diff(want, revisions[0].Filled); d != "" {
		t.Error(d)
	}
	if some := listFilled(changes, 7); len(some) != 7 {
		t.Errorf("%d of at most 7 fields", len(some))
	}
}
