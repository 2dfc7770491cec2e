package contract

import (
	"slices"
	"time"
)

// RecentProof is how long after a login, or after [ErrReauthenticate] was answered, a session may do what is dangerous.
const RecentProof = 10 * time.Minute

// ErrReauthenticate refuses a dangerous act in a session whose person did not prove for [RecentProof] who they are. It says nothing about what
// the request names.
var ErrReauthenticate = Refuse(Forbidden, "auth.reauthenticate")

// dangerous are the operations of administration that make accounts, or open further ones to the person who does them, show a secret, send data elsewhere, spend
// money, let data be deleted, or decide how people log in. What only stops something, as disabling an account or revoking a key, is not dangerous: it must be quick.
var dangerous = []AdminOperation{
	AdminAddPerson,
	AdminInvite,
	AdminResetPassword,
	AdminResetFactors,
	AdminSetRole,
	AdminExport,
	AdminTransfer,
	AdminErase,
	AdminEraseGuest,
	AdminSetTeam,
	AdminSetPolicy,
	AdminSetEmbedding,
	AdminSetRetention,
	AdminLiftHold,
	AdminSetSSO,
	AdminProveDomain,
	AdminRemoveDomain,
	AdminGrantDomain,
	AdminUnlinkSSO,
	AdminAddWebhook,
	AdminSetWebhook,
	AdminRotateWebhook,
	AdminShowMail,
	AdminGrant,
	AdminSetOrganisationState,
}

// IsDangerous reports whether an operation of administration needs a recent proof.
func (op AdminOperation) IsDangerous() bool { return slices.Contains(dangerous, op) }

// RequireRecentProof refuses a dangerous act of a person who has to prove first who they are. An API key proved it when it was made.
func (by Actor) RequireRecentProof() error {
	if by.ProofIsOld && by.Key == nil {
		return ErrReauthenticate
	}
	return nil
}

// ProofIsOld reports whether the person of a session has to prove again who they are before a dangerous act.
func (s Session) ProofIsOld(now time.Time) bool { return now.Sub(s.ProvedAt) >= RecentProof }
