package facts

import (
	"bytes"
	"fmt"
	"slices"

	"segel/pdf"
)

// maxSkipped bounds how much of what was appended is looked through.
const maxSkipped = 16 << 20

// skipped warns of what was appended like a revision and is none of the file's: a chain of cross-references that
// leaves it out makes its signatures disappear.
func (r *reader) skipped(revisions []pdf.Revision) error {
	if len(revisions) == 0 {
		return nil
	}
	known := map[int64]bool{}
	for _, v := range revisions {
		known[v.EOF] = true
	}
	word := []byte("%%EOF")
	buf := make([]byte, hashChunk)
	from := revisions[0].End
	for at := from; at < min(r.file.Size, from+maxSkipped); at += int64(len(buf) - len(word)) {
		b := buf[:min(int64(len(buf)), r.file.Size-at)]
		if n, err := r.r.ReadAt(b, at); n < len(b) {
			return fmt.Errorf("read at %d: %w", at, err)
		}
		for i := 0; ; {
			j := bytes.Index(b[i:], word)
			if j < 0 {
				break
			}
			i += j + len(word)
			if end := at + int64(i); !known[end] && r.startsAnew(end) {
				r.warn(Warning{Code: WarnSkipped, Detail: fmt.Sprintf("ends at %d", end)})
				return nil
			}
		}
	}
	return nil
}

// startsAnew tells whether startxref and an offset that is not 0 stand before a %%EOF that ends there. Linearized
// files have one with 0.
func (r *reader) startsAnew(end int64) bool {
	b := make([]byte, min(64, end))
	if n, _ := r.r.ReadAt(b, end-int64(len(b))); n < len(b) {
		return false
	}
	words := bytes.Fields(b)
	i := slices.IndexFunc(words, func(w []byte) bool { return bytes.HasSuffix(w, []byte("startxref")) })
	return i >= 0 && i+1 < len(words) && !bytes.Equal(words[i+1], []byte("0"))
}
