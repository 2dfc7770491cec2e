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

// madeOdds are files with oddities of structure, see pdftest.Odds.
type madeOdds struct {
	sealed   []item // accepted by the service: signed, put in order first if need be, and sealed up to B-LTA
	attacked []item // signed as they are, also if the service refuses them, and tampered with
}

// oddsStride keeps the comparison short: there are a thousand odd files. It is odd and no divisor of the numbers of files
// of the kinds, so that each kind is there with both styles of the cross-reference.
const oddsStride = 7

// makeOdds writes one in so many of the odd files, sealed and attacked.
func makeOdds(h *house, dir string, every int) (*madeOdds, error) {
	if err := emptied(dir); err != nil {
		return nil, err
	}
	all := &madeOdds{}
	write := func(list *[]item, prefix, name string, levels map[string]string, b []byte) error {
		file := prefix + oddName(name) + ".pdf"
		it := item{name: file, path: filepath.Join(dir, file), levels: levels}
		*list = append(*list, it)
		return os.WriteFile(it.path, b, 0o600)
	}
	sealed := map[string]string{"A": "B-LTA", "Segel": "B-LTA"}
	for i, odd := range pdftest.Odds() {
		if i%(every*oddsStride) != 0 {
			continue
		}
		if odd.Fate != pdftest.Refused {
			b, err := inOrder(odd.File)
			if err != nil {
				return nil, fmt.Errorf("odd %s: %w", odd.Name, err)
			}
			p := h.sealedForm(b)
			if p.err != nil {
				return nil, fmt.Errorf("odd %s: %w", odd.Name, p.err)
			}
			if err := write(&all.sealed, "odd-", odd.Name, sealed, p.b); err != nil {
				return nil, err
			}
		}
		p := h.paper(odd.File).fields(pades.FieldSpec{Name: "A"}).sign("A", ecP256)
		if p.err != nil {
			continue // the library signs only what it can read for sure
		}
		b, err := tamper(p.b, oddAttacks[len(all.attacked)%len(oddAttacks)].make)
		if errors.Is(err, errNoOddPage) || err != nil && odd.Fate == pdftest.Refused {
			continue // nothing to attack, or nothing that can be appended
		}
		if err != nil {
			return nil, fmt.Errorf("odd %s, attacked: %w", odd.Name, err)
		}
		if err := write(&all.attacked, "odd-attack-", odd.Name, nil, b); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errNoOddPage = errors.New("no page to attack")

// oddAttacks take turns.
var oddAttacks = []mutant{
	{"other-content", oddPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(content("Lunas")) })},
	{"turned-page", oddPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) })},
	{"other-font", oddPage(func(u *pdf.Update, p pdf.Dict) {
		font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
	})},
	{"comment", oddPage(func(u *pdf.Update, p pdf.Dict) { p["Annots"] = pdf.Array{u.Add(overlay(u, "Stamp"))} })},
}

// oddPage edits the first page, where there is one in an object of its own.
func oddPage(edit func(u *pdf.Update, p pdf.Dict)) func(m *mutation) {
	return func(m *mutation) {
		m.update(func(d *pdf.Document, u *pdf.Update) error {
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

// inOrder returns a file as the service signs it: rewritten if readers do not agree on it.
func inOrder(b []byte) ([]byte, error) {
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

// oddName is the name of an odd file as that of a file: "id/integer (table)" is "id-integer-table".
func oddName(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
