package scim

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	protocol "github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	check "github.com/elimity-com/scim/filter"
	"github.com/elimity-com/scim/schema"
	filter "github.com/scim2/filter-parser/v2"

	"segel/internal/contract"
	"segel/internal/store"
)

// groups handles the resources of type Group. What a group means for the roles of its members, the settings of logins say ([contract.SSO.RoleOf]).
type groups struct{ *Service }

// maxText bounds names, in characters.
const maxText = 255

// namesOf returns by which names the settings may name a group: tokens of logins often have the identifier of the directory instead of the name.
func namesOf(g store.SCIMGroup) []string {
	if g.ExternalID == "" {
		return []string{g.Name}
	}
	return []string{g.Name, g.ExternalID}
}

func (h groups) attributesOf(g store.SCIMGroup) protocol.ResourceAttributes {
	members := make([]any, len(g.Members))
	for i, m := range g.Members {
		members[i] = map[string]any{"value": string(m), "type": "User", "$ref": h.BaseURL() + "/Users/" + string(m)}
	}
	return protocol.ResourceAttributes{"displayName": g.Name, "members": members}
}

// groupVersion returns what tells the states of a group apart, also where its members were not read: between two edits members only leave, when their
// accounts are deleted.
func groupVersion(g store.SCIMGroup) []any { return []any{g.Name, g.Edits, g.MemberCount} }

func (h groups) resourceOf(r *http.Request, g store.SCIMGroup) protocol.Resource {
	return newResource(r, g.ID, g.ExternalID, groupVersion(g), h.attributesOf(g), g.CreatedAt, g.ChangedAt)
}

// findGroup returns a group of the organisation of a request, with its members if they are wanted. One of another organisation does not exist.
func (h groups) findGroup(r *http.Request, id string, members bool) (store.SCIMGroup, error) {
	if id == "" {
		return store.SCIMGroup{}, scimerrors.ScimErrorResourceNotFound(id)
	}
	found, err := h.Store.SCIMGroups(r.Context(), store.SCIMGroupQuery{Organisation: actorOf(r).Organisation, IDs: []string{id}, Members: members})
	if err == nil && len(found) != 1 {
		err = scimerrors.ScimErrorResourceNotFound(id)
	}
	if err != nil {
		return store.SCIMGroup{}, err
	}
	return found[0], nil
}

// wantsMembers reports whether the answer to a request has the members of groups.
func wantsMembers(r *http.Request) bool {
	return len(selectAttributes(r, protocol.ResourceAttributes{"members": nil})) > 0
}

// Get implements [protocol.ResourceHandler].
func (h groups) Get(r *http.Request, id string) (protocol.Resource, error) {
	g, err := h.findGroup(r, id, wantsMembers(r))
	if err != nil {
		return protocol.Resource{}, h.refusalOf(r.Context(), err)
	}
	return h.resourceOf(r, g), nil
}

// maxListed bounds the members of the groups of one page.
const maxListed = 100_000

// errTooManyMembers refuses a page of groups with more than maxListed members.
var errTooManyMembers = scimerrors.ScimError{
	ScimType: scimerrors.ScimTypeTooMany, Status: http.StatusBadRequest,
	Detail: "The groups of the page have more than 100000 members. Ask for fewer groups by count, or leave members out by excludedAttributes.",
}

// GetAll implements [protocol.ResourceHandler]. It reads members only for a filter that compares them, and for the groups of the page if the answer has them.
func (h groups) GetAll(r *http.Request, p protocol.ListRequestParams) (protocol.Page, error) {
	q := store.SCIMGroupQuery{Organisation: actorOf(r).Organisation}
	if id := comparedWith(p, "id"); id != "" {
		q.IDs = []string{id}
	}
	found, err := h.Store.SCIMGroups(r.Context(), q)
	if err != nil {
		return protocol.Page{}, h.refusalOf(r.Context(), err)
	}
	if p.FilterValidator != nil {
		f := p.FilterValidator.GetFilter()
		if err := requireBoundedFilter(f, found); err != nil {
			return protocol.Page{}, err
		}
		if q.Members = comparesMembers(f); q.Members {
			if found, err = h.Store.SCIMGroups(r.Context(), q); err != nil {
				return protocol.Page{}, h.refusalOf(r.Context(), err)
			}
		}
	}
	all, full := make([]protocol.Resource, len(found)), make([]protocol.ResourceAttributes, len(found))
	for i, g := range found {
		all[i], full[i] = h.resourceOf(r, g), h.attributesOf(g)
	}
	page, err := h.pageOf(r.Context(), typeOf("Group", h), all, full, p)
	if err != nil || !wantsMembers(r) || len(page.Resources) == 0 {
		return page, err
	}
	q.IDs, q.Members = make([]string, len(page.Resources)), true
	listed := 0
	for i, one := range page.Resources {
		q.IDs[i] = one.ID
		listed += found[slices.IndexFunc(found, func(g store.SCIMGroup) bool { return g.ID == one.ID })].MemberCount
	}
	if listed > maxListed {
		return protocol.Page{}, errTooManyMembers
	}
	if found, err = h.Store.SCIMGroups(r.Context(), q); err != nil {
		return protocol.Page{}, h.refusalOf(r.Context(), err)
	}
	page.Resources = page.Resources[:0] // a group that was deleted meanwhile is left out
	for _, g := range found {
		page.Resources = append(page.Resources, h.resourceOf(r, g))
	}
	return page, nil
}

// setAttribute sets an attribute of a group. Those that are not kept are ignored.
func (h groups) setAttribute(g *store.SCIMGroup, c change) error {
	switch c.name {
	case "displayname":
		g.Name = textOf(c.value)
	case "externalid":
		g.ExternalID = textOf(c.value)
	case "members", "members.value":
		return setMembers(g, c)
	}
	return nil
}

// setMembers adds, removes or replaces members, and leaves them sorted. Entra ID names those to remove in the value, Okta in a filter of the path.
func setMembers(g *store.SCIMGroup, c change) error {
	named, err := namedMembers(c.value)
	if err != nil {
		return err
	}
	if c.path != nil && c.path.ValueExpression != nil {
		selected, err := selectMembers(g.Members, c)
		if err != nil {
			return err
		}
		if named = append(named, selected...); len(named) == 0 {
			return nil
		}
	}
	slices.Sort(named)
	named = slices.Compact(named)
	switch {
	case c.op == protocol.PatchOperationReplace:
		g.Members = named
	case c.op == protocol.PatchOperationAdd:
		g.Members = mergeSorted(g.Members, named)
	case len(named) == 0 && c.value == nil:
		g.Members = nil
	default:
		g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(m contract.PersonID) bool { _, is := slices.BinarySearch(named, m); return is })
	}
	if len(g.Members) > maxMembers {
		return scimerrors.ScimErrorInvalidValue
	}
	return nil
}

// namedMembers returns the members that the value of a change names.
func namedMembers(value any) ([]contract.PersonID, error) {
	list, _ := value.([]any)
	if one, ok := value.(map[string]any); ok {
		list = []any{one}
	}
	if len(list) > maxMembers {
		return nil, scimerrors.ScimErrorInvalidValue
	}
	named := make([]contract.PersonID, 0, len(list))
	for _, m := range list {
		entry, _ := m.(map[string]any)
		id := textOf(entry["value"])
		if id == "" {
			return nil, scimerrors.ScimErrorInvalidValue
		}
		named = append(named, contract.PersonID(id))
	}
	return named, nil
}

// selectMembers returns those of some members that the filter in the path of a change selects, for their removal.
func selectMembers(members []contract.PersonID, c change) (selected []contract.PersonID, err error) {
	attribute, _ := schema.CoreGroupSchema().Attributes.ContainsAttribute("members")
	selects := check.NewFilterValidator(c.path.ValueExpression, schema.Schema{Attributes: attribute.SubAttributes()})
	if selects.Validate() != nil || c.op != protocol.PatchOperationRemove {
		return nil, scimerrors.ScimErrorInvalidPath
	}
	id, plain := comparedMember(c.path.ValueExpression)
	for _, m := range members {
		if plain && strings.EqualFold(string(m), id) || !plain && selects.PassesFilter(map[string]any{"value": string(m), "type": "User"}) == nil {
			selected = append(selected, m)
		}
	}
	return selected, nil
}

// comparedMember returns the member that a filter of the form `value eq "ID"` selects. Directories send one for each member that they remove, so it
// is compared here: the library looks up the schema and makes a function for each comparison.
func comparedMember(e filter.Expression) (id string, plain bool) {
	a, ok := e.(*filter.AttributeExpression)
	if !ok || a.Operator != filter.EQ || !strings.EqualFold(a.AttributePath.AttributeName, "value") || a.AttributePath.SubAttribute != nil || a.AttributePath.URIPrefix != nil {
		return "", false
	}
	id, plain = a.CompareValue.(string)
	return id, plain
}

// countComparisons returns how many comparisons a filter makes at most.
func countComparisons(e filter.Expression) int {
	switch e := e.(type) {
	case *filter.LogicalExpression:
		return countComparisons(e.Left) + countComparisons(e.Right)
	case *filter.NotExpression:
		return countComparisons(e.Expression)
	case *filter.ValuePath:
		return 1 + countComparisons(e.ValueFilter)
	}
	return 1
}

// countGroupComparisons returns how many comparisons a filter makes at most for a group with that many members. A filter of other attributes
// takes no longer for a large group: directories look groups up by name.
func countGroupComparisons(e filter.Expression, members int) int {
	switch e := e.(type) {
	case *filter.LogicalExpression:
		return countGroupComparisons(e.Left, members) + countGroupComparisons(e.Right, members)
	case *filter.NotExpression:
		return countGroupComparisons(e.Expression, members)
	case *filter.ValuePath:
		return 1 + countComparisons(e.ValueFilter)*members
	case *filter.AttributeExpression:
		if strings.EqualFold(e.AttributePath.AttributeName, "members") {
			return 1 + members
		}
	}
	return 1
}

// comparesMembers reports whether a filter compares the members of groups.
func comparesMembers(e filter.Expression) bool {
	return countGroupComparisons(e, 1) > countGroupComparisons(e, 0)
}

// requireBoundedFilter refuses a filter that would take long for some groups.
func requireBoundedFilter(e filter.Expression, groups []store.SCIMGroup) error {
	comparisons := 0
	for _, g := range groups {
		if comparisons += countGroupComparisons(e, g.MemberCount); comparisons > maxComparisons {
			return scimerrors.ScimErrorTooMany
		}
	}
	return nil
}

// requireBoundedWork refuses changes of a group that would take long, before any of them is made: neither the protocol nor the library bounds
// how many there are, and each may go through all members.
func requireBoundedWork(members int, changes []change) error {
	if len(changes) > maxChanges {
		return errTooManyChanges
	}
	named := 0
	for _, c := range changes {
		if list, ok := c.value.([]any); ok {
			named += len(list)
		}
	}
	if named > maxMembers {
		return scimerrors.ScimErrorInvalidValue
	}
	comparisons := 0
	for _, c := range changes {
		if c.path == nil || c.path.ValueExpression == nil {
			continue
		}
		if _, plain := comparedMember(c.path.ValueExpression); !plain {
			comparisons += countComparisons(c.path.ValueExpression) * min(members+named, maxMembers)
		}
	}
	if comparisons > maxComparisons {
		return scimerrors.ScimErrorTooMany
	}
	return nil
}

// mergeSorted returns what is in either of two sorted lists, sorted and once.
func mergeSorted(a, b []contract.PersonID) []contract.PersonID {
	all := make([]contract.PersonID, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return slices.Compact(append(append(all, a...), b...))
}

// setAll replaces what a group is.
func (h groups) setAll(g *store.SCIMGroup, a protocol.ResourceAttributes) error {
	g.ExternalID, g.Members = "", nil
	for name, key := range map[string]string{"displayName": "displayname", "externalId": "externalid", "members": "members"} {
		if v, given := a[name]; given && v != nil {
			if err := h.setAttribute(g, change{name: key, op: protocol.PatchOperationReplace, value: v}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Create implements [protocol.ResourceHandler].
func (h groups) Create(r *http.Request, a protocol.ResourceAttributes) (protocol.Resource, error) {
	id, err := h.Accounts.NewPersonID() // a random identifier
	if err != nil {
		return protocol.Resource{}, h.refusalOf(r.Context(), err)
	}
	g := store.SCIMGroup{ID: string(id), Organisation: actorOf(r).Organisation, CreatedAt: h.Clock()}
	if err := h.setAll(&g, a); err != nil {
		return protocol.Resource{}, err
	}
	return h.store(r, store.SCIMGroup{}, g, "group_added")
}

// Replace implements [protocol.ResourceHandler].
func (h groups) Replace(r *http.Request, id string, a protocol.ResourceAttributes) (protocol.Resource, error) {
	return h.changeGroup(r, id, func(g *store.SCIMGroup) error { return h.setAll(g, a) })
}

// Patch implements [protocol.ResourceHandler].
func (h groups) Patch(r *http.Request, id string, operations []protocol.PatchOperation) (protocol.Resource, error) {
	changes := changesOf(operations)
	return h.changeGroup(r, id, func(g *store.SCIMGroup) error { return h.applyChanges(r.Context(), g, changes) })
}

// applyChanges makes the changes of a patch, in order.
func (h groups) applyChanges(ctx context.Context, g *store.SCIMGroup, changes []change) error {
	if err := requireBoundedWork(len(g.Members), changes); err != nil {
		return err
	}
	g.Members = slices.Sorted(slices.Values(g.Members))
	for _, c := range changes {
		if ctx.Err() != nil { // the client has gone, or the time is up
			return h.refusalOf(ctx, context.Cause(ctx))
		}
		if err := h.setAttribute(g, c); err != nil {
			return err
		}
	}
	return nil
}

// tries is how often a change of a group is tried that another request changes at the same time.
const tries = 5

func (h groups) changeGroup(r *http.Request, id string, decide func(*store.SCIMGroup) error) (protocol.Resource, error) {
	for try := 1; ; try++ {
		g, err := h.findGroup(r, id, true)
		if err == nil {
			err = requireVersion(r, h.resourceOf(r, g).Meta.Version)
		}
		if err != nil {
			return protocol.Resource{}, h.refusalOf(r.Context(), err)
		}
		was := g
		if err := decide(&g); err != nil {
			return protocol.Resource{}, err
		}
		out, err := h.store(r, was, g, "group_changed")
		if !errors.Is(err, store.ErrConflict) || try == tries {
			return out, h.refusalOf(r.Context(), err)
		}
	}
}

// rolesTimeout bounds the commit of a group and the changes of the roles of its members: those of maxMembers take minutes on a slow database.
const rolesTimeout = 10 * time.Minute

// finishing returns a context for a commit and the changes of roles that follow from it. The end of the request does not end it: a request that
// is repeated does not name the people who left a group, so nothing would take back the roles that it gave them.
func finishing(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), rolesTimeout)
}

// store commits a group and changes the roles of those whose roles depend on the change. It returns store.ErrConflict if the group was changed meanwhile.
//
// The roles of those who leave are taken back before the commit: a repeated request does not name them. If we crash or the database fails before the commit, they are
// members of the group without its role, and the directory, which got no answer, repeats the request. If it fails after the commit, those who joined get their
// roles when the directory repeats it. Roles of people who left are taken back once more afterwards, because another request may have given them meanwhile.
func (h groups) store(r *http.Request, was, g store.SCIMGroup, what string) (protocol.Resource, error) {
	ctx, cancel := finishing(r)
	defer cancel()
	if g.Name == "" || utf8.RuneCountInString(g.Name) > maxText || utf8.RuneCountInString(g.ExternalID) > maxText || len(g.Members) > maxMembers {
		return protocol.Resource{}, scimerrors.ScimErrorInvalidValue
	}
	g.ChangedAt = h.Clock()
	e := h.eventOf(actorOf(r), g.Organisation, what)
	e.Details["group"] = g.Name
	left, joined := membershipChanges(was, g)
	if err := h.takeRolesBefore(ctx, actorOf(r), g.ID, left, joined); err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	err := h.Store.SetSCIMGroup(ctx, g, e)
	if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) {
		if err := h.giveRoles(ctx, actorOf(r), left, ""); err != nil { // they stay
			return protocol.Resource{}, h.refusalOf(ctx, err)
		}
	}
	switch {
	case errors.Is(err, store.ErrExists):
		return protocol.Resource{}, scimerrors.ScimErrorUniqueness
	case errors.Is(err, store.ErrNotFound):
		return protocol.Resource{}, scimerrors.ScimErrorInvalidValue // a member that is no user here, as of another organisation
	case errors.Is(err, store.ErrConflict):
		return protocol.Resource{}, err
	}
	if err == nil {
		err = h.giveRoles(ctx, actorOf(r), affectedMembers(was, g), "")
	}
	if err == nil {
		g, err = h.findGroup(r, g.ID, true)
	}
	if err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	return h.resourceOf(r, g), nil
}

// affectedMembers returns the people whose roles a change of a group may change, those who left first. A change that changes nothing may repeat
// a request that was interrupted, so it affects all members.
func affectedMembers(was, g store.SCIMGroup) []contract.PersonID {
	left, joined := membershipChanges(was, g)
	if !slices.Equal(namesOf(was), namesOf(g)) || len(left)+len(joined) == 0 {
		joined = slices.Sorted(slices.Values(g.Members))
	}
	return append(left, joined...)
}

// membershipChanges returns who leaves a group by a change of it, and who joins it.
func membershipChanges(was, g store.SCIMGroup) (left, joined []contract.PersonID) {
	former, present := slices.Sorted(slices.Values(was.Members)), slices.Sorted(slices.Values(g.Members))
	return withoutSorted(former, present), withoutSorted(present, former)
}

// takeRolesBefore takes back the roles that a group gives to those who leave it, before that is committed. It takes none for a change that is refused
// because a person who joins is not a user here.
func (h groups) takeRolesBefore(ctx context.Context, by contract.Actor, group string, left, joined []contract.PersonID) error {
	if len(left) == 0 {
		return nil
	}
	if len(joined) > 0 {
		users, err := h.Store.SCIMUsers(ctx, store.SCIMUserQuery{Organisation: by.Organisation})
		if err != nil {
			return err
		}
		known := map[contract.PersonID]bool{}
		for _, u := range users {
			known[u.ID] = true
		}
		if slices.ContainsFunc(joined, func(p contract.PersonID) bool { return !known[p] }) {
			return scimerrors.ScimErrorInvalidValue
		}
	}
	return h.giveRoles(ctx, by, left, group)
}

// withoutSorted returns those of some people who are not in a sorted list.
func withoutSorted(people, sorted []contract.PersonID) []contract.PersonID {
	return slices.DeleteFunc(slices.Clone(people), func(p contract.PersonID) bool { _, in := slices.BinarySearch(sorted, p); return in })
}

// giveRoles gives people the roles of their groups, without those of the group that they are leaving, if there is one. It begins with those who
// are in no group that gives a role: if it is interrupted, it is better that a person lacks a role than that they keep one.
func (s *Service) giveRoles(ctx context.Context, by contract.Actor, people []contract.PersonID, leaving string) error {
	settings, err := s.Roles.GroupRoles(ctx, by.Organisation)
	if err != nil || len(settings.Groups) == 0 { // groups give no roles
		return err
	}
	q := store.SCIMGroupQuery{Organisation: by.Organisation}
	all, err := s.Store.SCIMGroups(ctx, q)
	if err != nil {
		return err
	}
	q.IDs, q.Members = []string{}, true // of the groups that give roles
	for _, g := range all {
		if _, listed := settings.RoleOf(namesOf(g), true); listed && g.ID != leaving {
			q.IDs = append(q.IDs, g.ID)
		}
	}
	if all, err = s.Store.SCIMGroups(ctx, q); err != nil {
		return err
	}
	names := map[contract.PersonID][]string{}
	for _, g := range all {
		for _, m := range g.Members {
			names[m] = append(names[m], namesOf(g)...)
		}
	}
	isListed := func(p contract.PersonID) bool { _, listed := settings.RoleOf(names[p], true); return listed }
	ordered := slices.DeleteFunc(slices.Clone(people), isListed)
	ordered = append(ordered, slices.DeleteFunc(slices.Clone(people), func(p contract.PersonID) bool { return !isListed(p) })...)
	for _, p := range ordered {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.Roles.GiveRoleOfGroups(ctx, settings, p, slices.Clip(names[p]), by.IP); err != nil {
			return err
		}
	}
	return nil
}

// Delete implements [protocol.ResourceHandler]. The roles that the group gives are taken back before it is deleted: if we crash before the commit, the
// directory finds the group, and deletes it again. They are taken back once more afterwards from those to whom another request gave them meanwhile.
func (h groups) Delete(r *http.Request, id string) error {
	by := actorOf(r)
	g, err := h.findGroup(r, id, true)
	if err == nil {
		err = requireVersion(r, h.resourceOf(r, g).Meta.Version)
	}
	if err != nil {
		return h.refusalOf(r.Context(), err)
	}
	ctx, cancel := finishing(r)
	defer cancel()
	e := h.eventOf(by, by.Organisation, "group_deleted")
	e.Details["group"] = g.Name
	err = h.giveRoles(ctx, by, g.Members, id)
	if err == nil {
		err = h.Store.DeleteSCIMGroup(ctx, by.Organisation, id, e)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = scimerrors.ScimErrorResourceNotFound(id)
	}
	if err == nil {
		err = h.giveRoles(ctx, by, g.Members, id)
	}
	return h.refusalOf(ctx, err)
}
