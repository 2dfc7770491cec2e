package diff

import "segel/pdf"

// skeleton are the objects that hold a document together: the catalog, the page tree and the form. Each is checked only
// as what it is, whatever refers to it: a page whose /Parent is the catalog, a field whose /Parent is the page tree, a
// list of annotations with a page in it.
//
// That is safe because their rules allow nothing that could show in another way. The page tree never changes; a page
// gains annotations; the catalog and the form gain fields, validation data and document information. No appearance,
// field, annotation, action or resource has an entry of these names.
type skeleton struct {
	catalog uint32
	form    uint32    // 0 if it is direct or missing
	tree    numberSet // nodes of the page tree, their lists of kids, and pages
}

// findSkeleton reads the skeleton of a state.
func (s *skeleton) findSkeleton(d *pdf.Document) {
	ref, root, err := d.Root()
	if err != nil {
		return // then nothing can be reached
	}
	s.catalog = ref.Number
	form, _, err := d.Form()
	if s.form = 0; err == nil {
		s.form = form.Number
	}
	if form := root.Ref("AcroForm"); s.form != 0 && form.Number != s.form {
		s.form = 0 // behind a chain of references, each of which has the role as well
	}
}

// roleOf returns the role of an object that is referred to in role r; false if the reference is only a mention.
func (s *skeleton) roleOf(n uint32, r role) (role, bool) {
	switch {
	case n == s.catalog:
		return r, r == roleCatalog
	case s.tree.has(n):
		return r, r == rolePages || r == rolePage
	case n == s.form && s.form != 0:
		return r, r == roleForm
	case r == roleMention:
		// An object that is named as a page but not in the page tree is treated as any other: a replaced page that
		// widgets still name, or a parent that no list of kids has. Some readers inherit from it all the same.
		return roleOther, true
	}
	return r, true
}
