package pdf

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Tail is what an update appends to the file. Bytes may be written once all
// holes are filled.
type Tail struct {
	At    int64 // absolute offset of Bytes[0]: the size of the file before
	Bytes []byte

	holes map[*Hole]int // offsets into Bytes
}

// Hole returns the absolute offset and length of a hole in the file that file
// and tail make. For a hexadecimal hole that includes its angle brackets.
func (t *Tail) Hole(h *Hole) (at int64, length int, err error) {
	i, ok := t.holes[h]
	if !ok {
		return 0, 0, misuse("hole is not in this tail")
	}
	return t.At + int64(i), h.Len, nil
}

// Fill puts b into a hole: as hexadecimal digits padded with zeros, or as it
// is, padded with spaces. A hole may be filled again.
func (t *Tail) Fill(h *Hole, b []byte) error {
	i, ok := t.holes[h]
	if !ok {
		return misuse("hole is not in this tail")
	}
	room := t.Bytes[i : i+h.Len]
	pad := byte(' ')
	if h.Hex {
		room, pad = room[1:len(room)-1], '0'
		if 2*len(b) > len(room) {
			return misuse("%d bytes for a hole of %d", len(b), len(room)/2)
		}
		room = room[hex.Encode(room, b):]
	} else {
		if len(b) > len(room) {
			return misuse("%d bytes for a hole of %d", len(b), len(room))
		}
		room = room[copy(room, b):]
	}
	for i := range room {
		room[i] = pad
	}
	return nil
}

// writtenObject is where an object of the tail is, as the file states offsets.
type writtenObject struct {
	ref Ref
	at  int64
}

// Build writes the update as one tail: objects in order of number, none in an
// object stream, and a cross-reference section in the style of the file's
// newest one. A hybrid file gets a table. Building does not use the update up.
func (u *Update) Build() (*Tail, error) {
	if u.err != nil {
		return nil, u.err
	}
	w := &writer{base: u.d.size, holes: map[*Hole]int{}}
	if err := u.endLastLine(w); err != nil {
		return nil, err
	}
	entries, err := u.writeObjects(w)
	if err != nil {
		return nil, err
	}
	trailer, err := u.buildTrailer()
	if err != nil {
		return nil, err
	}
	at := w.offset()
	if u.d.xrefStyle() == XRefStream {
		err = u.writeStreamSection(w, entries, trailer)
	} else {
		err = u.writeTableSection(w, entries, trailer)
	}
	if err != nil {
		return nil, fmt.Errorf("write cross-reference: %w", err)
	}
	w.writeText("startxref\n")
	w.buf = strconv.AppendInt(w.buf, at-u.d.shift, 10)
	w.writeText("\n%%EOF\n")
	return &Tail{At: u.d.size, Bytes: w.buf, holes: w.holes}, nil
}

// endLastLine ends the last line of the file if the file does not.
func (u *Update) endLastLine(w *writer) error {
	last, _, err := u.d.readWindow(u.d.size-1, u.d.size)
	if err != nil {
		return err
	}
	if len(last) == 1 && last[0] != '\n' && last[0] != '\r' {
		w.writeText("\n")
	}
	return nil
}

func (u *Update) writeObjects(w *writer) ([]writtenObject, error) {
	var entries []writtenObject
	for _, n := range u.pendingNumbers() {
		p := u.pending[n]
		if p.value == nil {
			return nil, misuse("object %v was reserved and never set", p.ref)
		}
		w.security, w.ref = u.d.security, p.ref
		at, err := w.writeIndirect(p.ref, p.value)
		if err != nil {
			return nil, fmt.Errorf("write object %v: %w", p.ref, err)
		}
		entries = append(entries, writtenObject{p.ref, at - u.d.shift})
	}
	w.security = nil // neither trailer nor cross-reference is encrypted
	return entries, nil
}

// buildTrailer completes the trailer but for /Size. The first element of /ID
// stays what it was, the second tells this revision from all others (ISO
// 32000-1 §14.4).
func (u *Update) buildTrailer() (Dict, error) {
	t := cloneDict(u.trailer)
	t["Prev"] = Integer(u.d.sections[0].at - u.d.shift)
	fresh := make([]byte, 16)
	if _, err := io.ReadFull(u.d.random, fresh); err != nil {
		return nil, fmt.Errorf("draw file identifier: %w", err)
	}
	first, err := u.d.firstIDOr(fresh)
	if err != nil {
		return nil, err
	}
	t["ID"] = Array{String{Bytes: first, Hex: true}, String{Bytes: fresh, Hex: true}}
	return t, nil
}

// firstIDOr returns the first element of /ID for a new trailer: that of the file,
// or fresh if the file has none. In an encrypted file without one it is empty,
// since the key was derived from an empty one (ISO 32000-1 §7.6.3.3).
func (d *Document) firstIDOr(fresh []byte) ([]byte, error) {
	first, ok, err := d.readFirstID()
	switch {
	case err != nil:
		return nil, err
	case ok:
		return first, nil
	case d.security != nil:
		return nil, nil
	}
	return fresh, nil
}

// readFirstID returns the first element of /ID. Readers take an /ID that is no array
// of strings for a missing one, so it is not ok either. The error is the
// io.ReaderAt's.
func (d *Document) readFirstID() (first []byte, ok bool, err error) {
	id, err := d.Array(d.trailer["ID"])
	if isReadError(err) {
		return nil, false, fmt.Errorf("/ID: %w", err)
	}
	if err != nil || len(id) == 0 {
		return nil, false, nil
	}
	v, err := d.Resolve(id[0])
	if isReadError(err) {
		return nil, false, fmt.Errorf("/ID: %w", err)
	}
	s, ok := v.(String)
	return s.Bytes, ok, nil
}

// maxTableOffset is what ten digits can say.
const maxTableOffset = 9_999_999_999

// writeTableSection writes subsections of 20-byte entries and the trailer.
func (u *Update) writeTableSection(w *writer, entries []writtenObject, trailer Dict) error {
	trailer["Size"] = Integer(u.next)
	w.writeText("xref\n")
	if len(entries) == 0 {
		w.writeText("0 0\n")
	}
	for run := range consecutiveRuns(entries) {
		w.writeText(fmt.Sprintf("%d %d\n", run[0].ref.Number, len(run)))
		for _, e := range run {
			if e.at > maxTableOffset {
				return tooLarge(e.at, "offset beyond the ten digits of a cross-reference table")
			}
			w.writeText(fmt.Sprintf("%010d %05d n\r\n", e.at, e.ref.Generation))
		}
	}
	w.writeText("trailer\n")
	if err := w.writeDict(trailer); err != nil {
		return err
	}
	w.writeText("\n")
	return nil
}

// writeStreamSection writes a cross-reference stream, which lists itself.
func (u *Update) writeStreamSection(w *writer, entries []writtenObject, trailer Dict) error {
	self := Ref{Number: u.next}
	if int64(self.Number) > int64(u.d.limits.Objects) {
		return tooLarge(-1, "object number %d", self.Number)
	}
	entries = append(slices.Clip(entries), writtenObject{self, w.offset() - u.d.shift})
	width := 1
	for last := entries[len(entries)-1].at; last>>(8*width) > 0; {
		width++
	}
	var index Array
	var data []byte
	for run := range consecutiveRuns(entries) {
		index = append(index, Integer(run[0].ref.Number), Integer(len(run)))
		for _, e := range run {
			data = append(data, 1)
			for i := width - 1; i >= 0; i-- {
				data = append(data, byte(e.at>>(8*i)))
			}
			data = append(data, byte(e.ref.Generation>>8), byte(e.ref.Generation))
		}
	}
	trailer["Type"] = Name("XRef")
	trailer["Size"] = Integer(self.Number + 1)
	trailer["Index"] = index
	trailer["W"] = Array{Integer(1), Integer(width), Integer(2)}
	_, err := w.writeIndirect(self, &Stream{Dict: trailer, Data: data})
	return err
}

// consecutiveRuns yields stretches of entries whose numbers follow one another.
func consecutiveRuns(entries []writtenObject) func(yield func([]writtenObject) bool) {
	return func(yield func([]writtenObject) bool) {
		for len(entries) > 0 {
			n := 1
			for n < len(entries) && entries[n].ref.Number == entries[n-1].ref.Number+1 {
				n++
			}
			if !yield(entries[:n]) {
				return
			}
			entries = entries[n:]
		}
	}
}
