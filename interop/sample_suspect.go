package main

import (
	"fmt"
	"strings"

	"segel/pades"
	"segel/pdf/pdftest"
)

// writeSuspects signs files with hidden, active or misleading content. The signatures are valid; our verifier has to
// report the content.
func writeSuspects(k *pki, dir string) ([]item, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	var items []item
	for _, s := range pdftest.SuspectCases() {
		p := k.newFile(s.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256).addValidationData().addTimestamp()
		if p.err != nil {
			return nil, fmt.Errorf("sign suspect %s: %w", s.Name, p.err)
		}
		it := item{name: "suspect-" + strings.ReplaceAll(s.Name, " ", "-") + ".pdf", levels: map[string]string{"A": "B-LTA"}, timestamps: []string{"Timestamp1"}, coversFile: true, wantWarnings: s.Kinds}
		var err error
		if items, err = appendItem(items, dir, it, p.b); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// checkWarnings checks that our report names what is in the file.
func (it item) checkWarnings(a ourReport, fail reportFunc) {
	for _, kind := range it.wantWarnings {
		told := false
		for _, w := range a.Warnings {
			told = told || w.Code == "finding."+kind || w.Code == "warning."+kind
		}
		if !told {
			fail("does not report %s", kind)
		}
	}
}
