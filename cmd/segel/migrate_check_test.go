package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// runHere runs a command in this process and returns its exit status and output.
func runHere(t *testing.T, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, failed bytes.Buffer
	w := &environment{ctx: t.Context(), stdin: strings.NewReader(""), stdout: &out, stderr: &failed, env: env}
	return w.runCommand(args), out.String(), failed.String()
}

func TestMigrateCheckHasAnExitStatusForEachResultAndChangesNothing(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		if env == nil {
			if status, _, stderr := runHere(t, env, "migrate", "--check", "--data", data); status != 3 || !strings.Contains(stderr, "does not exist") {
				t.Errorf("no database: %d, %s", status, stderr)
			}
		}
		servedOnce(t, data, env)
		for _, c := range []struct {
			name    string
			change  []string
			restore []string
			status  int
			result  string
			text    string
		}{
			{"as it is", nil, nil, 0, "current", "nothing to migrate"},
			{
				"a release with another table",
				[]string{`DELETE FROM goose_db_version WHERE version_id = 113`},
				[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (113, TRUE)`},
				10, "pending", "0113_templates.sql, expanding",
			},
			{
				"a migration that does not say what it does",
				[]string{`DELETE FROM goose_db_version WHERE version_id = 13`},
				[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (13, TRUE)`},
				11, "pending_stop", "stop all processes of earlier releases",
			},
			{
				"migrated by a later release",
				[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9998, TRUE)`, `INSERT INTO schema_migration (version, name, kind, level, binary_version) VALUES (9998, '9998_next.sql', 'expanding', 98, '9.8.0')`},
				nil,
				13, "later_release", "unknown here: 9998 9998_next.sql, expanding",
			},
			{
				"closed by a later release",
				[]string{`UPDATE schema_level SET oldest_writer = 98`},
				nil,
				12, "downgrade_refused", "the database needs segel 9.8.0 or later (level 98); this is " + version,
			},
		} {
			runSQL(t, data, env, c.change...)
			before := files(t, data)
			status, stdout, _ := runHere(t, env, "migrate", "--check", "--data", data)
			if status != c.status || !strings.Contains(stdout, c.text) {
				t.Errorf("%s: %d, %s", c.name, status, stdout)
			}
			status, stdout, _ = runHere(t, env, "migrate", "--check", "--json", "--data", data)
			var r migrationReport
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != c.status || r.Result != c.result || r.Program.Version != version || r.Has == nil || r.Pending == nil {
				t.Errorf("%s: %d, %s, %v", c.name, status, stdout, err)
			}
			requireUnchanged(t, c.name, data, before)
			runSQL(t, data, env, c.restore...)
		}
		// What is closed is closed to every command, which says which release it needs and what to do.
		for _, command := range []string{"serve", "migrate", "fsck"} {
			got := runProgram(t, env, command, "--data", data)
			if got.status != 4 || !strings.Contains(got.text, "segel 9.8.0 or later") || !strings.Contains(got.text, "install that release") {
				t.Errorf("%s: %d, %s", command, got.status, got.text)
			}
		}
	})
}

// TestAStartAndAMigrationNameTheNodesThatRun runs a node of an earlier release, as far as the tables say.
func TestAStartAndAMigrationNameTheNodesThatRun(t *testing.T) {
	t.Parallel()
	env := []string{"SEGEL_DATABASE=" + pgtest.Database(t, sqlstore.Migrate)}
	data := filepath.Join(t.TempDir(), "data")
	serve(t, data, env...)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		pending int // migration; 13 does not say whether nodes may stay
		status  int
		text    string
	}{
		{"serve", 113, 4, "run segel migrate, and start this process again"},
		{"serve", 13, 4, "stop them, and run segel migrate"},
		{"migrate", 13, 11, "stop them, and run segel migrate"},
	} {
		runSQL(t, data, env, fmt.Sprintf(`DELETE FROM goose_db_version WHERE version_id = %d`, c.pending))
		got := runProgram(t, env, c.command, "--data", data)
		if got.status != c.status || !strings.Contains(got.text, c.text) || !strings.Contains(got.text, host+" (segel "+version+", node ") {
			t.Errorf("%s with %d pending: %d, %s", c.command, c.pending, got.status, got.text)
		}
		runSQL(t, data, env, fmt.Sprintf(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, TRUE)`, c.pending))
	}
	// With nothing pending the database is opened; what ends the process is that the sandbox office of this folder is in use.
	if got := runProgram(t, env, "serve", "--data", data); !strings.Contains(got.text, "the stamp office is in use") {
		t.Errorf("with nothing pending: %d, %s", got.status, got.text)
	}
}
