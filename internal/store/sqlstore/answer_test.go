package sqlstore

import (
	"strings"
	"testing"
	"time"

	"segel/internal/store"
)

func claimOf(token, process string) store.Claim {
	return store.Claim{Account: "u", Path: "/sign", Key: "hash", ClearKey: "k", Token: token, Process: process, At: time.Now()}
}

func (s *Store) mustClaim(t *testing.T, c store.Claim) store.Claimed {
	t.Helper()
	met, err := s.Claim(t.Context(), c, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return met
}

// TestAClaimWhoseLeaseRanOutIsTakenOver lets leases expire in the database, because PostgreSQL uses its own clock.
func TestAClaimWhoseLeaseRanOutIsTakenOver(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, ctx := openTest(t, dsn), t.Context()
		first := claimOf("1", "P")
		if met := s.mustClaim(t, first); met.Holder != "" {
			t.Fatalf("held by %q", met.Holder)
		}
		runOut := func() {
			t.Helper()
			if err := s.runStatement(ctx, `UPDATE claim SET lease_until = $1`, toMicros(time.Now().Add(-time.Second))); err != nil {
				t.Fatal(err)
			}
		}
		runOut()
		if err := s.RenewClaims(ctx, "P", time.Now()); err != nil {
			t.Fatal(err)
		}
		if met := s.mustClaim(t, claimOf("2", "Q")); met.Holder != "P" {
			t.Fatalf("a renewed claim is held by %q", met.Holder)
		}
		runOut()
		second := claimOf("3", "Q")
		if met := s.mustClaim(t, second); met.Holder != "" {
			t.Fatalf("a claim whose lease ran out is held by %q", met.Holder)
		}
		if err := s.DropClaim(ctx, first); err != nil {
			t.Fatal(err)
		}
		if met := s.mustClaim(t, claimOf("4", "P")); met.Holder != "Q" {
			t.Fatalf("the claim that was taken over is held by %q", met.Holder)
		}
	})
}

func TestAnswersFromBeforeClaimsAreRepeatedExceptLinks(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		content := "CAST('{}' AS BLOB)"
		if strings.HasPrefix(dsn, "postgres") {
			content = "convert_to('{}', 'UTF8')"
		}
		body := "zeroblob(32)"
		if strings.HasPrefix(dsn, "postgres") {
			body = "decode(repeat('00', 32), 'hex')"
		}
		old := func(path, key, done string) string {
			return `INSERT INTO answer (account, path, idempotency_key, body, done, status, header, content, claimed_at)
				VALUES ('u', '` + path + `', '` + key + `', ` + body + `, ` + done + `, 200, '{}', ` + content + `, 4000000000000000)`
		}
		aged(t, dsn, "0014", `INSERT INTO organisation (id, name, created_at) VALUES ('org', 'Org', 1)`,
			old("/sign", "k", "TRUE"), old("/sign", "running", "FALSE"), old("/v1/econtract/x/sign/guest-link-docs", "k", "TRUE"))
		s := openTest(t, dsn)
		met := s.mustClaim(t, claimOf("1", "P"))
		if a := met.Answer; a == nil || string(a.Content) != "{}" || a.Sealed || a.Status != 200 {
			t.Errorf("met %+v", met)
		}
		for i, forgotten := range []store.Claim{{Path: "/v1/econtract/x/sign/guest-link-docs", ClearKey: "k"}, {Path: "/sign", ClearKey: "running"}, {Path: "/sign", ClearKey: "hash", Key: "k"}} {
			forgotten.Account, forgotten.Process, forgotten.Token, forgotten.At = "u", "P", "t", time.Now()
			if met := s.mustClaim(t, forgotten); met.Answer != nil || met.Holder != "" {
				t.Errorf("%d: met %+v", i, met)
			}
		}
	})
}
