package facts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// reader collects the facts of one file.
type reader struct {
	ctx          context.Context
	r            io.ReaderAt
	o            Options
	d            *pdf.Document
	file         *File
	lastWritten  map[uint32]int    // revision that last wrote each requested object
	knownLengths map[byteRange]int // lengths of compressed items found sound
	earlier      *earlierStore     // nil before the states are read

	objects *blockCache // through which the document is read
	buffer  []byte      // lent by borrowBuffer
	endScan revisionEndScan

	pageContents paintedPages
	pages        map[pdf.Ref]int // pages that list each annotation; nil before the first use
}

func runSteps(ctx context.Context, src io.ReaderAt, size int64, o Options, steps ...func(*reader) error) (*File, error) {
	o.Limits = o.Limits.withDefaults(size)
	if o.Budget == nil {
		// Twice, since the Document and all its states have one limit each. During upload one budget is shared by
		// everything that is tried, so an accepted file does not exceed it here.
		o.Budget = pdf.NewBudget(ctx, 2*pdf.FileWork(size))
	}
	r := &reader{ctx: ctx, r: contextReader{ctx, src}, o: o, file: &File{Size: size}, lastWritten: map[uint32]int{}, knownLengths: map[byteRange]int{}}
	r.objects = &blockCache{r: r.r, size: size}
	defer r.releaseBuffers()
	if err := r.openFile(size); err != nil {
		return nil, err
	}
	for _, step := range steps {
		if err := step(r); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return r.file, nil
}

// releaseBuffers returns the buffers for the next file.
func (r *reader) releaseBuffers() {
	r.objects.releaseBlocks()
	if cap(r.buffer) == bufferSize {
		buffers.Put((*[bufferSize]byte)(r.buffer[:bufferSize]))
	}
	r.buffer = nil
}

// contextReader reads until the context is done.
type contextReader struct {
	ctx context.Context
	r   io.ReaderAt
}

func (w contextReader) ReadAt(p []byte, at int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.ReadAt(p, at)
}

// openFile opens the file and repairs it only if necessary: no signature of a repaired file can be relied on.
func (r *reader) openFile(size int64) error {
	o := r.o.pdfOptions(false)
	if r.o.Opened != nil {
		next, err := r.o.Opened.NextObject()
		if err != nil {
			return err
		}
		o.Extends, o.NextObject = r.o.Opened, next
	}
	d, err := pdf.Open(r.objects, size, o)
	if errors.Is(err, pdf.ErrDamaged) {
		d, err = pdf.Open(r.objects, size, r.o.pdfOptions(true))
	}
	if err != nil {
		if pdf.IsFault(err) {
			err = fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		return err
	}
	r.d = d
	f := d.Properties()
	r.file.Encrypted, r.file.Repaired = f.Encrypted, f.Repaired
	if r.file.Pages, err = d.PageCount(); err != nil {
		r.addWarning(Warning{Code: WarnTolerated, Detail: err.Error()})
		r.file.Pages = 0
		if !pdf.IsFault(err) {
			return err
		}
	}
	for _, t := range d.Properties().Tolerated {
		r.addWarning(Warning{Code: WarnTolerated, Detail: t})
	}
	if f.Repaired {
		r.addWarning(Warning{Code: WarnRepaired})
	}
	if f.HeaderOffset > 0 {
		r.addWarning(Warning{Code: WarnJunkBefore, Detail: fmt.Sprintf("%d bytes", f.HeaderOffset)})
	}
	if f.JunkAfter > 0 {
		r.addWarning(Warning{Code: WarnJunkAfter, Detail: fmt.Sprintf("%d bytes", f.JunkAfter)})
	}
	return nil
}

// maxWarnings bounds the warnings about one file.
const maxWarnings = 200

func (r *reader) addWarning(w Warning) {
	if len(r.file.Warnings) < maxWarnings {
		r.file.Warnings = append(r.file.Warnings, w)
	}
}

// readStates walks through the revisions, oldest first: it compares each signature with the revision it closes, and
// every later revision with the one before.
func (r *reader) readStates() error {
	if r.file.Pages == 0 {
		for _, s := range r.file.Signatures {
			s.markBroken(NoPages, "") // the signed content cannot be shown
		}
	}
	if r.file.Repaired {
		r.noteUnsignable(newDamagedError("the cross-reference had to be rebuilt"))
		for _, s := range r.file.Signatures {
			s.markBroken(FileRepaired, "")
		}
		return nil
	}
	revisions, err := r.d.Revisions()
	if err != nil {
		return r.markUnsound(err)
	}
	if len(revisions) > r.o.Limits.Revisions {
		return r.markUnsound(newTooLargeError("more than %d revisions", r.o.Limits.Revisions))
	}
	h, err := r.d.History(r.o.Password, r.o.Limits.Moves)
	if err != nil {
		return r.markUnsound(err)
	}
	r.d.DropCache() // the states have their own caches
	r.locateRevisions(h.Revisions())
	r.endScan.setRevisions(h.Revisions())
	w := &stateWalk{reader: r, first: r.firstSigned(), warnedLoose: map[pdf.Ref]bool{}, markedPages: map[int]*markedPage{}, exemptPages: map[int]*markedPage{}}
	r.earlier = r.newEarlierStore()
	if r.o.ForSigning && w.first == 0 {
		w.first = len(h.Revisions())
	}
	for i, revision := range h.Revisions() {
		state, err := h.Next()
		if err != nil {
			return r.markUnsound(fmt.Errorf("revision %d: %w", i+1, err))
		}
		r.file.Revisions = append(r.file.Revisions, Revision{Number: i + 1, End: revision.End})
		if err := w.visitState(i+1, state, h.Revisions()); err != nil {
			return err
		}
	}
	if r.o.ForSigning {
		r.noteUnsignable(w.checkGrowth())
	}
	return nil
}

// checkGrowth returns why later changes could not be checked, or nil.
func (w *stateWalk) checkGrowth() error {
	switch {
	case w.last == nil:
		return newDamagedError("it has no revision")
	case w.last.Forward:
		return newDamagedError("an entry of the cross-reference leads after the end")
	}
	return w.comparer.Incomplete()
}

// noteUnsignable records the first reason for File.Unsignable; nil is ignored.
func (r *reader) noteUnsignable(err error) {
	if r.o.ForSigning && r.file.Unsignable == nil {
		r.file.Unsignable = err
	}
}

func newDamagedError(msg string) error { return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: msg} }

func newTooLargeError(format string, args ...any) error {
	return &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: fmt.Sprintf(format, args...)}
}

// markUnsound breaks every signature if the states of the file cannot be determined. It returns other errors.
func (r *reader) markUnsound(err error) error {
	if !pdf.IsFault(err) {
		return err
	}
	r.noteUnsignable(err)
	for _, s := range r.file.Signatures {
		s.markBroken(RevisionUnsound, err.Error())
	}
	return nil
}

// firstSigned returns the number of the first revision that a signature closes, or 0.
func (r *reader) firstSigned() int {
	first := 0
	for _, s := range r.file.Signatures {
		if s.Revision > 0 && (first == 0 || s.Revision < first) {
			first = s.Revision
		}
	}
	return first
}

// stateWalk is what comparing carries from one state to the next.
type stateWalk struct {
	*reader
	first           int      // revision from which changes are compared; 0: none
	containers      []uint32 // object streams of the states so far
	comparer        *diff.Comparer
	comparisonCount int // how often comparing started
	last            *pdf.State
	warnedLoose     map[pdf.Ref]bool    // already warned of
	markedPages     map[int]*markedPage // by page number
	exemptPages     map[int]*markedPage // the same for exempt widgets
	pageInspections int                 // of pages with large marks
}

func (w *stateWalk) visitState(number int, state *pdf.State, all []pdf.Revision) error {
	for _, m := range state.Changes {
		if _, asked := w.lastWritten[m.Number]; asked && !m.After.IsZero() {
			w.lastWritten[m.Number] = number
		}
	}
	// Comparing comes first: it reads changed objects in the strictest way, and later steps use its cache.
	if err := w.compareState(number, state, all); err != nil {
		return err
	}
	if !w.o.ForSigning && !w.o.structureOnly {
		if err := w.warnLooseSignatures(state); err != nil {
			return err
		}
	}
	if w.first > 0 {
		if err := w.earlier.collectState(w.reader, number, state); err != nil {
			return err
		}
	}
	if w.comparer == nil {
		state.DropCache()
	}
	w.last = state
	for _, s := range w.file.Signatures {
		if s.Revision == number {
			w.checkSignedRevision(s, state)
		}
	}
	return nil
}

func (w *stateWalk) compareState(number int, state *pdf.State, all []pdf.Revision) error {
	w.containers = append(w.containers, state.ObjectStreams...)
	switch {
	case w.first == 0 || number < w.first:
		return nil
	case number == w.first:
		if err := w.beginComparison(number, state, all); err != nil {
			return err
		}
		for _, what := range state.Contradictions {
			w.addTwofold(pdf.Ref{}, what)
		}
		for _, ref := range w.comparer.TwofoldObjects() {
			w.addTwofold(ref, fmt.Sprintf("object %v", ref))
		}
		if w.o.structureOnly {
			return nil
		}
		return w.warnSpareContent(state)
	}
	if err := w.addOddities(state, all[number-2].End); err != nil {
		return err
	}
	if isRootBeyondSize(state) && !isRootBeyondSize(w.last) {
		if err := w.addRebuildOddities(state, all[:number-1]); err != nil {
			return err
		}
	}
	changes, err := w.comparer.Step(state)
	if err != nil {
		return err
	}
	if err := w.denyLargeMarks(state, changes); err != nil {
		return err
	}
	r := &w.file.Revisions[number-1]
	r.Changes = changes
	for _, c := range changes {
		r.Level = max(r.Level, c.Level)
	}
	// The changes of a forbidden revision count against the signatures before it, which have failed. Later signatures
	// cover its result, so comparing restarts from there: objects have lost the uses that the revision removed. An
	// attacker gains nothing from many such revisions: without restarts more is denied.
	signedSince := func(s *Signature) bool { return s.Revision >= number }
	if r.Level == diff.Other && w.comparisonCount < maxComparers && slices.ContainsFunc(w.file.Signatures, signedSince) {
		return w.beginComparison(number, state, all)
	}
	return nil
}

// addTwofold records that readers may find something else in the first signed state.
func (r *reader) addTwofold(ref pdf.Ref, what string) {
	r.file.Twofold = append(r.file.Twofold, what)
	r.addWarning(Warning{Code: WarnTwofold, Ref: ref, Detail: what})
}

// maxComparers bounds how often comparing starts, since each start reads everything reachable.
const maxComparers = 8

// beginComparison starts comparing later revisions with a state and with each other.
func (w *stateWalk) beginComparison(number int, state *pdf.State, all []pdf.Revision) error {
	asked, err := w.changedObjects(all[number:])
	if err != nil {
		return err
	}
	w.comparisonCount++
	o := diff.Options{Changed: asked, Containers: w.containers, KnownLength: w.knownLength, DescribeItem: describeItem}
	if !w.o.structureOnly {
		o.DescribeCovered = w.describeCovered
	}
	w.comparer, err = diff.NewComparer(w.ctx, state, o)
	return err
}

// addOddities adds to a revision's oddities what makes readers disagree on it and does not show in its objects.
func (w *stateWalk) addOddities(state *pdf.State, from int64) error {
	entries, err := w.d.RevisionEntries(state.Revision)
	if err != nil {
		if pdf.IsFault(err) {
			state.Ambiguities = append(state.Ambiguities, err.Error())
			return nil
		}
		return err
	}
	stray, err := w.findStrayObjects(from, state.Revision, entries)
	if err != nil {
		return err
	}
	unstated, err := w.findUnstatedObjects(state, entries)
	for _, odd := range []string{stray, unstated} {
		if odd != "" {
			state.Ambiguities = append(state.Ambiguities, odd)
		}
	}
	return err
}

// changedObjects lists the objects that revisions change.
func (w *stateWalk) changedObjects(revisions []pdf.Revision) ([]uint32, error) {
	var all []uint32
	for _, r := range revisions {
		entries, err := w.d.RevisionEntries(r)
		if err != nil {
			if pdf.IsFault(err) {
				continue // reading the state reports it
			}
			return nil, err
		}
		for _, e := range entries[:min(len(entries), w.o.Limits.Moves)] {
			all = append(all, e.Ref.Number)
		}
	}
	return all, nil
}
