package facts

import (
	"cmp"
	"crypto"
	"fmt"
	"hash"
	"io"
	"slices"

	_ "crypto/md5" // what old signatures name
	_ "crypto/sha1"
	_ "crypto/sha256"
	_ "crypto/sha512"
)

// digest is one digest over the bytes a signature covers: from the start of the file to the gap, and from there to end.
type digest struct {
	hash               crypto.Hash
	gapAt, gapEnd, end int64

	running hash.Hash // what was hashed so far; nil before the gap is reached
	sum     []byte    // nil until it is known
}

// want asks for a digest of the signed bytes. Signatures that ask for the same share it.
func (s *Signature) want(h crypto.Hash) {
	if h == 0 || !h.Available() || len(s.ByteRange) != 4 || s.ByteRange[0] != 0 {
		return
	}
	for _, w := range s.wants {
		if w.hash == h {
			return
		}
	}
	b := s.ByteRange
	s.wants = append(s.wants, &digest{hash: h, gapAt: b[1], gapEnd: b[2], end: b[2] + b[3]})
}

// computed returns the digest of the signed bytes, or nil if it was not computed.
func (s *Signature) computed(h crypto.Hash) []byte {
	for _, w := range s.wants {
		if w.hash == h {
			return w.sum
		}
	}
	return nil
}

// hash reads the file once. All bytes go through one hash for each algorithm; where a gap begins its state is cloned,
// and the clone takes what follows the gap. So signatures within one another cost one hashing of the file, and each
// its own few bytes behind the gap.
func (r *reader) hash() error {
	if r.o.ForSigning && len(r.file.Signatures) == 0 {
		return nil
	}
	var all []*digest
	spare := r.o.Limits.Hashed
	for _, s := range r.file.Signatures {
		s.prepare(r)
		for _, w := range s.wants {
			if spare -= w.end - w.gapEnd; spare >= 0 {
				all = append(all, w)
			}
		}
	}
	p, err := newPass(all, r.file.Size)
	if err != nil {
		return err
	}
	if err := p.run(r); err != nil {
		return err
	}
	r.file.SHA256 = [32]byte(p.whole.Sum(nil))
	return nil
}

// pass is one reading of the file.
type pass struct {
	size    int64
	whole   hash.Hash // SHA-256 of all of it
	prefix  map[crypto.Hash]*prefix
	waiting []*digest // gap not reached, in order of gapAt
	active  []*digest // behind the gap, in order of end
	cuts    []int64   // offsets at which something begins or ends
}

// prefix is the hash of everything so far, up to where somebody last needs it.
type prefix struct {
	hash.Hash
	until int64
}

func newPass(all []*digest, size int64) (*pass, error) {
	p := &pass{size: size, whole: crypto.SHA256.New(), prefix: map[crypto.Hash]*prefix{}, waiting: all}
	p.prefix[crypto.SHA256] = &prefix{p.whole, size}
	for _, d := range all {
		run := p.prefix[d.hash]
		if run == nil {
			run = &prefix{Hash: d.hash.New()}
			p.prefix[d.hash] = run
		}
		run.until = max(run.until, d.gapAt)
		p.cuts = append(p.cuts, d.gapAt, d.gapEnd, d.end)
	}
	slices.SortFunc(p.waiting, func(a, b *digest) int { return cmp.Compare(a.gapAt, b.gapAt) })
	slices.Sort(p.cuts)
	p.cuts = slices.Compact(p.cuts)
	return p, p.at(0)
}

const hashChunk = 256 << 10

func (p *pass) run(r *reader) error {
	buf := r.lend(hashChunk)
	for at := int64(0); at < p.size; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		b := buf[:min(hashChunk, p.size-at)]
		if n, err := r.r.ReadAt(b, at); n < len(b) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read at %d: %w", at, err)
		}
		r.skips.look(r, b, at)
		for len(b) > 0 {
			n := int64(len(b))
			if len(p.cuts) > 0 && p.cuts[0]-at < n {
				n = p.cuts[0] - at
			}
			p.write(b[:n], at)
			b, at = b[n:], at+n
			if err := p.at(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// write hashes bytes that no cut falls into.
func (p *pass) write(b []byte, at int64) {
	for _, run := range p.prefix {
		if at < run.until {
			run.Write(b)
		}
	}
	for _, d := range p.active {
		if at >= d.gapEnd {
			d.running.Write(b)
		}
	}
}

// at begins and ends what begins and ends at an offset.
func (p *pass) at(offset int64) error {
	for len(p.cuts) > 0 && p.cuts[0] <= offset {
		p.cuts = p.cuts[1:]
	}
	for len(p.waiting) > 0 && p.waiting[0].gapAt == offset {
		d := p.waiting[0]
		cloner, ok := p.prefix[d.hash].Hash.(hash.Cloner)
		if !ok {
			return fmt.Errorf("hash %v cannot be cloned", d.hash)
		}
		clone, err := cloner.Clone()
		if err != nil {
			return fmt.Errorf("clone hash %v: %w", d.hash, err)
		}
		d.running = clone
		p.waiting, p.active = p.waiting[1:], append(p.active, d)
	}
	p.active = slices.DeleteFunc(p.active, func(d *digest) bool {
		if offset >= d.end {
			d.sum, d.running = d.running.Sum(nil), nil
			return true
		}
		return false
	})
	return nil
}
