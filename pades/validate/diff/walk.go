package diff

import (
	"slices"

	"segel/pdf"
)

// walker follows the references of one object.
type walker struct {
	g     *graph
	d     *pdf.Document
	from  uint32 // object number, rootNumber for the trailer
	steps []pathStep
	err   error // of the reader, or a limit
}

// followValue follows a value in a role: a reference is recorded, a direct value is followed in place.
func (w *walker) followValue(s pathStep, o pdf.Object, r role, owner uint32) {
	w.steps = append(w.steps, s)
	if ref, ok := o.(pdf.Ref); ok {
		w.g.addReference(w.from, w.steps, ref, r, owner)
	} else {
		w.followObject(o, r, owner)
	}
	w.steps = w.steps[:len(w.steps)-1]
}

func keyStep(k pdf.Name) pathStep { return pathStep{key: k} }
func indexStep(i int) pathStep    { return pathStep{index: i} }

// longArray is the length from which the queue is grown in one step: the elements of long arrays are usually new.
const longArray = 1000

// followAll follows all elements of an array, or all values of a dictionary.
func (w *walker) followAll(o pdf.Object, r role, owner uint32) {
	switch o := o.(type) {
	case pdf.Array:
		if len(o) >= longArray {
			queue := w.g.queueFor(r)
			*queue = slices.Grow(*queue, len(o))
		}
		for i, v := range o {
			w.followValue(indexStep(i), v, r, owner)
		}
	case pdf.Dict:
		for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), o) {
			w.followValue(keyStep(k), o[k], r, owner)
		}
	case *pdf.Stream:
		w.followAll(o.Dict, r, owner)
	}
}

// followTable follows the values of a dictionary in the roles of their keys, and all others in a common role.
func (w *walker) followTable(o pdf.Object, roles map[pdf.Name]role, others role, owner uint32) {
	dict := dictionaryOf(o)
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		r, known := roles[k]
		if !known {
			r = others
		}
		w.followValue(keyStep(k), dict[k], r, owner)
	}
}

var (
	trailerRoles = map[pdf.Name]role{"Root": roleCatalog, "Info": roleInfo}
	catalogRoles = map[pdf.Name]role{
		"AcroForm": roleForm, "DSS": roleStore, "Extensions": roleExtensions, "Metadata": roleMetadata, "MarkInfo": roleMarkInfo,
		"Pages": rolePages, "StructTreeRoot": roleStructure,
	}
	formRoles       = map[pdf.Name]role{"Fields": roleFields, "DR": roleDefaults}
	nodeRoles       = map[pdf.Name]role{"Kids": rolePages, "Parent": roleMention, "Resources": roleContent}
	pageRoles       = map[pdf.Name]role{"Parent": roleMention, "Contents": roleContent, "Resources": roleContent, "Annots": roleAnnots}
	fieldRoles      = map[pdf.Name]role{"Parent": roleField, "P": roleMention, "AP": roleAppearances, "Kids": roleKids, "MK": roleAppearancePart, "A": roleOther, "AA": roleOther, "OC": roleOther}
	annotationRoles = map[pdf.Name]role{"P": roleMention, "AP": roleAppearances, "Popup": roleAnnotation, "Parent": roleAnnotation, "IRT": roleAnnotation}
	storeRoles      = map[pdf.Name]role{"Certs": roleStoreItems, "OCSPs": roleStoreItems, "CRLs": roleStoreItems, "VRI": roleVRIs}
	vriRoles        = map[pdf.Name]role{"Cert": roleStoreItems, "OCSP": roleStoreItems, "CRL": roleStoreItems, "TS": roleStoreItem}
	treeRoles       = map[pdf.Name]role{"K": roleElements, "ParentTree": roleParents}
	elemRoles       = map[pdf.Name]role{"K": roleElements, "Pg": roleMention}
	numberTreeRoles = map[pdf.Name]role{"Kids": roleParents, "Nums": roleNumbers}
)

// passedRoles are the roles that an object passes to its references: by key, and for all others.
type passedRoles struct {
	keys   map[pdf.Name]role // nil: all values, and the elements of an array, have the same role
	others role
}

// passedOn are the roles that can be passed without looking at the object; the others have a function each, see
// followObject.
var passedOn = [roleCount]passedRoles{
	roleInfo:       {others: roleInfo},
	roleExtensions: {others: roleExtensions},
	roleMarkInfo:   {others: roleMarkInfo},
	roleMetadata:   {others: rolePart},

	roleForm:       {keys: formRoles, others: roleOther},
	roleFields:     {others: roleField},
	roleKids:       {others: roleField},
	roleValue:      {others: rolePart},
	roleDefaults:   {others: roleResources},
	roleResources:  {others: roleAppearancePart},
	roleAppearance: {others: roleAppearancePart},

	roleStore:      {keys: storeRoles, others: rolePart},
	roleStoreItems: {others: roleStoreItem},
	roleStoreItem:  {others: rolePart},
	roleVRIs:       {others: roleVRI},
	roleVRI:        {keys: vriRoles, others: rolePart},

	roleStructure: {keys: treeRoles, others: roleOther},
	roleParents:   {keys: numberTreeRoles, others: roleOther},
	roleNumbers:   {others: roleOther},

	rolePart:           {others: rolePart},
	roleMention:        {others: roleOther},
	roleAppearancePart: {others: roleAppearancePart},
	roleContent:        {others: roleContent},
	roleOther:          {others: roleOther},
}

// followObject follows the references of an object, in the roles that follow from its own.
func (w *walker) followObject(o pdf.Object, r role, owner uint32) {
	switch o.(type) {
	case pdf.Array, pdf.Dict, *pdf.Stream:
	default:
		return
	}
	switch r {
	case roleCatalog:
		w.followCatalog(o)
	case roleField:
		w.followField(o)
	case roleContents:
		w.followAll(o, r, owner)
	case rolePages:
		w.followPages(o)
	case rolePage:
		w.followTable(o, pageRoles, roleOther, w.from)
	case roleAnnots:
		w.followAnnotations(o, owner)
	case roleAnnotation:
		w.followAnnotation(o)
	case roleAppearances:
		w.followAppearances(o, owner)
	case roleElements:
		w.followElements(o)
	case roleElement:
		w.followElement(o)
	default:
		if p := &passedOn[r]; p.keys != nil {
			w.followTable(o, p.keys, p.others, 0)
		} else {
			w.followAll(o, p.others, 0)
		}
	}
}

// followCatalog follows the catalog. /Perms names a signature, which the form has too.
func (w *walker) followCatalog(o pdf.Object) {
	dict := dictionaryOf(o)
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		if perms, ok := dict[k].(pdf.Dict); ok && k == "Perms" {
			w.steps = append(w.steps, keyStep(k))
			w.followAll(perms, roleValue, 0)
			w.steps = w.steps[:len(w.steps)-1]
			continue
		}
		r, known := catalogRoles[k]
		if !known {
			r = roleOther
		}
		w.followValue(keyStep(k), dict[k], r, 0)
	}
}

// followPages follows a node of the page tree, or a page: kids have to be read to tell which they are.
func (w *walker) followPages(o pdf.Object) {
	dict := dictionaryOf(o)
	if dict["Kids"] == nil && w.from != rootNumber && len(w.steps) == 0 {
		w.g.changeRole(w.from, rolePages, rolePage)
		return
	}
	if list, ok := o.(pdf.Array); ok {
		w.followAll(list, rolePages, 0)
		return
	}
	w.followTable(dict, nodeRoles, roleOther, 0)
}

// followField follows a field or a widget below one.
func (w *walker) followField(o pdf.Object) {
	dict := dictionaryOf(o)
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		r, known := fieldRoles[k]
		switch {
		case k == "V" && w.isSignature(dict):
			r = roleValue
		case k == "V":
			r = roleContents
		case !known:
			r = rolePart
		}
		w.followValue(keyStep(k), dict[k], r, w.from)
	}
}

// isSignature reports whether the value of a field is a signature: by its type, or by the value if the type is
// inherited.
func (w *walker) isSignature(field pdf.Dict) bool {
	if t, err := w.d.Name(field["FT"]); err == nil && t != "" {
		return t == "Sig"
	}
	v, err := w.d.Dict(field["V"])
	return err == nil && v["ByteRange"] != nil
}

// followAnnotations follows the annotations of a page.
func (w *walker) followAnnotations(o pdf.Object, page uint32) {
	list, _ := o.(pdf.Array)
	for _, v := range list {
		if ref, ok := v.(pdf.Ref); ok && w.g.listedOn.get(ref.Number) == 0 {
			w.g.listedOn.set(ref.Number, page)
		}
	}
	w.followAll(o, roleAnnotation, 0)
}

// followAnnotation follows an annotation; widgets are fields.
func (w *walker) followAnnotation(o pdf.Object) {
	dict := dictionaryOf(o)
	if isWidget(w.d, dict) {
		if parent := dict.Ref("Parent").Number; parent != 0 && dict["T"] == nil && !slices.Contains(w.g.widgets[parent], w.from) {
			w.g.widgets[parent] = append(w.g.widgets[parent], w.from)
		}
		w.followField(o)
		return
	}
	w.followTable(dict, annotationRoles, roleOther, w.from)
}

// followAppearances follows an appearance dictionary: streams, or dictionaries of streams by state.
func (w *walker) followAppearances(o pdf.Object, owner uint32) {
	if s, ok := o.(*pdf.Stream); ok {
		w.followAll(s.Dict, roleAppearancePart, 0)
		return
	}
	dict := dictionaryOf(o)
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		v, err := w.d.Resolve(dict[k])
		if err := w.g.handleFault(err); err != nil {
			w.err = err
		}
		r := roleAppearances
		if _, isStream := v.(*pdf.Stream); isStream {
			r = roleAppearance
		}
		w.followValue(keyStep(k), dict[k], r, owner)
	}
}

// followElements follows the value of /K: one element or an array of them.
func (w *walker) followElements(o pdf.Object) {
	if list, ok := o.(pdf.Array); ok {
		w.followAll(list, roleElement, 0)
		return
	}
	if len(w.steps) > 0 {
		w.followElement(o) // direct
		return
	}
	w.g.changeRole(w.from, roleElements, roleElement)
}

func (w *walker) followElement(o pdf.Object) {
	dict := dictionaryOf(o)
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		if _, mention := dict[k].(pdf.Ref); mention && (k == "Pg" || k == "Obj") {
			// It is a page or an annotation, and is checked as that.
			if w.g.isAnchor(dict.Ref(k).Number) {
				continue
			}
		}
		r, known := elemRoles[k]
		if !known {
			r = roleOther
		}
		w.followValue(keyStep(k), dict[k], r, 0)
	}
}

func dictionaryOf(o pdf.Object) pdf.Dict {
	switch o := o.(type) {
	case pdf.Dict:
		return o
	case *pdf.Stream:
		return o.Dict
	}
	return nil
}

func isWidget(d *pdf.Document, dict pdf.Dict) bool {
	t, err := d.Name(dict["Subtype"])
	return err == nil && t == "Widget"
}

// fewKeys are as many keys as most dictionaries have. A slice with space for them stays on the stack.
const fewKeys = 16

// sortKeys appends the keys of a dictionary to keys, which is empty, in their order.
func sortKeys(keys []pdf.Name, d pdf.Dict) []pdf.Name {
	for k := range d {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

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
