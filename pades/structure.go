package pades

import (
	"fmt"

	"segel/pdf"
)

// structureTree is the structure tree of a tagged file, to which new widgets are added as forms (ISO 32000-2 §14.7).
// A nil structure adds nothing.
type structureTree struct {
	root   pdf.Ref
	parent pdf.Ref // element that new ones are put into; the root if there is none
	next   int64   // key in the parent tree
	kids   pdf.Array
	nums   pdf.Array
}

// openStructure prepares to tag new fields. A file that is signed is left alone: readers that compare revisions
// know what a signature field adds to form and page, not what it adds to the structure. So is a tree that cannot
// be followed to its end.
func (a *fieldAdder) openStructure() error {
	if !a.d.Facts().Tagged {
		return nil
	}
	signatures, err := a.d.Signatures()
	if err != nil {
		return err
	}
	if len(signatures) > 0 {
		return nil
	}
	_, catalog, err := a.d.Root()
	if err != nil {
		return err
	}
	s := &structureTree{root: catalog.Ref("StructTreeRoot")}
	tree, err := a.d.Dict(s.root)
	if err != nil || tree == nil || tree["ParentTree"] == nil {
		return nil
	}
	if s.next, err = computeNextKey(a.d, tree); err != nil {
		return nil
	}
	s.parent = s.root
	if kids, err := a.d.Resolve(tree["K"]); err == nil {
		s.parent = findDocumentElement(a.d, tree["K"], kids, s.root)
	}
	a.structure = s
	return nil
}

// findDocumentElement returns the one element below the root if it is a whole document, which is where its forms belong.
func findDocumentElement(d *pdf.Document, k, resolved pdf.Object, root pdf.Ref) pdf.Ref {
	if list, ok := resolved.(pdf.Array); ok {
		if len(list) != 1 {
			return root
		}
		k = list[0]
	}
	ref, _ := k.(pdf.Ref)
	element, err := d.Dict(k)
	if err != nil || ref.IsZero() || element["S"] != pdf.Object(pdf.Name("Document")) {
		return root
	}
	return ref
}

// computeNextKey returns a key that is greater than all in the parent tree.
func computeNextKey(d *pdf.Document, tree pdf.Dict) (int64, error) {
	next, err := d.Integer(tree["ParentTreeNextKey"])
	if err != nil {
		return 0, err
	}
	node, err := d.Dict(tree["ParentTree"])
	for range 50 {
		if err != nil {
			return 0, err
		}
		kids, err2 := d.Array(node["Kids"])
		if err2 != nil {
			return 0, err2
		}
		if len(kids) == 0 {
			nums, err := d.Array(node["Nums"])
			if err != nil || len(nums) < 2 {
				return max(next, 0), err
			}
			last, err := d.Integer(nums[len(nums)-len(nums)%2-2])
			return max(next, last+1), err
		}
		node, err = d.Dict(kids[len(kids)-1])
	}
	return 0, fmt.Errorf("parent tree is too deep")
}

// addElement makes the structure element of a new widget.
func (s *structureTree) addElement(u *pdf.Update, widget pdf.Dict, ref, page pdf.Ref, f FieldSpec) error {
	if s == nil {
		return nil
	}
	element := pdf.Dict{
		"Type": pdf.Name("StructElem"), "S": pdf.Name("Form"), "P": s.parent, "Pg": page,
		"K": pdf.Dict{"Type": pdf.Name("OBJR"), "Obj": ref, "Pg": page},
	}
	if f.Label != "" {
		element["Alt"] = pdf.TextString(f.Label)
	}
	at := u.Add(element)
	widget["StructParent"] = pdf.Integer(s.next)
	s.nums = append(s.nums, pdf.Integer(s.next), at)
	s.kids = append(s.kids, at)
	s.next++
	return nil
}

// writeElements adds the new elements to their parent and to the parent tree.
func (s *structureTree) writeElements(u *pdf.Update) error {
	if s == nil || len(s.kids) == 0 {
		return nil
	}
	root, err := u.Edit(s.root)
	if err != nil {
		return err
	}
	root["ParentTreeNextKey"] = pdf.Integer(s.next)
	parent, err := u.Edit(s.parent)
	if err != nil {
		return err
	}
	if k, err := u.Resolve(parent["K"]); err != nil {
		return err
	} else if _, list := k.(pdf.Array); !list && parent["K"] != nil {
		parent["K"] = pdf.Array{parent["K"]}
	}
	if err := u.AppendTo(parent, "K", s.kids...); err != nil {
		return err
	}
	tree, err := u.EditIn(s.root, "ParentTree")
	if err != nil {
		return err
	}
	if tree["Kids"] == nil {
		return u.AppendTo(tree, "Nums", s.nums...)
	}
	leaf := u.Add(pdf.Dict{"Limits": pdf.Array{s.nums[0], s.nums[len(s.nums)-2]}, "Nums": s.nums})
	return u.AppendTo(tree, "Kids", leaf)
}
