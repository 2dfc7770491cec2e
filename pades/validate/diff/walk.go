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
	steps []step
	err   error // of the reader, or a limit
}

// to passes a value on in a role: a reference is reached, a direct value is expanded where it stands.
func (w *walker) to(s step, o pdf.Object, r role, owner uint32) {
	w.steps = append(w.steps, s)
	if ref, ok := o.(pdf.Ref); ok {
		w.g.reach(w.from, w.steps, ref, r, owner)
	} else {
		w.expand(o, r, owner)
	}
	w.steps = w.steps[:len(w.steps)-1]
}

func key(k pdf.Name) step { return step{key: k} }
func index(i int) step    { return step{index: i} }

// each passes on all elements of an array, or all values of a dictionary.
func (w *walker) each(o pdf.Object, r role, owner uint32) {
	switch o := o.(type) {
	case pdf.Array:
		w.g.expect(len(o), r)
		for i, v := range o {
			w.to(index(i), v, r, owner)
		}
	case pdf.Dict:
		for _, k := range sortedKeys(o) {
			w.to(key(k), o[k], r, owner)
		}
	case *pdf.Stream:
		w.each(o.Dict, r, owner)
	}
}

// table passes on the values of a dictionary in the roles that their keys have, and all others in a common one.
func (w *walker) table(o pdf.Object, roles map[pdf.Name]role, others role, owner uint32) {
	dict := dictOf(o)
	for _, k := range sortedKeys(dict) {
		r, known := roles[k]
		if !known {
			r = others
		}
		w.to(key(k), dict[k], r, owner)
	}
}

var (
	trailerRoles = map[pdf.Name]role{"Root": roleCatalog, "Info": roleInfo}
	catalogRoles = map[pdf.Name]role{
		"AcroForm": roleForm, "DSS": roleStore, "Extensions": roleExtensions, "Metadata": roleMetadata, "MarkInfo": roleMarkInfo,
		"Pages": rolePages, "StructTreeRoot": roleStructure,
	}
	formRoles  = map[pdf.Name]role{"Fields": roleFields, "DR": roleDefaults}
	nodeRoles  = map[pdf.Name]role{"Kids": rolePages, "Parent": roleMention, "Resources": roleContent}
	pageRoles  = map[pdf.Name]role{"Parent": roleMention, "Contents": roleContent, "Resources": roleContent, "Annots": roleAnnots}
	fieldRoles = map[pdf.Name]role{"Parent": roleField, "P": roleMention, "AP": roleLooks, "Kids": roleKids, "MK": roleDrawn, "A": roleOther, "AA": roleOther, "OC": roleOther}
	noteRoles  = map[pdf.Name]role{"P": roleMention, "AP": roleLooks, "Popup": roleAnnotation, "Parent": roleAnnotation, "IRT": roleAnnotation}
	storeRoles = map[pdf.Name]role{"Certs": roleProofs, "OCSPs": roleProofs, "CRLs": roleProofs, "VRI": roleVRIs}
	vriRoles   = map[pdf.Name]role{"Cert": roleProofs, "OCSP": roleProofs, "CRL": roleProofs, "TS": roleProof}
	treeRoles  = map[pdf.Name]role{"K": roleElements, "ParentTree": roleParents}
	elemRoles  = map[pdf.Name]role{"K": roleElements, "Pg": roleMention}
	nodesRoles = map[pdf.Name]role{"Kids": roleParents, "Nums": roleNumbers}
)

// below says in which roles an object passes on what it refers to: what stands under a key, and everything else.
type below struct {
	keys   map[pdf.Name]role // nil: all values, and the elements of an array, are alike
	others role
}

// passed is what the roles pass on that need no look at the object for it; the others have a function each, see expand.
var passed = [roleCount]below{
	roleInfo:       {others: roleInfo},
	roleExtensions: {others: roleExtensions},
	roleMarkInfo:   {others: roleMarkInfo},
	roleMetadata:   {others: rolePart},

	roleForm:      {keys: formRoles, others: roleOther},
	roleFields:    {others: roleField},
	roleKids:      {others: roleField},
	roleValue:     {others: rolePart},
	roleDefaults:  {others: roleResources},
	roleResources: {others: roleDrawn},
	roleLook:      {others: roleDrawn},

	roleStore:  {keys: storeRoles, others: rolePart},
	roleProofs: {others: roleProof},
	roleProof:  {others: rolePart},
	roleVRIs:   {others: roleVRI},
	roleVRI:    {keys: vriRoles, others: rolePart},

	roleStructure: {keys: treeRoles, others: roleOther},
	roleParents:   {keys: nodesRoles, others: roleOther},
	roleNumbers:   {others: roleOther},

	rolePart:    {others: rolePart},
	roleMention: {others: roleOther},
	roleDrawn:   {others: roleDrawn},
	roleContent: {others: roleContent},
	roleOther:   {others: roleOther},
}

// expand follows what an object refers to, in the roles that follow from its own.
func (w *walker) expand(o pdf.Object, r role, owner uint32) {
	switch o.(type) {
	case pdf.Array, pdf.Dict, *pdf.Stream:
	default:
		return
	}
	switch r {
	case roleCatalog:
		w.catalog(o)
	case roleField:
		w.field(o)
	case roleContents:
		w.each(o, r, owner)
	case rolePages:
		w.pages(o)
	case rolePage:
		w.page(o)
	case roleAnnots:
		w.annots(o, owner)
	case roleAnnotation:
		w.annotation(o)
	case roleLooks:
		w.looks(o, owner)
	case roleElements:
		w.elements(o)
	case roleElement:
		w.element(o)
	default:
		if p := &passed[r]; p.keys != nil {
			w.table(o, p.keys, p.others, 0)
		} else {
			w.each(o, p.others, 0)
		}
	}
}

// catalog follows the catalog. What /Perms names is a signature, which the form has too.
func (w *walker) catalog(o pdf.Object) {
	dict := dictOf(o)
	for _, k := range sortedKeys(dict) {
		if perms, ok := dict[k].(pdf.Dict); ok && k == "Perms" {
			w.steps = append(w.steps, key(k))
			w.each(perms, roleValue, 0)
			w.steps = w.steps[:len(w.steps)-1]
			continue
		}
		r, known := catalogRoles[k]
		if !known {
			r = roleOther
		}
		w.to(key(k), dict[k], r, 0)
	}
}

// pages follows a node of the page tree, which may be a page: kids do not say what they are to be before they are
// read.
func (w *walker) pages(o pdf.Object) {
	dict := dictOf(o)
	if dict["Kids"] == nil && w.from != rootNumber && len(w.steps) == 0 {
		w.g.become(w.from, rolePages, rolePage)
		return
	}
	if list, ok := o.(pdf.Array); ok {
		w.each(list, rolePages, 0)
		return
	}
	w.table(dict, nodeRoles, roleOther, 0)
}

func (w *walker) page(o pdf.Object) {
	w.table(o, pageRoles, roleOther, w.from)
}

// field follows a field or a widget below one.
func (w *walker) field(o pdf.Object) {
	dict := dictOf(o)
	for _, k := range sortedKeys(dict) {
		r, known := fieldRoles[k]
		switch {
		case k == "V" && w.isSignature(dict):
			r = roleValue
		case k == "V":
			r = roleContents
		case !known:
			r = rolePart
		}
		w.to(key(k), dict[k], r, w.from)
	}
}

// isSignature reports whether the value of a field is a signature: by its type, or by what the value is if the type is
// inherited.
func (w *walker) isSignature(field pdf.Dict) bool {
	if t, err := w.d.Name(field["FT"]); err == nil && t != "" {
		return t == "Sig"
	}
	v, err := w.d.Dict(field["V"])
	return err == nil && v["ByteRange"] != nil
}

// annots follows the annotations of a page.
func (w *walker) annots(o pdf.Object, page uint32) {
	list, _ := o.(pdf.Array)
	for _, v := range list {
		if ref, ok := v.(pdf.Ref); ok && w.g.stands.get(ref.Number) == 0 {
			w.g.stands.set(ref.Number, page)
		}
	}
	w.each(o, roleAnnotation, 0)
}

// annotation follows an annotation; widgets are fields.
func (w *walker) annotation(o pdf.Object) {
	dict := dictOf(o)
	if isWidget(w.d, dict) {
		if parent := dict.Ref("Parent").Number; parent != 0 && dict["T"] == nil && !slices.Contains(w.g.widgets[parent], w.from) {
			w.g.widgets[parent] = append(w.g.widgets[parent], w.from)
		}
		w.field(o)
		return
	}
	w.table(dict, noteRoles, roleOther, w.from)
}

// looks follows an appearance dictionary: streams, or dictionaries of streams by state.
func (w *walker) looks(o pdf.Object, owner uint32) {
	if s, ok := o.(*pdf.Stream); ok {
		w.each(s.Dict, roleDrawn, 0)
		return
	}
	dict := dictOf(o)
	for _, k := range sortedKeys(dict) {
		v, err := w.d.Resolve(dict[k])
		if err := w.g.fault(err); err != nil {
			w.err = err
		}
		r := roleLooks
		if _, isStream := v.(*pdf.Stream); isStream {
			r = roleLook
		}
		w.to(key(k), dict[k], r, owner)
	}
}

// elements follows what stands under /K: one element or an array of them.
func (w *walker) elements(o pdf.Object) {
	if list, ok := o.(pdf.Array); ok {
		w.each(list, roleElement, 0)
		return
	}
	if len(w.steps) > 0 {
		w.element(o) // direct
		return
	}
	w.g.become(w.from, roleElements, roleElement)
}

func (w *walker) element(o pdf.Object) {
	dict := dictOf(o)
	for _, k := range sortedKeys(dict) {
		if _, mention := dict[k].(pdf.Ref); mention && (k == "Pg" || k == "Obj") {
			// What an element mentions is a page or an annotation, and is judged as that.
			if w.g.isAnchor(dict.Ref(k).Number) {
				continue
			}
		}
		r, known := elemRoles[k]
		if !known {
			r = roleOther
		}
		w.to(key(k), dict[k], r, 0)
	}
}

func dictOf(o pdf.Object) pdf.Dict {
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

func sortedKeys(d pdf.Dict) []pdf.Name {
	keys := make([]pdf.Name, 0, len(d))
	for k := range d {
		keys = append(keys, k)
	}
	sortNames(keys)
	return keys
}

func sortNames(keys []pdf.Name) { slices.Sort(keys) }
