package facts

import (
	"slices"
	"strings"

	"segel/pades/validate/diff"
	"segel/pdf"
)

// readPermissions reads what each signature says may change after it. A certification binds those that follow, and what
// follows can only be stricter (ISO 32000-2 §12.8.2).
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

// maxReferences bounds the transform methods that are read.
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

// locksField reports whether a field may no longer change. A name stands for the fields below it too. An action that nobody
// knows locks all: who wrote it wanted to lock something.
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
