package facts

import (
	"fmt"
	"slices"

	"segel/pdf"
)

// maxSpareObjects bounds the unreferenced objects examined.
const maxSpareObjects = 5000

// warnSpareContent warns of unreferenced pages and catalogs in the first signed revision: a later revision could swap
// them in, with content that was signed unseen.
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

// warnLooseSignatures warns of signatures that a revision added or had, and that no field refers to any more.
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

// isListed reports whether a signature dictionary belongs to a listed signature; direct ones do.
func (w *stateWalk) isListed(ref pdf.Ref) bool {
	return ref.IsZero() || slices.ContainsFunc(w.file.Signatures, func(s *Signature) bool { return s.Ref == ref })
}
