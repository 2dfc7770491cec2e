package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
)

// History opens the states of a file one after the other, oldest first. It
// keeps one state at a time: a table of the cross-reference that shares with
// the one before what did not change.
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
	maxChanges    int             // the most that one state lists
	forward       map[uint32]slot // entries that led behind the end of their state
	entries       revisionEntries // entries of the state that is being opened
	hybridStreams map[int64]bool  // where the streams of hybrid sections stand that states had so far
}

// State is the file as one of its revisions left it. Its Document reads
// nothing behind the end of that revision.
type State struct {
	*Document
	Revision Revision
	// Changes are the objects that are not where the state before had them, in
	// order of number. The oldest state has none.
	Changes []ObjectChange
	// Truncated is set if there are more moves than were asked for.
	Truncated bool
	// ObjectStreams are the numbers of the object streams that are new with this
	// state.
	ObjectStreams []uint32
	// Ambiguities names what keeps readers from agreeing about this revision.
	Ambiguities []string
	// Forward is set if an entry of the cross-reference points behind the end, so that appended bytes decide what the
	// object is. Odd tells it too.
	Forward bool
}

// ObjectChange is an object that a revision adds, replaces or frees.
type ObjectChange struct {
	Number        uint32
	Before, After Ref   // zero if the object was not there, or is no longer
	Offset        int64 // absolute, where it is now; 0 in an object stream
	// Earlier is set if what the object is now was written before this
	// revision, or behind its end.
	Earlier bool
}

// History prepares to open every state of the file. The password is that which
// opened the document. States list at most that many moves each. It fails with
// ErrUnsupported for repaired files, which have no revisions.
func (d *Document) History(password string, moves int) (*History, error) {
	if d.repaired {
		return nil, &Error{Kind: Unsupported, Offset: -1, Msg: "a repaired file has no revisions"}
	}
	all, err := d.Revisions()
	if err != nil {
		return nil, err
	}
	h := &History{d: d, password: password, objectStreams: map[uint32]bool{}, maxChanges: moves, forward: map[uint32]slot{}, hybridStreams: map[int64]bool{}, entries: revisionEntries{conflicts: map[uint32]bool{}}}
	h.sectionReader = d.newPrefixView(d.size)
	h.sectionReader.uniqueKeys = true
	h.revisions = mergeUnended(all)
	if n := len(h.revisions); n > 0 && h.revisions[n-1].End == 0 {
		h.revisions[n-1].End = d.size
	}
	return h, nil
}

// mergeUnended makes a section without an end of its own part of the next
// revision that has one.
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

// Revisions are those whose states Next returns, oldest first.
func (h *History) Revisions() []Revision { return h.revisions }

// Next opens the next state, or returns nil behind the newest one. The state
// before stays usable.
func (h *History) Next() (*State, error) {
	if h.next >= len(h.revisions) {
		return nil, nil
	}
	r := h.revisions[h.next]
	s := &State{Document: h.d.newPrefixView(r.End), Revision: r}
	s.shared = h.d.shared
	if h.last != nil {
		s.slots = h.last.slots.copyOnWrite()
		h.limitWork(s)
	}
	// Nothing that was written later may speak for this state.
	h.sectionReader.size = r.End
	fresh := &h.entries
	defer fresh.reset()
	for i, at := range r.sections {
		section, repeats, err := h.readSection(at, fresh)
		if err != nil {
			return nil, fmt.Errorf("revision %d: %w", h.next+1, err)
		}
		if i == 0 {
			s.trailer = fileTrailer(section.trailer)
		}
		s.sections = append(s.sections, section)
		h.hybridStreams[section.xrefStm] = true
		if section.xrefStm != 0 && h.last != nil && !repeats {
			s.addAmbiguity("a table with a stream beside it: older readers see something else")
		}
	}
	if len(fresh.conflicts) > 0 {
		s.addAmbiguity(fmt.Sprintf("%d objects are stated twice, at different places", len(fresh.conflicts)))
	}
	if h.last != nil {
		if err := h.collectChanges(s, fresh); err != nil {
			return nil, err
		}
	}
	s.slots.mergeNewer(&fresh.slots, func(_ uint32, _, now slot) {
		if now.kind() == slotCompressed && !h.objectStreams[now.streamNumber()] {
			h.objectStreams[now.streamNumber()] = true
			s.ObjectStreams = append(s.ObjectStreams, now.streamNumber())
		}
	})
	s.slots.set(0, freeSlot(65535))
	h.checkForward(s, fresh)
	if err := h.checkStartXref(s); err != nil {
		return nil, err
	}
	if err := h.readStateEncryption(s); err != nil {
		return nil, err
	}
	h.before, h.last, h.next = h.last, s, h.next+1
	return s, nil
}

// limitWork makes all states share the work that one document may cost.
func (h *History) limitWork(s *State) {
	if h.before != nil {
		h.spent += h.before.work
	}
	s.limits.Work = max(1, h.d.limits.Work-h.spent-h.last.work)
}

// newPrefixView is a document over a prefix of the file, without a cross-reference.
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
	section   slots           // those of the section at hand
	conflicts map[uint32]bool // numbers that are stated twice
}

// reset forgets the entries, so that those of the next revision find room.
func (f *revisionEntries) reset() {
	f.slots.clear()
	f.section.clear()
	clear(f.conflicts)
}

// maxConflicts bounds what is remembered of a file that is odd in any case.
const maxConflicts = 1000

// readSection adds the entries of one section to those of newer ones. Only
// within one section are two entries for a number a conflict.
//
// Repeats is about a hybrid section: whether its stream says nothing that the
// table and the state before do not say, so that readers who know nothing of
// such streams find the same as the others. Some writers write a stream beside
// each table that repeats it. Some copy /XRefStm of an earlier section: what
// that says of objects which the table has in use is out of date and has no
// effect, since the table comes first (ISO 32000-2 §7.5.8.4).
func (h *History) readSection(at int64, f *revisionEntries) (section *section, repeats bool, err error) {
	own := &f.section
	own.clear()
	repeats = true
	var freed, overruled []uint32 // although the same section has them in use, or has them elsewhere
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
		default:
			f.conflicts[n] = true
		}
		return nil
	}
	beside := func(n uint32, s slot) error {
		said := own.get(n) // by the table, if it has the number in use
		if said.kind() >= slotPlain && said != s {
			if len(overruled) < maxConflicts {
				overruled = append(overruled, n)
			}
			return nil
		}
		if said.kind() == slotAbsent && h.last != nil {
			said = h.last.slots.get(n)
		}
		repeats = repeats && (n == 0 || said == s || said.kind() < slotPlain && s.kind() < slotPlain)
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
	// The table of a hybrid section marks free what its stream has.
	if section.xrefStm == 0 {
		for _, n := range freed {
			f.conflicts[n] = true
		}
	}
	repeats = repeats && len(freed) == 0 && (section.besidePrev == 0 || section.besidePrev == section.prev)
	return section, repeats, nil
}

// collectChanges lists the moves of a state whose slots are still those of the state
// before.
func (h *History) collectChanges(s *State, f *revisionEntries) error {
	before := h.last
	start, end := before.Revision.End, s.Revision.End
	if end <= start {
		s.addAmbiguity("it ends before the revision it follows")
	}
	for _, section := range s.sections {
		if section.at < start || section.at >= end {
			s.addAmbiguity("its cross-reference stands in another revision")
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
	// What is in an object stream changes with it.
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
		m.Offset = now.offset()
		m.Earlier = m.Offset < start || m.Offset >= end
	case slotCompressed:
		m.After = Ref{Number: n}
		at := f.get(now.streamNumber())
		m.Earlier = at.kind() != slotPlain || at.offset() < start || at.offset() >= end
	}
	return m
}

// checkForward finds entries that lead behind the end of the state: whoever
// appends to the file decides what is there.
func (h *History) checkForward(s *State, f *revisionEntries) {
	_ = f.slots.eachInUse(func(n uint32, now slot) error {
		if now.kind() == slotPlain && now.offset() >= s.Revision.End && len(h.forward) < maxConflicts {
			h.forward[n] = now
		}
		return nil
	})
	for n, was := range h.forward {
		switch {
		case s.slots.get(n) != was:
			delete(h.forward, n)
		case was.offset() >= s.Revision.End:
			s.addAmbiguity("an entry that leads behind its end")
			s.Forward = true
			return
		}
	}
}

// checkStartXref demands that a reader who sees nothing behind the end of the
// revision begins where we do.
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

// maxLeading bounds the white space before an object or a section that an
// offset may lead to: readers look at the first few dozen bytes.
const maxLeading = 16

// LeadsTo reports whether a reader that goes to an offset arrives at what
// stands at another: it is the same, or only white space lies between (ISO
// 32000-2 §7.2.3). The error is that of the file's reader.
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

// RepeatsCrossReference reports whether a cross-reference stream that is an
// object of this state says nothing that the state's own cross-reference does
// not say: the same section before or none, the same catalog and encryption,
// and of every object that it states the place that it has. Nothing leads to
// such a stream, but a reader may come across it while it rebuilds the
// cross-reference from the objects of the file, and finds the same. Some
// writers leave one beside a table.
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
		return false, onlyReadError(err)
	}
	for _, k := range []Name{"Root", "Encrypt"} {
		repeats = repeats && isSameAtom(stream.trailer[k], s.trailer[k])
	}
	if !repeats || stream.prev != 0 && stream.prev != s.sections[0].prev {
		return false, nil
	}
	// Readers may take numbers from /Size on for unused.
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

// onlyReadError returns err if it is not the file's fault.
func onlyReadError(err error) error {
	if err != nil && isReadError(err) {
		return err
	}
	return nil
}

// readStateEncryption gives the state the key of the file, or derives its own if encryption
// is stated differently.
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

// RequireUniqueKeys reads an object and fails with ErrDamaged if a dictionary in
// it states a key twice: readers differ in which of the two they take. After it
// Object costs nothing.
func (d *Document) RequireUniqueKeys(ref Ref) error {
	s := d.slots.get(ref.Number)
	if s.kind() < slotPlain || s.generation() != ref.Generation {
		return nil
	}
	if d.isKnownUnique(ref.Number, s) {
		return nil
	}
	d.uniqueKeys = true
	defer func() { d.uniqueKeys = false }()
	found, err := d.loadObject(ref, s)
	if err == nil {
		d.cacheObject(ref.Number, s, found)
	}
	return err
}

// InUse returns the reference under which a number is in use, if it is.
func (d *Document) InUse(number uint32) (Ref, bool) {
	s := d.slots.get(number)
	if s.kind() < slotPlain {
		return Ref{}, false
	}
	return Ref{Number: number, Generation: s.generation()}, true
}

// InUseAll goes through the references of all numbers in use, in order.
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

// errStopWalk ends a walk whose caller has seen enough.
var errStopWalk = errors.New("enough")
