package pdf

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokInteger
	tokReal
	tokName
	tokString
	tokKeyword
	tokArrayOpen
	tokArrayClose
	tokDictOpen
	tokDictClose
)

// token is one lexical token. start and end are absolute offsets.
type token struct {
	kind       tokenKind
	hex        bool
	start, end int64
	num        int64
	real       float64
	text       string // of a name (decoded) or keyword
	bytes      []byte // of a string, decoded
}

func (t token) is(keyword string) bool { return t.kind == tokKeyword && t.text == keyword }

const (
	firstChunk = 2 << 10
	laterChunk = 32 << 10
	// maxWord bounds numbers and keywords; no meaningful one comes near.
	maxWord = 128
)

// lexer cuts bytes into tokens. It reads src chunk by chunk, or, with a nil
// src, works on buf alone. It never reads at or behind end.
type lexer struct {
	src  io.ReaderAt
	end  int64
	base int64 // absolute offset of buf[0]
	buf  []byte
	pos  int
	err  error   // of src, sticky
	lent *[]byte // what buf is taken from, if it was borrowed; nothing that is read keeps a part of it
}

// chunks are buffers that wait for the next lexer: most objects are shorter than one, and files have many.
var chunks = sync.Pool{New: func() any { b := make([]byte, laterChunk); return &b }}

// borrow lets the lexer read into a buffer that release gives back. Afterwards the lexer is of no use.
func (l *lexer) borrow() { l.lent = chunks.Get().(*[]byte) }

func (l *lexer) release() {
	if l.lent != nil {
		chunks.Put(l.lent)
	}
	*l = lexer{}
}

func newLexer(src io.ReaderAt, at, end int64) *lexer {
	return &lexer{src: src, base: at, end: end}
}

func newBytesLexer(b []byte, base int64) *lexer {
	return &lexer{buf: b, base: base, end: base + int64(len(b))}
}

// offset is the absolute offset of the next byte.
func (l *lexer) offset() int64 { return l.base + int64(l.pos) }

// fill reads one more chunk, dropping what was consumed. It reports whether
// there is a byte to read at pos.
func (l *lexer) fill() bool {
	if l.pos < len(l.buf) {
		return true
	}
	at := l.offset()
	n := min(int64(laterChunk), l.end-at)
	if l.buf == nil {
		n = min(n, firstChunk)
	}
	if l.src == nil || l.err != nil || n <= 0 {
		return false
	}
	switch {
	case int64(cap(l.buf)) >= n:
	case l.lent != nil:
		l.buf = *l.lent
	default:
		l.buf = make([]byte, n)
	}
	l.buf = l.buf[:n]
	l.base, l.pos = at, 0
	got, err := l.src.ReadAt(l.buf, at)
	l.buf = l.buf[:got]
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return got > 0
}

func (l *lexer) peek() (byte, bool) {
	if l.pos < len(l.buf) || l.fill() {
		return l.buf[l.pos], true
	}
	return 0, false
}

// seek moves to an absolute offset at or behind the current one.
func (l *lexer) seek(at int64) {
	if rel := at - l.base; rel <= int64(len(l.buf)) {
		l.pos = int(rel)
		return
	}
	if l.src == nil {
		l.pos = len(l.buf)
		return
	}
	l.buf, l.base, l.pos = l.buf[:0], at, 0
}

// skipSpace passes white space and comments.
func (l *lexer) skipSpace() {
	comment := false
	for l.fill() {
		for l.pos < len(l.buf) {
			c := l.buf[l.pos]
			switch {
			case comment:
				comment = c != '\n' && c != '\r'
			case c == '%':
				comment = true
			case class[c] != space:
				return
			}
			l.pos++
		}
	}
}

func (l *lexer) next() (token, error) {
	l.skipSpace()
	t := token{start: l.offset()}
	c, ok := l.peek()
	if !ok {
		t.end = t.start
		return t, l.err
	}
	var err error
	switch c {
	case '/':
		l.pos++
		t.kind = tokName
		t.text, err = l.name()
	case '(':
		l.pos++
		t.kind = tokString
		t.bytes, err = l.literal()
	case '<':
		l.pos++
		if n, ok := l.peek(); ok && n == '<' {
			l.pos++
			t.kind = tokDictOpen
			break
		}
		t.kind, t.hex = tokString, true
		t.bytes, err = l.hex()
	case '>':
		l.pos++
		if n, ok := l.peek(); !ok || n != '>' {
			err = damaged(t.start, "lone >")
			break
		}
		l.pos++
		t.kind = tokDictClose
	case '[':
		l.pos++
		t.kind = tokArrayOpen
	case ']':
		l.pos++
		t.kind = tokArrayClose
	case ')', '{', '}':
		err = damaged(t.start, "unexpected %q", c)
	default:
		err = l.word(&t)
	}
	t.end = l.offset()
	if l.err != nil {
		err = l.err
	}
	return t, err
}

// run returns the regular characters from here on. The slice is valid until
// the next read.
func (l *lexer) run(keep []byte, limit int) ([]byte, error) {
	for l.fill() {
		from := l.pos
		for l.pos < len(l.buf) && class[l.buf[l.pos]] == regular {
			l.pos++
		}
		if keep == nil && l.pos < len(l.buf) && l.pos-from <= limit {
			return l.buf[from:l.pos], nil
		}
		keep = append(keep, l.buf[from:l.pos]...)
		if len(keep) > limit {
			return nil, damaged(l.offset(), "word longer than %d bytes", limit)
		}
		if l.pos < len(l.buf) {
			break
		}
	}
	return keep, nil
}

func (l *lexer) name() (string, error) {
	b, err := l.run(nil, 1<<16)
	if err != nil {
		return "", err
	}
	for i, c := range b {
		if c == '#' {
			return unescapeName(b, i), nil
		}
	}
	return spelled(b), nil
}

// unescapeName decodes #xx from index i on; a # that is not followed by two
// digits stands for itself, as in files older than PDF 1.2.
func unescapeName(b []byte, i int) string {
	out := append(make([]byte, 0, len(b)), b[:i]...)
	for ; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) && hexValue[b[i+1]] < 16 && hexValue[b[i+2]] < 16 {
			out = append(out, hexValue[b[i+1]]<<4|hexValue[b[i+2]])
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

// literal reads a string behind its opening parenthesis.
func (l *lexer) literal() ([]byte, error) {
	start := l.offset() - 1
	var s literal
	out := []byte{}
	for l.fill() {
		n, ended := s.read(l.buf[l.pos:])
		out = append(out, l.buf[l.pos:l.pos+n]...)
		l.pos += n
		switch {
		case ended && s.escapes:
			return unescape(out[:len(out)-1]), nil
		case ended:
			return out[:len(out)-1], nil
		}
	}
	return nil, damaged(start, "string without end")
}

// hex reads a string behind its opening angle bracket.
func (l *lexer) hex() ([]byte, error) {
	start := l.offset() - 1
	out := []byte{}
	var high byte
	half := false
	for l.fill() {
		rest := l.buf[l.pos:]
		if end := bytes.IndexByte(rest, '>'); end >= 0 {
			rest = rest[:end]
		}
		out = slices.Grow(out, (len(rest)+1)/2)
		for ; l.pos < len(l.buf); l.pos++ {
			c := l.buf[l.pos]
			v := hexValue[c]
			switch {
			case v < 16 && half:
				out = append(out, high|v)
				half = false
			case v < 16:
				high, half = v<<4, true
			case c == '>':
				l.pos++
				if half {
					out = append(out, high)
				}
				return out, nil
			case class[c] != space:
				return nil, damaged(l.offset(), "%q in hexadecimal string", c)
			}
		}
	}
	return nil, damaged(start, "hexadecimal string without end")
}

// word reads a number or a keyword.
func (l *lexer) word(t *token) error {
	b, err := l.run(nil, maxWord)
	if err != nil {
		return err
	}
	if n, ok := integer(b); ok {
		t.kind, t.num = tokInteger, n
		return nil
	}
	if f, ok := real(b); ok {
		t.kind, t.real = tokReal, f
		return nil
	}
	t.kind, t.text = tokKeyword, spelled(b)
	return nil
}
