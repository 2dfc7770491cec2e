package pades

import (
	"fmt"
	"slices"

	"segel/pdf"
)

// RequireNewFieldPermitted returns an error unless the existing signatures permit a new field with that name to be
// added and signed; seen means that the field is visible. Callers use it to refuse early. Errors: ErrCertified,
// ErrFieldLocked.
//
// A new visible field is not permitted after any certification. Level 3 permits annotations (ISO 32000-2 §12.8.2.2),
// but a field may cover certified content, so package validate/facts rejects it.
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

// requireSigningPermitted returns an error unless the existing signatures permit the field to be signed and its marks
// to be filled in.
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
		locks, err := readFieldLocks(d, s.Dict)
		if err != nil {
			return fmt.Errorf("locks of signature %q: %w", s.Field.Name, err)
		}
		for _, name := range append([]string{field}, marks...) {
			if slices.ContainsFunc(locks, func(l fieldLock) bool { return l.coversField(name) }) {
				return fmt.Errorf("%w: %q locks %q", ErrFieldLocked, s.Field.Name, name)
			}
		}
	}
	return nil
}

// fieldLock holds the parameters of FieldMDP.
type fieldLock struct {
	action LockAction
	names  map[string]bool
}

// readFieldLocks reads the locks that a signature states.
func readFieldLocks(d *pdf.Document, signature pdf.Dict) ([]fieldLock, error) {
	transforms, err := readTransforms(d, signature, "FieldMDP")
	if err != nil {
		return nil, err
	}
	var all []fieldLock
	for _, params := range transforms {
		l, err := readFieldLock(d, params)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// readTransforms returns the parameters of a transform method from a signature's /Reference (ISO 32000-2 §12.8.2).
func readTransforms(d *pdf.Document, signature pdf.Dict, method pdf.Name) ([]pdf.Dict, error) {
	references, err := d.Array(signature["Reference"])
	if err != nil {
		return nil, err
	}
	var all []pdf.Dict
	for _, o := range references {
		reference, err := d.Dict(o)
		if err != nil {
			return nil, err
		}
		if name, err := d.Name(reference["TransformMethod"]); err != nil || name != method {
			continue
		}
		params, err := d.Dict(reference["TransformParams"])
		if err != nil {
			return nil, err
		}
		all = append(all, params)
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

// coversField reports whether a lock applies to a field. A name includes the fields below it.
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

// namesField reports whether a lock names a field or one above it.
func (l fieldLock) namesField(field string) bool {
	for i, r := range field {
		if r == '.' && l.names[field[:i]] {
			return true
		}
	}
	return l.names[field]
}
