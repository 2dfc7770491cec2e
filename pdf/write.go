package pdf

import (
	"bytes"
	"compress/zlib"
	"maps"
	"math"
	"slices"
	"strconv"
)

// maxWriteDepth stops on structures that contain themselves.
const maxWriteDepth = 500

// writer spells objects as PDF.
type writer struct {
	buf   []byte
	base  int64 // absolute offset of buf[0]
	holes map[*Hole]int
	depth int
	// security encrypts the strings and stream data of object ref; nil leaves
	// them as they are.
	security *security
	ref      Ref
}

func (w *writer) offset() int64 { return w.base + int64(len(w.buf)) }

func (w *writer) text(s string) { w.buf = append(w.buf, s...) }

// indirect writes "n g obj ... endobj" and returns where it begins.
func (w *writer) indirect(ref Ref, o Object) (int64, error) {
	at := w.offset()
	w.buf = strconv.AppendUint(w.buf, uint64(ref.Number), 10)
	w.buf = append(w.buf, ' ')
	w.buf = strconv.AppendUint(w.buf, uint64(ref.Generation), 10)
	w.text(" obj\n")
	var err error
	if s, ok := o.(*Stream); ok {
		err = w.stream(s)
	} else {
		err = w.object(o)
	}
	w.text("\nendobj\n")
	return at, err
}

func (w *writer) object(o Object) error {
	switch o := o.(type) {
	case nil, Null:
		w.text("null")
	case Boolean:
		w.buf = strconv.AppendBool(w.buf, bool(o))
	case Integer:
		w.buf = strconv.AppendInt(w.buf, int64(o), 10)
	case Real:
		return w.real(float64(o))
	case Name:
		w.name(o)
	case String:
		return w.string(o)
	case Array:
		return w.array(o)
	case Dict:
		return w.dict(o)
	case Ref:
		w.text(o.String())
	case *Hole:
		return w.hole(o)
	case *Stream:
		return misuse("stream inside another object")
	default:
		return misuse("unknown object")
	}
	return nil
}

func (w *writer) real(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return misuse("number that is none")
	}
	if f == 0 {
		f = 0 // not -0
	}
	w.buf = strconv.AppendFloat(w.buf, f, 'f', -1, 64)
	return nil
}

const upperHex = "0123456789ABCDEF"

func (w *writer) name(n Name) {
	w.buf = append(w.buf, '/')
	for i := 0; i < len(n); i++ {
		c := n[i]
		if class[c] != regular || c == '#' || c < '!' || c > '~' {
			w.buf = append(w.buf, '#', upperHex[c>>4], upperHex[c&15])
			continue
		}
		w.buf = append(w.buf, c)
	}
}

func (w *writer) string(s String) error {
	b := s.Bytes
	if w.security != nil {
		var err error
		if b, err = w.security.encryptString(w.ref, b); err != nil {
			return err
		}
	}
	if s.Hex || !printable(b) {
		w.buf = append(w.buf, '<')
		w.hex(b)
		w.buf = append(w.buf, '>')
		return nil
	}
	w.buf = append(w.buf, '(')
	for _, c := range b {
		switch c {
		case '(', ')', '\\':
			w.buf = append(w.buf, '\\', c)
		case '\n':
			w.text(`\n`)
		case '\r':
			w.text(`\r`)
		default:
			w.buf = append(w.buf, c)
		}
	}
	w.buf = append(w.buf, ')')
	return nil
}

func printable(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

func (w *writer) hex(b []byte) {
	for _, c := range b {
		w.buf = append(w.buf, upperHex[c>>4], upperHex[c&15])
	}
}

func (w *writer) array(a Array) error {
	if err := w.enter(); err != nil {
		return err
	}
	w.buf = append(w.buf, '[')
	for i, v := range a {
		if i > 0 {
			w.buf = append(w.buf, ' ')
		}
		if err := w.object(v); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, ']')
	w.depth--
	return nil
}

func (w *writer) dict(d Dict) error {
	if err := w.enter(); err != nil {
		return err
	}
	signature := isSignature(d)
	w.text("<<")
	for _, k := range sortedKeys(d) {
		v := d[k]
		if v == nil || v == Object(Null{}) {
			continue
		}
		w.name(k)
		w.buf = append(w.buf, ' ')
		if err := w.value(v, signature && k == "Contents"); err != nil {
			return err
		}
		w.buf = append(w.buf, '\n')
	}
	w.text(">>")
	w.depth--
	return nil
}

// value writes an entry of a dictionary, unencrypted if it is to stay plain.
func (w *writer) value(o Object, plain bool) error {
	if !plain {
		return w.object(o)
	}
	saved := w.security
	w.security = nil
	err := w.object(o)
	w.security = saved
	return err
}

// isSignature tells a signature dictionary, whose /Contents is never encrypted
// (ISO 32000-1 §7.6.1).
func isSignature(d Dict) bool {
	if t := d["Type"]; t == Object(Name("Sig")) || t == Object(Name("DocTimeStamp")) {
		return true
	}
	return d["ByteRange"] != nil && d["Contents"] != nil
}

// sortedKeys puts /Type and /Subtype first and the rest in order, so that the
// same update always gives the same bytes.
func sortedKeys(d Dict) []Name {
	rank := func(n Name) int {
		switch n {
		case "Type":
			return 0
		case "Subtype":
			return 1
		}
		return 2
	}
	return slices.SortedFunc(maps.Keys(d), func(a, b Name) int {
		if r := rank(a) - rank(b); r != 0 {
			return r
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
}

func (w *writer) enter() error {
	if w.depth++; w.depth > maxWriteDepth {
		return misuse("object nested too deeply, or in itself")
	}
	return nil
}

// stream writes a stream with a direct /Length.
func (w *writer) stream(s *Stream) error {
	dict, data, err := w.streamData(s)
	if err != nil {
		return err
	}
	if w.security != nil {
		if data, err = w.security.encryptStream(w.ref, dict, data); err != nil {
			return err
		}
	}
	dict["Length"] = Integer(len(data))
	if err := w.dict(dict); err != nil {
		return err
	}
	w.text("\nstream\n")
	w.buf = append(w.buf, data...)
	w.text("\nendstream")
	return nil
}

// minDeflate is the length below which compressing is not worth its overhead.
const minDeflate = 60

func (w *writer) streamData(s *Stream) (Dict, []byte, error) {
	dict := maps.Clone(s.Dict)
	if dict == nil {
		dict = Dict{}
	}
	if s.from != nil {
		data, err := s.from.Raw(s)
		return dict, data, err
	}
	if dict["Filter"] != nil || len(s.Data) < minDeflate {
		return dict, s.Data, nil
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(s.Data); err != nil {
		return nil, nil, err
	}
	if err := z.Close(); err != nil {
		return nil, nil, err
	}
	if b.Len() >= len(s.Data) {
		return dict, s.Data, nil
	}
	dict["Filter"] = Name("FlateDecode")
	delete(dict, "DecodeParms")
	return dict, b.Bytes(), nil
}

// hole writes the bytes of an unfilled hole and remembers where.
func (w *writer) hole(h *Hole) error {
	if _, used := w.holes[h]; used {
		return misuse("hole used twice")
	}
	if h.Hex && (h.Len < 2 || h.Len%2 != 0) || !h.Hex && h.Len < len("null") {
		return misuse("hole of %d bytes", h.Len)
	}
	w.holes[h] = len(w.buf)
	if h.Hex {
		w.buf = append(w.buf, '<')
		w.buf = append(w.buf, bytes.Repeat([]byte{'0'}, h.Len-2)...)
		w.buf = append(w.buf, '>')
		return nil
	}
	w.text("null")
	w.buf = append(w.buf, bytes.Repeat([]byte{' '}, h.Len-len("null"))...)
	return nil
}
