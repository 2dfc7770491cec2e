package pades

import (
	"fmt"
	"slices"

	"segel/pdf"
)

// RequireNewFieldPermitted reports whether the signatures so far leave room for a new field of that name to be added and signed; to be
// seen as well, or not. Errors: ErrCertified, ErrFieldLocked. It spares whoever asks early what would come to nothing.
//
// A new visible field is not permitted behind any certification. Level 3 permits annotations (ISO 32000-2 §12.8.2.2), but a
// field may cover certified content, so package validate/facts denies it.
func RequireNewFieldPermitted(d *pdf.Document, field string, seen bool) error {
	level, err := computePermittedLevel(d)
	if err != nil {
		return err
	}
	if seen && level != 0 {
		return ErrCertified
	}
	return requireSigningPermitted(d, field, 0, nil)
}

// requireSigningPermitted checks that the field may be signed, and the marks filled in with it, as the signatures so far left the
// file.
func requireSigningPermitted(d *pdf.Document, field string, certify int, marks []string) error {
	level, err := computePermittedLevel(d)
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
			locked, err := isLockedBy(d, s.Dict, name)
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

// isLockedBy reports whether a signature locks a field by FieldMDP (ISO 32000-2 §12.8.2.4).
func isLockedBy(d *pdf.Document, signature pdf.Dict, field string) (bool, error) {
	all, err := readFieldLocks(d, signature)
	return slices.ContainsFunc(all, func(l fieldLock) bool { return l.coversField(field) }), err
}

// fieldLock are the parameters of FieldMDP.
type fieldLock struct {
	action LockAction
	names  map[string]bool
}

// readFieldLocks reads the locks that a signature states.
func readFieldLocks(d *pdf.Document, signature pdf.Dict) ([]fieldLock, error) {
	references, err := d.Array(signature["Reference"])
	if err != nil {
		return nil, err
	}
	var all []fieldLock
	for _, o := range references {
		reference, err := d.Dict(o)
		if err != nil {
			return nil, err
		}
		if method, err := d.Name(reference["TransformMethod"]); err != nil || method != "FieldMDP" {
			continue
		}
		params, err := d.Dict(reference["TransformParams"])
		if err != nil {
			return nil, err
		}
		l, err := readFieldLock(d, params)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func readFieldLock(d *pdf.Document, params pdf.Dict) (fieldLock, error) {
	action, err := d.Name(params["Action"])
	if err != nil {
		return fieldLock{}, err
	}
	list, err := d.Array(params["Fields"])
	if err != nil {
		return fieldLock{}, err
	}
	l := fieldLock{LockAction(action), make(map[string]bool, len(list))}
	for _, o := range list {
		s, err := d.String(o)
		if err != nil {
			return fieldLock{}, err
		}
		l.names[s.Text()] = true
	}
	return l, nil
}

// coversField reports whether a lock is about a field. A name stands for the fields below it too.
func (l fieldLock) coversField(field string) bool {
	switch l.action {
	case LockAll:
		return true
	case LockInclude:
		return l.namesField(field)
	case LockExclude:
		return !l.namesField(field)
	}
	return false
}

// namesField reports whether a lock names a field, or one above it.
func (l fieldLock) namesField(field string) bool {
	for i, r := range field {
		if r == '.' && l.names[field[:i]] {
			return true
		}
	}
	return l.names[field]
}
