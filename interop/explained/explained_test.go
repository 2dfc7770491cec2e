package explained_test

import (
	"reflect"
	"strings"
	"testing"

	"segel/interop/explained"
)

func TestATableHasLinesOfSoManyPartsThatAreNotEmpty(t *testing.T) {
	t.Parallel()
	got, err := explained.ReadTable(strings.NewReader("# comment\n\n a* |dss | a policy\n"), 3)
	if want := []explained.Line{{Number: 3, Parts: []string{"a*", "dss", "a policy"}}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, table := range []string{"a | b", "a | b | c | d", "a | b |", "a | | c"} {
		if got, err := explained.ReadTable(strings.NewReader("\n"+table), 3); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v, %v", table, got, err)
		}
	}
}
