package sqlstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"segel/internal/contract"
)

// A record is the set of rows that describe one thing, such as a document with its participants and revisions. Each transaction
// that writes a record logs its digest, so that a row that is changed, added or removed in any other way no longer matches the
// log (docs/formats/record.md). It digests the rows that its statements return, those that the values it writes become, and the
// others as it reads them back.

// recordPart is the rows of one table that belong to a record. Rows are unordered: they are sorted by their encoding.
type recordPart struct {
	table   string
	columns []string // all digested columns, in this order
	keys    []string // columns that make up the record's key
}

// recordKind defines the contents of a kind of record. The columns that a kind digests never change: later columns need a new
// kind, and records of the previous kind remain comparable until they are written again.
type recordKind struct {
	name  string
	parts []recordPart
}

func newRecordPart(table, keys, columns string) recordPart {
	return recordPart{table: table, keys: strings.Fields(keys), columns: strings.Fields(strings.ReplaceAll(columns, ",", " "))}
}

// recordKinds lists all kinds. The first part of each is the one whose rows exist exactly when the record does.
var recordKinds = []recordKind{
	{"document", []recordPart{
		newRecordPart("document", "id", `id, version, organisation, owner, owner_name, owner_email, name, title, title_folded, filename, state, mode, parallel,
			pages, original_key, original_size, original_digest, original_sums, created_at, finalized_at, ended_at, expires_at, last_signed_at,
			reminded_at, restamping, specimen, reason, due_at, waits_since, conversion, conversion_problem, conversion_warnings, findings, examined`),
		newRecordPart("participant", "document", `position, person, name, email, phone, role, number, guest, field, viewed_at, signed_at, intent_at`),
		newRecordPart("placement", "document", `position, kind, page, llx, lly, urx, ury, person`),
		newRecordPart("stamp", "document", `position, placement, state, order_id, serial, source, attempts, problem, affixed_at, let_go, asked_at, failures`),
		newRecordPart("revision", "document", `position, kind, file_key, file_size, file_digest, file_sums, begins, ends, digest, midstate, person, made_at, next_object`),
		newRecordPart("attempt", "document", `position, number, organisation, call, order_id, serial, source, made_at, answered_at, outcome, code, said,
			evidence_key, evidence_size, evidence_digest, evidence_sums`),
		newRecordPart("box", "document", `person, box, state, day`),
		newRecordPart("renewal", "document", `due_at`),
		newRecordPart("guest_link", "document", `hash, person, created_at`),
	}},
	{"serial", []recordPart{newRecordPart("serial", "serial", `serial, organisation, state, document, placement, source, former, let_go, problem,
		evidence_key, evidence_size, evidence_digest, evidence_sums, taken_at, changed_at`)}},
	{"organisation", []recordPart{newRecordPart("organisation", "id", `id, name, created_at`)}},
	{"organisation_state", []recordPart{newRecordPart("organisation_state", "id", `id, state, reason, changed_at`)}},
	{"user", []recordPart{newRecordPart("users", "id", `id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, given, created_at`)}},
	{"mailbox_account", []recordPart{newRecordPart("mailbox_account", "person", `person, mailbox, proved_at`)}},
	{"disabled_account", []recordPart{newRecordPart("disabled_account", "person", `person, disabled_at`)}},
	{"erasure", []recordPart{newRecordPart("erasure", "person", `person, organisation, asked_by, asked_at, done_at`)}},
	{"api_key", []recordPart{newRecordPart("api_key", "id", `id, hash, organisation, person, name, hint, scopes, networks, test, created_at, expires_at, revoked_at`)}},
	{"account_role", []recordPart{newRecordPart("account_role", "person", `person, role, changed_at`)}},
	{"test_document", []recordPart{newRecordPart("test_document", "document", `document`)}},
	{"document_roles", []recordPart{newRecordPart("document_roles", "document", `document, roles`)}},
	{"document_team", []recordPart{newRecordPart("document_team", "document", `document, team`)}},
	{"document_template", []recordPart{newRecordPart("document_template", "document", `document, template, placeholders`)}},
	{"team", []recordPart{
		newRecordPart("team", "id", `id, organisation, name, name_folded, created_at, deleted_at`),
		newRecordPart("team_member", "team", `person`),
	}},
	{"authenticator", []recordPart{newRecordPart("authenticator", "person", `person, secret, created_at`)}},
	{"passkey", []recordPart{newRecordPart("passkey", "id", `id, person, name, public_key, model, transports, backup_eligible, created_at`)}},
	{"recovery_codes", []recordPart{newRecordPart("recovery_code", "person", `person, hash`)}},
	{"branding", []recordPart{newRecordPart("branding", "organisation", `organisation, colour, logo, image, changed_at`)}},
	{"consent_text", []recordPart{newRecordPart("consent_text", "organisation version", `organisation, version, text_id, text_en, made_at`)}},
	{"consent_policy", []recordPart{newRecordPart("consent_policy", "organisation", `organisation, version, required, changed_at`)}},
	{"reminder_schedule", []recordPart{newRecordPart("reminder_schedule", "organisation", `organisation, after_days, every_days, before_days, changed_at`)}},
	{"organisation_locale", []recordPart{newRecordPart("organisation_locale", "organisation", `organisation, language, zone, changed_at`)}},
	{"account_policy", []recordPart{newRecordPart("account_policy", "organisation", `organisation, policy, changed_at`)}},
	{"retention", []recordPart{newRecordPart("retention", "organisation", `organisation, years, changed_at`)}},
	{"legal_hold", []recordPart{newRecordPart("legal_hold", "id", `id, organisation, document, reason, set_at, lifted_at`)}},
	{"removed_document", []recordPart{newRecordPart("removed_document", "document", `document, removed_at, years, digest, evidence`)}},
	{"embedding", []recordPart{newRecordPart("embedding", "organisation", `organisation, origins, changed_at`)}},
	{"evidence", []recordPart{newRecordPart("evidence", "document", `document, file_key, file_size, file_digest, file_sums, made_at`)}},
	{"specimen", []recordPart{newRecordPart("specimen", "person", `person, image`)}},
	{"initials", []recordPart{newRecordPart("initials_specimen", "person", `person, image`)}},
	{"credential", []recordPart{
		newRecordPart("credential", "id", `id, holder, sealed_key, not_before, not_after, created_at`),
		newRecordPart("credential_chain", "credential", `position, der`),
	}},
	{"master_key", []recordPart{newRecordPart("master_key", "id", `id, announced_at, used_at, retired_at`)}},
	{"derived_key", []recordPart{newRecordPart("derived_key", "purpose", `purpose, sealed`)}},
	{"certificate", []recordPart{newRecordPart("certificate", "serial", `serial, subject, der, issued_at, not_after, revoked_at, reason, holder,
		assurance, named_by, organisation, email`)}},
	{"quota", []recordPart{newRecordPart("quota", "organisation unit", `organisation, unit, granted, reserved, spent, entries, initial_at`)}},
	{"quota_entry", []recordPart{newRecordPart("quota_entry", "organisation unit number", `organisation, unit, number, op, amount, document, reason, made_at,
		person, person_name, person_email`)}},
	{"reconciliation", []recordPart{newRecordPart("reconciliation", "number", `number, made_at, report`)}},
	{"installation", []recordPart{newRecordPart("installation", "one", `one, id, authority, created_at, completed_at, stamp_office`)}},
	{"clock", []recordPart{newRecordPart("log_size", "id", `timestamp_at, timestamp_accuracy`)}},
}

// recordFile is the kind of a line that names a stored file by its key. Its digest is the SHA-256 of the file.
const recordFile = "file"

// recordSalt is the kind of the first line of an event. It has 32 random bytes instead of a digest, so that the contents of
// the lines cannot be guessed from their digest, which is in the leaf.
const recordSalt = "salt"

// record identifies a record.
type record struct {
	kind string
	key  string // its parts, each escaped for a URL's query, separated by "/"
}

func recordOf(kind string, key ...any) record { return record{kind, recordKey(key...)} }

func recordKey(key ...any) string {
	parts := make([]string, len(key))
	for i, k := range key {
		switch k := k.(type) {
		case int64:
			parts[i] = strconv.FormatInt(k, 10)
		case contract.DocumentID:
			parts[i] = strconv.FormatInt(int64(k), 10)
		case string:
			parts[i] = url.QueryEscape(cleanText(k))
		default:
			parts[i] = url.QueryEscape(cleanText(fmt.Sprint(k)))
		}
	}
	return strings.Join(parts, "/")
}

func findRecordKind(name string) (recordKind, bool) {
	i := slices.IndexFunc(recordKinds, func(k recordKind) bool { return k.name == name })
	if i < 0 {
		return recordKind{}, false
	}
	return recordKinds[i], true
}

// noRecord is the digest of a record without rows.
var noRecord [32]byte

// recordDigest reads and digests the rows of a record. Without rows it returns [noRecord].
func recordDigest(ctx context.Context, q querier, r record) ([32]byte, error) {
	all, err := recordDigests(ctx, q, r.kind, []string{r.key})
	return all[r.key], err
}

// recordDigests is [recordDigest] for several records of a kind, with one query per table. Records without rows are missing
// from the result.
func recordDigests(ctx context.Context, q querier, name string, keys []string) (map[string][32]byte, error) {
	kind, known := findRecordKind(name)
	if !known {
		return nil, fmt.Errorf("no kind of record is called %q", name)
	}
	records := make(map[string]*writtenRecord, len(keys))
	for _, key := range keys {
		records[key] = newWrittenRecord(record{name, key})
	}
	reads := make([]statement, len(kind.parts))
	for i, p := range kind.parts {
		var err error
		if reads[i], err = p.selectRows(records, keys...); err != nil {
			return nil, fmt.Errorf("read %s of %s %s: %w", p.table, name, strings.Join(keys, ", "), err)
		}
		reads[i].what = fmt.Sprintf("read %s of %s %s", p.table, name, strings.Join(keys, ", "))
	}
	if err := q.runBatch(ctx, reads...); err != nil {
		return nil, err
	}
	all := make(map[string][32]byte, len(records))
	for key, r := range records {
		if digest := r.digest(kind); digest != noRecord {
			all[key] = digest
		}
	}
	return all, nil
}

// writtenRecord is a record with its encoded rows.
type writtenRecord struct {
	record
	// rows has the rows of the tables that are known, or will be when the statements that were added have run. The others are
	// read back before the record is logged.
	rows map[string][][]byte
}

func newWrittenRecord(r record) *writtenRecord {
	return &writtenRecord{record: r, rows: map[string][][]byte{}}
}

// addRow adds the row of a table, as it is stored.
func (w *writtenRecord) addRow(table string, values []any) error {
	row, err := appendValues(make([]byte, 0, encodedSize(values)), values)
	w.rows[table] = append(w.rows[table], row)
	return err
}

// digest returns the digest of the rows, or [noRecord] if there are none.
func (w *writtenRecord) digest(kind recordKind) [32]byte {
	rows, found := make([][][]byte, len(kind.parts)), false
	for i, p := range kind.parts {
		rows[i] = w.rows[p.table]
		found = found || len(rows[i]) > 0
	}
	if !found {
		return noRecord
	}
	return sha256.Sum256(kind.encode(rows))
}

// writeRow completes a statement that writes the only row of a record, so that it returns the row as it is stored. If the record
// has no key yet, it gets that of the row.
func (w *writtenRecord) writeRow(sql string, args ...any) (statement, error) {
	kind, known := findRecordKind(w.kind)
	if !known || len(kind.parts) != 1 {
		return statement{}, fmt.Errorf("a record of kind %q has more than one row", w.kind)
	}
	p := kind.parts[0]
	w.rows[p.table] = nil // known once the statement has run
	return statement{sql: sql + ` RETURNING ` + strings.Join(p.columns, ", "), args: args, each: func(scan scanFunc) error {
		values, dest := anyColumns(len(p.columns))
		if err := scan(dest...); err != nil {
			return err
		}
		if w.key == "" {
			key := make([]any, len(p.keys))
			for i, column := range p.keys {
				key[i] = values[slices.Index(p.columns, column)]
			}
			w.key = recordKey(key...)
		}
		return w.addRow(p.table, values)
	}}, nil
}

// anyColumns returns n values and where to scan them.
func anyColumns(n int) (values, dest []any) {
	values, dest = make([]any, n), make([]any, n)
	for i := range values {
		dest[i] = &values[i]
	}
	return values, dest
}

// lengthDigits is enough space for a length and the punctuation around it.
const lengthDigits = 12

// encode returns the input of a record's digest: its encoded rows, by part.
func (k recordKind) encode(rows [][][]byte) []byte {
	const head = "segel-record-1\n"
	size := len(head)
	for i, p := range k.parts {
		size += 2*lengthDigits + len(p.table)
		for _, row := range rows[i] {
			size += lengthDigits + len(row)
		}
	}
	b := append(make([]byte, 0, size), head...)
	for i, p := range k.parts {
		slices.SortFunc(rows[i], slices.Compare)
		b = appendNetstring(b, p.table)
		b = append(strconv.AppendInt(b, int64(len(rows[i])), 10), ';')
		for _, row := range rows[i] {
			b = appendNetstring(b, row)
		}
	}
	return b
}

// selectRows returns the statement that adds the rows of a part to the records with these keys.
func (p recordPart) selectRows(records map[string]*writtenRecord, keys ...string) (statement, error) {
	var c condition
	for _, key := range keys {
		values, err := p.keyValues(key)
		if err != nil {
			return statement{}, err
		}
		terms := make([]string, len(values))
		for i, v := range values {
			terms[i] = p.keys[i] + " = " + c.addArg(v)
		}
		c.terms = append(c.terms, strings.Join(terms, " AND "))
	}
	values, dest := anyColumns(len(p.keys) + len(p.columns))
	return statement{
		sql:  `SELECT ` + strings.Join(slices.Concat(p.keys, p.columns), ", ") + ` FROM ` + p.table + ` WHERE ` + strings.Join(c.terms, " OR "),
		args: c.args,
		each: func(scan scanFunc) error {
			if err := scan(dest...); err != nil {
				return err
			}
			r := records[recordKey(values[:len(p.keys)]...)]
			if r == nil {
				return fmt.Errorf("a row of %s has the key %v", p.table, values[:len(p.keys)])
			}
			return r.addRow(p.table, values[len(p.keys):])
		},
	}, nil
}

// keyValues splits the key of a record into query arguments. PostgreSQL does not compare numbers with text.
func (p recordPart) keyValues(key string) ([]any, error) {
	parts := strings.Split(key, "/")
	if len(parts) != len(p.keys) {
		return nil, fmt.Errorf("a key of %d parts, not of %d", len(parts), len(p.keys))
	}
	values := make([]any, len(parts))
	for i, part := range parts {
		text, err := url.QueryUnescape(part)
		if err != nil {
			return nil, err
		}
		values[i] = text
		if numericPattern[p.table+"."+p.keys[i]] {
			if values[i], err = strconv.ParseInt(text, 10, 64); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// numericPattern lists the key columns that are numbers.
var numericPattern = map[string]bool{
	"document.id": true, "participant.document": true, "placement.document": true, "stamp.document": true, "revision.document": true,
	"attempt.document": true, "box.document": true, "renewal.document": true, "guest_link.document": true, "evidence.document": true, "test_document.document": true, "document_roles.document": true, "document_team.document": true, "document_template.document": true, "removed_document.document": true,
	"quota_entry.number": true, "reconciliation.number": true, "installation.one": true, "log_size.id": true,
}

// encodedSize returns about how many bytes appendValues appends, rather more.
func encodedSize(values []any) int {
	const number = 22 // digits, sign, type and end; of a text its length
	n := number * len(values)
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// appendValues encodes the columns of a row. Both databases yield the same bytes for the same row.
func appendValues(b []byte, values []any) ([]byte, error) {
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case bool:
			b = append(b, "i0,"...) // SQLite has no other boolean
			if v {
				b[len(b)-2] = '1'
			}
		case int64:
			b = append(strconv.AppendInt(append(b, 'i'), v, 10), ',')
		case float64:
			b = append(strconv.AppendUint(append(b, 'f'), math.Float64bits(v), 16), ',')
		case string:
			b = appendNetstring(append(b, 't'), v)
		case []byte:
			b = appendNetstring(append(b, 'b'), v)
		default:
			return nil, fmt.Errorf("a column is %T", v)
		}
	}
	return b, nil
}

func appendNetstring[T string | []byte](b []byte, s T) []byte {
	b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
	return append(append(b, s...), ',')
}

// statedRecord is what the log says about a record or a file.
type statedRecord struct {
	record
	digest [32]byte // noRecord: removed
}

// documentArgOf lists, for each digested column of the table document, which of [documentWriter.documentArgs] it is.
var documentArgOf = func() []int {
	names := newRecordPart("", "", documentColumns+", id, title_folded, due_at, waits_since, remind_at").columns
	kind, _ := findRecordKind("document")
	order := make([]int, len(kind.parts[0].columns))
	for i, column := range kind.parts[0].columns {
		order[i] = slices.Index(names, column)
	}
	return order
}()

// encodeRecord returns the record of the document with the rows that the change leaves in the tables which are read into a
// [contract.Document]: the version that the change requires makes sure that no other writer changed them since. The rows of the
// other tables are read back, and after a deletion those of all.
func (w *documentWriter) encodeRecord(deleted bool) (*writtenRecord, error) {
	r, d := newWrittenRecord(recordOf("document", w.after.ID)), w.after
	if deleted {
		return r, nil
	}
	args, row := w.documentArgs(), make([]any, len(documentArgOf))
	for i, from := range documentArgOf {
		row[i] = args[from]
	}
	for _, table := range []struct {
		name string
		n    int
		args func(i int) []any
	}{
		{"document", 1, func(int) []any { return row }},
		{"participant", len(d.Participants), func(i int) []any { return participantArgs(i, &d.Participants[i]) }},
		{"placement", len(d.Placements), func(i int) []any { return placementArgs(i, &d.Placements[i]) }},
		{"stamp", len(d.Stamps), func(i int) []any { return stampArgs(i, &d.Stamps[i]) }},
		{"revision", len(d.Revisions), func(i int) []any { return revisionArgs(i, &d.Revisions[i]) }},
	} {
		r.rows[table.name] = nil
		for i := range table.n {
			if err := r.addRow(table.name, storedValues(table.args(i))); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// addReads adds the statements that read back the tables of records whose rows are not known. It leaves out the rest of a document, which
// selectRest reads, and returns that document.
func addReads(ctx context.Context, t tx, records []*writtenRecord) (rest *writtenRecord, err error) {
	for _, r := range records {
		kind, known := findRecordKind(r.kind)
		if !known {
			return nil, fmt.Errorf("no kind of record is called %q", r.kind)
		}
		if _, digested := r.rows["document"]; digested {
			rest = r
			continue
		}
		for _, p := range kind.parts {
			if _, known := r.rows[p.table]; known {
				continue
			}
			read, err := p.selectRows(map[string]*writtenRecord{r.key: r}, r.key)
			read.what = fmt.Sprintf("read %s of %s %s", p.table, r.kind, r.key)
			if err == nil {
				err = t.addStatements(ctx, read)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return rest, nil
}

// restOfDocument are the parts of a document that [documentWriter.encodeRecord] does not know.
var restOfDocument = func() []recordPart {
	kind, _ := findRecordKind("document")
	return slices.DeleteFunc(slices.Clone(kind.parts), func(p recordPart) bool {
		return slices.Contains([]string{"document", "participant", "placement", "stamp", "revision"}, p.table)
	})
}()

// restUnion selects the rows of restOfDocument of document $1, and restWidth is the number of its columns without the first.
var restUnion, restWidth = func() (union map[unionForm]string, width int) {
	var arms []unionArm
	for _, p := range restOfDocument {
		arms = append(arms, unionArm{columns: strings.Join(p.columns, ", "), width: len(p.columns), from: p.table, where: p.keys[0] + " = $1"})
		width = max(width, len(p.columns))
	}
	return map[unionForm]string{unionOfColumns: unionOfColumns.selectArms(arms, ""), unionOfRows: unionOfRows.selectArms(arms, "")}, width
}()

// selectRest returns one statement that adds the rows of restOfDocument to the record, and to h the hashes of the log that the last arm
// selects. With is what precedes the query; the arguments of both begin with $2.
func (w *writtenRecord) selectRest(form unionForm, h hashes, with string, last unionArm, args ...any) statement {
	scans := make([]func(scanFunc) error, len(restOfDocument), len(restOfDocument)+1)
	for i, p := range restOfDocument {
		scans[i] = func(scan scanFunc) error {
			values, dest := anyColumns(len(p.columns))
			if err := scan(dest...); err != nil {
				return err
			}
			return w.addRow(p.table, values)
		}
	}
	return statement{
		sql:  with + restUnion[form] + ` UNION ALL ` + form.selectArm(len(restOfDocument), last, restWidth),
		args: append([]any{documentKey(w.record)}, args...),
		each: form.scanArms(append(scans, h.scanHash)),
		what: "read the rest of document " + w.key,
	}
}

// formatLines returns the lines with the digests of records, each record once with what was written last, and of files.
func formatLines(records []*writtenRecord, files []statedRecord) (string, error) {
	digests := map[record][32]byte{}
	for _, r := range records {
		kind, known := findRecordKind(r.kind)
		if !known {
			return "", fmt.Errorf("no kind of record is called %q", r.kind)
		}
		digests[r.record] = r.digest(kind)
	}
	var lines []string
	for r, digest := range digests {
		lines = append(lines, statedRecord{r, digest}.formatLine())
	}
	for _, f := range files {
		lines = append(lines, f.formatLine())
	}
	if len(lines) == 0 {
		return "", nil
	}
	slices.Sort(lines)
	salt := statedRecord{record: recordOf(recordSalt, 1)}
	_, _ = rand.Read(salt.digest[:]) // it never fails
	return strings.Join(slices.Insert(lines, 0, salt.formatLine()), "\n"), nil
}

func hexDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (s statedRecord) formatLine() string {
	if s.digest == noRecord {
		return s.kind + " " + s.key + " -"
	}
	return s.kind + " " + s.key + " " + s.hexDigest()
}

func (s statedRecord) hexDigest() string { return hex.EncodeToString(s.digest[:]) }

var errRecords = errors.New("not lines about records")

// parseRecords parses what [formatLines] returns. It also returns kinds of later releases.
func parseRecords(text string) ([]statedRecord, error) {
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	all := make([]statedRecord, len(lines))
	for i, line := range lines {
		fields := strings.Split(line, " ")
		if len(fields) != 3 || fields[0] == "" {
			return nil, fmt.Errorf("line %d: %w", i+1, errRecords)
		}
		s := statedRecord{record: record{fields[0], fields[1]}}
		if fields[2] != "-" {
			digest, err := hex.DecodeString(fields[2])
			if err != nil || copy(s.digest[:], digest) != len(digest) || len(digest) != len(s.digest) {
				return nil, fmt.Errorf("line %d: %w", i+1, errRecords)
			}
		}
		all[i] = s
	}
	return all, nil
}

// filesOf lists the files of a document, each once. Evidence of attempts is not included: the change that adds it lists it.
func filesOf(d *contract.Document) map[string][32]byte {
	all := map[string][32]byte{}
	if d == nil || d.IsRemoved() {
		return all
	}
	if d.Original.Key != "" {
		all[d.Original.Key] = d.Original.Digest
	}
	for _, r := range d.Revisions {
		all[r.Tail.Key] = r.Tail.Digest
	}
	return all
}

// statedFiles returns the files that a change adds and those that it removes.
func statedFiles(c contract.Change, after *contract.Document) []statedRecord {
	before, now := filesOf(c.Before), filesOf(after)
	if c.Delete {
		now = nil
	}
	var all []statedRecord
	for key, digest := range now {
		if _, had := before[key]; !had {
			all = append(all, statedRecord{recordOf(recordFile, key), digest})
		}
	}
	for key := range before {
		if _, has := now[key]; !has {
			all = append(all, statedRecord{recordOf(recordFile, key), noRecord})
		}
	}
	for _, a := range c.Attempts {
		if a.Evidence.Key != "" {
			all = append(all, statedRecord{recordOf(recordFile, a.Evidence.Key), a.Evidence.Digest})
		}
	}
	return all
}
