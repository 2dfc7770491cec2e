package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/pades"
	"segel/pdf"
)

// corpus signs every healthy, unencrypted PDF file below a folder twice, not to be seen and to be seen, and writes what
// comes out to another folder. What the library refuses is a finding.
func corpus(h *house, folder, out string) (items []item, refused []finding, err error) {
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") || !healthy(path) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, seen := range []bool{false, true} {
			name := strings.TrimSuffix(e.Name(), filepath.Ext(path)) + "-invisible.pdf"
			if seen {
				name = strings.TrimSuffix(e.Name(), filepath.Ext(path)) + "-visible.pdf"
			}
			it := item{name: name, path: filepath.Join(out, name), before: path, sealed: true}
			p := h.paper(b)
			field := "SegelUji"
			p.sign(field, rsaPKCS1, func(o *pades.Options) { p.err = it.spot(p, o, seen) })
			if p.err != nil {
				refused = append(refused, finding{"ours", name, p.err.Error()})
				continue
			}
			if err := os.WriteFile(it.path, p.b, 0o600); err != nil {
				return err
			}
			it.levels = map[string]string{field: "B-T"}
			items = append(items, it)
		}
		return nil
	})
	if err == nil && len(items) == 0 {
		err = errors.New("there was no PDF file to be signed in " + folder)
	}
	return items, refused, err
}

// healthy tells files that qpdf opens without a password, finds not encrypted, and nothing wrong with.
func healthy(path string) bool {
	var exit *exec.ExitError
	err := exec.Command("qpdf", "--is-encrypted", path).Run() // 2: it is not
	return errors.As(err, &exit) && exit.ExitCode() == 2 && qpdfCheck(path) == 0
}

// spot gives the signature a new field; one to be seen stands at the lower left of page 1.
func (it *item) spot(p *paper, o *pades.Options, visible bool) error {
	o.NewField, o.Field = &pades.FieldSpec{Name: o.Field}, ""
	if !visible {
		return nil
	}
	d, err := pdf.Open(p.source().R, p.source().Size, pdf.Options{})
	if err != nil {
		return err
	}
	page, err := d.Page(1)
	if err != nil {
		return err
	}
	var box pdf.Rect
	if it.shown, box, err = free(d, page); err != nil {
		return err
	}
	o.NewField.Page, o.NewField.Rect = 1, page.ToUser(box)
	seen(box, nil, "https://segel.example/verify/1")(o)
	o.Time = time.Now()
	return nil
}

// free is a box on the page, as displayed, that no annotation of it touches: judges call a signature that lies over
// something else suspicious, and are right to. If there is none, it is any.
func free(d *pdf.Document, page *pdf.Page) (place, pdf.Rect, error) {
	annots, err := d.Array(page.Dict["Annots"])
	if err != nil {
		return place{}, pdf.Rect{}, err
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
	w, h := page.Displayed()
	var p place
	var box pdf.Rect
	for _, size := range [][2]float64{{0.25, 0.04}, {0.1, 0.04}, {0.025, 0.05}} {
		for top := 0.99 - size[1]; top > 0; top -= 0.01 {
			for left := 0.005; left+size[0] < 1; left += 0.01 {
				p = place{left, top, left + size[0], top + size[1]}
				box = pdf.Rect{LLX: p.left * w, LLY: (1 - p.bottom) * h, URX: p.right * w, URY: (1 - p.top) * h}
				if !slices.ContainsFunc(taken, func(r pdf.Rect) bool { return !r.Intersect(box).Empty() }) {
					return p, box, nil
				}
			}
		}
	}
	return p, box, nil
}
