package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// personalTable is where rows about a person are. $1 is the person.
type personalTable struct {
	kind    string
	columns string // separated by ", ", each a column or "expression AS name"; one that ends in _at is a time
	from    string // with what selects the rows
	key     string // the last columns, which identify a row among those of the person and are the order; empty: there are few rows
	own     bool   // only for the person
}

// personalTables are the tables with rows about people who have accounts. The title of a document is left out while it is not shown to the person: a
// viewer is to see it later, and the recipient of a copy perhaps never.
var personalTables = []personalTable{
	{kind: "account", columns: "id, organisation, name, email, admin, must_reset, created_at", from: "users WHERE id = $1"},
	{kind: "role", columns: "role, changed_at", from: "account_role WHERE person = $1"},
	{kind: "role_of_groups", columns: "role", from: "group_role WHERE person = $1"},
	{kind: "disabled", columns: "disabled_at", from: "disabled_account WHERE person = $1"},
	{kind: "erasure", columns: "asked_at, done_at", from: "erasure WHERE person = $1"},
	{kind: "mailbox", columns: "mailbox, proved_at", from: "mailbox_account WHERE person = $1"},
	{kind: "directory", columns: "external_id, given_name, family_name, deleted, changed_at", from: "scim_user WHERE person = $1"},
	{kind: "groups", columns: "g.name AS name", from: "scim_member m JOIN scim_group g ON g.id = m.scim_group WHERE m.person = $1"},
	{kind: "teams", columns: "t.name AS name", from: "team_member m JOIN team t ON t.id = m.team WHERE m.person = $1"},
	{kind: "provider", columns: "issuer, subject, linked_at", from: "sso_identity WHERE person = $1"},
	{kind: "authenticator", columns: "created_at", from: "authenticator WHERE person = $1"},
	{kind: "passkeys", columns: "id, name, transports, backup_eligible, created_at", from: "passkey WHERE person = $1"},
	{kind: "sessions", columns: "factor, created_at, proved_at, last_used_at, expires_at, ip, user_agent", from: "session WHERE person = $1"},
	{kind: "devices", columns: "used_at", from: "known_device WHERE person = $1"},
	{kind: "networks", columns: "address, used_at", from: "known_address WHERE person = $1"},
	{kind: "logins", columns: "kind, factor, network, ip, user_agent, times, first_at, last_at", from: "login WHERE person = $1"},
	{kind: "api_keys", columns: "id, name, hint, scopes, networks, test, created_at, expires_at, revoked_at", from: "api_key WHERE person = $1"},
	{kind: "api_key_networks", columns: "n.key AS key, n.network AS network, n.refused AS refused, n.first_at AS first_at, n.used_at AS used_at", from: "api_key k JOIN api_key_network n ON n.key = k.id WHERE k.person = $1"},
	{kind: "password_links", columns: "created_at, expires_at", from: "password_reset WHERE person = $1"},
	{kind: "invitations", columns: "i.email AS email, i.name AS name, i.role AS role, i.language AS language, i.inviter_name AS inviter, i.ending AS ending, i.created_at AS created_at, i.ended_at AS ended_at",
		from: "users u JOIN invitation i ON i.organisation = u.organisation AND i.email_folded = u.email_folded WHERE u.id = $1"},
	{kind: "invited", columns: "email, name, role, ending, created_at, ended_at", from: "invitation WHERE inviter = $1"},
	{kind: "consents", columns: "organisation, version, language, document, accepted_at", from: "consent_acceptance WHERE person = $1"},
	{kind: "uploads", columns: "filename", from: "resumable_upload WHERE person = $1", own: true},
	{kind: "folders", columns: "name, created_at", from: "folder WHERE space = $1", own: true},
	{kind: "documents_in_folders", columns: "f.name AS folder, d.title AS title, x.document AS id", from: "folder f JOIN folder_document x ON x.folder = f.id JOIN document d ON d.id = x.document WHERE f.space = $1", key: "id", own: true},
	{kind: "signature", columns: "image", from: "specimen WHERE person = $1", own: true},
	{kind: "initials", columns: "image", from: "initials_specimen WHERE person = $1", own: true},
	{kind: "certificates", columns: "serial, subject, not_after AS expires_at, revoked_at", from: "certificate WHERE holder = $1"},
	{kind: "documents_owned", columns: "title, state, created_at, finalized_at, ended_at, id", from: "document WHERE owner = $1 AND finalized_at <> 0", key: "id"},
	{kind: "drafts", columns: "title, created_at, id", from: "document WHERE owner = $1 AND finalized_at = 0 AND NOT EXISTS (SELECT 1 FROM document_template x WHERE x.document = document.id AND x.template)", key: "id", own: true},
	{kind: "templates", columns: "title, created_at, id", from: "document WHERE owner = $1 AND EXISTS (SELECT 1 FROM document_template x WHERE x.document = document.id AND x.template)", key: "id", own: true},
	{kind: "documents", columns: "CASE WHEN " + turnHasCome + " THEN d.title ELSE '' END AS title, d.state AS state, p.role AS role, p.name AS name, p.email AS email, p.phone AS phone, p.viewed_at AS viewed_at, p.signed_at AS signed_at, p.document AS id",
		from: "participant p JOIN document d ON d.id = p.document WHERE p.person = $1 AND d.finalized_at <> 0", key: "id"},
	{kind: "documents_as_guest", columns: "CASE WHEN " + turnHasCome + " THEN d.title ELSE '' END AS title, d.state AS state, p.role AS role, p.name AS name, p.email AS email, p.viewed_at AS viewed_at, p.signed_at AS signed_at, p.document AS id",
		from: "mailbox_account m JOIN participant p ON lower(p.email) = m.mailbox JOIN document d ON d.id = p.document WHERE m.person = $1 AND p.guest AND d.finalized_at <> 0", key: "id", own: true},
	{kind: "messages", columns: "kind, document, channel, address, state, ordered_at, done_at, id", from: "notice WHERE person = $1", key: "id"},
	{kind: "embedded_pages", columns: "document, purpose, requester_name, origin, created_at, opened_at", from: "embed_address WHERE person = $1"},
	{kind: "events", columns: "type, document, at AS happened_at, name, email, ip, details, leaf", from: "event WHERE person = $1", key: "leaf"},
}

// truthValues are the columns with truth values.
var truthValues = map[string]bool{"admin": true, "must_reset": true, "deleted": true, "backup_eligible": true, "test": true, "refused": true}

// names returns the names of the columns.
func (p personalTable) names() []string {
	all := strings.Split(p.columns, ", ")
	for i, c := range all {
		if _, name, ok := strings.Cut(c, " AS "); ok {
			all[i] = name
		}
	}
	return all
}

// EachPersonalRecord implements [store.PersonalData].
func (s *Store) EachPersonalRecord(ctx context.Context, id contract.PersonID, own bool, yield func(string, store.PersonalRecord) bool) error {
	for _, table := range personalTables {
		if table.own && !own {
			continue
		}
		names, goes := table.names(), true
		sql := `SELECT * FROM (SELECT ` + table.columns + ` FROM ` + table.from + `) x`
		done := false // of a table without a key: all rows were read at once
		err := eachOf(ctx, s, func(q querier, last *store.PersonalRecord) ([]store.PersonalRecord, error) {
			switch {
			case done:
				return nil, nil
			case table.key == "":
				done = true
				return readPersonal(ctx, q, names, sql, id)
			}
			page, args := sql, []any{id}
			if last != nil {
				page, args = page+` WHERE `+table.key+` > $2`, append(args, (*last)[table.key])
			}
			return readPersonal(ctx, q, names, fmt.Sprintf(`%s ORDER BY %s LIMIT %d`, page, table.key, eachBatch), args...)
		}, func(r store.PersonalRecord) bool {
			goes = yield(table.kind, r)
			return goes
		})
		if err != nil || !goes {
			return wrapf(err, "read the %s of %s", table.kind, id)
		}
	}
	return nil
}

// readPersonal reads rows with columns of any type.
func readPersonal(ctx context.Context, q querier, names []string, sql string, args ...any) ([]store.PersonalRecord, error) {
	all := []store.PersonalRecord{}
	err := queryEach(ctx, q, func(scan scanFunc) error {
		r, dest := store.PersonalRecord{}, make([]any, len(names))
		for i, name := range names {
			dest[i] = scanner(func(column any) error {
				switch v := column.(type) {
				case int64:
					switch {
					case truthValues[name]:
						r[name] = v != 0 // SQLite has no type for them
					case !strings.HasSuffix(name, "_at"):
						r[name] = v
					case v == 0:
						r[name] = nil
					default:
						r[name] = time.UnixMicro(v).UTC().Format(time.RFC3339Nano)
					}
				case []byte:
					r[name] = append([]byte{}, v...)
				default:
					r[name] = v
				}
				return nil
			})
		}
		if err := scan(dest...); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	}, sql, args...)
	return all, err
}
