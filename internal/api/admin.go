package api

import (
	"context"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
	"segel/internal/workflow"
)

// adminLimit is the number of lines on a page.
const adminLimit = 50

// organisationOut names an organisation.
type organisationOut struct {
	ID   contract.OrganisationID `json:"id" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Name string                  `json:"name" example:"PT Contoh"`
}

func organisationOf(o store.Organisation) organisationOut {
	return organisationOut{ID: o.ID, Name: o.Name}
}

// organisationOrNull returns null for an empty organisation.
func organisationOrNull(o store.Organisation) maybe[organisationOut] {
	if o.ID == "" {
		return maybe[organisationOut]{}
	}
	out := organisationOf(o)
	return maybe[organisationOut]{&out}
}

// documentOut names a document.
type documentOut struct {
	ID      contract.DocumentID `json:"id" example:"1207"`
	Name    *string             `json:"document_name" doc:"null: the document was deleted" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	Title   *string             `json:"document_title" doc:"null: the document was deleted" example:"Perjanjian Sewa"`
	MayOpen bool                `json:"may_open" doc:"the caller has the document in one of their lists and may open it; administration alone opens no document"`
}

// documentOrNull returns null when id is 0.
func documentOrNull(id contract.DocumentID, t store.Title) maybe[documentOut] {
	if id == 0 {
		return maybe[documentOut]{}
	}
	return maybe[documentOut]{&documentOut{ID: id, Name: orNull(t.Name), Title: orNull(t.Title), MayOpen: t.Listed}}
}

// parseOrganisation reads the organisation of a query. Empty means all that the caller administers.
func (q *query) parseOrganisation() contract.OrganisationID {
	return contract.OrganisationID(parsePersonID(q.Get("organisation")))
}

// parseDocument reads the document number of a query. 0 means any document.
func (q *query) parseDocument() contract.DocumentID {
	s := q.Get("document_id")
	if s == "" {
		return 0
	}
	n, ok := parseInteger(s)
	if !ok || n < 1 {
		q.bad.add("document_id", "value.out_of_range", "min", 1, "max", maxInteger)
	}
	return contract.DocumentID(n)
}

// adminParams describes the query of an administration page: page, limit, organisation, and more.
func adminParams(more ...*huma.Param) []*huma.Param {
	params := append(pageParams(adminLimit)[:2:2], organisationParam())
	return append(params, more...)
}

func organisationParam() *huma.Param {
	return &huma.Param{
		Name: "organisation", In: "query", Schema: &huma.Schema{Type: "string"},
		Description: "UUID of an organisation. Missing: the caller's own; for operators, all.",
	}
}

func ownerParam() *huma.Param {
	return &huma.Param{Name: "owner", In: "query", Description: "Only documents of the owner with this e-mail.", Schema: textSchema()}
}

func documentParam() *huma.Param {
	one := 1.0
	return &huma.Param{Name: "document_id", In: "query", Description: "Only entries about this document.", Schema: &huma.Schema{Type: "integer", Format: "int64", Minimum: &one}}
}

// listAdmin returns the handler of one page of an administration list. ask builds the query and notes what is wrong with
// it; load runs it only if nothing is wrong.
func listAdmin[Q, Found, T any](ask func(*query, page) Q, load func(*workflow.Service, context.Context, contract.Actor, Q) (Found, error), show func(*call, page, Found) T) handler {
	return answerData(func(c *call) (data T, err error) {
		q := c.parseQuery()
		p := q.parsePage(adminLimit)
		r := ask(q, p)
		if err := q.bad.asError(); err != nil {
			return data, err
		}
		f, err := load(c.Workflow, c.r.Context(), c.by, r)
		if err != nil {
			return data, err
		}
		return show(c, p, f), nil
	})
}

// skippedLines returns the number of lines before the page.
func (p page) skippedLines() int { return int(min(p.number-1, maxInteger/maxLimit)) * p.limit }

// parseTime reads a time. It returns the zero time when none is given.
func (q *query) parseTime(name string) time.Time {
	s := q.Get(name)
	if s == "" {
		return time.Time{}
	}
	t, ok := parseISO(s)
	if !ok {
		q.bad.add(name, "value.not_time")
	}
	return t
}

type adminPerson struct {
	ID           contract.PersonID    `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name         string               `json:"name" example:"Siti Rahma"`
	Email        string               `json:"email" example:"siti@contoh.id"`
	Role         contract.AccountRole `json:"role" enum:"member,sender,admin,auditor" example:"sender"`
	Admin        bool                 `json:"admin" doc:"has the role admin"`
	MustReset    bool                 `json:"must_reset" doc:"the password is an initial one and must be changed"`
	Organisation organisationOut      `json:"organisation"`
	CreatedAt    string               `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	Avatar       string               `json:"avatar" doc:"address of a picture"`
	Status       store.AccountStatus  `json:"status" enum:"active,initial_password,disabled,erased" example:"active"`
	DisabledAt   *string              `json:"disabled_at" doc:"null: the account can be used" example:"2024-10-14T06:06:00.000Z"`
	ErasedAt     *string              `json:"erased_at" doc:"when it was asked that the data of the person are erased; null: it was not"`
	Factors      []string             `json:"factors" doc:"second factors of the account: totp, passkey" example:"[\"totp\"]"`
	Documents    int                  `json:"documents" doc:"number of documents that the person owns, drafts too" example:"12"`
	Open         int                  `json:"open_signatures" doc:"number of documents in progress that lack the person's signature" example:"2"`
}

type adminPeopleData struct {
	People     []adminPerson `json:"people"`
	Pagination pagination    `json:"pagination"`
}

// personAdd is the person to whom an admin gives an account.
type personAdd struct {
	Name         phrase `json:"name" required:"true" example:"Siti Rahma"`
	Email        phrase `json:"email" required:"true" doc:"for logging in" example:"siti@contoh.id"`
	Role         phrase `json:"role" required:"false" doc:"missing: sender, or admin if admin is 1" enum:"member,sender,admin,auditor" example:"sender"`
	Admin        binary `json:"admin" required:"false" doc:"1: the same as the role admin"`
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

type personAdded struct {
	Person   adminPerson `json:"person"`
	Password string      `json:"password" doc:"their initial password, shown only once; they have to change it" example:"kX7-pQ2m-Vt9w-Rd4s"`
}

// accountStatuses are the statuses of accounts, in display order.
var accountStatuses = []store.AccountStatus{store.AccountActive, store.AccountInitial, store.AccountDisabled, store.AccountErased}

func (c *call) listPeople() (adminPeopleData, error) {
	q := c.parseQuery()
	p := q.parsePage(adminLimit)
	r := identity.PeopleQuery{
		Organisation: q.parseOrganisation(), Search: q.parseSearch(), Status: parseChoice(q, "status", accountStatuses), Offset: p.skippedLines(), Limit: p.limit,
	}
	if err := q.bad.asError(); err != nil {
		return adminPeopleData{}, err
	}
	people, total, err := c.Identity.People(c.r.Context(), c.by, r)
	if err != nil {
		return adminPeopleData{}, err
	}
	return adminPeopleData{People: convertAll(people, c.adminPerson), Pagination: paginate(p, total, len(people))}, nil
}

func (c *call) addPerson(in *personAdd) (done[personAdded], error) {
	var bad problems
	n := identity.NewPerson{
		Name: in.Name.checkedValue("name", &bad), Email: trimEmail(in.Email.checkedValue("email", &bad)), Role: in.Role.parseRole(&bad),
		Organisation: contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))),
	}
	if in.Admin.checkedValue("admin", &bad) && n.Role == "" {
		n.Role = contract.RoleAdmin
	}
	if err := bad.asError(); err != nil {
		return done[personAdded]{}, err
	}
	a, err := c.Identity.AddPerson(c.r.Context(), c.by, n)
	if err != nil {
		return done[personAdded]{}, err
	}
	return doneAnswer(c, "done.person_added", personAdded{Person: c.adminPerson(a.Member), Password: a.Password}), nil
}

// personChanged is the account of a person after a change.
type personChanged struct {
	Person adminPerson `json:"person"`
}

// renameIn is the new name of a person.
type renameIn struct {
	Name phrase `json:"name" required:"true" example:"Siti Rahma Wijaya"`
}

func personParam() *huma.Param {
	return &huma.Param{Name: "person_id", In: "path", Required: true, Description: "UUID of a person with an account.", Schema: textSchema(), Example: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"}
}

func (c *call) pathPerson() contract.PersonID { return parsePersonID(c.r.PathValue("person_id")) }

func (c *call) resetPersonPassword() (done[personAdded], error) {
	a, err := c.Identity.ResetPersonPassword(c.r.Context(), c.by, c.pathPerson())
	if err != nil {
		return done[personAdded]{}, err
	}
	return doneAnswer(c, "done.password_reset", personAdded{Person: c.adminPerson(a.Member), Password: a.Password}), nil
}

func (c *call) disablePerson() (done[personChanged], error) {
	m, err := c.Identity.DisablePerson(c.r.Context(), c.by, c.pathPerson())
	return c.answerPerson("done.person_disabled", m, err)
}

func (c *call) enablePerson() (done[personChanged], error) {
	m, err := c.Identity.EnablePerson(c.r.Context(), c.by, c.pathPerson())
	return c.answerPerson("done.person_enabled", m, err)
}

func (c *call) renamePerson(in *renameIn) (done[personChanged], error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[personChanged]{}, err
	}
	m, err := c.Identity.RenamePerson(c.r.Context(), c.by, c.pathPerson(), name)
	return c.answerPerson("done.person_renamed", m, err)
}

// roleIn is the new role of a person.
type roleIn struct {
	Role phrase `json:"role" required:"true" enum:"member,sender,admin,auditor" example:"sender"`
}

// parseRole reads a role; empty: none is given.
func (p phrase) parseRole(bad *problems) contract.AccountRole {
	role := contract.AccountRole(p.checkedValue("role", bad))
	if role != "" && !slices.Contains(contract.AccountRoles, role) {
		bad.add("role", "value.not_one_of", "allowed", joinValues(contract.AccountRoles))
	}
	return role
}

func (c *call) setPersonRole(in *roleIn) (done[personChanged], error) {
	var bad problems
	role := in.Role.parseRole(&bad)
	if role == "" && len(bad) == 0 {
		bad.add("role", "value.required")
	}
	if err := bad.asError(); err != nil {
		return done[personChanged]{}, err
	}
	m, err := c.Identity.SetRole(c.r.Context(), c.by, c.pathPerson(), role)
	return c.answerPerson("done.role_changed", m, err)
}

// answerPerson answers a change of an account with a message.
func (c *call) answerPerson(message string, m identity.Member, err error) (done[personChanged], error) {
	if err != nil {
		return done[personChanged]{}, err
	}
	return doneAnswer(c, message, personChanged{c.adminPerson(m)}), nil
}

func (c *call) adminPerson(a identity.Member) adminPerson {
	p := adminPerson{
		ID: a.ID, Name: a.Name, Email: a.Email, Role: a.Role, Admin: a.Admin, MustReset: a.MustReset,
		Organisation: organisationOut{ID: a.Organisation, Name: a.OrganisationName}, CreatedAt: formatISO(a.CreatedAt), Avatar: c.avatarURL(a.Person),
		Status: store.AccountActive, DisabledAt: isoOrNull(a.DisabledAt), ErasedAt: isoOrNull(a.ErasedAt), Factors: []string{}, Documents: a.Owned, Open: a.Open,
	}
	if a.Factors.Authenticator {
		p.Factors = append(p.Factors, string(contract.FactorTOTP))
	}
	if a.Factors.Passkeys > 0 {
		p.Factors = append(p.Factors, string(contract.FactorPasskey))
	}
	switch {
	case !a.ErasedAt.IsZero():
		p.Status = store.AccountErased
	case !a.DisabledAt.IsZero():
		p.Status = store.AccountDisabled
	case a.MustReset:
		p.Status = store.AccountInitial
	}
	return p
}
