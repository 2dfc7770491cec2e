package contract

import "slices"

// AdminOperation is something that an administrator reads or does.
type AdminOperation string

// The operations of administration. Every administrative endpoint maps to exactly one of them.
const (
	AdminPeople           AdminOperation = "people"
	AdminAddPerson        AdminOperation = "add-person"
	AdminInvitations      AdminOperation = "invitations"
	AdminInvite           AdminOperation = "invite"
	AdminRevokeInvitation AdminOperation = "revoke-invitation"
	AdminResetPassword    AdminOperation = "reset-password"
	AdminResetFactors     AdminOperation = "reset-factors"
	AdminDisable          AdminOperation = "disable-person"
	AdminEnable           AdminOperation = "enable-person"
	AdminRename           AdminOperation = "rename-person"
	AdminSetRole          AdminOperation = "set-role"
	AdminExport           AdminOperation = "export-person"
	AdminTransfer         AdminOperation = "transfer-documents"
	AdminErase            AdminOperation = "erase-person"
	AdminEraseGuest       AdminOperation = "erase-guest"
	AdminDocuments        AdminOperation = "documents"
	AdminQuota            AdminOperation = "quota"
	AdminGrant            AdminOperation = "grant-quota"
	AdminLedger           AdminOperation = "quota-ledger"
	AdminAttempts         AdminOperation = "attempts"
	AdminSerials          AdminOperation = "serials"
	AdminEvidence         AdminOperation = "evidence"
	AdminReconciliation   AdminOperation = "reconciliation"
	AdminReconcile        AdminOperation = "reconcile"
	AdminStuck            AdminOperation = "stuck"
	AdminRetry            AdminOperation = "retry"
	AdminCertificates     AdminOperation = "certificates"
	AdminAuditLog         AdminOperation = "audit-log"
	AdminBranding         AdminOperation = "branding"
	AdminSetBranding      AdminOperation = "set-branding"
	AdminDeleteBranding   AdminOperation = "delete-branding"
	AdminConsent          AdminOperation = "consent"
	AdminSetConsent       AdminOperation = "set-consent"
	AdminLabels           AdminOperation = "labels"
	AdminSetLabel         AdminOperation = "set-label"
	AdminReminders        AdminOperation = "reminders"
	AdminSetReminders     AdminOperation = "set-reminders"
	AdminTeams            AdminOperation = "teams"
	AdminSetTeam          AdminOperation = "set-team" // create, rename and delete one, add and remove its members
	AdminLocale           AdminOperation = "locale"
	AdminSetLocale        AdminOperation = "set-locale"
	AdminPolicy           AdminOperation = "account-policy"
	AdminSetPolicy        AdminOperation = "set-account-policy"
	AdminEmbedding        AdminOperation = "embedding"
	AdminSetEmbedding     AdminOperation = "set-embedding"
	AdminRetention        AdminOperation = "retention"
	AdminSetRetention     AdminOperation = "set-retention"
	AdminHold             AdminOperation = "set-hold"
	AdminLiftHold         AdminOperation = "lift-hold"
	AdminMail             AdminOperation = "mail"
	AdminShowMail         AdminOperation = "show-mail"
	AdminRetryMail        AdminOperation = "retry-mail"
	AdminFeed             AdminOperation = "feed"
	AdminWebhooks         AdminOperation = "webhooks"
	AdminSetWebhook       AdminOperation = "set-webhook"
	AdminAddWebhook       AdminOperation = "add-webhook"
	AdminRotateWebhook    AdminOperation = "rotate-webhook"
	AdminTestWebhook      AdminOperation = "test-webhook"
	AdminReplayWebhook    AdminOperation = "replay-webhook"
	AdminKeys             AdminOperation = "keys"
	AdminRevokeKey        AdminOperation = "revoke-key"
	AdminSSO              AdminOperation = "sso"
	AdminSetSSO           AdminOperation = "set-sso"
	AdminTestSSO          AdminOperation = "test-sso"
	AdminClaimDomain      AdminOperation = "claim-domain"
	AdminProveDomain      AdminOperation = "prove-domain"
	AdminRemoveDomain     AdminOperation = "remove-domain"
	AdminGrantDomain      AdminOperation = "grant-domain"
	AdminUnlinkSSO        AdminOperation = "unlink-sso"
)

// The operations of administration that are about organisations as such.
const (
	AdminOrganisations        AdminOperation = "organisations"
	AdminAddOrganisation      AdminOperation = "add-organisation"
	AdminRenameOrganisation   AdminOperation = "rename-organisation"
	AdminSetOrganisationState AdminOperation = "set-organisation-state"
)

// AdminOperations lists every operation of administration.
var AdminOperations = []AdminOperation{
	AdminPeople, AdminAddPerson, AdminInvitations, AdminInvite, AdminRevokeInvitation, AdminResetPassword, AdminResetFactors, AdminDisable, AdminEnable, AdminRename, AdminSetRole, AdminExport, AdminTransfer, AdminErase, AdminEraseGuest, AdminDocuments, AdminQuota, AdminGrant, AdminLedger, AdminAttempts,
	AdminSerials, AdminEvidence, AdminReconciliation, AdminReconcile, AdminStuck, AdminRetry, AdminCertificates, AdminAuditLog,
	AdminBranding, AdminSetBranding, AdminDeleteBranding, AdminConsent, AdminSetConsent, AdminLabels, AdminSetLabel, AdminReminders, AdminSetReminders, AdminTeams, AdminSetTeam, AdminLocale, AdminSetLocale, AdminPolicy, AdminSetPolicy, AdminEmbedding, AdminSetEmbedding, AdminRetention, AdminSetRetention, AdminHold, AdminLiftHold, AdminMail, AdminShowMail, AdminRetryMail,
	AdminFeed, AdminWebhooks, AdminSetWebhook, AdminAddWebhook, AdminRotateWebhook, AdminTestWebhook, AdminReplayWebhook,
	AdminKeys, AdminRevokeKey,
	AdminOrganisations, AdminAddOrganisation, AdminRenameOrganisation, AdminSetOrganisationState,
	AdminSSO, AdminSetSSO, AdminTestSSO, AdminClaimDomain, AdminProveDomain, AdminRemoveDomain, AdminGrantDomain, AdminUnlinkSSO,
}

// operatorOnly are the operations that spend the operator's money, use the operator's account at the stamp office, show the links
// of guests, decide whose a mail domain is, or are about organisations as such.
var operatorOnly = []AdminOperation{
	AdminGrant, AdminReconcile, AdminShowMail, AdminGrantDomain, AdminOrganisations, AdminAddOrganisation, AdminRenameOrganisation, AdminSetOrganisationState,
}

// ErrNoOrganisation refuses an organisation that does not exist or that the caller does not administer.
var ErrNoOrganisation = Refuse(NotFound, "organisation.not_found")

// Errors of operations on accounts.
var (
	// ErrNoPerson refuses a person without an account, or with an account in an organisation that the caller does not administer.
	ErrNoPerson = Refuse(NotFound, "person.not_found")
	// ErrOwnAccount refuses what an administrator may do to the accounts of others, but not to their own.
	ErrOwnAccount = Refuse(Conflict, "person.own_account")
	// ErrLastAdmin refuses to disable the last account that can administer an organisation.
	ErrLastAdmin = Refuse(Conflict, "person.last_admin")
)

// RequireOther refuses an operation of an administrator on their own account. An admin cannot lock themselves out, and a
// new password for oneself takes the present one: a stolen session is not enough for it.
func (by Actor) RequireOther(id PersonID) error {
	if by.ID == id && !by.IsSystem() {
		return ErrOwnAccount
	}
	return nil
}

// AuthoriseAdmin is the only place that decides who may administer what. Of is the organisation that the request
// names; empty: it names none. The result is the organisation whose data the operation covers; empty: all
// organisations.
//
// An admin administers their own organisation; every other one looks to them as if it did not exist. An auditor reads in their own
// organisation. An operator administers all organisations, and some operations are reserved for operators.
func (by Actor) AuthoriseAdmin(op AdminOperation, of OrganisationID) (OrganisationID, error) {
	switch {
	case by.IsSystem():
		return of, nil
	case by.OrganisationState != OrganisationActive:
		return "", by.OrganisationState.RequireActive()
	case by.Guest != 0 || by.Embed != nil || !by.Admin && !(by.Role == RoleAuditor && mayAudit(op)):
		return "", ErrNotAllowed
	case by.Key.Require(adminScopes[op]) != nil:
		return "", by.Key.Require(adminScopes[op])
	case !by.Operator && slices.Contains(operatorOnly, op):
		return "", ErrNotAllowed
	case op.IsDangerous() && by.RequireRecentProof() != nil:
		return "", ErrReauthenticate
	case by.Operator && by.Admin:
		return of, nil
	case of != "" && of != by.Organisation:
		return "", ErrNoOrganisation
	}
	return by.Organisation, nil
}
