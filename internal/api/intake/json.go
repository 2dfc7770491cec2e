package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSON reads a body that contains one JSON object. It decodes the string under the named member of that object as
// base64 into sink while it arrives, at whatever position the member is. It returns the object without that member as
// JSON, with its other bytes unchanged.
//
// It refuses exactly what [encoding/json] refuses in the whole body, and besides: a body that is not an object, a
// member given twice (see [CheckMembers]), and what exceeds the limits. A byte order mark before the body is skipped.
// The member is recognised by its exact name, however it is escaped; null counts as missing. The base64 may use the
// standard or the URL alphabet, with or without padding, may contain white space, and may start with a data URL's
// "data:...;base64,".
//
// On error a part of the file may have been written to the sink. Refusals are [*Error].
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

// splitter removes one member from an object. It parses the top level strictly and the values of other members only
// so far as to find their ends: it copies them to rest byte by byte, and checkRest checks the rest as a whole at the
// end. That is sufficient, because a text on which the rough parsing and the grammar differ is invalid, and so is the
// rest of it.
type splitter struct {
	window
	limits   Limits
	member   string
	file     *decoder
	seen     bool // the member was found, even if it is null
	present  bool // and it is a string
	complete bool // the closing brace of the body was read

	rest    []byte
	start   int64 // offset in the body of rest[0]
	cut     int   // where in rest the member was removed
	removed int64 // how many bytes of the body it took
}

// readBody reads the whole body.
func (s *splitter) readBody() error {
	if err := s.skipByteOrderMark(); err != nil {
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

// skipByteOrderMark skips a byte order mark, which some clients write before UTF-8.
func (s *splitter) skipByteOrderMark() error {
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
			s.skipBytes(1) // the comma after the removed member
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

// readMember reads one name and its value, and reports whether it was kept. No comma precedes the first member.
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
		// Remove the comma before the member too, with the blanks between.
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
	// Each character takes at most six bytes when escaped.
	if len(quoted) > 6*len(s.member)+2 {
		return false
	}
	var name string
	return json.Unmarshal(quoted, &name) == nil && name == s.member
}

// readFile reads the value of the member, which starts with c.
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

// decodeString reads a string and passes it to the decoder.
func (s *splitter) decodeString() error {
	s.skipBytes(1)
	for {
		raw := s.unreadBytes()
		end := bytes.IndexByte(raw, '"')
		if end >= 0 {
			// An escaped quote ends here too: the decoder then sees a lone backslash.
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

// partialEscape returns the number of bytes at the end of raw that belong to an unfinished escape.
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

// checkRest finds the errors that the rough parsing did not see.
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
		// Its offset includes the byte that caused the error.
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
