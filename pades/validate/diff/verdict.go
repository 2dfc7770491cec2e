package diff

import "segel/pdf"

// verdict is what one rule says about a changed object in one role.
type verdict struct {
	rule  string // empty for a denial
	level Level
	code  Code

	field  string
	page   int
	box    pdf.Rect
	widget pdf.Ref
	notes  []Note
	detail string
}

func deny(code Code, detail string) verdict {
	return verdict{level: Other, code: code, detail: detail}
}

func allow(rule string, level Level, code Code) verdict {
	return verdict{rule: rule, level: level, code: code}
}

func (v verdict) isDenied() bool { return v.level == Other }

// forField sets the field that the verdict is about.
func (v verdict) forField(f fieldInfo) verdict {
	v.field = f.name
	return v
}

// worstVerdict joins two verdicts: the higher level counts, or the first if they are equal. Details that only one has
// are kept.
func worstVerdict(a, b verdict) verdict {
	if b.level > a.level || a.level == b.level && a.code.isConsequence() {
		a, b = b, a
	}
	if a.field == "" {
		a.field = b.field
	}
	if a.page == 0 {
		a.page, a.box = b.page, b.box
	}
	if a.widget.IsZero() {
		a.widget = b.widget
	}
	if a.notes == nil {
		a.notes = b.notes
	}
	return a
}

// isConsequence reports whether a denial usually follows from another one that says more.
func (c Code) isConsequence() bool {
	return c == CodeUnexplained || c == CodeAppearanceChanged || c == CodeAppearanceDiffers
}

// rule checks a changed object in one role. A rule sees an added object only if nothing referred to it before, and a
// replaced one only if its value changed.
type rule func(*revision, *changedObject, node) verdict

// rules has one rule for each role.
var rules = [roleCount]rule{}

func init() {
	for r := range rules {
		rules[r] = fixedRule(deny(CodeUnexplained, ""))
	}
	for r, f := range map[role]rule{
		roleCatalog:    catalogRule,
		roleInfo:       fixedRule(allow("information", LTA, CodeInformation)),
		roleExtensions: extensionsRule, roleMarkInfo: extensionsRule,
		roleMetadata: metadataRule,

		roleForm:     containerRule(CodeFormChanged, func(r *revision, _ node, old, new pdf.Dict) verdict { return r.checkForm(old, new) }),
		roleFields:   containerRule(CodeFormChanged, func(r *revision, _ node, old, new pdf.Array) verdict { return r.checkFields(old, new) }),
		roleDefaults: containerRule(CodeFormChanged, func(r *revision, _ node, old, new pdf.Dict) verdict { return r.checkDefaults(old, new) }),
		roleResources: containerRule(CodeFormChanged, func(r *revision, n node, old, new pdf.Dict) verdict {
			return r.checkResources(r.resourceKind(n.number), old, new)
		}),
		roleField:    approvedRule(CodeFieldAdded, (*revision).checkFieldFill),
		roleKids:     func(r *revision, _ *changedObject, n node) verdict { return r.approvedVerdict(n, CodeFieldChanged) }, // kids of earlier fields do not change
		roleValue:    approvedRule(CodeSignature, func(*revision, *changedObject) verdict { return deny(CodeSignature, "") }),
		roleContents: contentsRule,

		rolePages:      fixedRule(deny(CodePages, "")), // nor does what pages inherit change
		rolePage:       pageRule,
		roleAnnots:     containerRule(CodeAnnotation, func(r *revision, n node, old, new pdf.Array) verdict { return r.checkAnnotations(n.owner, old, new) }),
		roleAnnotation: annotationRule, roleAppearances: appearanceRule, roleAppearance: appearanceRule,

		roleStore: storeRule, roleStoreItems: storeRule, roleStoreItem: storeItemRule, roleVRIs: storeRule, roleVRI: storeRule,

		roleStructure: structureRule,
		roleElements:  approvedRule(CodeStructChanged, func(r *revision, m *changedObject) verdict { return r.checkKids(m.old, m.new) }),
		roleElement:   approvedRule(CodeStructChanged, (*revision).checkElement),
		roleParents:   containerRule(CodeStructChanged, func(r *revision, _ node, old, new pdf.Dict) verdict { return r.checkParentTree(old, new) }),
		roleNumbers:   containerRule(CodeStructChanged, func(r *revision, _ node, old, new pdf.Array) verdict { return r.checkNumberPairs(old, new) }),

		rolePart: partRule, roleAppearancePart: partRule, roleContent: fixedRule(deny(CodeContent, "")),
	} {
		rules[r] = f
	}
}

func fixedRule(v verdict) rule { return func(*revision, *changedObject, node) verdict { return v } }

// approvedRule is the rule for an object that has to be approved if it is new.
func approvedRule(otherwise Code, checkChanged func(*revision, *changedObject) verdict) rule {
	return func(r *revision, m *changedObject, n node) verdict {
		if m.isAdded() {
			return r.approvedVerdict(n, otherwise)
		}
		return checkChanged(r, m)
	}
}

// approve records the verdict on an object that was checked together with the referring object.
func (r *revision) approve(n uint32, as role, v verdict) { r.approvals[approvalKey{n, as}] = v }

// approvedVerdict is the rule for objects that have to be approved.
func (r *revision) approvedVerdict(n node, otherwise Code) verdict {
	if v, ok := r.approvals[approvalKey{n.number, n.role}]; ok {
		return v
	}
	return deny(otherwise, "")
}

// containerRule is the rule for a dictionary or an array: a new one has to be approved, a changed one is compared with the
// former.
func containerRule[T pdf.Object](otherwise Code, check func(r *revision, n node, old, new T) verdict) rule {
	return func(r *revision, m *changedObject, n node) verdict {
		new, ok := m.new.(T)
		if m.isAdded() || !ok {
			return r.approvedVerdict(n, otherwise)
		}
		old, _ := m.old.(T)
		return check(r, n, old, new)
	}
}

// isAdded reports whether a value refers to an object that this revision added, and which.
func (r *revision) isAdded(o pdf.Object) (*changedObject, bool) {
	ref, ok := o.(pdf.Ref)
	if !ok {
		return nil, false
	}
	m := r.moves[ref.Number]
	return m, m != nil && m.isAdded() && m.After == ref && m.newErr == nil
}
