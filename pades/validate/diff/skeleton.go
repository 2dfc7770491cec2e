package diff

import "segel/pdf"

// skeleton are the objects that hold a document together: the catalog, the page tree and the form. Each is judged as
// what it is and as nothing else, whatever refers to it: a page whose /Parent is the catalog, a field whose /Parent is
// the page tree, a list of annotations with a page in it.
//
// That is safe because their rules allow nothing that could show by another way. The page tree never changes; a page
// gains annotations; the catalog and the form gain fields, proof, and what the document says of itself. No appearance,
// field, annotation, action or resource has an entry of one of these names.
type skeleton struct {
	catalog uint32
	form    uint32    // 0 if it is direct or missing
	tree    numberSet // nodes of the page tree, their lists of kids, and pages
}

// findSkeleton finds the skeleton of a state.
func (s *skeleton) findSkeleton(d *pdf.Document) {
	ref, root, err := d.Root()
	if err != nil {
		return // nothing can be reached, then
	}
	s.catalog = ref.Number
	form, _, err := d.Form()
	if s.form = 0; err == nil {
		s.form = form.Number
	}
	if form := root.Ref("AcroForm"); s.form != 0 && form.Number != s.form {
		s.form = 0 // behind references to references, which have the role as well
	}
}

// roleOf returns the role that an object has where it is referred to in a role, or false if the reference is a mere
// mention.
func (s *skeleton) roleOf(n uint32, r role) (role, bool) {
	switch {
	case n == s.catalog:
		return r, r == roleCatalog
	case s.tree.has(n):
		return r, r == rolePages || r == rolePage
	case n == s.form && s.form != 0:
		return r, r == roleForm
	case r == roleMention:
		// What is called a page and is not in the page tree is none: a page that was replaced, to which widgets still
		// refer, or a parent that no list of kids has. Some readers inherit from that all the same.
		return roleOther, true
	}
	return r, true
}
