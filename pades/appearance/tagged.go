package appearance

import (
	"fmt"

	"segel/pdf"
)

// Tagged draws what inside draws as marked content of a structure element (ISO 32000-2 §14.7.5): tag is its structure type, such as P, and
// id is unique on the page. Tagged content does not contain other tagged content.
func (d *Drawing) Tagged(tag string, id int, inside func(*Drawing)) {
	d.addMarked(fmt.Sprintf("/%s << /MCID %d >> BDC\n", tag, id), inside)
}

// Artifact draws what inside draws as an artifact (ISO 32000-2 §14.8.2.2): it is not part of the text that is read, such as the number of
// a page.
func (d *Drawing) Artifact(inside func(*Drawing)) { d.addMarked("/Artifact BMC\n", inside) }

func (d *Drawing) addMarked(begin string, inside func(*Drawing)) {
	part := New(d.width, d.height)
	inside(part)
	if part.err != nil {
		d.setError(part.err)
	}
	d.addOperation(func(w *canvas) error {
		w.buf.writeText(begin)
		for _, op := range part.ops {
			if err := op(w); err != nil {
				return err
			}
		}
		w.buf.writeText("EMC\n")
		return nil
	})
}

// PageContent adds what the drawing needs to an update, and returns the content stream of a page of the drawing's size with its resources.
// Fonts and pictures that the pool has are used again.
func (d *Drawing) PageContent(u *pdf.Update, pool *ResourcePool) (content []byte, resources pdf.Dict, err error) {
	if d.err != nil {
		return nil, nil, d.err
	}
	w := &canvas{}
	for _, op := range d.ops {
		if err := op(w); err != nil {
			return nil, nil, err
		}
	}
	if resources, err = w.addResources(u, pool); err != nil {
		return nil, nil, err
	}
	return w.buf.Bytes(), resources, nil
}
