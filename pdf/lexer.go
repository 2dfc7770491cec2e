package pdf

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
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

// ReadLiteral reads a literal string (ISO 32000-2 §7.3.4.2) after its opening parenthesis. It returns the decoded
// string, which is a part of b unless it has escapes, and how many bytes it takes with the closing parenthesis: 0 if it
// has no end.
func ReadLiteral(b []byte) (text []byte, n int) {
	var l literalScanner
	n, ended := l.scanPiece(b)
	if !ended {
		return nil, 0
	}
	text = b[:n-1]
	if l.escapes {
		text = decodeEscapes(bytes.Clone(text))
	}
	return text, n
}

// literalScanner finds the end of a string that arrives in pieces. The zero value is just after the opening
// parenthesis.
type literalScanner struct {
	depth     int  // of further parentheses
	backslash bool // a backslash was the last byte
	escapes   bool // the string has escapes to decode
}

// specialInLiteral marks bytes with a special meaning in a literal string.
var specialInLiteral = [256]bool{'(': true, ')': true, '\\': true, '\r': true}

// scanPiece scans the next piece and returns how much of it belongs to the string, and whether the string ended.
func (l *literalScanner) scanPiece(b []byte) (n int, ended bool) {
	for i, c := range b {
		if l.backslash {
			l.backslash = false
			continue
		}
		if !specialInLiteral[c] {
			continue
		}
		switch c {
		case '(':
			l.depth++
		case ')':
			if l.depth--; l.depth < 0 {
				return i + 1, true
			}
		case '\\':
			l.backslash, l.escapes = true, true
		default:
			l.escapes = true
		}
	}
	return len(b), false
}

// decodeEscapes decodes the bytes between the parentheses of a string, in place.
func decodeEscapes(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch c {
		case '\r':
			// An end of line in a string is one line feed, however it is written.
			if i+1 < len(b) && b[i+1] == '\n' {
				i++
			}
			c = '\n'
		case '\\':
			var keep bool
			var n int
			if c, keep, n = decodeEscape(b[i+1:]); !keep {
				i += n
				continue
			}
			i += n
		}
		out = append(out, c)
	}
	return out
}

// decodeEscape decodes the n bytes that belong to a backslash before them; keep is false for a line continuation.
func decodeEscape(b []byte) (c byte, keep bool, n int) {
	if len(b) == 0 {
		return 0, false, 0
	}
	switch c = b[0]; c {
	case 'n':
		return '\n', true, 1
	case 'r':
		return '\r', true, 1
	case 't':
		return '\t', true, 1
	case 'b':
		return '\b', true, 1
	case 'f':
		return '\f', true, 1
	case '\n':
		return 0, false, 1
	case '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 0, false, 2
		}
		return 0, false, 1
	}
	if c < '0' || c > '7' {
		return c, true, 1
	}
	v := 0
	for n < min(len(b), 3) && b[n] >= '0' && b[n] <= '7' {
		v = v<<3 | int(b[n]-'0')
		n++
	}
	return byte(v), true, n // high-order overflow is ignored
}

// parseInteger parses an optional sign and up to 18 digits.
func parseInteger(b []byte) (int64, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// parseReal parses digits with at most one point; PDF knows no exponents.
func parseReal(b []byte) (float64, bool) {
	digits, points := 0, 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case (c == '-' || c == '+') && i == 0:
		default:
			return 0, false
		}
	}
	if points > 1 || digits == 0 && points == 0 {
		return 0, false
	}
	if digits == 0 {
		return 0, true // a lone point, written by some producers for zero
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

type charClass uint8

const (
	regular charClass = iota
	space
	delimiter
)

var (
	charClasses [256]charClass
	hexValues   [256]byte // 255 for bytes that are not digits
)

// IsSpace reports whether a byte is white space (ISO 32000-2 §7.2.3).
func IsSpace(c byte) bool { return charClasses[c] == space }

// IsRegular reports whether a byte is neither white space nor a delimiter.
func IsRegular(c byte) bool { return charClasses[c] == regular }

// HexValue returns the value of a hexadecimal digit, or 255.
func HexValue(c byte) byte { return hexValues[c] }

func init() {
	for _, c := range "\x00\t\n\f\r " {
		charClasses[c] = space
	}
	for _, c := range "()<>[]{}/%" {
		charClasses[c] = delimiter
	}
	for i := range hexValues {
		hexValues[i] = 255
	}
	for i, c := range "0123456789abcdef" {
		hexValues[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		hexValues[c] = byte(i + 10)
	}
}

// internedWords and internedNames are frequent words of PDF files: each is allocated once, not each time it is read.
var internedWords, internedNames = newInternTables(`R obj endobj stream endstream xref startxref trailer true false null n f
A AA ABC AP AS AcroForm Action Alt Annot Annots ArtBox Artifact Ascent Author AvgWidth
BBox BC BG BM BS Base BaseEncoding BaseFont BitsPerComponent BleedBox Border Btn ByteRange
C CA CFM CIDFontType0 CIDFontType2 CIDSystemInfo CIDToGIDMap CRLs CS Cap CapHeight Catalog Cert Certs CharProcs CharSet
Class ColorSpace Colors Columns Contents Count CreationDate Creator CropBox
D DA DCTDecode DR DSS DW DecodeParms DefaultRGB DescendantFonts Descent Dest Dests DeviceCMYK DeviceGray DeviceRGB
Differences DocChecksum DocMDP DocTimeStamp Document
E ETSI.CAdES.detached ETSI.RFC3161 Encoding Encrypt EncryptMetadata ExtGState Extensions Extends
F FT Ff Fields Filter First FirstChar FlateDecode Flags Font FontBBox FontDescriptor FontFile FontFile2 FontFile3
FontMatrix FontName Form FormType
G GS0 Group H Height I ICCBased ID IRT Identity Identity-H Image ImageB ImageC ImageI Index Indexed Info Interpolate Intent
Isolated ItalicAngle K Keywords Kids
L LW Lang Last LastChar Leading Length Length1 Length2 Length3 Limits Linearized Link Lock
M MCID MK MacRomanEncoding MarkInfo Marked Mask Matrix MaxWidth MediaBox Metadata MissingWidth ModDate
N NM Name Names Nums NeedAppearances Normal Next O OBJR OC OCG OCGs OCProperties OCSP OCSPs ObjStm Off OpenAction Ordering Outlines Ownership
P PDF Page PageLabels PageLayout PageMode Pages Params Parent ParentTree Pattern Perms Pg Popup Predictor Prev ProcSet Producer
Properties Q R0 Range Reason Rect Reference Registry Resources Root Rotate Row
S SMask SV Saturation Shading Sig SigFieldLock SigFlags Sigs Size Span Standard StemH StemV StmF StrF StructParent
StructParents StructTreeRoot Subfilter SubFilter Subject Subtype Supplement
T TS TU TT0 Tabs Text Title ToUnicode TransformMethod TransformParams Transparency TrimBox TrueType Tx Type Type0 Type1 Type3
U UserUnit V VRI Version ViewerPreferences W WMode Widget Width Widths WinAnsiEncoding X XML XObject XRef XRefStm XHeight XYZ
adbe.pkcs7.detached ca op OP`)

// newInternTables builds the tables of words, and of names as objects.
func newInternTables(words string) (map[string]string, map[string]Object) {
	texts, names := map[string]string{}, map[string]Object{}
	for _, w := range strings.Fields(words) {
		texts[w], names[w] = w, Name(w)
	}
	return texts, names
}

// internWord returns a word as a string.
func internWord(b []byte) string {
	if w, ok := internedWords[string(b)]; ok {
		return w
	}
	return string(b)
}
