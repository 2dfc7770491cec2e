package diff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"segel/pades/validate/formfield"
	"segel/pdf"
)

// Options of a Comparer.
type Options struct {
	// Changed are the numbers of the objects that later revisions change, as far as known. Paths are recorded for
	// these.
	Changed []uint32
	// Containers are the object streams of the states before the first.
	Containers []uint32
	// KnownLength returns the length of compressed validation data that was already decoded without an error; 0 if
	// unknown. Nil knows none.
	KnownLength func(st *pdf.Stream) int
	// DescribeItem returns what an item of a list of the document security store (Certs, OCSPs, CRLs) is about, and
	// whether it is of the kind that the list holds. For a certificate about may be empty. Nil accepts no item.
	DescribeItem func(list pdf.Name, der []byte) (about []Subject, sound bool)
	// DescribeCovered returns what is drawn within a box of a page in that state: OverlapsText, OverlapsPicture. Nil
	// finds nothing.
	DescribeCovered func(d *pdf.Document, page int, box pdf.Rect) []Note
}

// Subject is what an item of validation data is about: items about the same certificate status have the same ID. At is
// the time of the statement.
type Subject struct {
	ID string
	At time.Time
}

// Comparer compares each state of a file with the one before. It reads all reachable objects of the first state once,
// and after that what each revision changed.
type Comparer struct {
	g     *graph
	o     Options
	last  *pdf.Document
	names map[string]uint32 // of the fields at the form's root, by object; nil before the first use

	noStreams numberSet // numbers that /AdditionalStreams referred to when they were not streams

	itemBytes     int           // of validation data decoded so far
	inflater      io.ReadCloser // reused for the next item; nil at first
	fieldLookups  int           // fields and appearances examined besides those that changed
	searchedBytes int           // content searched in these

	fieldWork       *formfield.Work // what may still be spent on comparing fields with their values
	appearanceBytes int64           // what may still be spent on their appearances
	laterFonts      laterFonts
}

// NewComparer reads the first state.
func NewComparer(ctx context.Context, s *pdf.State, o Options) (*Comparer, error) {
	changed := &numberSet{}
	for _, n := range o.Changed {
		changed.add(n)
	}
	c := &Comparer{
		g: &graph{
			ctx: ctx, changed: changed, owned: map[node]bool{}, owners: map[uint32][]node{}, edges: map[uint32][]edge{}, paths: map[uint32]string{},
			labels: map[uint32]string{}, newNodes: map[node]bool{}, widgets: map[uint32][]uint32{},
		},
		o: o, last: s.Document, fieldWork: &formfield.Work{Left: maxFieldWork}, appearanceBytes: maxAppearanceBytes,
	}
	if err := c.numberPages(s.Document); err != nil {
		return nil, err
	}
	c.g.strictlyRead = &numberSet{}
	if err := c.followTrailer(s); err != nil {
		return nil, err
	}
	if err := c.protectObjectStreams(s, o.Containers...); err != nil {
		return nil, err
	}
	c.g.strictlyRead = nil
	return c, nil
}

// followTrailer visits what the trailer of a state refers to.
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

// Incomplete returns why not every reachable object was read, so that later changes cannot be checked. Nil: all were
// read.
func (c *Comparer) Incomplete() error { return c.g.incomplete }

// TwofoldObjects lists reachable objects of the first state, and object streams, that readers may read differently: see
// [pdf.Document.RequireSingleReading].
func (c *Comparer) TwofoldObjects() []pdf.Ref { return c.g.twofold }

// EachUnreached calls f for objects of the first state that nothing refers to, until f returns false. Call it only
// before the first Step.
func (c *Comparer) EachUnreached(f func(pdf.Ref) bool) {
	for ref := range c.last.InUseAll() {
		if !c.g.hasAnyRole(ref.Number) && !f(ref) {
			return
		}
	}
}

// protectObjectStreams gives the object streams of a state, and more, a role in which nothing may change.
func (c *Comparer) protectObjectStreams(s *pdf.State, more ...uint32) error {
	for _, n := range append(more, s.ObjectStreams...) {
		c.g.addReference(rootNumber, []pathStep{keyStep("ObjStm")}, pdf.Ref{Number: n}, roleOther, 0)
	}
	return c.g.visitQueued(s.Document)
}

// Step compares the next state with the one before and returns what its revision changed: changes of the whole revision
// first, then one Change per object in order of number. Errors come from the reader or the context; a defect of the
// file is a change that no rule allows.
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
	state     *pdf.State // the new state
	old, new  *pdf.Document
	moves     map[uint32]*changedObject
	approvals map[approvalKey]verdict
	// hasSignature is whether the revision adds a signature; nil before the first use.
	hasSignature  *bool
	spareXRefs    int // cross-reference streams besides its own
	items         map[storeItem]itemContent
	storeResult   *verdict                 // on the document security stores; nil before the first use
	readErr       error                    // of the file's reader
	widgetCounts  map[uint32]int           // how often pages list new widgets
	annotations   map[int][]pageAnnotation // that pages had before, as far as requested
	fieldVerdicts map[uint32]verdict       // on fields that were filled in, by number
}

// changedObject is a changed object with both its values.
type changedObject struct {
	pdf.ObjectChange
	old, new       pdf.Object
	oldErr, newErr error
}

func (m *changedObject) isAdded() bool { return m.Before.IsZero() }
func (m *changedObject) isFreed() bool { return m.After.IsZero() }

// approvalKey names an object in a role that the rule about the referring object has already checked.
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
		if m.newErr = r.new.RequireSingleReading(m.After); m.newErr == nil {
			m.new, m.newErr = r.new.Object(m.After)
		}
	}
	for _, fault := range []error{m.oldErr, m.newErr} {
		if err := r.g.handleFault(fault); err != nil {
			return err
		}
	}
	r.moves[p.Number] = m
	return nil
}

// reportOddities returns what distinguishes the revision as a whole from one by an honest writer.
func (r *revision) reportOddities(s *pdf.State) []Change {
	var all []Change
	for _, what := range s.Ambiguities {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeAmbiguous, Detail: what})
	}
	if s.Revealed != 0 {
		what := fmt.Sprintf("object %d, which some readers did not find before", s.Revealed)
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeAmbiguous, Detail: what})
	}
	if s.Truncated {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeTooMuch, Detail: "too many changed objects"})
	}
	if r.g.incomplete != nil {
		all = append(all, Change{Operation: Oddity, Level: Other, Code: CodeTooMuch, Detail: r.g.incomplete.Error()})
	}
	return all
}

// reportNowReadable reports objects that could not be read before and now can, although the revision does not write
// them: it completes what was deliberately left unfinished.
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

// applyRules applies the rules to every changed object in each of its roles.
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
		// Objects that were there before approve new ones below them, so they come first.
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

// checkWithoutRules returns a verdict on objects that need no rule; false if the rules have to be applied.
func (r *revision) checkWithoutRules(m *changedObject) (verdict, bool) {
	roles := r.g.rolesOf(m.Number)
	switch {
	case m.isFreed() && len(roles) > 0 && !slices.ContainsFunc(roles, func(n node) bool { return !n.role.isStoreRole() }):
		return r.storeVerdict(), true // what still refers to it now refers to nothing
	case m.isFreed():
		return deny(CodeFreed, ""), true
	case len(roles) == 0 && m.newErr == nil:
		return r.checkUnreachable(m), true
	case m.oldErr != nil || m.newErr != nil:
		return deny(CodeUnreadable, fmt.Sprint(errors.Join(m.oldErr, m.newErr))), true
	case m.isAdded():
		// A reference that existed before the object would now lead to something.
		for _, n := range roles {
			if !r.g.newNodes[n] {
				return deny(CodeUnexplained, "an earlier reference led to nothing, and now to it"), true
			}
		}
		if m.Earlier {
			return deny(CodeRestored, "it is in an earlier revision"), true
		}
		return verdict{}, false
	case m.Before == m.After && r.isUnchanged(m):
		return verdict{rule: "unchanged", level: None, code: CodeUnchanged}, true
	case m.Earlier:
		return deny(CodeRestored, "it is in an earlier revision"), true
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
	c := Change{
		Ref: m.After, Operation: Replaced, Paths: r.listPaths(m.Number), Rule: v.rule, Level: v.level, Code: v.code, Field: v.field, Page: v.page,
		Box: v.box, Widget: v.widget, Notes: v.notes, Detail: v.detail,
	}
	if c.Page == 0 && v.code == CodeContent {
		c.Page = r.pageOfContents(m.Number)
	}
	switch {
	case m.isAdded():
		c.Operation = Added
	case m.isFreed():
		c.Operation, c.Ref = Freed, m.Before
	}
	return c
}

// pageOfContents returns the number of the page whose /Contents an object is; 0 if none or more than one page refers to it, or
// something else does.
func (r *revision) pageOfContents(n uint32) int {
	edges := r.g.edges[n]
	if len(edges) == maxPaths {
		return 0 // there may be more
	}
	page := 0
	for _, e := range edges {
		on := int(r.g.pages.get(e.from))
		if on == 0 || !strings.HasPrefix(e.path, "/Contents") || page != 0 && page != on {
			return 0
		}
		page = on
	}
	return page
}

// equalObjects reports whether two objects have the same value. References are equal if they name the same object; a
// change of that object is reported for itself. The notation of a string makes no difference, and neither does 1 or
// 1.0.
func equalObjects(a, b pdf.Object) bool {
	switch a := a.(type) {
	case nil, pdf.Null:
		return b == nil || b == pdf.Object(pdf.Null{})
	case pdf.Array:
		b, ok := b.(pdf.Array)
		return ok && slices.EqualFunc(a, b, equalObjects)
	case pdf.Dict:
		b, ok := b.(pdf.Dict)
		return ok && len(Differing(a, b)) == 0
	case pdf.String:
		b, ok := b.(pdf.String)
		return ok && bytes.Equal(a.Bytes, b.Bytes)
	case pdf.Integer:
		if r, ok := b.(pdf.Real); ok {
			return pdf.Real(a) == r
		}
		return a == b
	case pdf.Real:
		if i, ok := b.(pdf.Integer); ok {
			return a == pdf.Real(i)
		}
		return pdf.Object(a) == b
	case pdf.Boolean, pdf.Name, pdf.Ref:
		switch b.(type) {
		case pdf.Boolean, pdf.Name, pdf.Ref:
			return a == b
		}
	}
	return false
}

// Differing returns the keys under which two dictionaries differ, in order.
func Differing(a, b pdf.Dict) []pdf.Name {
	var keys []pdf.Name
	for k, v := range a {
		if !equalObjects(v, b[k]) {
			keys = append(keys, k)
		}
	}
	for k, v := range b {
		if _, there := a[k]; !there && !equalObjects(nil, v) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// equalStreams compares two streams, their stored data included. Data of more than maxComparedStream bytes counts as
// different: no honest writer stores that again unchanged.
func equalStreams(old, new *pdf.Document, a, b *pdf.Stream) bool {
	if a.Len() != b.Len() || a.Len() > maxComparedStream || !equalObjects(a.Dict, b.Dict) {
		return false
	}
	x, err1 := old.Raw(a)
	y, err2 := new.Raw(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

const maxComparedStream = 4 << 20

// addedElements returns the elements that new has and old lacks, if new keeps all elements of old in their order.
func addedElements(old, new pdf.Array) (added pdf.Array, ok bool) {
	for _, v := range new {
		if len(old) > 0 && equalObjects(old[0], v) {
			old = old[1:]
			continue
		}
		added = append(added, v)
	}
	return added, len(old) == 0
}

// checkUnreachable allows objects that nothing refers to, neither now nor before: cross-reference streams, object
// streams and leftovers of writers. A later revision that refers to them is checked for that. Objects that a reader
// which rebuilds the cross-reference would use as one of the former, or as the catalog, are not leftovers.
func (r *revision) checkUnreachable(m *changedObject) verdict {
	dict := dictionaryOf(m.new)
	switch dict["Type"] {
	case pdf.Object(pdf.Name("XRef")):
		return r.checkCrossReference(m)
	case pdf.Object(pdf.Name("ObjStm")):
		if !m.isAdded() || !slices.Contains(r.state.ObjectStreams, m.Number) {
			return deny(CodeAmbiguous, "an object stream without objects in use")
		}
		return allow("cross-reference", None, CodeCrossReference)
	case pdf.Object(pdf.Name("Catalog")):
		return deny(CodeAmbiguous, "a spare catalog")
	}
	return allow("unreachable", None, CodeUnreachable)
}

// checkCrossReference checks a cross-reference stream of the revision: its own, or one more with the same content.
// PDFBox and programs built on it write such a stream besides the table if the file had both before.
func (r *revision) checkCrossReference(m *changedObject) verdict {
	own, err := r.state.LeadsTo(m.Offset, r.state.Revision.StartXref)
	if err != nil {
		r.readErr = err
	}
	if st, _ := m.old.(*pdf.Stream); own && (m.isAdded() || st != nil && st.Dict["Type"] == pdf.Object(pdf.Name("XRef"))) {
		return allow("cross-reference", None, CodeCrossReference)
	}
	if r.spareXRefs++; own || !m.isAdded() || m.Earlier || r.spareXRefs > maxSpareXRefs {
		return deny(CodeAmbiguous, "another cross-reference stream")
	}
	repeats, err := r.state.RepeatsCrossReference(m.Offset)
	if err != nil {
		r.readErr = err
	}
	if !repeats {
		return deny(CodeAmbiguous, "a different cross-reference stream")
	}
	return allow("cross-reference", None, CodeCrossReference)
}

// maxSpareXRefs bounds the cross-reference streams of a revision besides its own. Comparing one costs as much as it is
// long.
const maxSpareXRefs = 1
