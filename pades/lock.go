package pades

import (
	"fmt"
	"slices"

	"segel/pdf"
)

// RequireNewFieldPermitted returns an error unless the existing signatures permit a new field with that name to be
// added and signed. Callers use it to refuse early. Errors: ErrCertified, ErrFieldLocked.
//
// A new visible field is not permitted after any certification. PermitComments permits annotations (ISO 32000-2
// §12.8.2.2), but a field may cover certified content, so package validate/facts rejects it.
func RequireNewFieldPermitted(d *pdf.Document, field string, visible bool) error {
	p, err := readPermitted(d)
	if err != nil {
		return err
	}
	return p.requireNewField(field, visible)
}

// permitted is what the existing signatures permit together.
type permitted struct {
	level     pdf.Permission // the strictest; 0: no limit
	certified bool
	locks     []statedLock
}

// statedLock is a lock with the field of the signature that states it.
type statedLock struct {
	pdf.FieldLock
	by string
}

// readPermitted reads what the certification that the catalog names and all signatures of the form permit.
func readPermitted(d *pdf.Document) (permitted, error) {
	p := permitted{level: d.Properties().DocMDP}
	p.certified = p.level != 0
	fields, err := d.Fields()
	if err != nil {
		return permitted{}, err
	}
	for _, f := range fields {
		signed, err := d.IsSigned(f)
		if err != nil {
			return permitted{}, err
		}
		if !signed {
			continue
		}
		one, err := d.ReadPermissions(f)
		if err != nil {
			return permitted{}, fmt.Errorf("permissions of signature %q: %w", f.Name, err)
		}
		p.certified = p.certified || one.Certification != 0
		p.level = p.level.Stricter(one.Certification)
		for _, l := range one.Locks {
			p.level = p.level.Stricter(l.Permits)
			p.locks = append(p.locks, statedLock{l, f.Name})
		}
	}
	return p, nil
}

// requireNewField is RequireNewFieldPermitted.
func (p permitted) requireNewField(field string, visible bool) error {
	if visible && p.certified {
		return ErrCertified
	}
	return p.requireFilling(field)
}

// requireFilling returns an error unless the fields may be filled in or signed.
func (p permitted) requireFilling(fields ...string) error {
	if p.level == pdf.PermitNothing {
		return ErrCertified
	}
	for _, name := range fields {
		if i := slices.IndexFunc(p.locks, func(l statedLock) bool { return l.Covers(name) }); i >= 0 {
			return fmt.Errorf("%w: %q locks %q", ErrFieldLocked, p.locks[i].by, name)
		}
	}
	return nil
}

// requireSigningPermitted returns an error unless the existing signatures permit the field to be signed and its marks
// to be filled in.
func requireSigningPermitted(d *pdf.Document, field string, certify pdf.Permission, marks []string) error {
	p, err := readPermitted(d)
	if err != nil {
		return err
	}
	if err := p.requireFilling(); err != nil {
		return err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return err
	}
	if certify != 0 && len(signatures) > 0 {
		return ErrNotFirst
	}
	return p.requireFilling(append([]string{field}, marks...)...)
}

// Lock is what a field's signature locks.
type Lock struct {
	Action pdf.LockAction
	Fields []string // fully qualified names for Include and Exclude; a name includes the fields below it
	// Permit limits later changes like Options.Certify, from this signature on; 0 does not. It cannot permit more than
	// earlier signatures do. Readers older than PDF 2.0 ignore it.
	Permit pdf.Permission
}

// buildDictionary returns the /Lock of a field.
func (l *Lock) buildDictionary() (pdf.Dict, error) {
	dict := pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name(l.Action)}
	switch l.Action {
	case pdf.LockAll:
	case pdf.LockInclude, pdf.LockExclude:
		dict["Fields"] = encodeNames(l.Fields)
	default:
		return nil, fmt.Errorf("lock with action %q", l.Action)
	}
	if l.Permit < 0 || l.Permit > pdf.PermitComments {
		return nil, fmt.Errorf("lock that permits level %d", l.Permit)
	}
	if l.Permit > 0 {
		dict["P"] = pdf.Integer(l.Permit)
	}
	return dict, nil
}

// transformVersion is the version of the parameters of both transform methods.
const transformVersion = pdf.Name("1.2")

// buildReferences returns the /Reference array of a new signature: its certification, and the locks of its field and of
// the options.
func buildReferences(d *pdf.Document, u *pdf.Update, field *pdf.Field, o Options) (pdf.Array, error) {
	root, _, err := d.Root()
	if err != nil {
		return nil, err
	}
	reference := func(method pdf.Name, params pdf.Dict) pdf.Dict {
		params["Type"], params["V"] = pdf.Name("TransformParams"), transformVersion
		return pdf.Dict{"Type": pdf.Name("SigRef"), "TransformMethod": method, "TransformParams": params, "Data": root}
	}
	v, err := u.Resolve(field.Dict["Lock"]) // the /Lock of a new field is not in the file yet
	if err != nil {
		return nil, fmt.Errorf("/Lock: %w", err)
	}
	lock, err := d.ReadFieldLock(v)
	if err != nil {
		return nil, err
	}
	level, err := computeLockLevel(d, lock, o.Certify)
	if err != nil {
		return nil, err
	}
	var all pdf.Array
	if level != 0 {
		all = append(all, reference("DocMDP", pdf.Dict{"P": pdf.Integer(level)}))
	}
	if lock == nil && len(o.LockFields) == 0 {
		return all, nil
	}
	locked := addLockedFields(lock, o.LockFields)
	params := pdf.Dict{"Action": pdf.Name(locked.Action)}
	if locked.Action != pdf.LockAll {
		params["Fields"] = encodeNames(locked.Fields)
	}
	return append(all, reference("FieldMDP", params)), nil
}

// addLockedFields returns the lock of a field, which may be nil, with more locked fields: added to an Include list, removed
// from an Exclude list.
func addLockedFields(lock *pdf.FieldLock, more []string) pdf.FieldLock {
	switch {
	case lock == nil:
		return pdf.NewFieldLock(pdf.LockInclude, more)
	case lock.Action == pdf.LockInclude:
		fields := slices.Clone(lock.Fields)
		for _, n := range more {
			if !lock.Covers(n) {
				fields = append(fields, n)
			}
		}
		return pdf.NewFieldLock(pdf.LockInclude, fields)
	case lock.Action == pdf.LockExclude:
		added := make(map[string]bool, len(more))
		for _, n := range more {
			added[n] = true
		}
		return pdf.NewFieldLock(pdf.LockExclude, slices.DeleteFunc(slices.Clone(lock.Fields), func(n string) bool { return added[n] }))
	}
	return *lock
}

// encodeNames returns the /Fields of a lock.
func encodeNames(fields []string) pdf.Array {
	names := pdf.Array{}
	for _, n := range fields {
		names = append(names, pdf.TextString(n))
	}
	return names
}

// LockableFields returns the fully qualified names of the fields that a closing signature can lock: all but empty
// signature fields, which may still be signed, and fields that an earlier signature has locked. Fields without a name
// are left out, because a lock cannot name them.
func LockableFields(d *pdf.Document) ([]string, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	before, err := readPermitted(d)
	if err != nil {
		return nil, err
	}
	var names []string
	listed := map[string]bool{}
	for _, f := range fields {
		if f.Name == "" || listed[f.Name] || slices.ContainsFunc(before.locks, func(l statedLock) bool { return l.Covers(f.Name) }) {
			continue
		}
		if f.Type == "Sig" {
			signed, err := d.IsSigned(f)
			if err != nil {
				return nil, err
			}
			if !signed {
				continue
			}
		}
		listed[f.Name] = true
		names = append(names, f.Name)
	}
	return names, nil
}

// maxRewritten limits the bytes of appearances that a lock rewrites.
const maxRewritten = 4 << 20

// rewriteAppearances writes the appearances of locked fields again, unchanged. The content stays the same, but pyHanko
// 0.38 reports a locked field as changed by any later revision if its appearance stream was last written before the
// lock (_allow_in_place_appearance_update compares with the revision of the lock alone). This does not apply to fields
// with appearance states or with separate widget dictionaries. Appearances beyond the limit are not rewritten.
func rewriteAppearances(d *pdf.Document, u *pdf.Update, names []string) error {
	if len(names) == 0 {
		return nil
	}
	fields, err := d.Fields()
	if err != nil {
		return err
	}
	locked := pdf.NewFieldLock(pdf.LockInclude, names)
	written := map[pdf.Ref]bool{}
	left := int64(maxRewritten)
	for _, f := range fields {
		if f.Type == "Sig" || f.Dict["AS"] != nil || !locked.Covers(f.Name) {
			continue
		}
		appearances, err := d.Dict(f.Dict["AP"])
		if err != nil {
			continue // readers cannot show it, so it needs no copy
		}
		for _, kind := range []pdf.Name{"N", "R", "D"} {
			ref := appearances.Ref(kind)
			if ref.IsZero() || written[ref] {
				continue
			}
			stream, err := d.Stream(ref)
			if err != nil || stream == nil || stream.Len()+estimateLength(stream.Dict) > left {
				continue
			}
			left -= stream.Len() + estimateLength(stream.Dict)
			written[ref] = true
			u.Set(ref, stream)
		}
	}
	return nil
}

// estimateLength returns the approximate number of bytes that an object takes when written.
func estimateLength(o pdf.Object) int64 {
	n := int64(12)
	switch o := o.(type) {
	case pdf.Dict:
		for k, v := range o {
			n += int64(len(k)) + estimateLength(v)
		}
	case pdf.Array:
		for _, v := range o {
			n += estimateLength(v)
		}
	case pdf.String:
		n += 2 * int64(len(o.Bytes))
	case pdf.Name:
		n += int64(len(o))
	}
	return n
}

// computeLockLevel returns the level that the signature must state: that of its certification and that of its lock,
// which can only restrict what is permitted already.
func computeLockLevel(d *pdf.Document, lock *pdf.FieldLock, certify pdf.Permission) (pdf.Permission, error) {
	if lock == nil || lock.Permits == 0 {
		return certify, nil
	}
	before, err := readPermitted(d)
	if err != nil {
		return 0, err
	}
	return lock.Permits.Stricter(certify).Stricter(before.level), nil
}
