package text

import (
	"fmt"
	"maps"
)

// sentences holds all sentences. Each file of the catalogue has one kind of them.
var sentences = mergeCatalogues(general, requests, people, documents, files, findings, messages, labels, events, administration, reconciliations, revocations, identities)

// mergeCatalogues panics if two parts have the same code, which is a mistake of the program.
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
