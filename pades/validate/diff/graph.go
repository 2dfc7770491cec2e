package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/pdf"
)

// graph remembers in which roles objects were ever reached, from the first signed revision on. Roles are never
// forgotten: an object that was part of a page once is judged as one ever after. So each revision costs only what it
// changed, and what is forgotten by mistake cannot hide anything.
type graph struct {
	visited [roleCount]numberSet
	owned   map[node]bool
	owners  map[uint32][]node // the same by number
	parents numberMap         // the object by which each was first reached
	pages   numberMap         // numbers of pages, from 1, by object
	skeleton
	listedOn numberMap           // the page that first listed an annotation, by its object
	widgets  map[uint32][]uint32 // on pages that have no name of their own, by the object that they name as their parent
	ctx      context.Context

	// changed are the objects that some revision changes: of these, all references are remembered.
	changed *numberSet
	edges   map[uint32][]edge
	paths   map[uint32]string // that were told already
	labels  map[uint32]string // last steps of paths

	strictlyRead  *numberSet // objects that were held against stating a key twice; nil: none are
	duplicateKeys []pdf.Ref  // that do, at most maxTwofold

	unread []uint32 // objects that lead somewhere unknown, since they could not be read

	typed, untyped []node // to be visited
	newNodes       map[node]bool

	// incomplete says why not all objects could be visited; no change can be allowed then.
	incomplete error
}

// edge is a reference to an object: from where, and by which keys.
type edge struct {
	from uint32
	path string
}

// rootNumber stands for the trailer among the numbers of objects, since no object has it.
const rootNumber = 0

func newGraph(asked *numberSet) *graph {
	return &graph{owned: map[node]bool{}, owners: map[uint32][]node{}, edges: map[uint32][]edge{}, paths: map[uint32]string{}, labels: map[uint32]string{}, changed: asked, newNodes: map[node]bool{}, widgets: map[uint32][]uint32{}}
}

// hasRole reports whether an object was reached in a role, whoever owns it.
func (g *graph) hasRole(n uint32, r role) bool {
	if !r.isOwned() {
		return g.visited[r].has(n)
	}
	return slices.ContainsFunc(g.owners[n], func(have node) bool { return have.role == r })
}

// rolesOf lists the roles of an object in the order of judging.
func (g *graph) rolesOf(n uint32) []node {
	all := slices.Clone(g.owners[n])
	for r := range roleCount {
		if !r.isOwned() && g.visited[r].has(n) {
			all = append(all, node{number: n, role: r})
		}
	}
	slices.SortFunc(all, func(a, b node) int { return int(a.role) - int(b.role) })
	return all
}

// markVisited visits a node for the first time, or returns false.
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

// changeRole gives an object that was reached as one of several things the role that it turns out to have.
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

// addReference notes a reference and queues its object if it is new in that role.
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
	// Wherever else they are mentioned, pages stay pages.
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

// queueFor is where objects in a role wait to be visited.
func (g *graph) queueFor(r role) *[]node {
	if r.isTyped() {
		return &g.typed
	}
	return &g.untyped
}

// longArray is the length from which on an array has room made for in the queue, which would grow step by step otherwise.
const longArray = 1000

// reserveQueue makes room for the elements of an array. Most are there for the first time, since most long arrays are.
func (g *graph) reserveQueue(n int, r role) {
	if n >= longArray {
		queue := g.queueFor(r)
		*queue = slices.Grow(*queue, n)
	}
}

// visitQueued visits what is queued, as the file stands in d. What can be reached in a role of its own comes first.
func (g *graph) visitQueued(d *pdf.Document) error {
	for g.incomplete == nil && len(g.typed)+len(g.untyped) > 0 {
		queue := &g.typed
		if len(g.typed) == 0 {
			queue = &g.untyped
		}
		batch := *queue
		*queue = nil
		// Objects that stand together are read together.
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

// visitObject expands one object. One that cannot be read leads nowhere: nobody can show it.
func (g *graph) visitObject(d *pdf.Document, n node) error {
	if n.role.isMention() && g.isAnchor(n.number) {
		g.visited[n.role].remove(n.number) // it was queued before it was known for what it is
		return nil
	}
	g.checkDuplicateKeys(d, n.number)
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
		// The object is nothing but a reference: what it leads to is the same to all that lead to it.
		g.addReference(n.number, nil, ref, n.role, n.owner)
		return nil
	}
	w := &walker{g: g, d: d, from: n.number}
	w.followObject(o, n.role, n.owner)
	return w.err
}

// maxDuplicateKeys bounds the objects that are told to state a key twice.
const maxDuplicateKeys = 20

// checkDuplicateKeys notes an object that states a key twice. Reading it strictly leaves it read.
func (g *graph) checkDuplicateKeys(d *pdf.Document, n uint32) {
	if g.strictlyRead == nil || g.strictlyRead.has(n) || len(g.duplicateKeys) == maxDuplicateKeys {
		return
	}
	g.strictlyRead.add(n)
	ref, used := d.InUse(n)
	if !used || d.RequireUniqueKeys(ref) == nil {
		return
	}
	if _, err := d.Object(ref); err == nil {
		g.duplicateKeys = append(g.duplicateKeys, ref)
	}
}

// maxUnread bounds the objects that could not be read and that are tried again after each revision.
const maxUnread = 1000

var errUnread = fmt.Errorf("more than %d objects cannot be read", maxUnread)

// objectAt returns the object under a number, whatever its generation.
func objectAt(d *pdf.Document, n uint32) (pdf.Object, error) {
	ref, ok := d.InUse(n)
	if !ok {
		return pdf.Null{}, nil
	}
	return d.Object(ref)
}

// handleFault lets pass what is wrong with one object, remembers that the limits were reached, and returns what is the
// reader's fault.
func (g *graph) handleFault(err error) error {
	var e *pdf.Error
	switch {
	case errors.Is(err, pdf.ErrTooLarge):
		g.incomplete = err
	case errors.As(err, &e):
	default:
		return err
	}
	return nil
}

// pathStep is a key or an index on a path.
type pathStep struct {
	key   pdf.Name
	index int // if key is empty
}

func formatPath(steps []pathStep) string {
	var b strings.Builder
	for _, s := range steps {
		if s.key != "" {
			b.WriteString("/" + string(s.key))
		} else {
			fmt.Fprintf(&b, "[%d]", s.index)
		}
	}
	return b.String()
}
