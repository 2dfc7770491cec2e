package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"segel/pades/validate/formfield"
	"segel/pdf"
)

// Options of a Comparer.
type Options struct {
	// Changed are the numbers of all objects that revisions behind the first will change, as far as they are known.
	// Paths are told of these.
	Changed []uint32
	// Containers are the object streams of the states before the first.
	Containers []uint32
	// KnownLength tells how long compressed proof is that was decoded already and found sound; 0 is not known. Nil is none.
	KnownLength func(st *pdf.Stream) int
	// DescribeItem tells what an item of a list of the document security store (Certs, OCSPs, CRLs) is about, and whether it
	// is what the list says. Of a certificate it need not say what it is about. Nil takes nothing for proof.
	DescribeItem func(list pdf.Name, der []byte) (about []Subject, sound bool)
	// DescribeCovered tells what is drawn within a box of a page, as the document stood then: OverlapsText, OverlapsPicture. Nil
	// is nothing.
	DescribeCovered func(d *pdf.Document, page int, box pdf.Rect) []Note
}

// Subject is what an item of proof is about: items about the same have the same ID. At is when it was so.
type Subject struct {
	ID string
	At time.Time
}

// Comparer compares the states of a file, each with the one before. It reads all that can be reached in the first
// state once, and after that what each revision changed.
type Comparer struct {
	g     *graph
	o     Options
	last  *pdf.Document
	names map[string]uint32 // of the fields at the form's root, by object; nil until asked for

	noStreams numberSet // numbers that /AdditionalStreams led to when they were no streams

	itemBytes     int           // decoded so far
	inflater      io.ReadCloser // for the next proof; nil if there is none
	fieldLookups  int           // fields and appearances that were looked at beside those that changed
	searchedBytes int           // content of those that was looked through

	fieldWork       *formfield.Work // left for comparing fields with their values
	appearanceBytes int64           // left for their appearances
	laterFonts      laterFonts
}

// NewComparer takes up the first state.
func NewComparer(ctx context.Context, s *pdf.State, o Options) (*Comparer, error) {
	asked := &numberSet{}
	for _, n := range o.Changed {
		asked.add(n)
	}
	c := &Comparer{
		g: newGraph(asked), o: o, last: s.Document, fieldWork: &formfield.Work{Left: maxFieldWork}, appearanceBytes: maxAppearanceBytes,
	}
	c.g.ctx = ctx
	if err := c.numberPages(s.Document); err != nil {
		return nil, err
	}
	c.g.strictlyRead = &numberSet{}
	if err := c.followTrailer(s); err != nil {
		return nil, err
	}
	c.g.strictlyRead = nil
	if err := c.protectObjectStreams(s, o.Containers...); err != nil {
		return nil, err
	}
	return c, nil
}

// followTrailer visits what the trailer and the object streams of a state lead to.
func (c *Comparer) followTrailer(s *pdf.State) error {
	c.g.skeleton.findSkeleton(s.Document)
	w := &walker{g: c.g, d: s.Document, from: rootNumber}
	trailer := maps.Clone(s.Trailer())
	delete(trailer, additionalStreams)
	w.followTable(trailer, trailerRoles, roleOther, 0)
	if w.err != nil {
		return w.err
	}
	if err := c.followAdditionalStreams(w, s.Trailer()[additionalStreams]); err != nil {
		return err
	}
	return c.g.visitQueued(s.Document)
}

// Incomplete returns why not every reachable object was read, so that later changes cannot be judged. Nil: all were read.
func (c *Comparer) Incomplete() error { return c.g.incomplete }

// DuplicateKeys lists objects of the first state in which a dictionary states a key twice, as far as anything leads to them:
// readers differ in which of the two they take.
func (c *Comparer) DuplicateKeys() []pdf.Ref { return c.g.duplicateKeys }

// EachUnreached calls f for objects of the first state that nothing leads to, until f returns false. It is of use before
// the first Step.
func (c *Comparer) EachUnreached(f func(pdf.Ref) bool) {
	for ref := range c.last.InUseAll() {
		if len(c.g.rolesOf(ref.Number)) == 0 && !f(ref) {
			return
		}
	}
}

// protectObjectStreams makes the object streams of a state, and more, part of what must not change.
func (c *Comparer) protectObjectStreams(s *pdf.State, more ...uint32) error {
	for _, n := range append(more, s.ObjectStreams...) {
		c.g.addReference(rootNumber, []pathStep{keyStep("ObjStm")}, pdf.Ref{Number: n}, roleOther, 0)
	}
	return c.g.visitQueued(s.Document)
}

// Step compares the next state with the one before, and returns what its revision changed: one Change for each
// object, in order of number, those of the whole revision first. An error is the reader's or the context's; what is
// wrong with the file is a change that no rule allows.
func (c *Comparer) Step(s *pdf.State) ([]Change, error) {
	clear(c.g.newNodes)
	r := &revision{c: c, g: c.g, state: s, old: c.last, new: s.Document, moves: map[uint32]*changedObject{}, approvals: map[approvalKey]verdict{}, widgetCounts: map[uint32]int{}, annotations: map[int][]pageAnnotation{}, items: map[storeItem]itemContent{}, fieldVerdicts: map[uint32]verdict{}}
	for _, m := range s.Changes {
		if err := r.loadObject(m); err != nil {
			return nil, err
		}
	}
	for _, m := range s.Changes {
		for _, n := range c.g.rolesOf(m.Number) {
			if err := c.g.visitObject(s.Document, n); err != nil {
				return nil, err
			}
		}
	}
	if err := c.followTrailer(s); err != nil {
		return nil, err
	}
	changes := append(r.reportOddities(s), r.reportNowReadable()...)
	changes = append(changes, r.checkTrailer()...)
	changes = append(changes, r.applyRules()...)
	if err := c.protectObjectStreams(s); err != nil {
		return nil, err
	}
	c.last = s.Document
	if r.readErr != nil {
		return nil, r.readErr
	}
	return changes, c.g.ctx.Err()
}

// revision is one comparison.
type revision struct {
	c         *Comparer
	g         *graph
	state     *pdf.State // the new one
	old, new  *pdf.Document
	moves     map[uint32]*changedObject
	approvals map[approvalKey]verdict
	// hasSignature is whether it brings one; nil until asked for.
	hasSignature  *bool
	spareXRefs    int // cross-reference streams beside its own
	items         map[storeItem]itemContent
	storeResult   *verdict                 // of the document security stores; nil until asked for
	readErr       error                    // of the file's reader
	widgetCounts  map[uint32]int           // how often new widgets stand on pages
	annotations   map[int][]pageAnnotation // annotations that stood on pages before, as far as anybody asked
	fieldVerdicts map[uint32]verdict       // on the fields that were filled in, by number
}

// changedObject is one changed object with both its values.
type changedObject struct {
	pdf.ObjectChange
	old, new       pdf.Object
	oldErr, newErr error
}

func (m *changedObject) isAdded() bool { return m.Before.IsZero() }
func (m *changedObject) isFreed() bool { return m.After.IsZero() }

// approvalKey names an object in a role that the rule about what leads to it has already judged.
type approvalKey struct {
	number uint32
	role   role
}

func (r *revision) loadObject(p pdf.ObjectChange) error {
	m := &changedObject{ObjectChange: p, old: pdf.Null{}, new: pdf.Null{}}
	if !m.isAdded() {
		m.old, m.oldErr = r.old.Object(m.Before)
	}
	if !m.isFreed() {
		if m.newErr = r.new.RequireUniqueKeys(m.After); m.newErr == nil {
			m.new, m.newErr = r.new.Object(m.After)
		}
	}
	for _, err := range []error{m.oldErr, m.newErr} {
		if err != nil {
			if err := r.g.handleFault(err); err != nil {
				return err
			}
		}
	}
	r.moves[p.Number] = m
	return nil
}

// reportOddities reports what makes the revision as a whole unlike an honest one.
func (r *revision) reportOddities(s *pdf.State) []Change {
	var all []Change
	for _, what := range s.Ambiguities {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeAmbiguous, Detail: what})
	}
	if s.Truncated {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeTooMuch, Detail: "more changed objects than are looked at"})
	}
	if r.g.incomplete != nil {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeTooMuch, Detail: r.g.incomplete.Error()})
	}
	return all
}

// reportNowReadable reports objects that nobody could read before and that can be read now, although the revision does not state
// them: it completes what was left unfinished on purpose.
func (r *revision) reportNowReadable() []Change {
	var all []Change
	var still []uint32
	for _, n := range r.g.unread {
		ref, _ := r.new.InUse(n)
		if _, err := r.new.Object(ref); err != nil || r.moves[n] != nil {
			still = append(still, n)
			continue
		}
		all = append(all, Change{Ref: ref, Operation: Replaced, Paths: r.listPaths(n), Level: Other, Code: CodeUnreadable, Detail: "it could not be read before"})
	}
	r.g.unread = still
	return all
}

// applyRules asks the rules about every changed object in each of its roles.
func (r *revision) applyRules() []Change {
	type asked struct {
		m *changedObject
		n node
	}
	var all []asked
	found := map[uint32]*verdict{}
	for n, m := range r.moves {
		if v, done := r.checkWithoutRules(m); done {
			found[n] = &v
			continue
		}
		for _, node := range r.g.rolesOf(n) {
			all = append(all, asked{m, node})
		}
	}
	slices.SortFunc(all, func(a, b asked) int {
		if a.n.role != b.n.role {
			return int(a.n.role) - int(b.n.role)
		}
		// What was there before vouches for what is new below it.
		if a.m.isAdded() != b.m.isAdded() {
			if a.m.isAdded() {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.n.number, b.n.number)
	})
	for _, a := range all {
		v := rules[a.n.role](r, a.m, a.n)
		if have := found[a.n.number]; have != nil {
			v = worstVerdict(*have, v)
		}
		found[a.n.number] = &v
	}
	changes := make([]Change, 0, len(r.moves))
	for n, m := range r.moves {
		changes = append(changes, r.newChange(m, *found[n]))
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Ref.Number, b.Ref.Number) })
	return changes
}

// checkWithoutRules judges what needs no role, or reports that rules have to be asked.
func (r *revision) checkWithoutRules(m *changedObject) (verdict, bool) {
	roles := r.g.rolesOf(m.Number)
	switch {
	case m.isFreed() && len(roles) > 0 && !slices.ContainsFunc(roles, func(n node) bool { return !n.role.isStoreRole() }):
		return r.storeVerdict(), true // whatever still leads to it leads to nothing
	case m.isFreed():
		return deny(CodeFreed, ""), true
	case len(roles) == 0 && m.newErr == nil:
		return r.checkUnreachable(m), true
	case m.oldErr != nil || m.newErr != nil:
		return deny(CodeUnreadable, fmt.Sprint(errors.Join(m.oldErr, m.newErr))), true
	case m.isAdded():
		// What was referred to before it was there would change all that refers to it.
		for _, n := range roles {
			if !r.g.newNodes[n] {
				return deny(CodeUnexplained, "a reference that led to nothing leads to it"), true
			}
		}
		if m.Earlier {
			return deny(CodeRestored, "it stands in an earlier revision"), true
		}
		return verdict{}, false
	case m.Before == m.After && r.isUnchanged(m):
		return verdict{rule: "unchanged", level: None, code: CodeUnchanged}, true
	case m.Earlier:
		return deny(CodeRestored, "it stands in an earlier revision"), true
	case m.Before != m.After:
		return deny(CodeUnexplained, "another generation of its number"), true
	}
	return verdict{}, false
}

func (r *revision) isUnchanged(m *changedObject) bool {
	a, ok := m.old.(*pdf.Stream)
	if !ok {
		return equalObjects(m.old, m.new)
	}
	b, ok := m.new.(*pdf.Stream)
	return ok && equalStreams(r.old, r.new, a, b)
}

func (r *revision) newChange(m *changedObject, v verdict) Change {
	c := Change{Ref: m.After, Operation: Replaced, Rule: v.rule, Level: v.level, Code: v.code, Field: v.field, Page: v.page, Box: v.box, Widget: v.widget, Notes: v.notes, Detail: v.detail}
	switch {
	case m.isAdded():
		c.Operation = Added
	case m.isFreed():
		c.Operation, c.Ref = Freed, m.Before
	}
	c.Paths = r.listPaths(m.Number)
	return c
}
