package diff

import (
	"slices"
	"testing"
)

func TestEveryRoleSaysWhatItPassesOn(t *testing.T) {
	t.Parallel()
	// A role that was forgotten has the zero role, the catalog's, which none but the trailer passes on.
	byThemselves := []role{
		roleCatalog, roleField, roleContents, rolePages, rolePage, roleAnnots, roleAnnotation, roleAppearances, roleElements, roleElement,
	}
	for r := range roleCount {
		if said := passedOn[r].others != roleCatalog; said == slices.Contains(byThemselves, r) {
			t.Errorf("role %d: in the table %v", r, said)
		}
	}
}
