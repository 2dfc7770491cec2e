package pades

import (
	"fmt"
	"slices"
	"strings"

	"segel/pdf"
)

// Permits reports whether the signatures so far leave room for a new field of that name to be added and signed; to be
// seen as well, or not. Errors: ErrCertified, ErrFieldLocked. It spares whoever asks early what would come to nothing.
//
// A new visible field is not permitted behind any certification. Level 3 permits annotations (ISO 32000-2 §12.8.2.2), but a
// field may cover certified content, so package validate/facts denies it.
func Permits(d *pdf.Document, field string, seen bool) error {
	level, err := permitted(d)
	if err != nil {
		return err
	}
	if seen && level != 0 {
		return ErrCertified
	}
	return permission(d, field, 0, nil)
}

// permission checks that the field may be signed, and the marks filled in with it, as the signatures so far left the
// file.
func permission(d *pdf.Document, field string, certify int, marks []string) error {
	level, err := permitted(d)
	if err != nil {
		return err
	}
	if level == 1 {
		return ErrCertified
	}
	signatures, err := d.Signatures()
	if err != nil {
		return err
	}
	if certify != 0 && len(signatures) > 0 {
		return ErrNotFirst
	}
	for _, s := range signatures {
		for _, name := range append([]string{field}, marks...) {
			locked, err := locks(d, s.Dict, name)
			if err != nil {
				return fmt.Errorf("locks of signature %q: %w", s.Field.Name, err)
			}
			if locked {
				return fmt.Errorf("%w: %q locks %q", ErrFieldLocked, s.Field.Name, name)
			}
		}
	}
	return nil
}

// locks reports whether a signature locks a field by FieldMDP (ISO 32000-2 §12.8.2.4).
func locks(d *pdf.Document, signature pdf.Dict, field string) (bool, error) {
	references, err := d.Array(signature["Reference"])
	if err != nil {
		return false, err
	}
	for _, o := range references {
		reference, err := d.Dict(o)
		if err != nil {
			return false, err
		}
		if method, err := d.Name(reference["TransformMethod"]); err != nil || method != "FieldMDP" {
			continue
		}
		params, err := d.Dict(reference["TransformParams"])
		if err != nil {
			return false, err
		}
		if locked, err := names(d, params, field); err != nil || locked {
			return locked, err
		}
	}
	return false, nil
}

// names reports whether parameters of FieldMDP, or a lock dictionary, are about a field. A name stands for the
// fields below it too.
func names(d *pdf.Document, params pdf.Dict, field string) (bool, error) {
	action, err := d.Name(params["Action"])
	if err != nil {
		return false, err
	}
	list, err := d.Array(params["Fields"])
	if err != nil {
		return false, err
	}
	var listed []string
	for _, o := range list {
		s, err := d.String(o)
		if err != nil {
			return false, err
		}
		listed = append(listed, s.Text())
	}
	among := slices.ContainsFunc(listed, func(n string) bool { return n == field || strings.HasPrefix(field, n+".") })
	switch action {
	case "All":
		return true, nil
	case "Include":
		return among, nil
	case "Exclude":
		return !among, nil
	}
	return false, nil
}
