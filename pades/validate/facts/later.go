package facts

import (
	"errors"
	"slices"

	"segel/pades/validate/diff"
)

// recordLater tells each signature what the revisions behind its own changed, and which of that is denied: what it does not
// permit, and every comment. A certification may permit comments (ISO 32000-2 §12.8.2.2), but a comment may cover text
// or pass for it, and whether it does is not to be told from the file for sure. For the same reason nobody gives himself a
// new field that is to be seen behind a certification, which permits to sign in those that it certified.
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

// denyUnanswered denies what shows in the field of a signature that does not hold: nobody answers for it. A signature that
// nobody here can compute may hold.
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

// locksChange reports whether a change fills in a field that the signature locks. A document timestamp is no such
// change: nothing forbids it (ISO 32000-2 §12.8.2.2).
func (s *Signature) locksChange(c diff.Change) bool {
	if c.Field == "" || c.Level != diff.FormFilling || c.Field == s.Field {
		return false
	}
	return slices.ContainsFunc(s.Locks, func(l Lock) bool { return l.locksField(c.Field) })
}

// dateStoreItems says in which revision each proof came.
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
