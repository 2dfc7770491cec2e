package scim

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	protocol "github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// users handles the resources of type User. A user is any account of the organisation: a directory finds those that were there before by
// their address. The name of a user is their address, which does not change.
type users struct{ *Service }

// userState is what a directory states about a user.
type userState struct {
	userName, externalID                      string
	display, formatted, givenName, familyName string
	active                                    bool
}

func stateOf(u store.SCIMUser) userState {
	return userState{userName: u.Email, externalID: u.ExternalID, display: u.Name, formatted: u.Name, givenName: u.GivenName, familyName: u.FamilyName, active: u.DisabledAt.IsZero()}
}

// name returns the name of the account: the first of those that changed, or that are stated at all.
func (to userState) name(was userState) string {
	joined := strings.TrimSpace(to.givenName + " " + to.familyName)
	switch {
	case to.display != was.display && to.display != "":
		return to.display
	case to.formatted != was.formatted && to.formatted != "":
		return to.formatted
	case joined != "" && joined != strings.TrimSpace(was.givenName+" "+was.familyName):
		return joined
	}
	return was.display
}

// setAttribute sets an attribute. Those that are not kept are ignored.
func (to *userState) setAttribute(c change) error {
	switch c.name {
	case "username":
		if to.userName = textOf(c.value); to.userName == "" {
			return scimerrors.ScimErrorMutability
		}
	case "externalid":
		to.externalID = textOf(c.value)
	case "displayname":
		to.display = textOf(c.value)
	case "name":
		parts, _ := c.value.(map[string]any)
		for _, part := range []string{"formatted", "givenName", "familyName"} {
			if v, given := parts[part]; given || c.op != protocol.PatchOperationAdd {
				if err := to.setAttribute(change{name: "name." + strings.ToLower(part), op: c.op, value: v}); err != nil {
					return err
				}
			}
		}
	case "name.formatted":
		to.formatted = textOf(c.value)
	case "name.givenname":
		to.givenName = textOf(c.value)
	case "name.familyname":
		to.familyName = textOf(c.value)
	case "active":
		active, ok := c.value.(bool)
		if !ok {
			return scimerrors.ScimErrorInvalidValue
		}
		to.active = active
	}
	return nil
}

// stateFrom returns what the attributes of a whole resource state. Without active, it is active, as a new one is.
func stateFrom(a protocol.ResourceAttributes) (userState, error) {
	to := userState{active: true}
	for _, name := range []string{"userName", "externalId", "displayName", "name", "active"} {
		if v, given := a[name]; given && v != nil {
			if err := to.setAttribute(change{name: strings.ToLower(name), op: protocol.PatchOperationReplace, value: v}); err != nil {
				return to, err
			}
		}
	}
	return to, nil
}

func attributesOf(u store.SCIMUser) protocol.ResourceAttributes {
	name := map[string]any{"formatted": u.Name}
	if u.GivenName != "" {
		name["givenName"] = u.GivenName
	}
	if u.FamilyName != "" {
		name["familyName"] = u.FamilyName
	}
	return protocol.ResourceAttributes{
		"userName": u.Email, "displayName": u.Name, "name": name, "active": u.DisabledAt.IsZero(),
		"emails": []any{map[string]any{"value": u.Email, "type": "work", "primary": true}},
		"roles":  []any{map[string]any{"value": string(u.Role()), "primary": true}},
	}
}

func userResource(r *http.Request, u store.SCIMUser) protocol.Resource {
	return newResource(r, string(u.ID), u.ExternalID, attributesOf(u), attributesOf(u), u.CreatedAt, u.ChangedAt)
}

// findUser returns an account that the directory of a request manages. One of another organisation, and one that it deleted, does not exist.
func (h users) findUser(r *http.Request, id string) (store.SCIMUser, error) {
	found, err := h.Store.SCIMUsers(r.Context(), store.SCIMUserQuery{Organisation: actorOf(r).Organisation, Person: contract.PersonID(id)})
	if err == nil && len(found) != 1 {
		err = scimerrors.ScimErrorResourceNotFound(id)
	}
	if err != nil {
		return store.SCIMUser{}, err
	}
	return found[0], nil
}

// Get implements [protocol.ResourceHandler].
func (h users) Get(r *http.Request, id string) (protocol.Resource, error) {
	u, err := h.findUser(r, id)
	if err != nil {
		return protocol.Resource{}, h.refusalOf(r.Context(), err)
	}
	return userResource(r, u), nil
}

// GetAll implements [protocol.ResourceHandler].
func (h users) GetAll(r *http.Request, p protocol.ListRequestParams) (protocol.Page, error) {
	q := store.SCIMUserQuery{
		Organisation: actorOf(r).Organisation, Email: comparedWith(p, "userName", "emails.value"), ExternalID: comparedWith(p, "externalId"), Person: contract.PersonID(comparedWith(p, "id")),
	}
	if q.Email != "" || q.ExternalID != "" || q.Person != "" {
		p.FilterValidator = nil // the query is the whole filter
	}
	found, err := h.Store.SCIMUsers(r.Context(), q)
	if err != nil {
		return protocol.Page{}, h.refusalOf(r.Context(), err)
	}
	all, full := make([]protocol.Resource, len(found)), make([]protocol.ResourceAttributes, len(found))
	for i, u := range found {
		all[i], full[i] = userResource(r, u), attributesOf(u)
	}
	return h.pageOf(r.Context(), typeOf("User", h), all, full, p)
}

// Create implements [protocol.ResourceHandler]. An account that the directory deleted is the same account again.
//
// If we crash between the commits, the account exists without all that was stated; the directory finds it by its address, and states the rest again.
func (h users) Create(r *http.Request, a protocol.ResourceAttributes) (protocol.Resource, error) {
	ctx, by := r.Context(), actorOf(r)
	to, err := stateFrom(a)
	if err != nil {
		return protocol.Resource{}, err
	}
	found, err := h.Store.SCIMUsers(ctx, store.SCIMUserQuery{Organisation: by.Organisation, Email: to.userName, Deleted: true})
	if err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	if len(found) > 0 && !found[0].Deleted {
		return protocol.Resource{}, scimerrors.ScimErrorUniqueness
	}
	var u store.SCIMUser
	if len(found) > 0 {
		u = found[0]
		u.Deleted = false
		err = h.giveRoles(ctx, by, []contract.PersonID{u.ID}, "")
	} else {
		none := userState{}
		u.User, err = h.addAccount(ctx, identity.Provisioned{Organisation: by.Organisation, Name: to.name(none), Email: to.userName, Source: "scim", IP: by.IP})
		if errors.Is(err, identity.ErrUserExists) || errors.Is(err, contract.ErrInvitationUsed) {
			return protocol.Resource{}, scimerrors.ScimErrorUniqueness
		}
	}
	if err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	return h.apply(r, u, to)
}

// addAccount creates the account of a person who is in no group yet: with the role of their invitation, if they have one.
func (h users) addAccount(ctx context.Context, p identity.Provisioned) (store.User, error) {
	u, err := h.Accounts.AcceptInvited(ctx, p)
	if !errors.Is(err, store.ErrNotFound) {
		return u, err
	}
	settings, err := h.Roles.GroupRoles(ctx, p.Organisation)
	if err != nil {
		return store.User{}, err
	}
	p.Role = settings.UnlistedRole()
	return h.Accounts.AddProvisioned(ctx, p)
}

// Replace implements [protocol.ResourceHandler]. Names that are not given stay as they are, and so does whether the account is disabled: a client that
// leaves active out does not want to enable an account that an administrator disabled.
func (h users) Replace(r *http.Request, id string, a protocol.ResourceAttributes) (protocol.Resource, error) {
	return h.changeUser(r, id, func(u store.SCIMUser) (userState, error) {
		to, err := stateFrom(a)
		was := stateOf(u)
		if a["active"] == nil {
			to.active = was.active
		}
		if to.display == "" && to.formatted == "" && to.givenName == "" && to.familyName == "" {
			to.display, to.formatted, to.givenName, to.familyName = was.display, was.formatted, was.givenName, was.familyName
		}
		return to, err
	})
}

// Patch implements [protocol.ResourceHandler].
func (h users) Patch(r *http.Request, id string, operations []protocol.PatchOperation) (protocol.Resource, error) {
	changes := changesOf(operations)
	if len(changes) > maxChanges {
		return protocol.Resource{}, errTooManyChanges
	}
	return h.changeUser(r, id, func(u store.SCIMUser) (userState, error) {
		to := stateOf(u)
		for _, c := range changes {
			if err := to.setAttribute(c); err != nil {
				return to, err
			}
		}
		return to, nil
	})
}

func (h users) changeUser(r *http.Request, id string, decide func(store.SCIMUser) (userState, error)) (protocol.Resource, error) {
	u, err := h.findUser(r, id)
	if err == nil {
		err = requireVersion(r, userResource(r, u).Meta.Version)
	}
	if err != nil {
		return protocol.Resource{}, h.refusalOf(r.Context(), err)
	}
	to, err := decide(u)
	if err != nil {
		return protocol.Resource{}, err
	}
	if !strings.EqualFold(to.userName, u.Email) {
		return protocol.Resource{}, scimerrors.ScimErrorMutability
	}
	return h.apply(r, u, to)
}

// apply makes an account what a directory states. The account is disabled before anything else, and enabled after it: whatever fails between, no one gets in who should not.
//
// Each step is a commit of its own. If we crash between them, the directory states the same again, which changes what is left.
func (h users) apply(r *http.Request, u store.SCIMUser, to userState) (protocol.Resource, error) {
	ctx, by, was := r.Context(), actorOf(r), stateOf(u)
	for _, text := range []string{to.externalID, to.givenName, to.familyName} {
		if utf8.RuneCountInString(text) > maxText {
			return protocol.Resource{}, scimerrors.ScimErrorInvalidValue
		}
	}
	err := h.disable(ctx, by, u, to.active)
	if name := to.name(was); err == nil && name != "" && name != u.Name {
		_, err = h.Accounts.RenamePerson(ctx, by, u.ID, name)
	}
	if err == nil {
		u.ExternalID, u.GivenName, u.FamilyName, u.ChangedAt = to.externalID, to.givenName, to.familyName, h.Clock()
		err = h.Store.SetSCIMUser(ctx, u)
	}
	if err == nil && to.active && !was.active {
		_, err = h.Accounts.EnablePerson(ctx, by, u.ID)
	}
	if err == nil {
		u, err = h.findUser(r, string(u.ID))
	}
	if err != nil {
		return protocol.Resource{}, h.refusalOf(ctx, err)
	}
	return userResource(r, u), nil
}

// disable disables an account that is not active. Its tokens, sessions and keys end in the same transaction.
func (h users) disable(ctx context.Context, by contract.Actor, u store.SCIMUser, active bool) error {
	if active || !u.DisabledAt.IsZero() {
		return nil
	}
	_, err := h.Accounts.DisablePerson(ctx, by, u.ID)
	return err
}

// Delete implements [protocol.ResourceHandler]. The account is disabled, since what it signed stays, and leaves its groups. To the directory, it does not exist any more.
func (h users) Delete(r *http.Request, id string) error {
	ctx, cancel := finishing(r)
	defer cancel()
	u, err := h.findUser(r, id)
	if err == nil {
		err = requireVersion(r, userResource(r, u).Meta.Version)
	}
	if err == nil {
		err = h.disable(ctx, actorOf(r), u, false)
	}
	if err == nil {
		u.Deleted, u.ChangedAt = true, h.Clock()
		err = h.Store.SetSCIMUser(ctx, u)
	}
	if err == nil {
		err = h.giveRoles(ctx, actorOf(r), []contract.PersonID{u.ID}, "")
	}
	return h.refusalOf(ctx, err)
}
