package peruri_test

import (
	"testing"

	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/peruri/recordtest"
)

func TestAFolderHoldsWhatTheOfficeReturned(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		recordtest.Run(t, func(t *testing.T) recordtest.Records {
			k, err := peruri.OpenFolder(t.TempDir(), again)
			if err != nil {
				t.Fatal(err)
			}
			return k
		})
	}
}
