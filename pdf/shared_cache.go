package pdf

// sharedCache keeps what a document and its states have in common: objects and object streams that are at the same place in each,
// so that one that was read for a state is not read again for the next. It has neither streams, which belong to the
// state that they were found in, nor what is read through other objects, which another state may have elsewhere.
type sharedCache struct {
	objects       cache[filePlace, sharedEntry[Object]]
	objectStreams cache[filePlace, sharedEntry[*objectStream]]
}

// filePlace is a number and where its object is.
type filePlace struct {
	number uint32
	slot   slot
}

// sharedEntry is what was read, and where the byte is by which its reading ended: a state that ends before it may read
// otherwise.
type sharedEntry[V any] struct {
	value      V
	end        int64
	uniqueKeys bool // no dictionary in it states a key twice
}

func newSharedCache(objects, containers int64) *sharedCache {
	return &sharedCache{newCache[filePlace, sharedEntry[Object]](objects), newCache[filePlace, sharedEntry[*objectStream]](containers)}
}

// sharedObject returns what another state read at that place.
func (d *Document) sharedObject(number uint32, s slot) (Object, bool) {
	if d.shared == nil || d.security != nil {
		return nil, false
	}
	found, ok := d.shared.objects.get(filePlace{number, s})
	return found.value, ok && found.end < d.size
}

// isKnownUnique reports whether an object was read already and found to state no key twice.
func (d *Document) isKnownUnique(number uint32, s slot) bool {
	if d.shared == nil || d.security != nil {
		return false
	}
	found, ok := d.shared.objects.get(filePlace{number, s})
	return ok && found.uniqueKeys && found.end < d.size
}

// cacheObject takes up an object that was read: for all states, if it reads the same in each that reaches as far.
func (d *Document) cacheObject(number uint32, s slot, found *indirect) {
	_, isStream := found.value.(*Stream)
	if d.shared == nil || d.security != nil || isStream || !found.closed || found.end >= d.size {
		d.objects.put(number, found.value, found.cost)
		return
	}
	d.shared.objects.put(filePlace{number, s}, sharedEntry[Object]{found.value, found.end, d.uniqueKeys}, found.cost)
}

// sharedObjectStream returns the object stream that another state read at that place.
func (d *Document) sharedObjectStream(number uint32, s slot) (*objectStream, bool) {
	if d.shared == nil || d.security != nil {
		return nil, false
	}
	found, ok := d.shared.objectStreams.get(filePlace{number, s})
	return found.value, ok && found.end < d.size
}

// cacheObjectStream takes up an object stream: for all states, if its dictionary says all there is to it.
func (d *Document) cacheObjectStream(number uint32, s slot, st *Stream, c *objectStream) {
	cost := int64(len(c.data)) + 32*int64(len(c.numbers))
	if end := st.start + st.size + endWindow; d.shared != nil && d.security == nil && end < d.size && isDirect(st.Dict, 3) {
		d.shared.objectStreams.put(filePlace{number, s}, sharedEntry[*objectStream]{c, end, false}, cost)
		return
	}
	d.objectStreams.put(number, c, cost)
}

// isDirect reports whether there is no reference in an object, as deep as it is looked for.
func isDirect(o Object, depth int) bool {
	switch o := o.(type) {
	case Ref:
		return false
	case Array:
		for _, v := range o {
			if depth == 0 || !isDirect(v, depth-1) {
				return false
			}
		}
	case Dict:
		for _, v := range o {
			if depth == 0 || !isDirect(v, depth-1) {
				return false
			}
		}
	}
	return true
}
