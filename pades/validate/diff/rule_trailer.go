package diff

import (
	"bytes"

	"segel/pdf"
)

// checkTrailer checks the trailer dictionary: it must lead to the same encryption, and to the same catalog or to a new one that
// catalogRule allows in its place.
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
		return verdict{level: None}
	case "Size":
		a, _ := old.(pdf.Integer)
		if b, _ := new.(pdf.Integer); b < a && r.hidesObjects(int64(b)) {
			return deny(CodeAmbiguous, "/Size of the trailer shrank")
		}
		return verdict{level: None}
	case "Root":
		if !r.replacesRoot() {
			return deny(CodeRootRedirected, "")
		}
		return verdict{level: None}
	case "Encrypt":
		return deny(CodeEncryption, "")
	case "ID":
		return r.checkIdentifiers(old, new)
	case "Info":
		return allow("information", LTA, CodeInformation)
	}
	if new == nil || isScalar(new) {
		return allow("trailer", None, CodeTrailer)
	}
	if k == additionalStreams {
		return r.checkAdditionalKey(old, new)
	}
	return deny(CodeTrailerChanged, "/"+string(k))
}

// hidesObjects reports whether a smaller /Size hides something of the file: readers may take numbers from it on for unused
// (ISO 32000-2 §7.5.5). Numbers that nothing ever led to show nothing. Where the catalog itself is among those, there is
// no file for such a reader to show: it has to rebuild the cross-reference, and finds all objects.
func (r *revision) hidesObjects(size int64) bool {
	if int64(r.new.Trailer().Ref("Root").Number) >= size {
		return false
	}
	for ref := range r.new.InUseAll() {
		if int64(ref.Number) >= size && len(r.g.rolesOf(ref.Number)) > 0 {
			return true
		}
	}
	return false
}

// replacesRoot reports whether the trailer leads to a catalog that this revision wrote in the place of the former one,
// whose rule checks it.
func (r *revision) replacesRoot() bool {
	_, added := r.isAdded(r.new.Trailer()["Root"])
	return added
}

// checkIdentifiers checks /ID, by which a file is known to other files and programs (ISO 32000-2 §14.4). Nothing that it shows
// depends on it, unless it is encrypted: then the key may (§7.6.4.3).
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

// equalFirstID reports whether the first element of /ID stayed. A file that had none may get one.
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
