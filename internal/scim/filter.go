package scim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	protocol "github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	check "github.com/elimity-com/scim/filter"
	"github.com/elimity-com/scim/schema"
	filter "github.com/scim2/filter-parser/v2"
)

// comparesComplex reports whether a filter compares an attribute that consists of others, such as members, as one. That means nothing, and the library
// panics.
func comparesComplex(e filter.Expression) bool {
	switch e := e.(type) {
	case *filter.LogicalExpression:
		return comparesComplex(e.Left) || comparesComplex(e.Right)
	case *filter.NotExpression:
		return comparesComplex(e.Expression)
	case *filter.AttributeExpression:
		if e.Operator == filter.PR || e.AttributePath.SubAttribute != nil {
			return false
		}
		for _, all := range []schema.Attributes{schema.CoreUserSchema().Attributes, schema.ExtensionEnterpriseUser().Attributes, schema.CoreGroupSchema().Attributes, schema.CommonAttributes()} {
			if a, found := all.ContainsAttribute(e.AttributePath.AttributeName); found && a.HasSubAttributes() {
				return true
			}
		}
	}
	return false // the attributes of a value path consist of no others
}

// comparedWith returns the text that a filter compares one of some attributes with, for a query that finds the few resources that can match. Empty: there is none.
func comparedWith(p protocol.ListRequestParams, names ...string) string {
	if p.FilterValidator == nil {
		return ""
	}
	e, ok := p.FilterValidator.GetFilter().(*filter.AttributeExpression)
	if !ok || e.Operator != filter.EQ {
		return ""
	}
	name := e.AttributePath.AttributeName
	if sub := e.AttributePath.SubAttributeName(); sub != "" {
		name += "." + sub
	}
	text, _ := e.CompareValue.(string)
	if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return ""
	}
	return text
}

// compareEachValue returns a filter that compares parts of multi-valued attributes in each value: `members.value eq "x"` becomes
// `members[value eq "x"]`. If the specified attribute is multi-valued, one value that matches is enough (RFC 7644 §3.4.2.2); the library
// evaluates the first form as if there were no value.
func compareEachValue(e filter.Expression, of schema.Attributes) filter.Expression {
	switch e := e.(type) {
	case *filter.LogicalExpression:
		return &filter.LogicalExpression{Left: compareEachValue(e.Left, of), Right: compareEachValue(e.Right, of), Operator: e.Operator}
	case *filter.NotExpression:
		return &filter.NotExpression{Expression: compareEachValue(e.Expression, of)}
	case *filter.AttributeExpression:
		a, found := of.ContainsAttribute(e.AttributePath.AttributeName)
		if part := e.AttributePath.SubAttribute; part != nil && found && a.MultiValued() {
			whole := e.AttributePath
			whole.SubAttribute = nil
			return &filter.ValuePath{AttributePath: whole, ValueFilter: &filter.AttributeExpression{
				AttributePath: filter.AttributePath{AttributeName: *part}, Operator: e.Operator, CompareValue: e.CompareValue,
			}}
		}
	}
	return e
}

// newFilter returns what decides which resources of a type pass the filter of a request.
func newFilter(e filter.Expression, of protocol.ResourceType) check.Validator {
	s := of.Schema
	s.Attributes = append(slices.Clone(s.Attributes), schema.CommonAttributes()...)
	var extensions []schema.Schema
	for _, x := range of.SchemaExtensions {
		extensions = append(extensions, x.Schema)
	}
	return check.NewFilterValidator(compareEachValue(e, s.Attributes), s, extensions...)
}

// filterable returns the attributes of a resource as filters compare them: with those that all resources have, as answers state them, and without those that have no value.
func (s *Service) filterable(of protocol.ResourceType, r protocol.Resource, a protocol.ResourceAttributes) protocol.ResourceAttributes {
	all := maps.Clone(a)
	maps.DeleteFunc(all, func(_ string, v any) bool {
		list, ok := v.([]any)
		return ok && len(list) == 0
	})
	all[schema.CommonAttributeID] = r.ID
	if r.ExternalID.Present() {
		all[schema.CommonAttributeExternalID] = r.ExternalID.Value()
	}
	schemas := []any{of.Schema.ID}
	for _, x := range of.SchemaExtensions {
		schemas = append(schemas, x.Schema.ID)
	}
	all["schemas"] = schemas
	meta := map[string]any{"resourceType": of.Name, "location": s.BaseURL() + of.Endpoint + "/" + r.ID, "version": r.Meta.Version}
	for name, at := range map[string]*time.Time{"created": r.Meta.Created, "lastModified": r.Meta.LastModified} {
		if at != nil {
			meta[name] = at.Format(time.RFC3339)
		}
	}
	all[schema.CommonAttributeMeta] = meta
	return all
}

// pageOf returns the page of the resources of a type that pass the filter of a request. Full has all their attributes.
func (s *Service) pageOf(ctx context.Context, of protocol.ResourceType, all []protocol.Resource, full []protocol.ResourceAttributes, p protocol.ListRequestParams) (protocol.Page, error) {
	passes := func(int) bool { return true }
	if p.FilterValidator != nil {
		e := p.FilterValidator.GetFilter()
		if comparesComplex(e) {
			return protocol.Page{}, scimerrors.ScimErrorInvalidFilter
		}
		f := newFilter(e, of)
		passes = func(i int) bool { return f.PassesFilter(s.filterable(of, all[i], full[i])) == nil }
	}
	page := protocol.Page{Resources: []protocol.Resource{}}
	for i, r := range all {
		if ctx.Err() != nil { // the client has gone, or the time is up
			return protocol.Page{}, s.refusalOf(ctx, context.Cause(ctx))
		}
		if !passes(i) {
			continue
		}
		page.TotalResults++
		if page.TotalResults >= p.StartIndex && len(page.Resources) < p.Count {
			page.Resources = append(page.Resources, r)
		}
	}
	return page, nil
}
