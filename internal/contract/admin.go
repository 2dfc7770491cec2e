package contract

import "slices"

// AdminOperation is what somebody wants to know of, or to do with, the affairs of organisations.
type AdminOperation string

// The operations of administration. Every endpoint of it maps to exactly one of them.
const (
	AdminPeople         AdminOperation = "people"
	AdminAddPerson      AdminOperation = "add-person"
	AdminQuota          AdminOperation = "quota"
	AdminGrant          AdminOperation = "grant-quota"
	AdminLedger         AdminOperation = "quota-ledger"
	AdminAttempts       AdminOperation = "attempts"
	AdminSerials        AdminOperation = "serials"
	AdminEvidence       AdminOperation = "evidence"
	AdminReconciliation AdminOperation = "reconciliation"
	AdminReconcile      AdminOperation = "reconcile"
	AdminStuck          AdminOperation = "stuck"
	AdminRetry          AdminOperation = "retry"
	AdminCertificates   AdminOperation = "certificates"
	AdminAuditLog       AdminOperation = "audit-log"
)

// AdminOperations lists all of them.
var AdminOperations = []AdminOperation{
	AdminPeople, AdminAddPerson, AdminQuota, AdminGrant, AdminLedger, AdminAttempts, AdminSerials, AdminEvidence,
	AdminReconciliation, AdminReconcile, AdminStuck, AdminRetry, AdminCertificates, AdminAuditLog,
}

// operatorOnly are the operations that spend the operator's money or use his account at the office.
var operatorOnly = []AdminOperation{AdminGrant, AdminReconcile}

// ErrNoOrganisation is an organisation that does not exist, or is not the caller's to administer.
var ErrNoOrganisation = Refuse(NotFound, "organisation.not_found")

// AuthoriseAdmin is the one place that decides who may administer what. Of is the organisation that is named; empty: none
// is. It returns the one whose affairs are meant; empty: those of all.
//
// An admin administers his own organisation, and to him any other is, to the letter, one that does not exist. An
// operator administers all, and some operations are his alone.
func (by Actor) AuthoriseAdmin(op AdminOperation, of OrganisationID) (OrganisationID, error) {
	switch {
	case by.IsSystem():
		return of, nil
	case by.Guest != 0 || !by.Admin:
		return "", ErrNotAllowed
	case by.Operator:
		return of, nil
	case slices.Contains(operatorOnly, op):
		return "", ErrNotAllowed
	case of != "" && of != by.Organisation:
		return "", ErrNoOrganisation
	}
	return by.Organisation, nil
}
