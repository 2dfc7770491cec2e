package facts

import (
	"bytes"
	"fmt"
	"slices"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// markBroken records why a signature does not cover the file.
func (s *Signature) markBroken(code ReasonCode, detail string) {
	s.Coverage.State = Broken
	s.Coverage.Reasons = append(s.Coverage.Reasons, Reason{code, detail})
}

// readRange reads /ByteRange (ISO 32000-2 §12.8.1): four direct integers.
func (r *reader) readRange(s *Signature, o pdf.Object) {
	list, ok := o.(pdf.Array)
	if !ok {
		s.markBroken(RangeMissing, "")
		return
	}
	if len(list) > 4 {
		s.markBroken(RangeCount, fmt.Sprintf("%d numbers", len(list)))
		list = list[:4]
	}
	for _, v := range list {
		n, ok := v.(pdf.Integer)
		if !ok || n < 0 {
			s.markBroken(RangeNumbers, fmt.Sprint(v))
			s.ByteRange = nil
			return
		}
		s.ByteRange = append(s.ByteRange, int64(n))
	}
	if len(list) < 4 {
		s.markBroken(RangeCount, fmt.Sprintf("%d numbers", len(list)))
		return
	}
	r.checkRange(s)
}

// checkRange requires that the range leaves out exactly /Contents of this dictionary.
func (r *reader) checkRange(s *Signature) {
	b := s.ByteRange
	if b[0] != 0 {
		s.markBroken(RangeStart, "")
	}
	// Each number is compared alone first: sums of numbers up to 2^63 would overflow.
	if size := r.file.Size; b[0] > size || b[1] > size || b[2] > size || b[3] > size || b[0]+b[1] > b[2] || b[2]+b[3] > size {
		s.markBroken(RangeOutside, "")
		s.ByteRange = nil
		return
	}
	if b[0]+b[1] != s.gapAt || b[2] != s.gapEnd || s.gapEnd == 0 {
		s.markBroken(RangeGap, fmt.Sprintf("gap from %d to %d, /Contents from %d to %d", b[0]+b[1], b[2], s.gapAt, s.gapEnd))
	}
	if s.Coverage.State == "" {
		s.Coverage.End = b[2] + b[3]
	}
}

// checkContents requires that /Contents is written as hexadecimal digits between angle brackets and nothing else: white
// space would allow other readings.
func (r *reader) checkContents(s *Signature) error {
	if s.gapEnd == 0 {
		s.markBroken(ContentsMissing, "")
		return nil
	}
	const chunk = 64 << 10
	buf := r.borrowBuffer(int(max(0, min(chunk, s.gapEnd-s.gapAt))))
	for at := s.gapAt; at < s.gapEnd; at += chunk {
		b := buf[:min(chunk, s.gapEnd-at)]
		if _, err := r.r.ReadAt(b, at); err != nil && at+int64(len(b)) < r.file.Size {
			return fmt.Errorf("read /Contents at %d: %w", at, err)
		}
		if at == s.gapAt {
			if b[0] != '<' {
				s.markBroken(ContentsMissing, "not hexadecimal")
				return nil
			}
			b = b[1:]
		}
		if at+chunk >= s.gapEnd {
			b = bytes.TrimSuffix(b, []byte(">"))
		}
		if slices.ContainsFunc(b, notHex) {
			s.markBroken(RangeGap, "more than digits in the gap")
			return nil
		}
	}
	return nil
}

func notHex(c byte) bool {
	return (c < '0' || c > '9') && (c < 'A' || c > 'F') && (c < 'a' || c > 'f')
}

// locateRevisions finds the revision that each signature closes: the signed bytes end behind its %%EOF, with only white
// space between, and /Contents lies in what the revision appended.
func (r *reader) locateRevisions(revisions []pdf.Revision) {
	for _, s := range r.file.Signatures {
		if s.Coverage.End == 0 {
			continue
		}
		end := s.Coverage.End
		i := slices.IndexFunc(revisions, func(v pdf.Revision) bool { return v.EOF != 0 && v.EOF <= end && r.isBlank(v.EOF, end) })
		if i < 0 {
			s.markBroken(RangeEnd, fmt.Sprintf("at %d", end))
			s.Coverage.End = 0
			continue
		}
		if i > 0 && s.gapAt < revisions[i-1].EOF {
			s.markBroken(Overlap, fmt.Sprintf("/Contents is in a revision before %d", i+1))
		}
		s.Revision = i + 1
		if s.Coverage.State != "" {
			continue
		}
		s.Coverage.State = WholeRevision
		if i == len(revisions)-1 {
			s.Coverage.State = WholeFile
			if r.file.Size-end > maxBlankBehind || !r.isBlank(end, r.file.Size) {
				s.markBroken(JunkBehind, fmt.Sprintf("%d bytes", r.file.Size-end))
			}
		}
	}
	lastEnd := r.lastEnd(revisions)
	if n := len(revisions); n > 0 && (r.file.Size-lastEnd > maxBlankBehind || !r.isBlank(lastEnd, r.file.Size)) {
		for _, s := range r.file.Signatures {
			if s.Revision != n {
				s.markBroken(JunkBehind, fmt.Sprintf("%d bytes", r.file.Size-lastEnd))
			}
		}
	}
}

// lastEnd returns the end of the last revision, or of the bytes that a signature covers behind it.
func (r *reader) lastEnd(revisions []pdf.Revision) int64 {
	end := int64(0)
	if n := len(revisions); n > 0 {
		end = revisions[n-1].End
	}
	for _, s := range r.file.Signatures {
		if s.Revision == len(revisions) {
			end = max(end, s.Coverage.End)
		}
	}
	return end
}

// maxBlank bounds white space between the end of a revision and the end of the signed bytes, maxBlankBehind unsigned
// white space at the end: readers look for startxref in the last thousand bytes and otherwise rebuild the file.
const (
	maxBlank       = 4096
	maxBlankBehind = 512
)

// isBlank reports whether there is only white space between two offsets.
func (r *reader) isBlank(from, to int64) bool {
	if from >= to {
		return from == to
	}
	if to-from > maxBlank {
		return false
	}
	b := make([]byte, to-from)
	if n, _ := r.r.ReadAt(b, from); n < len(b) {
		return false
	}
	return len(bytes.Trim(b, "\x00\t\n\f\r ")) == 0
}

// checkSignedRevision compares a signature with the revision it closes: the field must have the same dictionary there.
func (r *reader) checkSignedRevision(s *Signature, state *pdf.State) {
	for _, what := range state.Ambiguities {
		s.markBroken(RevisionUnsound, what)
	}
	if _, _, err := state.Root(); err != nil {
		s.markBroken(RevisionUnsound, err.Error())
		return
	}
	field, err := state.Dict(s.FieldRef)
	if s.FieldRef.IsZero() {
		field, err = s.fieldDict, nil
	}
	if err != nil || field == nil {
		s.markBroken(FieldDiffers, "it is not there")
		return
	}
	value, err := state.Dict(field["V"])
	if err != nil || value == nil || pdf.AsRef(field["V"]) != s.Ref {
		s.markBroken(FieldDiffers, "it has another value")
		return
	}
	contents, err := state.String(value["Contents"])
	if err != nil || !bytes.Equal(contents.Bytes, s.Contents) {
		s.markBroken(DictionaryDiffers, "/Contents")
		return
	}
	if at, end := contents.FileRange(); at != s.gapAt || end != s.gapEnd {
		s.markBroken(DictionaryDiffers, "/Contents is at another place")
		return
	}
	for _, k := range diff.Differing(value, s.dict) {
		s.markBroken(DictionaryDiffers, "/"+string(k))
	}
}
