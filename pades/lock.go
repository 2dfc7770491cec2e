package pades

import (
	"errors"
	"fmt"
	"slices"

	"segel/pdf"
)

// Lock is what a field's signature locks.
type Lock struct {
	Action LockAction
	Fields []string // fully qualified names that Include and Exclude are about; a name stands for those below it too
	// Permit, from 1 to 3, limits later changes as Options.Certify does, from this signature on; 0 does not. It can
	// only be as strict as, or stricter than, what earlier signatures permit. Readers older than PDF 2.0 ignore it.
	Permit int
}

// LockAction tells which fields are locked.
type LockAction string

// The actions.
const (
	LockAll     LockAction = "All"
	LockInclude LockAction = "Include" // those that are named
	LockExclude LockAction = "Exclude" // all others
)

// buildDictionary is the /Lock of a field.
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

// computePermittedLevel is the strictest level of change that the certification and the locks of the signatures so far permit; 0
// is no limit.
func computePermittedLevel(d *pdf.Document) (int, error) {
	level := d.Facts().DocMDP
	signatures, err := d.Signatures()
	if err != nil {
		return 0, err
	}
	for _, s := range signatures {
		stated, err := readDocMDPLevel(d, s.Dict)
		if err != nil {
			return 0, fmt.Errorf("permissions of signature %q: %w", s.Field.Name, err)
		}
		level = stricterLevel(level, stated)
	}
	return level, nil
}

// stricterLevel returns the smaller of two levels of which 0 is no limit.
func stricterLevel(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// readDocMDPLevel reads the level that a signature permits; 0 if it says nothing.
func readDocMDPLevel(d *pdf.Document, signature pdf.Dict) (int, error) {
	references, err := d.Array(signature["Reference"])
	if err != nil {
		return 0, err
	}
	level := 0
	for _, o := range references {
		reference, err := d.Dict(o)
		if err != nil {
			return 0, err
		}
		if method, err := d.Name(reference["TransformMethod"]); err != nil || method != "DocMDP" {
			continue
		}
		params, err := d.Dict(reference["TransformParams"])
		if err != nil {
			return 0, err
		}
		p := int64(2) // what is meant where nothing is said
		if params["P"] != nil {
			if p, err = d.Integer(params["P"]); err != nil {
				return 0, err
			}
		}
		if p >= 1 && p <= 3 {
			level = stricterLevel(level, int(p))
		}
	}
	return level, nil
}

// transformVersion is what the parameters of both transform methods state.
const transformVersion = pdf.Name("1.2")

// buildReferences returns the /Reference array of a new signature: its certification, and the locks that its field and the
// options ask for.
func buildReferences(d *pdf.Document, u *pdf.Update, field *pdf.Field, o Options) (pdf.Array, error) {
	root, _, err := d.Root()
	if err != nil {
		return nil, err
	}
	reference := func(method pdf.Name, params pdf.Dict) pdf.Dict {
		params["Type"], params["V"] = pdf.Name("TransformParams"), transformVersion
		return pdf.Dict{"Type": pdf.Name("SigRef"), "TransformMethod": method, "TransformParams": params, "Data": root}
	}
	v, err := u.Resolve(field.Dict["Lock"]) // a new field's is not in the file yet
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

// addLockedFields adds names to the fields that parameters of FieldMDP lock: to those that are included, or from those that are
// excluded.
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

// LockableFields lists the fully qualified names of the fields that a closing signature can lock: all but signature fields
// that are still empty, in which others may sign, and fields that an earlier signature has locked. Fields without a name
// are left out, as a lock cannot name them.
func LockableFields(d *pdf.Document) ([]string, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	var before []fieldLock
	for _, s := range signatures {
		more, err := readFieldLocks(d, s.Dict)
		if err != nil {
			return nil, fmt.Errorf("locks of signature %q: %w", s.Field.Name, err)
		}
		before = append(before, more...)
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

// isEmptySignature reports whether a field is one for signatures that is not signed yet. A value that cannot be read is one
// all the same.
func isEmptySignature(d *pdf.Document, f *pdf.Field) bool {
	if f.Type != "Sig" {
		return false
	}
	value, err := d.Resolve(f.Value)
	return err == nil && (value == nil || value == pdf.Object(pdf.Null{}))
}

// maxRewritten bounds the appearances that a lock writes again, in bytes.
const maxRewritten = 4 << 20

// rewriteAppearances writes the appearances of fields that are locked again, as they are. That says nothing new; but pyHanko 0.38 takes
// a locked field for changed by any revision after the lock if its appearance stream was last written before the lock
// (_allow_in_place_appearance_update compares with the revision of the lock alone). Fields with appearance states, and
// those whose widgets are dictionaries of their own, do not concern it. What is more than the bound is left as it is.
func rewriteAppearances(d *pdf.Document, u *pdf.Update, names []string) error {
	if len(names) == 0 {
		return nil
	}
	fields, err := d.Fields()
	if err != nil {
		return err
	}
	locked := fieldLock{LockInclude, make(map[string]bool, len(names))}
	for _, n := range names {
		locked.names[n] = true
	}
	written := map[pdf.Ref]bool{}
	room := int64(maxRewritten)
	for _, f := range fields {
		if f.Type == "Sig" || f.Dict["AS"] != nil || !locked.coversField(f.Name) {
			continue
		}
		looks, err := d.Dict(f.Dict["AP"])
		if err != nil {
			continue // what no reader can show needs no second copy
		}
		for _, kind := range []pdf.Name{"N", "R", "D"} {
			ref := looks.Ref(kind)
			if ref.IsZero() || written[ref] {
				continue
			}
			stream, err := d.Stream(ref)
			if err != nil || stream == nil || stream.Len()+estimateLength(stream.Dict) > room {
				continue
			}
			room -= stream.Len() + estimateLength(stream.Dict)
			written[ref] = true
			u.Set(ref, stream)
		}
	}
	return nil
}

// estimateLength is about how many bytes an object takes as it is written.
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

// computeLockLevel is the level that the signature has to state: that of its certification, and that of a lock, which can
// only tighten what is in force.
func computeLockLevel(d *pdf.Document, lock pdf.Dict, certify int) (int, error) {
	if lock["P"] == nil {
		return certify, nil
	}
	p, err := d.Integer(lock["P"])
	if err != nil {
		return 0, err
	}
	if p < 1 || p > 3 {
		return 0, errors.New("/P is none of 1, 2 and 3")
	}
	before, err := computePermittedLevel(d)
	if err != nil {
		return 0, err
	}
	return stricterLevel(stricterLevel(int(p), certify), before), nil
}
