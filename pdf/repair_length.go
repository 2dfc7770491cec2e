package pdf

import "bytes"

// lengthFinder finds the length of a stream whose /Length is a reference, while the
// cross-reference is still being made up. Taking the next endstream for its
// end would be wrong for a file within the file: its objects would be taken
// for objects of this one.
type lengthFinder struct {
	d *Document
	// places are the offsets at which an object of that number seems to
	// begin, in the order of the file; nil until they are needed.
	places map[uint32][]int64
}

// maxPlaces bounds how many objects of one number are tried.
const maxPlaces = 64

// findLength returns the length that the object behind ref states, if there is an
// object of that number whose value leads from start to the word endstream.
// Objects behind the stream are tried first: that is where most producers put
// them.
func (l *lengthFinder) findLength(ref Ref, start int64) (int64, bool, error) {
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

// findPlaces goes through the file once.
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
