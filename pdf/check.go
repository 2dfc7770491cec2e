package pdf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Check reads what Open does not: that every entry of the cross-reference leads to the object it names, that object
// streams contain what they should, and that the page tree counts correctly. A file whose objects or references leave
// no object numbers for updates is ErrTooLarge, before anyone starts signing it. It parses every object, so call it
// when a file is accepted, not for each signature.
func (d *Document) Check() error {
	if int64(d.slots.highest) > d.limits.maxUpdatable() {
		return tooLarge(-1, "object number %d leaves no numbers for updates", d.slots.highest)
	}
	if err := d.checkEntries(); err != nil {
		return err
	}
	next, err := d.NextObject()
	if err != nil {
		return err
	}
	if referred := max(d.references.above, next-1); int64(referred) > d.limits.maxUpdatable() {
		return tooLarge(-1, "reference to object %d leaves no numbers for updates", referred)
	}
	if _, err := d.PageCount(); err != nil {
		return err
	}
	if d.ambiguousTree {
		return damaged(-1, "page tree is inconsistent")
	}
	return nil
}

// checkEntries accepts wrong entries for objects that nothing refers to, which some producers leave behind when they
// drop an object: no reader uses them. References are followed only if an entry is wrong.
func (d *Document) checkEntries() error {
	fault := d.findWrongEntry()
	if fault == nil || !errors.Is(fault, ErrDamaged) {
		return fault
	}
	r := &reachWalk{d: d}
	err := r.markReachable()
	if isReadError(err) || errors.Is(err, ErrTooLarge) {
		return err
	}
	if err != nil {
		return fault
	}
	d.noteDefect("entry of an object that nothing refers to leads elsewhere")
	return nil
}

// findWrongEntry finds the first entry that does not lead to its object.
func (d *Document) findWrongEntry() error {
	var compressed []uint32
	err := d.slots.eachInUse(func(n uint32, s slot) error {
		if s.kind() == slotCompressed {
			compressed = append(compressed, n)
			return nil
		}
		if err := d.spendObject(0); err != nil {
			return err
		}
		p := d.borrowParser(lexer{src: d.src, base: s.fileOffset(), end: min(d.size, s.fileOffset()+64)})
		p.lx.borrowBuffer()
		ref, err := parseObjectHeader(p, s.fileOffset())
		p.release()
		if isReadError(err) {
			return err
		}
		if err != nil || ref != (Ref{Number: n, Generation: s.generation()}) {
			if slices.ContainsFunc(d.sections, func(s *section) bool { return s.ref.Number == n }) {
				return nil // nothing refers to a cross-reference stream, and some of their entries are wrong
			}
			return damaged(s.fileOffset(), "entry of object %d leads elsewhere", n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// One object stream after the other, so that each is decoded once.
	slices.SortStableFunc(compressed, func(a, b uint32) int {
		return cmp.Compare(d.slots.get(a).streamNumber(), d.slots.get(b).streamNumber())
	})
	for i, n := range compressed {
		if i%entriesAtOnce == 0 {
			if err := d.spendWork(entriesAtOnce * entryWork); err != nil {
				return err
			}
		}
		s := d.slots.get(n)
		c, err := d.loadObjectStream(s.streamNumber())
		if err != nil {
			return fmt.Errorf("object stream %d: %w", s.streamNumber(), err)
		}
		if _, ok := c.findOffset(n, s.index()); !ok {
			return damaged(-1, "object stream %d does not contain object %d", s.streamNumber(), n)
		}
	}
	return nil
}
