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

func (t token) isKeyword(keyword string) bool { return t.kind == tokKeyword && t.text == keyword }

const (
	firstChunk = 2 << 10
	laterChunk = 32 << 10
	// maxWord bounds numbers and keywords. Numbers have no exponent (ISO 32000-2 §7.3.3), and the longest that writeReal
	// writes for a finite float64 are "-0." and 324 digits.
	maxWord = 327
)

// lexer splits bytes into tokens. It reads src chunk by chunk, or, with a nil src, works on buf alone. It never reads
// at or behind end.
type lexer struct {
	src      io.ReaderAt
	end      int64
	base     int64 // absolute offset of buf[0]
	buf      []byte
	pos      int
	err      error   // of src, sticky
	borrowed *[]byte // the pooled buffer behind buf, if there is one; no token shares its memory
}

// lexerBuffers are pooled: most objects are shorter than one buffer, and files have many.
var lexerBuffers = sync.Pool{New: func() any { b := make([]byte, laterChunk); return &b }}

// borrowBuffer lets the lexer read into a pooled buffer, which release returns. The lexer must not be used after that.
func (l *lexer) borrowBuffer() { l.borrowed = lexerBuffers.Get().(*[]byte) }

func (l *lexer) release() {
	if l.borrowed != nil {
		lexerBuffers.Put(l.borrowed)
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

// fillBuffer reads one more chunk and drops what was consumed. It reports whether there is a byte to read at pos.
func (l *lexer) fillBuffer() bool {
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
	case l.borrowed != nil:
		l.buf = *l.borrowed
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
	if l.pos < len(l.buf) || l.fillBuffer() {
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

// skipSpace skips white space and comments.
func (l *lexer) skipSpace() {
	comment := false
	for l.fillBuffer() {
		for l.pos < len(l.buf) {
			c := l.buf[l.pos]
			switch {
			case comment:
				comment = c != '\n' && c != '\r'
			case c == '%':
				comment = true
			case charClasses[c] != space:
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
		t.text, err = l.readName()
	case '(':
		l.pos++
		t.kind = tokString
		t.bytes, err = l.readLiteral()
	case '<':
		l.pos++
		if n, ok := l.peek(); ok && n == '<' {
			l.pos++
			t.kind = tokDictOpen
			break
		}
		t.kind, t.hex = tokString, true
		t.bytes, err = l.readHex()
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
		err = l.readWord(&t)
	}
	t.end = l.offset()
	if l.err != nil {
		err = l.err
	}
	return t, err
}

// readRegular reads the regular characters from here on. The result is valid until the next read.
func (l *lexer) readRegular(limit int) ([]byte, error) {
	var word []byte
	for l.fillBuffer() {
		from := l.pos
		for l.pos < len(l.buf) && charClasses[l.buf[l.pos]] == regular {
			l.pos++
		}
		if word == nil && l.pos < len(l.buf) && l.pos-from <= limit {
			return l.buf[from:l.pos], nil
		}
		word = append(word, l.buf[from:l.pos]...)
		if len(word) > limit {
			return nil, damaged(l.offset(), "word longer than %d bytes", limit)
		}
		if l.pos < len(l.buf) {
			break
		}
	}
	return word, nil
}

func (l *lexer) readName() (string, error) {
	b, err := l.readRegular(1 << 16)
	if err != nil {
		return "", err
	}
	return internWord(DecodeName(b)), nil
}

// DecodeName decodes the #xx of a name. A # that is not followed by two digits stands for itself, as in files older
// than PDF 1.2. The result is b if it has no #.
func DecodeName(b []byte) []byte {
	i := bytes.IndexByte(b, '#')
	if i < 0 {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:i]...)
	for ; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) && hexValues[b[i+1]] < 16 && hexValues[b[i+2]] < 16 {
			out = append(out, hexValues[b[i+1]]<<4|hexValues[b[i+2]])
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return out
}

// readLiteral reads a string after its opening parenthesis.
func (l *lexer) readLiteral() ([]byte, error) {
	start := l.offset() - 1
	var s literalScanner
	out := []byte{}
	for l.fillBuffer() {
		n, ended := s.scanPiece(l.buf[l.pos:])
		out = append(out, l.buf[l.pos:l.pos+n]...)
		l.pos += n
		switch {
		case ended && s.escapes:
			return decodeEscapes(out[:len(out)-1]), nil
		case ended:
			return out[:len(out)-1], nil
		}
	}
	return nil, damaged(start, "string without end")
}

// readHex reads a string after its opening angle bracket.
func (l *lexer) readHex() ([]byte, error) {
	start := l.offset() - 1
	out := []byte{}
	var high byte
	half := false
	for l.fillBuffer() {
		rest := l.buf[l.pos:]
		if end := bytes.IndexByte(rest, '>'); end >= 0 {
			rest = rest[:end]
		}
		out = slices.Grow(out, (len(rest)+1)/2)
		for ; l.pos < len(l.buf); l.pos++ {
			c := l.buf[l.pos]
			v := hexValues[c]
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
			case charClasses[c] != space:
				return nil, damaged(l.offset(), "%q in hexadecimal string", c)
			}
		}
	}
	return nil, damaged(start, "hexadecimal string without end")
}

// readWord reads a number or a keyword.
func (l *lexer) readWord(t *token) error {
	b, err := l.readRegular(maxWord)
	if err != nil {
		return err
	}
	if n, ok := parseInteger(b); ok {
		t.kind, t.num = tokInteger, n
		return nil
	}
	if f, ok := parseReal(b); ok {
		t.kind, t.real = tokReal, f
		return nil
	}
	t.kind, t.text = tokKeyword, internWord(b)
	return nil
}
