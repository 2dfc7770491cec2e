package pdf

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"

	tifflzw "golang.org/x/image/tiff/lzw"
)

// maxFilters bounds a chain of filters, each of which may inflate its input.
const maxFilters = 8

// Decode undoes all filters of a stream. Filters that encode pictures
// (DCTDecode, JPXDecode, CCITTFaxDecode, JBIG2Decode) are ErrUnsupported. More
// than Limits.Decoded bytes, after any filter, are ErrTooLarge.
func (d *Document) Decode(s *Stream) ([]byte, error) {
	filters, params, err := d.readFilters(s.Dict)
	if err != nil {
		return nil, err
	}
	if s.from == nil && s.Dict["Filter"] == nil {
		return s.Data, nil
	}
	b, err := d.Raw(s)
	if err != nil {
		return nil, err
	}
	for i, f := range filters {
		if b, err = d.undoFilter(f, params[i], b); err == nil {
			err = d.spendWork(int64(len(b)))
		}
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				return nil, err
			}
			return nil, &Error{Kind: Damaged, Offset: s.start, Msg: fmt.Sprintf("stream data of /%s", f), Err: err}
		}
	}
	return b, nil
}

// DecodeStrict is Decode for whoever cannot forgive what readers of pages do: compressed data whose check sum is wrong is
// ErrDamaged.
func (d *Document) DecodeStrict(s *Stream) ([]byte, error) {
	d.strictChecksums = true
	defer func() { d.strictChecksums = false }()
	return d.Decode(s)
}

// readFilters lists the filters of a stream with the parameters of each.
func (d *Document) readFilters(dict Dict) ([]Name, []Dict, error) {
	names, err := d.resolveList(dict["Filter"])
	if err != nil {
		return nil, nil, err
	}
	if len(names) > maxFilters {
		return nil, nil, tooLarge(-1, "%d filters on one stream", len(names))
	}
	given, err := d.resolveList(dict["DecodeParms"])
	if err != nil {
		return nil, nil, err
	}
	filters := make([]Name, len(names))
	params := make([]Dict, len(names))
	for i := range names {
		if filters[i], err = d.Name(names[i]); err != nil {
			return nil, nil, err
		}
		if i < len(given) {
			if params[i], err = d.Dict(given[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	return filters, params, nil
}

func (d *Document) resolveList(o Object) (Array, error) {
	v, err := d.Resolve(o)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Null:
		return nil, nil
	case Array:
		return v, nil
	}
	return Array{v}, nil
}

func (d *Document) undoFilter(filter Name, params Dict, b []byte) ([]byte, error) {
	switch filter {
	case "FlateDecode", "Fl":
		z, err := d.inflateBytes(b)
		if err != nil {
			return nil, err
		}
		return d.undoPredictor(z, params)
	case "LZWDecode", "LZW":
		early, err := d.integerOrDefault(params["EarlyChange"], 1)
		if err != nil {
			return nil, err
		}
		if early == 0 {
			return d.decodePredicted(lzw.NewReader(bytes.NewReader(b), lzw.MSB, 8), params)
		}
		return d.decodePredicted(tifflzw.NewReader(bytes.NewReader(b), tifflzw.MSB, 8), params)
	case "ASCIIHexDecode", "AHx":
		return newBytesLexer(append(bytes.TrimRight(b, "\x00\t\n\f\r >"), '>'), 0).readHex()
	case "ASCII85Decode", "A85":
		return decode85(b)
	case "RunLengthDecode", "RL":
		return d.decodeRunLength(b)
	case "Crypt":
		return b, nil // undone when the data was read
	}
	return nil, &Error{Kind: Unsupported, Offset: -1, Msg: fmt.Sprintf("filter /%s", filter)}
}

// inflater undoes zlib's compression. Its tables and its window are 40 KB, and a file with fifty signatures has
// hundreds of small streams, so those who are done wait for the next.
type inflater struct {
	src bytes.Reader
	io.ReadCloser
}

var inflaterPool = sync.Pool{New: func() any { return &inflater{} }}

// newInflater reads compressed bytes. Whoever gets the reader closes it, and does not use it any more.
func newInflater(b []byte) (io.ReadCloser, error) {
	f := inflaterPool.Get().(*inflater)
	f.src.Reset(b)
	var err error
	if z, used := f.ReadCloser.(zlib.Resetter); used {
		err = z.Reset(&f.src, nil)
	} else {
		f.ReadCloser, err = zlib.NewReader(&f.src)
	}
	if err != nil {
		return nil, err // its state is unsure: it is not used again
	}
	return f, nil
}

// Close lets go of the bytes and makes f wait.
func (f *inflater) Close() error {
	err := f.ReadCloser.Close()
	f.src.Reset(nil)
	inflaterPool.Put(f)
	return err
}

// maxScratch bounds what waits to be filled by the next stream. What unfolds to more is inflated twice: to be counted,
// and to be kept. A buffer that grows while it is filled takes twice the room for a moment, and leaves four times as
// much behind, and it is the long ones that a bound on memory is about.
const maxScratch = 1 << 20

// scratchPool are buffers that streams are inflated into before it is known how long they are.
var scratchPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func (d *Document) inflateBytes(b []byte) ([]byte, error) {
	z, err := newInflater(b)
	if err != nil {
		return nil, err
	}
	scratch := scratchPool.Get().(*[]byte)
	defer scratchPool.Put(scratch)
	n, all, err := fillScratch(scratch, z)
	if !all {
		var more int64
		more, err = io.Copy(io.Discard, io.LimitReader(z, d.limits.Decoded+1-int64(n)))
		n += int(more)
	}
	if err = d.checkDecoded(int64(n), errors.Join(err, z.Close())); err != nil {
		return nil, err
	}
	out := make([]byte, n)
	if all {
		copy(out, *scratch)
		return out, nil
	}
	if z, err = newInflater(b); err != nil {
		return nil, err
	}
	defer z.Close()
	_, err = io.ReadFull(z, out)
	return out, err
}

// fillScratch reads into a buffer, which grows up to maxScratch. All is whether there is no more.
func fillScratch(buf *[]byte, r io.Reader) (n int, all bool, err error) {
	for {
		if n == len(*buf) {
			if n >= maxScratch {
				return n, false, nil
			}
			*buf = append(*buf, make([]byte, n)...)
		}
		m, err := r.Read((*buf)[n:])
		if n += m; err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, true, err
		}
	}
}

func (d *Document) decodePredicted(r io.ReadCloser, params Dict) ([]byte, error) {
	b, err := d.readDecoded(r)
	if err != nil {
		return nil, err
	}
	return d.undoPredictor(b, params)
}

// readDecoded reads up to the limit. Data that breaks off, or whose checksum is
// wrong, is accepted as far as it goes only if nothing is missing for sure:
// a wrong or absent Adler-32 harms no reader, so it harms none here but who
// calls Checked.
func (d *Document) readDecoded(r io.ReadCloser) ([]byte, error) {
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, d.limits.Decoded+1))
	if err = d.checkDecoded(int64(len(b)), err); err != nil {
		return nil, err
	}
	return b, nil
}

// checkDecoded judges how reading n bytes of a stream ended.
func (d *Document) checkDecoded(n int64, err error) error {
	if n > d.limits.Decoded {
		return tooLarge(-1, "stream decodes to more than %d bytes", d.limits.Decoded)
	}
	if errors.Is(err, zlib.ErrChecksum) && !d.strictChecksums {
		return nil
	}
	return err
}

func (d *Document) integerOrDefault(o Object, fallback int64) (int64, error) {
	v, err := d.Resolve(o)
	if err != nil || v == (Null{}) {
		return fallback, err
	}
	return d.Integer(v)
}

func (d *Document) decodeRunLength(b []byte) ([]byte, error) {
	var out []byte
	for len(b) > 0 {
		n := int(b[0])
		b = b[1:]
		switch {
		case n == 128:
			return out, nil
		case n < 128:
			if len(b) < n+1 {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, b[:n+1]...)
			b = b[n+1:]
		default:
			if len(b) < 1 {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, bytes.Repeat(b[:1], 257-n)...)
			b = b[1:]
		}
		if int64(len(out)) > d.limits.Decoded {
			return nil, tooLarge(-1, "stream decodes to more than %d bytes", d.limits.Decoded)
		}
	}
	return out, nil
}

// decode85 undoes ASCII base-85 encoding, up to its ~> or the end.
func decode85(b []byte) ([]byte, error) {
	out := make([]byte, 0, len(b)*4/5+4)
	var group [5]byte
	n := 0
	b = bytes.TrimPrefix(bytes.TrimLeft(b, "\x00\t\n\f\r "), []byte("<~"))
	for _, c := range b {
		switch {
		case c == '~':
			return appendLast85(out, group, n)
		case charClasses[c] == space:
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c < '!' || c > 'u':
			return nil, fmt.Errorf("byte %#x in base-85 data", c)
		default:
			group[n] = c - '!'
			if n++; n == 5 {
				out = append85(out, group, 4)
				n = 0
			}
		}
	}
	return appendLast85(out, group, n)
}

// appendLast85 decodes a last group of n digits, which stands for n-1 bytes.
func appendLast85(out []byte, group [5]byte, n int) ([]byte, error) {
	if n == 0 {
		return out, nil
	}
	if n == 1 {
		return nil, errors.New("base-85 data ends in a single digit")
	}
	for i := n; i < 5; i++ {
		group[i] = 84
	}
	return append85(out, group, n-1), nil
}

func append85(out []byte, group [5]byte, n int) []byte {
	var v uint32
	for _, c := range group {
		v = v*85 + uint32(c)
	}
	b := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return append(out, b[:n]...)
}
