package identity

import (
	"testing"

	"segel/internal/contract"
)

func TestAnAdminOfTheFirstOrganisationIsAnOperator(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	for _, n := range []struct {
		email, organisation string
		role                contract.AccountRole
		admin, operator     bool
	}{
		{"kepala@contoh.id", "Contoh", contract.RoleAdmin, true, true},
		{"staf@contoh.id", "Contoh", "", false, false},
		{"auditor@contoh.id", "Contoh", contract.RoleAuditor, false, false},
		{"kepala@lain.id", "Lain", contract.RoleAdmin, true, false},
	} {
		if _, err := h.AddUser(t.Context(), NewUser{Email: n.email, Password: password, Organisation: n.organisation, Role: n.role}); err != nil {
			t.Fatal(err)
		}
		s, err := h.Login(t.Context(), n.email, password, "", at(home))
		if err != nil || s.Account.Admin != n.admin || s.Account.Operator != n.operator {
			t.Errorf("%s logs in as %+v, %v", n.email, s.Account, err)
		}
		if by := h.alive(t, s.Access); by.Admin != n.admin || by.Operator != n.operator {
			t.Errorf("%s asks as %+v", n.email, by)
		}
	}
}
