package pdf

import (
	"errors"
	"fmt"
	"slices"
)

// objectStream is a decoded object stream (ISO 32000-1 §7.5.7).
type objectStream struct {
	data    []byte
	numbers []uint32
	starts  []uint32        // offsets into data
	index   map[uint32]int  // of numbers, the first of equals; built when an index of the cross-reference may be wrong
	twice   map[uint32]bool // numbers that occur more than once; built with index

	// broken is why the stream cannot be read. It is cached, or a damaged stream with thousands of objects would be
	// decoded for each of them.
	broken error
}

func (d *Document) loadMember(number uint32, s slot) (indirect, error) {
	c, err := d.loadObjectStream(s.streamNumber())
	if err != nil {
		return indirect{}, fmt.Errorf("object stream %d: %w", s.streamNumber(), err)
	}
	start, ok := c.findOffset(number, s.index())
	if !ok {
		return indirect{}, damaged(-1, "object stream %d does not contain it", s.streamNumber())
	}
	found, err := d.parseMember(c, start)
	if err != nil {
		return indirect{}, fmt.Errorf("object stream %d: %w", s.streamNumber(), err)
	}
	return found, nil
}

// parseMember parses the object that begins at an offset of a decoded object stream.
func (d *Document) parseMember(c *objectStream, start int) (indirect, error) {
	p := d.borrowParser(lexer{buf: c.data[start:], end: int64(len(c.data) - start)})
	defer p.release()
	o, err := p.parseObject()
	if spent := d.spendObject(p.lx.offset()); spent != nil {
		return indirect{}, spent
	}
	if err != nil {
		return indirect{}, err
	}
	switch o.(type) {
	case Ref, *Stream:
		return indirect{}, damaged(-1, "it contains a bare %s", typeName(o))
	}
	return indirect{value: clearRanges(o), cost: p.lx.offset() + 128*int64(d.limits.Values-p.values)}, nil
}

// findOffset returns the offset of an object in data. It uses the index of the cross-reference if the number there
// agrees.
func (c *objectStream) findOffset(number uint32, index int) (int, bool) {
	if index < len(c.numbers) && c.numbers[index] == number {
		return int(c.starts[index]), true
	}
	c.indexNumbers()
	i, ok := c.index[number]
	if !ok {
		return 0, false
	}
	return int(c.starts[i]), true
}

// indexNumbers builds index and twice.
func (c *objectStream) indexNumbers() {
	if c.index != nil {
		return
	}
	c.index = make(map[uint32]int, len(c.numbers))
	for i, n := range slices.Backward(c.numbers) {
		if _, ok := c.index[n]; ok {
			if c.twice == nil {
				c.twice = map[uint32]bool{}
			}
			c.twice[n] = true
		}
		c.index[n] = i
	}
}

// requireSinglePlace requires that an object stream has an object once, at the index that the cross-reference states.
func (d *Document) requireSinglePlace(number uint32, s slot) error {
	c, err := d.loadObjectStream(s.streamNumber())
	if err != nil {
		return fmt.Errorf("object stream %d: %w", s.streamNumber(), err)
	}
	c.indexNumbers()
	if i, ok := c.index[number]; !ok || i != s.index() || c.twice[number] {
		return damaged(-1, "object stream %d does not have object %d at index %d alone", s.streamNumber(), number, s.index())
	}
	return nil
}

func (d *Document) loadObjectStream(number uint32) (*objectStream, error) {
	if c, ok := d.objectStreams.get(number); ok {
		return c, c.broken
	}
	s := d.slots.get(number)
	if s.kind() != slotPlain {
		return nil, damaged(-1, "not an uncompressed object")
	}
	if c, ok := d.sharedObjectStream(number, s); ok {
		return c, nil
	}
	c, err := d.readObjectStream(number, s)
	// While a file is repaired, a stream may become readable once more of its objects are found.
	if errors.Is(err, ErrDamaged) && !d.repaired {
		d.objectStreams.put(number, &objectStream{broken: err}, 64)
	}
	return c, err
}

func (d *Document) readObjectStream(number uint32, s slot) (*objectStream, error) {
	// A key that its own dictionary states twice does not make the objects in it unreadable.
	strict := d.uniqueKeys
	d.uniqueKeys = false
	defer func() { d.uniqueKeys = strict }()
	st, err := d.Stream(Ref{Number: number, Generation: s.generation()})
	if err != nil {
		return nil, err
	}
	if st == nil || st.Dict["Type"] != Name("ObjStm") {
		return nil, damaged(-1, "not of type /ObjStm")
	}
	c, err := d.decodeObjectStream(st)
	if err != nil {
		return nil, err
	}
	d.cacheObjectStream(number, s, st, c)
	return c, nil
}

func (d *Document) decodeObjectStream(st *Stream) (*objectStream, error) {
	data, err := d.Decode(st)
	if err != nil {
		return nil, err
	}
	n, err := d.Integer(st.Dict["N"])
	if err != nil {
		return nil, err
	}
	first, err := d.Integer(st.Dict["First"])
	if err != nil {
		return nil, err
	}
	return parseObjectStream(data, n, first)
}

// ObjectStreamMembers lists the numbers of the objects in an object stream, in its order, whether or not the
// cross-reference leads to them.
func (d *Document) ObjectStreamMembers(number uint32) ([]uint32, error) {
	c, err := d.loadObjectStream(number)
	if err != nil {
		return nil, fmt.Errorf("object stream %d: %w", number, err)
	}
	return slices.Clone(c.numbers), nil
}

func parseObjectStream(data []byte, n, first int64) (*objectStream, error) {
	// Each pair of number and offset takes at least four bytes.
	if int64(len(data)) > 1<<32-1 || first < 0 || first > int64(len(data)) || n < 0 || n > first/3+1 {
		return nil, damaged(-1, "invalid /N or /First")
	}
	c := &objectStream{data: data, numbers: make([]uint32, n), starts: make([]uint32, n)}
	lx := newBytesLexer(data[:first], 0)
	for i := range c.numbers {
		num, err := lx.next()
		if err != nil {
			return nil, err
		}
		off, err := lx.next()
		if err != nil {
			return nil, err
		}
		if num.kind != tokInteger || off.kind != tokInteger || num.num < 0 || num.num > 1<<32-1 ||
			off.num < 0 || off.num > int64(len(data))-first {
			return nil, damaged(-1, "invalid directory of objects")
		}
		c.numbers[i] = uint32(num.num)
		c.starts[i] = uint32(first + off.num)
	}
	return c, nil
}

// clearRanges clears the token offsets of strings: in an object stream they are not offsets in the file.
func clearRanges(o Object) Object {
	switch o := o.(type) {
	case String:
		o.start, o.end = 0, 0
		return o
	case Array:
		for i, v := range o {
			o[i] = clearRanges(v)
		}
	case Dict:
		for k, v := range o {
			o[k] = clearRanges(v)
		}
	}
	return o
}
