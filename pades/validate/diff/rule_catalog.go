package diff

import (
	"bytes"
	"encoding/xml"
	"io"

	"segel/pdf"
)

// catalogRule allows the catalog to gain a form, a document security store, metadata and version entries. A catalog
// under another number is compared with the one it replaces.
func catalogRule(r *revision, m *changedObject, n node) verdict {
	former := m.old
	if m.isAdded() {
		if ref := r.new.Trailer().Ref("Root"); ref.Number != n.number {
			return deny(CodeRootRedirected, "a spare catalog")
		}
		var err error
		if former, err = r.old.Resolve(r.old.Trailer()["Root"]); err != nil {
			return deny(CodeUnreadable, err.Error())
		}
	}
	old, ok1 := former.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if !ok1 || !ok2 {
		return deny(CodeCatalogChanged, "")
	}
	v := allow("catalog", None, CodeCatalog)
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkCatalogKey(k, old[k], new[k]))
	}
	return v
}

func (r *revision) checkCatalogKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "AcroForm":
		return r.checkDictEntry(old, new, roleForm, r.checkForm)
	case "DSS":
		return r.storeVerdict()
	case "Extensions", "MarkInfo":
		return r.checkEntryTarget(new, roleExtensions, allow("extensions", LTA, CodeExtensions))
	case "Metadata":
		return r.checkEntryTarget(new, roleMetadata, allow("metadata", LTA, CodeMetadata))
	case "Version":
		if _, ok := new.(pdf.Name); ok {
			return allow("extensions", LTA, CodeExtensions)
		}
	}
	return deny(CodeCatalogChanged, "/"+string(k))
}

// checkDictEntry compares the dictionaries that a key refers to before and now. If the new one is an object of this
// revision, it is approved with the verdict.
func (r *revision) checkDictEntry(old, new pdf.Object, as role, compare func(old, new pdf.Dict) verdict) verdict {
	before, err := r.old.Dict(old)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	after, err := r.new.Dict(new)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	return r.checkEntryTarget(new, as, compare(before, after))
}

// checkArrayEntry compares the arrays that a key refers to before and now. If the new one is another object, it has to be
// one of this revision, and is approved with the verdict.
func (r *revision) checkArrayEntry(old, new pdf.Object, as role, unreadable verdict, compare func(old, new pdf.Array) verdict) verdict {
	before, err1 := r.old.Array(old)
	after, err2 := r.new.Array(new)
	if err1 != nil || err2 != nil {
		return unreadable
	}
	v := compare(before, after)
	if pdf.AsRef(old) == pdf.AsRef(new) {
		return v
	}
	return r.checkEntryTarget(new, as, v)
}

// checkEntryTarget approves the object of this revision that a key refers to now. An object from before is denied: it
// had another use.
func (r *revision) checkEntryTarget(new pdf.Object, as role, v verdict) verdict {
	ref, ok := new.(pdf.Ref)
	if !ok {
		return v
	}
	m, added := r.isAdded(ref)
	if !added {
		return deny(CodeUnexplained, "an existing object in a new role")
	}
	r.approve(m.Number, as, v)
	return v
}

// extensionsRule allows changes of versions, extensions and mark information.
func extensionsRule(_ *revision, m *changedObject, _ node) verdict {
	switch m.new.(type) {
	case pdf.Dict, pdf.Array, pdf.Name, pdf.Integer, pdf.String, pdf.Boolean:
		return allow("extensions", LTA, CodeExtensions)
	}
	return deny(CodeCatalogChanged, "/Extensions")
}

// partRule allows new objects to have parts. A part is reached only from changed objects, whose rules decide whether
// they may be there. Later it never changes.
func partRule(_ *revision, m *changedObject, _ node) verdict {
	if m.isAdded() && !isExternal(m.new) {
		return allow("part", None, CodeAppearance)
	}
	return deny(CodeUnexplained, "part of an earlier object")
}

// checkTrailer checks the trailer dictionary: it must name the same encryption, and the same catalog or a new one that
// catalogRule allows.
func (r *revision) checkTrailer() []Change {
	old, new := r.old.Trailer(), r.new.Trailer()
	v := r.checkAdditionalStreams()
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkTrailerKey(k, old[k], new[k]))
	}
	if v.code == "" {
		return nil
	}
	return []Change{{Operation: Replaced, Paths: []string{"Trailer"}, Rule: v.rule, Level: v.level, Code: v.code, Detail: v.detail}}
}

func (r *revision) checkTrailerKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "Prev", "XRefStm":
		return verdict{level: None} // what they lead to is compared while the state is read: see pdf.State
	case "Size":
		a, _ := old.(pdf.Integer)
		if b, _ := new.(pdf.Integer); b < a && r.hidesObjects(int64(b)) {
			return deny(CodeAmbiguous, "/Size of the trailer shrank")
		}
		return verdict{level: None}
	case "Root":
		if _, added := r.isAdded(r.new.Trailer()["Root"]); !added {
			return deny(CodeRootRedirected, "")
		}
		return verdict{level: None} // catalogRule checks it
	case "Encrypt":
		return deny(CodeEncryption, "")
	case "ID":
		return r.checkIdentifiers(old, new)
	case "Info":
		return allow("information", LTA, CodeInformation)
	case docChecksum:
		if new != nil && (r.old.Trailer()[additionalStreams] != nil || r.new.Trailer()[additionalStreams] != nil) {
			return deny(CodeTrailerChanged, "/"+docChecksum)
		}
	}
	if new == nil || isScalar(new) {
		return allow("trailer", None, CodeTrailer)
	}
	if k == additionalStreams {
		return r.checkAdditionalKey(old, new)
	}
	return deny(CodeTrailerChanged, "/"+string(k))
}

// hidesObjects reports whether a smaller /Size hides objects: readers may treat numbers from it on as unused (ISO
// 32000-2 §7.5.5). Unreferenced numbers do not count. If the catalog is among those, such a reader cannot show the
// file: it has to rebuild the cross-reference, and then finds all objects.
func (r *revision) hidesObjects(size int64) bool {
	if int64(r.new.Trailer().Ref("Root").Number) >= size {
		return false
	}
	for ref := range r.new.InUseAll() {
		if int64(ref.Number) >= size && r.g.hasAnyRole(ref.Number) {
			return true
		}
	}
	return false
}

// checkIdentifiers checks /ID, which identifies the file to other files and programs (ISO 32000-2 §14.4). What the file
// shows does not depend on it, except in an encrypted file, whose key may (§7.6.4.3).
func (r *revision) checkIdentifiers(old, new pdf.Object) verdict {
	encrypted := r.old.Trailer()["Encrypt"] != nil || r.new.Trailer()["Encrypt"] != nil
	if encrypted && !equalFirstID(r.old, old, new) {
		return deny(CodeEncryption, "/ID, on which the key depends")
	}
	list, ok := new.(pdf.Array)
	for _, o := range list {
		if _, isString := o.(pdf.String); !isString {
			ok = false
		}
	}
	if new != nil && !ok {
		return deny(CodeTrailerChanged, "/ID")
	}
	if !equalFirstID(r.old, old, new) {
		return allow("trailer", None, CodeTrailer)
	}
	return verdict{level: None}
}

// equalFirstID reports whether the first element of /ID stayed. A file without one may get one.
func equalFirstID(d *pdf.Document, old, new pdf.Object) bool {
	if old == nil {
		return true
	}
	a, err := d.Array(old)
	b, ok := new.(pdf.Array)
	if err != nil || !ok || len(a) == 0 || len(b) == 0 {
		return false
	}
	x, ok1 := a[0].(pdf.String)
	y, ok2 := b[0].(pdf.String)
	return ok1 && ok2 && bytes.Equal(x.Bytes, y.Bytes)
}

func isScalar(o pdf.Object) bool {
	switch o.(type) {
	case pdf.Boolean, pdf.Integer, pdf.Real, pdf.Name, pdf.String, pdf.Null:
		return true
	}
	return false
}

// maxMetadata bounds metadata that counts as an honest update.
const maxMetadata = 4 << 20

// metadataRule allows the document's metadata to be replaced: readers do not show it as content. It has to be XML, so
// that it cannot be something else at the same time (ISO 32000-2 §14.3.2).
func metadataRule(r *revision, m *changedObject, _ node) verdict {
	st, ok := m.new.(*pdf.Stream)
	if !ok || st.Len() > maxMetadata {
		return deny(CodeCatalogChanged, "/Metadata")
	}
	b, err := r.new.Decode(st)
	if err != nil || len(b) > maxMetadata || !isWellFormed(b) {
		return deny(CodeCatalogChanged, "/Metadata is not XML")
	}
	return allow("metadata", LTA, CodeMetadata)
}

// isWellFormed reports whether bytes are an XML document, in UTF-8 or UTF-16.
func isWellFormed(b []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(toUTF8(b)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	elements := 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			return elements > 0
		}
		if err != nil {
			return false
		}
		if _, ok := t.(xml.StartElement); ok {
			elements++
		}
	}
}

// toUTF8 decodes UTF-16 with a byte order mark.
func toUTF8(b []byte) []byte {
	if bytes.HasPrefix(b, []byte{0xFE, 0xFF}) || bytes.HasPrefix(b, []byte{0xFF, 0xFE}) {
		return []byte(pdf.String{Bytes: b}.Text())
	}
	return bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
}
