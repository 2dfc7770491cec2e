package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEveryOperationHasAScopeOrIsNeverPermittedToKeys(t *testing.T) {
	t.Parallel()
	allowed := append(slices.Clone(KeyScopes), NeverByKey)
	for _, op := range Operations {
		if s, listed := operationScopes[op]; !listed || !slices.Contains(allowed, s) {
			t.Errorf("%s has the scope %q, listed %v", op, s, listed)
		}
	}
	for _, op := range AdminOperations {
		if s, listed := adminScopes[op]; !listed || s != NeverByKey && s != ScopeAdmin {
			t.Errorf("%s has the scope %q, listed %v", op, s, listed)
		}
	}
	if len(operationScopes) != len(Operations) || len(adminScopes) != len(AdminOperations) {
		t.Error("the tables list operations that do not exist")
	}
}

// TestRulesAskForTheScopeOfAKeyAgain runs each operation with a key of each single scope, as a person who may do everything.
func TestRulesAskForTheScopeOfAKeyAgain(t *testing.T) {
	t.Parallel()
	d := &Document{ID: 7, Owner: Person{ID: "owner"}, State: Draft}
	by := Actor{Person: d.Owner, Organisation: "o", Admin: true, Operator: true}
	check := func(what string, need KeyScope, err error) {
		t.Helper()
		switch {
		case need == NeverByKey && !errors.Is(err, ErrKeyNever):
			t.Errorf("%s: %v, want %v", what, err, ErrKeyNever)
		case need != NeverByKey && need != by.Key.Scopes[0] && !errors.Is(err, ErrKeyScope):
			t.Errorf("%s: %v, want %v", what, err, ErrKeyScope)
		case need == by.Key.Scopes[0] && (errors.Is(err, ErrKeyScope) || errors.Is(err, ErrKeyNever)):
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, scope := range KeyScopes {
		by.Key = &KeyGrant{Scopes: []KeyScope{scope}}
		for _, op := range Operations {
			check(fmt.Sprintf("%s with %s", op, scope), ScopeOf(op), d.Authorise(by, op))
		}
		for _, op := range AdminOperations {
			_, err := by.AuthoriseAdmin(op, "o")
			check(fmt.Sprintf("%s with %s", op, scope), AdminScopeOf(op), err)
		}
	}
	by.Key = &KeyGrant{Scopes: KeyScopes}
	if err := d.Authorise(by, "unheard of"); !errors.Is(err, ErrKeyNever) {
		t.Errorf("an unknown operation: %v", err)
	}
}

func TestKeyAllowsItsNetworksOnly(t *testing.T) {
	t.Parallel()
	k, err := NewAPIKey(KeySettings{Name: "ERP", Scopes: []KeyScope{ScopeRead}, Networks: []string{"203.0.113.0/24", "2001:db8::/32", "192.0.2.7"}}, Actor{Person: Person{ID: "p"}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]bool{
		"203.0.113.9": true, "203.0.114.9": false, "::ffff:203.0.113.9": true, "2001:db8:1::5": true, "2001:db9::5": false, "192.0.2.7": true, "192.0.2.8": false,
		"": false, "nonsense": false, "fe80::1%eth0": false,
	} {
		if got := k.AllowsAddress(ip); got != want {
			t.Errorf("%q is allowed: %v", ip, got)
		}
	}
	k.Networks = nil
	if !k.AllowsAddress("nonsense") {
		t.Error("a key without networks is not allowed everywhere")
	}
}

func TestSettingsOfAKeyAreChecked(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
	member := Actor{Person: Person{ID: "p"}, Organisation: "o"}
	admin := member
	admin.Admin = true
	for want, c := range map[string]struct {
		in KeySettings
		by Actor
	}{
		"name: value.required":            {KeySettings{Name: " \u200b", Scopes: KeyScopes[:1]}, member},
		"name: text.too_long":             {KeySettings{Name: strings.Repeat("x", 101), Scopes: KeyScopes[:1]}, member},
		"scopes: value.required":          {KeySettings{Name: "x"}, member},
		"scopes: key.scope_unknown":       {KeySettings{Name: "x", Scopes: []KeyScope{AnyKey}}, admin},
		"scopes: key.test_admin":          {KeySettings{Name: "x", Scopes: KeyScopes, Test: true}, admin},
		"networks: key.network_malformed": {KeySettings{Name: "x", Scopes: KeyScopes[:1], Networks: []string{"10.1.2.3/8"}}, member},
		"expires_at: key.expires_past":    {KeySettings{Name: "x", Scopes: KeyScopes[:1], ExpiresAt: now}, member},
		"expires_at: key.expires_late":    {KeySettings{Name: "x", Scopes: KeyScopes[:1], ExpiresAt: now.AddDate(6, 0, 0)}, member},
		"key.admin_not_allowed":           {KeySettings{Name: "x", Scopes: KeyScopes}, member},
		"key.never":                       {KeySettings{Name: "x", Scopes: KeyScopes}, Actor{Person: member.Person, Key: &KeyGrant{Scopes: KeyScopes}}},
		"auth.not_allowed":                {KeySettings{Name: "x", Scopes: KeyScopes}, Actor{Person: member.Person, Guest: 7}},
	} {
		if _, err := NewAPIKey(c.in, c.by, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", c.in, err, want)
		}
	}
	k, err := NewAPIKey(KeySettings{Name: " ERP ", Scopes: []KeyScope{ScopeSign, ScopeRead, ScopeSign}, Networks: []string{"::1", "::1/128"}, ExpiresAt: now.Add(time.Hour)}, member, now)
	if err != nil || k.Name != "ERP" || !slices.Equal(k.Scopes, []KeyScope{ScopeRead, ScopeSign}) || len(k.Networks) != 1 {
		t.Errorf("%+v, %v", k, err)
	}
	if k.HasEnded(now) || !k.HasEnded(now.Add(time.Hour)) {
		t.Error("the key does not end at its expiry")
	}
}

func FuzzParseNetwork(f *testing.F) {
	for _, s := range []string{"10.0.0.0/8", "10.1.2.3/8", "2001:db8::/32", "::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "fe80::1%eth0", "0.0.0.0/0", "1.2.3.4/33", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := ParseNetwork(text)
		if !ok {
			return
		}
		if !n.IsValid() || n != n.Masked() || n.Addr().Is4In6() || n.Addr().Zone() != "" {
			t.Errorf("%q is %s", text, n)
		}
		if again, ok := ParseNetwork(n.String()); !ok || again != n {
			t.Errorf("%q is %s, which is read as %s", text, n, again)
		}
	})
}
