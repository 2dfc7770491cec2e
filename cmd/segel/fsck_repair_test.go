package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/internal/store"
)

// digestRows returns a digest of all rows of all tables.
func (m *rowEditor) digestRows() string {
	m.t.Helper()
	var tables []string
	for _, c := range m.columns() {
		if !slices.Contains(tables, c.table) {
			tables = append(tables, c.table)
		}
	}
	digest := sha256.New()
	for _, table := range tables {
		rows, err := m.conn.QueryContext(context.Background(), `SELECT * FROM `+table+` ORDER BY `+m.row)
		if err != nil {
			m.t.Fatal(err)
		}
		names, err := rows.Columns()
		for err == nil && rows.Next() {
			values, dest := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				dest[i] = &values[i]
			}
			err = rows.Scan(dest...)
			fmt.Fprintf(digest, "%s %v\n", table, values)
		}
		if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
			m.t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", digest.Sum(nil))
}

// damaged is an installation with rows in every table, and what runs fsck on it.
type damaged struct {
	t    *testing.T
	data string
	env  []string
	rows *rowEditor
}

func newDamaged(t *testing.T, env []string) damaged {
	t.Helper()
	data, env, rows := editableInstallation(t, env)
	return damaged{t, data, env, rows}
}

// editableInstallation returns a full installation in the database of an environment, the environment of commands, and what edits its rows.
func editableInstallation(t *testing.T, env []string) (data string, with []string, rows *rowEditor) {
	t.Helper()
	env = append(env[:len(env):len(env)], "SEGEL_STATE=database", "SEGEL_MASTER_KEY="+sampleKey)
	var set []string
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		set = append(set, name, value)
	}
	data = fullInstallation(t, set...)
	conf, err := dataFlag{Data: data}.loadConfig(&environment{env: env}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data, env, editRows(t, databaseDSN(conf))
}

// fsck returns the exit status, the findings and the summary.
func (d damaged) fsck(args ...string) (status int, found []store.Discrepancy, s fsckSummary) {
	d.t.Helper()
	status, stdout, stderr := runHere(d.t, d.env, append([]string{"fsck", "--json", "--data", d.data}, args...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for i, line := range lines {
		var one store.Discrepancy
		into := any(&one)
		if i == len(lines)-1 {
			into = &s
		}
		if err := json.Unmarshal([]byte(line), into); err != nil {
			d.t.Fatalf("%v: %q, %s", err, line, stderr)
		}
		if i < len(lines)-1 {
			found = append(found, one)
		}
	}
	return status, found, s
}

const (
	waitingJob    = `kind IN ('convert', 'stamp', 'complete') AND finalized_at IS NULL`
	eventOfOne    = `leaf = (SELECT MIN(leaf) FROM event WHERE document <> 0 AND organisation <> '')`
	eventOfNone   = `leaf = (SELECT MIN(leaf) FROM event WHERE document = 0 AND organisation = '')`
	oneToken      = `hash = (SELECT hash FROM token ORDER BY hash LIMIT 1)`
	oneCountedBox = `box_span WHERE amount <> 0 AND person = (SELECT MIN(person) FROM box_span WHERE amount <> 0)`
)

// repairable is damage of derived data, by what fsck finds about it.
var repairable = []struct{ what, change string }{
	{"storage that is wrong", `UPDATE storage SET bytes = bytes + 1, drafts = drafts + 2 WHERE bytes > 0`},
	{"storage that is missing", `DELETE FROM storage WHERE bytes > 0`},
	{"an event in the feed of another organisation than its document", `UPDATE event SET organisation = 'another' WHERE ` + eventOfOne},
	{"an event in the feed of an organisation that it does not concern", `UPDATE event SET organisation = 'another' WHERE ` + eventOfNone},
	{"a token that contradicts itself", `UPDATE token SET expires_at = 1 WHERE ` + oneToken},
	{"a known device that contradicts itself", `UPDATE known_device SET used_at = 0`},
	{"a known address that contradicts itself", `UPDATE known_address SET used_at = 0`},
	{"a count that is wrong", `UPDATE box_span SET amount = amount + 1 WHERE amount <> 0`},
	{"a checksum that is wrong", `UPDATE box_span SET checksum = checksum + 1 WHERE amount <> 0`},
	{"a first day that is too late", `UPDATE box_span SET first_day = first_day + 1 WHERE amount <> 0`},
	{"counts that are missing", `DELETE FROM ` + oneCountedBox},
	{"counts of a state that does not exist", `UPDATE box_span SET state = state || 'x' WHERE state <> '' AND amount <> 0`},
	{"a count of one state that says that it is split", `UPDATE box_span SET split = TRUE WHERE state <> ''`},
	{"a count that says that it is split", `UPDATE box_span SET split = TRUE WHERE state = ''`},
	{"the row about stored titles", `DELETE FROM title_index`},
	{"a job that is missing", `DELETE FROM river_job WHERE ` + waitingJob},
	{"a job that cannot be read", `UPDATE river_job SET args = '[]' WHERE ` + waitingJob},
}

func TestRepairMakesDerivedDataAnewAndLeavesTheLogAsItIs(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		d := newDamaged(t, env)
		status, found, before := d.fsck("--fast")
		if status != 0 {
			t.Fatal(found)
		}
		for _, c := range repairable {
			if env != nil && !isSampled("PostgreSQL "+c.what, 4) {
				continue
			}
			d.rows.exec(c.change)
			status, found, s := d.fsck("--fast", "--repair")
			if status != 0 || s.Repaired == 0 || s.Derived != 0 || s.Events != before.Events || s.Root != before.Root {
				t.Errorf("%s: %d, %+v, %+v", c.what, status, found, s)
			}
			wrong := 0
			for _, f := range found {
				if f.Severity != store.SeverityDerived || f.NotRepaired != "" {
					t.Errorf("%s: %+v", c.what, f)
				}
				if !f.Repaired {
					wrong++
				}
			}
			if status, found, _ := d.fsck("--fast"); status != 0 || wrong == 0 {
				t.Errorf("%s: %d were found before, and afterwards: %+v", c.what, wrong, found)
			}
		}
		// All at once, as after a repair that was interrupted.
		for _, c := range repairable {
			if !strings.HasPrefix(c.change, "UPDATE token") { // what was deleted cannot be changed again
				d.rows.exec(c.change)
			}
		}
		if status, found, s := d.fsck("--fast", "--repair"); status != 0 || s.Repaired == 0 || s.Root != before.Root {
			t.Errorf("all at once: %d, %+v, %+v", status, found, s)
		}
		if status, found, s := d.fsck("--fast", "--repair"); status != 0 || s.Repaired != 0 {
			t.Errorf("repaired before: %d, %+v, %+v", status, found, s)
		}
		if status, found, _ := d.fsck(); status != 0 {
			t.Errorf("afterwards: %+v", found)
		}
	})
}

// notRepairable is damage that a repair leaves as it is, with the statements that undo it.
var notRepairable = []struct {
	what         string
	change, undo []string
}{
	{"a title", []string{`UPDATE document SET title = title || 'x'`}, []string{`UPDATE document SET title = substr(title, 1, length(title) - 1)`}},
	{"a quota", []string{`UPDATE quota SET granted = granted + 1`}, []string{`UPDATE quota SET granted = granted - 1`}},
	{"a serial", []string{`UPDATE serial SET state = 'bought'`}, []string{`UPDATE serial SET state = 'affixed'`}},
	{"an event", []string{`UPDATE event SET ip = ip || 'x'`}, []string{`UPDATE event SET ip = substr(ip, 1, length(ip) - 1)`}},
	{"a row of a list", []string{`UPDATE box SET day = day + 1`}, []string{`UPDATE box SET day = day - 1`}},
	{"the latest time of the log", []string{`UPDATE log_size SET latest_at = latest_at + 1`}, []string{`UPDATE log_size SET latest_at = latest_at - 1`}},
	{"the number of the last document", []string{`UPDATE document_number SET last = last + 1`}, []string{`UPDATE document_number SET last = last - 1`}},
	{"a migration", []string{`DELETE FROM schema_migration WHERE version = 113`}, []string{`INSERT INTO schema_migration (version, name, kind, level, binary_version) VALUES (113, '0113_templates.sql', 'expanding', 2, 'unknown')`}},
	{"a migration that is recorded twice", []string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (113, TRUE)`}, []string{`DELETE FROM goose_db_version WHERE id = (SELECT MAX(id) FROM goose_db_version)`}},
	{"an answer", []string{`UPDATE answer SET status = 1`}, []string{`UPDATE answer SET status = 200`}},
	{"a claim", []string{`UPDATE claim SET claimed_at = -claimed_at`}, []string{`UPDATE claim SET claimed_at = -claimed_at`}},
	{ // what is derived from damaged evidence is not made anew from it
		"a row of a list, and a count", []string{`UPDATE box SET day = day + 1`, `UPDATE storage SET bytes = bytes + 1`},
		[]string{`UPDATE box SET day = day - 1`, `UPDATE storage SET bytes = bytes - 1`},
	},
}

func TestRepairLeavesEvidenceAndWhatItCannotKnowAsTheyAreAndSaysWhy(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		d := newDamaged(t, env)
		requireLeft := func(what string) {
			t.Helper()
			rows, kept := d.rows.digestRows(), files(t, d.data)
			status, found, s := d.fsck("--fast", "--repair")
			reasons := 0
			for _, f := range found {
				if f.NotRepaired != "" {
					reasons++
				}
			}
			if status != 1 || s.Repaired != 0 || reasons == 0 {
				t.Errorf("%s: %d, %+v, %+v", what, status, found, s)
			}
			if d.rows.digestRows() != rows {
				t.Errorf("%s: rows were changed", what)
			}
			for file, digest := range files(t, d.data) {
				if !strings.HasSuffix(file, "-shm") && kept[file] != digest {
					t.Errorf("%s: %s was changed", what, file)
				}
			}
		}
		for _, c := range notRepairable {
			if env != nil && !isSampled("PostgreSQL "+c.what, 3) { // the checks are the same
				continue
			}
			for _, statement := range c.change {
				d.rows.exec(statement)
			}
			requireLeft(c.what)
			for _, statement := range c.undo {
				d.rows.exec(statement)
			}
		}
		var stored string
		for file := range files(t, d.data) {
			if strings.Contains(file, string(filepath.Separator)+blobDir+string(filepath.Separator)) && len(filepath.Base(file)) == 32 {
				stored = file
			}
		}
		content, err := os.ReadFile(stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(stored, content[1:], 0o600); err != nil {
			t.Fatal(err)
		}
		requireLeft("a file")
		if err := os.WriteFile(stored, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if status, found, _ := d.fsck("--fast"); status != 0 {
			t.Errorf("everything was put back: %+v", found)
		}
	})
}
