package pdf

import (
	"fmt"
	"maps"
	"slices"
)

// Update gathers objects to add or replace, and builds one incremental tail of
// them. It never changes the file or the Document it was made from.
//
// Dictionaries it hands out are those that will be written: change them in
// place, at any time before Build.
type Update struct {
	d       *Document
	pending map[uint32]pending
	trailer Dict
	next    uint32
	err     error // the first misuse, reported by Build
}

type pending struct {
	ref   Ref
	value Object // nil if reserved and not set yet
}

// NewUpdate begins an update of the file as it was opened. Its new objects have
// numbers from NextObject on, which parses the whole file unless
// Options.NextObject is set. An error of that is reported by Build.
func (d *Document) NewUpdate() *Update {
	u := &Update{d: d, pending: map[uint32]pending{}, trailer: d.copyTrailer()}
	next, err := d.NextObject()
	if err != nil {
		u.setError(err)
	}
	u.next = next
	// A /Size beyond the highest number would make numbers up to it null for
	// strict readers if it were lowered, so numbers go on from there; but not
	// from where they would soon come to an end.
	if size, ok := d.trailer["Size"].(Integer); ok && size > Integer(u.next) && int64(size) <= d.limits.maxUpdatable() {
		u.next = uint32(size)
	}
	if d.repaired {
		u.setError(misuse("a repaired file cannot be updated"))
	}
	return u
}

// copyTrailer is what the trailer of a tail takes over: all but what describes
// the section itself (ISO 32000-1 §7.5.6). /XRefStm of a hybrid file stays
// behind too, since its stream would hide what the update says.
func (d *Document) copyTrailer() Dict {
	t := Dict{}
	for k, v := range d.trailer {
		switch k {
		case "Size", "Prev", "XRefStm", "ID":
		default:
			t[k] = Clone(v)
		}
	}
	return t
}

// Reserve takes a fresh object number: one that no object of the file has and
// no reference in it names. Set must follow before Build.
func (u *Update) Reserve() Ref {
	ref := Ref{Number: u.next}
	if int64(u.next) > int64(u.d.limits.Objects) {
		u.setError(tooLarge(-1, "object number %d", u.next))
	}
	u.next++
	u.pending[ref.Number] = pending{ref: ref}
	return ref
}

// Add gives o a fresh number.
func (u *Update) Add(o Object) Ref {
	ref := u.Reserve()
	u.Set(ref, o)
	return ref
}

// Set defines a reserved object, or replaces one of the file under its own
// number and generation. Any other ref is reported by Build.
func (u *Update) Set(ref Ref, o Object) {
	if o == nil {
		o = Null{}
	}
	if _, isRef := o.(Ref); isRef {
		u.setError(misuse("object %v set to a reference", ref))
	}
	if p, ok := u.pending[ref.Number]; ok && p.ref != ref || !ok && !u.isInFile(ref) {
		u.setError(misuse("object %v is neither reserved nor in the file", ref))
		return
	}
	u.pending[ref.Number] = pending{ref, o}
}

func (u *Update) isInFile(ref Ref) bool {
	s := u.d.slots.get(ref.Number)
	return s.kind() >= slotPlain && s.generation() == ref.Generation
}

func (u *Update) setError(err error) {
	if u.err == nil {
		u.err = err
	}
}

// Get returns an object as this update sees it: what was set, else a copy of
// what the file has. A copy that is changed must be Set to have an effect.
func (u *Update) Get(ref Ref) (Object, error) {
	if p, ok := u.pending[ref.Number]; ok && p.ref == ref {
		if p.value == nil {
			return Null{}, nil
		}
		return p.value, nil
	}
	o, err := u.d.Object(ref)
	if err != nil {
		return nil, err
	}
	return Clone(o), nil
}

// Resolve follows references as Document.Resolve does, through this update.
func (u *Update) Resolve(o Object) (Object, error) { return followRefs(o, u.Get) }

// Edit returns the dictionary, or the dictionary of the stream, behind ref and
// makes it part of the update under its own number.
func (u *Update) Edit(ref Ref) (Dict, error) {
	o, err := u.Get(ref)
	if err != nil {
		return nil, err
	}
	dict, err := resolveDict(u, o)
	if err != nil {
		return nil, fmt.Errorf("edit object %v: %w", ref, err)
	}
	if dict == nil {
		return nil, misuse("edit object %v, which is null", ref)
	}
	u.Set(ref, o)
	return dict, nil
}

// EditIn returns the dictionary under key of the dictionary owner. If it is
// indirect, it is updated under its own number and owner stays as it is; if it
// is direct, owner is updated; if it is missing, it is made, direct.
func (u *Update) EditIn(owner Ref, key Name) (Dict, error) {
	o, err := u.readOwner(owner)
	if err != nil {
		return nil, err
	}
	if ref, ok := u.findTarget(o[key]); ok {
		return u.Edit(ref)
	}
	dict, err := u.Edit(owner)
	if err != nil {
		return nil, err
	}
	inner, err := resolveDict(u, dict[key])
	if err != nil {
		return nil, fmt.Errorf("edit /%s of object %v: %w", key, owner, err)
	}
	if inner == nil {
		inner = Dict{}
		dict[key] = inner
	}
	return inner, nil
}

// Append adds items to the array under key of the dictionary owner, wherever
// that array is, as EditIn does for dictionaries.
func (u *Update) Append(owner Ref, key Name, items ...Object) error {
	o, err := u.readOwner(owner)
	if err != nil {
		return err
	}
	if ref, ok := u.findTarget(o[key]); ok {
		array, err := u.Get(ref)
		if err != nil {
			return err
		}
		a, err := resolveAs[Array](u, array)
		if err != nil {
			return fmt.Errorf("append to /%s of object %v: %w", key, owner, err)
		}
		u.Set(ref, append(slices.Clip(a), items...))
		return nil
	}
	dict, err := u.Edit(owner)
	if err != nil {
		return err
	}
	return u.AppendTo(dict, key, items...)
}

// AppendTo adds items to the array under key of a dictionary that is part of
// the update already, wherever that array is.
func (u *Update) AppendTo(dict Dict, key Name, items ...Object) error {
	ref, indirect := u.findTarget(dict[key])
	a, err := resolveAs[Array](u, dict[key])
	if err != nil {
		return fmt.Errorf("append to /%s: %w", key, err)
	}
	a = append(slices.Clip(a), items...)
	if indirect {
		u.Set(ref, a)
		return nil
	}
	dict[key] = a
	return nil
}

// readOwner resolves owner to its dictionary without making it part of the update.
func (u *Update) readOwner(owner Ref) (Dict, error) {
	dict, err := resolveDict(u, owner)
	if err != nil {
		return nil, fmt.Errorf("object %v: %w", owner, err)
	}
	if dict == nil {
		return nil, misuse("edit object %v, which is null", owner)
	}
	return dict, nil
}

// findTarget follows o to the last reference before a value that is not null. It
// is false for direct objects and for references to nothing.
func (u *Update) findTarget(o Object) (Ref, bool) {
	ref, ok := o.(Ref)
	if !ok {
		return Ref{}, false
	}
	for range maxNested {
		v, err := u.Get(ref)
		if err != nil {
			return ref, true // the caller meets the error when it reads
		}
		next, isRef := v.(Ref)
		if !isRef {
			return ref, v != Object(Null{})
		}
		ref = next
	}
	return ref, true
}

// pendingNumbers lists the pending object numbers in ascending order.
func (u *Update) pendingNumbers() []uint32 {
	return slices.Sorted(maps.Keys(u.pending))
}
