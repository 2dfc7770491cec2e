package contract

import "time"

// InvitationLifetime is how long an invitation can be accepted.
const InvitationLifetime = 7 * 24 * time.Hour

// InvitationID is the UUID of an invitation.
type InvitationID string

// Invitation asks a person to become a member of an organisation. The link that is mailed to them has a secret, which is derived from the master
// key.
type Invitation struct {
	ID           InvitationID
	Organisation OrganisationID
	Email        string
	Name         string // that the inviter entered, or empty; the person may choose another one
	Role         AccountRole
	Language     string   // of the message; empty: that of the organisation
	Inviter      Person   // an admin of the organisation or an operator; zero: the command line
	Hash         [32]byte // SHA-256 of the secret
	CreatedAt    time.Time
	ExpiresAt    time.Time
	Ending       InvitationEnding
	EndedAt      time.Time // zero: it was not ended, but may have expired
}

// InvitationEnding is what ended an invitation. Values are stored permanently.
type InvitationEnding string

// The endings. One that has expired keeps InvitationOpen.
const (
	InvitationOpen     InvitationEnding = ""
	InvitationAccepted InvitationEnding = "accepted" // its address has an account
	InvitationRevoked  InvitationEnding = "revoked"  // by an admin
	InvitationReplaced InvitationEnding = "replaced" // by another one for its address
)

// Refusals about invitations. Those of a link say why it opens nothing; only a person who has the secret reads them.
var (
	// ErrNoInvitation refuses an invitation that does not exist, has ended, or is of an organisation that the caller does not administer.
	ErrNoInvitation = Refuse(NotFound, "invitation.not_found")
	// ErrInvitationExists refuses to invite a person who has an account in the organisation.
	ErrInvitationExists = Refuse(Conflict, "invitation.has_account")
	// ErrInvitationDisabled is ErrInvitationExists for an account that is disabled.
	ErrInvitationDisabled = Refuse(Conflict, "invitation.has_disabled_account")
	ErrInvitationLink     = Refuse(NotFound, "invitation.link_invalid")
	ErrInvitationUsed     = Refuse(NotFound, "invitation.used")
	ErrInvitationRevoked  = Refuse(NotFound, "invitation.revoked")
	ErrInvitationReplaced = Refuse(NotFound, "invitation.replaced")
	ErrInvitationExpired  = Refuse(NotFound, "invitation.expired")
	// ErrInvitationLapsed refuses an invitation of a person who may not invite any more.
	ErrInvitationLapsed = Refuse(NotFound, "invitation.lapsed")
	// ErrInvitationProvider refuses a password where the organisation accepts none from the invited person: they log in at its provider.
	ErrInvitationProvider = Refuse(Conflict, "invitation.provider")
)

// RequireOpen refuses an invitation that has ended or expired, and says why.
func (i *Invitation) RequireOpen(now time.Time) error {
	switch i.Ending {
	case InvitationOpen:
		if !now.Before(i.ExpiresAt) {
			return ErrInvitationExpired
		}
		return nil
	case InvitationAccepted:
		return ErrInvitationUsed
	case InvitationRevoked:
		return ErrInvitationRevoked
	}
	return ErrInvitationReplaced // or an ending of a later release
}

// Events of invitations. Their details name the "invitation" and the account as it is to be: "name", "email", "role".
const (
	EventInvitationSent     EventType = "invitation_sent" // an admin invited a person, perhaps again
	EventInvitationRevoked  EventType = "invitation_revoked"
	EventInvitationAccepted EventType = "invitation_accepted" // by the person, who has an account from then on
)
