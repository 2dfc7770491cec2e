package diff

import (
	"slices"
	"strings"

	"segel/pdf"
)

// listPaths returns the paths to an object: one for each recorded reference.
func (r *revision) listPaths(n uint32) []string {
	var all []string
	for _, e := range r.g.edges[n] {
		all = append(all, r.pathTo(e.from)+e.path)
	}
	if len(all) == 0 && r.g.parents.get(n) != 0 {
		all = append(all, r.pathTo(n))
	}
	for i, p := range all {
		all[i] = strings.ToValidUTF8(strings.TrimPrefix(p, "/"), "?")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxSteps bounds the length of a path.
const maxSteps = 100

// maxKnown bounds the cached paths and steps.
const maxKnown = 10_000

// pathTo returns the path by which an object was first reached.
func (r *revision) pathTo(n uint32) string {
	if path, known := r.g.paths[n]; known {
		return path
	}
	path := r.tracePath(n)
	if len(r.g.paths) < maxKnown {
		r.g.paths[n] = path
	}
	return path
}

func (r *revision) tracePath(n uint32) string {
	var parts []string
	for range maxSteps {
		from := r.g.parents.get(n)
		if n == rootNumber || from == 0 {
			break
		}
		from--
		parts = append(parts, r.cachedLabel(from, n))
		n = from
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// cachedLabel returns the step to an object from a cache, since all objects below share it.
func (r *revision) cachedLabel(from, to uint32) string {
	if label, known := r.g.labels[to]; known {
		return label
	}
	label := r.findLabel(from, to)
	if len(r.g.labels) < maxKnown {
		r.g.labels[to] = label
	}
	return label
}

// findLabel returns the keys under which one object refers to another.
func (r *revision) findLabel(from, to uint32) string {
	for _, d := range []*pdf.Document{r.new, r.old} {
		o := pdf.Object(d.Trailer())
		if from != rootNumber {
			var err error
			if o, err = objectAt(d, from); err != nil {
				continue
			}
		}
		if steps, ok := findReference(o, to, nil); ok {
			return formatPath(steps)
		}
	}
	return "/..."
}

func findReference(o pdf.Object, to uint32, steps []pathStep) ([]pathStep, bool) {
	switch o := o.(type) {
	case pdf.Ref:
		return steps, o.Number == to
	case pdf.Array:
		for i, v := range o {
			if found, ok := findReference(v, to, append(steps, indexStep(i))); ok {
				return found, true
			}
		}
	case pdf.Dict:
		for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), o) {
			if k == "Parent" || k == "P" {
				continue
			}
			if found, ok := findReference(o[k], to, append(steps, keyStep(k))); ok {
				return found, true
			}
		}
	case *pdf.Stream:
		return findReference(o.Dict, to, steps)
	}
	return nil, false
}

// numberPages numbers the pages in order and records the objects of the page tree.
func (c *Comparer) numberPages(d *pdf.Document) error {
	_, root, err := d.Root()
	if err != nil {
		return c.g.handleFault(err)
	}
	p := &pageNumbers{g: c.g, d: d}
	p.visitNode(root["Pages"], 0)
	return p.err
}

type pageNumbers struct {
	g     *graph
	d     *pdf.Document
	pages numberMap // number of pages below a visited node, plus one
	last  uint32
	err   error
}

// visitNode visits a node of the page tree. Pages that cannot be read get no number. A page that occurs twice counts
// twice and keeps its first number.
func (p *pageNumbers) visitNode(o pdf.Object, depth int) {
	if p.err != nil || depth > maxSteps {
		return
	}
	ref := pdf.AsRef(o)
	if again := p.pages.get(ref.Number); again > 0 {
		p.last += again - 1
		return
	}
	if !ref.IsZero() {
		p.pages.set(ref.Number, 1) // a cycle contains no pages
		p.g.tree.add(ref.Number)
		before := p.last
		defer func() { p.pages.set(ref.Number, p.last-before+1) }()
	}
	dict, err := p.d.Dict(o)
	if err != nil {
		p.err = p.g.handleFault(err)
		return
	}
	if dict == nil {
		return // readers skip missing objects
	}
	if dict["Kids"] == nil {
		if p.last++; !ref.IsZero() {
			p.g.pages.set(ref.Number, p.last)
		}
		return
	}
	kids, err := p.d.Array(dict["Kids"])
	if err != nil {
		p.err = p.g.handleFault(err)
		return
	}
	if list := dict.Ref("Kids"); !list.IsZero() {
		p.g.tree.add(list.Number)
	}
	for _, kid := range kids {
		p.visitNode(kid, depth+1)
	}
}
