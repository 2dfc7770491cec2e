package facts

import (
	"fmt"

	"segel/pdf"
)

// maxSpareObjects bounds the objects that nothing leads to and that are looked at.
const maxSpareObjects = 5000

// warnSpareContent warns of pages and catalogs that lie in the first signed revision and that nothing leads to: a later revision
// could put them in the place of others, with content that was signed unseen.
func (w *stateWalk) warnSpareContent(state *pdf.State) error {
	var failed error
	left := maxSpareObjects
	w.comparer.EachUnreached(func(ref pdf.Ref) bool {
		if left--; left < 0 {
			return false
		}
		o, err := state.Object(ref)
		if err != nil && !isFault(err) {
			failed = err
			return false
		}
		dict, _ := o.(pdf.Dict)
		switch kind, _ := dict["Type"].(pdf.Name); kind {
		case "Page", "Pages", "Catalog":
			w.addWarning(Warning{Code: WarnSpareContent, Ref: ref, Detail: string(kind)})
		}
		return true
	})
	return failed
}

// warnLooseSignatures warns of signatures that a revision brought or had, and that no field of the file leads to any more.
func (w *stateWalk) warnLooseSignatures(state *pdf.State) error {
	for _, m := range state.Changes {
		for _, side := range []struct {
			d   *pdf.State
			ref pdf.Ref
		}{{w.last, m.Before}, {state, m.After}} {
			if side.ref.IsZero() || side.d == nil {
				continue
			}
			o, err := side.d.Object(side.ref)
			if err != nil && !isFault(err) {
				return err
			}
			dict, _ := o.(pdf.Dict)
			if dict["V"] != nil && dict["FT"] == pdf.Object(pdf.Name("Sig")) {
				side.ref = refOf(dict["V"])
				if dict, err = side.d.Dict(dict["V"]); err != nil {
					continue
				}
			}
			if dict["ByteRange"] != nil && dict["Contents"] != nil && !w.isListed(side.ref) && !w.warnedLoose[side.ref] {
				w.warnedLoose[side.ref] = true
				w.addWarning(Warning{Code: WarnLooseSignature, Ref: side.ref, Detail: fmt.Sprintf("revision %d", len(w.file.Revisions))})
			}
		}
	}
	return nil
}

// isListed reports whether a signature dictionary is that of a listed signature; a direct one counts as such.
func (w *stateWalk) isListed(ref pdf.Ref) bool {
	if ref.IsZero() {
		return true
	}
	for _, s := range w.file.Signatures {
		if s.Ref == ref {
			return true
		}
	}
	return false
}
