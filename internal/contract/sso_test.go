package contract

import (
	"errors"
	"testing"
	"time"
)

func TestAProviderStatesASecondFactorByItsACRElseByTwoKindsOfFactors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		counts bool
		named  string // the acr that the organisation named
		acr    string
		amr    []string
		want   bool
	}{
		"nothing":                           {counts: true},
		"a password":                        {counts: true, amr: []string{"pwd"}},
		"a password twice":                  {counts: true, amr: []string{"pwd", "pin", "kba"}},
		"a code alone":                      {counts: true, amr: []string{"otp"}},
		"a password and a code":             {counts: true, amr: []string{"pwd", "otp"}, want: true},
		"a PIN and a card":                  {counts: true, amr: []string{"pin", "sc"}, want: true},
		"a password and a finger":           {counts: true, amr: []string{"fpt", "pwd"}, want: true},
		"mfa":                               {counts: true, amr: []string{"mfa"}, want: true},
		"MFA in other letters":              {counts: true, amr: []string{"MFA"}},
		"unknown kinds":                     {counts: true, amr: []string{"pwd", "rba", "wia"}},
		"mfa that the organisation ignores": {amr: []string{"mfa", "pwd", "otp"}},
		"the acr that was named":            {counts: true, named: "phr", acr: "phr", want: true},
		"another acr, though amr says mfa":  {counts: true, named: "phr", acr: "phrh", amr: []string{"mfa"}},
		"no acr, though one was named":      {counts: true, named: "phr", amr: []string{"pwd", "otp"}},
		"the acr, but the organisation does not count it": {named: "phr", acr: "phr"},
	} {
		s := SSO{SSOSettings: SSOSettings{ProviderFactor: c.counts, FactorACR: c.named}}
		got, err := s.Admit(ProviderClaims{Email: "siti@contoh.id", EmailVerified: true, ACR: c.acr, AMR: c.amr}, []string{"contoh.id"}, time.Time{})
		if err != nil || got.Factor != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAPersonIsAdmittedByAVerifiedAddressOfAGrantedDomain(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 10, 14, 6, 6, 0, 0, time.UTC)
	groups := SSOSettings{Groups: []GroupRole{{"bos", RoleAdmin}, {"hukum", RoleAuditor}}, RequireGroup: true}
	for name, c := range map[string]struct {
		settings SSOSettings
		claims   ProviderClaims
		want     error
		role     AccountRole
	}{
		"an address":                      {claims: ProviderClaims{Email: " Siti@CONTOH.id ", EmailVerified: true}},
		"an address that is not verified": {claims: ProviderClaims{Email: "siti@contoh.id"}, want: ErrEmailUnverified},
		"no address":                      {claims: ProviderClaims{EmailVerified: true}, want: ErrEmailUnverified},
		"another domain":                  {claims: ProviderClaims{Email: "siti@lain.id", EmailVerified: true}, want: ErrEmailDomain},
		"a subdomain":                     {claims: ProviderClaims{Email: "siti@a.contoh.id", EmailVerified: true}, want: ErrEmailDomain},
		"a login of now":                  {settings: SSOSettings{MaxAge: time.Hour}, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true, AuthTime: now.Add(-time.Hour)}},
		"a login that is too old":         {settings: SSOSettings{MaxAge: time.Hour}, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true, AuthTime: now.Add(-2 * time.Hour)}, want: ErrLoginTooOld},
		"a login of no stated time":       {settings: SSOSettings{MaxAge: time.Hour}, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true}, want: ErrLoginTooOld},
		"the first group that is listed":  {settings: groups, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true, Groups: []string{"x", "hukum", "bos"}, HasGroups: true}, role: RoleAdmin},
		"no group that is listed":         {settings: groups, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true, Groups: []string{"Hukum"}, HasGroups: true}, want: ErrNoSSOGroup},
		"groups that are not stated":      {settings: groups, claims: ProviderClaims{Email: "siti@contoh.id", EmailVerified: true}, want: ErrNoSSOGroup},
	} {
		s := SSO{SSOSettings: c.settings}
		got, err := s.Admit(c.claims, []string{"contoh.id"}, now)
		if !errors.Is(err, c.want) || err == nil && (MailDomain(got.Email) != "contoh.id" || got.Name == "" || got.Role != c.role) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestGroupsThatAreStatedGiveARoleAndOthersChangeNothing(t *testing.T) {
	t.Parallel()
	s := SSO{SSOSettings: SSOSettings{Groups: []GroupRole{{"bos", RoleAdmin}, {"staf", RoleMember}}}}
	many := make([]string, maxGroupsOfLogin)
	for name, c := range map[string]struct {
		of     SSO
		groups []string
		given  bool
		role   AccountRole
		left   bool
	}{
		"listed":               {s, []string{"staf", "bos"}, true, RoleAdmin, false},
		"not listed":           {s, []string{"lain"}, true, "", true},
		"none":                 {s, nil, true, "", true},
		"not stated":           {s, []string{"bos"}, false, "", false},
		"no list":              {SSO{}, []string{"bos"}, true, "", false},
		"after the first 2000": {s, append(many, "bos"), true, "", true},
	} {
		role, listed := c.of.RoleOf(c.groups, c.given)
		if left := c.of.HasLeft(listed, c.given); role != c.role || listed != (role != "") || left != c.left {
			t.Errorf("%s: %q, %v, %v", name, role, listed, left)
		}
	}
	if s.UnlistedRole() != RoleMember || (&SSO{}).UnlistedRole() != "" {
		t.Error("a new account in no listed group has another role than a member")
	}
}
