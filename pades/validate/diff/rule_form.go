package diff

import (
	"bytes"
	"slices"

	"segel/pdf"
)

// checkForm allows the form to gain fields and signature flags. Defaults and resources may be added or changed if
// nothing is drawn with them.
func (r *revision) checkForm(old, new pdf.Dict) verdict {
	if old != nil && new == nil {
		return deny(CodeFieldRemoved, "the form is gone")
	}
	v := allow("form", None, CodeForm)
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkFormKey(k, old[k], new[k]))
	}
	return v
}

func (r *revision) checkFormKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "Fields":
		return r.checkArrayEntry(old, new, roleFields, deny(CodeFormChanged, "/Fields cannot be read"), r.checkFields)
	case "SigFlags":
		a, err1 := r.old.Integer(old)
		b, err2 := r.new.Integer(new)
		if err1 == nil && err2 == nil && a&^b == 0 && b&^3 == 0 {
			return allow("form", LTA, CodeForm)
		}
	case "NeedAppearances":
		// True makes readers redraw fields, whatever their appearances show. False makes them show appearances that
		// they did not show before.
		b, err := r.new.Boolean(new)
		had, oldErr := r.old.Boolean(old)
		if err == nil && oldErr == nil && !b && (!had || r.everyFieldSatisfies(func(fieldInfo) bool { return false })) {
			return allow("form", None, CodeForm)
		}
	case "DA":
		// Helvetica, automatic size, black is what programs add if there is none.
		a, wasString := old.(pdf.String)
		b, isString := new.(pdf.String)
		words := bytes.Fields(b.Bytes)
		plain := old == nil && isString && string(bytes.Join(words, []byte(" "))) == "/Helv 0 Tf 0 g"
		respaced := wasString && isString && slices.EqualFunc(bytes.Fields(a.Bytes), words, bytes.Equal)
		if plain || respaced || r.everyFieldSatisfies(func(f fieldInfo) bool { return len(f.styles) > 0 }) {
			return allow("form", LTA, CodeForm)
		}
	case "Q":
		if r.everyFieldSatisfies(func(f fieldInfo) bool { return f.aligned }) {
			return allow("form", LTA, CodeForm)
		}
	case "DR":
		return r.checkDictEntry(old, new, roleDefaults, r.checkDefaults)
	}
	return deny(CodeFormChanged, "/"+string(k))
}

// checkFields allows the form to gain signature fields at its root, each once. Earlier fields stay in their order.
func (r *revision) checkFields(old, new pdf.Array) verdict {
	added, ok := addedElements(old, new)
	if !ok {
		return deny(CodeFieldRemoved, "")
	}
	v := allow("form", None, CodeForm)
	seen := map[pdf.Ref]bool{}
	for _, o := range added {
		ref, ok := o.(pdf.Ref)
		if !ok || seen[ref] {
			return deny(CodeFieldAdded, "not a new object")
		}
		seen[ref] = true
		f := r.checkNewField(ref)
		if f.isDenied() {
			return f
		}
		v = worstVerdict(v, verdict{rule: "form", level: f.level, code: CodeForm})
	}
	return v
}

// checkDefaults allows resources to be added.
func (r *revision) checkDefaults(old, new pdf.Dict) verdict {
	v := allow("form", LTA, CodeForm)
	for _, k := range Differing(old, new) {
		if k == "ProcSet" {
			continue // has no meaning since PDF 1.4
		}
		v = worstVerdict(v, r.checkDictEntry(old[k], new[k], roleResources, func(old, new pdf.Dict) verdict { return r.checkResources(k, old, new) }))
	}
	return v
}

// resourceKind returns the key under which the form's resources refer to an object, if there is exactly one.
func (r *revision) resourceKind(number uint32) pdf.Name {
	_, form, err := r.new.Form()
	if err != nil {
		return ""
	}
	defaults, err := r.new.Dict(form["DR"])
	if err != nil {
		return ""
	}
	var kind pdf.Name
	for k, o := range defaults {
		if pdf.AsRef(o).Number != number {
			continue
		}
		if kind != "" {
			return ""
		}
		kind = k
	}
	return kind
}

// checkResources allows resources to be added that no field waits for, and to change if that is not visible.
func (r *revision) checkResources(kind pdf.Name, old, new pdf.Dict) verdict {
	for _, k := range Differing(old, new) {
		if !r.isHarmlessDefault(kind, k, old[k], new[k]) {
			return deny(CodeFormChanged, "/DR"+keyDetail(k))
		}
	}
	return allow("form", LTA, CodeForm)
}

// isHarmlessDefault reports whether a resource of the form may be added or changed. Fields are drawn with the fonts
// that their default appearances name (ISO 32000-2 §12.7.4.3), and readers differ on whether an appearance uses
// resources of the form that it lacks. So neither may name a new resource. Earlier resources stay, except images and
// forms: default appearances cannot name those, and some writers add a template there with every signature.
func (r *revision) isHarmlessDefault(kind, name pdf.Name, old, new pdf.Object) bool {
	if kind == "Font" && (old == nil || r.c.laterFonts.hasFont(old)) {
		r.c.laterFonts.addFont(new) // it was not there in the first state, or it has its value from such a font
	}
	switch {
	case new == nil:
		return false
	case old == nil && r.isPlainFont(r.new, kind, name, new):
		return true
	case old == nil:
		return !r.isResourceAwaited(name) && !r.isTakenFromDefaults(kind, name)
	case r.isPlainFont(r.old, kind, name, old) && r.isPlainFont(r.new, kind, name, new), r.equalResources(old, new):
		return true
	}
	return kind == "XObject" && !r.isTakenFromDefaults(kind, name)
}

// maxFieldLookups bounds the fields examined besides those that changed, in all revisions of a file.
const maxFieldLookups = 100_000

// everyFieldSatisfies reports whether a condition holds for every field of the old state except signature fields.
// Widgets count as fields, even if the form does not list them. Above the limit it returns false.
func (r *revision) everyFieldSatisfies(holds func(fieldInfo) bool) bool {
	for _, as := range []role{roleField, roleAnnotation} {
		for n := range r.g.visited[as].all() {
			if r.c.fieldLookups++; r.c.fieldLookups > maxFieldLookups {
				return false
			}
			dict, ok := dictAt(r.old, n)
			if !ok || as == roleAnnotation && !isWidget(r.old, dict) {
				continue
			}
			if f := r.readField(r.old, n); f.kind != "Sig" && !holds(f) {
				return false
			}
		}
	}
	return true
}

// isResourceAwaited reports whether the default appearance of a field, a comment or the form names a resource that the
// form lacks. Adding that resource would change what readers draw.
func (r *revision) isResourceAwaited(name pdf.Name) bool {
	_, form, err := r.old.Form()
	if err != nil || r.namesResource(form["DA"], name) || r.isNamedByComment(name) {
		return true
	}
	return !r.everyFieldSatisfies(func(f fieldInfo) bool {
		for _, style := range f.styles {
			if r.namesResource(style, name) {
				return false
			}
		}
		return true
	})
}

// isNamedByComment reports whether a comment without an appearance names a resource in its default appearance. Poppler
// draws such a comment (FreeText) with a font of the form.
func (r *revision) isNamedByComment(name pdf.Name) bool {
	for n := range r.g.visited[roleAnnotation].all() {
		if r.c.fieldLookups++; r.c.fieldLookups > maxFieldLookups {
			return true
		}
		dict, ok := dictAt(r.old, n)
		if !ok || isWidget(r.old, dict) {
			continue
		}
		if looks, err := r.old.Dict(dict["AP"]); err == nil {
			if st, err := r.old.Stream(looks["N"]); err == nil && st != nil {
				continue
			}
		}
		if r.namesResource(dict["DA"], name) {
			return true
		}
	}
	return false
}

// namesResource reports whether a default appearance names a resource or cannot be read.
func (r *revision) namesResource(style pdf.Object, name pdf.Name) bool {
	s, err := r.old.String(style)
	if err != nil {
		return style != nil
	}
	return mentionsName(s.Bytes, name)
}

// mentionsName reports whether content contains a name.
func mentionsName(content []byte, name pdf.Name) bool {
	for first := true; ; first = false {
		word, rest, more := bytes.Cut(content, []byte("/"))
		if i := bytes.IndexAny(word, "\x00\t\n\f\r ()<>[]{}%"); i >= 0 {
			word = word[:i]
		}
		if !first && pdf.Name(pdf.DecodeName(word)) == name {
			return true
		}
		if !more {
			return false
		}
		content = rest
	}
}

// maxSearchedBytes bounds the content searched besides what changed, in all revisions of a file.
const maxSearchedBytes = 16 << 20

// isTakenFromDefaults reports whether an earlier appearance, or a part of one, names a resource that it lacks: some
// readers then look in the form. It is true if one cannot be read.
func (r *revision) isTakenFromDefaults(kind, name pdf.Name) bool {
	for n := range r.g.owned {
		if n.role == roleAppearance && r.lacksResource(n.number, kind, name) {
			return true
		}
	}
	for n := range r.g.visited[roleAppearancePart].all() {
		if r.lacksResource(n, kind, name) {
			return true
		}
	}
	return false
}

// lacksResource reports whether an object is content that names a resource it lacks. It is true if that cannot be
// determined.
func (r *revision) lacksResource(number uint32, kind, name pdf.Name) bool {
	if r.c.fieldLookups++; r.c.fieldLookups > maxFieldLookups {
		return true
	}
	o, err := objectAt(r.old, number)
	if err != nil {
		return true
	}
	st, ok := o.(*pdf.Stream)
	if !ok || st.Dict["Subtype"] == pdf.Object(pdf.Name("Image")) && !r.g.hasRole(number, roleAppearance) {
		return false
	}
	own, err := r.old.Dict(st.Dict["Resources"])
	if err != nil {
		return true
	}
	group, err := r.old.Dict(own[kind])
	if err != nil {
		return true
	}
	if group[name] != nil {
		return false
	}
	if r.c.searchedBytes > maxSearchedBytes {
		return true
	}
	b, err := r.old.Decode(st)
	r.c.searchedBytes += len(b)
	return err != nil || mentionsName(b, name)
}

// equalResources reports whether two resources have the same value, whatever their object numbers.
func (r *revision) equalResources(old, new pdf.Object) bool {
	a, err1 := r.old.Resolve(old)
	b, err2 := r.new.Resolve(new)
	if err1 != nil || err2 != nil {
		return false
	}
	x, ok1 := a.(*pdf.Stream)
	y, ok2 := b.(*pdf.Stream)
	if ok1 && ok2 {
		return equalStreams(r.old, r.new, x, y)
	}
	return !ok1 && !ok2 && equalObjects(a, b)
}

// laterFonts are the fonts that revisions added to the resources of the form. Their glyphs were not signed, so a field
// must not show its value in one, not even in a later revision.
type laterFonts struct {
	refs   map[pdf.Ref]bool
	direct []pdf.Object
}

// maxDirectFonts bounds the fonts that are direct objects. Above it all direct fonts count as added.
const maxDirectFonts = 1000

func (l *laterFonts) addFont(font pdf.Object) {
	ref := pdf.AsRef(font)
	switch {
	case !ref.IsZero() && l.refs == nil:
		l.refs = map[pdf.Ref]bool{ref: true}
	case !ref.IsZero():
		l.refs[ref] = true
	case len(l.direct) < maxDirectFonts:
		l.direct = append(l.direct, font)
	}
}

// hasFont reports whether a revision added a font.
func (l *laterFonts) hasFont(font pdf.Object) bool {
	if ref := pdf.AsRef(font); !ref.IsZero() {
		return l.refs[ref]
	}
	return len(l.direct) >= maxDirectFonts || slices.ContainsFunc(l.direct, func(o pdf.Object) bool { return equalObjects(o, font) })
}

// plainFonts are the fonts that programs add if they are missing, by the names they have in forms.
var plainFonts = map[pdf.Name]pdf.Name{
	"Helv": "Helvetica", "HeBo": "Helvetica-Bold", "Cour": "Courier", "TiRo": "Times-Roman", "ZaDb": "ZapfDingbats",
}

// isPlainFont reports whether a resource is what readers use anyway if a font of that name is missing.
func (r *revision) isPlainFont(d *pdf.Document, kind, name pdf.Name, o pdf.Object) bool {
	font, err := d.Dict(o)
	if err != nil || kind != "Font" || plainFonts[name] == "" {
		return false
	}
	for k, v := range font {
		switch k {
		case "Type", "Name", "BaseFont":
		case "Subtype":
			if v != pdf.Object(pdf.Name("Type1")) {
				return false
			}
		case "Encoding":
			if _, isName := v.(pdf.Name); !isName {
				return false
			}
		default:
			return false
		}
	}
	return equalObjects(font["BaseFont"], plainFonts[name])
}
