package diff

import (
	"bytes"
	"slices"
	"strconv"

	"segel/pdf"
)

// maxFieldLookups bounds the fields that are looked at beside those that changed, in all revisions of a file.
const maxFieldLookups = 100_000

// everyFieldSatisfies reports whether something holds for every field that was there before and is none for a signature. Widgets
// count as fields, those that no form has among them. If there are too many it does not.
func (r *revision) everyFieldSatisfies(holds func(fieldInfo) bool) bool {
	for _, as := range []role{roleField, roleAnnotation} {
		for n := range r.g.visited[as].all() {
			if r.c.fieldLookups++; r.c.fieldLookups > maxFieldLookups {
				return false
			}
			o, err := objectAt(r.old, n)
			dict, ok := o.(pdf.Dict)
			if err != nil || !ok || as == roleAnnotation && !isWidget(r.old, dict) {
				continue
			}
			if f := r.readField(r.old, n); f.kind != "Sig" && !holds(f) {
				return false
			}
		}
	}
	return true
}

// isResourceAwaited reports whether the default look of a field or of a comment, or that of the form, names a resource that the
// form lacks. Adding that resource would change what is drawn.
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

// isNamedByComment reports whether a comment without an appearance has a default look that names a resource. Poppler draws
// such a comment (FreeText) with a font of the form.
func (r *revision) isNamedByComment(name pdf.Name) bool {
	for n := range r.g.visited[roleAnnotation].all() {
		if r.c.fieldLookups++; r.c.fieldLookups > maxFieldLookups {
			return true
		}
		o, err := objectAt(r.old, n)
		dict, ok := o.(pdf.Dict)
		if err != nil || !ok || isWidget(r.old, dict) {
			continue
		}
		looks, err := r.old.Dict(dict["AP"])
		if err == nil {
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

// namesResource reports whether a default look names something, or cannot be read.
func (r *revision) namesResource(style pdf.Object, name pdf.Name) bool {
	s, err := r.old.String(style)
	if err != nil {
		return style != nil
	}
	return mentionsName(s.Bytes, name)
}

// mentionsName reports whether a name stands in a piece of content.
func mentionsName(content []byte, name pdf.Name) bool {
	for first := true; ; first = false {
		word, rest, more := bytes.Cut(content, []byte("/"))
		if !first && unescapeName(word[:nameLength(word)]) == name {
			return true
		}
		if !more {
			return false
		}
		content = rest
	}
}

// maxSearchedBytes bounds the content that is looked through beside what changed, in all revisions of a file.
const maxSearchedBytes = 16 << 20

// isTakenFromDefaults reports whether an appearance that was there before, or a piece of one, names a resource that it does
// not have itself: some readers look for it in the form then. What cannot be read might.
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

// lacksResource reports whether an object is content that names a resource which it does not have, or might be.
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

// equalResources reports whether two resources have the same value, whatever objects they are.
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

// recordFont notes a font of the form's resources that was not among them in the first state, or has its value from one.
func (r *revision) recordFont(kind pdf.Name, old, new pdf.Object) {
	if kind == "Font" && (old == nil || r.c.laterFonts.hasFont(old)) {
		r.c.laterFonts.addFont(new)
	}
}

// laterFonts are the fonts that revisions added to the resources of the form. What draws their glyphs was not signed, so a
// field must not show its value in one, not even in a later revision.
type laterFonts struct {
	refs   map[pdf.Ref]bool
	direct []pdf.Object
}

// maxDirectFonts bounds the fonts that are no objects of their own. Behind it, all of those count as added.
const maxDirectFonts = 1000

func (l *laterFonts) addFont(font pdf.Object) {
	ref := refOf(font)
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
	if ref := refOf(font); !ref.IsZero() {
		return l.refs[ref]
	}
	return len(l.direct) >= maxDirectFonts || slices.ContainsFunc(l.direct, func(o pdf.Object) bool { return equalObjects(o, font) })
}

// equalStyles reports whether two default looks differ in white space alone.
func equalStyles(old, new pdf.Object) bool {
	a, ok1 := old.(pdf.String)
	b, ok2 := new.(pdf.String)
	return ok1 && ok2 && slices.EqualFunc(bytes.Fields(a.Bytes), bytes.Fields(b.Bytes), bytes.Equal)
}

// nameLength is where a name ends.
func nameLength(b []byte) int {
	if i := bytes.IndexAny(b, "\x00\t\n\f\r ()<>[]{}/%"); i >= 0 {
		return i
	}
	return len(b)
}

// unescapeName reads #xx in a name.
func unescapeName(b []byte) pdf.Name {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) {
			if c, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(c))
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return pdf.Name(out)
}

// isPlainStyle reports whether a default look is the one that programs put where none is: Helvetica, as large as fits, black.
func isPlainStyle(o pdf.Object) bool {
	s, ok := o.(pdf.String)
	return ok && string(bytes.Join(bytes.Fields(s.Bytes), []byte(" "))) == "/Helv 0 Tf 0 g"
}

// plainFonts are those that programs put where they are missing, by the names that they have in forms.
var plainFonts = map[pdf.Name]pdf.Name{
	"Helv": "Helvetica", "HeBo": "Helvetica-Bold", "Cour": "Courier", "TiRo": "Times-Roman", "ZaDb": "ZapfDingbats",
}

// isPlainFont reports whether a resource is what a reader takes anyway where a font of that name is missing.
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
