package sniff

import (
	"cmp"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
)

// entry is a file of a zip archive.
type entry struct {
	name         string
	method       uint16
	crc          uint32
	packed, size int64
	from, at     int64 // offsets of the local header, and of the packed bytes
	described    bool  // its sums and sizes may come after the packed bytes
}

const (
	stored   = 0
	deflated = 8

	centralLen = 46
	localLen   = 30
	endLen     = 22
)

// readDirectory reads the entries of an archive, and refuses one that two readers could read as two archives: its parts
// lie one after the other from the first byte on and name themselves alike wherever they are named. The standard
// library's reader is more forgiving than that.
func readDirectory(r io.ReaderAt, size int64, l Limits) ([]entry, error) {
	end, at, err := endOfDirectory(r, size)
	if err != nil {
		return nil, err
	}
	count, length, begin := int(binary.LittleEndian.Uint16(end[10:])), int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case binary.LittleEndian.Uint32(end[4:]) != 0 || int(binary.LittleEndian.Uint16(end[8:])) != count:
		return nil, newRefusal(Damaged, "the archive has several volumes")
	case begin+length != at:
		return nil, newRefusal(Damaged, "the directory [%d, +%d) does not end at %d", begin, length, at)
	case count > l.Entries:
		return nil, newRefusal(TooComplex, "%d entries", count)
	}
	raw := make([]byte, length)
	if _, err := r.ReadAt(raw, begin); err != nil {
		return nil, fmt.Errorf("read archive directory: %w", err)
	}
	entries := make([]entry, 0, count)
	names := map[string]bool{}
	for range count {
		var e entry
		var offset int64
		if e, offset, raw, err = parseCentralEntry(raw); err != nil {
			return nil, err
		}
		// Names that differ in case only are one file to some readers.
		fold := strings.ToLower(e.name)
		if names[fold] {
			return nil, newRefusal(Damaged, "two entries are called %q", e.name)
		}
		names[fold] = true
		e.from = offset
		if err := checkLocalHeader(r, &e, begin); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if len(raw) > 0 {
		return nil, newRefusal(Damaged, "%d bytes follow the last entry of the directory", len(raw))
	}
	return entries, checkContiguous(entries, begin)
}

// checkContiguous refuses entries that overlap, and what lies between them, before them or behind the last: a reader that goes
// from entry to entry would see what the directory does not list.
func checkContiguous(entries []entry, end int64) error {
	byPlace := slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.from, b.from) })
	next, described := int64(0), false
	for _, e := range append(byPlace, entry{name: "directory", from: end}) {
		switch gap := e.from - next; {
		case gap == 0:
		case described && (gap == 12 || gap == 16 || gap == 20 || gap == 24):
		default:
			return newRefusal(Damaged, "%d bytes are between %q and what is before", gap, e.name)
		}
		next, described = e.at+e.packed, e.described
	}
	return nil
}

// endOfDirectory finds the record at the end of the archive. Nothing may follow it but its own comment.
func endOfDirectory(r io.ReaderAt, size int64) (record []byte, at int64, err error) {
	tail := make([]byte, min(size, endLen+1<<16))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, 0, fmt.Errorf("read end of archive: %w", err)
	}
	for i := len(tail) - endLen; i >= 0; i-- {
		if binary.LittleEndian.Uint32(tail[i:]) != 0x06054b50 {
			continue
		}
		if int(binary.LittleEndian.Uint16(tail[i+20:])) != len(tail)-i-endLen {
			return nil, 0, newRefusal(Damaged, "the end of the archive is not its end")
		}
		return tail[i : i+endLen], size - int64(len(tail)-i), nil
	}
	return nil, 0, newRefusal(Damaged, "the archive has no directory")
}

// parseCentralEntry reads one entry of the directory.
func parseCentralEntry(b []byte) (e entry, offset int64, rest []byte, err error) {
	if len(b) < centralLen || binary.LittleEndian.Uint32(b) != 0x02014b50 {
		return e, 0, nil, newRefusal(Damaged, "the directory has fewer entries than it says")
	}
	u16, u32 := func(i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }, func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	nameLen, total := int(u16(28)), centralLen+int(u16(28))+int(u16(30))+int(u16(32))
	if len(b) < total {
		return e, 0, nil, newRefusal(Damaged, "an entry of the directory is cut off")
	}
	e = entry{name: string(b[centralLen : centralLen+nameLen]), method: u16(10), crc: u32(16), packed: int64(u32(20)), size: int64(u32(24))}
	const links, kinds = 0o120000, 0o170000 // of the mode in the upper half of the attributes, where the writer was Unix
	switch flags, attributes := u16(8), u32(38); {
	case flags&(1|1<<6|1<<13) != 0:
		return e, 0, nil, newRefusal(Encrypted, "entry %q is encrypted", e.name)
	case b[5] == 3 && attributes>>16&kinds == links:
		return e, 0, nil, newRefusal(Damaged, "entry %q is a symbolic link", e.name)
	case e.method != stored && e.method != deflated:
		return e, 0, nil, newRefusal(Damaged, "entry %q is packed by method %d", e.name, e.method)
	case e.method == stored && e.packed != e.size:
		return e, 0, nil, newRefusal(Damaged, "entry %q has two lengths", e.name)
	case e.packed == 1<<32-1 || e.size == 1<<32-1 || u32(42) == 1<<32-1:
		return e, 0, nil, newRefusal(TooComplex, "entry %q is beyond 4 GiB", e.name)
	case !isPartName(e.name):
		return e, 0, nil, newRefusal(Damaged, "an entry is called %q", e.name)
	}
	extra := b[centralLen+nameLen:][:u16(30)]
	if err := checkUnicodeName(e.name, extra); err != nil {
		return e, 0, nil, err
	}
	return e, int64(u32(42)), b[total:], nil
}

// isPartName reports whether a name is that of a part: relative, without ways up, and the same on every system.
func isPartName(name string) bool {
	switch {
	case name == "", len(name) > 255, strings.HasPrefix(name, "/"), strings.ContainsAny(name, `\:*?"<>|`):
		return false
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return false
	}
	return path.Clean(name) == strings.TrimSuffix(name, "/") && name != ".." && !strings.HasPrefix(name, "../")
}

// checkUnicodeName refuses an extra field that gives an entry another name, in UTF-8, by which some readers go.
func checkUnicodeName(name string, extra []byte) error {
	const unicodePath, head = 0x7075, 5 // a version and a sum come before the name
	for len(extra) >= 4 {
		id, length := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; length > len(extra) {
			return newRefusal(Damaged, "entry %q has an extra field that is cut off", name)
		}
		if id == unicodePath && string(extra[min(head, length):length]) != name {
			return newRefusal(Damaged, "entry %q is also called %q", name, extra[:length])
		}
		extra = extra[length:]
	}
	return nil
}

// checkLocalHeader compares an entry with what comes before its bytes, and finds these.
func checkLocalHeader(r io.ReaderAt, e *entry, limit int64) error {
	head := make([]byte, localLen+len(e.name))
	if e.from+int64(len(head)) > limit {
		return newRefusal(Damaged, "entry %q begins at %d, beyond the directory", e.name, e.from)
	}
	if _, err := r.ReadAt(head, e.from); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	u16, u32 := func(i int) uint16 { return binary.LittleEndian.Uint16(head[i:]) }, func(i int) uint32 { return binary.LittleEndian.Uint32(head[i:]) }
	if u32(0) != 0x04034b50 || int(u16(26)) != len(e.name) || string(head[localLen:]) != e.name || u16(8) != e.method {
		return newRefusal(Damaged, "entry %q is another one in its own place", e.name)
	}
	e.at, e.described = e.from+int64(len(head))+int64(u16(28)), u16(6)&(1<<3) != 0
	const large = 1<<32 - 1 // the sizes are in an extra field, as some write even small ones
	differ := func(i int, size int64) bool { return u32(i) != large && int64(u32(i)) != size }
	if !e.described && (u32(14) != e.crc || differ(18, e.packed) || differ(22, e.size)) {
		return newRefusal(Damaged, "entry %q has other sizes in its own place", e.name)
	}
	if e.at+e.packed > limit {
		return newRefusal(Damaged, "entry %q ends beyond the directory", e.name)
	}
	extra := make([]byte, u16(28))
	if _, err := r.ReadAt(extra, e.from+int64(len(head))); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	return checkUnicodeName(e.name, extra)
}

// entryReader is an entry that is being unpacked. It yields no more than the directory says, and at the end finds out
// whether it was that.
type entryReader struct {
	entry
	in   io.Reader
	left int64
	sum  hash.Hash32
}

func (e entry) openEntry(r io.ReaderAt) *entryReader {
	o := &entryReader{entry: e, in: io.NewSectionReader(r, e.at, e.packed), left: e.size, sum: crc32.NewIEEE()}
	if e.method == deflated {
		o.in = flate.NewReader(o.in)
	}
	return o
}

func (o *entryReader) Read(p []byte) (int, error) {
	if o.left == 0 {
		return 0, o.checkEnd()
	}
	n, err := o.in.Read(p[:min(int64(len(p)), o.left)])
	o.left -= int64(n)
	o.sum.Write(p[:n])
	switch {
	case err == io.EOF && o.left > 0:
		return n, newRefusal(Damaged, "entry %q is shorter than the directory says", o.name)
	case err != nil && err != io.EOF:
		return n, newRefusal(Damaged, "entry %q cannot be unpacked: %v", o.name, err)
	}
	return n, nil
}

func (o *entryReader) checkEnd() error {
	if n, _ := io.ReadFull(o.in, make([]byte, 1)); n > 0 || o.sum.Sum32() != o.crc {
		return newRefusal(Damaged, "entry %q is not what the directory says", o.name)
	}
	return io.EOF
}

// checkSizes refuses an archive that would become too much. The sizes are the archive's own words; [opened] holds it
// to them.
func checkSizes(entries []entry, l Limits) error {
	var sum int64
	for _, e := range entries {
		sum += e.size
		if e.size > 1<<20+l.Ratio*e.packed {
			return newRefusal(TooComplex, "entry %q unpacks %d bytes to %d", e.name, e.packed, e.size)
		}
	}
	if sum > l.Inflated {
		return newRefusal(TooComplex, "it unpacks to %d bytes", sum)
	}
	return nil
}
