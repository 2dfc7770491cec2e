package pdf

import (
	"bytes"
	"fmt"
)

// Agree tells whether two documents have the same pages, with the same boxes,
// turns and units, and the same form fields, with the same kinds, values and
// numbers of widgets. It is what whoever rewrites a file asks of the result.
// The error is ErrDamaged if they differ, and names the first difference.
func Agree(before, after *Document) error {
	n, err := before.PageCount()
	if err != nil {
		return err
	}
	m, err := after.PageCount()
	if err != nil {
		return err
	}
	if n != m {
		return damaged(-1, "%d pages became %d", n, m)
	}
	for i := 1; i <= n; i++ {
		if err := agreeOnPage(before, after, i); err != nil {
			return err
		}
	}
	return agreeOnFields(before, after)
}

func agreeOnPage(before, after *Document, number int) error {
	p, err := before.Page(number)
	if err != nil {
		return err
	}
	q, err := after.Page(number)
	if err != nil {
		return err
	}
	if p.MediaBox != q.MediaBox || p.CropBox != q.CropBox || p.Rotate != q.Rotate || p.UserUnit != q.UserUnit {
		return damaged(-1, "page %d has other boxes", number)
	}
	return nil
}

func agreeOnFields(before, after *Document) error {
	was, err := before.Fields()
	if err != nil {
		return err
	}
	is, err := after.Fields()
	if err != nil {
		return err
	}
	if len(was) != len(is) {
		return damaged(-1, "%d form fields became %d", len(was), len(is))
	}
	for i, f := range was {
		g := is[i]
		if f.Name != g.Name || f.Type != g.Type || f.Flags != g.Flags || len(f.Widgets) != len(g.Widgets) {
			return damaged(-1, "form field %q became %q", f.Name, g.Name)
		}
		same, err := sameText(before, after, f.Value, g.Value)
		if err != nil {
			return fmt.Errorf("value of form field %q: %w", f.Name, err)
		}
		if !same {
			return damaged(-1, "value of form field %q changed", f.Name)
		}
	}
	return nil
}

// sameText compares values that are names or strings, which is what people
// fill in. Others count as equal if they are of one kind.
func sameText(before, after *Document, a, b Object) (bool, error) {
	v, err := before.Resolve(a)
	if err != nil {
		return false, err
	}
	w, err := after.Resolve(b)
	if err != nil {
		return false, err
	}
	switch v := v.(type) {
	case String:
		s, ok := w.(String)
		return ok && bytes.Equal(v.Bytes, s.Bytes), nil
	case Name:
		return w == Object(v), nil
	}
	return typeName(v) == typeName(w), nil
}
