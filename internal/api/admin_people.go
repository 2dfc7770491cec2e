package api

import (
	"segel/internal/contract"
	"segel/internal/identity"
)

type adminPerson struct {
	ID           contract.PersonID `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name         string            `json:"name" example:"Siti Rahma"`
	Email        string            `json:"email" example:"siti@contoh.id"`
	Admin        bool              `json:"admin"`
	MustReset    bool              `json:"must_reset" doc:"the password is an initial one and must be changed"`
	Organisation organisationOut   `json:"organisation"`
	CreatedAt    string            `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	Avatar       string            `json:"avatar" doc:"address of a picture"`
}

type adminPeopleData struct {
	People     []adminPerson `json:"people"`
	Pagination pagination    `json:"pagination"`
}

// personAdd is the person to whom an admin gives an account.
type personAdd struct {
	Name         phrase `json:"name" required:"true" example:"Siti Rahma"`
	Email        phrase `json:"email" required:"true" doc:"for logging in" example:"siti@contoh.id"`
	Admin        binary `json:"admin" required:"false"`
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

type personAdded struct {
	Person   adminPerson `json:"person"`
	Password string      `json:"password" doc:"their initial password, shown only once; they have to change it" example:"kX7-pQ2m-Vt9w-Rd4s"`
}

func (c *call) listPeople() (adminPeopleData, error) {
	q := c.parseQuery()
	p, search, of := q.parsePage(adminLimit), q.parseSearch(), q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminPeopleData{}, err
	}
	people, total, err := c.Identity.People(c.r.Context(), c.by, of, search, p.skippedLines(), p.limit)
	if err != nil {
		return adminPeopleData{}, err
	}
	return adminPeopleData{People: convertAll(people, c.adminPerson), Pagination: paginate(p, total, len(people))}, nil
}

func (c *call) addPerson(in *personAdd) (done[personAdded], error) {
	var bad problems
	n := identity.NewPerson{
		Name: in.Name.checkedValue("name", &bad), Email: trimEmail(in.Email.checkedValue("email", &bad)), Admin: in.Admin.checkedValue("admin", &bad),
		Organisation: contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))),
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

func (c *call) adminPerson(a identity.Member) adminPerson {
	return adminPerson{
		ID: a.ID, Name: a.Name, Email: a.Email, Admin: a.Admin, MustReset: a.MustReset,
		Organisation: organisationOut{ID: a.Organisation, Name: a.OrganisationName}, CreatedAt: formatISO(a.CreatedAt), Avatar: c.avatarURL(a.Person),
	}
}
