package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// oddFiles are files with unusual structure, see pdftest.Odds.
type oddFiles struct {
	sealed   []item // accepted by the service: normalised if necessary, signed, and sealed up to B-LTA
	tampered []item // signed as they are, even if the service refuses them, and tampered with
}

// oddsStride keeps the comparison short: there are a thousand odd files. It does not divide the number of files of any
// kind, so that each kind occurs with both styles of cross-reference.
const oddsStride = 7

// writeOddFiles writes every n-th odd file, sealed and tampered with.
func writeOddFiles(k *pki, dir string, every int) (*oddFiles, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	all := &oddFiles{}
	sealed := map[string]string{"A": "B-LTA", "Segel": "B-LTA"}
	for i, odd := range pdftest.OddFiles() {
		if i%(every*oddsStride) != 0 {
			continue
		}
		if odd.Outcome != pdftest.Refused {
			b, err := normalizeFile(odd.File)
			if err != nil {
				return nil, fmt.Errorf("odd %s: %w", odd.Name, err)
			}
			p := k.sealForm(b)
			if p.err != nil {
				return nil, fmt.Errorf("odd %s: %w", odd.Name, p.err)
			}
			it := item{name: "odd-" + formatFileName(odd.Name) + ".pdf", levels: sealed}
			if all.sealed, err = appendItem(all.sealed, dir, it, p.b); err != nil {
				return nil, err
			}
		}
		p := k.newFile(odd.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256)
		if p.err != nil {
			continue // the library signs only what it can read reliably
		}
		b, err := applyMutation(p.b, oddAttacks[len(all.tampered)%len(oddAttacks)].apply)
		if errors.Is(err, errNoOddPage) || err != nil && odd.Outcome == pdftest.Refused {
			continue // nothing to attack, or nothing can be appended
		}
		if err != nil {
			return nil, fmt.Errorf("odd %s, attacked: %w", odd.Name, err)
		}
		it := item{name: "odd-attack-" + formatFileName(odd.Name) + ".pdf"}
		if all.tampered, err = appendItem(all.tampered, dir, it, b); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errNoOddPage = errors.New("no page to attack")

// oddAttacks are applied in turn.
var oddAttacks = []mutant{
	{"other-content", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(buildContent("Lunas")) })},
	{"turned-page", editFirstPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) })},
	{"other-font", editFirstPage(func(u *pdf.Update, p pdf.Dict) {
		font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
	})},
	{"comment", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Annots"] = pdf.Array{u.Add(buildOverlay(u, "Stamp"))} })},
}

// editFirstPage edits the first page if it is an indirect object.
func editFirstPage(edit func(u *pdf.Update, p pdf.Dict)) func(m *mutation) {
	return func(m *mutation) {
		m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
			page, err := d.Page(1)
			if err != nil || page.Ref.IsZero() {
				return errNoOddPage
			}
			dict, err := u.Edit(page.Ref)
			if err != nil {
				return errNoOddPage
			}
			edit(u, dict)
			return nil
		})
	}
}

// normalizeFile returns a file as the service signs it: rewritten if readers disagree on it.
func normalizeFile(b []byte) ([]byte, error) {
	d, err := openPDF(b)
	if err == nil {
		if err = d.Check(); err == nil {
			return b, nil
		}
	}
	if d, err = pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Repair: true}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := d.Rewrite(&out, pdf.RewriteOptions{}); err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	return out.Bytes(), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// formatFileName converts the name of an odd file to a file name: "id/integer (table)" becomes "id-integer-table".
func formatFileName(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
