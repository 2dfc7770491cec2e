package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
)

// RequireEquivalent reports whether two documents have the same pages, with the same boxes,
// turns and units, and the same form fields, with the same kinds, values and
// numbers of widgets. It is what whoever rewrites a file asks of the result.
// The error is ErrDamaged if they differ, and names the first difference.
func RequireEquivalent(before, after *Document) error {
	if err := requireSamePages(before, after); err != nil {
		return err
	}
	return requireSameFields(before, after)
}

func requireSamePages(before, after *Document) error {
	next, stop := iter.Pull2(after.Pages())
	defer stop()
	for p, err := range before.Pages() {
		if err != nil {
			return err
		}
		q, err, ok := next()
		switch {
		case !ok:
			return damaged(-1, "page %d is gone", p.Number)
		case err != nil:
			return err
		case p.MediaBox != q.MediaBox || p.CropBox != q.CropBox || p.Rotate != q.Rotate || p.UserUnit != q.UserUnit:
			return damaged(-1, "page %d has other boxes", p.Number)
		}
	}
	if _, err, more := next(); err != nil || more {
		return errors.Join(err, damaged(-1, "there are more pages than before"))
	}
	return nil
}

func requireSameFields(before, after *Document) error {
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
		same, err := isSameValue(before, after, f.Value, g.Value)
		if err != nil {
			return fmt.Errorf("value of form field %q: %w", f.Name, err)
		}
		if !same {
			return damaged(-1, "value of form field %q changed", f.Name)
		}
	}
	return nil
}

// isSameValue compares values that are names or strings, which is what people
// fill in. Others count as equal if they are of one kind.
func isSameValue(before, after *Document, a, b Object) (bool, error) {
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
