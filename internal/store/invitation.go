package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// InvitationQuery selects invitations that are open. A zero member selects all.
type InvitationQuery struct {
	Organisation contract.OrganisationID
	Email        string // the whole address, in any case of letters
	Offset       int
	Limit        int
}

// InvitationPage is one page of invitations, the newest first, and the number of all that match.
type InvitationPage struct {
	Invitations []contract.Invitation
	Total       int
}

// Invitations stores who is invited to become a member of an organisation. Each account that is added ends the open invitation of its address.
type Invitations interface {
	// AddInvitation stores an invitation in place of the open one of its address, orders the notice and logs the event. ErrExists: the address has an
	// account in the organisation. ErrConflict: the one named former, unless that is empty, has ended. With a context of [WithFinalAnswer], the same
	// transaction stores the answer to the request.
	AddInvitation(ctx context.Context, i contract.Invitation, former contract.InvitationID, n contract.Notice, e contract.Event) error
	// Invitation returns an invitation by its identifier, and InvitationByHash by the hash of its secret, open or not. ErrNotFound: there is none.
	Invitation(ctx context.Context, id contract.InvitationID) (contract.Invitation, error)
	InvitationByHash(ctx context.Context, hash [32]byte) (contract.Invitation, error)
	// ListInvitations returns the open invitations that a query selects, also those that have expired.
	ListInvitations(ctx context.Context, q InvitationQuery) (InvitationPage, error)
	// RevokeInvitation ends an open invitation and logs the event. ErrConflict: it has ended.
	RevokeInvitation(ctx context.Context, id contract.InvitationID, e contract.Event) error
	// AcceptInvitation adds the user whom an invitation asked for and ends it, at the time when the user is created, and logs the events.
	// ErrExists: the address has an account in the organisation. ErrConflict: the invitation has ended or expired, or differs from the one given.
	// contract.ErrInvitationLapsed: the inviter does not administer the organisation any more. Refusals of an organisation that is not active are those of
	// its state. Of two that happen at the same moment, one is first.
	AcceptInvitation(ctx context.Context, i contract.Invitation, u User, events ...contract.Event) error
	// PurgeInvitations deletes invitations that expired before a moment.
	PurgeInvitations(ctx context.Context, before time.Time) error
}
