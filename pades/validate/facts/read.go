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
	ctx   context.Context
	r     io.ReaderAt
	o     Options
	d     *pdf.Document
	file  *File
	born  map[uint32]int // revision in which an object that is asked for was last written
	sound map[span]int   // how long compressed proof is that was found sound

	objects *blocks // through which the document is read
	buffer  []byte  // what is lent by lend
	skips   skips

	painted painted
	pages   map[pdf.Ref]int // numbers of the pages that list annotations; nil until asked for
}

func read(ctx context.Context, src io.ReaderAt, size int64, o Options, steps ...func(*reader) error) (*File, error) {
	o.Limits = o.Limits.withDefaults(size)
	if o.Budget == nil {
		// Twice, as one Document and all states of it have a limit of their own each. A file that is taken in shares one
		// budget with all that is tried then, so what was taken in does not exceed it here.
		o.Budget = pdf.NewBudget(ctx, 2*pdf.FileWork(size))
	}
	r := &reader{ctx: ctx, r: wanted{ctx, src}, o: o, file: &File{Size: size}, born: map[uint32]int{}, sound: map[span]int{}}
	r.objects = &blocks{r: r.r, size: size}
	defer r.release()
	if err := r.open(size); err != nil {
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

// release gives back what the next file can be read into.
func (r *reader) release() {
	r.objects.release()
	if cap(r.buffer) == bufferSize {
		buffers.Put((*[bufferSize]byte)(r.buffer[:bufferSize]))
	}
	r.buffer = nil
}

// wanted reads as long as anybody wants it.
type wanted struct {
	ctx context.Context
	r   io.ReaderAt
}

func (w wanted) ReadAt(p []byte, at int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.ReadAt(p, at)
}

// open opens the file, and repairs it only if it must be: no signature of a repaired file can be relied on.
func (r *reader) open(size int64) error {
	d, err := pdf.Open(r.objects, size, r.o.file(false))
	if errors.Is(err, pdf.ErrDamaged) {
		d, err = pdf.Open(r.objects, size, r.o.file(true))
	}
	if err != nil {
		if isFault(err) {
			err = fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		return err
	}
	r.d = d
	f := d.Facts()
	r.file.Encrypted, r.file.Repaired, r.file.Linearized, r.file.Hybrid = f.Encrypted, f.Repaired, f.Linearized, f.XRefStyle == pdf.XRefHybrid
	if r.file.Pages, err = d.PageCount(); err != nil {
		r.warn(Warning{Code: WarnTolerated, Detail: err.Error()})
		r.file.Pages = 0
		if !isFault(err) {
			return err
		}
	}
	for _, t := range d.Facts().Tolerated {
		r.warn(Warning{Code: WarnTolerated, Detail: t})
	}
	if f.Repaired {
		r.warn(Warning{Code: WarnRepaired})
	}
	if f.HeaderOffset > 0 {
		r.warn(Warning{Code: WarnJunkBefore, Detail: fmt.Sprintf("%d bytes", f.HeaderOffset)})
	}
	if f.JunkAfter > 0 {
		r.warn(Warning{Code: WarnJunkAfter, Detail: fmt.Sprintf("%d bytes", f.JunkAfter)})
	}
	return nil
}

// maxWarnings bounds what is told of one file.
const maxWarnings = 200

func (r *reader) warn(w Warning) {
	if len(r.file.Warnings) < maxWarnings {
		r.file.Warnings = append(r.file.Warnings, w)
	}
}

// isFault reports whether err is the file's fault.
func isFault(err error) bool {
	var e *pdf.Error
	return errors.As(err, &e)
}

// states goes through the revisions of the file, oldest first: it holds each signature against the revision it closes,
// and compares every later revision with the one before.
func (r *reader) states() error {
	if r.file.Pages == 0 {
		for _, s := range r.file.Signatures {
			s.broken(NoPages, "") // whatever was signed, nobody can see it
		}
	}
	if r.file.Repaired {
		r.noteUnsignable(damaged("the cross-reference had to be rebuilt"))
		for _, s := range r.file.Signatures {
			s.broken(FileRepaired, "")
		}
		return nil
	}
	revisions, err := r.d.Revisions()
	if err != nil {
		return r.unsound(err)
	}
	if len(revisions) > r.o.Limits.Revisions {
		return r.unsound(tooLarge("more than %d revisions", r.o.Limits.Revisions))
	}
	h, err := r.d.History(r.o.Password, r.o.Limits.Moves)
	if err != nil {
		return r.unsound(err)
	}
	r.d.DropCache() // the states keep their own
	r.locate(h.Revisions())
	r.skips.expect(h.Revisions())
	w := &stateWalk{reader: r, first: r.firstSigned(), told: map[pdf.Ref]bool{}, marked: map[int]*markedPage{}, exempted: map[int]*markedPage{}, earlier: r.newEarlierStore()}
	if r.o.ForSigning && w.first == 0 {
		w.first = len(h.Revisions())
	}
	for i, revision := range h.Revisions() {
		state, err := h.Next()
		if err != nil {
			return r.unsound(fmt.Errorf("revision %d: %w", i+1, err))
		}
		r.file.Revisions = append(r.file.Revisions, Revision{Number: i + 1, End: revision.End})
		if err := w.visit(i+1, state, h.Revisions()); err != nil {
			return err
		}
	}
	if r.o.ForSigning {
		r.noteUnsignable(w.checkGrowth())
	}
	return nil
}

// checkGrowth returns why changes behind the last state could not be judged, or nil.
func (w *stateWalk) checkGrowth() error {
	switch {
	case w.last == nil:
		return damaged("it has no revision")
	case w.last.Forward:
		return damaged("an entry of the cross-reference leads behind the end")
	}
	return w.comparer.Incomplete()
}

// noteUnsignable keeps the first reason for File.Unsignable. Nil is no reason.
func (r *reader) noteUnsignable(err error) {
	if r.o.ForSigning && r.file.Unsignable == nil {
		r.file.Unsignable = err
	}
}

func damaged(msg string) error { return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: msg} }

func tooLarge(format string, args ...any) error {
	return &pdf.Error{Kind: pdf.TooLarge, Offset: -1, Msg: fmt.Sprintf(format, args...)}
}

// unsound breaks every signature if the file's states cannot be told apart. It returns what is not the file's fault.
func (r *reader) unsound(err error) error {
	if !isFault(err) {
		return err
	}
	r.noteUnsignable(err)
	for _, s := range r.file.Signatures {
		s.broken(RevisionUnsound, err.Error())
	}
	return nil
}

// firstSigned is the number of the first revision that a signature closes, or 0.
func (r *reader) firstSigned() int {
	first := 0
	for _, s := range r.file.Signatures {
		if s.Revision > 0 && (first == 0 || s.Revision < first) {
			first = s.Revision
		}
	}
	return first
}

// stateWalk carries what comparing needs from one state to the next.
type stateWalk struct {
	*reader
	first      int      // revision from which on changes are worked out; 0 never
	containers []uint32 // object streams of the states so far
	comparer   *diff.Comparer
	begun      int // how often comparing began
	last       *pdf.State
	told       map[pdf.Ref]bool    // loose signatures
	marked     map[int]*markedPage // by page number
	exempted   map[int]*markedPage // the same of those that are exempt
	looks      int                 // at pages with large marks
	earlier    *earlierStore
}

func (w *stateWalk) visit(number int, state *pdf.State, all []pdf.Revision) error {
	for _, m := range state.Changes {
		if _, asked := w.born[m.Number]; asked && !m.After.IsZero() {
			w.born[m.Number] = number
		}
	}
	// Comparing comes first: it reads what changed in the strictest way, and the rest finds it read.
	if err := w.compare(number, state, all); err != nil {
		return err
	}
	if !w.o.ForSigning {
		if err := w.loose(state); err != nil {
			return err
		}
	}
	if w.first > 0 {
		if err := w.earlier.take(w.reader, number, state); err != nil {
			return err
		}
	}
	if w.comparer == nil {
		state.DropCache()
	}
	w.last = state
	for _, s := range w.file.Signatures {
		if s.Revision == number {
			w.agree(s, state)
		}
	}
	return nil
}

func (w *stateWalk) compare(number int, state *pdf.State, all []pdf.Revision) error {
	w.containers = append(w.containers, state.ObjectStreams...)
	switch {
	case w.first == 0 || number < w.first:
		return nil
	case number == w.first:
		if err := w.begin(number, state, all); err != nil {
			return err
		}
		for _, ref := range w.comparer.Twofold() {
			w.warn(Warning{Code: WarnTwofold, Ref: ref})
		}
		return w.spare(state)
	}
	if err := w.sound(state, all[number-2].End); err != nil {
		return err
	}
	if rootBeyondSize(state) && !rootBeyondSize(w.last) {
		if err := w.soundRebuilt(state, all[:number-1]); err != nil {
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
	// What a forbidden revision did to the structure speaks against the signatures before it, and they have failed. Those
	// behind it signed what it left, so comparing begins anew from there: objects have lost the uses that it took from
	// them. Whoever makes many such revisions gains nothing: without it more is denied.
	if r.Level == diff.Other && w.begun < maxBegun && w.signedSince(number) {
		return w.begin(number, state, all)
	}
	return nil
}

// maxBegun bounds how often comparing begins, as each time all that can be reached is read.
const maxBegun = 8

// begin has the revisions behind a state compared with it and with each other.
func (w *stateWalk) begin(number int, state *pdf.State, all []pdf.Revision) error {
	asked, err := w.asked(all[number:])
	if err != nil {
		return err
	}
	w.begun++
	o := diff.Options{Asked: asked, Containers: w.containers, Sound: w.soundLen, Describe: describeProof}
	if !w.o.blind {
		o.Covers = w.covers
	}
	w.comparer, err = diff.Begin(w.ctx, state, o)
	return err
}

// signedSince reports whether a signature closes a revision or one behind it.
func (w *stateWalk) signedSince(number int) bool {
	return slices.ContainsFunc(w.file.Signatures, func(s *Signature) bool { return s.Revision >= number })
}

// sound adds to the oddities of a revision what keeps readers from agreeing on it that its objects do not tell.
func (w *stateWalk) sound(state *pdf.State, from int64) error {
	entries, err := w.d.RevisionEntries(state.Revision)
	if err != nil {
		if isFault(err) {
			state.Ambiguities = append(state.Ambiguities, err.Error())
			return nil
		}
		return err
	}
	stray, err := w.stray(from, state.Revision, entries)
	if err != nil {
		return err
	}
	unstated, err := w.unstated(state, entries)
	for _, odd := range []string{stray, unstated} {
		if odd != "" {
			state.Ambiguities = append(state.Ambiguities, odd)
		}
	}
	return err
}

// asked lists the objects that revisions change.
func (w *stateWalk) asked(revisions []pdf.Revision) ([]uint32, error) {
	var all []uint32
	for _, r := range revisions {
		entries, err := w.d.RevisionEntries(r)
		if err != nil {
			if isFault(err) {
				continue // reading the state will say so
			}
			return nil, err
		}
		for _, e := range entries[:min(len(entries), w.o.Limits.Moves)] {
			all = append(all, e.Ref.Number)
		}
	}
	return all, nil
}
