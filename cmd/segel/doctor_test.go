package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/internal/doctor"
)

// examine runs segel doctor and returns the exit status, the findings by check, and the summary.
func examine(t *testing.T, env []string, data string) (status int, found map[string][]doctor.Finding, s doctorSummary) {
	t.Helper()
	env = append([]string{"SEGEL_CONVERT=off", "SEGEL_PAGE_PICTURES=off"}, env...)
	status, stdout, stderr := runHere(t, env, "doctor", "--json", "--data", data)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	found = map[string][]doctor.Finding{}
	for i, line := range lines {
		var f doctor.Finding
		into := any(&f)
		if i == len(lines)-1 {
			into = &s
		}
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Fatalf("%v: %q, %s", err, line, stderr)
		}
		if i < len(lines)-1 {
			found[f.Check] = append(found[f.Check], f)
		}
	}
	return status, found, s
}

// requireState requires the state of a check that has one finding of that state with those words.
func requireState(t *testing.T, what string, found map[string][]doctor.Finding, check string, want doctor.State, words string) {
	t.Helper()
	if !slices.ContainsFunc(found[check], func(f doctor.Finding) bool { return f.State == want && strings.Contains(f.Text, words) }) {
		t.Errorf("%s: want %s of %s with %q, found %+v", what, want, check, words, found[check])
	}
}

func TestDoctorExaminesAServiceWhetherItRunsOrIsStopped(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		requireHealthy := func(what string) {
			t.Helper()
			status, found, s := examine(t, env, data)
			if problems := s.Problems > 0; problems != (status == 1) {
				t.Errorf("%s: status %d with %+v", what, status, s)
			}
			for _, check := range []string{"installation", "secrets", "migrations", "clock", "timestamps", "certificates", "files", "open files", "sandbox", "conversion", "fonts"} {
				requireState(t, what, found, check, doctor.OK, "")
			}
			requireState(t, what, found, "backup", doctor.Warning, "no backup")
			requireState(t, what, found, "mail", doctor.Warning, "no mail server")
			requireState(t, what, found, "public address", doctor.Warning, "not set")
			if env == nil {
				requireState(t, what, found, "database", doctor.OK, "SQLite")
			} else { // the server of the tests does not sync
				requireState(t, what, found, "database", doctor.Problem, "fsync")
			}
		}
		p, err := launch(data, env...)
		if err != nil {
			t.Fatal(err)
		}
		requireHealthy("while it runs")
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		before := files(t, data)
		requireHealthy("stopped")
		requireUnchanged(t, "doctor", data, before)

		_, found, _ := examine(t, append(slices.Clone(env), "SEGEL_PUBLC_URL=x"), data)
		requireState(t, "a misspelled setting", found, "configuration", doctor.Problem, "SEGEL_PUBLC_URL")

		status, found, _ := examine(t, append(slices.Clone(env), "SEGEL_MAX_FILE=x"), data)
		requireState(t, "a setting that is wrong", found, "configuration", doctor.Problem, "SEGEL_MAX_FILE")
		if status != 1 {
			t.Errorf("a setting that is wrong: %d", status)
		}

		runSQL(t, data, env, `DELETE FROM goose_db_version WHERE version_id = 113`)
		status, found, _ = examine(t, env, data)
		requireState(t, "a pending migration", found, "migrations", doctor.Problem, "migrations are pending: 1")
		requireState(t, "a pending migration", found, "installation", doctor.Problem, "run segel migrate")
		requireState(t, "a pending migration", found, "certificates", doctor.Warning, "not examined")
		if status != 1 {
			t.Errorf("a pending migration: %d", status)
		}
		runSQL(t, data, env, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (113, TRUE)`)

		key := filepath.Join(data, masterKeyFile)
		if err := os.Chmod(key, 0o644); err != nil {
			t.Fatal(err)
		}
		_, found, _ = examine(t, env, data)
		requireState(t, "a master key that others may read", found, "secrets", doctor.Problem, "master.key")
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		_, found, _ = examine(t, env, data)
		requireState(t, "no master key", found, "installation", doctor.Problem, "master.key is missing")
	})
}

func TestDoctorTriesTheOtherMachinesOfTheConfiguration(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p, err := launch(data)
	if err != nil {
		t.Fatal(err)
	}
	_, mail := startMailServer(t)
	env := []string{"SEGEL_PUBLIC_URL=" + p.url, "SEGEL_LISTEN=" + strings.TrimPrefix(p.url, "http://")}
	for pair := range slices.Chunk(mail, 2) {
		env = append(env, pair[0]+"="+pair[1])
	}
	_, found, _ := examine(t, env, data)
	requireState(t, "a service that runs", found, "public address", doctor.OK, "the service answers")
	requireState(t, "a mail server", found, "mail", doctor.Warning, "without TLS") // that of the tests has none
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	closed := append(slices.Clone(env), "SEGEL_MAIL_SERVERS=smtp://127.0.0.1:1", "SEGEL_TIMESTAMP_URLS=http://127.0.0.1:1/tsr", "SEGEL_TRUST_DIR="+t.TempDir(), "SEGEL_CONVERT=http://pemakai:geheim@127.0.0.1:1")
	status, found, _ := examine(t, closed, data)
	requireState(t, "a service that is stopped", found, "public address", doctor.Warning, "does not run")
	requireState(t, "no mail server", found, "mail", doctor.Problem, "connect")
	requireState(t, "no time-stamp authority", found, "timestamps", doctor.Problem, "nothing can be signed")
	requireState(t, "no converter", found, "conversion", doctor.Problem, "127.0.0.1:1")
	if strings.Contains(fmt.Sprint(found), "geheim") {
		t.Errorf("the password of the converter is shown: %+v", found)
	}
	if status != 1 {
		t.Errorf("%d, %+v", status, found)
	}
}
