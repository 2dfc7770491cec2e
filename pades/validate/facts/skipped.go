package facts

import (
	"bytes"
	"fmt"
	"math"

	"segel/pdf"
)

// maxSkipped bounds how much of what was appended is looked through.
const maxSkipped = 16 << 20

// revisionEndScan looks, while the file is read for its digests, for what was appended like a revision and is none of the file's:
// a chain of cross-references that leaves it out makes its signatures disappear.
type revisionEndScan struct {
	known    map[int64]bool // where revisions end
	from, to int64          // what is looked through
	rest     []byte         // the end of what was looked at, in which the word may begin
	unknown  int            // ends of no revision so far
}

// maxUnknown bounds the ends of no revision that are looked at.
const maxUnknown = 1000

var endOfFile = []byte("%%EOF")

// setRevisions takes the revisions of the file, oldest first.
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

// scanBytes looks at the next bytes of the file. It warns once.
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
			s.to = 0 // once is enough
		}
	}
}

// hasStartXref reports whether startxref and an offset that is not 0 stand before a %%EOF that ends there. Linearized
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
