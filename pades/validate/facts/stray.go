package facts

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"sync"

	"segel/pdf"
)

// findStrayObjects reads the bytes of a revision like a reader that cannot use its cross-reference and rebuilds it from
// the objects it finds: the last of each number counts. It returns what only such a reader would find. Entries are
// those of the cross-reference.
func (r *reader) findStrayObjects(from int64, v pdf.Revision, entries []pdf.Entry) (string, error) {
	if odd, err := r.checkSyntax(v); odd != "" || err != nil {
		return odd, err
	}
	head, err := r.readWindow(v.StartXref, v.StartXref+maxHeader)
	if err != nil {
		return "", err
	}
	table := bytes.HasPrefix(head, []byte("xref"))
	known, odd, err := r.locateObjects(from, v, entries)
	if odd != "" || err != nil {
		return odd, err
	}
	for _, e := range entries {
		// An entry of an unknown type stands for null, and some readers reject such large numbers.
		if e.Unknown && e.Ref.Number != 0 || e.Ref.Number >= maxNumber {
			return fmt.Sprintf("an entry for object %d that not all readers can read", e.Ref.Number), nil
		}
	}
	trailers := 0
	err = r.eachWord(from, v.End, func(end int64, before, behind []byte, word string) bool {
		switch word {
		case "obj":
			if !known[end] && looksLikeObject(before, behind) {
				odd = fmt.Sprintf("an object at %d that its cross-reference does not state", end)
			}
		case "trailer":
			if trailers++; trailers > 1 || !table || end < v.StartXref {
				odd = fmt.Sprintf("a trailer at %d that is not its own", end)
			}
		}
		return odd == ""
	})
	return odd, err
}

// isRootBeyondSize reports whether the number of the catalog is /Size or higher. Readers that treat such numbers as
// unused rebuild the cross-reference from the objects of the file.
func isRootBeyondSize(s *pdf.State) bool {
	size, ok := s.Trailer()["Size"].(pdf.Integer)
	return ok && int64(s.Trailer().Ref("Root").Number) >= int64(size)
}

// addRebuildOddities adds to the oddities of a state what only a reader that rebuilds the cross-reference would find in
// the revisions before it: an object prepared for such a reader.
func (w *stateWalk) addRebuildOddities(state *pdf.State, before []pdf.Revision) error {
	from := int64(0)
	for _, v := range before {
		entries, err := w.d.RevisionEntries(v)
		if pdf.IsFault(err) {
			state.Ambiguities = append(state.Ambiguities, err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		known, odd, err := w.locateObjects(from, v, entries)
		if err != nil {
			return err
		}
		if odd == "" {
			err = w.eachWord(from, v.End, func(end int64, before, behind []byte, word string) bool {
				if word == "obj" && !known[end] && looksLikeObject(before, behind) {
					odd = fmt.Sprintf("a /Size that has readers rebuild the cross-reference, and find an object at %d", end)
				}
				return odd == ""
			})
		}
		if err != nil {
			return err
		}
		if odd != "" {
			state.Ambiguities = append(state.Ambiguities, odd)
			return nil
		}
		from = v.End
	}
	return nil
}

const (
	maxNumber = 8_388_607 // of an object (ISO 32000-1 Annex C)
	maxHeader = 64        // bytes of "12 0 obj", with reserve
	maxBefore = 256       // bytes examined before a word
)

var (
	// An entry may lead to white space before its object.
	objectHeader = regexp.MustCompile(`^[\x00\t\n\f\r ]{0,16}(\d+)[\x00\t\n\f\r ]+\d+[\x00\t\n\f\r ]*obj`)
	comment      = regexp.MustCompile(`%[^\r\n]*`)
	closing      = regexp.MustCompile(`startxref[\r\n ]+\d+[\r\n ]+%%EOF$`)
	tableHeader  = regexp.MustCompile(`^xref *[\r\n]+\d`)
)

const (
	whiteSpace = "\x00\t\n\f\r "
	digits     = "0123456789"
)

// locateObjects returns where the keyword "obj" ends of the objects that a revision added and its entries list under
// the right number. The cross-reference stream may be unlisted if no other object has its number.
func (r *reader) locateObjects(from int64, v pdf.Revision, entries []pdf.Entry) (map[int64]bool, string, error) {
	refs := map[int64]pdf.Ref{v.StartXref: {}}
	for _, e := range entries {
		if !e.Free && e.ObjectStream == 0 && e.Offset >= from && e.Offset < v.End {
			refs[e.Offset] = e.Ref
		}
	}
	if len(refs) > r.o.Limits.Moves {
		return nil, "too many objects", nil
	}
	known := map[int64]bool{}
	for at, ref := range refs {
		b, err := r.readWindow(at, at+maxHeader)
		if err != nil {
			return nil, "", err
		}
		m := objectHeader.FindSubmatchIndex(b)
		if m == nil {
			continue
		}
		number, err := strconv.ParseUint(string(b[m[2]:m[3]]), 10, 32)
		if err != nil {
			continue
		}
		if _, used := r.d.InUse(uint32(number)); uint32(number) == ref.Number || ref.IsZero() && !used {
			known[at+int64(m[1])] = true
		}
	}
	return known, "", nil
}

// looksLikeObject reports whether two numbers, or perhaps a comment instead of one, precede the keyword "obj".
func looksLikeObject(before, behind []byte) bool {
	rest := bytes.TrimRight(before, whiteSpace)
	number := bytes.TrimRight(rest, digits)
	if len(number) < len(rest) {
		between := bytes.TrimRight(number, whiteSpace)
		if len(between) < len(number) && (len(between) == 0 || between[len(between)-1] >= '0' && between[len(between)-1] <= '9') {
			return true
		}
		return bytes.ContainsAny(number[len(between):], "\r\n") && wordEnds(behind)
	}
	return bytes.ContainsAny(before[len(rest):], "\r\n") && wordEnds(behind)
}

// wordEnds reports whether a word ends before these bytes.
func wordEnds(behind []byte) bool {
	return len(behind) == 0 || bytes.IndexByte([]byte(whiteSpace+"()<>[]{}/%"), behind[0]) >= 0
}

// checkSyntax requires the spelling of the standard for a revision's cross-reference (ISO 32000-2 §7.5.4): otherwise
// some readers use it and others rebuild it.
func (r *reader) checkSyntax(v pdf.Revision) (string, error) {
	b, err := r.readWindow(v.EOF-maxHeader, v.EOF)
	if err != nil {
		return "", err
	}
	if !closing.Match(b) {
		return "an end that readers spell differently", nil
	}
	if b, err = r.readWindow(v.StartXref, v.StartXref+maxHeader); err != nil || !bytes.HasPrefix(b, []byte("xref")) {
		return "", err
	}
	if !tableHeader.Match(b) {
		return "a cross-reference table that not all readers can read", nil
	}
	for at := v.StartXref + int64(len("xref")); at < v.EOF; {
		if b, err = r.readWindow(at, min(at+hashChunk, v.EOF)); err != nil {
			return "", err
		}
		end := bytes.Index(b, []byte("trailer"))
		if end < 0 {
			end = max(1, len(b)-len("trailer"))
		}
		if isMisspelled(b[:end]) {
			return "a cross-reference table that not all readers can read", nil
		}
		if bytes.HasPrefix(b[end:], []byte("trailer")) {
			break
		}
		at += int64(end)
	}
	return "", nil
}

// isMisspelled reports whether a table has other bytes than digits, entry types and line ends, or a line that begins
// with a space.
func isMisspelled(b []byte) bool {
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9', c == 'n', c == 'f', c == '\r', c == '\n':
		case c == ' ' && (i == 0 || b[i-1] != '\r' && b[i-1] != '\n'):
		default:
			return true
		}
	}
	return false
}

// readWindow reads a part of the file, up to its end. The result is valid until the next call or the next pass.
func (r *reader) readWindow(from, to int64) ([]byte, error) {
	from, to = max(0, from), min(to, r.file.Size)
	if from >= to {
		return nil, nil
	}
	b := r.borrowBuffer(int(to - from))
	if n, err := r.r.ReadAt(b, from); n < len(b) && err != io.EOF {
		return nil, fmt.Errorf("read at %d: %w", from, err)
	}
	return b, nil
}

// borrowBuffer returns the only buffer of the reader, with length n.
func (r *reader) borrowBuffer(n int) []byte {
	switch {
	case n <= cap(r.buffer):
	case n <= bufferSize:
		r.buffer = buffers.Get().(*[bufferSize]byte)[:]
	default:
		r.buffer = make([]byte, n)
	}
	return r.buffer[:n]
}

const bufferSize = hashChunk + maxBefore + maxHeader

// buffers are reused for the next file.
var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// eachWord calls f for each "obj", and each "trailer" followed by a dictionary, between two offsets: with the offset
// after the word and the bytes around it. It stops when f returns false.
func (r *reader) eachWord(from, to int64, f func(end int64, before, behind []byte, word string) bool) error {
	for at := from; at < to; at += hashChunk {
		start := max(from, at-maxBefore)
		b, err := r.readWindow(start, min(to, at+hashChunk+maxHeader))
		if err != nil {
			return err
		}
		for _, word := range []string{"obj", "trailer"} {
			for i := 0; ; {
				j := bytes.Index(b[i:], []byte(word))
				if j < 0 {
					break
				}
				i += j + len(word)
				end := start + int64(i)
				if end <= at && at > from || end > at+hashChunk { // reported with another chunk
					continue
				}
				if word == "trailer" {
					behind := comment.ReplaceAll(b[i:min(len(b), i+maxHeader)], nil)
					if !bytes.HasPrefix(bytes.TrimLeft(behind, whiteSpace), []byte("<<")) {
						continue
					}
				}
				if !f(end, b[max(0, i-len(word)-maxBefore):i-len(word)], b[i:], word) {
					return nil
				}
			}
		}
	}
	return nil
}

// findUnstatedObjects looks for objects in the object streams of a revision that its cross-reference does not list: a
// reader that rebuilds it uses them too.
func (w *stateWalk) findUnstatedObjects(state *pdf.State, entries []pdf.Entry) (string, error) {
	within := map[uint32]map[uint32]int{}
	for _, e := range entries {
		if e.ObjectStream != 0 {
			if within[e.ObjectStream] == nil {
				within[e.ObjectStream] = map[uint32]int{}
			}
			within[e.ObjectStream][e.Ref.Number]++
		}
	}
	for _, n := range state.ObjectStreams {
		numbers, err := state.ObjectStreamMembers(n)
		if err != nil {
			if pdf.IsFault(err) {
				continue // reported for each object in it
			}
			return "", err
		}
		for _, held := range numbers {
			if within[n][held]--; within[n][held] < 0 {
				return fmt.Sprintf("object %d in object stream %d that its cross-reference does not state", held, n), nil
			}
		}
	}
	return "", nil
}

// maxSkipped bounds the appended bytes scanned.
const maxSkipped = 16 << 20

// revisionEndScan looks, during hashing, for appended bytes that look like a revision but are not one of the file's: a
// cross-reference chain that skips them makes their signatures disappear.
type revisionEndScan struct {
	known    map[int64]bool // ends of revisions
	from, to int64          // range scanned
	rest     []byte         // end of the last chunk, in which the marker may begin
	unknown  int            // ends of unknown revisions so far
}

// maxUnknown bounds the ends of unknown revisions examined.
const maxUnknown = 1000

var endOfFile = []byte("%%EOF")

// setRevisions sets the revisions of the file, oldest first.
func (s *revisionEndScan) setRevisions(revisions []pdf.Revision) {
	if len(revisions) == 0 {
		return
	}
	s.known = map[int64]bool{}
	for _, v := range revisions {
		s.known[v.EOF] = true
	}
	s.from = revisions[0].End
	s.to = s.from + min(maxSkipped, math.MaxInt64-s.from)
}

// scanBytes scans the next bytes of the file. It warns once.
func (s *revisionEndScan) scanBytes(r *reader, b []byte, at int64) {
	from, to := max(s.from, at), min(s.to, at+int64(len(b)))
	if from >= to {
		return
	}
	b = b[from-at : to-at]
	across := append(s.rest, b[:min(len(b), len(endOfFile)-1)]...)
	s.searchEnds(r, across, from-int64(len(s.rest)))
	s.searchEnds(r, b, from)
	if len(b) < len(endOfFile) {
		b = across
	}
	s.rest = append(s.rest[:0], b[max(0, len(b)-len(endOfFile)+1):]...)
}

func (s *revisionEndScan) searchEnds(r *reader, b []byte, at int64) {
	for i := 0; s.to > 0; {
		j := bytes.Index(b[i:], endOfFile)
		if j < 0 {
			return
		}
		i += j + len(endOfFile)
		end := at + int64(i)
		if s.known[end] {
			continue
		}
		if s.unknown++; s.unknown > maxUnknown || r.hasStartXref(end) {
			r.addWarning(Warning{Code: WarnSkipped, Detail: fmt.Sprintf("ends at %d", end)})
			s.to = 0 // warn once
		}
	}
}

// hasStartXref reports whether the %%EOF that ends there follows startxref with an offset other than 0. Linearized
// files have one with 0.
func (r *reader) hasStartXref(end int64) bool {
	b := make([]byte, min(64, end))
	if n, _ := r.r.ReadAt(b, end-int64(len(b))); n < len(b) {
		return false
	}
	words := bytes.Fields(b)
	for i := len(words) - 2; i >= 0; i-- {
		if bytes.HasSuffix(words[i], []byte("startxref")) {
			return !bytes.Equal(words[i+1], []byte("0"))
		}
	}
	return false
}
