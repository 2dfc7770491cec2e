package main

import (
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/internal/store/sqlstore"
)

// runSQL runs statements on the database of a data folder, like another program.
func runSQL(t *testing.T, data string, env []string, statements ...string) {
	t.Helper()
	conf, err := dataFlag{Data: data}.loadConfig(&environment{env: env}, nil)
	if err != nil {
		t.Fatal(err)
	}
	driver, source := "pgx", databaseDSN(conf)
	if path, isFile := sqlstore.SQLitePath(source); isFile {
		// A service may be writing at the same time: wait for its lock like the service does.
		driver, source = "sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		_, e := db.ExecContext(t.Context(), s)
		err = errors.Join(err, e)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyServeAndMigrateBringADatabaseUpToDate(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		var set []string
		for _, e := range env {
			name, value, _ := strings.Cut(e, "=")
			set = append(set, name, value)
		}
		data, _ := olderInstallation(t, true, set...)
		runSQL(t, data, env, `DROP TABLE installation`, `DROP TABLE schema_level`, `DROP TABLE schema_migration`,
			`ALTER TABLE quota DROP COLUMN initial_at`,
			`ALTER TABLE quota DROP COLUMN low`,
			`DROP TABLE claim`,
			`DROP TABLE node`,
			`DROP TABLE lease`,
			`DROP TABLE lease_wait`,
			`DROP TABLE backup_run`,
			`DROP TABLE restoration`,
			`ALTER TABLE answer DROP COLUMN sealed`,
			`ALTER TABLE answer RENAME COLUMN kept_at TO claimed_at`,
			`ALTER TABLE answer ADD COLUMN done BOOLEAN NOT NULL DEFAULT FALSE`,
			`DROP TABLE known_device`,
			`DROP TABLE known_address`,
			`DROP TABLE storage`,
			`DROP TABLE box_span`,
			`DROP TABLE box_leaf`,
			`DROP TABLE box_titles`,
			`DROP TABLE box_index`,
			`DROP TABLE box_gram`,
			`DROP TABLE title_index`,
			`DROP TABLE former_link`,
			`DROP TABLE disabled_account`,
			`DROP TABLE key_file`,
			`DROP TABLE master_key`,
			`DROP TABLE derived_key`,
			`DROP TABLE office_entry`,
			`DROP TABLE office_record`,
			`DROP TABLE tls_record`,
			`DROP TABLE erasure`,
			`DROP TABLE erased_guest`,
			`DROP TABLE blob_key`,
			`DROP TABLE collected_file`,
			`DROP TABLE account_role`,
			`DROP TABLE group_role`,
			`DROP TABLE organisation_state`,
			`DROP TABLE invitation`,
			`DROP INDEX document_organisation`,
			`DROP INDEX users_all_by_name`,
			`DROP INDEX event_time`,
			`DROP INDEX event_type_time`,
			`DROP INDEX event_person`,
			`DROP INDEX event_email`,
			`DROP TABLE initials_specimen`,
			`DROP TABLE branding`,
			`DROP TABLE consent_text`,
			`DROP TABLE consent_policy`,
			`DROP TABLE consent_acceptance`,
			`DROP TABLE reminder_schedule`,
			`DROP TABLE organisation_locale`,
			`DROP TABLE document_label`,
			`DROP TABLE label`,
			`DROP TABLE folder_document`,
			`DROP TABLE folder`,
			`DROP TABLE authenticator`,
			`DROP TABLE passkey`,
			`DROP TABLE recovery_code`,
			`DROP TABLE passkey_use`,
			`DROP TABLE code_use`,
			`DROP TABLE used_challenge`,
			`DROP TABLE session`,
			`DROP TABLE try_count`,
			`DROP TABLE login`,
			`DROP TABLE login_report`,
			`DROP TABLE password_request`,
			`DROP TABLE password_reset`,
			`DROP TABLE account_policy`,
			`DROP TABLE embed_address`,
			`DROP TABLE embedding`,
			`DROP TABLE notice`,
			`DROP TABLE evidence`,
			`DROP TABLE mailed_link`,
			`DROP TABLE guest_code`,
			`DROP TABLE proved_mailbox`,
			`DROP TABLE mailbox_account`,
			`ALTER TABLE document DROP COLUMN delivery`,
			`ALTER TABLE document DROP COLUMN delegations`,
			`DROP INDEX document_remind`,
			`ALTER TABLE document DROP COLUMN remind_at`,
			`DROP TABLE scim_member`,
			`DROP TABLE scim_group`,
			`DROP TABLE scim_user`,
			`DROP TABLE scim_token`,
			`DROP TABLE sso`,
			`DROP TABLE sso_grant`,
			`DROP TABLE sso_domain`,
			`DROP TABLE sso_identity`,
			`DROP TABLE sso_login`,
			`DROP TABLE sso_used`,
			`DROP TABLE webhook_delivery`,
			`DROP TABLE webhook`,
			`DROP INDEX event_organisation`,
			`ALTER TABLE event DROP COLUMN organisation`,
			`DROP TABLE test_document`,
			`DROP TABLE document_roles`,
			`DROP TABLE document_template`,
			`DROP TABLE document_team`,
			`DROP TABLE team_member`,
			`DROP TABLE team`,
			`DROP TABLE api_key_network`,
			`DROP TABLE api_key_token`,
			`DROP TABLE api_key`,
			`DROP TABLE resumable_part`,
			`DROP TABLE resumable_upload`,
			`CREATE TABLE box_count (amount BIGINT)`,
			`DROP TABLE removed_document`,
			`DROP TABLE removal_notice`,
			`DROP TABLE legal_hold`,
			`DROP TABLE retention`,
			`DROP INDEX document_kept`,
			`DROP INDEX revision_removed`,
			`DROP INDEX participant_unsigned`,
			`DROP INDEX participant_email`,
			`DROP INDEX document_owner_email`,
			`CREATE UNIQUE INDEX users_email ON users (email_folded)`,
			`DELETE FROM goose_db_version WHERE version_id >= 14`)
		before := files(t, data)
		for _, c := range slices.Concat(readingCommands(t), writingCommands(t), [][]string{{"serve", "--migrate=off"}, {"adopt", "--yes"}}) {
			got := runProgram(t, env, append(c, "--data", data)...)
			if got.status != 4 || !strings.Contains(got.text, "run segel migrate") {
				t.Errorf("%v: %d, %s", c, got.status, got.text)
			}
			requireUnchanged(t, strings.Join(c, " "), data, before)
		}
		if got := runProgram(t, env, "migrate", "--data", data); got.status != 0 {
			t.Fatalf("%d, %s", got.status, got.text)
		}
		if got := runProgram(t, env, "fsck", "--data", data); got.status != 3 || !strings.Contains(got.text, "segel adopt") {
			t.Errorf("%d, %s", got.status, got.text)
		}
		servedOnce(t, data, append(slices.Clone(env), "SEGEL_MIGRATE=off"))
		if got := runProgram(t, env, "fsck", "--data", data); got.status != 0 {
			t.Errorf("%d, %s", got.status, got.text)
		}
		requireQuota(t, data, env, "Segel", "1000", "1000") // which it had before
	})
}

func TestAProgramThatIsTooOldForTheDatabaseRefusesToStart(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data := filepath.Join(t.TempDir(), "data")
		p := serve(t, data, env...)
		c := &client{service: p.service, t: t}
		c.do("GET", "/readyz", nil).ok()
		runSQL(t, data, env, `UPDATE schema_level SET oldest_writer = 99`,
			`INSERT INTO schema_migration (version, name, kind, level, binary_version) VALUES (99, '0099_next.sql', 'contracting', 99, '9.9.0')`)
		for _, command := range slices.Concat(readingCommands(t), writingCommands(t), [][]string{{"serve"}, {"migrate"}, {"adopt", "--yes"}}) {
			got := runProgram(t, env, append(command, "--data", data)...)
			if got.status != 4 || !strings.Contains(got.text, "needs segel 9.9.0 or later") {
				t.Errorf("%v: %d, %s", command, got.status, got.text)
			}
		}
		// The process that has been running is taken out of service.
		c.becomes("/readyz", http.StatusServiceUnavailable)
	})
}
