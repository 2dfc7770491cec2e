package pdf

// cache keeps values by object number, or by place, within a budget, in two generations:
// when the young one is full it becomes the old one, and what was old and not
// asked for since is forgotten.
type cache[K comparable, V any] struct {
	budget     int64 // for both generations
	young, old map[K]cached[V]
	used       int64 // by the young
}

type cached[V any] struct {
	value V
	cost  int64
}

func newCache[K comparable, V any](budget int64) cache[K, V] {
	return cache[K, V]{budget: budget, young: map[K]cached[V]{}}
}

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
		if clear(c.young); c.young == nil {
			c.young = map[K]cached[V]{}
		}
	}
	c.young[n] = cached[V]{v, cost}
	c.used += cost
}

func (c *cache[K, V]) remove(n K) {
	delete(c.old, n)
	delete(c.young, n)
}
