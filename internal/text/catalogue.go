package text

import (
	"fmt"
	"maps"
)

// sentences is all of them. Each file of the catalogue holds one kind.
var sentences = mergeCatalogues(general, requests, people, documents, files, findings, messages, labels, events, administration, reconciliations, revocations, identities)

// mergeCatalogues panics on a code that stands in two parts: the program itself made that impossible, and a test would
// have to see it first.
func mergeCatalogues(parts ...map[string]sentence) map[string]sentence {
	all := map[string]sentence{}
	for _, p := range parts {
		for code := range p {
			if _, twice := all[code]; twice {
				panic(fmt.Sprintf("two sentences for %s", code))
			}
		}
		maps.Copy(all, p)
	}
	return all
}
