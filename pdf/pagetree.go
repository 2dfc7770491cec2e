package pdf

import (
	"bytes"
	"errors"
	"fmt"
)

// treeWalk is one descent into the page tree.
type treeWalk struct {
	d      *Document
	budget int          // nodes, pages and kids that may still be looked at
	path   map[Ref]bool // nodes from the root to here
	seen   []uint64     // one bit an object number; see first
}

func (d *Document) newTreeWalk() *treeWalk {
	return &treeWalk{d: d, budget: 4 * d.limits.Pages, path: map[Ref]bool{}}
}

// node is a dictionary in the page tree.
type node struct {
	ref    Ref
	dict   Dict
	kids   Array // nil for a page
	stream bool  // it is that of a stream, which is neither page nor node
}

// PageCount counts the pages by walking the whole page tree, once. Counts the
// tree states are compared with the truth; see Check.
func (d *Document) PageCount() (int, error) {
	if d.pageCount > 0 {
		return d.pageCount, nil
	}
	root, err := d.readPagesRoot()
	if err != nil {
		return 0, err
	}
	n, err := d.newTreeWalk().countPages(root, ancestors{})
	if err != nil {
		return 0, fmt.Errorf("count pages: %w", err)
	}
	d.pageCount = n
	return n, nil
}

// Page returns a page by its number, from 1. Subtrees are skipped by the
// /Count they state, unless PageCount found that counts lie.
func (d *Document) Page(number int) (*Page, error) {
	if number < 1 {
		return nil, misuse("page %d does not exist", number)
	}
	root, err := d.readPagesRoot()
	if err != nil {
		return nil, err
	}
	left := number - 1
	leaf, inherited, err := d.newTreeWalk().findPage(root, Dict{}, &left)
	if leaf == nil && err == nil && d.pageCount == 0 {
		// Perhaps a /Count lies: walk the tree and look again.
		if _, err := d.PageCount(); err != nil {
			return nil, err
		}
		left = number - 1
		leaf, inherited, err = d.newTreeWalk().findPage(root, Dict{}, &left)
	}
	if err != nil {
		return nil, fmt.Errorf("find page %d: %w", number, err)
	}
	if leaf == nil {
		return nil, misuse("page %d does not exist", number)
	}
	return d.newPage(number, leaf.ref, leaf.dict, inherited)
}

func (d *Document) readPagesRoot() (node, error) {
	_, root, err := d.Root()
	if err != nil {
		return node{}, err
	}
	n, err := d.readTreeNode(root["Pages"])
	if err != nil {
		return node{}, err
	}
	if n.dict == nil {
		return node{}, damaged(-1, "catalog has no /Pages")
	}
	return n, nil
}

func (d *Document) readTreeNode(o Object) (node, error) {
	ref, _ := o.(Ref)
	o, err := d.Resolve(o)
	if err != nil {
		return node{}, err
	}
	dict, err := d.Dict(o)
	if err != nil {
		return node{}, err
	}
	n := node{ref: ref, dict: dict}
	_, n.stream = o.(*Stream)
	if dict["Kids"] != nil {
		if n.kids, err = d.Array(dict["Kids"]); err != nil {
			return node{}, err
		}
	}
	if n.kids == nil && dict["Type"] == Name("Pages") {
		n.kids = Array{}
	}
	return n, nil
}

// enterNode spends budget on a node and notes it on the path.
func (w *treeWalk) enterNode(n node) error {
	if !n.ref.IsZero() && w.path[n.ref] || len(w.path) > w.d.limits.Depth {
		return damaged(-1, "page tree runs in circles at %v", n.ref)
	}
	w.path[n.ref] = true
	return w.spendVisit()
}

// spendVisit pays for a node, or for a kid that may turn out to be none.
func (w *treeWalk) spendVisit() error {
	if w.budget--; w.budget < 0 {
		return tooLarge(-1, "more than %d pages", w.d.limits.Pages)
	}
	return nil
}

func (w *treeWalk) leaveNode(n node) { delete(w.path, n.ref) }

// isFirstVisit reports whether an object is met in this walk for the first time.
func (w *treeWalk) isFirstVisit(ref Ref) bool {
	i, bit := int(ref.Number/64), uint64(1)<<(ref.Number%64)
	if i >= len(w.seen) {
		w.seen = append(w.seen, make([]uint64, i+1-len(w.seen))...)
	}
	if w.seen[i]&bit != 0 {
		return false
	}
	w.seen[i] |= bit
	return true
}

// ancestors is what a walk knows of the nodes above a node.
type ancestors struct {
	ref       Ref  // the node that lists it; zero for the root
	inherited Dict // by the lists of kids
	// mislinked is set if some /Parent on the way is not the node that lists
	// its owner. Readers that inherit along /Parent may find something else.
	mislinked bool
}

// descend is what the kids of n are told.
func (a ancestors) descend(n node) ancestors {
	return ancestors{n.ref, inheritAttributes(a.inherited, n.dict), a.isMislinked(n)}
}

func (a ancestors) isMislinked(n node) bool {
	if a.ref.IsZero() {
		return a.mislinked || n.dict["Parent"] != nil
	}
	return a.mislinked || n.dict["Parent"] != Object(a.ref)
}

// countPages counts the pages below n, and notes what readers do not agree about:
// counts that are wrong, objects listed twice, /Parent that leads elsewhere.
func (w *treeWalk) countPages(n node, a ancestors) (int, error) {
	if n.ref == w.d.trailer.Ref("Root") && !n.ref.IsZero() {
		return 0, damaged(-1, "page tree: catalog %v is part of it", n.ref)
	}
	if n.stream {
		return 0, damaged(-1, "page tree: stream %v is no page", n.ref)
	}
	if err := w.enterNode(n); err != nil {
		return 0, err
	}
	defer w.leaveNode(n)
	if !n.ref.IsZero() && !w.isFirstVisit(n.ref) {
		w.d.ambiguousTree = true // some readers show it twice, others take it for a circle
	}
	if n.kids == nil {
		return 1, w.countPage(n, a)
	}
	total, barren := 0, false
	below := a.descend(n)
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return 0, err
		}
		k, err := w.d.readTreeNode(kid)
		if err != nil {
			return 0, err
		}
		if k.dict == nil {
			w.d.ambiguousTree = true // a kid that is missing is no page
			continue
		}
		c, err := w.countPages(k, below)
		if err != nil {
			return 0, err
		}
		if k.ref.IsZero() {
			w.d.ambiguousTree = true // kids have to be objects of their own
		}
		barren = barren || c == 0
		total += c
	}
	stated, err := w.d.Integer(n.dict["Count"])
	if err != nil || int(stated) != total {
		w.d.ambiguousTree = true
	}
	// find takes Count == len(Kids) for a node whose kids stand for a page each.
	if total == len(n.kids) && barren {
		w.d.ambiguousTree = true
	}
	return total, nil
}

func (w *treeWalk) countPage(n node, a ancestors) error {
	if isPage, err := w.d.isPage(n.dict); err != nil {
		return err
	} else if !isPage {
		w.d.ambiguousTree = true // readers disagree whether something else in a page's place is one
	}
	if !a.isMislinked(n) || w.d.ambiguousTree {
		return nil
	}
	along, err := w.inheritByParent(n.dict)
	if err != nil {
		return err
	}
	if !isWrittenAlike(inheritAttributes(a.inherited, n.dict), along) {
		w.d.ambiguousTree = true
	}
	return nil
}

// isPage reports whether a dictionary without kids has the type of a page, or
// none.
func (d *Document) isPage(dict Dict) (bool, error) {
	t, err := d.Resolve(dict["Type"])
	if isReadError(err) {
		return false, err
	}
	return err == nil && (t == Object(Name("Page")) || t == Object(Null{})), nil
}

// inheritByParent collects the inheritable attributes of a page as readers do that
// look for them along /Parent.
func (w *treeWalk) inheritByParent(page Dict) (Dict, error) {
	found := inheritAttributes(Dict{}, page)
	at := page
	for range w.d.limits.Depth {
		var err error
		at, err = w.d.Dict(at["Parent"])
		if isReadError(err) || errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		if err != nil || at == nil {
			break
		}
		found = inheritAttributes(at, found)
	}
	return found, nil
}

// isWrittenAlike reports whether two objects are written alike.
func isWrittenAlike(a, b Object) bool {
	var x, y writer
	return x.writeObject(a) == nil && y.writeObject(b) == nil && bytes.Equal(x.buf, y.buf)
}

// findPage descends to the page that has *left pages before it, and returns it
// with the attributes of the nodes above it. It returns nil and lowers *left
// if the page is not below n.
func (w *treeWalk) findPage(n node, above Dict, left *int) (*node, Dict, error) {
	if err := w.enterNode(n); err != nil {
		return nil, nil, err
	}
	defer w.leaveNode(n)
	if n.kids == nil {
		if *left == 0 {
			return &n, above, nil
		}
		*left--
		return nil, nil, nil
	}
	count, err := w.d.Integer(n.dict["Count"])
	trusted := err == nil && count >= 0 && !w.d.ambiguousTree
	if trusted && int64(*left) >= count {
		*left -= int(count)
		return nil, nil, nil
	}
	here := inheritAttributes(above, n.dict)
	if trusted && count == int64(len(n.kids)) {
		k, err := w.d.readTreeNode(n.kids[*left])
		if err != nil {
			return nil, nil, err
		}
		if k.dict != nil && k.kids == nil {
			return &k, here, nil
		}
	}
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return nil, nil, err
		}
		k, err := w.d.readTreeNode(kid)
		if err != nil {
			return nil, nil, err
		}
		if k.dict == nil {
			continue
		}
		leaf, inherited, err := w.findPage(k, here, left)
		if leaf != nil || err != nil {
			return leaf, inherited, err
		}
	}
	return nil, nil, nil
}

// inheritAttributes lays the inheritable attributes of a node over those from above
// (ISO 32000-1 §7.7.3.4).
func inheritAttributes(above, dict Dict) Dict {
	here := Dict{}
	for _, k := range []Name{"Resources", "MediaBox", "CropBox", "Rotate"} {
		if v, ok := dict[k]; ok {
			here[k] = v
		} else if v, ok := above[k]; ok {
			here[k] = v
		}
	}
	return here
}
