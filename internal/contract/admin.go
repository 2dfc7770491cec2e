package contract

import "slices"

// AdminOperation is something that an administrator reads or does.
type AdminOperation string

// The operations of administration. Every administrative endpoint maps to exactly one of them.
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

// operatorOnly are the operations that spend the operator's money or use the operator's account at the stamp office.
var operatorOnly = []AdminOperation{AdminGrant, AdminReconcile}

// ErrNoOrganisation refuses an organisation that does not exist or that the caller does not administer.
var ErrNoOrganisation = Refuse(NotFound, "organisation.not_found")

// AuthoriseAdmin is the only place that decides who may administer what. Of is the organisation that the request
// names; empty: it names none. The result is the organisation whose data the operation covers; empty: all
// organisations.
//
// An admin administers their own organisation; every other one looks to them as if it did not exist. An operator
// administers all organisations, and some operations are reserved for operators.
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
