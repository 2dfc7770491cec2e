package pdf

import (
	"errors"
	"fmt"
	"slices"
)

// references are the object numbers of the references that a document has parsed so far. The parser calls addNumber for
// each.
type references struct {
	limit   uint32 // Limits.Objects
	highest uint32 // up to limit
	above   uint32 // highest above limit; 0 if there is none
	current bool   // every object that the newest entries lead to was parsed, and Document.active lists what acts in them
	read    bool   // and every object of every section
}

func (r *references) addNumber(number uint32) {
	if number > r.limit {
		r.above = max(r.above, number)
		return
	}
	r.highest = max(r.highest, number)
}

// NextObject returns the lowest number that an update may give to a new object. It lies above every object of the file,
// free ones included, and above every reference in it: those in trailers, in objects of all revisions and in object
// streams. A reference to an object that does not exist is null (ISO 32000-2 §7.3.10). If a new object had its number,
// the reference would lead to it, and signed content would change its meaning.
//
// If Options.NextObject is set, NextObject reads nothing. Otherwise it parses every object, once, and shares that with
// ActiveContent, so call it when a file is accepted. It ignores references above Limits.Objects, since no object can
// have their number; Check refuses files with such references. Errors: ErrTooLarge, if the file exceeds one of the
// Limits, and those of the io.ReaderAt.
func (d *Document) NextObject() (uint32, error) {
	if d.next == 0 && !d.references.read {
		if err := d.readReferences(0); err != nil {
			return 0, fmt.Errorf("read references: %w", err)
		}
		d.references.read = true
	}
	if d.next != 0 {
		return max(d.next, d.slots.highest+1), nil
	}
	return max(d.references.highest, d.slots.highest) + 1, nil
}

// NextObjectBehind is NextObject for a file that another program extended: Options.NextObject holds for its first from
// bytes. It parses the objects of the sections behind them.
func (d *Document) NextObjectBehind(from int64) (uint32, error) {
	next, err := d.NextObject()
	if err != nil || d.references.read {
		return next, err
	}
	d.references.highest = 0
	if err := d.readReferences(from); err != nil {
		return 0, fmt.Errorf("read references: %w", err)
	}
	return max(next, d.references.highest+1), nil
}

// readReferences parses the objects of all sections that begin at or behind an offset, current and superseded ones. It
// parses damaged objects as far as possible; Check reports damage.
func (d *Document) readReferences(from int64) error {
	s := &referenceScan{d: d, objectStreams: map[uint32]bool{}}
	if from == 0 && !d.references.current {
		if err := s.scanCurrent(); err != nil {
			return err
		}
	}
	for _, section := range d.sections {
		if section.at < from {
			continue
		}
		if err := s.scanSection(section.at, from); err != nil {
			return err
		}
	}
	return nil
}

// referenceScan parses objects for the references in them.
type referenceScan struct {
	d             *Document
	objectStreams map[uint32]bool // object streams that were parsed, in their current version
}

// scanCurrent parses the objects that the newest entries lead to, and all objects in the object streams among them. It
// lists the active content of the former: a service that accepts a file asks for both, and parsing is most of the work.
func (s *referenceScan) scanCurrent() error {
	active := &activeWalk{d: s.d, count: map[ActiveReason]int{}}
	var streams []uint32
	err := s.d.slots.eachInUse(func(n uint32, at slot) error {
		if at.kind() == slotCompressed {
			if c := at.streamNumber(); len(streams) == 0 || streams[len(streams)-1] != c {
				streams = append(streams, c)
			}
			return nil
		}
		object, err := s.loadObject(n, at)
		active.checkIndirect(Ref{Number: n, Generation: at.generation()}, object)
		return err
	})
	if err != nil {
		return err
	}
	// One object stream after the other, so that each is decoded once.
	slices.Sort(streams)
	for _, stream := range slices.Compact(streams) {
		err := s.scanObjectStream(stream, func(c *objectStream, i int, object Object) {
			n := c.numbers[i]
			at := s.d.slots.get(n)
			if at.kind() != slotCompressed || at.streamNumber() != stream {
				return
			}
			if start, ok := c.findOffset(n, at.index()); ok && start == int(c.starts[i]) {
				active.checkIndirect(Ref{Number: n}, object)
			}
		})
		if err != nil {
			return err
		}
	}
	if ref, root, err := s.d.Root(); err == nil {
		active.checkCatalog(ref, root)
	}
	s.d.active, s.d.references.current = active.found, true
	return nil
}

// scanSection parses the objects that the entries of a section lead to; if from is 0, those that scanCurrent has not
// parsed.
func (s *referenceScan) scanSection(at, from int64) error {
	var found []filePlace
	_, err := s.d.readSection(at, func(n uint32, at slot) error {
		if at.kind() >= slotPlain && (from > 0 || at != s.d.slots.get(n)) {
			found = append(found, filePlace{n, at})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range found {
		if o.slot.kind() == slotCompressed {
			// The stream that had it, if it still has its number. A replaced stream is parsed where its entry is found.
			if err := s.scanObjectStream(o.slot.streamNumber(), nil); err != nil {
				return err
			}
			continue
		}
		object, err := s.loadObject(o.number, o.slot)
		if err != nil {
			return err
		}
		if st, ok := object.(*Stream); ok && st.Dict["Type"] == Object(Name("ObjStm")) {
			if err := s.scanStream(st); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadObject parses an object without caching it. It returns nil for one that cannot be parsed.
func (s *referenceScan) loadObject(n uint32, at slot) (Object, error) {
	found, err := s.d.loadObject(Ref{Number: n, Generation: at.generation()}, at)
	if err != nil {
		return nil, ignoreObjectFault(err)
	}
	return found.value, nil
}

// memberVisitor receives an object of an object stream, and its index there. A nil one receives nothing.
type memberVisitor func(c *objectStream, index int, object Object)

// scanObjectStream parses all objects of the object stream that currently has a number, once.
func (s *referenceScan) scanObjectStream(number uint32, visit memberVisitor) error {
	if s.objectStreams[number] {
		return nil
	}
	s.objectStreams[number] = true
	c, err := s.d.loadObjectStream(number)
	if err != nil {
		return ignoreObjectFault(err)
	}
	return s.scanMembers(c, visit)
}

// scanStream parses all objects of an object stream, even if its number now has another object.
func (s *referenceScan) scanStream(st *Stream) error {
	c, err := s.d.decodeObjectStream(st)
	if err != nil {
		return ignoreObjectFault(err)
	}
	return s.scanMembers(c, nil)
}

func (s *referenceScan) scanMembers(c *objectStream, visit memberVisitor) error {
	for i, start := range c.starts {
		found, err := s.d.parseMember(c, int(start))
		if err != nil {
			if err := ignoreObjectFault(err); err != nil {
				return err
			}
			continue
		}
		if visit != nil {
			visit(c, i, found.value)
		}
	}
	return nil
}

// ignoreObjectFault drops an error about one object, but not that a limit was reached.
func ignoreObjectFault(err error) error {
	if isReadError(err) || errors.Is(err, ErrTooLarge) {
		return err
	}
	return nil
}
