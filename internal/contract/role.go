package contract

import "slices"

// AccountRole is what a person may do in their organisation.
type AccountRole string

// The roles of accounts.
const (
	RoleMember  AccountRole = "member"  // signs and reads the documents that name them, and sends none
	RoleSender  AccountRole = "sender"  // also sends documents, which spends quota
	RoleAdmin   AccountRole = "admin"   // also administers the organisation
	RoleAuditor AccountRole = "auditor" // a member who also reads what is recorded about the organisation and its documents, without their files
)

// AccountRoles lists every role, in the order in which a person chooses one.
var AccountRoles = []AccountRole{RoleMember, RoleSender, RoleAdmin, RoleAuditor}

// AccountOperation is something that a person does with their account and that names no document.
type AccountOperation string

// The operations of accounts. Every endpoint that needs an account and names no document maps to exactly one of them.
const (
	AccountSend      AccountOperation = "send"      // bring in a file, which becomes a draft
	AccountLists     AccountOperation = "lists"     // read the lists of one's own documents, and of the people on them
	AccountDirectory AccountOperation = "directory" // read who has an account in the organisation
	AccountBalance   AccountOperation = "balance"   // read how much quota is left
	AccountFolders   AccountOperation = "folders"   // create, rename and delete one's own folders, and those of one's teams
	AccountSpecimen  AccountOperation = "specimen"  // read and replace the pictures of one's signature and initials
)

// AccountOperations lists every operation of accounts.
var AccountOperations = []AccountOperation{AccountSend, AccountLists, AccountDirectory, AccountBalance, AccountFolders, AccountSpecimen}

// sendOperations are the operations of an owner that make a draft or lead to one being sent. An owner who may not send any more goes on with
// what was sent: they cancel it, remind people and download it.
var sendOperations = []Operation{OpParticipants, OpDescribe, OpPlace, OpFinalize, OpCopy, OpTemplate, OpUse}

// auditOperations are those that an auditor may use on the documents of their organisation: what is recorded, and no contents.
var auditOperations = []Operation{OpDetail, OpStatus, OpSigners, OpAuditTrail, OpEvents, OpConsent}

// auditAdministration are the operations of administration that auditors may use. They change nothing and show no file, no message to a
// person and no address with a secret, as those of webhooks may have.
var auditAdministration = []AdminOperation{
	AdminPeople, AdminInvitations, AdminDocuments, AdminQuota, AdminLedger, AdminAttempts, AdminSerials, AdminReconciliation, AdminStuck, AdminCertificates, AdminAuditLog,
	AdminBranding, AdminConsent, AdminLabels, AdminReminders, AdminTeams, AdminLocale, AdminPolicy, AdminEmbedding, AdminRetention, AdminMail, AdminKeys,
}

// ErrRole refuses what the caller's role in their organisation does not include.
var ErrRole = Refuse(Forbidden, "account.role")

// AuthoriseAccount is the only place that decides who may do what without naming a document. Guests and the service itself may
// do none of it.
func (by Actor) AuthoriseAccount(op AccountOperation) error {
	switch {
	case by.Guest != 0 || by.IsSystem():
		return ErrNotAllowed
	case by.Embed != nil:
		return ErrEmbedPurpose
	case by.OrganisationState != OrganisationActive:
		return by.OrganisationState.RequireActive()
	case op == AccountSend:
		return by.requireSender()
	}
	return nil
}

// requireSender refuses people whose role does not include sending documents.
func (by Actor) requireSender() error {
	if by.Role == RoleMember || by.Role == RoleAuditor {
		return ErrRole
	}
	return nil
}

// Audits reports whether the actor reads what is recorded about a document because they audit its organisation. A draft is the work of its
// owner alone.
func (by Actor) Audits(d *Document) bool {
	return by.Role == RoleAuditor && by.Guest == 0 && by.Organisation == d.Organisation && !d.FinalizedAt.IsZero()
}

// mayAudit reports whether an auditor may use an operation of administration.
func mayAudit(op AdminOperation) bool { return slices.Contains(auditAdministration, op) }
