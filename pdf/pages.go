package pdf

import (
	"fmt"
	"iter"
)

// Pages goes through all pages in order, in one walk of the page tree. It ends
// with an error where the tree cannot be read further.
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
	here := inheritAttributes(above, n.dict)
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
