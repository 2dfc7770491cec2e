package pdf

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

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

// writeHeader states the higher one of the versions that header and catalog of the
// source state. The second line tells programs that the file is binary (ISO
// 32000-1 §7.5.2).
func (w *rewriter) writeHeader(o RewriteOptions) {
	version := w.d.Facts().Version
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

// needsXrefStream reports whether offsets may not fit the ten digits of a table. It
// is decided before the first byte, from the size of the source.
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

// writeStream writes a stream with the data of the source as they are. They need
// no other encryption: the key is that of the file, or of the number, which
// stays. Data that many streams share would make a small file grow without
// end, and no sound file has any.
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

// mapRefs replaces, in place, references by those of the new file. Those that
// lead nowhere become null.
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

// buildTrailer holds what is kept, and an /ID whose second element stands for this
// file's bytes. The first stays what it was, not least because keys depend on
// it, even where it is missing (ISO 32000-1 §14.4 and §7.6.3.3).
func (w *rewriter) buildTrailer() (Dict, error) {
	t := Dict{}
	for _, k := range keptTrailerKeys {
		if v := w.mapRefs(Clone(w.d.trailer[k])); v != nil {
			t[k] = v
		}
	}
	fresh := w.sum.Sum(nil)[:16]
	first, err := w.d.firstIDOr(fresh)
	if err != nil {
		return nil, err
	}
	t["ID"] = Array{String{Bytes: first, Hex: true}, String{Bytes: fresh, Hex: true}}
	w.out.security = nil
	return t, nil
}

// writeTable writes one subsection from object 0 on, as a file that was
// never updated has (ISO 32000-1 §7.5.4). Numbers that are not used are free
// for good.
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
