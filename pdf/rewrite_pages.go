package pdf

// repairPages plans what is put right in a page tree that disagrees with itself:
// counts that lie, kids that are missing, pages that are no objects of their
// own or are listed twice, /Parent that leads elsewhere. A tree that runs in
// circles, or in which something else is in a page's place, is beyond mending:
// readers differ on what its pages are.
func (r *reachWalk) repairPages() error {
	if _, err := r.d.PageCount(); err != nil {
		return err
	}
	if !r.d.ambiguousTree {
		return nil
	}
	root, err := r.d.readPagesRoot()
	if err != nil {
		return err
	}
	if root.ref.IsZero() || root.kids == nil {
		return damaged(-1, "page tree has no root")
	}
	_, _, err = r.repairNode(r.d.newTreeWalk(), root, Ref{})
	return err
}

// maxCopies bounds the nodes and pages that a rewriting adds: a tree whose nodes
// share their kids can stand for more pages than the file has bytes.
const maxCopies = 10_000

// repairNode plans the node or page n below parent. It returns its reference,
// which is new if n was no object, and how many pages it stands for.
func (r *reachWalk) repairNode(w *treeWalk, n node, parent Ref) (Ref, int, error) {
	if err := w.enterNode(n); err != nil {
		return Ref{}, 0, err
	}
	defer w.leaveNode(n)
	ref := n.ref
	var err error
	// A page that is listed twice becomes two pages, so that a field on the one
	// is not seen on the other.
	if ref.IsZero() || !w.isFirstVisit(ref) {
		if r.copies++; r.copies > maxCopies {
			return Ref{}, 0, tooLarge(-1, "page tree lists more than %d pages twice or directly", maxCopies)
		}
		if ref, err = r.reserveNumber(); err != nil {
			return Ref{}, 0, err
		}
	}
	if n.kids == nil {
		if isPage, err := r.d.isPage(n.dict); err != nil {
			return Ref{}, 0, err
		} else if !isPage {
			return Ref{}, 0, damaged(-1, "page tree: object %v is no page", n.ref)
		}
		if ref != n.ref || n.dict["Parent"] != Object(parent) {
			dict := cloneDict(n.dict)
			dict["Parent"] = parent
			r.replaced[ref.Number] = dict
		}
		return ref, 1, nil
	}
	kids, total := Array{}, 0
	for _, kid := range n.kids {
		if err := w.spendVisit(); err != nil {
			return Ref{}, 0, err
		}
		k, err := r.d.readTreeNode(kid)
		if err != nil {
			return Ref{}, 0, err
		}
		if ref, ok := kid.(Ref); ok && r.isMissing(ref) {
			return Ref{}, 0, damaged(-1, "page tree: object %v is missing", ref)
		}
		if k.dict == nil {
			continue
		}
		below, count, err := r.repairNode(w, k, ref)
		if err != nil {
			return Ref{}, 0, err
		}
		if count > 0 {
			kids = append(kids, below)
			total += count
		}
	}
	dict := cloneDict(n.dict)
	dict["Type"], dict["Kids"], dict["Count"] = Name("Pages"), kids, Integer(total)
	if delete(dict, "Parent"); !parent.IsZero() {
		dict["Parent"] = parent
	}
	r.replaced[ref.Number] = dict
	return ref, total, nil
}

// reserveNumber returns a number for a page that was no object: one that nothing in
// the file refers to, or a reference to nothing would lead to the page.
func (r *reachWalk) reserveNumber() (Ref, error) {
	next, err := r.d.NextObject()
	if err != nil {
		return Ref{}, err
	}
	if r.added = max(r.added+1, next); int64(r.added) > int64(r.d.limits.Objects) {
		return Ref{}, tooLarge(-1, "object number %d", r.added)
	}
	return Ref{Number: r.added}, nil
}
