package pdf

import (
	"bytes"
	"errors"
	"io"
)

// openStream converts a dictionary that is followed by the keyword stream to a stream with the place of its data, and
// moves found.end behind endobj.
func (d *Document) openStream(p *parser, found *indirect, dict Dict, follow bool) error {
	start, err := d.skipToData(p.lx)
	if err != nil {
		return err
	}
	length := dict["Length"]
	if ref, indirect := length.(Ref); indirect && !follow {
		size, ok, err := d.lengths.findLength(ref, start)
		if err != nil {
			return err
		}
		if !ok {
			return damaged(start, "stream with indirect /Length, before the cross-reference is known")
		}
		length = Integer(size)
	}
	size, err := d.Integer(length)
	if isReadError(err) {
		return err
	}
	var end *parser
	if err == nil && length != nil {
		end, err = d.expectEndstream(start, size)
	}
	if isReadError(err) {
		return err
	}
	if end == nil && d.repaired && follow {
		if size, err = d.findEndstream(start); err == nil {
			end, err = d.expectEndstream(start, size)
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
	if t, err := end.next(); err == nil && t.isKeyword("endobj") {
		found.end = t.end
	} else if isReadError(err) {
		return err
	} else {
		d.noteDefect("object without endobj")
	}
	found.value = &Stream{Dict: dict, from: d, ref: found.ref, start: start, size: size}
	return nil
}

// endWindow is how many bytes behind stream data are searched for endstream and endobj.
const endWindow = 4 << 10

// expectEndstream returns a parser behind the keyword endstream that must follow data of the given size. The caller
// releases it.
func (d *Document) expectEndstream(start, size int64) (*parser, error) {
	if size < 0 || size > d.size-start {
		return nil, damaged(start, "invalid /Length of stream")
	}
	p := d.borrowParser(lexer{src: d.src, base: start + size, end: min(d.size, start+size+endWindow)})
	p.lx.borrowBuffer()
	t, err := p.next()
	if err == nil && t.isKeyword("endstream") {
		return p, nil
	}
	p.release()
	if isReadError(err) {
		return nil, err
	}
	return nil, damaged(start+size, "stream does not end where its /Length says")
}

// findEndstream finds the size of data whose /Length is wrong, in a file that is being repaired: up to the next
// endstream, without the end of line before it.
func (d *Document) findEndstream(start int64) (int64, error) {
	word := []byte("endstream")
	for at := start; at < d.size; at += laterChunk - int64(len(word)) {
		b, _, err := d.readWindow(at, at+laterChunk)
		if err != nil {
			return 0, err
		}
		if err := d.spendWork(int64(len(b))); err != nil {
			return 0, err
		}
		i := bytes.Index(b, word)
		if i < 0 {
			continue
		}
		before, _, err := d.readWindow(max(start, at+int64(i)-2), at+int64(i))
		if err != nil {
			return 0, err
		}
		trimmed := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
		return at + int64(i) - int64(len(before)-len(trimmed)) - start, nil
	}
	return 0, damaged(start, "stream without end")
}

// skipToData skips the end of line behind the keyword stream, which is a line feed, or a carriage return and a line
// feed (ISO 32000-1 §7.3.8.1).
func (d *Document) skipToData(lx *lexer) (int64, error) {
	for {
		c, ok := lx.peek()
		if !ok {
			return 0, damaged(lx.offset(), "stream without data")
		}
		switch c {
		case ' ', '\t':
			d.noteDefect("space behind the word stream")
			lx.pos++
			continue
		case '\r':
			lx.pos++
			if c, ok := lx.peek(); ok && c == '\n' {
				lx.pos++
			} else {
				d.noteDefect("lone carriage return behind the word stream")
			}
		case '\n':
			lx.pos++
		default:
			d.noteDefect("no end of line behind the word stream")
		}
		return lx.offset(), nil
	}
}

// Raw returns the encoded data of a stream, decrypted but still compressed.
func (d *Document) Raw(s *Stream) ([]byte, error) {
	if s.from == nil {
		return s.Data, nil
	}
	if s.size > d.limits.Decoded {
		return nil, tooLarge(s.start, "stream of %d bytes", s.size)
	}
	if err := d.spendWork(s.size); err != nil {
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
