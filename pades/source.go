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
	// State is the SHA-256 over all Size bytes, not yet summed, as its encoding.BinaryMarshaler gives it. Nil
	// means that the file has to be read once from end to end. A state after another number of bytes is refused;
	// apart from that it is believed: a state of other bytes makes a signature that nobody can verify.
	State []byte
	// States are midstates like State of other hashes, for keys that do not sign by SHA-256: P-384 and P-521 usually do
	// not, Ed25519 never does. One that is missing when it is needed takes another look at the whole file.
	States map[crypto.Hash][]byte
	File   pdf.Options // how to open it, such as with its password
}

// withRandom is the source with randomness for what is written into it, unless it brings its own.
func (s Source) withRandom(random io.Reader) Source {
	if s.File.Random == nil {
		s.File.Random = random
	}
	return s
}

// Result is a tail that was made and checked.
type Result struct {
	Tail   []byte                 // to be appended to the source
	Size   int64                  // of the file with the tail
	State  []byte                 // Source.State of the file with the tail
	States map[crypto.Hash][]byte // Source.States of the file with the tail: those that were known
	Digest [32]byte               // SHA-256 of the file with the tail
	Field  string                 // fully qualified name of the field that was signed; empty if none was
}

// WithTail is the source with a tail behind it that is not written yet, to build the next step on. Its state is
// unknown; that of a step's own tail is in its [Result].
func (s Source) WithTail(tail []byte) Source {
	return Source{R: &joinedReader{s.R, s.Size, tail}, Size: s.Size + int64(len(tail)), File: s.File}
}

// WithResult is the source with what a step made of it.
func (s Source) WithResult(r *Result) Source {
	after := s.WithTail(r.Tail)
	after.State, after.States = r.State, r.States
	return after
}

// buildResult states what the tail makes of the source, whose state is known by now.
func (s Source) buildResult(tail []byte, field string) (*Result, error) {
	h, err := s.resumeHash(crypto.SHA256, s.State)
	if err != nil {
		return nil, err
	}
	h.Write(tail)
	r := &Result{Tail: tail, Size: s.Size + int64(len(tail)), Digest: [32]byte(h.Sum(nil)), Field: field}
	if r.State, err = encodeMidstate(h); err != nil {
		return nil, err
	}
	for algorithm, state := range s.States {
		if h, err = s.resumeHash(algorithm, state); err != nil {
			return nil, err
		}
		h.Write(tail)
		if state, err = encodeMidstate(h); err != nil {
			return nil, err
		}
		r.States = withMidstate(r.States, algorithm, state)
	}
	return r, nil
}

// encodeMidstate is a hash that can be gone on with.
func encodeMidstate(h hash.Hash) ([]byte, error) {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("keep midstate: %w", err)
	}
	return state, nil
}

// withMidstate is a copy of states with one more.
func withMidstate(states map[crypto.Hash][]byte, algorithm crypto.Hash, state []byte) map[crypto.Hash][]byte {
	all := map[crypto.Hash][]byte{algorithm: state}
	for a, s := range states {
		if a != algorithm {
			all[a] = s
		}
	}
	return all
}

// hashFile returns the source with its state, and the running hash of all its bytes by an algorithm. It reads the
// file once, or not at all if the state says everything.
func (s Source) hashFile(algorithm crypto.Hash) (Source, hash.Hash, error) {
	if !algorithm.Available() {
		return s, nil, fmt.Errorf("hash %v is not available", algorithm)
	}
	if s.State != nil && algorithm == crypto.SHA256 {
		h, err := s.resumeHash(algorithm, s.State)
		return s, h, err
	}
	if state := s.States[algorithm]; s.State != nil && state != nil {
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
	if s.State == nil {
		var err error
		if s.State, err = encodeMidstate(sum); err != nil {
			return s, nil, err
		}
	}
	if algorithm != crypto.SHA256 {
		state, err := encodeMidstate(h)
		if err != nil {
			return s, nil, err
		}
		s.States = withMidstate(s.States, algorithm, state)
	}
	return s, h, nil
}

// readInto feeds the whole file to sum, unless the state is known, and to h, unless it is the same hash.
func (s Source) readInto(sum, h hash.Hash) error {
	var to []io.Writer
	if s.State == nil {
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

// midstateLen is the length of a midstate: four bytes that tell its form, eight words, one block of sixteen words, and the
// count of the bytes hashed so far.
func midstateLen(h hash.Hash) int { return 4 + h.BlockSize()/2 + h.BlockSize() + 8 }

// resumeHash goes on hashing behind the file. The state of an earlier revision is the likeliest mistake, and one that
// Check could not find, since it would believe the same state.
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

// joinedReader reads a file and the tail behind it.
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
