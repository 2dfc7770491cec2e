package pdf

import "slices"

// cache stores values by object number or place within a budget, in two generations: when the young one is full it
// becomes the old one, and old values that were not used since are dropped.
type cache[K comparable, V any] struct {
	budget     int64           // for both generations
	young, old map[K]cached[V] // nil until the first value
	used       int64           // by the young
}

type cached[V any] struct {
	value V
	cost  int64
}

func newCache[K comparable, V any](budget int64) cache[K, V] { return cache[K, V]{budget: budget} }

func (c *cache[K, V]) get(n K) (V, bool) {
	if e, ok := c.young[n]; ok {
		return e.value, true
	}
	e, ok := c.old[n]
	if ok {
		delete(c.old, n)
		c.put(n, e.value, e.cost)
	}
	return e.value, ok
}

func (c *cache[K, V]) put(n K, v V, cost int64) {
	if c.used+cost > c.budget/2 && len(c.young) > 0 {
		c.old, c.young, c.used = c.young, c.old, 0
		clear(c.young)
	}
	if c.young == nil {
		c.young = map[K]cached[V]{}
	}
	c.young[n] = cached[V]{v, cost}
	c.used += cost
}

func (c *cache[K, V]) remove(n K) {
	delete(c.old, n)
	delete(c.young, n)
}

// sharedCache holds objects and object streams that are at the same place in a document and its states, so that each is
// read once. It has neither streams, which belong to the state that read them, nor objects that were read through other
// objects, which another state may have elsewhere.
type sharedCache struct {
	objects       cache[filePlace, sharedEntry[Object]]
	objectStreams cache[filePlace, sharedEntry[*objectStream]]
}

// sharedEntry is a value and the offset of the last byte that its reading depended on: a state that ends before it may
// read something else.
type sharedEntry[V any] struct {
	value      V
	end        int64
	uniqueKeys bool // no dictionary in it states a key twice
}

// findShared returns what another state read at that place.
func (d *Document) findShared(number uint32, s slot) (sharedEntry[Object], bool) {
	if d.shared == nil || d.security != nil {
		return sharedEntry[Object]{}, false
	}
	found, ok := d.shared.objects.get(filePlace{number, s})
	return found, ok && found.end < d.size
}

// cacheObject caches an object: for all states, if each state that extends as far reads the same.
func (d *Document) cacheObject(number uint32, s slot, found indirect) {
	_, isStream := found.value.(*Stream)
	if d.shared == nil || d.security != nil || isStream || !found.closed || found.end >= d.size {
		d.objects.put(number, found.value, found.cost)
		return
	}
	d.shared.objects.put(filePlace{number, s}, sharedEntry[Object]{found.value, found.end, found.uniqueKeys}, found.cost)
}

// sharedObjectStream returns the object stream that another state read at that place.
func (d *Document) sharedObjectStream(number uint32, s slot) (*objectStream, bool) {
	if d.shared == nil || d.security != nil {
		return nil, false
	}
	found, ok := d.shared.objectStreams.get(filePlace{number, s})
	return found.value, ok && found.end < d.size
}

// cacheObjectStream caches an object stream: for all states, if its dictionary has no references.
func (d *Document) cacheObjectStream(number uint32, s slot, st *Stream, c *objectStream) {
	cost := int64(len(c.data)) + 32*int64(len(c.numbers))
	if end := st.start + st.size + endWindow; d.shared != nil && d.security == nil && end < d.size && isDirect(st.Dict, 3) {
		d.shared.objectStreams.put(filePlace{number, s}, sharedEntry[*objectStream]{c, end, false}, cost)
		return
	}
	d.objectStreams.put(number, c, cost)
}

// isDirect reports whether an object has no references, down to a depth.
func isDirect(o Object, depth int) bool {
	switch o := o.(type) {
	case Ref:
		return false
	case Array:
		return !slices.ContainsFunc(o, func(v Object) bool { return depth == 0 || !isDirect(v, depth-1) })
	case Dict:
		for _, v := range o {
			if depth == 0 || !isDirect(v, depth-1) {
				return false
			}
		}
	}
	return true
}
