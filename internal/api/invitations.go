package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// invitationLine is an invitation that is open.
type invitationLine struct {
	ID           contract.InvitationID   `json:"id" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Email        string                  `json:"email" example:"siti@contoh.id"`
	Name         *string                 `json:"name" example:"Siti Rahma"`
	Role         contract.AccountRole    `json:"role" enum:"member,sender,admin,auditor" example:"sender"`
	Language     *string                 `json:"language" doc:"of the message; null: that of the organisation" example:"en"`
	Inviter      *string                 `json:"inviter" doc:"name of the person who sent it last; null: the command line" example:"Andi Wijaya"`
	Organisation contract.OrganisationID `json:"organisation_id" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	CreatedAt    string                  `json:"created_at" doc:"when it was sent last" example:"2024-10-14T06:06:00.000Z"`
	ExpiresAt    string                  `json:"expires_at" example:"2024-10-21T06:06:00.000Z"`
	Expired      bool                    `json:"expired" doc:"it can only be sent again"`
}

func (c *call) lineOfInvitation(i contract.Invitation) invitationLine {
	return invitationLine{
		ID: i.ID, Email: i.Email, Name: orNull(i.Name), Role: i.Role, Language: orNull(i.Language), Inviter: orNull(i.Inviter.Name), Organisation: i.Organisation,
		CreatedAt: formatISO(i.CreatedAt), ExpiresAt: formatISO(i.ExpiresAt), Expired: !c.Clock().Before(i.ExpiresAt),
	}
}

type invitationsData struct {
	Invitations []invitationLine `json:"invitations" doc:"those that are open, the newest first"`
	Pagination  pagination       `json:"pagination"`
}

func (c *call) listInvitations() (invitationsData, error) {
	q := c.parseQuery()
	p := q.parsePage(adminLimit)
	r := store.InvitationQuery{Organisation: q.parseOrganisation(), Offset: p.skippedLines(), Limit: p.limit}
	if err := q.bad.asError(); err != nil {
		return invitationsData{}, err
	}
	found, err := c.Identity.Invitations(c.r.Context(), c.by, r)
	if err != nil {
		return invitationsData{}, err
	}
	return invitationsData{Invitations: convertAll(found.Invitations, c.lineOfInvitation), Pagination: paginate(p, found.Total, len(found.Invitations))}, nil
}

// invitationIn is the person whom an admin invites.
type invitationIn struct {
	Email        phrase `json:"email" required:"true" example:"siti@contoh.id"`
	Name         phrase `json:"name" required:"false" doc:"the person may choose another one" example:"Siti Rahma"`
	Role         phrase `json:"role" required:"false" doc:"missing: sender" enum:"member,sender,admin,auditor" example:"sender"`
	Language     phrase `json:"language" required:"false" doc:"of the message; missing: that of the organisation" enum:"id,en" example:"id"`
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

type invitationSent struct {
	Invitation invitationLine `json:"invitation"`
}

func (c *call) invitePerson(in *invitationIn) (done[invitationSent], error) {
	var bad problems
	n := identity.NewInvitation{
		Name: in.Name.checkedValue("name", &bad), Email: trimEmail(in.Email.checkedValue("email", &bad)), Role: in.Role.parseRole(&bad), Language: parseMessageLanguage(in.Language, "", &bad),
		Organisation: contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))),
	}
	if err := bad.asError(); err != nil {
		return done[invitationSent]{}, err
	}
	return runOperation(c, func(ctx context.Context) (contract.Invitation, error) {
		return c.Identity.Invite(ctx, c.by, n)
	}, c.invitationAnswer)
}

func (c *call) invitationAnswer(i contract.Invitation) done[invitationSent] {
	return doneAnswer(c, "done.invited", invitationSent{c.lineOfInvitation(i)})
}

func invitationParam() *huma.Param {
	return &huma.Param{Name: "invitation_id", In: "path", Required: true, Description: "UUID of an invitation.", Schema: textSchema(), Example: "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"}
}

func (c *call) pathInvitation() contract.InvitationID {
	return contract.InvitationID(parsePersonID(c.r.PathValue("invitation_id")))
}

func (c *call) resendInvitation() (done[invitationSent], error) {
	i, err := c.Identity.ResendInvitation(c.r.Context(), c.by, c.pathInvitation())
	if err != nil {
		return done[invitationSent]{}, err
	}
	return c.invitationAnswer(i), nil
}

func (c *call) revokeInvitation() (noted, error) {
	if err := c.Identity.RevokeInvitation(c.r.Context(), c.by, c.pathInvitation()); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.invitation_revoked"), nil
}

type invitationLinkIn struct {
	Link phrase `json:"link" required:"true" doc:"the complete link, or only its secret" example:"https://segel.contoh.id/invitation#sgl_iv_..."`
}

type invitationLinkData struct {
	Organisation organisationOut      `json:"organisation"`
	Email        string               `json:"email" doc:"of the new account" example:"siti@contoh.id"`
	Name         *string              `json:"name" doc:"that the inviter entered" example:"Siti Rahma"`
	Role         contract.AccountRole `json:"role" enum:"member,sender,admin,auditor" example:"sender"`
	Inviter      *string              `json:"inviter" example:"Andi Wijaya"`
	Provider     bool                 `json:"provider" doc:"the organisation accepts no password: begin a login with its provider, for this e-mail"`
	ExpiresAt    string               `json:"expires_at" example:"2024-10-21T06:06:00.000Z"`
}

func (c *call) lookUpInvitation(in *invitationLinkIn) (found[invitationLinkData], error) {
	var bad problems
	link := in.Link.checkedValue("link", &bad)
	if err := bad.asError(); err != nil {
		return found[invitationLinkData]{}, err
	}
	shown, err := c.Identity.LookUpInvitation(c.r.Context(), link)
	if err != nil {
		return found[invitationLinkData]{}, err
	}
	i := shown.Invitation
	return foundAnswer(invitationLinkData{
		Organisation: organisationOut{ID: i.Organisation, Name: shown.OrganisationName}, Email: i.Email, Name: orNull(i.Name), Role: i.Role, Inviter: orNull(i.Inviter.Name),
		Provider: shown.Provider, ExpiresAt: formatISO(i.ExpiresAt),
	}), nil
}

type acceptInvitationIn struct {
	Link     phrase `json:"link" required:"true" doc:"the complete link, or only its secret" example:"https://segel.contoh.id/invitation#sgl_iv_..."`
	Name     phrase `json:"name" required:"false" doc:"as signatures show it; missing: that of the invitation" example:"Siti Rahma"`
	Password phrase `json:"password" required:"true" example:"kata-sandi-yang-panjang"`
}

type invitationAccepted struct {
	Email        string          `json:"email" doc:"to log in with" example:"siti@contoh.id"`
	Organisation organisationOut `json:"organisation"`
}

func (c *call) acceptInvitation(in *acceptInvitationIn) (done[invitationAccepted], error) {
	var bad problems
	link, name, password := in.Link.checkedValue("link", &bad), in.Name.checkedValue("name", &bad), in.Password.checkedValue("password", &bad)
	if err := bad.asError(); err != nil {
		return done[invitationAccepted]{}, err
	}
	a, err := c.Identity.AcceptInvitation(c.r.Context(), link, name, password, c.clientWith(""))
	if err != nil {
		return done[invitationAccepted]{}, err
	}
	return doneAnswer(c, "done.invitation_accepted", invitationAccepted{Email: a.Email, Organisation: organisationOut{ID: a.Organisation, Name: a.OrganisationName}}), nil
}
