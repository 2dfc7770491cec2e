package intake

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
)

// decoder decodes the base64 inside a JSON string.
//
// It has two modes. The fast mode removes, run by run, the escaped slashes that some encoders write (one in 64 bytes)
// and leaves the rest to [encoding/base64]. If anything else occurs, the input is read again byte by byte by the slow
// mode, from where the fast mode began. Only the slow mode knows what is allowed and where an error lies. A window
// that needs it does not slow down the next.
type decoder struct {
	sink   io.Writer
	limits Limits

	chars  []byte // base64 without escapes and blanks; has space for a window and what was left over
	left   int    // chars[:left] wait for more: fewer than four, all of one of the alphabets
	out    []byte // the decoded chars
	fast   *base64.Encoding
	prefix prefix
	pads   int // padding seen so far; only padding and blanks may follow

	size   int64 // bytes written to sink
	blanks int64 // bytes of white space skipped
}

// newDecoder returns a decoder that is given at most size bytes at a time.
func newDecoder(sink io.Writer, l Limits, size int) *decoder {
	n := size + 2*maxLeft
	return &decoder{
		sink: sink, limits: l, fast: base64.RawStdEncoding,
		chars: make([]byte, n), out: make([]byte, base64.RawStdEncoding.DecodedLen(n)),
	}
}

// maxLeft bounds what stays in chars between two writes, plus what an abandoned prefix adds.
const maxLeft = 4

// decodeRaw decodes raw, which begins at an offset of the body and does not end within an escape.
func (d *decoder) decodeRaw(raw []byte, offset int64) error {
	for len(raw) > 0 {
		n := d.pieceLen(raw)
		if err := d.decodePiece(raw[:n], offset); err != nil {
			return err
		}
		raw, offset = raw[n:], offset+int64(n)
	}
	return nil
}

// pieceLen returns how many bytes of raw are decoded together: of the start of a string, which may be a prefix, few; then all up to the
// padding. So all others are decoded in bulk. A piece does not end within an escape.
func (d *decoder) pieceLen(raw []byte) int {
	if !d.prefix.done {
		if head := raw[:min(len(raw), len(dataScheme))]; bytes.IndexByte(head, '\\') < 0 {
			return len(head)
		}
	} else if i := bytes.IndexByte(raw, '='); i > 0 && bytes.IndexByte(raw[max(0, i-5):i], '\\') < 0 {
		return i
	}
	return len(raw)
}

func (d *decoder) decodePiece(raw []byte, offset int64) error {
	if d.prefix.done && d.pads == 0 {
		if n, blanks, ok := d.decodeFast(raw); ok {
			d.blanks += blanks
			return d.flushGroups(n, offset)
		}
	}
	n, err := d.squeezeSlow(raw, offset)
	if err != nil {
		return err
	}
	return d.decodeStandard(n, offset)
}

// finishString ends the string at an offset of the body.
func (d *decoder) finishString(offset int64) error {
	n, err := d.endPrefix(d.left, offset)
	if err != nil {
		return err
	}
	if rest := n % 4; rest == 1 || d.pads > 0 && rest+d.pads != 4 {
		return badBase64(offset, "the base64 ends within a group")
	}
	toStandard(d.chars[:n])
	m, err := base64.RawStdEncoding.Decode(d.out, d.chars[:n])
	if err != nil {
		return badBase64(offset, err.Error())
	}
	d.left = 0
	return d.writeSink(d.out[:m], offset)
}

// decodeFast decodes raw in bulk. It returns how many chars there were, decoded as far as they form whole groups, or
// false when anything is unusual. In that case d is unchanged except for chars after d.left.
func (d *decoder) decodeFast(raw []byte) (n int, blanks int64, ok bool) {
	n = d.left
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			n += copy(d.chars[n:], raw)
			break
		}
		n += copy(d.chars[n:], raw[:i])
		if i+1 == len(raw) {
			return 0, 0, false
		}
		switch raw[i+1] {
		case '/':
			d.chars[n] = '/'
			n++
		case 'n', 'r':
			blanks += 2
		default:
			return 0, 0, false
		}
		raw = raw[i+2:]
	}
	if d.fast == base64.RawURLEncoding {
		toURL(d.chars[:d.left])
	}
	whole := n &^ 3
	m, err := d.fast.Decode(d.out, d.chars[:whole])
	// encoding/base64 skips line ends, which JSON does not allow unescaped: then m is too small.
	if err != nil || m != whole/4*3 || !allBase64(d.chars[whole:n]) {
		return 0, 0, false
	}
	return n, blanks, true
}

// decodeStandard decodes the first n chars, which are all of the standard alphabet, as far as they form whole groups.
func (d *decoder) decodeStandard(n int, offset int64) error {
	if _, err := base64.RawStdEncoding.Decode(d.out, d.chars[:n&^3]); err != nil {
		return badBase64(offset, err.Error())
	}
	return d.flushGroups(n, offset)
}

// flushGroups writes the decoded n chars and keeps those that wait for more.
func (d *decoder) flushGroups(n int, offset int64) error {
	if d.blanks > d.limits.Rest+d.size {
		return restTooLarge(offset, d.limits.Rest)
	}
	whole := n &^ 3
	d.left = copy(d.chars, d.chars[whole:n])
	return d.writeSink(d.out[:whole/4*3], offset)
}

// writeSink writes to the sink what stays within the limit.
func (d *decoder) writeSink(p []byte, offset int64) error {
	if d.size+int64(len(p)) > d.limits.File {
		return tooLarge(offset, d.limits.File)
	}
	if len(p) == 0 {
		return nil
	}
	n, err := d.sink.Write(p)
	d.size += int64(n)
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}

// tooLarge refuses a file above the limit.
func tooLarge(offset, limit int64) error {
	return &Error{
		Kind: TooLarge, Offset: offset, Limit: limit,
		Reason: fmt.Sprintf("the file exceeds %d bytes", limit),
	}
}

// badBase64 refuses a string that is not base64.
func badBase64(offset int64, reason string) error {
	return &Error{Kind: BadBase64, Offset: offset, Reason: reason}
}
