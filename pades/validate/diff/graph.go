package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"segel/pdf"
)

// graph records the roles in which objects were ever reached, from the first signed revision on. Roles are never
// removed: an object that was once part of a page is always checked as one. So each revision costs only what it
// changed, and an omission here cannot hide a change.
type graph struct {
	visited [roleCount]numberSet
	owned   map[node]bool
	owners  map[uint32][]node // the same by number
	parents numberMap         // the object from which each was first reached
	pages   numberMap         // page numbers, from 1, by object
	skeleton
	listedOn numberMap           // the page that first listed an annotation, by its object
	widgets  map[uint32][]uint32 // widgets on pages without a name, by the object they name as parent
	ctx      context.Context

	// changed are the objects that some revision changes: all references to these are recorded.
	changed *numberSet
	edges   map[uint32][]edge
	paths   map[uint32]string // already computed
	labels  map[uint32]string // last steps of paths

	strictlyRead *numberSet // objects checked for a second reading; nil: none are
	twofold      []pdf.Ref  // objects that have one, at most maxTwofold

	unread []uint32 // objects that could not be read, so that their references are unknown

	typed, untyped []node // to be visited
	newNodes       map[node]bool
	steps          []pathStep // empty, for the next walker

	// incomplete is why not all objects could be visited; then no change is allowed.
	incomplete error
}

// edge is a reference to an object: from which object, and under which keys.
type edge struct {
	from uint32
	path string
}

// rootNumber is the node of the trailer; no object has this number.
const rootNumber = 0

// hasRole reports whether an object was reached in a role, whatever its owner.
func (g *graph) hasRole(n uint32, r role) bool {
	if !r.isOwned() {
		return g.visited[r].has(n)
	}
	return slices.ContainsFunc(g.owners[n], func(have node) bool { return have.role == r })
}

// rolesOf lists the roles of an object in the order of checking.
func (g *graph) rolesOf(n uint32) []node {
	owned := g.owners[n]
	all := append(make([]node, 0, len(owned)+usualRoles), owned...)
	for r := range roleCount {
		if !r.isOwned() && g.visited[r].has(n) {
			all = append(all, node{number: n, role: r})
		}
	}
	slices.SortFunc(all, func(a, b node) int { return int(a.role) - int(b.role) })
	return all
}

// usualRoles are as many roles without an owner as most objects have at most.
const usualRoles = 2

// hasAnyRole reports whether rolesOf returns any.
func (g *graph) hasAnyRole(n uint32) bool {
	if len(g.owners[n]) > 0 {
		return true
	}
	for r := range roleCount {
		if !r.isOwned() && g.visited[r].has(n) {
			return true
		}
	}
	return false
}

// markVisited records a node; false if it was known.
func (g *graph) markVisited(n node) bool {
	if !n.role.isOwned() {
		n.owner = 0
		if g.visited[n.role].has(n.number) {
			return false
		}
		g.visited[n.role].add(n.number)
		return true
	}
	if g.owned[n] {
		return false
	}
	g.owned[n] = true
	g.owners[n.number] = append(g.owners[n.number], n)
	return true
}

// changeRole gives an object that was reached in a general role the one that its content shows.
func (g *graph) changeRole(n uint32, reached, is role) {
	g.visited[reached].remove(n)
	fresh := g.newNodes[node{n, reached, 0}]
	delete(g.newNodes, node{n, reached, 0})
	if !g.visited[is].has(n) {
		g.visited[is].add(n)
		g.typed = append(g.typed, node{n, is, 0})
		if fresh {
			g.newNodes[node{n, is, 0}] = true
		}
	}
}

func (g *graph) isAnchor(n uint32) bool {
	for r := range roleCount {
		if r.isAnchor() && g.hasRole(n, r) {
			return true
		}
	}
	return false
}

// addReference records a reference and queues its object if that is new in the role.
func (g *graph) addReference(from uint32, steps []pathStep, to pdf.Ref, r role, owner uint32) {
	if to.IsZero() {
		return
	}
	r, takes := g.roleOf(to.Number, r)
	if !takes {
		return
	}
	if g.changed.has(to.Number) && len(g.edges[to.Number]) < maxPaths {
		e := edge{from, formatPath(steps)}
		if !slices.Contains(g.edges[to.Number], e) {
			g.edges[to.Number] = append(g.edges[to.Number], e)
		}
	}
	// A page stays a page wherever it is mentioned.
	if r.isMention() && g.isAnchor(to.Number) {
		return
	}
	if !r.isOwned() {
		owner = 0
	}
	n := node{to.Number, r, owner}
	if !g.markVisited(n) {
		return
	}
	if g.changed.has(n.number) {
		g.newNodes[n] = true
	}
	if g.parents.get(n.number) == 0 && n.number != from {
		g.parents.set(n.number, from+1)
	}
	queue := g.queueFor(r)
	*queue = append(*queue, n)
}

// queueFor returns the queue for objects in a role.
func (g *graph) queueFor(r role) *[]node {
	if r.isTyped() {
		return &g.typed
	}
	return &g.untyped
}

// visitQueued visits what is queued, in the state d. Objects with a specific role come first.
func (g *graph) visitQueued(d *pdf.Document) error {
	for g.incomplete == nil && len(g.typed)+len(g.untyped) > 0 {
		queue := &g.typed
		if len(g.typed) == 0 {
			queue = &g.untyped
		}
		batch := *queue
		*queue = nil
		// Objects with near numbers are often stored together.
		if !batch[0].role.isTyped() {
			slices.SortFunc(batch, func(a, b node) int { return cmp.Compare(a.number, b.number) })
		}
		for _, n := range batch {
			if err := g.ctx.Err(); err != nil {
				return err
			}
			if err := g.visitObject(d, n); err != nil {
				return err
			}
		}
	}
	g.typed, g.untyped = nil, nil
	return nil
}

// visitObject follows the references of one object. One that cannot be read refers to nothing: readers cannot show it.
func (g *graph) visitObject(d *pdf.Document, n node) error {
	if n.role.isMention() && g.isAnchor(n.number) {
		g.visited[n.role].remove(n.number) // it was queued before its specific role was known
		return nil
	}
	g.checkTwofold(d, n.number)
	o, err := objectAt(d, n.number)
	if err != nil {
		if len(g.unread) < maxUnread {
			g.unread = append(g.unread, n.number)
		} else {
			g.incomplete = errUnread
		}
		return g.handleFault(err)
	}
	if ref, ok := o.(pdf.Ref); ok {
		// The object is only a reference; its target has the same role.
		g.addReference(n.number, nil, ref, n.role, n.owner)
		return nil
	}
	w := &walker{g: g, d: d, from: n.number, steps: g.steps}
	w.followObject(o, n.role, n.owner)
	g.steps = w.steps[:0]
	return w.err
}

// maxTwofold bounds the objects reported as twofold.
const maxTwofold = 20

// checkTwofold records an object that readers may read differently. The strict reading also caches the object.
func (g *graph) checkTwofold(d *pdf.Document, n uint32) {
	if g.strictlyRead == nil || g.strictlyRead.has(n) || len(g.twofold) == maxTwofold {
		return
	}
	g.strictlyRead.add(n)
	ref, used := d.InUse(n)
	if !used || d.RequireSingleReading(ref) == nil {
		return
	}
	if _, err := d.Object(ref); err == nil {
		g.twofold = append(g.twofold, ref)
	}
}

// maxUnread bounds the unreadable objects that are tried again after each revision.
const maxUnread = 1000

var errUnread = fmt.Errorf("more than %d objects cannot be read", maxUnread)

// objectAt returns the object with that number, whatever its generation.
func objectAt(d *pdf.Document, n uint32) (pdf.Object, error) {
	ref, ok := d.InUse(n)
	if !ok {
		return pdf.Null{}, nil
	}
	return d.Object(ref)
}

// dictAt returns the dictionary with that number; false if there is none, or it cannot be read.
func dictAt(d *pdf.Document, n uint32) (pdf.Dict, bool) {
	o, err := objectAt(d, n)
	dict, ok := o.(pdf.Dict)
	return dict, err == nil && ok
}

// handleFault ignores a defect of one object, records that limits were reached, and returns errors of the reader.
func (g *graph) handleFault(err error) error {
	if errors.Is(err, pdf.ErrTooLarge) {
		g.incomplete = err
	}
	return pdf.IgnoreFault(err)
}

// pathStep is a key or an index on a path.
type pathStep struct {
	key   pdf.Name
	index int // if key is empty
}

func formatPath(steps []pathStep) string {
	b := make([]byte, 0, 64)
	for _, s := range steps {
		if s.key != "" {
			b = append(append(b, '/'), s.key...)
		} else {
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
		}
	}
	return string(b)
}

// role is what an object is to those that refer to it. It selects the rule for changes of the object. An object with
// several roles has to satisfy all their rules.
//
// Roles are in the order of checking: the referring object comes before its target.
type role uint8

const (
	roleCatalog role = iota
	roleInfo
	roleExtensions // and everything below
	roleMarkInfo
	roleMetadata
	roleForm
	roleFields    // array of the fields at the form's root
	roleField     // field, or the widget below a field
	roleKids      // array of what is below a field; owner: the field
	roleValue     // signature dictionary; owner: the field, 0 for a certification named by the catalog
	roleContents  // value of another field; owner: the field
	roleDefaults  // resources of the form
	roleResources // one kind of them
	rolePages     // node of the page tree
	rolePage
	roleAnnots         // array of annotations; owner: the page
	roleAnnotation     // widget or comment on a page
	roleAppearances    // appearance dictionary, or one by states; owner: the widget
	roleAppearance     // appearance stream; owner: the widget
	roleStore          // document security store
	roleStoreItems     // array of certificates, OCSP responses or CRLs
	roleStoreItem      // one of them
	roleVRIs           // dictionary by signature
	roleVRI            // what belongs to one signature
	roleStructure      // root of the structure tree
	roleElements       // array of structure elements
	roleElement        // structure element, or a reference to an object in it
	roleParents        // node of the parent tree
	roleNumbers        // array of pairs in it
	rolePart           // part of something that may be added as a whole and never changes by itself
	roleAppearancePart // the same for what an appearance is drawn with, where every reference counts as a use
	roleContent        // what a page is drawn with
	roleOther          // anything else
	roleMention        // page or node that /Parent, /P or /Pg names; replaced by another role in skeleton.roleOf
	roleCount
)

// isOwned reports whether objects in the role are distinguished by owner.
func (r role) isOwned() bool {
	switch r {
	case roleKids, roleValue, roleContents, roleAnnots, roleAppearances, roleAppearance:
		return true
	}
	return false
}

// isAnchor reports whether objects in the role may be mentioned anywhere, as the page of a destination is. Their rules
// allow no change that a mentioning object could show: lists of fields and annotations gain fields, the document
// security store gains validation data, and objects that mention them in another role do not read that.
func (r role) isAnchor() bool {
	switch r {
	case roleCatalog, rolePages, rolePage, roleAnnotation, roleField, roleStructure, roleElement,
		roleForm, roleFields, roleAnnots, roleStore, roleStoreItems, roleVRIs:
		return true
	}
	return false
}

// isStoreRole reports whether the role is one of the document security store.
func (r role) isStoreRole() bool { return r >= roleStore && r <= roleVRI }

// isMention reports whether an anchor is only mentioned in the role.
func (r role) isMention() bool { return r == rolePart || r == roleOther }

// isTyped reports whether the role has a structure; the other roles pass to everything an object refers to.
func (r role) isTyped() bool { return r < rolePart }

// node is an object in a role.
type node struct {
	number uint32
	role   role
	owner  uint32 // object number, if the role is owned
}

const perPage = 1024

// numberSet is a set of object numbers that allocates memory only near its members.
type numberSet struct{ pages []*[perPage / 64]uint64 }

func (s *numberSet) has(n uint32) bool {
	i := int(n / perPage)
	return i < len(s.pages) && s.pages[i] != nil && s.pages[i][n%perPage/64]>>(n%64)&1 == 1
}

func (s *numberSet) add(n uint32) {
	i := int(n / perPage)
	if i >= len(s.pages) {
		s.pages = append(s.pages, make([]*[perPage / 64]uint64, i+1-len(s.pages))...)
	}
	if s.pages[i] == nil {
		s.pages[i] = new([perPage / 64]uint64)
	}
	s.pages[i][n%perPage/64] |= 1 << (n % 64)
}

func (s *numberSet) remove(n uint32) {
	if s.has(n) {
		s.pages[n/perPage][n%perPage/64] &^= 1 << (n % 64)
	}
}

// all iterates over the members in order.
func (s *numberSet) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, page := range s.pages {
			if page == nil {
				continue
			}
			for j, word := range page {
				for ; word != 0; word &= word - 1 {
					if !yield(uint32(i*perPage + j*64 + bits.TrailingZeros64(word))) {
						return
					}
				}
			}
		}
	}
}

const perMapPage = 256

// numberMap maps object numbers to numbers; 0 is absent.
type numberMap struct{ pages []*[perMapPage]uint32 }

func (m *numberMap) get(n uint32) uint32 {
	if i := int(n / perMapPage); i < len(m.pages) && m.pages[i] != nil {
		return m.pages[i][n%perMapPage]
	}
	return 0
}

func (m *numberMap) set(n, v uint32) {
	i := int(n / perMapPage)
	if i >= len(m.pages) {
		m.pages = append(m.pages, make([]*[perMapPage]uint32, i+1-len(m.pages))...)
	}
	if m.pages[i] == nil {
		m.pages[i] = new([perMapPage]uint32)
	}
	m.pages[i][n%perMapPage] = v
}
