package facts

import (
	"errors"
	"slices"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// orderPermissions states which changes each signature permits. A certification binds later signatures, which can only
// be stricter (ISO 32000-2 §12.8.2).
func (r *reader) orderPermissions() {
	inForce, certified := pdf.Permission(0), false
	for _, s := range r.file.Signatures {
		certified = certified || s.Certification != 0
		s.certified = certified
		inForce = inForce.Stricter(s.Certification)
		for _, l := range s.Locks {
			inForce = inForce.Stricter(l.Permits)
		}
		s.Permits = permittedLevel(inForce)
	}
}

// readPermissions reads what a signature states about changes after it.
func (r *reader) readPermissions(s *Signature, f *pdf.Field) error {
	p, err := r.d.ReadPermissions(f)
	if err != nil {
		return err
	}
	s.Certification, s.Locks = p.Certification, p.Locks
	if s.Kind == Approval && s.Certification != 0 {
		s.Kind = Certification
	}
	if p.Unreadable != nil {
		s.Odd = append(s.Odd, Reason{PermissionUnreadable, p.Unreadable.Error()})
	}
	return nil
}

// permittedLevel returns the highest level of changes that are permitted. Without a certification it is that of a
// certification by default.
func permittedLevel(p pdf.Permission) diff.Level {
	switch p {
	case pdf.PermitNothing:
		return diff.LTA
	case pdf.PermitComments:
		return diff.Annotations
	}
	return diff.FormFilling
}

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
	return slices.ContainsFunc(s.Locks, func(l pdf.FieldLock) bool { return l.Covers(c.Field) })
}
