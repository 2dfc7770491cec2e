package api

import (
	"database/sql"
	"testing"
)

func TestFollowingADocumentIsNoUseOfTheSession(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	const uses = `SELECT COUNT(*) FROM session WHERE last_used_at > 0`
	b.withDatabase(func(db *sql.DB) error {
		_, err := db.Exec(`UPDATE session SET last_used_at = 0`)
		return err
	})
	for what, ask := range map[string]func(){
		"following":    func() { b.ask("GET", dBase+"events/1207", "") },
		"looking idly": func() { b.ask("GET", dBase+"counts", "", backgroundHeader, "1") },
	} {
		if ask(); b.countRows(uses) != 0 {
			t.Errorf("%s is recorded as a use", what)
		}
	}
	if b.ask("GET", "/v1/auth/me", ""); b.countRows(uses) != 1 {
		t.Error("a use is not recorded")
	}
}
