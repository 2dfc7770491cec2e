package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Revision is one state of the file, which ends in %%EOF. A prefix of the file up to End opens as that state.
type Revision struct {
	StartXref int64 // absolute offset of its newest section
	EOF       int64 // offset just after its %%EOF, or 0 if there is none
	End       int64 // the same, after the end of line that follows, if any

	sections []int64 // absolute offsets, newest first
}

// Entry is an entry of a cross-reference section.
type Entry struct {
	Ref          Ref
	Free         bool
	Unknown      bool   // of an undefined type, or with an impossible offset; it counts as free
	Offset       int64  // absolute, of an object that is not in an object stream
	ObjectStream uint32 // number of the object stream that contains it, or 0
}

// Revisions lists the revisions of the file, oldest first. The two sections of
// a linearized file are one revision. It is empty for repaired files.
func (d *Document) Revisions() ([]Revision, error) {
	var all []Revision
	for i := 0; i < len(d.sections); i++ {
		s := d.sections[i]
		r := Revision{StartXref: s.at, sections: []int64{s.at}}
		last := s
		// The first-page section of a linearized file precedes the main one, which it names as /Prev, and the %%EOF of
		// the file follows that.
		for last.prev > last.at && i+1 < len(d.sections) {
			i++
			last = d.sections[i]
			r.sections = append(r.sections, last.at)
		}
		var err error
		if r.EOF, r.End, err = d.findEOF(last.end); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.Reverse(all)
	return all, nil
}

// findEOF finds the %%EOF that closes a section ending at an offset: with nothing but startxref and its number between.
// A looser rule could take the %%EOF of a later revision for this one's.
func (d *Document) findEOF(from int64) (eof, end int64, err error) {
	lent := lexerBuffers.Get().(*[]byte)
	defer lexerBuffers.Put(lent)
	b, at, err := d.readWindowInto(*lent, from, from+headerWindow)
	if err != nil {
		return 0, 0, err
	}
	lx := newBytesLexer(b, at)
	word, err1 := lx.next()
	number, err2 := lx.next()
	if err1 != nil || err2 != nil || !word.isKeyword("startxref") || number.kind != tokInteger {
		return 0, 0, nil
	}
	i := int(number.end - at)
	for i < len(b) && charClasses[b[i]] == space {
		i++
	}
	if !bytes.HasPrefix(b[i:], []byte("%%EOF")) {
		return 0, 0, nil
	}
	i += len("%%EOF")
	eof = at + int64(i)
	switch rest := b[i:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		i += 2
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		i++
	}
	return eof, at + int64(i), nil
}

// RevisionEntries lists the entries of the sections of a revision, in file order within each section. It reads the
// sections again and caches nothing.
func (d *Document) RevisionEntries(r Revision) ([]Entry, error) {
	var all []Entry
	for _, at := range r.sections {
		_, err := d.readSection(at, func(n uint32, s slot) error {
			all = append(all, newEntry(n, s))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read section at %d again: %w", at, err)
		}
	}
	return all, nil
}

func newEntry(n uint32, s slot) Entry {
	e := Entry{Ref: Ref{Number: n, Generation: s.generation()}}
	switch s.kind() {
	case slotPlain:
		e.Offset = s.fileOffset()
	case slotCompressed:
		e.ObjectStream = s.streamNumber()
	default:
		e.Free, e.Unknown = true, s == slotUnknown
	}
	return e
}

// History opens the states of a file one after the other, oldest first. It holds one state at a time: a cross-reference
// table that shares unchanged pages with the state before.
type History struct {
	d             *Document
	sectionReader *Document // reads sections, which are never encrypted
	password      string
	revisions     []Revision
	next          int
	last          *State
	before        *State          // last
	spent         int64           // work of the states before that
	objectStreams map[uint32]bool // numbers that were ever used as object streams
	maxChanges    int             // of one state
	forward       map[uint32]slot // entries that point behind the end of their state
	entries       revisionEntries // entries of the state that is being opened
	hybridStreams map[int64]bool  // offsets of the streams of hybrid sections so far
	hidden        slots           // objects that are in use, and free for readers that take the first entry of a number; see readSection
	hiddenCount   int
	contradicted  []string // Contradictions of the states so far that remain
}

// State is the file as of one of its revisions. Its Document reads nothing behind the end of that revision.
type State struct {
	*Document
	Revision Revision
	// Changes are the objects that are not where the state before had them, in order of number. The oldest state has
	// none.
	Changes []ObjectChange
	// Truncated is set if there are more changes than requested.
	Truncated bool
	// ObjectStreams are the numbers of the object streams that are new with this state.
	ObjectStreams []uint32
	// Ambiguities lists why readers may disagree about this revision.
	Ambiguities []string
	// Contradictions lists why readers may disagree about the objects of this state, whatever the states before it were.
	Contradictions []string
	// Revealed is an object that some readers did not find in the state before and find in this one, although it is where
	// it was; or zero. The signature that closes this state covers it, those before do not.
	Revealed uint32
	// Forward is set if an entry of the cross-reference points behind the end, so that appended bytes determine the
	// object. Ambiguities includes it.
	Forward bool
}

// ObjectChange is an object that a revision adds, replaces or frees.
type ObjectChange struct {
	Number        uint32
	Before, After Ref   // zero if the object was not there, or is no longer
	Offset        int64 // absolute, where it is now; 0 in an object stream
	// Earlier is set if the object's new content was written before this revision, or behind its end.
	Earlier bool
}

// History prepares to open every state of the file. The password is the one that opened the document. Each state lists
// at most maxChanges changes. It fails with ErrUnsupported for repaired files, which have no revisions.
func (d *Document) History(password string, maxChanges int) (*History, error) {
	if d.repaired {
		return nil, &Error{Kind: Unsupported, Offset: -1, Msg: "a repaired file has no revisions"}
	}
	all, err := d.Revisions()
	if err != nil {
		return nil, err
	}
	h := &History{d: d, password: password, objectStreams: map[uint32]bool{}, maxChanges: maxChanges, forward: map[uint32]slot{}, hybridStreams: map[int64]bool{}, entries: revisionEntries{conflicts: map[uint32]bool{}}}
	h.sectionReader = d.newPrefixView(d.size)
	h.sectionReader.uniqueKeys = true
	h.revisions = mergeUnended(all)
	if n := len(h.revisions); n > 0 && h.revisions[n-1].End == 0 {
		h.revisions[n-1].End = d.size
	}
	return h, nil
}

// mergeUnended merges a section without %%EOF into the next revision that has one.
func mergeUnended(all []Revision) []Revision {
	var joined []Revision
	for i, r := range all {
		if i > 0 && all[i-1].EOF == 0 {
			last := &joined[len(joined)-1]
			r.sections = append(r.sections, last.sections...)
			*last = r
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// Revisions lists the revisions whose states Next returns, oldest first.
func (h *History) Revisions() []Revision { return h.revisions }

// Next opens the next state, or returns nil after the newest one. The previous state stays usable.
func (h *History) Next() (*State, error) {
	if h.next >= len(h.revisions) {
		return nil, nil
	}
	r := h.revisions[h.next]
	s := &State{Document: h.d.newPrefixView(r.End), Revision: r}
	s.shared = h.d.shared
	if h.last != nil {
		s.slots = h.last.slots.copyOnWrite()
		if h.before != nil {
			h.spent += h.before.work
		}
		s.limits.Work = max(1, h.d.limits.Work-h.spent-h.last.work) // all states share the work of one document
	}
	// Nothing that was written later may affect this state.
	h.sectionReader.size = r.End
	entries := &h.entries
	defer entries.reset()
	for i, at := range r.sections {
		section, repeats, err := h.readSection(at, entries)
		if err != nil {
			return nil, fmt.Errorf("revision %d: %w", h.next+1, err)
		}
		if i == 0 {
			s.trailer = fileTrailer(section.trailer)
		}
		s.sections = append(s.sections, section)
		if section.besidePrev != 0 && section.besidePrev != section.prev {
			h.addContradiction("the stream beside a table states another section before it")
		}
		h.hybridStreams[section.xrefStm] = true
		if section.xrefStm != 0 && h.last != nil && !repeats {
			s.addAmbiguity("a table with a stream beside it: older readers see other objects")
		}
	}
	if len(entries.conflicts) > 0 {
		s.addAmbiguity(fmt.Sprintf("%d objects are stated twice, at different places", len(entries.conflicts)))
		h.addContradiction("a section states objects twice, at different places")
	}
	h.trackHidden(s, entries)
	if h.last != nil {
		if err := h.collectChanges(s, entries); err != nil {
			return nil, err
		}
	}
	s.slots.mergeNewer(&entries.slots, func(_ uint32, _, now slot) {
		if now.kind() == slotCompressed && !h.objectStreams[now.streamNumber()] {
			h.objectStreams[now.streamNumber()] = true
			s.ObjectStreams = append(s.ObjectStreams, now.streamNumber())
		}
	})
	s.slots.set(0, freeSlot(65535))
	h.checkForward(s, entries)
	if err := h.checkStartXref(s); err != nil {
		return nil, err
	}
	if err := h.readStateEncryption(s); err != nil {
		return nil, err
	}
	h.before, h.last, h.next = h.last, s, h.next+1
	return s, nil
}

// newPrefixView returns a document over a prefix of the file, without a cross-reference.
func (d *Document) newPrefixView(size int64) *Document {
	return &Document{
		src: d.src, size: size, limits: d.limits, budget: d.budget, random: d.random, shift: d.shift, header: d.header, references: references{limit: d.references.limit},
		objects:       newCache[uint32, Object](d.limits.Cache / 8),
		objectStreams: newCache[uint32, *objectStream](d.limits.Cache / 8),
	}
}

func (s *State) addAmbiguity(what string) { s.Ambiguities = append(s.Ambiguities, what) }

// revisionEntries are the entries of the sections of one revision.
type revisionEntries struct {
	slots     slots
	section   slots           // of the current section
	hidden    slots           // numbers that a table has free and its stream in use
	conflicts map[uint32]bool // numbers with two entries
}

// reset clears the entries and retains memory for the next revision.
func (f *revisionEntries) reset() {
	f.slots.clear()
	f.section.clear()
	f.hidden.clear()
	clear(f.conflicts)
}

// maxConflicts bounds what is recorded of a file that is ambiguous anyway.
const maxConflicts = 1000

// readSection adds the entries of one section to those of newer ones. Only within one section are two entries for a
// number a conflict.
//
// For a hybrid section, repeats reports whether its stream states nothing that the table and the state before do not
// state, so that readers that ignore such streams find the same objects as others. Some writers write a stream beside
// each table that repeats it. Some copy /XRefStm of an earlier section: its entries for objects that the table has in
// use are outdated and have no effect, since the table comes first (ISO 32000-2 §7.5.8.4).
//
// An object that the table has free and the stream in use is hidden from readers that do not know such streams, and from
// those that take the first entry of a number even if it is free, as pdf.js does. A later section can make it visible to
// them without changing it: by stating it, or by repeating /XRefStm, since its stream is then read before the table.
func (h *History) readSection(at int64, f *revisionEntries) (section *section, repeats bool, err error) {
	own := &f.section
	own.clear()
	repeats = true
	var freed, overruled []uint32 // entries that the same section contradicts
	visit := func(n uint32, s slot) error {
		had := own.get(n)
		switch {
		case had.kind() == slotAbsent:
			own.set(n, s)
			f.slots.setIfAbsent(n, s)
		case had == s, had.kind() < slotPlain && s.kind() < slotPlain, len(f.conflicts) >= maxConflicts:
		case had.kind() >= slotPlain && s.kind() < slotPlain:
			if len(freed) < maxConflicts {
				freed = append(freed, n)
			}
			if n != 0 && f.slots.get(n) == had {
				f.hidden.set(n, s)
			}
		default:
			f.conflicts[n] = true
		}
		return nil
	}
	beside := func(n uint32, s slot) error {
		stated := own.get(n) // by the table, if it has the number in use
		if stated.kind() >= slotPlain && stated != s {
			if len(overruled) < maxConflicts {
				overruled = append(overruled, n)
			}
			return nil
		}
		if stated.kind() == slotAbsent && h.last != nil {
			stated = h.last.slots.get(n)
		}
		repeats = repeats && (n == 0 || stated == s || stated.kind() < slotPlain && s.kind() < slotPlain)
		return visit(n, s)
	}
	if section, err = h.sectionReader.readSectionParts(at, visit, beside); err != nil {
		return nil, false, err
	}
	if !h.hybridStreams[section.xrefStm] {
		for _, n := range overruled {
			f.conflicts[n], repeats = true, false
		}
	}
	// The table of a hybrid section marks the objects of its stream as free.
	if section.xrefStm == 0 {
		for _, n := range freed {
			f.conflicts[n] = true
		}
	}
	repeats = repeats && len(freed) == 0 && (section.besidePrev == 0 || section.besidePrev == section.prev)
	return section, repeats, nil
}

// addContradiction adds a contradiction that remains in later states.
func (h *History) addContradiction(what string) {
	if !slices.Contains(h.contradicted, what) {
		h.contradicted = append(h.contradicted, what)
	}
}

// trackHidden updates which objects are hidden from some readers with the entries of a state, and records whether it
// has such objects or reveals one.
func (h *History) trackHidden(s *State, f *revisionEntries) {
	s.Contradictions = slices.Clone(h.contradicted)
	if h.hiddenCount == 0 && f.hidden.highest == 0 {
		return
	}
	_ = f.slots.eachStated(func(n uint32, now slot) error {
		was, is := h.hidden.get(n), f.hidden.get(n)
		if was == is {
			return nil
		}
		h.hidden.set(n, is)
		switch {
		case was == slotAbsent:
			h.hiddenCount++
		case is == slotAbsent:
			h.hiddenCount--
			if s.Revealed == 0 && now.kind() >= slotPlain {
				s.Revealed = n
			}
		}
		return nil
	})
	if h.hiddenCount > 0 {
		s.Contradictions = append(s.Contradictions, fmt.Sprintf("%d objects are free in a table and in use in the stream beside it", h.hiddenCount))
	}
}

// collectChanges lists the changes of a state whose slots are still those of the state before.
func (h *History) collectChanges(s *State, f *revisionEntries) error {
	before := h.last
	start, end := before.Revision.End, s.Revision.End
	if end <= start {
		s.addAmbiguity("it ends before its predecessor")
	}
	for _, section := range s.sections {
		if section.at < start || section.at >= end {
			s.addAmbiguity("its cross-reference is in another revision")
		}
	}
	if len(s.sections) > 1 {
		s.addAmbiguity("several cross-reference sections")
	}
	replaced := map[uint32]bool{} // object streams
	err := f.slots.eachStated(func(n uint32, now slot) error {
		was := s.slots.get(n)
		if n == 0 || was == now || was.kind() < slotPlain && now.kind() < slotPlain {
			return nil
		}
		if h.objectStreams[n] {
			replaced[n] = true
		}
		s.addChange(h.maxChanges, newObjectChange(n, was, now, start, end, &f.slots))
		return nil
	})
	if err != nil || len(replaced) == 0 {
		return err
	}
	// Objects in an object stream change with it.
	return s.slots.eachInUse(func(n uint32, was slot) error {
		if was.kind() == slotCompressed && replaced[was.streamNumber()] && f.slots.get(n).kind() == slotAbsent {
			ref := Ref{Number: n}
			s.addChange(h.maxChanges, ObjectChange{Number: n, Before: ref, After: ref})
		}
		return nil
	})
}

func (s *State) addChange(most int, m ObjectChange) {
	if len(s.Changes) >= most {
		s.Truncated = true
		return
	}
	s.Changes = append(s.Changes, m)
}

func newObjectChange(n uint32, was, now slot, start, end int64, f *slots) ObjectChange {
	m := ObjectChange{Number: n}
	if was.kind() >= slotPlain {
		m.Before = Ref{Number: n, Generation: was.generation()}
	}
	switch now.kind() {
	case slotPlain:
		m.After = Ref{Number: n, Generation: now.generation()}
		m.Offset = now.fileOffset()
		m.Earlier = m.Offset < start || m.Offset >= end
	case slotCompressed:
		m.After = Ref{Number: n}
		at := f.get(now.streamNumber())
		m.Earlier = at.kind() != slotPlain || at.fileOffset() < start || at.fileOffset() >= end
	}
	return m
}

// checkForward finds entries that point behind the end of the state: appended bytes determine what is there.
func (h *History) checkForward(s *State, f *revisionEntries) {
	_ = f.slots.eachInUse(func(n uint32, now slot) error {
		if now.kind() == slotPlain && now.fileOffset() >= s.Revision.End && len(h.forward) < maxConflicts {
			h.forward[n] = now
		}
		return nil
	})
	for n, was := range h.forward {
		switch {
		case s.slots.get(n) != was:
			delete(h.forward, n)
		case was.fileOffset() >= s.Revision.End:
			s.addAmbiguity("an entry points behind its end")
			s.Forward = true
			return
		}
	}
}

// checkStartXref requires that a reader that sees nothing behind the end of the revision starts at the same section.
func (h *History) checkStartXref(s *State) error {
	lent := lexerBuffers.Get().(*[]byte)
	defer lexerBuffers.Put(lent)
	tail, at, err := s.readWindowInto(*lent, s.size-tailWindow, s.size)
	if err != nil {
		return err
	}
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		s.addAmbiguity("no startxref at its end")
		return nil
	}
	t, err := newBytesLexer(tail[i+len("startxref"):], at+int64(i)+9).next()
	if err != nil || t.kind != tokInteger {
		s.addAmbiguity("startxref at its end leads elsewhere")
		return nil
	}
	same, err := s.LeadsTo(t.num+h.d.shift, s.Revision.StartXref)
	if !same && err == nil {
		s.addAmbiguity("startxref at its end leads elsewhere")
	}
	return err
}

// maxLeading bounds the white space between an offset and the object or section it leads to: readers check the first
// few dozen bytes.
const maxLeading = 16

// LeadsTo reports whether a reader that goes to an offset arrives at what begins at another: it is the same, or only
// white space is between them (ISO 32000-2 §7.2.3). The error is that of the file's reader.
func (s *State) LeadsTo(offset, at int64) (bool, error) {
	if offset > at || at-offset > maxLeading || offset < 0 {
		return false, nil
	}
	b, _, err := s.readWindow(offset, at)
	for _, c := range b {
		if charClasses[c] != space {
			return false, err
		}
	}
	return int64(len(b)) == at-offset, err
}

// RepeatsCrossReference reports whether a cross-reference stream that is an object of this state states nothing that
// differs from the state's cross-reference: the same previous section or none, the same catalog and encryption, and the
// same place of every object it lists. Nothing leads to such a stream, but a reader that rebuilds the cross-reference
// from the objects of the file may find it, and gets the same result. Some writers leave one beside a table.
func (s *State) RepeatsCrossReference(at int64) (bool, error) {
	if len(s.sections) != 1 {
		return false, nil
	}
	repeats := true
	stream, err := s.readStreamSection(at, func(n uint32, x slot) error {
		now := s.slots.get(n)
		repeats = repeats && (n == 0 || now == x || now.kind() < slotPlain && x.kind() < slotPlain)
		return nil
	})
	if err != nil {
		return false, IgnoreFault(err)
	}
	for _, k := range []Name{"Root", "Encrypt"} {
		repeats = repeats && isSameAtom(stream.trailer[k], s.trailer[k])
	}
	if !repeats || stream.prev != 0 && stream.prev != s.sections[0].prev {
		return false, nil
	}
	// Readers may take numbers from /Size on as unused.
	if size, ok := stream.trailer["Size"].(Integer); !ok || int64(size) <= int64(s.slots.highest) && !isSameAtom(size, s.trailer["Size"]) {
		return false, nil
	}
	return true, nil
}

// isSameAtom reports whether two entries of trailers are the same number or
// reference, or both missing.
func isSameAtom(a, b Object) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case Ref:
		c, ok := b.(Ref)
		return ok && a == c
	case Integer:
		c, ok := b.(Integer)
		return ok && a == c
	}
	return false
}

// readStateEncryption gives the state the key of the file, or derives its key if encryption is stated differently.
func (h *History) readStateEncryption(s *State) error {
	e := s.trailer["Encrypt"]
	if e == nil {
		return nil
	}
	if ref := s.trailer.Ref("Encrypt"); h.last != nil && h.last.security != nil && !ref.IsZero() && h.last.trailer["Encrypt"] == e &&
		h.last.slots.get(ref.Number) == s.slots.get(ref.Number) {
		s.security = h.last.security
		return nil
	}
	return s.Document.readEncryption(h.password)
}

// RequireSingleReading reads an object and fails with ErrDamaged if readers may differ on what it is: a dictionary in it
// states a key twice, or it is in an object stream that has it twice, or has another object at the index that the
// cross-reference states. Some readers find such an object by its number, others by the index. The object is cached.
func (d *Document) RequireSingleReading(ref Ref) error {
	s := d.slots.get(ref.Number)
	if s.kind() < slotPlain || s.generation() != ref.Generation {
		return nil
	}
	if found, ok := d.findShared(ref.Number, s); ok && found.uniqueKeys {
		return nil
	}
	if s.kind() == slotCompressed {
		if err := d.requireSinglePlace(ref.Number, s); err != nil {
			return err
		}
	}
	d.uniqueKeys = true
	defer func() { d.uniqueKeys = false }()
	found, err := d.loadObject(ref, s)
	if err == nil {
		d.cacheObject(ref.Number, s, found)
	}
	return err
}

// InUse returns the reference of an object number that is in use.
func (d *Document) InUse(number uint32) (Ref, bool) {
	s := d.slots.get(number)
	if s.kind() < slotPlain {
		return Ref{}, false
	}
	return Ref{Number: number, Generation: s.generation()}, true
}

// InUseAll iterates over the references of all numbers in use, in order.
func (d *Document) InUseAll() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		_ = d.slots.eachInUse(func(n uint32, s slot) error {
			if !yield(Ref{Number: n, Generation: s.generation()}) {
				return errStopWalk
			}
			return nil
		})
	}
}

// errStopWalk ends a walk early.
var errStopWalk = errors.New("walk stopped")
