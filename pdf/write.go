package pdf

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
)

// maxWriteDepth stops structures that contain themselves.
const maxWriteDepth = 500

// writer writes objects as PDF.
type writer struct {
	buf   []byte
	base  int64 // absolute offset of buf[0]
	holes map[*Hole]int
	depth int
	// security encrypts the strings and stream data of object ref; nil does not encrypt.
	security *securityHandler
	ref      Ref
}

func (w *writer) offset() int64 { return w.base + int64(len(w.buf)) }

func (w *writer) writeText(s string) { w.buf = append(w.buf, s...) }

// writeIndirect writes "n g obj ... endobj" and returns its offset.
func (w *writer) writeIndirect(ref Ref, o Object) (int64, error) {
	at := w.offset()
	w.writeRef(ref)
	w.writeText(" obj\n")
	var err error
	if s, ok := o.(*Stream); ok {
		err = w.writeStream(s)
	} else {
		err = w.writeObject(o)
	}
	w.writeText("\nendobj\n")
	return at, err
}

// writeRef writes the number and the generation of an object.
func (w *writer) writeRef(r Ref) {
	w.buf = strconv.AppendUint(w.buf, uint64(r.Number), 10)
	w.buf = append(w.buf, ' ')
	w.buf = strconv.AppendUint(w.buf, uint64(r.Generation), 10)
}

// writeDigits writes a number with leading zeros.
func (w *writer) writeDigits(n int64, digits int) {
	for at := n; digits > 1; digits-- {
		if at /= 10; at == 0 {
			w.buf = append(w.buf, '0')
		}
	}
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// writeRepeated writes a byte n times.
func (w *writer) writeRepeated(c byte, n int) {
	w.buf = slices.Grow(w.buf, n)
	for range n {
		w.buf = append(w.buf, c)
	}
}

func (w *writer) writeObject(o Object) error {
	switch o := o.(type) {
	case nil, Null:
		w.writeText("null")
	case Boolean:
		w.buf = strconv.AppendBool(w.buf, bool(o))
	case Integer:
		w.buf = strconv.AppendInt(w.buf, int64(o), 10)
	case Real:
		return w.writeReal(float64(o))
	case Name:
		w.writeName(o)
	case String:
		return w.writeString(o)
	case Array:
		return w.writeArray(o)
	case Dict:
		return w.writeDict(o)
	case Ref:
		w.writeRef(o)
		w.writeText(" R")
	case *Hole:
		return w.writeHole(o)
	case *Stream:
		return misuse("stream inside another object")
	default:
		return misuse("unknown object")
	}
	return nil
}

func (w *writer) writeReal(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return misuse("number is not finite")
	}
	if f == 0 {
		f = 0 // not -0
	}
	w.buf = strconv.AppendFloat(w.buf, f, 'f', -1, 64)
	return nil
}

const upperHex = "0123456789ABCDEF"

func (w *writer) writeName(n Name) {
	w.buf = append(w.buf, '/')
	for i := 0; i < len(n); i++ {
		c := n[i]
		if charClasses[c] != regular || c == '#' || c < '!' || c > '~' {
			w.buf = append(w.buf, '#', upperHex[c>>4], upperHex[c&15])
			continue
		}
		w.buf = append(w.buf, c)
	}
}

func (w *writer) writeString(s String) error {
	b := s.Bytes
	if w.security != nil {
		var err error
		if b, err = w.security.encrypt(w.security.strings, w.ref, b); err != nil {
			return err
		}
	}
	if s.Hex || !isPrintable(b) {
		w.buf = append(w.buf, '<')
		w.writeHex(b)
		w.buf = append(w.buf, '>')
		return nil
	}
	w.buf = append(w.buf, '(')
	for _, c := range b {
		switch c {
		case '(', ')', '\\':
			w.buf = append(w.buf, '\\', c)
		case '\n':
			w.writeText(`\n`)
		case '\r':
			w.writeText(`\r`)
		default:
			w.buf = append(w.buf, c)
		}
	}
	w.buf = append(w.buf, ')')
	return nil
}

func isPrintable(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

func (w *writer) writeHex(b []byte) {
	for _, c := range b {
		w.buf = append(w.buf, upperHex[c>>4], upperHex[c&15])
	}
}

func (w *writer) writeArray(a Array) error {
	if err := w.enterNesting(); err != nil {
		return err
	}
	w.buf = append(w.buf, '[')
	for i, v := range a {
		if i > 0 {
			w.buf = append(w.buf, ' ')
		}
		if err := w.writeObject(v); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, ']')
	w.depth--
	return nil
}

func (w *writer) writeDict(d Dict) error {
	if err := w.enterNesting(); err != nil {
		return err
	}
	signature := isSignature(d)
	w.writeText("<<")
	for _, k := range sortKeys(make([]Name, 0, fewKeys), d) {
		v := d[k]
		if v == nil || v == Object(Null{}) {
			continue
		}
		w.writeName(k)
		w.buf = append(w.buf, ' ')
		if err := w.writeValue(v, signature && k == "Contents"); err != nil {
			return err
		}
		w.buf = append(w.buf, '\n')
	}
	w.writeText(">>")
	w.depth--
	return nil
}

// writeValue writes an entry of a dictionary, without encryption if plain is set.
func (w *writer) writeValue(o Object, plain bool) error {
	if !plain {
		return w.writeObject(o)
	}
	saved := w.security
	w.security = nil
	err := w.writeObject(o)
	w.security = saved
	return err
}

// isSignature reports whether d is a signature dictionary, whose /Contents is never encrypted (ISO 32000-1 §7.6.1).
func isSignature(d Dict) bool {
	if t := d["Type"]; t == Object(Name("Sig")) || t == Object(Name("DocTimeStamp")) {
		return true
	}
	return d["ByteRange"] != nil && d["Contents"] != nil
}

// fewKeys is a number of keys that most dictionaries do not exceed: space for them can be on the stack.
const fewKeys = 16

// sortKeys appends the keys of a dictionary to keys, which is empty: /Type and /Subtype first and the rest in order, so that the same update
// always gives the same bytes.
func sortKeys(keys []Name, d Dict) []Name {
	rank := func(n Name) int {
		switch n {
		case "Type":
			return 0
		case "Subtype":
			return 1
		}
		return 2
	}
	for k := range d {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Name) int {
		if r := rank(a) - rank(b); r != 0 {
			return r
		}
		return cmp.Compare(a, b)
	})
	return keys
}

func (w *writer) enterNesting() error {
	if w.depth++; w.depth > maxWriteDepth {
		return misuse("object nested too deeply, or contained in itself")
	}
	return nil
}

// writeStream writes a stream with a direct /Length.
func (w *writer) writeStream(s *Stream) error {
	dict, data, err := w.encodeStream(s)
	if err != nil {
		return err
	}
	if w.security != nil {
		if data, err = w.security.encryptStream(w.ref, dict, data); err != nil {
			return err
		}
	}
	dict["Length"] = Integer(len(data))
	if err := w.writeDict(dict); err != nil {
		return err
	}
	w.writeText("\nstream\n")
	w.buf = append(w.buf, data...)
	w.writeText("\nendstream")
	return nil
}

// minDeflate is the length below which compression does not save space.
const minDeflate = 60

// compressors are reused: making one takes longer, and 800 KB more, than compressing a certificate with it.
var compressors = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}

func (w *writer) encodeStream(s *Stream) (Dict, []byte, error) {
	dict := maps.Clone(s.Dict)
	if dict == nil {
		dict = Dict{}
	}
	if s.from != nil {
		data, err := s.from.Raw(s)
		return dict, data, err
	}
	if dict["Filter"] != nil || s.Plain {
		return dict, s.Data, nil
	}
	data := s.deflated
	if data == nil {
		var err error
		if data, err = deflate(s.Data); err != nil {
			return nil, nil, err
		}
	}
	if len(data) >= len(s.Data) {
		return dict, s.Data, nil
	}
	dict["Filter"] = Name("FlateDecode")
	delete(dict, "DecodeParms")
	return dict, data, nil
}

// Compress compresses data that is written to several files now, as the writer does otherwise each time. Data must not change afterwards, nor may it be
// encoded or read from a file.
func (s *Stream) Compress() (err error) {
	s.deflated, err = deflate(s.Data)
	return err
}

// deflate compresses data, or returns it unchanged if it is too short.
func deflate(data []byte) ([]byte, error) {
	if len(data) < minDeflate {
		return data, nil
	}
	var b bytes.Buffer
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	z.Reset(&b)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writeHole writes the bytes of an unfilled hole and records its offset.
func (w *writer) writeHole(h *Hole) error {
	if _, used := w.holes[h]; used {
		return misuse("hole used twice")
	}
	if h.Hex && (h.Len < 2 || h.Len%2 != 0) || !h.Hex && h.Len < len("null") {
		return misuse("hole of %d bytes", h.Len)
	}
	w.holes[h] = len(w.buf)
	if h.Hex {
		w.buf = append(w.buf, '<')
		w.writeRepeated('0', h.Len-2)
		w.buf = append(w.buf, '>')
		return nil
	}
	w.writeText("null")
	w.writeRepeated(' ', h.Len-len("null"))
	return nil
}
