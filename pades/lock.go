package pades

import (
	"errors"
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
	locks, err := readFieldLocks(d, signatures)
	if err != nil {
		return err
	}
	for _, name := range append([]string{field}, marks...) {
		if i := slices.IndexFunc(locks, func(l fieldLock) bool { return l.coversField(name) }); i >= 0 {
			return fmt.Errorf("%w: %q locks %q", ErrFieldLocked, locks[i].by, name)
		}
	}
	return nil
}

// fieldLock holds the parameters of FieldMDP.
type fieldLock struct {
	action LockAction
	names  map[string]bool
	by     string // the field of the signature that states them
}

// readFieldLocks reads the locks that signatures state.
func readFieldLocks(d *pdf.Document, signatures []*pdf.Signature) (all []fieldLock, err error) {
	for _, s := range signatures {
		transforms, err := readTransforms(d, s.Dict, "FieldMDP")
		for i := 0; i < len(transforms) && err == nil; i++ {
			var l fieldLock
			l, err = readFieldLock(d, transforms[i])
			l.by = s.Field.Name
			all = append(all, l)
		}
		if err != nil {
			return nil, fmt.Errorf("locks of signature %q: %w", s.Field.Name, err)
		}
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
	l := fieldLock{action: LockAction(action), names: make(map[string]bool, len(list))}
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

// Lock is what a field's signature locks.
type Lock struct {
	Action LockAction
	Fields []string // fully qualified names for Include and Exclude; a name includes the fields below it
	// Permit, from 1 to 3, limits later changes like Options.Certify, from this signature on; 0 does not. It cannot
	// permit more than earlier signatures do. Readers older than PDF 2.0 ignore it.
	Permit int
}

// LockAction states which fields are locked.
type LockAction string

// The actions.
const (
	LockAll     LockAction = "All"
	LockInclude LockAction = "Include" // the named fields
	LockExclude LockAction = "Exclude" // all other fields
)

// buildDictionary returns the /Lock of a field.
func (l *Lock) buildDictionary() (pdf.Dict, error) {
	dict := pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name(l.Action)}
	switch l.Action {
	case LockAll:
	case LockInclude, LockExclude:
		names := pdf.Array{}
		for _, n := range l.Fields {
			names = append(names, pdf.TextString(n))
		}
		dict["Fields"] = names
	default:
		return nil, fmt.Errorf("lock with action %q", l.Action)
	}
	if l.Permit < 0 || l.Permit > 3 {
		return nil, fmt.Errorf("lock that permits level %d", l.Permit)
	}
	if l.Permit > 0 {
		dict["P"] = pdf.Integer(l.Permit)
	}
	return dict, nil
}

// computePermittedLevel returns the strictest level of change that the certification and the locks of all signatures
// permit; 0 is no limit.
func computePermittedLevel(d *pdf.Document) (int, error) {
	level := d.Properties().DocMDP
	signatures, err := d.Signatures()
	if err != nil {
		return 0, err
	}
	for _, s := range signatures {
		transforms, err := readTransforms(d, s.Dict, "DocMDP")
		if err != nil {
			return 0, fmt.Errorf("permissions of signature %q: %w", s.Field.Name, err)
		}
		for _, params := range transforms {
			p := int64(2) // the default
			if params["P"] != nil {
				if p, err = d.Integer(params["P"]); err != nil {
					return 0, fmt.Errorf("permissions of signature %q: %w", s.Field.Name, err)
				}
			}
			if p >= 1 && p <= 3 {
				level = stricterLevel(level, int(p))
			}
		}
	}
	return level, nil
}

// stricterLevel returns the stricter of two levels; 0 is no limit.
func stricterLevel(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
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
	lock, err := d.Dict(v)
	if err != nil {
		return nil, fmt.Errorf("/Lock: %w", err)
	}
	level, err := computeLockLevel(d, lock, o.Certify)
	if err != nil {
		return nil, fmt.Errorf("/Lock: %w", err)
	}
	var all pdf.Array
	if level != 0 {
		all = append(all, reference("DocMDP", pdf.Dict{"P": pdf.Integer(level)}))
	}
	if lock == nil && len(o.LockFields) == 0 {
		return all, nil
	}
	params := pdf.Dict{}
	for _, key := range []pdf.Name{"Action", "Fields"} {
		if lock[key] != nil {
			params[key] = pdf.Clone(lock[key])
		}
	}
	if err := addLockedFields(d, params, o.LockFields); err != nil {
		return nil, fmt.Errorf("/Lock: %w", err)
	}
	return append(all, reference("FieldMDP", params)), nil
}

// addLockedFields adds names to the fields that FieldMDP parameters lock: it adds them to an Include list and removes
// them from an Exclude list.
func addLockedFields(d *pdf.Document, params pdf.Dict, more []string) error {
	if len(more) == 0 {
		return nil
	}
	lock, err := readFieldLock(d, params)
	if err != nil {
		return err
	}
	list, err := d.Array(params["Fields"])
	if err != nil {
		return err
	}
	fields := append(pdf.Array{}, list...)
	switch lock.action {
	case LockAll:
		return nil
	case LockExclude:
		for _, n := range more {
			delete(lock.names, n)
		}
		fields = slices.DeleteFunc(fields, func(o pdf.Object) bool {
			s, err := d.String(o)
			return err == nil && !lock.names[s.Text()]
		})
	default:
		for _, n := range more {
			if !lock.names[n] {
				lock.names[n] = true
				fields = append(fields, pdf.TextString(n))
			}
		}
		params["Action"] = pdf.Name(LockInclude)
	}
	params["Fields"] = fields
	return nil
}

// LockableFields returns the fully qualified names of the fields that a closing signature can lock: all but empty
// signature fields, which may still be signed, and fields that an earlier signature has locked. Fields without a name
// are left out, because a lock cannot name them.
func LockableFields(d *pdf.Document) ([]string, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	before, err := readFieldLocks(d, signatures)
	if err != nil {
		return nil, err
	}
	var names []string
	listed := map[string]bool{}
	for _, f := range fields {
		if f.Name == "" || listed[f.Name] || isEmptySignature(d, f) || slices.ContainsFunc(before, func(l fieldLock) bool { return l.coversField(f.Name) }) {
			continue
		}
		listed[f.Name] = true
		names = append(names, f.Name)
	}
	return names, nil
}

// isEmptySignature reports whether a field is a signature field without a signature. An unreadable value counts as a
// signature.
func isEmptySignature(d *pdf.Document, f *pdf.Field) bool {
	if f.Type != "Sig" {
		return false
	}
	value, err := d.Resolve(f.Value)
	return err == nil && (value == nil || value == pdf.Object(pdf.Null{}))
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
	locked := fieldLock{action: LockInclude, names: make(map[string]bool, len(names))}
	for _, n := range names {
		locked.names[n] = true
	}
	written := map[pdf.Ref]bool{}
	left := int64(maxRewritten)
	for _, f := range fields {
		if f.Type == "Sig" || f.Dict["AS"] != nil || !locked.coversField(f.Name) {
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
func computeLockLevel(d *pdf.Document, lock pdf.Dict, certify int) (int, error) {
	if lock["P"] == nil {
		return certify, nil
	}
	p, err := d.Integer(lock["P"])
	if err != nil {
		return 0, err
	}
	if p < 1 || p > 3 {
		return 0, errors.New("/P is not 1, 2 or 3")
	}
	before, err := computePermittedLevel(d)
	if err != nil {
		return 0, err
	}
	return stricterLevel(stricterLevel(int(p), certify), before), nil
}
