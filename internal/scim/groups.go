package scim

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"unicode/utf8"

	protocol "github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	check "github.com/elimity-com/scim/filter"
	"github.com/elimity-com/scim/schema"

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

func (h groups) resourceOf(r *http.Request, g store.SCIMGroup) protocol.Resource {
	return newResource(r, g.ID, g.ExternalID, h.attributesOf(g), g.CreatedAt, g.ChangedAt)
}

// findGroup returns a group of the organisation of a request. One of another organisation does not exist.
func (h groups) findGroup(r *http.Request, id string) (store.SCIMGroup, error) {
	if id == "" {
		return store.SCIMGroup{}, scimerrors.ScimErrorResourceNotFound(id)
	}
	found, err := h.Store.SCIMGroups(r.Context(), actorOf(r).Organisation, id)
	if err == nil && len(found) != 1 {
		err = scimerrors.ScimErrorResourceNotFound(id)
	}
	if err != nil {
		return store.SCIMGroup{}, err
	}
	return found[0], nil
}

// Get implements [protocol.ResourceHandler].
func (h groups) Get(r *http.Request, id string) (protocol.Resource, error) {
	g, err := h.findGroup(r, id)
	if err != nil {
		return protocol.Resource{}, h.refusalOf(r.Context(), err)
	}
	return h.resourceOf(r, g), nil
}

// GetAll implements [protocol.ResourceHandler].
func (h groups) GetAll(r *http.Request, p protocol.ListRequestParams) (protocol.Page, error) {
	found, err := h.Store.SCIMGroups(r.Context(), actorOf(r).Organisation, comparedWith(p, "id"))
	if err != nil {
		return protocol.Page{}, h.refusalOf(r.Context(), err)
	}
	all, full := make([]protocol.Resource, len(found)), make([]protocol.ResourceAttributes, len(found))
	for i, g := range found {
		all[i], full[i] = h.resourceOf(r, g), h.attributesOf(g)
	}
	return pageOf(all, full, p), nil
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

// setMembers adds, removes or replaces members. Entra ID names those to remove in the value, Okta in a filter of the path.
func setMembers(g *store.SCIMGroup, c change) error {
	var named []contract.PersonID
	list, _ := c.value.([]any)
	if one, ok := c.value.(map[string]any); ok {
		list = []any{one}
	}
	for _, m := range list {
		entry, _ := m.(map[string]any)
		id := textOf(entry["value"])
		if id == "" {
			return scimerrors.ScimErrorInvalidValue
		}
		named = append(named, contract.PersonID(id))
	}
	if c.path != nil && c.path.ValueExpression != nil {
		members, _ := schema.CoreGroupSchema().Attributes.ContainsAttribute("members")
		selects := check.NewFilterValidator(c.path.ValueExpression, schema.Schema{Attributes: members.SubAttributes()})
		if selects.Validate() != nil || c.op != protocol.PatchOperationRemove {
			return scimerrors.ScimErrorInvalidPath
		}
		for _, m := range g.Members {
			if selects.PassesFilter(map[string]any{"value": string(m), "type": "User"}) == nil {
				named = append(named, m)
			}
		}
		if len(named) == 0 {
			return nil
		}
	}
	switch {
	case c.op == protocol.PatchOperationReplace:
		g.Members = named
	case c.op == protocol.PatchOperationAdd:
		g.Members = append(slices.Clone(g.Members), named...)
	case len(named) == 0 && c.value == nil:
		g.Members = nil
	default:
		g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(m contract.PersonID) bool { return slices.Contains(named, m) })
	}
	slices.Sort(g.Members)
	g.Members = slices.Compact(g.Members)
	return nil
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
	return h.store(r, nil, g, "group_added")
}

// Replace implements [protocol.ResourceHandler].
func (h groups) Replace(r *http.Request, id string, a protocol.ResourceAttributes) (protocol.Resource, error) {
	return h.changeGroup(r, id, func(g *store.SCIMGroup) error { return h.setAll(g, a) })
}

// Patch implements [protocol.ResourceHandler].
func (h groups) Patch(r *http.Request, id string, operations []protocol.PatchOperation) (protocol.Resource, error) {
	return h.changeGroup(r, id, func(g *store.SCIMGroup) error {
		for _, c := range changesOf(operations) {
			if err := h.setAttribute(g, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// tries is how often a change of a group is tried that another request changes at the same time.
const tries = 5

func (h groups) changeGroup(r *http.Request, id string, decide func(*store.SCIMGroup) error) (protocol.Resource, error) {
	for try := 1; ; try++ {
		g, err := h.findGroup(r, id)
		if err == nil {
			err = requireVersion(r, h.resourceOf(r, g).Meta.Version)
		}
		if err != nil {
			return protocol.Resource{}, h.refusalOf(r.Context(), err)
		}
		former := g.Members
		if err := decide(&g); err != nil {
			return protocol.Resource{}, err
		}
		out, err := h.store(r, former, g, "group_changed")
		if !errors.Is(err, store.ErrConflict) || try == tries {
			return out, h.refusalOf(r.Context(), err)
		}
	}
}

// store commits a group and then gives its members, former and present, the roles of their groups. It returns store.ErrConflict if the group was changed meanwhile.
//
// If we crash between the commits, roles are given with the next change of the group, or the next login of the person.
func (h groups) store(r *http.Request, former []contract.PersonID, g store.SCIMGroup, what string) (protocol.Resource, error) {
	ctx := r.Context()
	if g.Name == "" || utf8.RuneCountInString(g.Name) > maxText || utf8.RuneCountInString(g.ExternalID) > maxText || len(g.Members) > maxMembers {
		return protocol.Resource{}, scimerrors.ScimErrorInvalidValue
	}
	g.ChangedAt = h.Clock()
	e := h.eventOf(actorOf(r), g.Organisation, what)
	e.Details["group"] = g.Name
	err := h.Store.SetSCIMGroup(ctx, g, e)
	switch {
	case errors.Is(err, store.ErrExists):
		return protocol.Resource{}, scimerrors.ScimErrorUniqueness
	case errors.Is(err, store.ErrNotFound):
		return protocol.Resource{}, scimerrors.ScimErrorInvalidValue // a member that is no user here, as of another organisation
	case errors.Is(err, store.ErrConflict):
		return protocol.Resource{}, err
	}
	if err == nil {
		err = h.giveRoles(ctx, actorOf(r), slices.Concat(former, g.Members))
	}
	if err == nil {
		g, err = h.findGroup(r, g.ID)
	}
	if err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	return h.resourceOf(r, g), nil
}

// giveRoles gives people the roles of their groups.
func (s *Service) giveRoles(ctx context.Context, by contract.Actor, people []contract.PersonID) error {
	all, err := s.Store.SCIMGroups(ctx, by.Organisation, "")
	if err != nil {
		return err
	}
	slices.Sort(people)
	for _, p := range slices.Compact(people) {
		names := []string{}
		for _, g := range all {
			if slices.Contains(g.Members, p) {
				names = append(names, namesOf(g)...)
			}
		}
		if err := s.Roles.GiveRoleOfGroups(ctx, by.Organisation, p, names, by.IP); err != nil {
			return err
		}
	}
	return nil
}

// Delete implements [protocol.ResourceHandler].
func (h groups) Delete(r *http.Request, id string) error {
	ctx, by := r.Context(), actorOf(r)
	g, err := h.findGroup(r, id)
	if err == nil {
		err = requireVersion(r, h.resourceOf(r, g).Meta.Version)
	}
	if err != nil {
		return h.refusalOf(ctx, err)
	}
	e := h.eventOf(by, by.Organisation, "group_deleted")
	e.Details["group"] = g.Name
	err = h.Store.DeleteSCIMGroup(ctx, by.Organisation, id, e)
	if errors.Is(err, store.ErrNotFound) {
		err = scimerrors.ScimErrorResourceNotFound(id)
	}
	if err == nil {
		err = h.giveRoles(ctx, by, g.Members)
	}
	return h.refusalOf(ctx, err)
}
