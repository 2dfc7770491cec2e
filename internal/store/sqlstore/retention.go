package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// isRemovedFile returns a condition on a column with the key of a file: it was removed. The indexes of the schema have the same expression.
func isRemovedFile(column string) string { return `substr(` + column + `, 1, 8) = 'removed/'` }

// isKeptFile is the opposite of isRemovedFile.
func isKeptFile(column string) string { return `substr(` + column + `, 1, 8) <> 'removed/'` }

// asRemovedFile returns the expression for the key of a file once it is removed.
func asRemovedFile(column string) string { return `'removed/' || ` + column }

// isHeld is true for the document d if a legal hold covers it.
const isHeld = `EXISTS (SELECT 1 FROM legal_hold h WHERE h.organisation = d.organisation AND h.document IN (0, d.id) AND h.lifted_at = 0)`

// Retention implements [store.Retentions].
func (s *Store) Retention(ctx context.Context, o contract.OrganisationID) (r contract.Retention, err error) {
	err = s.readRow(ctx, []any{&r.Years}, `SELECT COALESCE((SELECT years FROM retention WHERE organisation = $1), 0)`, o)
	return r, wrapf(err, "read the retention of organisation %s", o)
}

// Retentions implements [store.Retentions].
func (s *Store) Retentions(ctx context.Context) (map[contract.OrganisationID]contract.Retention, error) {
	type row struct {
		organisation contract.OrganisationID
		retention    contract.Retention
	}
	all, err := readAll(ctx, s, func(r *row) []any { return []any{&r.organisation, &r.retention.Years} }, `SELECT organisation, years FROM retention r WHERE years > 0 AND NOT EXISTS (SELECT 1 FROM organisation_state s WHERE s.id = r.organisation AND s.state <> 'active')`)
	found := make(map[contract.OrganisationID]contract.Retention, len(all))
	for _, r := range all {
		found[r.organisation] = r.retention
	}
	return found, wrapf(err, "read the retention of organisations")
}

// SetRetention implements [store.Retentions].
func (s *Store) SetRetention(ctx context.Context, o contract.OrganisationID, r contract.Retention, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, o); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO retention (organisation, years, changed_at) VALUES ($1, $2, $3)
			ON CONFLICT (organisation) DO UPDATE SET years = excluded.years, changed_at = excluded.changed_at`, o, r.Years, toMicros(e.At)); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM removal_notice WHERE organisation = $1`, o); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("retention", o)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the retention of organisation %s", o)
}

// requireRetention refuses a removal under another retention than the organisation has. The transaction has locked the organisation.
func requireRetention(ctx context.Context, t tx, o contract.OrganisationID, years int) error {
	var now int
	err := queryOne(ctx, t, []any{&now}, `SELECT COALESCE((SELECT years FROM retention WHERE organisation = $1), 0)`, o)
	if err == nil && now != years {
		return store.ErrConflict
	}
	return err
}

var holdRows = rowType[contract.Hold]{"legal_hold", `id, organisation, document, reason, set_at, lifted_at`, func(h *contract.Hold) []any {
	return []any{&h.ID, &h.Organisation, &h.Document, &h.Reason, scanTime(&h.SetAt), scanTime(&h.LiftedAt)}
}}

// AddHold implements [store.Retentions]. A transaction that deletes or erases locks the organisation too, and then looks for holds.
func (s *Store) AddHold(ctx context.Context, h contract.Hold, e contract.Event) error {
	err := s.runWithAnswer(ctx, func(t tx) (any, error) {
		if err := lockOrganisation(ctx, t, h.Organisation); err != nil {
			return nil, err
		}
		var known, removed bool
		var lasting int
		err := queryOne(ctx, t, []any{&known, &removed, &lasting}, `SELECT EXISTS (SELECT 1 FROM document WHERE id = $2 AND organisation = $1),
			EXISTS (SELECT 1 FROM removed_document WHERE document = $2), (SELECT COUNT(*) FROM legal_hold WHERE organisation = $1 AND lifted_at = 0)`, h.Organisation, h.Document)
		switch {
		case err != nil:
			return nil, err
		case h.Document != 0 && !known:
			return nil, contract.ErrNotFound
		case removed: // a backup may keep its files for some minutes more, but nothing stops their deletion
			return nil, contract.ErrRemoved
		case lasting >= contract.MaxHolds:
			return nil, contract.ErrManyHolds
		}
		if _, err := t.exec(ctx, `INSERT INTO legal_hold (`+holdRows.columns+`) VALUES (`+placeholders(1, 6)+`)`,
			h.ID, h.Organisation, h.Document, cleanText(h.Reason), toMicros(h.SetAt), toMicros(h.LiftedAt)); err != nil {
			return nil, err
		}
		return h, logEntry{events: []contract.Event{e}, records: []record{recordOf("legal_hold", h.ID)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "add a legal hold of organisation %s", h.Organisation)
}

// LiftHold implements [store.Retentions].
func (s *Store) LiftHold(ctx context.Context, o contract.OrganisationID, id contract.HoldID, at time.Time, made func(contract.Hold) contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `UPDATE legal_hold SET lifted_at = $3 WHERE id = $2 AND (organisation = $1 OR $1 = '') AND lifted_at = 0`, o, id, toMicros(at)); err != nil {
			return err
		}
		var h contract.Hold
		if err := queryOne(ctx, t, holdRows.dest(&h), holdRows.selectWhere(`WHERE id = $1`), id); err != nil {
			return err
		}
		// What an owner was told before the hold is years old: they are told again.
		if _, err := t.exec(ctx, `DELETE FROM removal_notice WHERE organisation = $1 AND (document = $2 OR CAST($2 AS BIGINT) = 0)`, h.Organisation, h.Document); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{made(h)}, records: []record{recordOf("legal_hold", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "lift legal hold %s", id)
}

// Holds implements [store.Retentions].
func (s *Store) Holds(ctx context.Context, o contract.OrganisationID, offset, limit int) (all []contract.Hold, total int, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if err := queryOne(ctx, q, []any{&total}, `SELECT COUNT(*) FROM legal_hold WHERE organisation = $1 AND lifted_at = 0`, o); err != nil {
			return err
		}
		all, err = queryAll(ctx, q, holdRows.dest, holdRows.selectWhere(`WHERE organisation = $1 AND lifted_at = 0 ORDER BY set_at DESC, id LIMIT $2 OFFSET $3`), o, limit, offset)
		return err
	})
	return all, total, wrapf(err, "read the legal holds of organisation %s", o)
}

// requireUnheld locks an organisation until the transaction ends, and returns contract.ErrHeld while a legal hold covers a document of it; 0: all of it.
func requireUnheld(ctx context.Context, t tx, o contract.OrganisationID, id contract.DocumentID) error {
	if err := lockOrganisation(ctx, t, o); err != nil {
		return err
	}
	var held bool
	err := queryOne(ctx, t, []any{&held}, `SELECT EXISTS (SELECT 1 FROM legal_hold WHERE organisation = $1 AND document IN (0, $2) AND lifted_at = 0)`, o, id)
	if err == nil && held {
		return contract.ErrHeld
	}
	return err
}

// isKeptDocument selects the completed documents d of organisation $1 whose files are there, with the terms of the index document_kept.
var isKeptDocument = `d.organisation = $1 AND d.state = 'completed' AND ` + isKeptFile("d.original_key")

// DueRemovals implements [store.Retentions].
func (s *Store) DueRemovals(ctx context.Context, q store.RemovalQuery) (all []store.DueRemoval, total int, err error) {
	c := condition{args: []any{q.Organisation}, terms: []string{isKeptDocument}}
	c.addTerm(`d.ended_at <= %s`, toMicros(q.CompletedBy))
	if !q.AnnouncedBy.IsZero() {
		c.addTerm(`EXISTS (SELECT 1 FROM removal_notice n WHERE n.document = d.id AND n.person = d.owner AND n.announced_at <= %s)`, toMicros(q.AnnouncedBy))
		c.terms = append(c.terms, `NOT `+isHeld)
	}
	where := ` FROM document d WHERE ` + strings.Join(c.terms, " AND ")
	counted := slices.Clone(c.args)
	page := where
	if q.After.Document != 0 {
		page += fmt.Sprintf(` AND (d.ended_at, d.id) > (%s, %s)`, c.addArg(toMicros(q.After.CompletedAt)), c.addArg(q.After.Document))
	}
	page += fmt.Sprintf(` ORDER BY d.ended_at, d.id LIMIT %s OFFSET %s`, c.addLimit(q.Limit), c.addArg(q.Offset))
	err = s.db.withSnapshot(ctx, func(r querier) error {
		all, err = queryAll(ctx, r, func(d *store.DueRemoval) []any {
			return []any{&d.Document, &d.Name, &d.Title, &d.Owner.ID, &d.Owner.Name, &d.Owner.Email, scanTime(&d.CompletedAt), scanTime(&d.AnnouncedAt), &d.Held}
		}, `SELECT d.id, d.name, d.title, d.owner, d.owner_name, d.owner_email, d.ended_at,
			COALESCE((SELECT n.announced_at FROM removal_notice n WHERE n.document = d.id AND n.person = d.owner), 0), `+isHeld+page, c.args...)
		if err != nil || !q.AnnouncedBy.IsZero() {
			return err
		}
		return queryOne(ctx, r, []any{&total}, fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT d.id%s LIMIT %d) found`, where, store.SearchLimit), counted...)
	})
	return all, total, wrapf(err, "read the documents of organisation %s that are due to be removed", q.Organisation)
}

// isToBeAnnounced selects the documents d of organisation $1 that were completed by $2, and of which their owner was not told. An owner whose account is disabled gets no
// message, so their documents stay until they are transferred.
var isToBeAnnounced = isKeptDocument + ` AND d.ended_at <= $2 AND NOT EXISTS (SELECT 1 FROM removal_notice n WHERE n.document = d.id AND n.person = d.owner)
	AND NOT EXISTS (SELECT 1 FROM disabled_account x WHERE x.person = d.owner) AND NOT ` + isHeld

// OwnersToTell implements [store.Retentions].
func (s *Store) OwnersToTell(ctx context.Context, o contract.OrganisationID, completedBy, since time.Time, limit int) ([]contract.PersonID, error) {
	all, err := readAll(ctx, s, column[contract.PersonID], `SELECT DISTINCT d.owner FROM document d WHERE `+isToBeAnnounced+`
		AND NOT EXISTS (SELECT 1 FROM removal_notice r WHERE r.organisation = $1 AND r.person = d.owner AND r.announced_at > $3) ORDER BY d.owner LIMIT $4`,
		o, toMicros(completedBy), toMicros(since), limit)
	return all, wrapf(err, "read whom to tell of removals in organisation %s", o)
}

// AnnounceRemovals implements [store.Retentions]. The lock on the organisation keeps two processes from telling a person twice.
func (s *Store) AnnounceRemovals(ctx context.Context, o contract.OrganisationID, owner contract.PersonID, completedBy, now time.Time, limit int, made func(store.Announcement) (contract.Notice, contract.Event)) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, o); err != nil {
			return err
		}
		var told bool
		if err := queryOne(ctx, t, []any{&told}, `SELECT EXISTS (SELECT 1 FROM removal_notice WHERE organisation = $1 AND person = $2 AND announced_at = $3)`, o, owner, toMicros(now)); err != nil || told {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO removal_notice (document, organisation, person, announced_at)
			SELECT d.id, d.organisation, d.owner, CAST($4 AS BIGINT) FROM document d WHERE `+isToBeAnnounced+` AND d.owner = $3 ORDER BY d.ended_at, d.id LIMIT $5
			ON CONFLICT (document) DO UPDATE SET person = excluded.person, announced_at = excluded.announced_at`,
			o, toMicros(completedBy), owner, toMicros(now), limit); err != nil {
			return err
		}
		a := store.Announcement{Owner: owner}
		err := queryOne(ctx, t, []any{&a.Documents, scanTime(&a.Last)}, `SELECT COUNT(*), COALESCE(MAX(d.ended_at), 0) FROM removal_notice n JOIN document d ON d.id = n.document
			WHERE n.organisation = $1 AND n.person = $2 AND n.announced_at = $3`, o, owner, toMicros(now))
		if err != nil || a.Documents == 0 {
			return err
		}
		notice, e := made(a)
		notices := []contract.Notice{notice}
		if err := insertNotices(ctx, t, notices); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, jobs: noticeJobs(notices)}.appendToLog(ctx, t)
	})
	return wrapf(err, "tell %s of removals", owner)
}

var removalRows = rowType[contract.Removal]{"removed_document", `document, removed_at, years, digest, evidence`, func(r *contract.Removal) []any {
	return []any{&r.Document, scanTime(&r.At), &r.Years, scanDigest(&r.Digest), scanDigest(&r.Evidence)}
}}

// Removal implements [store.Retentions].
func (s *Store) Removal(ctx context.Context, id contract.DocumentID) (contract.Removal, error) {
	r, err := removalRows.readOne(ctx, s, `WHERE document = $1`, id)
	return r, wrapf(err, "read the removal of document %d", id)
}

// RemovalByDigest implements [store.Retentions].
func (s *Store) RemovalByDigest(ctx context.Context, digest [32]byte) (contract.Removal, error) {
	r, err := removalRows.readOne(ctx, s, `WHERE document = (SELECT MIN(v.document) FROM revision v WHERE v.digest = $1 AND `+isRemovedFile("v.file_key")+` AND v.kind NOT IN ('base', 'fields'))`, digest[:])
	return r, wrapf(err, "find the removal of a file")
}

// removedFiles are what a removal removes besides the files of revisions.
type removedFiles struct {
	keys    []string
	records []record
	files   []statedRecord
}

// removeFiles records that the files of the document are removed: those of revisions, of its evidence certificate, and what the stamp office sent for it. It returns store.ErrConflict if the document
// has another evidence certificate than the removal names, its organisation another retention, or its owner was not told long enough ago. What replaces an evidence certificate locks the document, as
// the change does that this belongs to.
func (w *documentWriter) removeFiles(ctx context.Context, r contract.Removal) (removed removedFiles, err error) {
	if err := requireRetention(ctx, w, w.after.Organisation, r.Years); err != nil {
		return removed, err
	}
	var told bool
	err = queryOne(ctx, w, []any{&told}, `SELECT EXISTS (SELECT 1 FROM removal_notice WHERE document = $1 AND person = $2 AND announced_at <= $3)`, r.Document, w.after.Owner.ID, toMicros(r.At.Add(-contract.RemovalNotice)))
	if err == nil && !told {
		err = store.ErrConflict
	}
	if err != nil {
		return removed, err
	}
	type file struct {
		key    string
		size   int64
		digest [32]byte
	}
	scan := func(f *file) []any { return []any{&f.key, &f.size, scanDigest(&f.digest)} }
	evidence, err := queryAll(ctx, w, scan, `SELECT file_key, file_size, file_digest FROM evidence WHERE document = $1`, r.Document)
	if err != nil {
		return removed, err
	}
	var certificate file
	if len(evidence) > 0 {
		certificate = evidence[0]
	}
	if certificate.digest != r.Evidence {
		return removed, store.ErrConflict
	}
	office, err := queryAll(ctx, w, scan, `SELECT DISTINCT evidence_key, evidence_size, evidence_digest FROM attempt WHERE document = $1 AND evidence_key <> ''`, r.Document)
	if err != nil {
		return removed, err
	}
	const ofAttempts = `serial IN (SELECT a.serial FROM attempt a WHERE a.document = $1 AND a.evidence_key = serial.evidence_key) AND evidence_key <> ''`
	serials, err := queryAll(ctx, w, column[string], `SELECT serial FROM serial WHERE `+ofAttempts, r.Document)
	if err != nil {
		return removed, err
	}
	for _, f := range slices.Concat(evidence, office) {
		removed.keys = append(removed.keys, f.key)
		removed.files = append(removed.files, statedRecord{recordOf(recordFile, f.key), noRecord})
	}
	for _, serial := range serials {
		removed.records = append(removed.records, recordOf("serial", serial))
	}
	if len(evidence) > 0 {
		removed.records = append(removed.records, recordOf("evidence", r.Document))
	}
	removed.records = append(removed.records, recordOf("removed_document", r.Document))
	for _, sql := range []string{
		`UPDATE revision SET file_key = ` + asRemovedFile("file_key") + ` WHERE document = $1`,
		`UPDATE evidence SET file_key = ` + asRemovedFile("file_key") + ` WHERE document = $1`,
		`UPDATE serial SET evidence_key = ` + asRemovedFile("evidence_key") + ` WHERE ` + ofAttempts, // before those of the attempts, by which it finds them
		`UPDATE attempt SET evidence_key = ` + asRemovedFile("evidence_key") + ` WHERE document = $1 AND evidence_key <> ''`,
		`DELETE FROM renewal WHERE document = $1`,
	} {
		if _, err := w.exec(ctx, sql, r.Document); err != nil {
			return removed, err
		}
	}
	if err := moveStorage(ctx, w, w.after.Organisation, contract.Usage{Storage: contract.Storage{Bytes: -certificate.size}, Evidence: -certificate.size}, nil); err != nil {
		return removed, err
	}
	_, err = w.exec(ctx, `INSERT INTO removed_document (`+removalRows.columns+`) VALUES (`+placeholders(1, 5)+`)`, r.Document, toMicros(r.At), r.Years, r.Digest[:], r.Evidence[:])
	return removed, err
}
