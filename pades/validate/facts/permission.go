package facts

import (
	"errors"
	"slices"
	"strings"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// readPermissions reads which changes each signature permits. A certification binds later signatures, which can only be
// stricter (ISO 32000-2 §12.8.2).
func (r *reader) readPermissions() {
	inForce, certified := diff.Level(0), false
	for _, s := range r.file.Signatures {
		r.readReferences(s)
		certified = certified || s.Certification != 0
		s.certified = certified
		if lock, err := r.d.Dict(s.fieldDict["Lock"]); err == nil && lock != nil {
			l := r.readLock(lock)
			if p, err := r.d.Integer(lock["P"]); err == nil && p >= 1 && p <= 3 {
				l.P = int(p)
			}
			s.Locks = append(s.Locks, l)
		}
		s.Permits = diff.FormFilling
		if inForce != 0 {
			s.Permits = inForce
		}
		if s.Certification != 0 {
			s.Permits = permissionLevel(s.Certification)
			if inForce != 0 {
				s.Permits = min(s.Permits, inForce)
			}
			inForce = s.Permits
		}
		for _, l := range s.Locks {
			if l.P != 0 {
				s.Permits = min(s.Permits, permissionLevel(l.P))
				inForce = s.Permits
			}
		}
	}
}

func permissionLevel(permission int) diff.Level {
	switch permission {
	case 1:
		return diff.LTA
	case 2:
		return diff.FormFilling
	}
	return diff.Annotations
}

// readReferences reads the transform methods of a signature.
func (r *reader) readReferences(s *Signature) {
	list, err := r.d.Array(s.dict["Reference"])
	if err != nil {
		return
	}
	for _, o := range list[:min(len(list), maxReferences)] {
		reference, err := r.d.Dict(o)
		if err != nil {
			continue
		}
		params, _ := r.d.Dict(reference["TransformParams"])
		switch method, _ := r.d.Name(reference["TransformMethod"]); method {
		case "DocMDP":
			p, err := r.d.Integer(params["P"])
			if err != nil || p < 1 || p > 3 {
				p = 2 // the default
			}
			if s.Certification == 0 || int(p) < s.Certification {
				s.Certification = int(p)
			}
			if s.Kind == Approval {
				s.Kind = Certification
			}
		case "FieldMDP":
			s.Locks = append(s.Locks, r.readLock(params))
		}
	}
}

// maxReferences bounds the transform methods read.
const maxReferences = 50

func (r *reader) readLock(params pdf.Dict) Lock {
	var l Lock
	action, _ := r.d.Name(params["Action"])
	l.Action = string(action)
	fields, _ := r.d.Array(params["Fields"])
	for _, o := range fields {
		if v, err := r.d.String(o); err == nil {
			l.Fields = append(l.Fields, v.Text())
		}
	}
	return l
}

// locksField reports whether a field may no longer change. A name includes the fields below it. An unknown action locks
// all fields: its writer wanted to lock something.
func (l Lock) locksField(field string) bool {
	among := slices.ContainsFunc(l.Fields, func(n string) bool { return n == field || strings.HasPrefix(field, n+".") })
	switch l.Action {
	case "Include":
		return among
	case "Exclude":
		return !among
	}
	return true
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
	return slices.ContainsFunc(s.Locks, func(l Lock) bool { return l.locksField(c.Field) })
}
