package pdf

import (
	"fmt"
	"maps"
	"slices"
)

// Permission is which changes a signature permits after it (/P, ISO 32000-2 §12.8.2.2). Validation data and document
// timestamps are always permitted. The zero value limits nothing.
type Permission int

// The permissions, strictest first.
const (
	PermitNothing  Permission = iota + 1
	PermitFilling             // filling in and signing; the default of a certification
	PermitComments            // also annotations
)

// Stricter returns the one that permits less.
func (p Permission) Stricter(other Permission) Permission {
	if p == 0 || other != 0 && other < p {
		return other
	}
	return p
}

// LockAction states which fields a signature locks (/Action).
type LockAction string

// The actions.
const (
	LockAll     LockAction = "All"
	LockInclude LockAction = "Include" // the named fields
	LockExclude LockAction = "Exclude" // all other fields
)

// FieldLock is which fields may no longer change, and which changes are permitted elsewhere.
type FieldLock struct {
	Action  LockAction
	Fields  []string   // fully qualified names for Include and Exclude; a name includes the fields below it
	Permits Permission // only the /Lock of a field states one

	named   map[string]bool
	lengths []int // of the names, each once, the shortest first
}

// NewFieldLock returns a lock of fields.
func NewFieldLock(action LockAction, fields []string) FieldLock {
	l := FieldLock{Action: action, Fields: fields, named: make(map[string]bool, len(fields))}
	for _, n := range fields {
		l.named[n] = true
	}
	lengths := map[int]bool{}
	for _, n := range fields {
		lengths[len(n)] = true
	}
	l.lengths = slices.Sorted(maps.Keys(lengths))
	return l
}

// Covers reports whether the lock applies to a field.
func (l FieldLock) Covers(field string) bool {
	switch l.Action {
	case LockInclude:
		return l.names(field)
	case LockExclude:
		return !l.names(field)
	}
	return true
}

// names reports whether the lock names a field or one above it. It looks only at parts that are as long as a listed name, so a long name of a field
// with many periods costs no more than the list.
func (l FieldLock) names(field string) bool {
	for _, n := range l.lengths {
		switch {
		case n > len(field):
			return false
		case (n == len(field) || field[n] == '.') && l.named[field[:n]]:
			return true
		}
	}
	return false
}

// Permissions is what one signature permits after it. A value that is unknown or malformed counts as the strictest one,
// because its writer wanted to forbid something.
type Permissions struct {
	Certification Permission  // 0: the signature does not certify
	Locks         []FieldLock // those of the signature, then that of its field
	Unreadable    error       // why a value counts as the strictest one; nil: all could be read
}

// ReadPermissions reads what the signature in a field permits: the transform methods of its /Reference (ISO 32000-2
// §12.8.2), and the /Lock of the field. The signature that the catalog calls the certification is one even without a
// transform, and has the default then. A value of the field that is not a dictionary states nothing. Errors are those of
// reading; the file's faults are in Unreadable.
func (d *Document) ReadPermissions(f *Field) (Permissions, error) {
	r := permissionReader{d: d}
	signature, err := d.Dict(f.Value)
	if err != nil && !IsFault(err) {
		return Permissions{}, err
	}
	if err := r.readTransforms(signature); err != nil {
		return Permissions{}, err
	}
	if r.found.Certification == 0 && signature != nil {
		certified, err := d.isCertification(AsRef(f.Value))
		if err != nil {
			return Permissions{}, err
		}
		if certified {
			r.found.Certification = PermitFilling
		}
	}
	if err := r.readFieldLock(f.Dict["Lock"]); err != nil {
		return Permissions{}, err
	}
	return r.found, nil
}

// ReadFieldLock reads the /Lock of a field that is not signed yet, or returns nil. Unlike ReadPermissions, it returns an error
// if a value is unknown or malformed.
func (d *Document) ReadFieldLock(lock Object) (*FieldLock, error) {
	r := permissionReader{d: d}
	err := r.readFieldLock(lock)
	if err == nil {
		err = r.found.Unreadable
	}
	if err != nil || len(r.found.Locks) == 0 {
		return nil, err
	}
	return &r.found.Locks[0], nil
}

// isCertification reports whether the catalog calls a signature the certification of the file.
func (d *Document) isCertification(signature Ref) (bool, error) {
	_, root, err := d.Root()
	if err != nil {
		return false, IgnoreFault(err)
	}
	perms, err := d.Dict(root["Perms"])
	if err != nil {
		return false, IgnoreFault(err)
	}
	return !signature.IsZero() && perms.Ref("DocMDP") == signature, nil
}

// readDocMDP reads what the certification permits that the catalog names; 0 if it is not a dictionary.
func (d *Document) readDocMDP(certification Object) Permission {
	signature, _ := d.Dict(certification)
	if signature == nil {
		return 0
	}
	r := permissionReader{d: d}
	if err := r.readTransforms(signature); err != nil {
		return PermitNothing
	}
	if r.found.Certification == 0 {
		return PermitFilling
	}
	return r.found.Certification
}

// permissionReader collects what a signature permits.
type permissionReader struct {
	d     *Document
	found Permissions
}

// maxTransforms bounds the transform methods of one signature that are read.
const maxTransforms = 50

// note records a fault of the file, after which the caller assumes the strictest value. Other errors are returned.
func (r *permissionReader) note(err error, what string) error {
	if !IsFault(err) {
		return err
	}
	if r.found.Unreadable == nil {
		r.found.Unreadable = fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// forbidAll is note for what may have been a certification that permits nothing.
func (r *permissionReader) forbidAll(err error, what string) error {
	r.found.Certification = PermitNothing
	return r.note(err, what)
}

func (r *permissionReader) readTransforms(signature Dict) error {
	references, err := r.d.Array(signature["Reference"])
	if err == nil && len(references) > maxTransforms {
		err = tooLarge(-1, "%d transform methods", len(references))
	}
	if err != nil {
		return r.forbidAll(err, "/Reference")
	}
	for _, o := range references {
		reference, err := r.d.Dict(o)
		if err != nil {
			err = r.forbidAll(err, "/Reference")
		} else {
			err = r.readTransform(reference)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *permissionReader) readTransform(reference Dict) error {
	method, err := r.d.Name(reference["TransformMethod"])
	if err != nil {
		return r.forbidAll(err, "/TransformMethod")
	}
	params, err := r.d.Dict(reference["TransformParams"])
	switch method {
	case "DocMDP":
		if err != nil {
			return r.forbidAll(err, "/TransformParams of DocMDP")
		}
		p, err := r.readPermission(params["P"], PermitFilling)
		r.found.Certification = r.found.Certification.Stricter(p)
		return err
	case "FieldMDP":
		if err != nil {
			r.found.Locks = append(r.found.Locks, FieldLock{Action: LockAll})
			return r.note(err, "/TransformParams of FieldMDP")
		}
		l, err := r.readLock(params)
		r.found.Locks = append(r.found.Locks, l)
		return err
	case "UR", "UR3", "Identity": // rights of one reader, and no transform at all
		return nil
	}
	return r.forbidAll(damaged(-1, "unknown method %q", method), "/TransformMethod")
}

// readPermission reads /P, which is the fallback if left out.
func (r *permissionReader) readPermission(o Object, fallback Permission) (Permission, error) {
	v, err := r.d.Resolve(o)
	if err == nil && v == Object(Null{}) {
		return fallback, nil
	}
	var p int64
	if err == nil {
		p, err = r.d.Integer(v)
	}
	if err == nil && (p < int64(PermitNothing) || p > int64(PermitComments)) {
		err = damaged(-1, "unknown permission %d", p)
	}
	if err != nil {
		return PermitNothing, r.note(err, "/P")
	}
	return Permission(p), nil
}

// readFieldLock reads the /Lock of a field, if there is one.
func (r *permissionReader) readFieldLock(o Object) error {
	lock, err := r.d.Dict(o)
	if err != nil {
		r.found.Locks = append(r.found.Locks, FieldLock{Action: LockAll, Permits: PermitNothing})
		return r.note(err, "/Lock")
	}
	if lock == nil {
		return nil
	}
	l, err := r.readLock(lock)
	if err != nil {
		return err
	}
	l.Permits, err = r.readPermission(lock["P"], 0)
	r.found.Locks = append(r.found.Locks, l)
	return err
}

// maxLockedNames bounds the memory that the names in the locks of a file take: many signatures may share a list, and many lists a name.
const maxLockedNames = 64 << 20

// spendLockedName counts a name in a lock, of that many bytes.
func (d *Document) spendLockedName(n int) error {
	const inMap = 64 // bytes of a name beside its text
	if d.lockedNames += int64(n + inMap); d.lockedNames > maxLockedNames {
		return tooLarge(-1, "names in locks take more than %d bytes", maxLockedNames)
	}
	return d.spendWork(int64(n + 1))
}

// readLock reads the parameters of FieldMDP.
func (r *permissionReader) readLock(params Dict) (FieldLock, error) {
	all := FieldLock{Action: LockAll}
	action, err := r.d.Name(params["Action"])
	if err != nil {
		return all, r.note(err, "/Action")
	}
	switch LockAction(action) {
	case LockAll:
		return all, nil
	case LockInclude, LockExclude:
	default:
		return all, r.note(damaged(-1, "unknown action %q", action), "/Action")
	}
	v, err := r.d.Resolve(params["Fields"])
	list, ok := v.(Array)
	if err == nil && !ok {
		err = damaged(-1, "not an array")
	}
	var names []string
	for i := 0; i < len(list) && err == nil; i++ {
		var s String
		if v, err = r.d.Resolve(list[i]); err != nil {
			break
		}
		if s, ok = v.(String); !ok {
			err = damaged(-1, "name %d is not a string", i+1)
		} else if err = r.d.spendLockedName(len(s.Bytes)); err == nil {
			names = append(names, s.Text())
		}
	}
	if err != nil {
		return all, r.note(err, "/Fields")
	}
	return NewFieldLock(LockAction(action), names), nil
}
