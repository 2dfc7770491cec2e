package pdf

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
)

// RewriteOptions choose what a rewriting changes besides putting a file in
// order. The zero value changes nothing else.
type RewriteOptions struct {
	// Version is the lowest version the header of the new file may state, such
	// as "1.6". A file that states a higher one keeps it.
	Version string
}

// Rewritten tells what Rewrite wrote.
type Rewritten struct {
	Size    int64 // bytes
	Objects int   // that something refers to
	Dropped int   // that the source has and nothing refers to
}

// Rewrite writes the document as a new file: one revision, a header on the
// first byte, every object that can be reached from the trailer standing for
// itself, in the order of the source, and one cross-reference table from
// object 0 on. It is for files that are damaged or that a later program could
// not extend, and it is the only thing in this package that does not keep the
// bytes that were there.
//
// What is kept: object numbers and generations, unless the numbers are so
// sparse that the table would dwarf the file; the encoded data of every
// stream, byte for byte, copied through a buffer; the first element of /ID;
// /Info; encryption, with its key, dictionary and permissions, so that an
// encrypted file is encrypted alike, never opened up. What is put right:
// /Length of streams, references to nothing (they become null, lest a later
// update give them a meaning), and counts, parents and missing kids of a page
// tree that disagrees with itself. What is lost: free objects, linearization,
// trailer entries that describe the former file.
//
// The same document gives the same bytes, but for the initialization vectors
// of AES, which come from Options.Random. Memory is some bytes for each
// object, whatever the size of the file.
//
// It fails with ErrSigned if a signature can be reached, since none survives a
// rewriting; with ErrDamaged if an object that can be reached cannot be read,
// or, in a file that was repaired, is nowhere: leaving it out would be
// guessing; and with ErrTooLarge. Whatever w got by then is no file.
func (d *Document) Rewrite(w io.Writer, o RewriteOptions) (Rewritten, error) {
	r := &reachWalk{d: d, replaced: map[uint32]Object{}}
	if err := r.repairPages(); err != nil {
		return Rewritten{}, fmt.Errorf("put page tree in order: %w", err)
	}
	if err := r.markReachable(); err != nil {
		return Rewritten{}, fmt.Errorf("walk objects: %w", err)
	}
	if !r.signature.IsZero() {
		return Rewritten{}, &Error{Kind: Signed, Offset: -1, Msg: fmt.Sprintf("object %v is a signature", r.signature)}
	}
	numbers, err := r.planNumbering()
	if err != nil {
		return Rewritten{}, err
	}
	out := &rewriter{
		d: d, reach: r, numbers: numbers, w: w, sum: sha256.New(),
		offsets: make([]int64, numbers.highest+1), generations: map[uint32]uint16{},
	}
	if err := out.writeFile(o); err != nil {
		return Rewritten{}, err
	}
	return Rewritten{Size: out.at, Objects: r.count, Dropped: r.countDropped()}, nil
}

// rewriter spells the new file piece by piece.
type rewriter struct {
	d       *Document
	reach   *reachWalk
	numbers numbering
	w       io.Writer
	sum     hash.Hash // over what was written
	at      int64     // bytes written
	out     writer    // holds one object without stream data
	copied  int64     // bytes of stream data

	offsets     []int64 // by new number; 0 for objects that are not there
	generations map[uint32]uint16
	copyBuffer  []byte
}

// flush writes what is spelled so far.
func (w *rewriter) flush() error {
	err := w.writeBytes(w.out.buf)
	w.out.buf = w.out.buf[:0]
	return err
}

func (w *rewriter) writeBytes(b []byte) error {
	n, err := w.w.Write(b)
	w.at += int64(n)
	if err != nil {
		return fmt.Errorf("write new file: %w", err)
	}
	w.sum.Write(b)
	return nil
}
