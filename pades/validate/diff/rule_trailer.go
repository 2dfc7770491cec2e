package diff

import (
	"bytes"

	"segel/pdf"
)

// trailer judges the trailer dictionary: it must lead to the same catalog and encryption, and the file must stay
// known by the same first identifier (ISO 32000-2 §14.4).
func (r *revision) trailer() []Change {
	old, new := r.old.Trailer(), r.new.Trailer()
	v := verdict{level: None}
	for _, k := range Differing(old, new) {
		v = worse(v, r.trailerKey(k, old[k], new[k]))
	}
	if v.code == "" {
		return nil
	}
	return []Change{{What: Replaced, Paths: []string{"Trailer"}, Rule: v.rule, Level: v.level, Code: v.code, Detail: v.detail}}
}

func (r *revision) trailerKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "Prev", "XRefStm":
		return verdict{level: None}
	case "Size":
		// Readers may take numbers from /Size on for unused (ISO 32000-2 §7.5.5).
		a, _ := old.(pdf.Integer)
		if b, _ := new.(pdf.Integer); b < a {
			return deny(CodeAmbiguous, "/Size of the trailer shrank")
		}
		return verdict{level: None}
	case "Root":
		return deny(CodeRootRedirected, "")
	case "Encrypt":
		return deny(CodeEncryption, "")
	case "ID":
		if !sameFirst(r.old, old, new) {
			return deny(CodeTrailerChanged, "/ID names another file")
		}
		return verdict{level: None}
	case "Info":
		return allow("information", LTA, CodeInformation)
	}
	if new == nil || scalar(new) {
		return allow("trailer", None, CodeTrailer)
	}
	return deny(CodeTrailerChanged, "/"+string(k))
}

// sameFirst reports whether the first element of /ID stayed. A file that had none may get one.
func sameFirst(d *pdf.Document, old, new pdf.Object) bool {
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

func scalar(o pdf.Object) bool {
	switch o.(type) {
	case pdf.Boolean, pdf.Integer, pdf.Real, pdf.Name, pdf.String, pdf.Null:
		return true
	}
	return false
}
