package pdf

// shelf keeps what a document and its states have in common: objects and object streams that are at the same place in each,
// so that one that was read for a state is not read again for the next. It has neither streams, which belong to the
// state that they were found in, nor what is read through other objects, which another state may have elsewhere.
type shelf struct {
	objects    cache[place, shelved[Object]]
	containers cache[place, shelved[*container]]
}

// place is a number and where its object is.
type place struct {
	number uint32
	slot   slot
}

// shelved is what was read, and where the byte is by which its reading ended: a state that ends before it may read
// otherwise.
type shelved[V any] struct {
	value  V
	end    int64
	strict bool // no dictionary in it states a key twice
}

func newShelf(objects, containers int64) *shelf {
	return &shelf{newCache[place, shelved[Object]](objects), newCache[place, shelved[*container]](containers)}
}

// shelved returns what another state read at that place.
func (d *Document) shelved(number uint32, s slot) (Object, bool) {
	if d.shelf == nil || d.security != nil {
		return nil, false
	}
	found, ok := d.shelf.objects.get(place{number, s})
	return found.value, ok && found.end < d.size
}

// strict reports whether an object was read already and found to state no key twice.
func (d *Document) strict(number uint32, s slot) bool {
	if d.shelf == nil || d.security != nil {
		return false
	}
	found, ok := d.shelf.objects.get(place{number, s})
	return ok && found.strict && found.end < d.size
}

// keep takes up an object that was read: for all states, if it reads the same in each that reaches as far.
func (d *Document) keep(number uint32, s slot, found *indirect) {
	_, isStream := found.value.(*Stream)
	if d.shelf == nil || d.security != nil || isStream || !found.closed || found.end >= d.size {
		d.objects.put(number, found.value, found.cost)
		return
	}
	d.shelf.objects.put(place{number, s}, shelved[Object]{found.value, found.end, d.once}, found.cost)
}

// shelvedContainer returns the object stream that another state read at that place.
func (d *Document) shelvedContainer(number uint32, s slot) (*container, bool) {
	if d.shelf == nil || d.security != nil {
		return nil, false
	}
	found, ok := d.shelf.containers.get(place{number, s})
	return found.value, ok && found.end < d.size
}

// keepContainer takes up an object stream: for all states, if its dictionary says all there is to it.
func (d *Document) keepContainer(number uint32, s slot, st *Stream, c *container) {
	cost := int64(len(c.data)) + 32*int64(len(c.numbers))
	if end := st.start + st.size + endWindow; d.shelf != nil && d.security == nil && end < d.size && direct(st.Dict, 3) {
		d.shelf.containers.put(place{number, s}, shelved[*container]{c, end, false}, cost)
		return
	}
	d.containers.put(number, c, cost)
}

// direct reports whether there is no reference in an object, as deep as it is looked for.
func direct(o Object, depth int) bool {
	switch o := o.(type) {
	case Ref:
		return false
	case Array:
		for _, v := range o {
			if depth == 0 || !direct(v, depth-1) {
				return false
			}
		}
	case Dict:
		for _, v := range o {
			if depth == 0 || !direct(v, depth-1) {
				return false
			}
		}
	}
	return true
}
