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

// Decode applies all filters of a stream. Filters that encode pictures (DCTDecode, JPXDecode, CCITTFaxDecode,
// JBIG2Decode) are ErrUnsupported. More than Limits.Decoded bytes, after any filter, are ErrTooLarge.
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
			if IsFault(err) {
				return nil, err
			}
			return nil, &Error{Kind: Damaged, Offset: s.start, Msg: fmt.Sprintf("decode stream data of /%s", f), Err: err}
		}
	}
	return b, nil
}

// DecodeStrict is Decode for callers that need exact data: compressed data with a wrong checksum is ErrDamaged,
// although readers of pages accept it.
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
		return b, nil // Raw has decrypted the data
	}
	return nil, &Error{Kind: Unsupported, Offset: -1, Msg: fmt.Sprintf("unsupported filter /%s", filter)}
}

// inflater decompresses zlib data. Its tables and window take 40 KB, and a file with fifty signatures has hundreds of
// small streams, so inflaters are pooled.
type inflater struct {
	src bytes.Reader
	io.ReadCloser
}

var inflaterPool = sync.Pool{New: func() any { return &inflater{} }}

// newInflater returns a reader of compressed bytes. The caller closes it and does not use it after that.
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
		return nil, err // its state is undefined: it does not return to the pool
	}
	return f, nil
}

// Close returns f to the pool.
func (f *inflater) Close() error {
	err := f.ReadCloser.Close()
	f.src.Reset(nil)
	inflaterPool.Put(f)
	return err
}

// maxScratch bounds a pooled buffer. Longer data is inflated twice: to count it, and to store it. A buffer that grows
// while it is filled briefly takes twice the memory and leaves four times as much garbage, and the bound on memory is
// about long streams.
const maxScratch = 1 << 20

// scratchPool holds buffers for streams whose decoded length is not known yet.
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

// fillScratch reads into a buffer, which grows up to maxScratch. It reports whether r has no more data.
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

// decodePredicted reads up to the limit and undoes the predictor.
func (d *Document) decodePredicted(r io.ReadCloser, params Dict) ([]byte, error) {
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, d.limits.Decoded+1))
	if err = d.checkDecoded(int64(len(b)), err); err != nil {
		return nil, err
	}
	return d.undoPredictor(b, params)
}

// checkDecoded checks how reading n bytes of a stream ended. Truncated data is an error; a wrong or missing Adler-32 is
// not, unless DecodeStrict was called, since readers ignore it.
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

// decode85 decodes ASCII base-85 data, up to its ~> or the end.
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

// undoPredictor undoes the /Predictor of Flate and LZW data: none, TIFF's (2) or
// one of PNG's (10 and up, where each row says which).
func (d *Document) undoPredictor(b []byte, params Dict) ([]byte, error) {
	predictor, err := d.integerOrDefault(params["Predictor"], 1)
	if err != nil || predictor <= 1 {
		return b, err
	}
	colors, err1 := d.integerOrDefault(params["Colors"], 1)
	bits, err2 := d.integerOrDefault(params["BitsPerComponent"], 8)
	columns, err3 := d.integerOrDefault(params["Columns"], 1)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if colors < 1 || colors > 64 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<28 {
		return nil, damaged(-1, "invalid predictor parameters")
	}
	// A row is not longer than the data, or parameters could request gigabytes.
	row := int(min((colors*bits*columns+7)/8, int64(len(b))))
	pixel := int(max(1, colors*bits/8))
	if predictor == 2 {
		return undoTIFFPredictor(b, row, pixel, bits)
	}
	return undoPNGPredictor(b, row, pixel)
}

// undoTIFFPredictor adds to each component the one a pixel to its left, in place.
func undoTIFFPredictor(b []byte, row, pixel int, bits int64) ([]byte, error) {
	if bits != 8 {
		return nil, &Error{Kind: Unsupported, Offset: -1, Msg: "TIFF predictor on components of other than 8 bits"}
	}
	for start := 0; start < len(b); start += row {
		line := b[start:min(start+row, len(b))]
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	}
	return b, nil
}

// undoPNGPredictor undoes PNG row filters in place: the output is never longer than what
// was read of the input.
func undoPNGPredictor(b []byte, row, pixel int) ([]byte, error) {
	out := b[:0]
	above := make([]byte, row)
	for len(b) > 0 {
		kind := b[0]
		line := b[1:min(row+1, len(b))]
		b = b[1+len(line):]
		if err := undoPNGRow(kind, line, above, pixel); err != nil {
			return nil, err
		}
		copy(above, line)
		out = append(out, line...)
	}
	return out, nil
}

func undoPNGRow(kind byte, line, above []byte, pixel int) error {
	left := func(i int) byte {
		if i < pixel {
			return 0
		}
		return line[i-pixel]
	}
	switch kind {
	case 0:
	case 1:
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	case 2:
		for i := range line {
			line[i] += above[i]
		}
	case 3:
		for i := range line {
			line[i] += byte((int(left(i)) + int(above[i])) / 2)
		}
	case 4:
		for i := range line {
			var corner byte
			if i >= pixel {
				corner = above[i-pixel]
			}
			line[i] += paeth(left(i), above[i], corner)
		}
	default:
		return damaged(-1, "unknown PNG predictor %d", kind)
	}
	return nil
}

func paeth(left, up, corner byte) byte {
	a, b, c := int(left), int(up), int(corner)
	pa, pb, pc := abs(b-c), abs(a-c), abs(a+b-2*c)
	switch {
	case pa <= pb && pa <= pc:
		return left
	case pb <= pc:
		return up
	}
	return corner
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
