package pdf

// copyOnWrite returns a table that is equal and can be changed by merge: pages are
// copied when something in them changes.
func (t *slots) copyOnWrite() slots {
	return slots{pages: append([]*[slotsPerPage]slot(nil), t.pages...), highest: t.highest}
}

// eachStated calls f for every number that something was said about, free ones
// included, in order of number, until f errs.
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

// mergeNewer overwrites t by what newer says, in pages of its own, and tells each
// number whose slot is another now.
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
