package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"segel/pades"
	"segel/pdf"
)

// signCorpus signs every healthy, unencrypted PDF file below a folder, or one in so many, twice: not to be seen and to be
// seen. It writes what comes out to another folder. What the library refuses is a finding.
func signCorpus(h *pki, folder, out string, every int) (items []item, refused []finding, err error) {
	files, err := listPDFFiles(folder, every)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if !isHealthy(f.path) {
			continue
		}
		b, err := os.ReadFile(f.path)
		if err != nil {
			return nil, nil, err
		}
		stem := strings.TrimSuffix(f.name, filepath.Ext(f.name))
		for name, seen := range map[string]bool{stem + "-invisible.pdf": false, stem + "-visible.pdf": true} {
			it := item{name: name, path: filepath.Join(out, name), before: f.path, coversFile: true, levels: map[string]string{"SegelUji": "B-T"}}
			p := h.newFile(b)
			p.signField("SegelUji", rsaPKCS1, func(o *pades.Options) { p.err = it.placeField(p, o, seen) })
			if p.err != nil {
				refused = append(refused, finding{"ours", name, p.err.Error()})
				continue
			}
			if err := os.WriteFile(it.path, p.b, 0o600); err != nil {
				return nil, nil, err
			}
			items = append(items, it)
		}
	}
	if len(items) == 0 {
		return nil, nil, errors.New("there was no PDF file to be signed in " + folder)
	}
	return items, refused, nil
}

// isHealthy tells files that qpdf opens without a password, finds not encrypted, and nothing wrong with.
func isHealthy(path string) bool {
	var exit *exec.ExitError
	err := exec.Command("qpdf", "--is-encrypted", path).Run() // 2: it is not
	return errors.As(err, &exit) && exit.ExitCode() == 2 && runQpdfCheck(path) == 0
}

// placeField gives the signature a new field; one to be seen stands at the lower left of page 1.
func (it *item) placeField(p *testFile, o *pades.Options, visible bool) error {
	o.NewField, o.Field = &pades.FieldSpec{Name: o.Field}, ""
	if !visible {
		return nil
	}
	d, err := pdf.Open(p.toSource().R, p.toSource().Size, pdf.Options{})
	if err != nil {
		return err
	}
	page, err := d.Page(1)
	if err != nil {
		return err
	}
	var box pdf.Rect
	if it.changedArea, box, err = findFreeBox(d, page); err != nil {
		return err
	}
	o.NewField.Page, o.NewField.Rect = 1, page.ToUser(box)
	withAppearance(box, nil, "https://segel.example/verify/1")(o)
	return nil
}

// findFreeBox is a box on the page, as displayed, that no annotation of it touches: judges call a signature that lies over
// something else suspicious, and are right to. If there is none, it is any.
func findFreeBox(d *pdf.Document, page *pdf.Page) (pageArea, pdf.Rect, error) {
	annots, err := d.Array(page.Dict["Annots"])
	if err != nil {
		return pageArea{}, pdf.Rect{}, err
	}
	var taken []pdf.Rect
	for _, a := range annots {
		dict, err := d.Dict(a)
		if err != nil {
			continue
		}
		if r, err := d.Rect(dict["Rect"]); err == nil && !r.Empty() {
			taken = append(taken, page.FromUser(r))
		}
	}
	w, h := page.DisplayedSize()
	var p pageArea
	var box pdf.Rect
	for _, size := range [][2]float64{{0.25, 0.04}, {0.1, 0.04}, {0.025, 0.05}} {
		for top := 0.99 - size[1]; top > 0; top -= 0.01 {
			for left := 0.005; left+size[0] < 1; left += 0.01 {
				p = pageArea{left, top, left + size[0], top + size[1]}
				box = pdf.Rect{LLX: p.left * w, LLY: (1 - p.bottom) * h, URX: p.right * w, URY: (1 - p.top) * h}
				if !slices.ContainsFunc(taken, func(r pdf.Rect) bool { return !r.Intersect(box).Empty() }) {
					return p, box, nil
				}
			}
		}
	}
	return p, box, nil
}
