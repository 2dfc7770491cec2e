package pades

import (
	"crypto"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"segel/pdf"
)

// Source is a file to extend.
type Source struct {
	R    io.ReaderAt
	Size int64 // bytes
	// Midstate is the SHA-256 midstate over all Size bytes, as encoding.BinaryMarshaler returns it. With nil the whole
	// file is read once. A midstate after another number of bytes is refused. Otherwise it is trusted: one of other
	// bytes makes a signature that does not verify.
	Midstate []byte
	// Midstates are like Midstate, of other hashes, for keys that do not sign with SHA-256: P-384 and P-521 usually
	// do not, Ed25519 never does. If one is needed and missing, the whole file is read.
	Midstates   map[crypto.Hash][]byte
	OpenOptions pdf.Options // how to open it, for example with its password
	// Opened is the file as opened with OpenOptions, if the caller has it. With nil it is opened.
	Opened *pdf.Document
}

// Open returns the source as an opened document.
func (s Source) Open() (*pdf.Document, error) {
	if s.Opened != nil {
		return s.Opened, nil
	}
	return pdf.Open(s.R, s.Size, s.OpenOptions)
}

// Result is a tail and the state of the file that it makes. Unless it is of [Source.Append], the tail was verified.
type Result struct {
	Tail      []byte                 // to be appended to the source
	Size      int64                  // of the file with the tail
	Midstate  []byte                 // Source.Midstate of the file with the tail
	Midstates map[crypto.Hash][]byte // Source.Midstates of the file with the tail, for the hashes that were known
	Digest    [32]byte               // SHA-256 of the file with the tail
	Field     string                 // fully qualified name of the field that was signed; empty if none was
	Opened    *pdf.Document          // the file with the tail, if the tail was verified; it reads the source and Tail
}

// WithTail returns the source extended by a tail that is not written yet, as the input of the next step. The new midstate
// is unknown; for a tail of this package use [Source.WithResult].
func (s Source) WithTail(tail []byte) Source {
	after := Source{R: &joinedReader{s.R, s.Size, tail}, Size: s.Size + int64(len(tail)), OpenOptions: s.OpenOptions}
	if s.Opened != nil {
		after.OpenOptions.Extends = s.Opened
	}
	return after
}

// WithResult returns the source extended by the result of a step.
func (s Source) WithResult(r *Result) Source {
	after := s.WithTail(r.Tail)
	after.Midstate, after.Midstates, after.Opened = r.Midstate, r.Midstates, r.Opened
	return after
}

// Append describes the source extended by a tail that another program or package built, such as that of [AddFields]. It
// hashes the tail and checks nothing else; see [VerifyTail]. The midstate of the source must be known.
func (s Source) Append(tail []byte) (*Result, error) { return s.buildResult(tail, "") }

// buildResult describes the source extended by the tail, which signs the field. The midstate of the source must be known.
func (s Source) buildResult(tail []byte, field string) (*Result, error) {
	h, err := s.resumeHash(crypto.SHA256, s.Midstate)
	if err != nil {
		return nil, err
	}
	h.Write(tail)
	r := &Result{Tail: tail, Size: s.Size + int64(len(tail)), Digest: [32]byte(h.Sum(nil)), Field: field}
	if r.Midstate, err = encodeMidstate(h); err != nil {
		return nil, err
	}
	for algorithm, state := range s.Midstates {
		if h, err = s.resumeHash(algorithm, state); err != nil {
			return nil, err
		}
		h.Write(tail)
		if state, err = encodeMidstate(h); err != nil {
			return nil, err
		}
		r.Midstates = withMidstate(r.Midstates, algorithm, state)
	}
	return r, nil
}

// encodeMidstate encodes the state of a hash so that hashing can continue later.
func encodeMidstate(h hash.Hash) ([]byte, error) {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode midstate: %w", err)
	}
	return state, nil
}

// withMidstate returns a copy of states with one more.
func withMidstate(states map[crypto.Hash][]byte, algorithm crypto.Hash, state []byte) map[crypto.Hash][]byte {
	all := map[crypto.Hash][]byte{algorithm: state}
	for a, s := range states {
		if a != algorithm {
			all[a] = s
		}
	}
	return all
}

// hashFile returns the source with its midstates, and the running hash of all its bytes. It reads the file at most
// once, and not at all if the midstates are known.
func (s Source) hashFile(algorithm crypto.Hash) (Source, hash.Hash, error) {
	if !algorithm.Available() {
		return s, nil, fmt.Errorf("hash %v is not available", algorithm)
	}
	if s.Midstate != nil && algorithm == crypto.SHA256 {
		h, err := s.resumeHash(algorithm, s.Midstate)
		return s, h, err
	}
	if state := s.Midstates[algorithm]; s.Midstate != nil && state != nil {
		h, err := s.resumeHash(algorithm, state)
		return s, h, err
	}
	sum, h := sha256.New(), algorithm.New()
	if algorithm == crypto.SHA256 {
		h = sum
	}
	if err := s.readInto(sum, h); err != nil {
		return s, nil, fmt.Errorf("hash the file: %w", err)
	}
	if s.Midstate == nil {
		var err error
		if s.Midstate, err = encodeMidstate(sum); err != nil {
			return s, nil, err
		}
	}
	if algorithm != crypto.SHA256 {
		state, err := encodeMidstate(h)
		if err != nil {
			return s, nil, err
		}
		s.Midstates = withMidstate(s.Midstates, algorithm, state)
	}
	return s, h, nil
}

// readInto writes the whole file to sum, unless that state is known, and to h, unless it is the same hash.
func (s Source) readInto(sum, h hash.Hash) error {
	var to []io.Writer
	if s.Midstate == nil {
		to = append(to, sum)
	}
	if h != sum {
		to = append(to, h)
	}
	n, err := io.Copy(io.MultiWriter(to...), io.NewSectionReader(s.R, 0, s.Size))
	if err == nil && n != s.Size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// midstateLen is the length of a midstate: a four-byte identifier, eight words, one block of sixteen words, and the
// number of bytes hashed.
func midstateLen(h hash.Hash) int { return 4 + h.BlockSize()/2 + h.BlockSize() + 8 }

// resumeHash continues hashing after the end of the file. The state of an earlier revision is the most likely mistake,
// and VerifyTail could not detect it because it uses the same state.
func (s Source) resumeHash(algorithm crypto.Hash, state []byte) (hash.Hash, error) {
	if !algorithm.Available() {
		return nil, fmt.Errorf("hash %v is not available", algorithm)
	}
	h := algorithm.New()
	from, ok := h.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, fmt.Errorf("hash %v has no midstate", algorithm)
	}
	if err := from.UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("midstate: %w", err)
	}
	if len(state) != midstateLen(h) {
		return nil, fmt.Errorf("midstate of %d bytes", len(state))
	}
	if n := binary.BigEndian.Uint64(state[len(state)-8:]); n != uint64(s.Size) {
		return nil, fmt.Errorf("midstate after %d bytes for a file of %d", n, s.Size)
	}
	return h, nil
}

// joinedReader reads a file followed by a tail.
type joinedReader struct {
	r    io.ReaderAt
	size int64
	tail []byte
}

func (j *joinedReader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("negative offset")
	}
	n := 0
	if at < j.size {
		want := p[:min(int64(len(p)), j.size-at)]
		var err error
		if n, err = j.r.ReadAt(want, at); n < len(want) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	if behind := at + int64(n) - j.size; behind < int64(len(j.tail)) {
		n += copy(p[n:], j.tail[behind:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
