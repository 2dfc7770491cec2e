package pdf

import (
	"bytes"
	"errors"
	"io"
)

// openStream turns a dictionary whose next token was the word stream into a
// stream that knows where its data is, and moves found.end behind endobj.
func (d *Document) openStream(p *parser, found *indirect, dict Dict, follow bool) error {
	start, err := d.dataStart(p.lx)
	if err != nil {
		return err
	}
	length := dict["Length"]
	if ref, indirect := length.(Ref); indirect && !follow {
		size, ok, err := d.lengthBefore(ref, start)
		if err != nil {
			return err
		}
		if !ok {
			return damaged(start, "stream with indirect /Length, before the cross-reference is known")
		}
		length = Integer(size)
	}
	size, err := d.Integer(length)
	if isRead(err) {
		return err
	}
	var end *lexer
	if err == nil && length != nil {
		end, err = d.dataEnd(start, size)
	}
	if isRead(err) {
		return err
	}
	if end == nil && d.repaired && follow {
		if size, err = d.searchEnd(start); err == nil {
			end, err = d.dataEnd(start, size)
		}
	}
	if err != nil {
		return err
	}
	if end == nil {
		return damaged(start, "stream without /Length")
	}
	defer end.release()
	found.end = end.offset()
	if t, err := end.next(); err == nil && t.is("endobj") {
		found.end = t.end
	} else if isRead(err) {
		return err
	} else {
		d.tolerate("object without endobj")
	}
	found.value = &Stream{Dict: dict, from: d, ref: found.ref, start: start, size: size}
	return nil
}

// lengthBefore finds an indirect length while the file is scanned.
func (d *Document) lengthBefore(ref Ref, start int64) (int64, bool, error) {
	if d.lengths == nil {
		return 0, false, nil
	}
	return d.lengths.of(ref, start)
}

// endWindow is how far behind stream data endstream and endobj are looked for.
const endWindow = 4 << 10

// dataEnd returns a lexer behind the word endstream that must follow data of
// the given size. Whoever gets it releases it.
func (d *Document) dataEnd(start, size int64) (*lexer, error) {
	if size < 0 || size > d.size-start {
		return nil, damaged(start, "/Length of stream")
	}
	lx := newLexer(d.src, start+size, min(d.size, start+size+endWindow))
	lx.borrow()
	t, err := lx.next()
	if err == nil && t.is("endstream") {
		return lx, nil
	}
	lx.release()
	if isRead(err) {
		return nil, err
	}
	return nil, damaged(start+size, "stream does not end where its /Length says")
}

// searchEnd finds the size of data whose /Length is wrong, in a file that is
// being repaired: up to the next endstream, less the end of line before it.
func (d *Document) searchEnd(start int64) (int64, error) {
	word := []byte("endstream")
	for at := start; at < d.size; at += laterChunk - int64(len(word)) {
		b, _, err := d.window(at, at+laterChunk)
		if err != nil {
			return 0, err
		}
		if err := d.spend(int64(len(b))); err != nil {
			return 0, err
		}
		i := bytes.Index(b, word)
		if i < 0 {
			continue
		}
		before, _, err := d.window(max(start, at+int64(i)-2), at+int64(i))
		if err != nil {
			return 0, err
		}
		trimmed := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
		return at + int64(i) - int64(len(before)-len(trimmed)) - start, nil
	}
	return 0, damaged(start, "stream without end")
}

// dataStart passes the end of line behind the word stream, which is a line
// feed, or a carriage return and a line feed (ISO 32000-1 §7.3.8.1).
func (d *Document) dataStart(lx *lexer) (int64, error) {
	for {
		c, ok := lx.peek()
		if !ok {
			return 0, damaged(lx.offset(), "stream without data")
		}
		switch c {
		case ' ', '\t':
			d.tolerate("space behind the word stream")
			lx.pos++
			continue
		case '\r':
			lx.pos++
			if c, ok := lx.peek(); ok && c == '\n' {
				lx.pos++
			} else {
				d.tolerate("lone carriage return behind the word stream")
			}
		case '\n':
			lx.pos++
		default:
			d.tolerate("no end of line behind the word stream")
		}
		return lx.offset(), nil
	}
}

// isRead tells an error of the io.ReaderAt from one about the bytes it gave.
func isRead(err error) bool { return err != nil && !isFault(err) }

// Raw returns the data of a stream as it is stored, still compressed but
// decrypted.
func (d *Document) Raw(s *Stream) ([]byte, error) {
	if s.from == nil {
		return s.Data, nil
	}
	if s.size > d.limits.Decoded {
		return nil, tooLarge(s.start, "stream of %d bytes", s.size)
	}
	if err := d.spend(s.size); err != nil {
		return nil, err
	}
	b := make([]byte, s.size)
	if n, err := s.from.src.ReadAt(b, s.start); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if s.from.security != nil {
		return s.from.security.decryptStream(s, b)
	}
	return b, nil
}
