package pdf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// rebuildXref rebuilds the cross-reference by reading the whole file and recording where objects begin: the last one of
// a number counts, like the newest in an undamaged file. The result can be read but not updated.
func (d *Document) rebuildXref(password string) error {
	d.repaired = true
	d.slots, d.sections, d.trailer, d.security, d.facts = slots{}, nil, Dict{}, nil, nil
	d.shift, d.pageCount, d.ambiguousTree, d.nested = 0, 0, false, 0
	d.objects = newCache[uint32, Object](d.limits.Cache / 2)
	d.objectStreams = newCache[uint32, *objectStream](d.limits.Cache / 2)
	d.shared = nil

	s := &objectScan{d: d}
	d.lengths = &lengthFinder{d: d}
	err := s.scanFile()
	d.lengths = nil
	if err != nil {
		return fmt.Errorf("scan for objects: %w", err)
	}
	if err := d.readEncryption(password); err != nil {
		return err
	}
	if err := s.recordObjectStreams(); err != nil {
		return err
	}
	if d.trailer.Ref("Root").IsZero() {
		if s.catalog.IsZero() {
			return damaged(-1, "no catalog in the file")
		}
		d.trailer["Root"] = s.catalog
	}
	_, _, err = d.Root()
	return err
}

// objectScan is one pass over the file.
type objectScan struct {
	d             *Document
	catalog       Ref      // the last one seen
	objectStreams []uint32 // object streams, in the order of the file

	buf []byte // the current window of the file
	at  int64  // absolute offset of buf[0]

	known     bool  // whether knownFrom and nextObj apply to buf
	knownFrom int64 // absolute offset from which "obj" was searched
	nextObj   int64 // absolute offset of the keyword found, or -1
}

const (
	scanChunk = 1 << 20
	// lookBack is how many bytes before the keyword obj its numbers may begin.
	lookBack = 40
)

func (s *objectScan) scanFile() error {
	for pos := s.d.header.offset; pos < s.d.size; {
		if err := s.loadWindow(pos); err != nil {
			return err
		}
		i, word := s.findKeyword(int(pos - s.at))
		if i < 0 {
			end := s.at + int64(len(s.buf))
			if end >= s.d.size {
				return nil
			}
			pos = end - int64(len("trailer"))
			continue
		}
		var err error
		if pos, err = s.handleKeyword(s.at+int64(i), word); err != nil {
			return err
		}
	}
	return nil
}

// loadWindow ensures that pos is in buf with lookBack bytes before it, and with enough bytes behind it to search.
func (s *objectScan) loadWindow(pos int64) error {
	end := s.at + int64(len(s.buf))
	if pos >= s.at+lookBack && pos+int64(len("trailer")) < end || pos >= s.at && end >= s.d.size && len(s.buf) > 0 {
		return nil
	}
	var err error
	s.known = false
	if err := s.d.budget.Spend(scanChunk); err != nil {
		return err
	}
	s.buf, s.at, err = s.d.readWindow(pos-lookBack, pos+scanChunk)
	return err
}

// findKeyword returns the index of the next obj or trailer.
func (s *objectScan) findKeyword(from int) (int, string) {
	i := s.findObj(from)
	within := s.buf[from:]
	if i >= 0 {
		within = s.buf[from:i]
	}
	if t := bytes.Index(within, []byte("trailer")); t >= 0 {
		return from + t, "trailer"
	}
	return i, "obj"
}

// findObj returns the index of the next obj, or -1. The result is cached: a file of trailers alone would otherwise be
// searched to its end for each of them.
func (s *objectScan) findObj(from int) int {
	at := s.at + int64(from)
	if s.known && s.knownFrom <= at && (s.nextObj < 0 || s.nextObj >= at) {
		if s.nextObj < 0 {
			return -1
		}
		return int(s.nextObj - s.at)
	}
	i := bytes.Index(s.buf[from:], []byte("obj"))
	s.known, s.knownFrom, s.nextObj = true, at, -1
	if i < 0 {
		return -1
	}
	s.nextObj = at + int64(i)
	return from + i
}

// handleKeyword records what is at an absolute offset, and returns where to continue.
func (s *objectScan) handleKeyword(at int64, word string) (int64, error) {
	next := at + int64(len(word))
	if word == "trailer" {
		return next, s.readTrailer(next)
	}
	start, ok := findObjectStart(s.buf[:at-s.at])
	if !ok {
		return next, nil
	}
	found, err := s.d.readObjectAt(s.at+int64(start), Ref{}, false)
	if isReadError(err) || s.d.work > s.d.limits.Work {
		return 0, err
	}
	if err != nil {
		// Its end is not known, but the object may be readable once the object with its length is found.
		ref, err := parseObjectHeader(newParser(newBytesLexer(s.buf[start:at-s.at+3], 0), s.d.limits), 0)
		if err == nil {
			s.recordObject(ref, s.at+int64(start), nil)
		}
		return next, nil
	}
	s.recordObject(found.ref, s.at+int64(start), found.value)
	return max(found.end, next), nil
}

// findObjectStart finds the start of the "n g " that b ends with.
func findObjectStart(b []byte) (int, bool) {
	i := len(b)
	for range 2 {
		j := i
		for j > 0 && charClasses[b[j-1]] == space {
			j--
		}
		k := j
		for k > 0 && b[k-1] >= '0' && b[k-1] <= '9' {
			k--
		}
		if j == i || k == j || j-k > 10 {
			return 0, false
		}
		i = k
	}
	return i, true
}

func (s *objectScan) recordObject(ref Ref, at int64, value Object) {
	if int64(ref.Number) > int64(s.d.limits.Objects) || at > maxOffset {
		return
	}
	s.d.slots.set(ref.Number, plainSlot(at, ref.Generation))
	switch v := value.(type) {
	case Dict:
		if v["Type"] == Object(Name("Catalog")) {
			s.catalog = ref
		}
	case *Stream:
		switch v.Dict["Type"] {
		case Object(Name("XRef")):
			s.mergeTrailer(fileTrailer(v.Dict))
		case Object(Name("ObjStm")):
			s.objectStreams = append(s.objectStreams, ref.Number)
		}
	}
}

func (s *objectScan) readTrailer(at int64) error {
	p := newParser(newLexer(s.d.src, at, min(s.d.size, at+1<<20)), s.d.limits)
	p.reader = s.d
	o, err := p.parseObject()
	if spent := s.d.spendWork(p.lx.offset() - at); spent != nil {
		return spent
	}
	if isReadError(err) {
		return err
	}
	if t, ok := o.(Dict); ok && err == nil {
		s.mergeTrailer(t)
	}
	return nil
}

// mergeTrailer lets later trailers override earlier ones entry by entry: the two of a linearized file may be in either
// order, and one may lack /Info.
func (s *objectScan) mergeTrailer(t Dict) {
	for _, k := range []Name{"Root", "Info", "ID", "Encrypt", "Size"} {
		if v, ok := t[k]; ok {
			s.d.trailer[k] = v
		}
	}
}

// recordObjectStreams records the objects in object streams. An object in the file behind the stream is newer than the
// one in it.
func (s *objectScan) recordObjectStreams() error {
	slices.Sort(s.objectStreams)
	s.objectStreams = slices.Compact(s.objectStreams)
	at := func(n uint32) int64 { return s.d.slots.get(n).fileOffset() }
	slices.SortFunc(s.objectStreams, func(a, b uint32) int { return cmp.Compare(at(a), at(b)) })
	for _, n := range s.objectStreams {
		c, err := s.d.loadObjectStream(n)
		if err != nil {
			if isReadError(err) || errors.Is(err, ErrTooLarge) {
				return fmt.Errorf("object stream %d: %w", n, err)
			}
			continue
		}
		for i, number := range c.numbers {
			old := s.d.slots.get(number)
			if int64(number) > int64(s.d.limits.Objects) || old.kind() == slotPlain && old.fileOffset() > at(n) {
				continue
			}
			s.d.slots.set(number, compressedSlot(n, uint32(i)))
			s.d.objects.remove(number)
			s.recordMember(number)
		}
	}
	return nil
}

// recordMember checks whether an object in a stream is the catalog, which matters only if no trailer names one.
func (s *objectScan) recordMember(number uint32) {
	if !s.d.trailer.Ref("Root").IsZero() {
		return
	}
	ref := Ref{Number: number}
	if dict, err := s.d.Dict(ref); err == nil && dict["Type"] == Object(Name("Catalog")) {
		s.catalog = ref
	}
}

// lengthFinder finds the length of a stream whose /Length is a reference while the cross-reference is being rebuilt.
// Ending it at the next endstream would be wrong for an embedded PDF file: its objects would be taken for objects of
// this one.
type lengthFinder struct {
	d *Document
	// places are the offsets at which an object of that number seems to begin, in file order; nil until needed.
	places map[uint32][]int64
}

// maxPlaces bounds how many objects of one number are tried.
const maxPlaces = 64

// findLength returns the length that the object behind ref states, if there is an object of that number whose value
// leads from start to the keyword endstream. It tries objects behind the stream first: most producers put them there.
func (l *lengthFinder) findLength(ref Ref, start int64) (int64, bool, error) {
	if l == nil {
		return 0, false, nil // the file is not being scanned
	}
	if l.places == nil {
		if err := l.findPlaces(); err != nil {
			return 0, false, err
		}
	}
	all := l.places[ref.Number]
	for _, behind := range []bool{true, false} {
		for _, at := range all {
			if (at > start) != behind {
				continue
			}
			if err := l.d.spendObject(0); err != nil {
				return 0, false, err
			}
			size, ok, err := l.integerAt(at, ref)
			if err != nil {
				return 0, false, err
			}
			if !ok {
				continue
			}
			if end, err := l.d.expectEndstream(start, size); err == nil {
				end.release()
				return size, true, nil
			} else if isReadError(err) {
				return 0, false, err
			}
		}
	}
	return 0, false, nil
}

// integerAt reads the value of an object that is an integer.
func (l *lengthFinder) integerAt(at int64, ref Ref) (int64, bool, error) {
	p := newParser(newLexer(l.d.src, at, min(l.d.size, at+128)), l.d.limits)
	found, err := parseObjectHeader(p, at)
	if err == nil && found == ref {
		var t token
		if t, err = p.next(); err == nil && t.kind == tokInteger {
			return t.num, true, nil
		}
	}
	if isReadError(err) {
		return 0, false, err
	}
	return 0, false, nil
}

// findPlaces scans the file once.
func (l *lengthFinder) findPlaces() error {
	l.places = map[uint32][]int64{}
	for pos := int64(0); pos < l.d.size; pos += scanChunk {
		b, at, err := l.d.readWindow(pos-lookBack, pos+scanChunk)
		if err != nil {
			return err
		}
		if err := l.d.spendWork(int64(len(b))); err != nil {
			return err
		}
		for i := int(pos - at); ; i += len("obj") {
			n := bytes.Index(b[i:], []byte("obj"))
			if n < 0 {
				break
			}
			i += n
			start, ok := findObjectStart(b[:i])
			if !ok {
				continue
			}
			ref, err := parseObjectHeader(newParser(newBytesLexer(b[start:i+3], 0), l.d.limits), 0)
			if err == nil && len(l.places[ref.Number]) < maxPlaces {
				l.places[ref.Number] = append(l.places[ref.Number], at+int64(start))
			}
		}
	}
	return nil
}
