package pdf

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
