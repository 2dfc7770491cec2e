package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// isNotErased is true for an account with the identifier id of the outer query whose data were not asked to be erased.
const isNotErased = `NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.person = id)`

// isSuggested is true for a participant p who may be suggested for other documents.
const isSuggested = `NOT EXISTS (SELECT 1 FROM erased_guest r WHERE r.document = p.document AND r.person = p.person) AND NOT EXISTS (SELECT 1 FROM erasure r WHERE r.person = p.person)`

// ownsDocument is true if person $1 owns a document or a template for which the condition %s holds.
const ownsDocument = `SELECT EXISTS (SELECT 1 FROM box b JOIN document d ON d.id = b.document WHERE b.person = $1 AND b.box IN ('out', 'template')%s)`

// eraseStep erases rows about a person, who is $1. Their address and the name are those of the table users, which is erased last.
type eraseStep struct {
	table string
	where string
	set   string // what the rows say from then on; empty: they are deleted
	keys  string // columns that identify a row, where a person may have many: they are erased in batches
	kind  string // of the records of the log that the rows are; its first part is the table, unless key says otherwise
	key   string // the column that has the key of the record; empty: that of the kind
}

// ofPersonsAddress selects rows of the organisation of the person by their address, which is in a column of that name.
const ofPersonsAddress = `organisation = (SELECT organisation FROM users WHERE id = $1) AND email_folded = (SELECT email_folded FROM users WHERE id = $1)`

// namesPerson is true for a notice about an account that names the person, or their address: the whole of a text of its JSON, because the address of
// another person may end with it. Of the characters of an address, encoding/json writes the ampersand as an escape.
const namesPerson = `document = 0 AND (person = $1 OR replace(account, $1, '') <> account OR organisation = (SELECT organisation FROM users WHERE id = $1)
	AND replace(lower(account), '"' || (SELECT replace(email_folded, '&', '\u0026') FROM users WHERE id = $1) || '"', '') <> lower(account))`

// manyRows are the tables with rows about a person of which there may be many. They are erased first, in batches.
var manyRows = []eraseStep{
	{table: "notice", where: `person = $1 AND state = 'ordered'`, keys: "id"},
	{table: "notice", where: namesPerson, keys: "id"},
	{table: "notice", where: `person = $1 AND (address <> '' OR problem <> '')`, set: `address = '', problem = ''`, keys: "id"},
	{table: "login", where: `person = $1`, keys: "organisation, person, kind, period, network, factor"},
}

// fewRows are the others, in an order in which those that refer to others come first. One transaction erases them.
var fewRows = []eraseStep{
	{table: "sso_login", where: `family IN (SELECT family FROM session WHERE person = $1)
		OR (organisation, issuer, subject) IN (SELECT organisation, issuer, subject FROM sso_identity WHERE person = $1)`},
	{table: "sso_identity", where: `person = $1`},
	{table: "token", where: `person = $1`},
	{table: "session", where: `person = $1`},
	{table: "known_device", where: `person = $1`},
	{table: "known_address", where: `person = $1`},
	{table: "password_reset", where: `person = $1`},
	{table: "password_request", where: `lower(email) = (SELECT email_folded FROM users WHERE id = $1)`},
	{table: "passkey_use", where: `passkey IN (SELECT id FROM passkey WHERE person = $1)`},
	{table: "passkey", where: `person = $1`, kind: "passkey"},
	{table: "authenticator", where: `person = $1`, kind: "authenticator"},
	{table: "recovery_code", where: `person = $1`, kind: "recovery_codes"},
	{table: "code_use", where: `person = $1`},
	{table: "embed_address", where: `person = $1 OR requester = $1`},
	{table: "api_key_token", where: `key IN (SELECT id FROM api_key WHERE person = $1)`},
	{table: "api_key_network", where: `key IN (SELECT id FROM api_key WHERE person = $1)`},
	{table: "api_key", where: `person = $1`, kind: "api_key"},
	{table: "scim_member", where: `person = $1`},
	{table: "team_member", where: `person = $1`, kind: "team", key: "team"},
	{table: "scim_user", where: `person = $1`},
	{table: "mailbox_account", where: `person = $1`, kind: "mailbox_account"},
	{table: "group_role", where: `person = $1`},
	{table: "account_role", where: `person = $1`, kind: "account_role"},
	{table: "consent_acceptance", where: `person = $1`},
	{table: "specimen", where: `person = $1`, kind: "specimen"},
	{table: "initials_specimen", where: `person = $1`, kind: "initials"},
	{table: "credential", where: `holder = $1`, kind: "credential"}, // with its chain
	{table: "folder_document", where: `space = $1`},
	{table: "folder", where: `space = $1`},
	{table: "removal_notice", where: `person = $1`},
	{table: "resumable_upload", where: `person = $1 AND NOT ended`, set: `ended = TRUE, filename = ''`},
	{table: "invitation", where: ofPersonsAddress},
	{table: "invitation", where: `inviter = $1 AND inviter_name <> ''`, set: `inviter_name = ''`},
	{table: "answer", where: `account = $1`},
	{table: "claim", where: `account = $1`},
}

// BeginErasure implements [store.Erasures].
func (s *Store) BeginErasure(ctx context.Context, x contract.Erasure, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		records, err := disableUser(ctx, t, x.Person, x.At)
		if err != nil {
			return err
		}
		n, err := t.exec(ctx, `INSERT INTO erasure (person, organisation, asked_by, asked_at, done_at) VALUES ($1, $2, $3, $4, 0) ON CONFLICT DO NOTHING`,
			x.Person, x.Organisation, x.By, toMicros(x.At))
		switch {
		case err != nil:
			return err
		case n == 0:
			return store.ErrConflict
		}
		if err := requireUnheldPerson(ctx, t, x.Organisation, x.Person); err != nil {
			return err
		}
		if err := requireNoDocuments(ctx, t, x.Person, ` AND d.finalized_at <> 0`); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: append(records, recordOf("erasure", x.Person))}.appendToLog(ctx, t)
	})
	return wrapf(err, "begin to erase %s", x.Person)
}

// requireUnheldPerson returns contract.ErrHeld while a legal hold covers the organisation of a person, or a document that they own.
func requireUnheldPerson(ctx context.Context, t tx, o contract.OrganisationID, id contract.PersonID) error {
	if err := requireUnheld(ctx, t, o, 0); err != nil {
		return err
	}
	var held bool
	err := queryOne(ctx, t, []any{&held}, fmt.Sprintf(ownsDocument, ` AND `+isHeld), id)
	if err == nil && held {
		return contract.ErrHeld
	}
	return err
}

// requireNoDocuments refuses a person who owns documents, or those of a condition.
func requireNoDocuments(ctx context.Context, q querier, id contract.PersonID, condition string) error {
	var owns bool
	err := queryOne(ctx, q, []any{&owns}, fmt.Sprintf(ownsDocument, condition), id)
	if err == nil && owns {
		return contract.ErrOwnsDocuments
	}
	return err
}

var erasureRows = rowType[contract.Erasure]{"erasure", `person, organisation, asked_by, asked_at, done_at`, func(x *contract.Erasure) []any {
	return []any{&x.Person, &x.Organisation, &x.By, scanTime(&x.At), scanTime(&x.DoneAt)}
}}

// Erasure implements [store.Erasures].
func (s *Store) Erasure(ctx context.Context, id contract.PersonID) (contract.Erasure, error) {
	x, err := erasureRows.readOne(ctx, s, `WHERE person = $1`, id)
	return x, wrapf(err, "read the erasure of %s", id)
}

// OpenErasures implements [store.Erasures].
func (s *Store) OpenErasures(ctx context.Context, since time.Time, limit int) ([]contract.Erasure, error) {
	all, err := readAll(ctx, s, erasureRows.dest, erasureRows.selectWhere(`WHERE done_at = 0 OR done_at >= $1 ORDER BY done_at, asked_at, person LIMIT $2`), toMicros(since), limit)
	return all, wrapf(err, "read open erasures")
}

// EraseRows implements [store.Erasures].
//
// Each batch is durable when it is committed; after a crash, the next call finds less to erase. The last transaction needs what the others
// use to find rows: name and address.
func (s *Store) EraseRows(ctx context.Context, id contract.PersonID, e contract.Event) error {
	for _, step := range manyRows {
		for n := eraseBatch; n == eraseBatch; {
			err := s.db.withTx(ctx, func(t tx) error {
				var o contract.OrganisationID
				err := queryOne(ctx, t, []any{&o}, `SELECT organisation FROM users WHERE id = $1`, id)
				if err == nil {
					err = requireUnheldPerson(ctx, t, o, id)
				}
				if err == nil {
					n, err = t.exec(ctx, step.statement(), id)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("erase %s of %s: %w", step.table, id, err)
			}
		}
	}
	err := s.db.withTx(ctx, func(t tx) error {
		var o contract.OrganisationID
		if err := queryOne(ctx, t, []any{&o}, `SELECT organisation FROM users WHERE id = $1`, id); err != nil {
			return err
		}
		if err := requireUnheld(ctx, t, o, 0); err != nil {
			return err
		}
		// The lock on the user makes what asks for it in a transaction happen before this, or find the account erased.
		if err := lockExistingUser(ctx, t, id); err != nil {
			return err
		}
		if err := requireNoDocuments(ctx, t, id, ``); err != nil {
			return err
		}
		var records []record
		for _, step := range slices.Concat(manyRows, fewRows) {
			written, err := step.erase(ctx, t, id)
			if err != nil {
				return fmt.Errorf("erase %s: %w", step.table, err)
			}
			records = append(records, written...)
		}
		// Those who only read a document are not found by their identifier when it ends later, and by their address not any more.
		if _, err := t.exec(ctx, `INSERT INTO erased_guest (document, person, erased_at) SELECT p.document, p.person, CAST($2 AS BIGINT) FROM users u
			JOIN participant p ON lower(p.email) = lower(u.email) AND p.person = u.id JOIN document d ON d.id = p.document
			WHERE u.id = $1 AND p.role <> 'signer' AND d.state IN ('processing', 'failed') ON CONFLICT DO NOTHING`, id, toMicros(e.At)); err != nil {
			return err
		}
		email := contract.ErasedEmail(id)
		n, err := t.exec(ctx, `UPDATE users SET name = $2, name_folded = $3, email = $4, email_folded = $5, admin = FALSE, password = '', must_reset = FALSE, given = FALSE WHERE id = $1 AND (email <> $4 OR name <> $2 OR password <> '' OR admin)`,
			id, contract.ErasedName, foldText(contract.ErasedName), email, foldText(email))
		if err != nil {
			return err
		}
		if n > 0 {
			records = append(records, recordOf("user", id))
		}
		n, err = t.exec(ctx, `UPDATE erasure SET done_at = $2 WHERE person = $1 AND done_at = 0`, id, toMicros(e.At))
		if err != nil {
			return err
		}
		entry := logEntry{records: records, at: e.At}
		if n > 0 {
			entry.events, entry.records = []contract.Event{e}, append(records, recordOf("erasure", id))
		}
		return entry.appendToLog(ctx, t)
	})
	return wrapf(err, "erase %s", id)
}

// eraseBatch is how many rows one transaction erases.
const eraseBatch int64 = 500

// statement returns the statement of a step, for at most eraseBatch rows if the step has keys.
func (e eraseStep) statement() string {
	where := e.where
	if e.keys != "" {
		where = fmt.Sprintf(`(%s) IN (SELECT %s FROM %s WHERE %s LIMIT %d)`, e.keys, e.keys, e.table, e.where, eraseBatch)
	}
	if e.set != "" {
		return `UPDATE ` + e.table + ` SET ` + e.set + ` WHERE ` + where
	}
	return `DELETE FROM ` + e.table + ` WHERE ` + where
}

// erase erases the rows of a step and returns the records that they were.
func (e eraseStep) erase(ctx context.Context, t tx, id contract.PersonID) ([]record, error) {
	var records []record
	if e.kind != "" {
		kind, known := findRecordKind(e.kind)
		if !known {
			return nil, fmt.Errorf("no kind of record is called %q", e.kind)
		}
		keys, err := queryAll(ctx, t, column[string], `SELECT DISTINCT `+cmp.Or(e.key, kind.parts[0].keys[0])+` FROM `+e.table+` WHERE `+e.where, id)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			records = append(records, recordOf(e.kind, key))
		}
	}
	_, err := t.exec(ctx, e.statement(), id)
	return records, err
}

// lockUnerased locks the row of a user until the transaction ends; contract.ErrErased if the data of the person were asked to be erased. The condition is a
// statement after the lock: an erasure that is in progress ends before it is read.
func lockUnerased(ctx context.Context, t tx, id contract.PersonID) error {
	if err := lockExistingUser(ctx, t, id); err != nil {
		return err
	}
	var erased bool
	err := queryOne(ctx, t, []any{&erased}, `SELECT EXISTS (SELECT 1 FROM erasure WHERE person = $1)`, id)
	if err == nil && erased {
		return contract.ErrErased
	}
	return err
}

// EraseGuest implements [store.Erasures]. A guest who is added meanwhile was entered anew.
func (s *Store) EraseGuest(ctx context.Context, of contract.OrganisationID, who contract.GuestContact, at time.Time, made func(count int) contract.Event) error {
	conditions, values := []string{`lower(p.email) = lower($2)`}, [][]any{{who.Email}}
	if who.Email == "" {
		written, err := s.writtenPhones(ctx, of, who.Phone)
		if err != nil {
			return err
		}
		conditions, values = nil, nil
		for some := range slices.Chunk(written, int(eraseBatch)) {
			in, args := listArgsFrom(2, some)
			conditions, values = append(conditions, `p.phone IN `+in), append(values, args)
		}
	}
	err := s.db.withTx(ctx, func(t tx) error {
		if err := requireUnheld(ctx, t, of, 0); err != nil {
			return err
		}
		count := 0
		for i, condition := range conditions {
			guests, args := `participant p JOIN document d ON d.id = p.document WHERE d.organisation = $1 AND p.guest AND `+condition, slices.Insert(values[i], 0, any(of))
			var n int
			if err := queryOne(ctx, t, []any{&n}, `SELECT COUNT(*) FROM `+guests, args...); err != nil {
				return err
			}
			count += n
			marked := fmt.Sprintf(`INSERT INTO erased_guest (document, person, erased_at) SELECT p.document, p.person, CAST($%d AS BIGINT) FROM %s ON CONFLICT DO NOTHING`, len(args)+1, guests)
			if _, err := t.exec(ctx, marked, append(args, toMicros(at))...); err != nil {
				return err
			}
		}
		if who.Email != "" {
			if err := eraseInvitations(ctx, t, of, who.Email); err != nil {
				return err
			}
		}
		return logEntry{events: []contract.Event{made(count)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "erase a guest of %s", of)
}

// eraseInvitations erases the invitations of an address to an organisation, and the messages with them.
func eraseInvitations(ctx context.Context, t tx, of contract.OrganisationID, address string) error {
	if _, err := t.exec(ctx, `DELETE FROM invitation WHERE organisation = $1 AND email_folded = $2`, of, foldText(address)); err != nil {
		return err
	}
	text, err := json.Marshal(foldText(address)) // see namesPerson
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `DELETE FROM notice WHERE document = 0 AND organisation = $1 AND kind = $3 AND replace(lower(account), $2, '') <> lower(account)`, of, string(text), contract.NoticeInvitation)
	return err
}

// writtenPhones returns how a phone number in international form is written for guests of an organisation. That of a guest whom messages reach by mail is as the owner
// entered it. The statement compares the last digits, which all spellings share, and [contract.ParsePhone] decides.
func (s *Store) writtenPhones(ctx context.Context, of contract.OrganisationID, number string) ([]string, error) {
	digits := `p.phone`
	for _, separator := range contract.PhoneSeparators {
		digits = `replace(` + digits + `, '` + string(separator) + `', '')`
	}
	const shared = 6 // a number has at least eight digits, of which the first two may be written otherwise
	all, err := readAll(ctx, s, column[string], `SELECT DISTINCT p.phone FROM participant p JOIN document d ON d.id = p.document
		WHERE d.organisation = $1 AND p.guest AND p.phone <> '' AND `+digits+` LIKE '%' || CAST($2 AS TEXT) || '%'`, of, number[len(number)-shared:])
	if err != nil {
		return nil, wrapf(err, "read the phone numbers of guests of %s", of)
	}
	return slices.DeleteFunc(all, func(written string) bool { parsed, _ := contract.ParsePhone(written); return parsed != number }), nil
}

// ErasedGuests implements [store.Erasures].
func (s *Store) ErasedGuests(ctx context.Context, id contract.DocumentID) ([]contract.PersonID, error) {
	all, err := readAll(ctx, s, column[contract.PersonID], `SELECT person FROM erased_guest WHERE document = $1`, id)
	return all, wrapf(err, "read the erased guests of document %d", id)
}

// onErasableDocument joins the document d of participant p if [contract.EraseParticipant] would remove them. $1 is the name of those who were removed.
const onErasableDocument = ` JOIN document d ON d.id = p.document WHERE (p.name <> $1 OR p.email <> '' OR p.phone <> '') AND d.state IN ('draft', 'canceled', 'expired') AND d.delegations = ''
	AND NOT EXISTS (SELECT 1 FROM participant o WHERE o.document = p.document AND (o.signed_at <> 0 OR o.intent_at <> 0))
	AND NOT EXISTS (SELECT 1 FROM revision v WHERE v.document = p.document AND v.kind = 'signature') AND NOT ` + isHeld

// selectErasable selects the people of [Store.ErasableParticipants]: those of accounts that still have their address; of the others, those who did not sign, so that
// what ends after the erasure is found; and marked guests, and the marked readers among the people with accounts.
const selectErasable = `SELECT document, person FROM (
	SELECT p.document, p.person FROM erasure e JOIN users u ON u.id = e.person JOIN participant p ON lower(p.email) = lower(u.email) AND p.person = e.person` + onErasableDocument + ` AND e.done_at = 0
	UNION SELECT p.document, p.person FROM erasure e JOIN participant p ON p.person = e.person AND p.role = 'signer' AND p.signed_at = 0` + onErasableDocument + `
	UNION SELECT p.document, p.person FROM erased_guest e JOIN participant p ON p.document = e.document AND p.person = e.person` + onErasableDocument + `) found
	WHERE document > $2 OR document = $2 AND person > $3 ORDER BY document, person LIMIT $4`

// ErasableParticipants implements [store.Erasures].
func (s *Store) ErasableParticipants(ctx context.Context, after store.ErasableParticipant, limit int) ([]store.ErasableParticipant, error) {
	all, err := readAll(ctx, s, func(p *store.ErasableParticipant) []any { return []any{&p.Document, &p.Person} }, selectErasable,
		contract.ErasedName, after.Document, after.Person, limit)
	return all, wrapf(err, "read people to erase from documents")
}

// ForgetParticipant implements [store.Erasures].
func (s *Store) ForgetParticipant(ctx context.Context, p store.ErasableParticipant) error {
	err := s.db.withTx(ctx, func(t tx) error {
		var o contract.OrganisationID
		err := queryOne(ctx, t, []any{&o}, `SELECT organisation FROM document WHERE id = $1`, p.Document)
		if err == nil {
			err = requireUnheld(ctx, t, o, p.Document)
		}
		if err != nil {
			return err
		}
		for _, sql := range []string{
			`DELETE FROM notice WHERE document = $1 AND person = $2`,
			`DELETE FROM guest_code WHERE document = $1 AND person = $2`,
			`DELETE FROM proved_mailbox WHERE token IN (SELECT hash FROM token WHERE document = $1 AND person = $2)`,
			`DELETE FROM mailed_link WHERE document = $1 AND person = $2`,
		} {
			if _, err := t.exec(ctx, sql, p.Document, p.Person); err != nil {
				return err
			}
		}
		return nil
	})
	return wrapf(err, "erase what person %s got about document %d", p.Person, p.Document)
}

// ForgetCodes implements [store.Erasures].
func (s *Store) ForgetCodes(ctx context.Context) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `DELETE FROM guest_code WHERE EXISTS (SELECT 1 FROM erased_guest r JOIN document d ON d.id = r.document
			WHERE r.document = guest_code.document AND r.person = guest_code.person AND d.state NOT IN ('processing', 'failed') AND NOT `+isHeld+`)`)
		return err
	})
	return wrapf(err, "erase the codes of guests")
}
