package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// headerWindow is how many bytes at the start of a file readers search for %PDF-.
	headerWindow = 1024
	// tailWindow is how many bytes at the end they search for startxref.
	tailWindow = 1056
	// nearby is how many bytes startxref may be off for the section to be found.
	nearby = 64
)

// Open reads the cross-reference of the size bytes behind r. It fails with ErrNotPDF, ErrDamaged, ErrEncrypted,
// ErrPasswordNeeded or ErrTooLarge; any other error comes from r.
func Open(r io.ReaderAt, size int64, o Options) (*Document, error) {
	o = o.withDefaults(size)
	d := &Document{
		src: r, size: size, limits: o.Limits, budget: o.Budget, random: o.Random, next: o.NextObject, references: references{limit: uint32(o.Limits.Objects)},
		objects:       newCache[uint32, Object](o.Limits.Cache / 8),
		objectStreams: newCache[uint32, *objectStream](o.Limits.Cache / 8),
		shared: &sharedCache{
			objects:       newCache[filePlace, sharedEntry[Object]](o.Limits.Cache / 2),
			objectStreams: newCache[filePlace, sharedEntry[*objectStream]](o.Limits.Cache / 4),
		},
	}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	earlier := o.Extends
	if earlier != nil && !earlier.isExtendedBy(d) {
		earlier = nil
	}
	err := d.readAllSections(earlier)
	if earlier != nil && d.shift == earlier.shift { // else the same entry leads elsewhere
		d.shared = earlier.shared
	}
	if err == nil {
		err = d.readEncryption(o.Password)
	}
	if err == nil {
		err = d.checkRoot()
	}
	if err == nil && o.Repair {
		err = d.checkEntries()
	}
	if err != nil && o.Repair && errors.Is(err, ErrDamaged) {
		err = d.rebuildXref(o.Password)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// checkRoot requires a catalog, and that the page tree it names exists. Without it a section may have left out earlier
// ones, and other readers then rebuild the cross-reference.
func (d *Document) checkRoot() error {
	_, root, err := d.Root()
	if err != nil {
		return err
	}
	tree := root.Ref("Pages")
	if tree.IsZero() {
		return nil
	}
	pages, err := d.Resolve(tree)
	if isReadError(err) {
		return err
	}
	if err == nil && pages == Object(Null{}) {
		return damaged(-1, "/Pages %v of the catalog does not exist", tree)
	}
	return nil
}

// isExtendedBy reports whether another document, whose file begins with all bytes of this one, may share what this one has read. Without
// a known number for new objects it parses all objects itself, for their references.
func (d *Document) isExtendedBy(longer *Document) bool {
	return d.shared != nil && d.security == nil && d.size <= longer.size && d.header == longer.header && longer.next != 0 && len(d.sections) > 0
}

// readAllSections finds the newest section and follows /Prev from there. Those of an earlier document, if any, are not read again.
func (d *Document) readAllSections(earlier *Document) error {
	at, err := d.readStartXref()
	if err != nil {
		return err
	}
	seen, entries := map[int64]bool{}, int64(0)
	for at != 0 {
		if seen[at] {
			return damaged(at, "cross-reference sections form a loop")
		}
		if len(seen) >= d.limits.Sections {
			return tooLarge(at, "more than %d cross-reference sections", d.limits.Sections)
		}
		if earlier != nil && len(seen) > 0 && at == earlier.sections[0].at && d.shift == earlier.shift && len(seen)+len(earlier.sections) <= d.limits.Sections {
			newer := d.slots
			d.slots = earlier.slots.copyOnWrite()
			d.slots.mergeNewer(&newer, func(uint32, slot, slot) {})
			d.sections = append(d.sections, earlier.sections...)
			break
		}
		seen[at] = true
		s, err := d.readSection(at, func(n uint32, s slot) error {
			d.slots.setIfAbsent(n, s)
			if entries++; entries%entriesAtOnce == 0 {
				return d.spendWork(entriesAtOnce * entryWork)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(d.sections) == 0 {
			d.trailer = fileTrailer(s.trailer)
		}
		if s.trailer["Prev"] == Object(Integer(0)) {
			if err := d.requireFirstSection(s); err != nil {
				return err
			}
		}
		s.trailer = nil
		d.sections = append(d.sections, s)
		at = s.prev
	}
	// Object 0 is the head of the free list whatever the file says.
	d.slots.set(0, freeSlot(65535))
	if err := d.requirePlausibleEntries(); err != nil {
		return err
	}
	if size, ok := d.trailer["Size"].(Integer); !ok || int64(size) != int64(d.slots.highest)+1 {
		d.noteDefect("/Size is not the highest object number plus one")
	}
	return nil
}

// shortestObject is the smallest size of an object in bytes: "1 0 obj", a value and "endobj".
const shortestObject = 8

// requirePlausibleEntries refuses a cross-reference with more entries for uncompressed objects than fit into the file. Eight
// million entries that lead to one object fit into 60 KB, and each is visited many times.
func (d *Document) requirePlausibleEntries() error {
	plain := int64(0)
	if int64(d.slots.highest) > d.size/shortestObject {
		_ = d.slots.eachInUse(func(_ uint32, s slot) error {
			if s.kind() == slotPlain {
				plain++
			}
			return nil
		})
	}
	if plain > d.size/shortestObject {
		return tooLarge(-1, "%d entries for objects in %d bytes", plain, d.size)
	}
	return nil
}

// requireFirstSection requires that a section whose trailer states /Prev 0 is the first of the file. Some producers
// write 0 for "none", which is harmless in the first section. After an earlier section it leaves that section out, and
// readers disagree on the objects: poppler, MuPDF and PDFBox rebuild the cross-reference, qpdf takes 0 for "none",
// pyHanko fails.
func (d *Document) requireFirstSection(s *section) error {
	word := []byte("startxref")
	for pos := d.header.offset; pos < s.at; pos += scanChunk {
		b, at, err := d.readWindow(pos, min(s.at, pos+scanChunk+headerWindow))
		if err != nil {
			return err
		}
		if err := d.spendWork(int64(len(b))); err != nil {
			return err
		}
		for i := 0; ; {
			n := bytes.Index(b[i:], word)
			if n < 0 || i+n >= scanChunk {
				break
			}
			i += n + len(word)
			// The first part of a linearized file ends with startxref 0.
			t, err := newBytesLexer(b[i:], at+int64(i)).next()
			if err == nil && t.kind == tokInteger && t.num != 0 {
				return damaged(s.at, "/Prev 0 leaves out an earlier section")
			}
		}
	}
	return nil
}

// fileTrailer returns a trailer without the entries that describe a cross-reference stream as a stream.
func fileTrailer(dict Dict) Dict {
	t := make(Dict, len(dict))
	for k, v := range dict {
		switch k {
		case "Type", "W", "Index", "Length", "Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL":
		default:
			t[k] = v
		}
	}
	return t
}

// readStartXref returns the absolute offset of the newest section.
func (d *Document) readStartXref() (int64, error) {
	tail, at, err := d.readWindow(d.size-tailWindow, d.size)
	if err != nil {
		return 0, err
	}
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return 0, damaged(d.size, "no startxref near the end of the file")
	}
	lx := newBytesLexer(tail[i+len("startxref"):], at+int64(i)+9)
	t, err := lx.next()
	if err != nil || t.kind != tokInteger || t.num <= 0 {
		return 0, damaged(at+int64(i), "startxref without an offset")
	}
	if t.num >= d.size {
		return 0, damaged(at+int64(i), "startxref leads out of the file")
	}
	return d.locateSection(t.num)
}

// locateSection finds the section that startxref means. The offset counts from the first byte, or, where there is junk
// before the header, perhaps from the header. A section a few bytes away is accepted if it is the only one: the next
// update writes its true offset.
func (d *Document) locateSection(stated int64) (int64, error) {
	if d.isSection(stated) {
		return stated, nil
	}
	if h := d.header.offset; h > 0 && stated+h < d.size && d.isSection(stated+h) {
		d.shift = h
		return stated + h, nil
	}
	for _, shift := range []int64{0, d.header.offset} {
		near, err := d.findSectionsNear(stated + shift)
		if err != nil {
			return 0, err
		}
		if len(near) == 1 {
			d.shift = shift
			d.noteDefect("startxref is off")
			return near[0], nil
		}
	}
	return 0, damaged(stated, "startxref does not lead to a cross-reference section")
}

// findSectionsNear lists the offsets near an offset at which a section begins.
func (d *Document) findSectionsNear(offset int64) ([]int64, error) {
	b, at, err := d.readWindow(offset-nearby, offset+nearby)
	if err != nil {
		return nil, err
	}
	var all []int64
	for i := 0; ; i += 4 {
		n := findXref(b[i:])
		if n < 0 {
			break
		}
		i += n
		all = append(all, at+int64(i))
	}
	for i := 0; ; i += 3 {
		n := bytes.Index(b[i:], []byte("obj"))
		if n < 0 {
			break
		}
		i += n
		start, ok := findObjectStart(b[:i])
		if !ok {
			continue
		}
		o, err := d.readObjectAt(at+int64(start), Ref{}, false)
		if isReadError(err) {
			return nil, err
		}
		if err != nil {
			continue
		}
		if st, ok := o.value.(*Stream); ok && st.Dict["Type"] == Object(Name("XRef")) {
			all = append(all, at+int64(start))
		}
	}
	return all, nil
}

// findXref finds the keyword xref, but not the end of startxref.
func findXref(b []byte) int {
	for i := 0; i+4 < len(b); i++ {
		if string(b[i:i+4]) == "xref" && charClasses[b[i+4]] == space && (i == 0 || charClasses[b[i-1]] == space) {
			return i
		}
	}
	return -1
}

// isSection reports whether a section starts at an absolute offset, perhaps after white space.
func (d *Document) isSection(at int64) bool {
	p := d.borrowParser(lexer{src: d.src, base: at, end: min(d.size, at+256)})
	p.lx.borrowBuffer()
	defer p.release()
	t, err := p.peekToken(0)
	if err != nil {
		return false
	}
	if t.isKeyword("xref") {
		return true
	}
	_, err = parseObjectHeader(p, at)
	return err == nil
}

// readWindow reads the bytes between two offsets, as far as they are in the file, and returns the offset of the first.
func (d *Document) readWindow(from, to int64) ([]byte, int64, error) {
	return d.readWindowInto(nil, from, to)
}

// readWindowInto is readWindow, into b if b is long enough.
func (d *Document) readWindowInto(b []byte, from, to int64) ([]byte, int64, error) {
	from, to = max(0, from), min(d.size, to)
	if from >= to {
		return nil, from, nil
	}
	if int64(len(b)) < to-from {
		b = make([]byte, to-from)
	}
	b = b[:to-from]
	n, err := d.src.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, from, fmt.Errorf("read at %d: %w", from, err)
	}
	return b[:n], from, nil
}

// header is read from the first kilobyte.
type header struct {
	offset     int64  // of %PDF-
	version    string // such as "1.7"
	linearized int64  // /L of the linearization dictionary, or 0
}

func (d *Document) readHeader() error {
	b, _, err := d.readWindow(0, 2*headerWindow)
	if err != nil {
		return err
	}
	i := bytes.Index(b[:min(len(b), headerWindow)], []byte("%PDF-"))
	if i < 0 {
		return &Error{Kind: NotPDF, Offset: -1, Msg: "no %PDF- header"}
	}
	d.header.offset = int64(i)
	v := b[i+5:]
	n := 0
	for n < len(v) && n < 8 && (v[n] == '.' || v[n] >= '0' && v[n] <= '9') {
		n++
	}
	d.header.version = string(v[:n])
	d.header.linearized = d.readLinearizedLength(b[i:], int64(i))
	return nil
}

// readLinearizedLength returns the file length that a linearization dictionary
// states. It is the first object of such a file, and within its first kilobyte
// (ISO 32000-1 §F.3.3).
func (d *Document) readLinearizedLength(b []byte, at int64) int64 {
	p := newParser(newBytesLexer(b, at), d.limits)
	if _, err := parseObjectHeader(p, at); err != nil {
		return 0
	}
	o, err := p.parseObject()
	if err != nil {
		return 0
	}
	dict, _ := o.(Dict)
	length, _ := dict["L"].(Integer)
	if dict["Linearized"] == nil || length < 0 {
		return 0
	}
	return int64(length)
}
