package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// fieldPlacement is the field of a signature and the size of its appearance.
type fieldPlacement struct {
	field         string           // an existing field, or
	newField      *pades.FieldSpec // one to add
	width, height float64          // of its box as displayed; 0 if invisible
	specimen      *appearance.Strokes
}

func (p fieldPlacement) isVisible() bool { return p.width > 0 && p.height > 0 }

func (p fieldPlacement) fieldName() string {
	if p.newField != nil {
		return p.newField.Name
	}
	return p.field
}

// placeSignature finds the named field, or determines the place of a new one.
func (c *signCommand) placeSignature(src pades.Source) (fieldPlacement, error) {
	box, err := c.parseBox()
	if err != nil {
		return fieldPlacement{}, err
	}
	doc, err := pdf.Open(src.R, src.Size, src.OpenOptions)
	if err != nil {
		return fieldPlacement{}, fmt.Errorf("open %s: %w", c.In, err)
	}
	at, err := c.findField(doc)
	switch {
	case err != nil:
		return fieldPlacement{}, fmt.Errorf("field %q of %s: %w", c.Field, c.In, err)
	case at.field != "" && c.Page != 0:
		return fieldPlacement{}, fmt.Errorf("field %q has its place already; --page and --box are for a new one", c.Field)
	case at.field == "":
		if at, err = c.newField(doc, box); err != nil {
			return fieldPlacement{}, err
		}
	}
	if (c.Image != "" || c.QR != "") && !at.isVisible() {
		return fieldPlacement{}, errors.New("--image and --qr need a visible signature: --page N and --box llx,lly,urx,ury")
	}
	if c.Image == "" {
		return at, nil
	}
	picture, err := os.ReadFile(c.Image)
	if err != nil {
		return fieldPlacement{}, err
	}
	at.specimen, err = appearance.ExtractStrokes(picture)
	switch {
	case errors.Is(err, appearance.ErrNoStrokes), errors.Is(err, appearance.ErrTooDense):
		return fieldPlacement{}, fmt.Errorf("%s: %w; use a picture of the signature on a light background", c.Image, err)
	case err != nil:
		return fieldPlacement{}, fmt.Errorf("%s: %w", c.Image, err)
	}
	return at, nil
}

// findField finds the named field. It is visible if its widget has an area.
func (c *signCommand) findField(doc *pdf.Document) (fieldPlacement, error) {
	fields, err := doc.Fields()
	if err != nil || c.Field == "" {
		return fieldPlacement{}, err
	}
	for _, f := range fields {
		if f.Name != c.Field {
			continue
		}
		at := fieldPlacement{field: f.Name}
		if len(f.Widgets) == 0 {
			return at, nil
		}
		rect, err := doc.Rect(f.Widgets[0].Dict["Rect"])
		if err != nil {
			return fieldPlacement{}, err
		}
		at.width, at.height = rect.Width(), rect.Height()
		for page, err := range doc.Pages() {
			if err != nil {
				return fieldPlacement{}, err
			}
			if page.Ref == f.Widgets[0].Dict.Ref("P") && page.Rotate%180 != 0 {
				at.width, at.height = at.height, at.width
			}
		}
		return at, nil
	}
	return fieldPlacement{}, nil
}

// newField places a new field; without a page it is invisible.
func (c *signCommand) newField(doc *pdf.Document, box pdf.Rect) (fieldPlacement, error) {
	spec := &pades.FieldSpec{Name: c.Field, Page: c.Page}
	if spec.Name == "" {
		spec.Name = fmt.Sprintf("Segel%d", time.Now().UnixMilli())
	}
	at := fieldPlacement{newField: spec, width: box.Width(), height: box.Height()}
	if c.Page == 0 {
		return at, nil
	}
	page, err := doc.Page(c.Page)
	if err != nil {
		return fieldPlacement{}, fmt.Errorf("page %d of %s: %w", c.Page, c.In, err)
	}
	w, h := page.DisplayedSize()
	if box.LLX < 0 || box.LLY < 0 || box.URX > w || box.URY > h {
		return fieldPlacement{}, fmt.Errorf("the box extends beyond page %d, which is %g by %g points", c.Page, w, h)
	}
	spec.Rect = page.ToUser(box)
	return at, nil
}

// parseBox parses the corners of the box; the box is empty if none was given.
func (c *signCommand) parseBox() (pdf.Rect, error) {
	if c.Box == "" && c.Page == 0 {
		return pdf.Rect{}, nil
	}
	parts := strings.Split(c.Box, ",")
	if len(parts) != 4 || c.Page < 1 {
		return pdf.Rect{}, errors.New("a visible signature needs --page N and --box llx,lly,urx,ury")
	}
	var v [4]float64
	for i, p := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(p), 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return pdf.Rect{}, fmt.Errorf("corner %q of the box is not a number", p)
		}
	}
	r := pdf.Rect{LLX: min(v[0], v[2]), LLY: min(v[1], v[3]), URX: max(v[0], v[2]), URY: max(v[1], v[3])}
	if r.Empty() {
		return pdf.Rect{}, errors.New("the box has no area")
	}
	return r, nil
}
