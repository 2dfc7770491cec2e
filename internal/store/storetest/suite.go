package storetest

import (
	"testing"

	"segel/internal/store"
)

// Run proves that a store keeps its contract. Open returns an empty one and closes it when the test ends.
func Run(t *testing.T, open func(*testing.T) store.Store) {
	t.Parallel()
	for _, group := range []map[string]func(*testing.T, *bench){
		committing, refusing, listing, serials, attempts, counting, watching, ageing, quotas, books, logging,
		people, tokens, credentials, answers, texts, administering, clocks, installations,
	} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, newBench(t, open(t)))
			})
		}
	}
}
