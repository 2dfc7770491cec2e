package facts

import (
	"errors"
	"slices"

	"segel/pades/validate/diff"
)

// recordLater lists for each signature what later revisions changed, and which changes are denied: those it does not
// permit, and every comment. A certification may permit comments (ISO 32000-2 §12.8.2.2), but a comment may cover text
// or look like it, and whether it does cannot be determined from the file. For the same reason a visible new field is
// denied after a certification, which permits signing in the fields that it certified.
func (r *reader) recordLater() error {
	r.dateStoreItems()
	r.denyUnanswered()
	for _, s := range r.file.Signatures {
		if s.Revision == 0 {
			continue
		}
		behind := r.file.Revisions[min(s.Revision, len(r.file.Revisions)):]
		s.Later = slices.Grow(s.Later, len(behind))
		for _, v := range behind {
			l := Later{Revision: v.Number, Changes: v.Changes, Level: v.Level}
			for i, c := range v.Changes {
				locked := s.locksChange(c)
				uninvited := s.certified && c.Code == diff.CodeSignatureField && c.Has(diff.Visible)
				if c.Level > s.Permits || c.Level == diff.Annotations || locked || uninvited {
					l.Denied = append(l.Denied, i)
				}
				if locked {
					l.Locked = append(l.Locked, i)
				}
			}
			s.Later = append(s.Later, l)
		}
	}
	return nil
}

// denyUnanswered denies what shows in the field of a signature that is not valid: no signer answers for it. A signature
// that cannot be computed here may be valid.
func (r *reader) denyUnanswered() {
	broken := map[string]bool{}
	for _, s := range r.file.Signatures {
		for _, err := range []error{ErrDigest, ErrValue, ErrContainer, ErrAttributes} {
			broken[s.Field] = broken[s.Field] || errors.Is(s.Integrity, err)
		}
		broken[s.Field] = broken[s.Field] || s.Coverage.State == Broken
	}
	for i := range r.file.Revisions {
		v := &r.file.Revisions[i]
		for j := range v.Changes {
			if c := &v.Changes[j]; broken[c.Field] && c.Has(diff.Visible) && c.Level < diff.Other {
				c.Level, c.Rule, c.Code = diff.Other, "", diff.CodeUnanswered
				v.Level = diff.Other
			}
		}
	}
}

// locksChange reports whether a change fills in a field that the signature locks. A document timestamp is not such a
// change (ISO 32000-2 §12.8.2.2).
func (s *Signature) locksChange(c diff.Change) bool {
	if c.Field == "" || c.Level != diff.FormFilling || c.Field == s.Field {
		return false
	}
	return slices.ContainsFunc(s.Locks, func(l Lock) bool { return l.locksField(c.Field) })
}

// dateStoreItems sets the first revision of each item.
func (r *reader) dateStoreItems() {
	if r.file.DSS == nil || len(r.file.Revisions) == 0 {
		return
	}
	for _, list := range [][]StoreItem{r.file.DSS.Certs, r.file.DSS.OCSPs, r.file.DSS.CRLs} {
		for i := range list {
			list[i].Revision = r.firstRevisions[list[i].Ref.Number]
		}
	}
}
