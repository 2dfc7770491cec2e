package facts

import (
	"bytes"
	"fmt"
	"math"

	"segel/pdf"
)

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
