package contract

import (
	"errors"
	"slices"
	"testing"
)

// TestEveryRoleMayDoWhatItIncludes runs every operation of accounts, and every operation on a document of the organisation, as each role.
func TestEveryRoleMayDoWhatItIncludes(t *testing.T) {
	t.Parallel()
	draft, sent := newDraft(t), finalizedWithStamps(t)
	sends := []Operation{OpParticipants, OpDescribe, OpPlace, OpFinalize, OpCopy, OpTemplate, OpUse}
	reads := []Operation{OpDetail, OpStatus, OpSigners, OpAuditTrail, OpEvents, OpConsent}
	for _, role := range append(slices.Clone(AccountRoles), "") {
		restricted := role == RoleMember || role == RoleAuditor
		as := func(a Actor) Actor {
			a.Organisation, a.Role, a.Admin = draft.Organisation, role, role == RoleAdmin
			return a
		}
		for _, op := range AccountOperations {
			err := as(first).AuthoriseAccount(op)
			if want := restricted && op == AccountSend; errors.Is(err, ErrRole) != want || !want && err != nil {
				t.Errorf("%s as %q: %v", op, role, err)
			}
			if err := as(Actor{Person: first.Person, Guest: sent.ID}).AuthoriseAccount(op); !errors.Is(err, ErrNotAllowed) {
				t.Errorf("%s as a guest who claims to be %q: %v", op, role, err)
			}
		}
		other := as(Actor{Person: Person{ID: "other", Name: "Other"}})
		elsewhere := other
		elsewhere.Organisation = "elsewhere"
		guest := other
		guest.Guest = sent.ID
		for _, op := range Operations {
			// Of what they made they go on with what was sent, and nothing is sent any more.
			for _, d := range []*Document{draft, sent} {
				err := d.Authorise(as(owner), op)
				want := restricted && slices.Contains(sends, op)
				if op != OpCode && op != OpProveContact && (errors.Is(err, ErrRole) != want || !want && err != nil) {
					t.Errorf("%s of their own %s as %q: %v", op, d.State, role, err)
				}
			}
			if err := draft.Authorise(other, op); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s of another's draft as %q: %v", op, role, err)
			}
			want := error(ErrNotFound)
			if role == RoleAuditor {
				if want = ErrNotAllowed; slices.Contains(reads, op) {
					want = nil
				}
			}
			if err := sent.Authorise(other, op); !errors.Is(err, want) {
				t.Errorf("%s of another's document as %q: %v, want %v", op, role, err, want)
			}
			for who, by := range map[string]Actor{"somebody from another organisation": elsewhere, "a guest": guest} {
				if err := sent.Authorise(by, op); !errors.Is(err, ErrNotFound) {
					t.Errorf("%s as %s with the role %q: %v", op, who, role, err)
				}
			}
		}
	}
}
