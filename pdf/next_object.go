package pdf

import (
	"errors"
	"fmt"
)

// references are the object numbers that a document has parsed in references so far. The parser calls note for each.
type references struct {
	limit   uint32 // Limits.Objects
	highest uint32 // up to limit
	above   uint32 // highest above limit; 0 if there is none
	current bool   // every object that the newest entries lead to was parsed
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
// streams. A reference to an object that does not exist is null (ISO 32000-2 §7.3.10). If a new object took its number,
// the reference would lead to it, and what was signed before would have changed its meaning.
//
// If Options.NextObject is set, NextObject reads nothing. Otherwise it parses every object once, but for those that
// ActiveContent has parsed, so it belongs to the moment a file comes in. References above Limits.Objects are left out,
// since no object can have their number; Check refuses files with such references. Errors: ErrTooLarge, if the file
// exceeds one of the Limits, and those of the io.ReaderAt.
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

// readReferences parses the objects of all sections that begin at or behind an offset, current and superseded ones.
// Objects that cannot be parsed are parsed as far as possible: whether the file is sound is for Check to say.
func (d *Document) readReferences(from int64) error {
	s := &referenceScan{d: d, objectStreams: map[uint32]bool{}}
	if from == 0 && !d.references.current {
		if err := s.scanCurrent(); err != nil {
			return err
		}
		d.references.current = true
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
	objectStreams map[uint32]bool // object streams that were parsed, as they are now
}

// located is an object number and where a section says its object is.
type located struct {
	number uint32
	slot   slot
}

// scanCurrent parses the objects that the newest entries lead to, and everything in the object streams that hold some.
func (s *referenceScan) scanCurrent() error {
	var streams []uint32
	err := s.d.slots.eachInUse(func(n uint32, at slot) error {
		if at.kind() == slotCompressed {
			if c := at.streamNumber(); len(streams) == 0 || streams[len(streams)-1] != c {
				streams = append(streams, c)
			}
			return nil
		}
		_, err := s.loadObject(n, at)
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range streams {
		if err := s.scanObjectStream(n); err != nil {
			return err
		}
	}
	return nil
}

// scanSection parses the objects that the entries of a section lead to; if from is 0, those that current has not parsed.
func (s *referenceScan) scanSection(at, from int64) error {
	var found []located
	_, err := s.d.readSection(at, func(n uint32, at slot) error {
		if at.kind() >= slotPlain && (from > 0 || at != s.d.slots.get(n)) {
			found = append(found, located{n, at})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range found {
		if o.slot.kind() == slotCompressed {
			// The stream that had it, if it still stands under its number. One that was replaced is parsed where its
			// own entry is found.
			if err := s.scanObjectStream(o.slot.streamNumber()); err != nil {
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

// loadObject parses an object past the cache. It returns nil for one that cannot be parsed.
func (s *referenceScan) loadObject(n uint32, at slot) (Object, error) {
	found, err := s.d.loadObject(Ref{Number: n, Generation: at.generation()}, at)
	if err != nil {
		return nil, s.ignoreObjectFault(err)
	}
	return found.value, nil
}

// scanObjectStream parses all objects of the object stream that has a number now, once.
func (s *referenceScan) scanObjectStream(number uint32) error {
	if s.objectStreams[number] {
		return nil
	}
	s.objectStreams[number] = true
	c, err := s.d.loadObjectStream(number)
	if err != nil {
		return s.ignoreObjectFault(err)
	}
	return s.scanMembers(c)
}

// scanStream parses all objects of an object stream, whatever stands under its number now.
func (s *referenceScan) scanStream(st *Stream) error {
	data, err := s.d.Decode(st)
	if err != nil {
		return s.ignoreObjectFault(err)
	}
	n, err := s.d.Integer(st.Dict["N"])
	if err != nil {
		return s.ignoreObjectFault(err)
	}
	first, err := s.d.Integer(st.Dict["First"])
	if err != nil {
		return s.ignoreObjectFault(err)
	}
	c, err := parseObjectStream(data, n, first)
	if err != nil {
		return s.ignoreObjectFault(err)
	}
	return s.scanMembers(c)
}

func (s *referenceScan) scanMembers(c *objectStream) error {
	for _, start := range c.starts {
		if _, err := s.d.parseMember(c, int(start)); err != nil {
			if err := s.ignoreObjectFault(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignoreObjectFault passes over what is wrong with one object, but not that the limits are reached.
func (s *referenceScan) ignoreObjectFault(err error) error {
	if isReadError(err) || errors.Is(err, ErrTooLarge) {
		return err
	}
	return nil
}
