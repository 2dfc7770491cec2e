package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"segel/pades"
	"segel/pdf/pdftest"
)

// makeSuspects signs the files whose content is hidden, acts or is not what it seems. The signatures are as good as any;
// what is in the files, our verifier has to tell.
func makeSuspects(h *house, dir string) ([]item, error) {
	if err := emptied(dir); err != nil {
		return nil, err
	}
	var items []item
	for _, s := range pdftest.Suspects() {
		p := h.paper(s.File).fields(pades.FieldSpec{Name: "A"}).sign("A", ecP256).proven().stamped()
		if p.err != nil {
			return nil, fmt.Errorf("sign suspect %s: %w", s.Name, p.err)
		}
		it := item{name: "suspect-" + strings.ReplaceAll(s.Name, " ", "-") + ".pdf", levels: map[string]string{"A": "B-LTA"}, stamps: []string{"Timestamp1"}, sealed: true, found: s.Kinds}
		it.path = filepath.Join(dir, it.name)
		if err := os.WriteFile(it.path, p.b, 0o600); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// tells holds what our verifier says of a file against what is in it.
func (it item) tells(a ourAnswer, no complain) {
	for _, kind := range it.found {
		told := false
		for _, w := range a.Warnings {
			told = told || w.Code == "finding."+kind || w.Code == "warning."+kind
		}
		if !told {
			no("does not tell of %s", kind)
		}
	}
}
