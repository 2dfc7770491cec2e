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

// signCorpus signs every n-th healthy, unencrypted PDF file below a folder twice, invisibly and visibly, and writes the
// results to another folder. A file that the library refuses is a finding.
func signCorpus(k *pki, folder, out string, every int) (items []item, refused []finding, err error) {
	files, err := listPDFFiles(folder, every)
	if err != nil {
		return nil, nil, err
	}
	w := newItemWriter(out)
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
			it := item{name: name, before: f.path, coversFile: true, levels: map[string]string{"SegelUji": "B-T"}}
			p := k.newFile(b)
			p.signField("SegelUji", rsaPKCS1, func(o *pades.Options) { p.err = it.placeField(p, o, seen) })
			if p.err != nil {
				refused = append(refused, finding{"ours", name, p.err.Error()})
				continue
			}
			w.addFile(it, p.b, nil)
		}
	}
	if w.err == nil && len(w.items) == 0 {
		return nil, nil, errors.New("no PDF file to sign in " + folder)
	}
	return w.items, refused, w.err
}

// isHealthy reports whether qpdf opens a file without a password, does not call it encrypted, and finds no fault.
func isHealthy(path string) bool {
	var exit *exec.ExitError
	err := exec.Command("qpdf", "--is-encrypted", path).Run() // exit status 2: not encrypted
	return errors.As(err, &exit) && exit.ExitCode() == 2 && runQpdfCheck(path) == 0
}

// placeField gives the signature a new field; a visible one is on page 1.
func (it *item) placeField(p *testFile, o *pades.Options, visible bool) error {
	o.NewField, o.Field = &pades.FieldSpec{Name: o.Field}, ""
	if !visible {
		return nil
	}
	d, err := openPDF(p.b)
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

// findFreeBox returns a box on the page, as displayed, that no annotation touches: validators call a signature over
// other content suspicious, and they are right. If there is none, it returns any box.
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
