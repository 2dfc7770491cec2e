package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// oddFiles are files with oddities of structure, see pdftest.OddFiles.
type oddFiles struct {
	sealed   []item // accepted by the service: signed, put in order first if need be, and sealed up to B-LTA
	tampered []item // signed as they are, also if the service refuses them, and tampered with
}

// oddsStride keeps the comparison short: there are a thousand odd files. It is odd and no divisor of the numbers of files
// of the kinds, so that each kind is there with both styles of the cross-reference.
const oddsStride = 7

// writeOddFiles writes one in so many of the odd files, sealed and attacked.
func writeOddFiles(h *pki, dir string, every int) (*oddFiles, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	all := &oddFiles{}
	write := func(list *[]item, prefix, name string, levels map[string]string, b []byte) error {
		file := prefix + formatFileName(name) + ".pdf"
		it := item{name: file, path: filepath.Join(dir, file), levels: levels}
		*list = append(*list, it)
		return os.WriteFile(it.path, b, 0o600)
	}
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
			p := h.sealForm(b)
			if p.err != nil {
				return nil, fmt.Errorf("odd %s: %w", odd.Name, p.err)
			}
			if err := write(&all.sealed, "odd-", odd.Name, sealed, p.b); err != nil {
				return nil, err
			}
		}
		p := h.newFile(odd.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256)
		if p.err != nil {
			continue // the library signs only what it can read for sure
		}
		b, err := applyMutation(p.b, oddAttacks[len(all.tampered)%len(oddAttacks)].apply)
		if errors.Is(err, errNoOddPage) || err != nil && odd.Outcome == pdftest.Refused {
			continue // nothing to attack, or nothing that can be appended
		}
		if err != nil {
			return nil, fmt.Errorf("odd %s, attacked: %w", odd.Name, err)
		}
		if err := write(&all.tampered, "odd-attack-", odd.Name, nil, b); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errNoOddPage = errors.New("no page to attack")

// oddAttacks take turns.
var oddAttacks = []mutant{
	{"other-content", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(buildContent("Lunas")) })},
	{"turned-page", editFirstPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) })},
	{"other-font", editFirstPage(func(u *pdf.Update, p pdf.Dict) {
		font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
	})},
	{"comment", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Annots"] = pdf.Array{u.Add(buildOverlay(u, "Stamp"))} })},
}

// editFirstPage edits the first page, where there is one in an object of its own.
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

// normalizeFile returns a file as the service signs it: rewritten if readers do not agree on it.
func normalizeFile(b []byte) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
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

// formatFileName is the name of an odd file as that of a file: "id/integer (table)" is "id-integer-table".
func formatFileName(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
