package facts

import (
	"fmt"

	"segel/pdf"
)

// maxSpare bounds the objects that nothing leads to and that are looked at.
const maxSpare = 5000

// spare warns of pages and catalogs that lie in the first signed revision and that nothing leads to: a later revision
// could put them in the place of others, with content that was signed unseen.
func (w *stateWalk) spare(state *pdf.State) error {
	var failed error
	left := maxSpare
	w.comparer.Unreached(func(ref pdf.Ref) bool {
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
			w.warn(Warning{Code: WarnSpareContent, Ref: ref, Detail: string(kind)})
		}
		return true
	})
	return failed
}

// loose warns of signatures that a revision brought or had, and that no field of the file leads to any more.
func (w *stateWalk) loose(state *pdf.State) error {
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
			if dict["ByteRange"] != nil && dict["Contents"] != nil && !w.known(side.ref) && !w.told[side.ref] {
				w.told[side.ref] = true
				w.warn(Warning{Code: WarnLooseSignature, Ref: side.ref, Detail: fmt.Sprintf("revision %d", len(w.file.Revisions))})
			}
		}
	}
	return nil
}

// known reports whether a signature dictionary is that of a listed signature; a direct one counts as such.
func (w *stateWalk) known(ref pdf.Ref) bool {
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
