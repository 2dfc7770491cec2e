package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSON reads a body that holds one JSON object. The string under the named member of that object, wherever it
// stands among the others, is taken for base64 and decoded into sink while it arrives. The object without that
// member comes back as JSON, its other bytes as they were.
//
// What [encoding/json] refuses in the whole body is refused here, and nothing else is, but for these: a body
// that is no object, any member given twice (see [CheckMembers]), and what exceeds the limits. A byte order mark before the body is
// skipped. The member is recognised by its exact name, however it is escaped; null counts as absent. The base64
// may be of the standard or the URL alphabet, padded or not, broken by white space, and led by a data URL's
// "data:...;base64,".
//
// On error the sink may have taken a part of the file. Refusals are [*Error].
func JSON(r io.Reader, l Limits, sink io.Writer, member string) (rest []byte, info Info, err error) {
	return splitJSON(r, l, sink, member, windowSize)
}

// splitJSON is [JSON] with a window of any size from 16 bytes.
func splitJSON(r io.Reader, l Limits, sink io.Writer, member string, size int) ([]byte, Info, error) {
	l = l.withDefaults()
	s := &splitter{
		window: window{r: r, buf: make([]byte, size)},
		limits: l,
		member: member,
		file:   newDecoder(sink, l, size),
	}
	err := s.readBody()
	info := Info{Present: s.present, Size: s.file.size}
	if err != nil {
		return nil, info, err
	}
	return s.rest, info, nil
}

// splitter takes one member out of an object. It reads the top level strictly and the values of other members
// only so far as to see where they end: they are copied to rest byte by byte, and the rest is checked as a
// whole at the end. That is enough, since a text on which the rough reading and the grammar part ways is not
// valid, and neither is any rest of it.
type splitter struct {
	window
	limits   Limits
	member   string
	file     *decoder
	seen     bool // the member was met, be it null
	present  bool // and a string
	complete bool // the closing brace of the body was met

	rest    []byte
	start   int64 // offset in the body of rest[0]
	cut     int   // where in rest the member was taken out
	removed int64 // how many bytes of the body were
}

// readBody reads the whole body.
func (s *splitter) readBody() error {
	if err := s.byteOrderMark(); err != nil {
		return err
	}
	if err := s.readObject(); err != nil {
		return err
	}
	s.complete = true
	_, err := s.nextByte()
	if err == nil {
		return s.malformedAt("something stands behind the object")
	}
	if err != errEnd {
		return err
	}
	return s.checkRest()
}

// byteOrderMark skips one, as some clients write it before UTF-8.
func (s *splitter) byteOrderMark() error {
	if err := s.fillWindow(); err != nil && err != io.EOF {
		return fmt.Errorf("read body: %w", err)
	}
	if bytes.HasPrefix(s.unreadBytes(), []byte("\xef\xbb\xbf")) {
		s.skipBytes(3)
	}
	s.start = s.unreadOffset()
	return nil
}

// readObject reads the object that is the body, up to its closing brace.
func (s *splitter) readObject() error {
	c, err := s.nextByte()
	if err != nil {
		return err
	}
	if c != '{' {
		return s.malformedAt("the body is not an object")
	}
	if err := s.copyBytes(1); err != nil {
		return err
	}
	c, err = s.nextByte()
	if err != nil {
		return err
	}
	if c == '}' {
		return s.copyBytes(1)
	}
	for first := true; ; {
		kept, err := s.readMember(first)
		if err != nil {
			return err
		}
		c, err := s.nextByte()
		if err != nil {
			return err
		}
		switch {
		case c == '}':
			return s.copyBytes(1)
		case c != ',':
			return s.malformedAt("a comma or a closing brace is missing")
		case first && !kept:
			s.skipBytes(1) // the comma led on from the member that was taken out
			s.removed++
		default:
			first = false
			err = s.copyBytes(1)
		}
		if err != nil {
			return err
		}
		if _, err := s.nextByte(); err != nil {
			return err
		}
	}
}

// readMember reads one name and its value, and reports whether it was kept. A first one has no comma before it.
func (s *splitter) readMember(first bool) (kept bool, err error) {
	if s.unreadBytes()[0] != '"' {
		return false, s.malformedAt("a member's name is missing")
	}
	from, at := len(s.rest), s.unreadOffset()
	if err := s.copyString(); err != nil {
		return false, err
	}
	ours := s.isMember(s.rest[from:])
	c, err := s.nextByte()
	if err != nil {
		return false, err
	}
	if c != ':' {
		return false, s.malformedAt("a colon is missing")
	}
	if err := s.copyBytes(1); err != nil {
		return false, err
	}
	if c, err = s.nextByte(); err != nil {
		return false, err
	}
	if !ours {
		return true, s.copyValue(c)
	}
	if s.seen {
		return false, &Error{Kind: Duplicate, Offset: at, Member: s.member, Reason: s.member + " is given twice"}
	}
	s.seen = true
	if err := s.readFile(c); err != nil {
		return false, err
	}
	s.cut = from
	if !first {
		// The comma before goes too, with the blanks between.
		s.cut = bytes.LastIndexByte(s.rest[:from], ',')
	}
	s.rest = s.rest[:s.cut]
	s.removed = s.unreadOffset() - s.start - int64(s.cut)
	return false, nil
}

// isMember reports whether a name, in its quotes, is that of the member.
func (s *splitter) isMember(quoted []byte) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == s.member
	}
	// Every character takes six bytes at most when escaped.
	if len(quoted) > 6*len(s.member)+2 {
		return false
	}
	var name string
	return json.Unmarshal(quoted, &name) == nil && name == s.member
}

// readFile reads the value of the member, which begins with c.
func (s *splitter) readFile(c byte) error {
	switch c {
	case '"':
		s.present = true
		return s.decodeString()
	case 'n':
		from := len(s.rest)
		if err := s.copyValue(c); err != nil {
			return err
		}
		if string(s.rest[from:]) != "null" {
			return s.malformedAt("a value is misspelt")
		}
		return nil
	case '{', '[', 't', 'f', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return &Error{Kind: NotString, Offset: s.unreadOffset(), Reason: s.member + " is not a string"}
	}
	return s.malformedAt("a value is missing")
}

// decodeString reads a string and feeds the decoder with it.
func (s *splitter) decodeString() error {
	s.skipBytes(1)
	for {
		raw := s.unreadBytes()
		end := bytes.IndexByte(raw, '"')
		if end >= 0 {
			// A quote that is escaped ends here too: a lone backslash is what the decoder then meets.
			raw = raw[:end]
		} else {
			raw = raw[:len(raw)-partialEscape(raw)]
		}
		if err := s.file.decodeRaw(raw, s.unreadOffset()); err != nil {
			return err
		}
		s.skipBytes(len(raw))
		if end >= 0 {
			if err := s.file.finishString(s.unreadOffset()); err != nil {
				return err
			}
			s.skipBytes(1)
			return nil
		}
		if err := s.readMore(); err != nil {
			return err
		}
	}
}

// partialEscape returns how many bytes at the end of raw are an escape whose end has still to come.
func partialEscape(raw []byte) int {
	tail := raw[max(0, len(raw)-5):]
	i := bytes.LastIndexByte(tail, '\\')
	if i < 0 {
		return 0
	}
	esc := tail[i:]
	if len(esc) == 1 || esc[1] == 'u' {
		return len(esc)
	}
	return 0
}

// checkRest finds what the rough reading passed over.
func (s *splitter) checkRest() error {
	if json.Valid(s.rest) {
		taken := ""
		if s.seen {
			taken = s.member
		}
		err := checkMembers(s.rest, taken)
		if e, ok := errors.AsType[*Error](err); ok {
			e.Offset = s.offsetOf(e.Offset)
		}
		return err
	}
	var raw json.RawMessage
	err := json.Unmarshal(s.rest, &raw)
	refusal := &Error{Kind: Malformed, Offset: s.unreadOffset(), Reason: "the body is not JSON"}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		// Its offset counts the byte that gave offence.
		refusal.Offset = s.offsetOf(max(0, syntax.Offset-1))
		refusal.Reason = syntax.Error()
	}
	return refusal
}

// offsetOf returns the offset in the body of a byte of the rest.
func (s *splitter) offsetOf(at int64) int64 {
	offset := s.start + at
	if at >= int64(s.cut) {
		offset += s.removed
	}
	return offset
}
