package api

import (
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/text"
)

func TestAdminReadsThatStampOfficeDidNotAnswer(t *testing.T) {
	t.Parallel()
	c := &call{exchange: &exchange{language: text.English}}
	r := contract.Reconciliation{Number: 3, By: contract.Person{ID: "op", Name: "Op"}, Problem: "user op is blocked"}
	if out := c.reconciliationOf(r); *out.Problem != "user op is blocked" || out.By != "Op" {
		t.Errorf("an operator reads %q, by %q", *out.Problem, out.By)
	}
	if out := c.reconciliationOf(r.ForOrganisation("own")); !strings.Contains(*out.Problem, "cannot be reached") || out.By == "Op" {
		t.Errorf("an admin reads %q, by %q", *out.Problem, out.By)
	}
}
