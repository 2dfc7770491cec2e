package contract

import (
	"errors"
	"slices"
	"testing"
)

// auditorReads are the operations of administration that auditors may use.
var auditorReads = map[AdminOperation]bool{
	AdminPeople: true, AdminInvitations: true, AdminDocuments: true, AdminQuota: true, AdminLedger: true, AdminAttempts: true, AdminSerials: true, AdminReconciliation: true, AdminStuck: true,
	AdminCertificates: true, AdminAuditLog: true, AdminBranding: true, AdminConsent: true, AdminLabels: true, AdminReminders: true, AdminTeams: true, AdminLocale: true, AdminPolicy: true, AdminEmbedding: true, AdminKeys: true, AdminMail: true, AdminRetention: true,
}

// TestEveryAdminOperationAnswersEveryActorAsItShould runs each operation as each kind of actor, about their own
// organisation, another one, one that does not exist, and all of them.
func TestEveryAdminOperationAnswersEveryActorAsItShould(t *testing.T) {
	t.Parallel()
	const own, other, missing = "own", "other", "missing"
	person := func(a Actor) Actor {
		a.Person = Person{ID: "person", Name: "Person"}
		return a
	}
	answer := func(of OrganisationID, err error) string {
		if err != nil {
			return err.Error()
		}
		return "of " + string(of)
	}
	no, none := ErrNotAllowed.Error(), ErrNoOrganisation.Error()
	stopped, ended := ErrOrganisationSuspended.Error(), ErrOrganisationClosed.Error()
	alone := []AdminOperation{
		AdminGrant, AdminReconcile, AdminShowMail, AdminGrantDomain, AdminOrganisations, AdminAddOrganisation, AdminRenameOrganisation, AdminSetOrganisationState,
	}
	for _, c := range []struct {
		who  string
		by   Actor
		want map[OrganisationID]string // the answer for each; "": all of them
	}{
		{"guest", person(Actor{Guest: 1}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"guest who claims to be an admin", person(Actor{Guest: 1, Admin: true, Operator: true}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"user", person(Actor{Organisation: own}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"user of the operator's organisation", person(Actor{Organisation: own, Operator: true}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"member", person(Actor{Organisation: own, Role: RoleMember}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"auditor", person(Actor{Organisation: own, Role: RoleAuditor}), map[OrganisationID]string{"": "of own", own: "of own", other: none, missing: none}},
		{"guest who claims to be an auditor", person(Actor{Guest: 1, Organisation: own, Role: RoleAuditor}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"admin", person(Actor{Organisation: own, Admin: true}), map[OrganisationID]string{"": "of own", own: "of own", other: none, missing: none}},
		{"operator", person(Actor{Organisation: own, Admin: true, Operator: true}), map[OrganisationID]string{"": "of ", own: "of own", other: "of other", missing: "of missing"}},
		{"admin in an embedded page", person(Actor{Organisation: own, Admin: true, Operator: true, Embed: &EmbedGrant{Document: 1}}), map[OrganisationID]string{"": no, own: no, other: no, missing: no}},
		{"the service", Actor{}, map[OrganisationID]string{"": "of ", own: "of own", other: "of other", missing: "of missing"}},
		{"admin of a suspended organisation", person(Actor{Organisation: own, Admin: true, OrganisationState: OrganisationSuspended}), map[OrganisationID]string{"": stopped, own: stopped, other: stopped, missing: stopped}},
		{"operator of a closed organisation", person(Actor{Organisation: own, Admin: true, Operator: true, OrganisationState: OrganisationClosed}), map[OrganisationID]string{"": ended, own: ended, other: ended, missing: ended}},
	} {
		for _, op := range AdminOperations {
			for of, want := range c.want {
				if c.who == "admin" && slices.Contains(alone, op) {
					want = no
				}
				if c.who == "auditor" && !auditorReads[op] {
					want = no
				}
				if got := answer(c.by.AuthoriseAdmin(op, of)); got != want {
					t.Errorf("%s of %q as %s: %s, want %s", op, of, c.who, got, want)
				}
			}
		}
	}
	if _, err := (Actor{Person: Person{ID: "x"}, Admin: true, Organisation: own}).AuthoriseAdmin("unheard of", other); !errors.Is(err, ErrNoOrganisation) {
		t.Errorf("an unknown operation: %v", err)
	}
}
