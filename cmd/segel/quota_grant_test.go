package main

import (
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// realOffice is the environment of a service with a stamp office other than the sandbox. The office is never called.
func realOffice(t *testing.T) []string {
	return []string{
		"SEGEL_STAMP_OFFICE=adapter", "SEGEL_STAMP_LOGIN_URL=http://127.0.0.1:1", "SEGEL_STAMP_ADAPTERS=http://127.0.0.1:1",
		"SEGEL_STAMP_SHARED_DIR=" + t.TempDir(), "SEGEL_STAMP_USER=user", "SEGEL_STAMP_PASSWORD=specimen", "SEGEL_RECONCILE_EVERY=0s",
	}
}

// requireQuota requires what segel quota show prints for an organisation.
func requireQuota(t *testing.T, data string, env []string, organisation, emet, base string) {
	t.Helper()
	got := runProgram(t, env, "quota", "show", "--data", data, "--org", organisation)
	for _, want := range []string{organisation + "  emet: " + emet + " granted", organisation + "  base: " + base + " granted"} {
		if got.status != 0 || !strings.Contains(got.text, want) {
			t.Errorf("want %q: %d, %s", want, got.status, got.text)
		}
	}
}

func TestOnlyTheSandboxGrantsAndOnlyOnce(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		servedOnce(t, data, env)
		requireQuota(t, data, env, "Segel", "1000", "1000")
		for unit, back := range map[string]string{"emet": "-1000", "base": "-990"} {
			got := runProgram(t, env, "quota", "add", "--data", data, "--org", "Segel", "--unit", unit, "--count="+back, "--reason", "taken back")
			if got.status != 0 {
				t.Fatalf("%d, %s", got.status, got.text)
			}
		}
		servedOnce(t, data, env)
		requireQuota(t, data, env, "Segel", "0", "10")
		add := writingCommands(t)[0]
		if got := runProgram(t, env, append(add, "--org", "PT Dua", "--data", data)...); got.status != 0 {
			t.Fatalf("%d, %s", got.status, got.text)
		}
		requireQuota(t, data, env, "PT Dua", "1000", "1000")
	})
}

func TestARealStampOfficeGrantsNothing(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		office := append(realOffice(t), env...)
		servedOnce(t, data, office)
		requireQuota(t, data, office, "Segel", "0", "0")
		// The command line may lack the settings of the service; then it would assume the sandbox.
		add := writingCommands(t)[0]
		if got := runProgram(t, env, append(add, "--org", "PT Dua", "--data", data)...); got.status != 0 {
			t.Fatalf("%d, %s", got.status, got.text)
		}
		requireQuota(t, data, env, "PT Dua", "0", "0")
		// An accidental start with the sandbox grants nothing to existing organisations.
		servedOnce(t, data, env)
		requireQuota(t, data, env, "Segel", "0", "0")
		requireQuota(t, data, env, "PT Dua", "0", "0")
	})
}

func TestAGrantOfAnEarlierReleaseCountsAsGiven(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"SQLite": "", "PostgreSQL": pgtest.Database(t, sqlstore.Migrate)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var set []string
			if dsn != "" {
				set = []string{"SEGEL_DATABASE", dsn}
			}
			s := starting{set: set, idle: true}.start(t)
			o := store.Organisation{ID: "old", Name: "Old", CreatedAt: s.clock()}
			if err := s.store.CreateOrganisation(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{1000, -1000} { // granted by earlier releases, and taken back by an operator
				if _, err := s.store.Grant(t.Context(), o.ID, contract.UnitStamp, n, "sandbox office", contract.Actor{}, s.clock()); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.grantInitial(t.Context(), o.ID); err != nil {
				t.Fatal(err)
			}
			q, err := s.store.Quota(t.Context(), o.ID)
			if err != nil || q[contract.UnitStamp].Granted != 0 {
				t.Errorf("%+v, %v", q, err)
			}
		})
	}
}
