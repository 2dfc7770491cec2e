package pdf

// cache keeps values by object number within a budget, in two generations:
// when the young one is full it becomes the old one, and what was old and not
// asked for since is forgotten.
type cache[V any] struct {
	budget     int64 // for both generations
	young, old map[uint32]cached[V]
	used       int64 // by the young
}

type cached[V any] struct {
	value V
	cost  int64
}

func newCache[V any](budget int64) cache[V] {
	return cache[V]{budget: budget, young: map[uint32]cached[V]{}}
}

func (c *cache[V]) get(n uint32) (V, bool) {
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

func (c *cache[V]) put(n uint32, v V, cost int64) {
	if c.used+cost > c.budget/2 && len(c.young) > 0 {
		c.old, c.young, c.used = c.young, map[uint32]cached[V]{}, 0
	}
	c.young[n] = cached[V]{v, cost}
	c.used += cost
}

func (c *cache[V]) forget(n uint32) {
	delete(c.old, n)
	delete(c.young, n)
}
