package diff

import (
	"segel/pdf"
)

// verdict is what one rule says about a changed object in one role.
type verdict struct {
	rule  string // empty if it denies
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

// forField says which field the verdict is about.
func (v verdict) forField(f fieldInfo) verdict {
	v.field = f.name
	return v
}

// worstVerdict joins what two rules say: the higher level counts, the former one if they are equal. What only one of them
// knows is kept.
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

// isConsequence reports whether a denial is likely to follow from another one, which says more.
func (c Code) isConsequence() bool {
	return c == CodeUnexplained || c == CodeAppearanceChanged || c == CodeAppearanceDiffers
}

// rule judges a changed object in one role. An object that is added reaches a rule only if nothing referred to it
// before; one that is replaced only if its value is another.
type rule func(*revision, *changedObject, node) verdict

// rules has one for each role.
var rules = [roleCount]rule{}

func init() {
	for r := range rules {
		rules[r] = unexplainedRule
	}
	for r, f := range map[role]rule{
		roleCatalog: catalogRule, roleInfo: infoRule, roleExtensions: extensionsRule, roleMarkInfo: extensionsRule, roleMetadata: metadataRule,
		roleForm: formRule, roleFields: fieldsRule, roleField: fieldRule, roleKids: kidsRule, roleValue: valueRule, roleContents: contentsRule,
		roleDefaults: defaultsRule, roleResources: resourcesRule, rolePages: pagesRule, rolePage: pageRule, roleAnnots: annotsRule, roleAnnotation: annotationRule,
		roleAppearances: appearanceRule, roleAppearance: appearanceRule, roleStore: storeRule, roleStoreItems: storeRule, roleStoreItem: storeItemRule, roleVRIs: storeRule, roleVRI: storeRule,
		roleStructure: structureRule, roleElements: elementsRule, roleElement: elementRule, roleParents: parentsRule, roleNumbers: numbersRule,
		rolePart: partRule, roleAppearancePart: partRule, roleContent: contentRule,
	} {
		rules[r] = f
	}
}

func unexplainedRule(*revision, *changedObject, node) verdict { return deny(CodeUnexplained, "") }

// approve lets a rule answer for an object that it judged together with what leads to it.
func (r *revision) approve(n uint32, as role, v verdict) { r.approvals[approvalKey{n, as}] = v }

// approvedVerdict is the rule for what has to be vouched for.
func (r *revision) approvedVerdict(n node, otherwise Code) verdict {
	if v, ok := r.approvals[approvalKey{n.number, n.role}]; ok {
		return v
	}
	return deny(otherwise, "")
}

// isAdded reports whether a value is a reference to an object of this revision, and which.
func (r *revision) isAdded(o pdf.Object) (*changedObject, bool) {
	ref, ok := o.(pdf.Ref)
	if !ok {
		return nil, false
	}
	m := r.moves[ref.Number]
	return m, m != nil && m.isAdded() && m.After == ref && m.newErr == nil
}
