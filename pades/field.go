package pades

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/pdf"
)

// FieldSpec describes a field to add.
type FieldSpec struct {
	Name  string // without periods; unique in the file
	Label string // accessible description (/TU); may be empty
	Page  int    // from 1; 0 makes an invisible signature field
	// Rect is the widget's rectangle in default user space of the page, as from pdf.Page.ToUser.
	Rect pdf.Rect
	// Lock is what a signature in the field locks; nil: nothing.
	Lock *Lock
	// Mark makes a box that is not a signature field but shows the signer's mark once they have signed, such as
	// initials on each page. It is a read-only button; its appearance may be set like that of any form field.
	Mark bool
}

// Flags of widgets, buttons and forms (ISO 32000-2 §12.5.3, §12.7).
const (
	flagPrint          = 1 << 2
	flagLocked         = 1 << 7
	buttonReadOnly     = 1 << 0
	buttonPush         = 1 << 16
	signaturesExist    = 1 << 0
	signaturesAppended = 1 << 1
)

// AddFields adds empty fields in one update and returns its tail. Existing fields, defaults and resources of the form
// stay as they are. In a tagged file without signatures, each visible field is also added to the structure tree.
//
// Errors: ErrFieldExists, ErrCertified, ErrFieldLocked.
func AddFields(d *pdf.Document, fields []FieldSpec) (*pdf.Tail, error) {
	a, err := newFieldAdder(d, d.NewUpdate())
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		return nil, errors.New("no field to add")
	}
	if err := a.openStructure(); err != nil {
		return nil, err
	}
	if err := a.separateFields(); err != nil {
		return nil, err
	}
	for _, f := range fields {
		if _, err := a.addField(f); err != nil {
			return nil, fmt.Errorf("add field %q: %w", f.Name, err)
		}
	}
	if err := a.writeFields(); err != nil {
		return nil, err
	}
	if err := raiseExtension(d, a.u, levelSignature); err != nil {
		return nil, err
	}
	return a.u.Build()
}

// fieldAdder adds fields to one update.
type fieldAdder struct {
	d                *pdf.Document
	u                *pdf.Update
	permitted        permitted
	usedNames        map[string]bool
	fields           pdf.Array // the new fields
	annots           map[pdf.Ref]pdf.Array
	pages            []pdf.Ref           // keys of annots in order of first use
	structure        *structureTree      // nil: new fields are not added to a structure tree
	emptyAppearances map[boxSize]pdf.Ref // shared appearances of empty fields
	needsAppearance  bool                // invisible fields need an appearance too
	copyFields       bool                // the form gets its own copy of its list of fields
	annotsUsers      map[pdf.Ref]int     // how many pages use an array as their /Annots; nil until counted
}

// boxSize is the size of a box as displayed, in user space units.
type boxSize struct{ width, height float64 }

func newFieldAdder(d *pdf.Document, u *pdf.Update) (*fieldAdder, error) {
	facts := d.Properties()
	before, err := readPermitted(d)
	if err != nil {
		return nil, err
	}
	a := &fieldAdder{
		d: d, u: u, permitted: before, usedNames: map[string]bool{}, annots: map[pdf.Ref]pdf.Array{}, emptyAppearances: map[boxSize]pdf.Ref{},
		needsAppearance: strings.HasPrefix(facts.PDFA, "1"), // other parts of PDF/A do not need it for empty rectangles
	}
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		root, _, _ := strings.Cut(f.Name, ".")
		a.usedNames[f.Name], a.usedNames[root] = true, true
	}
	return a, nil
}

// findUnusedName returns an unused field name: prefix and a number.
func (a *fieldAdder) findUnusedName(prefix string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s%d", prefix, i); !a.usedNames[name] {
			return name
		}
	}
}

// addField adds the field, merged with its only widget.
func (a *fieldAdder) addField(f FieldSpec) (*pdf.Field, error) {
	if err := a.checkSpec(f); err != nil {
		return nil, err
	}
	a.usedNames[f.Name] = true
	page, err := a.d.Page(max(f.Page, 1))
	if err != nil {
		return nil, err
	}
	ref := a.u.Reserve()
	dict := pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString(f.Name),
		"F": pdf.Integer(flagPrint | flagLocked), "P": page.Ref, "Rect": f.Rect.Array(),
	}
	if f.Mark {
		dict["FT"], dict["Ff"] = pdf.Name("Btn"), pdf.Integer(buttonPush|buttonReadOnly)
	}
	if f.Lock != nil {
		lock, err := f.Lock.buildDictionary()
		if err != nil {
			return nil, err
		}
		dict["Lock"] = a.u.Add(lock)
	}
	if f.Label != "" {
		dict["TU"] = pdf.TextString(f.Label)
	}
	if f.Page == 0 {
		dict["Rect"] = pdf.Array{pdf.Integer(0), pdf.Integer(0), pdf.Integer(0), pdf.Integer(0)}
		if a.needsAppearance {
			dict["AP"] = pdf.Dict{"N": a.addEmptyAppearance(boxSize{})}
		}
	} else {
		box := boxSize{f.Rect.Width(), f.Rect.Height()}
		if page.Rotate%180 != 0 {
			box = boxSize{box.height, box.width}
		}
		dict["AP"] = pdf.Dict{"N": a.addEmptyAppearance(box)}
		a.structure.addElement(a.u, dict, ref, page.Ref, f)
	}
	a.u.Set(ref, dict)
	a.fields = append(a.fields, ref)
	if _, known := a.annots[page.Ref]; !known {
		a.pages = append(a.pages, page.Ref)
	}
	a.annots[page.Ref] = append(a.annots[page.Ref], ref)
	return &pdf.Field{Name: f.Name, Ref: ref, Type: dict["FT"].(pdf.Name), Dict: dict, Widgets: []pdf.Widget{{Ref: ref, Dict: dict}}}, nil
}

func (a *fieldAdder) checkSpec(f FieldSpec) error {
	switch {
	case f.Name == "" || strings.Contains(f.Name, "."):
		return errors.New("a name must not be empty or contain periods")
	case a.usedNames[f.Name]:
		return ErrFieldExists
	case f.Lock != nil && f.Mark:
		return errors.New("a mark is not signed and cannot have a lock")
	case f.Page < 0 || f.Page == 0 && f.Mark || f.Page > 0 && f.Rect.Empty():
		return fmt.Errorf("no visible box at %v on page %d", f.Rect, f.Page)
	}
	return a.permitted.requireNewField(f.Name, f.Page > 0)
}

// addEmptyAppearance returns the appearance of a field that is not signed yet: PDF/A requires one for every widget. It
// has the /BBox and /Filter of the later appearance, because some validators accept only new data as filling in, and
// report another /BBox or /Filter as an undefined change.
func (a *fieldAdder) addEmptyAppearance(box boxSize) pdf.Ref {
	if ref, made := a.emptyAppearances[box]; made {
		return ref
	}
	ref := a.u.Add(&pdf.Stream{
		Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "Resources": pdf.Dict{},
			"BBox": pdf.Rect{URX: box.width, URY: box.height}.Array(), "Filter": pdf.Name("FlateDecode"),
		},
		Data: deflatedEmpty,
	})
	a.emptyAppearances[box] = ref
	return ref
}

// deflatedEmpty is empty data in the zlib format (RFC 1950).
var deflatedEmpty = []byte{0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01}

// writeFields adds the new fields to the form and to their pages.
func (a *fieldAdder) writeFields() error {
	for _, page := range a.pages {
		if err := a.appendWidgets(page); err != nil {
			return fmt.Errorf("annotations of page %v: %w", page, err)
		}
	}
	if err := a.structure.writeElements(a.u); err != nil {
		return err
	}
	if err := addToForm(a.d, a.u, a.fields, a.copyFields); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	return nil
}

// addToForm appends fields to the form and sets its signature flags. A new form becomes an indirect object, so that the
// catalog need not change again. Values that are right already stay untouched. If own is set, the form gets its own
// list of fields.
func addToForm(d *pdf.Document, u *pdf.Update, fields pdf.Array, own bool) error {
	root, _, err := d.Root()
	if err != nil {
		return err
	}
	at, form, err := d.Form()
	if err != nil {
		return err
	}
	if form == nil {
		catalog, err := u.Edit(root)
		if err != nil {
			return err
		}
		catalog["AcroForm"] = u.Add(pdf.Dict{"Fields": fields, "SigFlags": pdf.Integer(signaturesExist | signaturesAppended)})
		return nil
	}
	flags, err := d.Integer(form["SigFlags"])
	if err != nil {
		return err
	}
	if set := flags | signaturesExist | signaturesAppended; set != flags {
		edit, err := u.EditIn(root, "AcroForm")
		if err != nil {
			return err
		}
		edit["SigFlags"] = pdf.Integer(set)
	}
	if len(fields) == 0 {
		return nil
	}
	if own {
		list, err := d.Array(form["Fields"])
		if err != nil {
			return err
		}
		edit, err := u.EditIn(root, "AcroForm")
		if err != nil {
			return err
		}
		edit["Fields"] = slices.Concat(list, fields)
		return nil
	}
	if !at.IsZero() {
		return u.Append(at, "Fields", fields...)
	}
	if form["Fields"] != nil && form.Ref("Fields") != (pdf.Ref{}) {
		array, err := u.Get(form.Ref("Fields"))
		if err != nil {
			return err
		}
		list, ok := array.(pdf.Array)
		if ok {
			u.Set(form.Ref("Fields"), append(list, fields...))
			return nil
		}
	}
	edit, err := u.EditIn(root, "AcroForm")
	if err != nil {
		return err
	}
	return u.AppendTo(edit, "Fields", fields...)
}

// appendWidgets appends the new widgets of a page to its /Annots. If several pages share the array, or if it is also
// the form's list of fields, the page gets its own copy. Otherwise the widget would appear on all those pages, or be
// listed twice.
func (a *fieldAdder) appendWidgets(page pdf.Ref) error {
	dict, err := a.u.Get(page)
	if err != nil {
		return err
	}
	node, ok := dict.(pdf.Dict)
	if !ok {
		return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: "page is not an indirect object"}
	}
	if at := node.Ref("Annots"); !at.IsZero() {
		_, form, err := a.d.Form()
		if err != nil {
			return err
		}
		shared := at == form.Ref("Fields") && !a.copyFields
		if !shared {
			owners, err := a.countPagesWithAnnots(at)
			if err != nil {
				return err
			}
			shared = owners > 1
		}
		if shared {
			list, err := a.u.Resolve(at)
			if err != nil {
				return err
			}
			edit, err := a.u.Edit(page)
			if err != nil {
				return err
			}
			array, _ := list.(pdf.Array) // it may be null
			edit["Annots"] = slices.Concat(array, a.annots[page])
			return nil
		}
	}
	return a.u.Append(page, "Annots", a.annots[page]...)
}

// separateFields marks the form's list of fields for copying if that list is also the /Annots of a page. A later
// signature with a widget would change both uses of the array, and verifiers reject that.
func (a *fieldAdder) separateFields() error {
	_, form, err := a.d.Form()
	if err != nil {
		return err
	}
	at := form.Ref("Fields")
	if at.IsZero() {
		return nil
	}
	owners, err := a.countPagesWithAnnots(at)
	a.copyFields = owners > 0
	return err
}

// countPagesWithAnnots returns how many pages use that array as their /Annots. It scans all pages once, and only if
// there is an indirect array.
func (a *fieldAdder) countPagesWithAnnots(at pdf.Ref) (int, error) {
	if a.annotsUsers == nil {
		a.annotsUsers = map[pdf.Ref]int{}
		last := map[pdf.Ref]pdf.Ref{}
		for page, err := range a.d.Pages() {
			if err != nil {
				return 0, err
			}
			ref := page.Dict.Ref("Annots")
			if ref.IsZero() || last[ref] == page.Ref {
				continue
			}
			last[ref] = page.Ref
			a.annotsUsers[ref]++
		}
	}
	return a.annotsUsers[at], nil
}

// structureTree is the structure tree of a tagged file, to which new widgets are added as Form elements (ISO 32000-2
// §14.7). A nil structureTree adds nothing.
type structureTree struct {
	root   pdf.Ref
	parent pdf.Ref // parent of new elements; the root if there is no document element
	next   int64   // key in the parent tree
	kids   pdf.Array
	nums   pdf.Array
}

// openStructure prepares to tag new fields. It skips signed files, because readers that compare revisions accept the
// changes of a signature field to form and page but not to the structure tree. It also skips trees that cannot be read
// completely.
func (a *fieldAdder) openStructure() error {
	if !a.d.Properties().Tagged {
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

// findDocumentElement returns the only element below the root if it is a Document, where form elements belong; else the
// root.
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

// computeNextKey returns a key that is greater than all keys in the parent tree.
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

// addElement adds the structure element of a new widget.
func (s *structureTree) addElement(u *pdf.Update, widget pdf.Dict, ref, page pdf.Ref, f FieldSpec) {
	if s == nil {
		return
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
