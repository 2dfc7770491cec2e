package pdf

import (
	"fmt"
	"maps"
	"slices"
)

// Update collects objects to add or replace, and builds one incremental tail of them. It never changes the file or its
// Document.
//
// The dictionaries it returns are those that will be written: change them in place, at any time before Build.
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

// NewUpdate begins an update of the file as opened. Its new objects have numbers from NextObject on, which parses the
// whole file unless Options.NextObject is set. Build reports an error of that.
func (d *Document) NewUpdate() *Update {
	u := &Update{d: d, pending: map[uint32]pending{}, trailer: d.copyTrailer()}
	next, err := d.NextObject()
	if err != nil {
		u.setError(err)
	}
	u.next = next
	// If /Size is beyond the highest number and were lowered, strict readers would take the numbers between for null.
	// So new numbers start at /Size, unless few would be left.
	if size, ok := d.trailer["Size"].(Integer); ok && size > Integer(u.next) && int64(size) <= d.limits.maxUpdatable() {
		u.next = uint32(size)
	}
	if d.repaired {
		u.setError(misuse("a repaired file cannot be updated"))
	}
	return u
}

// copyTrailer returns the trailer entries that a tail repeats: all except those that describe the section itself (ISO
// 32000-1 §7.5.6). /XRefStm of a hybrid file is not repeated either, since its stream would hide the update.
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

// Reserve reserves a new object number: one that no object of the file has and no reference in it names. Set must
// follow before Build.
func (u *Update) Reserve() Ref {
	ref := Ref{Number: u.next}
	if int64(u.next) > int64(u.d.limits.Objects) {
		u.setError(tooLarge(-1, "object number %d", u.next))
	}
	u.next++
	u.pending[ref.Number] = pending{ref: ref}
	return ref
}

// Add gives o a new number.
func (u *Update) Add(o Object) Ref {
	ref := u.Reserve()
	u.Set(ref, o)
	return ref
}

// Set defines a reserved object, or replaces one of the file under its number and generation. Build reports any other
// ref.
func (u *Update) Set(ref Ref, o Object) {
	if o == nil {
		o = Null{}
	}
	if _, isRef := o.(Ref); isRef {
		u.setError(misuse("object %v set to a reference", ref))
	}
	if p, ok := u.pending[ref.Number]; ok && p.ref != ref || !ok && !u.d.isInFile(ref) {
		u.setError(misuse("object %v is neither reserved nor in the file", ref))
		return
	}
	u.pending[ref.Number] = pending{ref, o}
}

func (u *Update) setError(err error) {
	if u.err == nil {
		u.err = err
	}
}

// Get returns an object as of this update: what was set, or a copy of the file's object. A changed copy has no effect
// until it is Set.
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

// Edit returns the dictionary, or the dictionary of the stream, behind ref and adds it to the update under its number.
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

// EditIn returns the dictionary under key of the dictionary owner. If it is indirect, it is updated under its number
// and owner does not change; if it is direct, owner is updated; if it is missing, a direct one is added.
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

// Append adds items to the array under key of the dictionary owner, in whichever object that array is, as EditIn does
// for dictionaries.
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

// AppendTo adds items to the array under key of a dictionary that is already part of the update, in whichever object
// that array is.
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

// readOwner resolves owner to its dictionary without adding it to the update.
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

// findTarget follows o to the last reference before a value that is not null. It returns false for direct objects and
// for references to nothing.
func (u *Update) findTarget(o Object) (Ref, bool) {
	ref, ok := o.(Ref)
	if !ok {
		return Ref{}, false
	}
	for range maxNested {
		v, err := u.Get(ref)
		if err != nil {
			return ref, true // the caller gets the error when it reads
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
