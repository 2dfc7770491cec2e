package pdf

// slot is the place of one object, packed into eight bytes: the two lowest bits are the kind, the others the place.
type slot uint64

const (
	slotAbsent     = 0
	slotFree       = 1 // generation << 2
	slotPlain      = 2 // offset << 18 | generation << 2
	slotCompressed = 3 // object stream << 32 | index << 2

	maxOffset = 1<<46 - 1
	maxIndex  = 1<<30 - 1
)

// slotUnknown represents an entry of a type that this reader does not know: a free slot with a mark.
const slotUnknown slot = 1<<18 | 65535<<2 | slotFree

func freeSlot(gen uint16) slot            { return slot(gen)<<2 | slotFree }
func plainSlot(at int64, gen uint16) slot { return slot(at)<<18 | slot(gen)<<2 | slotPlain }
func compressedSlot(c, i uint32) slot     { return slot(c)<<32 | slot(i)<<2 | slotCompressed }
func (s slot) kind() int                  { return int(s & 3) }
func (s slot) fileOffset() int64          { return int64(s >> 18) }
func (s slot) streamNumber() uint32       { return uint32(s >> 32) }
func (s slot) index() int                 { return int(s >> 2 & maxIndex) }
func (s slot) generation() uint16 {
	if s.kind() == slotCompressed {
		return 0
	}
	return uint16(s >> 2)
}

// filePlace is an object number and the place of its object.
type filePlace struct {
	number uint32
	slot   slot
}

const slotsPerPage = 128

// slots maps object numbers to slots. Its pages exist only where objects do, so a table with only object 8,000,000 is
// small.
type slots struct {
	pages   []*[slotsPerPage]slot
	highest uint32
}

func (t *slots) get(n uint32) slot {
	if i := int(n / slotsPerPage); i < len(t.pages) && t.pages[i] != nil {
		return t.pages[i][n%slotsPerPage]
	}
	return slotAbsent
}

// setIfAbsent stores s unless a newer section already stated the place of n.
func (t *slots) setIfAbsent(n uint32, s slot) {
	if t.get(n).kind() == slotAbsent {
		t.set(n, s)
	}
}

func (t *slots) set(n uint32, s slot) {
	i := int(n / slotsPerPage)
	if i >= len(t.pages) {
		t.pages = append(t.pages, make([]*[slotsPerPage]slot, i+1-len(t.pages))...)
	}
	if t.pages[i] == nil {
		t.pages[i] = new([slotsPerPage]slot)
	}
	t.pages[i][n%slotsPerPage] = s
	t.highest = max(t.highest, n)
}

// eachInUse calls f for every object in use, in order of number, until f returns an error.
func (t *slots) eachInUse(f func(n uint32, s slot) error) error {
	return t.eachStated(func(n uint32, s slot) error {
		if s.kind() < slotPlain {
			return nil
		}
		return f(n, s)
	})
}

// keptPages is how many pages of a table are worth clearing, which takes as long as allocating them.
const keptPages = 256

// clear empties the table. A small table retains its memory.
func (t *slots) clear() {
	if len(t.pages) > keptPages {
		t.pages = nil
	}
	for _, page := range t.pages {
		if page != nil {
			clear(page[:])
		}
	}
	t.highest = 0
}

// copyOnWrite returns an equal table that mergeNewer may change: it copies pages before it changes them.
func (t *slots) copyOnWrite() slots {
	return slots{pages: append([]*[slotsPerPage]slot(nil), t.pages...), highest: t.highest}
}

// eachStated calls f for every number with an entry, free ones included, in order of number, until f returns an error.
func (t *slots) eachStated(f func(n uint32, s slot) error) error {
	for i, page := range t.pages {
		if page == nil {
			continue
		}
		for j, s := range page {
			if s == slotAbsent {
				continue
			}
			if err := f(uint32(i*slotsPerPage+j), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeNewer overwrites t with the entries of newer, in new pages, and calls changed for each number whose slot
// changes.
func (t *slots) mergeNewer(newer *slots, changed func(n uint32, was, now slot)) {
	if more := len(newer.pages) - len(t.pages); more > 0 {
		t.pages = append(t.pages, make([]*[slotsPerPage]slot, more)...)
	}
	for i, page := range newer.pages {
		if page == nil {
			continue
		}
		own := new([slotsPerPage]slot)
		if t.pages[i] != nil {
			*own = *t.pages[i]
		}
		t.pages[i] = own
		for j, now := range page {
			if now == slotAbsent || own[j] == now {
				continue
			}
			was := own[j]
			own[j] = now
			changed(uint32(i*slotsPerPage+j), was, now)
		}
	}
	t.highest = max(t.highest, newer.highest)
}
