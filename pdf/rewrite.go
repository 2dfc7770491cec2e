package pdf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"strconv"
)

// RewriteOptions choose what Rewrite changes besides repairing the structure. The zero value changes nothing else.
type RewriteOptions struct {
	// Version is the lowest version the header of the new file may state, such as "1.6". A file that states a higher
	// one retains it.
	Version string
}

// Rewritten describes what Rewrite wrote.
type Rewritten struct {
	Size    int64 // bytes
	Objects int   // that something refers to
	Dropped int   // that the source has and nothing refers to
}

// Rewrite writes the document as a new file: one revision, a header at the first byte, every object that can be reached
// from the trailer, none in an object stream, in the order of the source, and one cross-reference table from object 0
// on. It is for files that are damaged or that a later program could not extend, and it is the only function of this
// package that does not preserve the original bytes.
//
// It preserves: object numbers and generations, unless the numbers are so sparse that the table would be much larger
// than the file; the encoded data of every stream, byte for byte, copied through a buffer; the first element of /ID;
// /Info; encryption, with its key, dictionary and permissions, so that an encrypted file stays encrypted in the same
// way. It repairs: /Length of streams, references to nothing (they become null, so that a later update cannot give them
// a meaning), and counts, parents and missing kids of an inconsistent page tree. It drops: free objects, linearization,
// trailer entries that describe the former file.
//
// The same document gives the same bytes, except for the initialization vectors of AES, which come from Options.Random.
// Memory is some bytes per object, whatever the size of the file.
//
// It fails with ErrSigned if a signature can be reached, since rewriting breaks signatures; with ErrDamaged if a
// reachable object cannot be read, or, in a repaired file, does not exist: leaving it out would be guessing; and with
// ErrTooLarge. What w has received by then is not a valid file.
func (d *Document) Rewrite(w io.Writer, o RewriteOptions) (Rewritten, error) {
	r := &reachWalk{d: d, replaced: map[uint32]Object{}}
	if err := r.repairPages(); err != nil {
		return Rewritten{}, fmt.Errorf("repair page tree: %w", err)
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

// FindSignature returns the first object with a signature that can be reached from the trailer, for which Rewrite fails; zero if
// there is none. Signatures of usage rights are not in a field, so Signatures does not list them. It reads all objects.
func (d *Document) FindSignature() (Ref, error) {
	r := &reachWalk{d: d}
	if err := r.markReachable(); err != nil {
		return Ref{}, fmt.Errorf("walk objects: %w", err)
	}
	return r.signature, nil
}

// rewriter writes the new file piece by piece.
type rewriter struct {
	d       *Document
	reach   *reachWalk
	numbers numbering
	w       io.Writer
	sum     hash.Hash // over what was written
	at      int64     // bytes written
	out     writer    // buffers one object without stream data
	copied  int64     // bytes of stream data

	offsets     []int64 // by new number; 0 for objects that are not there
	generations map[uint32]uint16
	copyBuffer  []byte
}

// flush writes the buffer.
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

// repairPages plans the repair of an inconsistent page tree: wrong counts, missing kids, pages that are direct objects
// or listed twice, wrong /Parent. A tree with a loop, or with something else in a page's place, cannot be repaired:
// readers differ on what its pages are.
func (r *reachWalk) repairPages() error {
	if _, err := r.d.PageCount(); err != nil {
		return err
	}
	if !r.d.ambiguousTree {
		return nil
	}
	root, err := r.d.readPagesRoot()
	if err != nil {
		return err
	}
	if root.ref.IsZero() || root.kids == nil {
		return damaged(-1, "page tree has no root")
	}
	_, _, err = r.repairNode(r.d.newTreeWalk(), root, Ref{})
	return err
}

// maxCopies bounds the nodes and pages that Rewrite adds: a tree whose nodes share their kids can stand for more pages
// than the file has bytes.
const maxCopies = 10_000

// repairNode plans the node or page n below parent. It returns its reference, which is new if n was a direct object,
// and how many pages it stands for.
func (r *reachWalk) repairNode(w *treeWalk, n node, parent Ref) (Ref, int, error) {
	if err := w.enterNode(n); err != nil {
		return Ref{}, 0, err
	}
	defer w.leaveNode(n)
	ref := n.ref
	var err error
	// A page that is listed twice becomes two pages, so that a field on one of them is not shown on the other.
	if ref.IsZero() || !w.isFirstVisit(ref) {
		if r.copies++; r.copies > maxCopies {
			return Ref{}, 0, tooLarge(-1, "page tree lists more than %d pages twice or directly", maxCopies)
		}
		if ref, err = r.reserveNumber(); err != nil {
			return Ref{}, 0, err
		}
	}
	if n.kids == nil {
		if isPage, err := r.d.isPage(n.dict); err != nil {
			return Ref{}, 0, err
		} else if !isPage {
			return Ref{}, 0, damaged(-1, "page tree: object %v is not a page", n.ref)
		}
		if ref != n.ref || n.dict["Parent"] != Object(parent) {
			dict := cloneDict(n.dict)
			dict["Parent"] = parent
			r.replaced[ref.Number] = dict
		}
		return ref, 1, nil
	}
	kids, total := Array{}, 0
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return Ref{}, 0, err
		}
		k, err := r.d.readTreeNode(kid)
		if err != nil {
			return Ref{}, 0, err
		}
		if ref, ok := kid.(Ref); ok && r.isMissing(ref) {
			return Ref{}, 0, damaged(-1, "page tree: object %v is missing", ref)
		}
		if k.dict == nil {
			continue
		}
		below, count, err := r.repairNode(w, k, ref)
		if err != nil {
			return Ref{}, 0, err
		}
		if count > 0 {
			kids = append(kids, below)
			total += count
		}
	}
	dict := cloneDict(n.dict)
	dict["Type"], dict["Kids"], dict["Count"] = Name("Pages"), kids, Integer(total)
	if delete(dict, "Parent"); !parent.IsZero() {
		dict["Parent"] = parent
	}
	r.replaced[ref.Number] = dict
	return ref, total, nil
}

// reserveNumber returns a number for a page that was a direct object. Nothing in the file may refer to it, or a
// reference to nothing would lead to the page.
func (r *reachWalk) reserveNumber() (Ref, error) {
	next, err := r.d.NextObject()
	if err != nil {
		return Ref{}, err
	}
	if r.added = max(r.added+1, next); int64(r.added) > int64(r.d.limits.Objects) {
		return Ref{}, tooLarge(-1, "object number %d", r.added)
	}
	return Ref{Number: r.added}, nil
}

// writeFile writes header, objects, cross-reference and end.
func (w *rewriter) writeFile(o RewriteOptions) error {
	w.writeHeader(o)
	if err := w.flush(); err != nil {
		return err
	}
	for _, n := range w.reach.markedInFileOrder() {
		ref, value, err := w.reach.loadObject(n)
		if err != nil {
			return err
		}
		if err := w.writeIndirect(ref, value); err != nil {
			return fmt.Errorf("write object %v: %w", ref, err)
		}
	}
	trailer, err := w.buildTrailer()
	if err != nil {
		return err
	}
	at := w.at
	if w.needsXrefStream() {
		err = w.writeXrefStream(trailer)
	} else {
		err = w.writeTable(trailer)
	}
	if err != nil {
		return fmt.Errorf("write cross-reference: %w", err)
	}
	w.out.writeText("startxref\n")
	w.out.buf = strconv.AppendInt(w.out.buf, at, 10)
	w.out.writeText("\n%%EOF\n")
	return w.flush()
}

// writeHeader states the higher one of the versions in header and catalog of the source. The second line marks the file
// as binary (ISO 32000-1 §7.5.2).
func (w *rewriter) writeHeader(o RewriteOptions) {
	version := w.d.Properties().Version
	if !isValidVersion(version) {
		version = "1.7"
	}
	if isNewer(o.Version, version) {
		version = o.Version
	}
	if w.needsXrefStream() && isNewer("1.5", version) {
		version = "1.5"
	}
	w.out.writeText("%PDF-" + version + "\n%\xE2\xE3\xCF\xD3\n")
}

func isValidVersion(v string) bool {
	return len(v) == 3 && (v[0] == '1' || v[0] == '2') && v[1] == '.' && v[2] >= '0' && v[2] <= '9'
}

// needsXrefStream reports whether offsets may exceed the ten digits of a table. It is decided before the first byte,
// from the size of the source.
func (w *rewriter) needsXrefStream() bool { return w.d.size > maxTableOffset/2 }

// writeIndirect writes one object under its number.
func (w *rewriter) writeIndirect(ref Ref, o Object) error {
	to := w.numbers.newRef(ref)
	w.offsets[to.Number] = w.at
	if to.Generation != 0 {
		w.generations[to.Number] = to.Generation
	}
	s := &w.out
	s.security, s.ref = w.d.security, to
	if s.security != nil && ref == s.security.dict {
		s.security = nil // the encryption dictionary is never encrypted
	}
	s.buf = fmt.Appendf(s.buf, "%d %d obj\n", to.Number, to.Generation)
	if st, ok := o.(*Stream); ok {
		if err := w.writeStream(st); err != nil {
			return err
		}
	} else if err := s.writeObject(w.mapRefs(o)); err != nil {
		return err
	}
	s.writeText("\nendobj\n")
	return w.flush()
}

// writeStream writes a stream with the encoded data of the source. The encryption stays valid: the key is that of the
// file, or of the object number, which does not change. Data that many streams share would make a small file grow
// without bound, and valid files have none.
func (w *rewriter) writeStream(st *Stream) error {
	if w.copied += st.size; w.copied > w.d.size {
		return damaged(st.start, "streams overlap")
	}
	dict, _ := w.mapRefs(st.Dict).(Dict)
	dict["Length"] = Integer(st.size)
	if err := w.out.writeDict(dict); err != nil {
		return err
	}
	w.out.writeText("\nstream\n")
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.copyData(st.start, st.size); err != nil {
		return err
	}
	w.out.writeText("\nendstream")
	return nil
}

func (w *rewriter) copyData(at, n int64) error {
	if w.copyBuffer == nil {
		w.copyBuffer = make([]byte, 128<<10)
	}
	for n > 0 {
		b := w.copyBuffer[:min(n, int64(len(w.copyBuffer)))]
		if got, err := w.d.src.ReadAt(b, at); got < len(b) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read at %d: %w", at, err)
		}
		if err := w.writeBytes(b); err != nil {
			return err
		}
		at, n = at+int64(len(b)), n-int64(len(b))
	}
	return nil
}

// mapRefs replaces, in place, references by those of the new file. References to nothing become null.
func (w *rewriter) mapRefs(o Object) Object {
	switch o := o.(type) {
	case Ref:
		if !w.reach.isMarked(o.Number) || !w.d.isInFile(o) && w.reach.replaced[o.Number] == nil {
			return Null{}
		}
		return w.numbers.newRef(o)
	case Array:
		for i, v := range o {
			o[i] = w.mapRefs(v)
		}
	case Dict:
		for k, v := range o {
			o[k] = w.mapRefs(v)
		}
	}
	return o
}

// buildTrailer builds the trailer, with an /ID whose second element identifies this file's bytes. The first does not
// change, not least because keys depend on it, even where it is missing (ISO 32000-1 §14.4 and §7.6.3.3).
func (w *rewriter) buildTrailer() (Dict, error) {
	t := Dict{}
	for _, k := range keptTrailerKeys {
		if v := w.mapRefs(Clone(w.d.trailer[k])); v != nil {
			t[k] = v
		}
	}
	id := w.sum.Sum(nil)[:16]
	first, err := w.d.firstIDOr(id)
	if err != nil {
		return nil, err
	}
	t["ID"] = Array{String{Bytes: first, Hex: true}, String{Bytes: id, Hex: true}}
	w.out.security = nil
	return t, nil
}

// writeTable writes one subsection from object 0 on, as in a file that was never updated (ISO 32000-1 §7.5.4). Unused
// numbers are free and cannot be reused.
func (w *rewriter) writeTable(trailer Dict) error {
	trailer["Size"] = Integer(len(w.offsets))
	s := &w.out
	s.buf = fmt.Appendf(s.buf, "xref\n0 %d\n", len(w.offsets))
	for n, at := range w.offsets {
		switch {
		case at > maxTableOffset:
			return tooLarge(at, "offset beyond the ten digits of a cross-reference table")
		case at == 0:
			s.writeText("0000000000 65535 f\r\n")
		default:
			s.buf = fmt.Appendf(s.buf, "%010d %05d n\r\n", at, w.generations[uint32(n)])
		}
		if len(s.buf) >= laterChunk {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	s.writeText("trailer\n")
	if err := s.writeDict(trailer); err != nil {
		return err
	}
	s.writeText("\n")
	return w.flush()
}

// writeXrefStream writes the same as a cross-reference stream.
func (w *rewriter) writeXrefStream(trailer Dict) error {
	self := Ref{Number: uint32(len(w.offsets))}
	w.offsets = append(w.offsets, w.at)
	data := make([]byte, 0, 9*len(w.offsets))
	for n, at := range w.offsets {
		kind, gen := byte(1), w.generations[uint32(n)]
		if at == 0 {
			kind, gen = 0, 65535
		}
		data = append(data, kind)
		for shift := 40; shift >= 0; shift -= 8 {
			data = append(data, byte(at>>shift))
		}
		data = append(data, byte(gen>>8), byte(gen))
	}
	trailer["Type"] = Name("XRef")
	trailer["Size"] = Integer(len(w.offsets))
	trailer["W"] = Array{Integer(1), Integer(6), Integer(2)}
	if _, err := w.out.writeIndirect(self, &Stream{Dict: trailer, Data: data}); err != nil {
		return err
	}
	return w.flush()
}

// RequireEquivalent returns an error unless two documents have the same pages, with the same boxes, rotations and
// units, and the same form fields, with the same types, values and numbers of widgets. It is the check of a rewritten
// file. The error is ErrDamaged if they differ, and names the first difference.
func RequireEquivalent(before, after *Document) error {
	if err := requireSamePages(before, after); err != nil {
		return err
	}
	return requireSameFields(before, after)
}

func requireSamePages(before, after *Document) error {
	next, stop := iter.Pull2(after.Pages())
	defer stop()
	for p, err := range before.Pages() {
		if err != nil {
			return err
		}
		q, err, ok := next()
		switch {
		case !ok:
			return damaged(-1, "page %d is missing", p.Number)
		case err != nil:
			return err
		case p.MediaBox != q.MediaBox || p.CropBox != q.CropBox || p.Rotate != q.Rotate || p.UserUnit != q.UserUnit:
			return damaged(-1, "page %d has different boxes", p.Number)
		}
	}
	if _, err, more := next(); err != nil || more {
		return errors.Join(err, damaged(-1, "there are more pages than before"))
	}
	return nil
}

func requireSameFields(before, after *Document) error {
	was, err := before.Fields()
	if err != nil {
		return err
	}
	is, err := after.Fields()
	if err != nil {
		return err
	}
	if len(was) != len(is) {
		return damaged(-1, "%d form fields became %d", len(was), len(is))
	}
	for i, f := range was {
		g := is[i]
		if f.Name != g.Name || f.Type != g.Type || f.Flags != g.Flags || len(f.Widgets) != len(g.Widgets) {
			return damaged(-1, "form field %q became %q", f.Name, g.Name)
		}
		same, err := isSameValue(before, after, f.Value, g.Value)
		if err != nil {
			return fmt.Errorf("value of form field %q: %w", f.Name, err)
		}
		if !same {
			return damaged(-1, "value of form field %q changed", f.Name)
		}
	}
	return nil
}

// isSameValue compares values that are names or strings, which is what people fill in. Others count as equal if they
// have the same type.
func isSameValue(before, after *Document, a, b Object) (bool, error) {
	v, err := before.Resolve(a)
	if err != nil {
		return false, err
	}
	w, err := after.Resolve(b)
	if err != nil {
		return false, err
	}
	switch v := v.(type) {
	case String:
		s, ok := w.(String)
		return ok && bytes.Equal(v.Bytes, s.Bytes), nil
	case Name:
		return w == Object(v), nil
	}
	return typeName(v) == typeName(w), nil
}
