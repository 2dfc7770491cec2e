package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
)

// Pages iterates over all pages in order, in one walk of the page tree. It ends with an error where the tree cannot be
// read further.
func (d *Document) Pages() iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		root, err := d.readPagesRoot()
		if err == nil {
			e := &pageWalk{treeWalk: d.newTreeWalk(), yield: yield}
			err = e.visitNode(root, Dict{})
			if e.stopped {
				return
			}
		}
		if err != nil {
			yield(nil, fmt.Errorf("walk pages: %w", err))
		}
	}
}

type pageWalk struct {
	*treeWalk
	number  int // of pages seen
	yield   func(*Page, error) bool
	stopped bool
}

func (w *pageWalk) visitNode(n node, above Dict) error {
	if err := w.enterNode(n); err != nil {
		return err
	}
	defer w.leaveNode(n)
	if n.kids == nil {
		w.number++
		p, err := w.d.newPage(w.number, n.ref, n.dict, above)
		if err != nil {
			return err
		}
		w.stopped = !w.yield(p, nil)
		return nil
	}
	here := w.d.inheritAttributes(above, n.dict)
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return err
		}
		k, err := w.d.readTreeNode(kid)
		if err != nil {
			return err
		}
		if k.dict == nil {
			continue
		}
		if err := w.visitNode(k, here); err != nil || w.stopped {
			return err
		}
	}
	return nil
}

// Page is one page with the attributes that it inherits from the page tree.
type Page struct {
	Number    int // from 1
	Ref       Ref
	Dict      Dict // as in the file, without what is inherited
	MediaBox  Rect // default user space
	CropBox   Rect // within MediaBox
	Rotate    int  // clockwise degrees: 0, 90, 180 or 270
	UserUnit  float64
	Resources Object // perhaps inherited, perhaps a reference
}

// letterSize is what readers use for a page without a usable /MediaBox.
var letterSize = Rect{0, 0, 612, 792}

func (d *Document) newPage(number int, ref Ref, dict, inherited Dict) (*Page, error) {
	value := func(key Name) Object {
		if v := dict[key]; !d.isNothing(v) {
			return v
		}
		return inherited[key]
	}
	p := &Page{Number: number, Ref: ref, Dict: dict, Resources: value("Resources"), UserUnit: 1}
	media, err1 := d.Rect(value("MediaBox"))
	crop, err2 := d.Rect(value("CropBox"))
	turn, err3 := d.Number(value("Rotate"))
	unit, err4 := d.Number(dict["UserUnit"]) // not inherited
	for _, err := range []error{err1, err2, err3, err4} {
		switch {
		case err == nil:
		case errors.Is(err, ErrDamaged):
			// Every reader shows the page as if the entry were missing.
			d.noteDefect("page with an unreadable box, rotation or unit")
		default:
			return nil, fmt.Errorf("page %d: %w", number, err)
		}
	}
	if p.MediaBox = media; media.Empty() || !media.isFinite(1) {
		p.MediaBox = letterSize
	}
	if p.CropBox = crop.Intersect(p.MediaBox); p.CropBox.Empty() {
		p.CropBox = p.MediaBox
	}
	if quarter := turn / 90; quarter == math.Trunc(quarter) && math.Abs(quarter) < 1<<30 {
		p.Rotate = int((int64(quarter)%4 + 4) % 4 * 90)
	}
	if unit > 0 && p.CropBox.isFinite(unit) {
		p.UserUnit = unit
	}
	return p, nil
}

// treeWalk is one descent into the page tree.
type treeWalk struct {
	d      *Document
	budget int          // nodes, pages and kids that may still be visited
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
	stream bool  // the dictionary of a stream, which is neither page nor node
}

// PageCount counts the pages by walking the whole page tree, once. It compares the counts that the tree states with the
// result; see Check.
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

// Page returns a page by its number, from 1. It skips subtrees by the /Count they state, unless PageCount found wrong
// counts.
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
		// A /Count may be wrong: walk the tree and try again.
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

// enterNode counts a node and adds it to the path.
func (w *treeWalk) enterNode(n node) error {
	if !n.ref.IsZero() && w.path[n.ref] || len(w.path) > w.d.limits.Depth {
		return damaged(-1, "page tree has a loop at %v", n.ref)
	}
	w.path[n.ref] = true
	return w.spendVisit()
}

// spendVisit counts a node, or a kid that may turn out not to be one.
func (w *treeWalk) spendVisit() error {
	if w.budget--; w.budget < 0 {
		return tooLarge(-1, "more than %d pages", w.d.limits.Pages)
	}
	return nil
}

func (w *treeWalk) leaveNode(n node) { delete(w.path, n.ref) }

// isFirstVisit reports whether the walk visits an object for the first time.
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
	inherited Dict // from the nodes that list it
	// mislinked is set if some /Parent on the path is not the node that lists its owner. Readers that inherit along
	// /Parent may find other attributes.
	mislinked bool
}

func (a ancestors) isMislinked(n node) bool {
	if a.ref.IsZero() {
		return a.mislinked || n.dict["Parent"] != nil
	}
	return a.mislinked || n.dict["Parent"] != Object(a.ref)
}

// countPages counts the pages below n, and records what readers disagree about: wrong counts, objects listed twice,
// /Parent that leads elsewhere.
func (w *treeWalk) countPages(n node, a ancestors) (int, error) {
	if n.ref == w.d.trailer.Ref("Root") && !n.ref.IsZero() {
		return 0, damaged(-1, "page tree: catalog %v is part of it", n.ref)
	}
	if n.stream {
		return 0, damaged(-1, "page tree: stream %v is not a page", n.ref)
	}
	if err := w.enterNode(n); err != nil {
		return 0, err
	}
	defer w.leaveNode(n)
	if !n.ref.IsZero() && !w.isFirstVisit(n.ref) {
		w.d.ambiguousTree = true // some readers show it twice, others see a loop
	}
	if n.kids == nil {
		return 1, w.countPage(n, a)
	}
	total, barren := 0, false
	below := ancestors{n.ref, w.d.inheritAttributes(a.inherited, n.dict), a.isMislinked(n)}
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return 0, err
		}
		k, err := w.d.readTreeNode(kid)
		if err != nil {
			return 0, err
		}
		if k.dict == nil {
			w.d.ambiguousTree = true // a missing kid is not a page
			continue
		}
		c, err := w.countPages(k, below)
		if err != nil {
			return 0, err
		}
		if k.ref.IsZero() {
			w.d.ambiguousTree = true // kids must be indirect objects
		}
		barren = barren || c == 0
		total += c
	}
	stated, err := w.d.Integer(n.dict["Count"])
	if err != nil || int(stated) != total {
		w.d.ambiguousTree = true
	}
	// findPage takes Count == len(Kids) to mean that each kid is one page.
	if total == len(n.kids) && barren {
		w.d.ambiguousTree = true
	}
	return total, nil
}

func (w *treeWalk) countPage(n node, a ancestors) error {
	if isPage, err := w.d.isPage(n.dict); err != nil {
		return err
	} else if !isPage {
		w.d.ambiguousTree = true // readers disagree whether another type of object is a page
	}
	if !a.isMislinked(n) || w.d.ambiguousTree {
		return nil
	}
	along, err := w.inheritByParent(n.dict)
	if err != nil {
		return err
	}
	if !isWrittenAlike(w.d.inheritAttributes(a.inherited, n.dict), along) {
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

// inheritByParent collects the inheritable attributes of a page along /Parent, as some readers do.
func (w *treeWalk) inheritByParent(page Dict) (Dict, error) {
	found := w.d.inheritAttributes(Dict{}, page)
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
		found = w.d.inheritAttributes(at, found)
	}
	return found, nil
}

// isWrittenAlike reports whether two objects are written with the same bytes.
func isWrittenAlike(a, b Object) bool {
	var x, y writer
	return x.writeObject(a) == nil && y.writeObject(b) == nil && bytes.Equal(x.buf, y.buf)
}

// findPage descends to the page that has *left pages before it, and returns it with the attributes of the nodes above
// it. It returns nil and lowers *left if the page is not below n.
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
	here := w.d.inheritAttributes(above, n.dict)
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

// inheritAttributes overlays the inheritable attributes of a node over those from above (ISO 32000-1 §7.7.3.4).
func (d *Document) inheritAttributes(above, dict Dict) Dict {
	here := Dict{}
	for _, k := range []Name{"Resources", "MediaBox", "CropBox", "Rotate"} {
		if v := dict[k]; !d.isNothing(v) {
			here[k] = v
		} else if v, ok := above[k]; ok {
			here[k] = v
		}
	}
	return here
}

// isNothing reports whether an entry of a dictionary is missing, or refers to an object that is null or not in the file, which means the same
// (ISO 32000-2 §7.3.7, §7.3.9).
func (d *Document) isNothing(o Object) bool {
	if _, indirect := o.(Ref); !indirect {
		return o == nil
	}
	v, err := d.Resolve(o)
	return err == nil && v == Object(Null{})
}
