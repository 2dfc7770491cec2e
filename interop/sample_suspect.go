package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"segel/pades"
	"segel/pdf/pdftest"
)

// writeSuspects signs the files whose content is hidden, acts or is not what it seems. The signatures are as good as any;
// what is in the files, our verifier has to tell.
func writeSuspects(h *pki, dir string) ([]item, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	var items []item
	for _, s := range pdftest.SuspectCases() {
		p := h.newFile(s.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256).addValidationData().addTimestamp()
		if p.err != nil {
			return nil, fmt.Errorf("sign suspect %s: %w", s.Name, p.err)
		}
		it := item{name: "suspect-" + strings.ReplaceAll(s.Name, " ", "-") + ".pdf", levels: map[string]string{"A": "B-LTA"}, timestamps: []string{"Timestamp1"}, coversFile: true, wantWarnings: s.Kinds}
		it.path = filepath.Join(dir, it.name)
		if err := os.WriteFile(it.path, p.b, 0o600); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// checkWarnings holds what our verifier says of a file against what is in it.
func (it item) checkWarnings(a ourReport, no reportFunc) {
	for _, kind := range it.wantWarnings {
		told := false
		for _, w := range a.Warnings {
			told = told || w.Code == "finding."+kind || w.Code == "warning."+kind
		}
		if !told {
			no("does not tell of %s", kind)
		}
	}
}
