package sqlstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// Remedies.
const (
	repairIt    = "Run segel fsck --repair"
	endSessions = "Run segel fsck --repair, which deletes the row: the person logs in again"
)

// Reasons for which [Checker.Repair] leaves derived data as it is.
const (
	whyNotMigrations = "it decides which programs may write, and what segel migrate does next: a person compares it with the release in use"
	whyNotAnswers    = "the request may have had an effect, which only a person can find out; the row is deleted within a day"
)

// Conditions of wrong rows of sessions.
const (
	tokenIsWrong = `(kind NOT IN ('access', 'refresh', 'guest', 'session', 'embedded') OR hash IS NULL OR length(hash) <> 32 OR family = ''
			OR created_at <= 0 OR expires_at < created_at OR used_at <> 0 AND used_at < created_at OR document < 0
			OR document = 0 AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = t.person)
			OR kind <> 'embedded' AND document <> 0 AND NOT EXISTS (SELECT 1 FROM participant p WHERE p.document = t.document AND p.person = t.person AND p.guest)
			OR kind = 'embedded' AND NOT EXISTS (SELECT 1 FROM document d WHERE d.id = t.document AND (d.owner = t.person OR EXISTS (
				SELECT 1 FROM participant p WHERE p.document = d.id AND p.person = t.person))))`
	deviceIsWrong  = `(length(hash) <> 32 OR used_at <= 0 OR NOT EXISTS (SELECT 1 FROM users u WHERE u.id = k.person))`
	addressIsWrong = `(address = '' OR used_at <= 0 OR NOT EXISTS (SELECT 1 FROM users u WHERE u.id = k.person))`
)

// rowCheck is a query for inconsistent rows. It returns text columns: the subject, and what is wrong.
type rowCheck struct {
	name     string
	severity store.Severity
	text     string // a format for the columns after the first
	remedy   string
	query    string

	// repair makes what a row of the query is about anew; nil: nothing does. See [Checker.Repair].
	repair func(ctx context.Context, to *Store, row []string) error
	why    string // nothing repairs it; of derived data
}

// storageTaken selects what documents add to the storage of their organisation, in several rows for each.
var storageTaken = `SELECT organisation, CASE WHEN state = 'draft' THEN 1 ELSE 0 END AS drafts, CASE WHEN ` + isKeptFile("original_key") + ` THEN original_size ELSE 0 END AS bytes,
		1 AS documents, CASE WHEN ` + isKeptFile("original_key") + ` THEN original_size ELSE 0 END AS originals, 0 AS evidence FROM document
	UNION ALL SELECT d.organisation, 0, r.file_size, 0, 0, 0 FROM revision r JOIN document d ON d.id = r.document WHERE r.file_key <> d.original_key AND ` + isKeptFile("r.file_key") + `
	UNION ALL SELECT d.organisation, 0, e.file_size, 0, 0, e.file_size FROM evidence e JOIN document d ON d.id = e.document WHERE ` + isKeptFile("e.file_key")

// maxPerCheck bounds the rows that one check reports.
const maxPerCheck = 1000

// rowChecks compare tables with each other. All of them run on one snapshot. Numbers are cast to text, which works in both
// databases.
var rowChecks = []rowCheck{
	{name: "quota", severity: store.SeverityEvidence, text: "granted, reserved, spent and the number of entries are off by %s, %s, %s, %s from the sum of the ledger", remedy: restoreDatabase, query: `
		SELECT 'quota of ' || organisation || ' ' || unit, CAST(SUM(g) AS TEXT), CAST(SUM(r) AS TEXT), CAST(SUM(s) AS TEXT), CAST(SUM(e) AS TEXT) FROM (
			SELECT organisation, unit, granted AS g, reserved AS r, spent AS s, entries AS e FROM quota UNION ALL
			SELECT organisation, unit, CASE op WHEN 'grant' THEN -amount ELSE 0 END,
				CASE op WHEN 'reserve' THEN -amount WHEN 'spend' THEN amount WHEN 'release' THEN amount ELSE 0 END,
				CASE op WHEN 'spend' THEN -amount ELSE 0 END, -1 FROM quota_entry) ledger
		GROUP BY organisation, unit HAVING SUM(g) <> 0 OR SUM(r) <> 0 OR SUM(s) <> 0 OR SUM(e) <> 0`},
	{name: "storage", severity: store.SeverityDerived, text: "the recorded storage of its documents is off by %s drafts, %s bytes, %s documents, %s bytes of uploaded files and %s bytes of evidence certificates", remedy: repairIt, repair: repairStorage, query: `
		SELECT 'storage of ' || organisation, CAST(SUM(d) AS TEXT), CAST(SUM(b) AS TEXT), CAST(SUM(n) AS TEXT), CAST(SUM(o) AS TEXT), CAST(SUM(v) AS TEXT) FROM (
			SELECT organisation, drafts AS d, bytes AS b, documents AS n, originals AS o, evidence AS v FROM storage UNION ALL
			SELECT organisation, -drafts, -bytes, -documents, -originals, -evidence FROM (` + storageTaken + `) taken) compared
		GROUP BY organisation HAVING SUM(d) <> 0 OR SUM(b) <> 0 OR SUM(n) <> 0 OR SUM(o) <> 0 OR SUM(v) <> 0`},
	{name: "removals", severity: store.SeverityEvidence, text: "its files are recorded as removed, or its removal is, and not both", remedy: restoreDatabase, query: `
		SELECT 'document ' || CAST(d.id AS TEXT) FROM document d LEFT JOIN removed_document r ON r.document = d.id WHERE (r.document IS NULL) = (` + isRemovedFile("d.original_key") + `)
		UNION SELECT 'document ' || CAST(v.document AS TEXT) FROM revision v JOIN document d ON d.id = v.document WHERE (` + isRemovedFile("v.file_key") + `) <> (` + isRemovedFile("d.original_key") + `)`},
	{name: "serials", severity: store.SeverityEvidence, text: "stamp %s of document %s uses it, but the register says otherwise", remedy: restoreDatabase, query: `
		SELECT 'serial ' || s.serial, CAST(s.position + 1 AS TEXT), CAST(s.document AS TEXT) FROM stamp s LEFT JOIN serial r ON r.serial = s.serial
		WHERE s.serial IS NOT NULL AND (r.serial IS NULL OR r.document <> s.document OR r.placement <> s.placement OR r.source <> s.source
			OR r.state <> CASE s.state WHEN 'refused' THEN 'bound' ELSE s.state END)`},
	{name: "serials", severity: store.SeverityEvidence, text: "the register says that it is %s on document %s, which does not use it", remedy: restoreDatabase, query: `
		SELECT 'serial ' || r.serial, r.state, CAST(r.document AS TEXT) FROM serial r WHERE r.state IN ('bound', 'affixed')
			AND NOT EXISTS (SELECT 1 FROM stamp s WHERE s.serial = r.serial AND s.document = r.document)`},
	{name: "feed", severity: store.SeverityDerived, text: "event %s is in the feed of organisation %s, and not in that of its document, %s", remedy: repairIt, repair: repairFeed, query: `
		SELECT 'document ' || CAST(e.document AS TEXT), CAST(e.leaf AS TEXT), e.organisation, d.organisation FROM event e JOIN document d ON d.id = e.document
		WHERE e.organisation <> d.organisation`},
	{name: "feed", severity: store.SeverityDerived, text: "event %s is in the feed of organisation %s, which it does not concern", remedy: repairIt, repair: repairFeed, query: `
		SELECT 'events without a document', CAST(e.leaf AS TEXT), CASE e.organisation WHEN '' THEN 'none' ELSE e.organisation END FROM event e
		WHERE e.document = 0 AND (e.organisation <> '' OR e.type = 'quota_low') AND e.details NOT LIKE '%"organisation":"' || e.organisation || '"%'`},
	{name: "sessions", severity: store.SeverityDerived, text: "a token of kind %s contradicts itself, or belongs to an unknown person", remedy: endSessions, repair: repairTokens,
		query: `SELECT 'tokens of ' || person, kind FROM token t WHERE ` + tokenIsWrong},
	{name: "sessions", severity: store.SeverityDerived, text: "a known device contradicts itself, or belongs to an unknown person", remedy: endSessions, repair: repairDevices,
		query: `SELECT 'devices of ' || person FROM known_device k WHERE ` + deviceIsWrong},
	{name: "sessions", severity: store.SeverityDerived, text: "a known address contradicts itself, or belongs to an unknown person", remedy: endSessions, repair: repairAddresses,
		query: `SELECT 'addresses of ' || person FROM known_address k WHERE ` + addressIsWrong},
	{name: "migrations", severity: store.SeverityDerived, text: "migration %s is recorded %s times, or as not applied", remedy: "Restore the row from a backup: it decides which programs may write", why: whyNotMigrations, query: `
		SELECT 'tables of the database', CAST(version_id AS TEXT), CAST(COUNT(*) AS TEXT) FROM goose_db_version
		GROUP BY version_id HAVING COUNT(*) <> 1 OR SUM(CASE WHEN is_applied THEN 1 ELSE 0 END) <> 1`},
	{name: "migrations", severity: store.SeverityDerived, text: "the migrations of the job queue are recorded as %s in line %s, up to %s", remedy: "Restore the rows from a backup: segel migrate depends on them", why: whyNotMigrations, query: `
		SELECT 'tables of the job queue', CAST(COUNT(*) AS TEXT), line, CAST(MAX(version) AS TEXT) FROM river_migration
		GROUP BY line HAVING line <> 'main' OR COUNT(*) <> MAX(version)`},
	{name: "answers", severity: store.SeverityDerived, text: "the stored answer to a request on %s contradicts itself", remedy: "Delete the row: a repeated request runs again, so check first whether it had an effect", why: whyNotAnswers, query: `
		SELECT 'answers to ' || account, path FROM answer WHERE length(body) <> 32 OR status < 200 OR status > 599 OR kept_at <= 0
			OR sealed AND (length(content) < 28 OR length(idempotency_key) <> 64)`},
	{name: "answers", severity: store.SeverityDerived, text: "the claim of a request on %s contradicts itself", remedy: "Delete the row if no process is answering that request", why: whyNotAnswers, query: `
		SELECT 'claims of ' || account, path FROM claim WHERE length(idempotency_key) <> 64 OR token = '' OR process = '' OR claimed_at <= 0 OR lease_until <= claimed_at - 60000000`},
}

// CheckDerived compares tables with each other, and the record of migrations with this program.
func (c *Checker) CheckDerived(ctx context.Context) error {
	for _, check := range c.derivedChecks() {
		err := c.store.db.readWhole(ctx, func(q querier) error { return c.runRowCheck(ctx, q, check) })
		if err != nil {
			return fmt.Errorf("check %s: %w", check.name, err)
		}
	}
	if err := c.checkTitles(ctx); err != nil {
		return fmt.Errorf("check the stored titles of lists: %w", err)
	}
	if err := c.store.db.readWhole(ctx, func(q querier) error { return c.checkMigrations(ctx, q) }); err != nil {
		return fmt.Errorf("check the record of migrations: %w", err)
	}
	return nil
}

func (c *Checker) derivedChecks() []rowCheck {
	return slices.Concat(rowChecks, blockChecks(c.store.blocks))
}

// blockChecks compare the counts by span and leaf with the rows of the lists.
func blockChecks(sizes blockSizes) []rowCheck {
	check := func(table, rows string, width int64) rowCheck {
		return rowCheck{
			name: "lists", severity: store.SeverityDerived, text: "the counts in " + table + " of list %s, state %s, from document %s on, differ from the list: the amount by %s",
			remedy: repairIt, repair: repairCounts, query: fmt.Sprintf(`SELECT 'lists of ' || person, box, state, CAST(start AS TEXT), CAST(SUM(n) AS TEXT) FROM (
				SELECT person, box, start, state, amount AS n, checksum, first_day, last_day, NULL AS day FROM %[1]s UNION ALL
				SELECT b.person, b.box, b.document - b.document %% %[2]d, CASE WHEN a.every THEN '' ELSE b.state END, -1,
					-(((b.document %% 524288 + 1) * (b.document %% 524288 + 1) * 15485863) %% 1099511627689), NULL, NULL, b.day
				FROM %[3]s CROSS JOIN (SELECT TRUE AS every UNION ALL SELECT FALSE) a) counted
			GROUP BY person, box, start, state
			HAVING SUM(n) <> 0 OR SUM(checksum) <> 0 OR MIN(day) < MIN(first_day) OR MAX(day) > MAX(last_day)`, table, width, rows),
		}
	}
	return []rowCheck{
		{name: "lists", severity: store.SeverityDerived, text: "the count in box_span of list %s, state %s, from document %s on, says that it is split; only those of all states are",
			remedy: repairIt, repair: repairCounts, query: `SELECT 'lists of ' || person, box, state, CAST(start AS TEXT) FROM box_span WHERE state <> '' AND split`},
		check("box_span", "box b", sizes.span),
		check("box_leaf", fmt.Sprintf(`box b JOIN box_span s ON s.person = b.person AND s.box = b.box AND s.start = b.document - b.document %% %d
			AND s.state = '' AND s.split`, sizes.span), sizes.leaf),
	}
}

// checkTitles compares stored titles with the documents, if they are of the documents that the counts say.
func (c *Checker) checkTitles(ctx context.Context) error {
	tell := func(about, text, remedy string) {
		c.tell(store.Discrepancy{Severity: store.SeverityDerived, Check: "lists", About: about, Text: text, Remedy: remedy})
	}
	missing, err := c.isTitleIndexMissing(ctx)
	if err != nil {
		return err
	}
	if missing {
		tell("stored titles", "the row of the table title_index is missing", repairIt+": the service stores the titles again")
	}
	for _, table := range titleTables {
		err := c.eachWrongBlock(ctx, table, func(b titleBlock) error {
			tell("lists of "+string(b.person), table.describeBlock(b), repairIt)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// titleTable is a table of title blocks.
type titleTable struct {
	name    string
	text    string // a format for the list and the first document of a block that is wrong
	isRight func(s *Store, ctx context.Context, q querier, b titleBlock) (bool, error)
	rebuild func(s *Store, ctx context.Context, b titleBlock) error
}

func (t titleTable) describeBlock(b titleBlock) string { return fmt.Sprintf(t.text, b.box, b.start) }

// titleTables are in the order in which they depend on each other.
var titleTables = []titleTable{
	{"box_titles", "the stored titles in list %s from document %d on are not those of the documents", (*Store).areTitlesRight, (*Store).rebuildTitles},
	{"box_index", "the index of titles in list %s from document %d on is not that of the titles", (*Store).isIndexRight, (*Store).indexSpan},
}

// isTitleIndexMissing reports whether the row is missing that says how far titles are stored.
func (c *Checker) isTitleIndexMissing(ctx context.Context) (bool, error) {
	rows := 0
	err := c.store.db.readWhole(ctx, func(q querier) error {
		return queryOne(ctx, q, []any{&rows}, `SELECT COUNT(*) FROM title_index WHERE id = 1 AND next >= 0`)
	})
	return rows != 1, err
}

// eachWrongBlock calls fn for each row of a table of title blocks that is wrong.
func (c *Checker) eachWrongBlock(ctx context.Context, table titleTable, fn func(titleBlock) error) error {
	for last := (titleBlock{}); ; {
		var page, wrong []titleBlock
		err := c.store.db.readWhole(ctx, func(q querier) (err error) {
			page, err = queryAll(ctx, q, func(b *titleBlock) []any { return []any{&b.person, &b.box, &b.start} },
				`SELECT person, box, start FROM `+table.name+` WHERE (person, box, start) > ($1, $2, $3) ORDER BY person, box, start LIMIT $4`,
				last.person, last.box, last.start, titlesAtOnce)
			for _, b := range page {
				right, e := table.isRight(c.store, ctx, q, b)
				if e != nil {
					return e
				}
				if !right {
					wrong = append(wrong, b)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, b := range wrong {
			if err := fn(b); err != nil {
				return err
			}
		}
		if len(page) < titlesAtOnce {
			return nil
		}
		last = page[len(page)-1]
	}
}

// titlesAtOnce is the number of blocks of titles that are compared on one snapshot.
const titlesAtOnce = 20

// areTitlesRight reports whether the stored titles of a block, if searches use them, are those of its documents.
func (s *Store) areTitlesRight(ctx context.Context, q querier, b titleBlock) (bool, error) {
	stored, err := readTitles(ctx, q, b.person, b.box, b.start, b.start+1)
	if err != nil {
		return false, err
	}
	leaves, err := readLeaves(ctx, q, b.person, b.box, "", b.start, b.start+1)
	if err != nil || len(leaves) == 0 || stored[b.start].contents != leaves[0].contents() {
		return true, err
	}
	all, err := readTitled(ctx, q, b, s.blocks.leaf)
	return bytes.Equal(stored[b.start].titles, encodeTitles(b.start, all)), err
}

func (c *Checker) runRowCheck(ctx context.Context, q querier, check rowCheck) error {
	rows, err := check.readRows(ctx, q, maxPerCheck)
	for _, row := range rows {
		c.tell(check.describeRow(row))
	}
	if err == nil && len(rows) == maxPerCheck {
		c.tell(store.Discrepancy{Severity: check.severity, Check: check.name, About: "database", Text: fmt.Sprintf("%d rows are printed; there may be more", len(rows)), Remedy: check.remedy})
	}
	return err
}

// readRows reads up to limit wrong rows.
func (k rowCheck) readRows(ctx context.Context, q querier, limit int) (all [][]string, err error) {
	columns := 1 + strings.Count(k.text, "%s")
	err = queryEach(ctx, q, func(scan scanFunc) error {
		row, dest := make([]string, columns), make([]any, columns)
		for i := range row {
			dest[i] = &row[i]
		}
		err := scan(dest...)
		all = append(all, row)
		return err
	}, k.query+fmt.Sprintf(` LIMIT %d`, limit))
	return all, err
}

// describeRow returns the discrepancy of a row.
func (k rowCheck) describeRow(row []string) store.Discrepancy {
	args := make([]any, len(row)-1)
	for i := range args {
		args[i] = row[i+1]
	}
	return store.Discrepancy{Severity: k.severity, Check: k.name, About: row[0], Text: fmt.Sprintf(k.text, args...), Remedy: k.remedy, NotRepaired: k.why}
}

// checkMigrations compares the record of applied migrations, and of which programs may write, with what this program knows.
func (c *Checker) checkMigrations(ctx context.Context, q querier) error {
	known, err := readMigrations(c.store.options.migrationFiles())
	if err != nil {
		return err
	}
	tell := func(format string, args ...any) {
		c.tell(store.Discrepancy{Severity: store.SeverityDerived, Check: "migrations", About: "tables of the database", Text: fmt.Sprintf(format, args...),
			Remedy: "Restore the row from a backup: it decides which programs may write", NotRepaired: whyNotMigrations})
	}
	applied, err := appliedVersions(ctx, q)
	if err != nil {
		return err
	}
	recorded := map[int64]migration{}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		var m migration
		err := scan(&m.version, &m.name, &m.kind, &m.level)
		recorded[m.version] = m
		return err
	}, `SELECT version, name, kind, level FROM schema_migration`)
	if err != nil {
		return err
	}
	oldest := 1
	for _, m := range known {
		if !applied[m.version] {
			tell("migration %s is not recorded as applied", m.name)
		}
		r, found := recorded[m.version]
		if m.oldest > oldest {
			oldest = m.oldest
		}
		if !found || r.name != m.name || r.kind != m.kind || r.level != m.level {
			tell("the record of migration %s differs from what this program knows", m.name)
		}
		delete(recorded, m.version)
		delete(applied, m.version)
	}
	later := 0
	for v, m := range recorded {
		if m.level <= c.store.options.effectiveLevel() {
			tell("migration %d is recorded, but unknown to this program", v)
		}
		later = max(later, m.level)
	}
	if !applied[0] { // the row that existed before the first migration
		tell("the initial row, before all migrations, is missing")
	}
	for v := range applied {
		if _, isLater := recorded[v]; v != 0 && !isLater {
			tell("migration %d was applied, but is not recorded", v)
		}
	}
	levels, err := queryAll(ctx, q, column[int], `SELECT oldest_writer FROM schema_level WHERE one = 1`)
	if err != nil {
		return err
	}
	if later == 0 && !slices.Equal(levels, []int{oldest}) {
		tell("the lowest level that may write is recorded as %v, not as %d", levels, oldest)
	}
	return nil
}

// queuedJob identifies a job of a document in the queue.
type queuedJob struct {
	kind     string
	document contract.DocumentID
}

// queueFault is something that is wrong with the queue.
type queueFault struct {
	store.Discrepancy
	missing    queuedJob // what is missing; zero: something else is wrong
	unreadable int64     // the number of the job that cannot be read; 0: something else is wrong
}

// CheckQueue compares the documents that wait for the service with the jobs in the queue, and checks that no job removes a
// file that is in use. It holds the waiting jobs in memory: about as many as there are documents in progress.
func (c *Checker) CheckQueue(ctx context.Context) error {
	faults, err := c.findQueueFaults(ctx)
	for _, f := range faults {
		c.tell(f.Discrepancy)
	}
	return err
}

func (c *Checker) findQueueFaults(ctx context.Context) (all []queueFault, err error) {
	args := `CAST(args AS TEXT)`
	if c.store.db.embedded() {
		args = `json(args)` // it may be JSONB
	}
	err = c.readWhole(ctx, func(q querier) error {
		jobs, faults, err := readJobs(ctx, q, `SELECT id, kind, `+args+` FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`)
		if all = faults; err != nil {
			return err
		}
		return queryEach(ctx, q, func(scan scanFunc) error {
			var want queuedJob
			if err := scan(&want.document, &want.kind); err != nil {
				return err
			}
			// The job that affixed the last stamp goes on with the completion.
			found := jobs[want] || want.kind == string(contract.JobComplete) && jobs[queuedJob{string(contract.JobStamp), want.document}]
			if !found {
				all = append(all, queueFault{missing: want, Discrepancy: store.Discrepancy{Severity: store.SeverityDerived, Check: "queue", About: fmt.Sprintf("document %d", want.document),
					Text: "it waits for the job " + want.kind + ", but the queue has none", Remedy: "The service queues it again by itself, and so does segel fsck --repair; an owner can request it with retry-docs"}})
			}
			return nil
		}, `SELECT d.id, CASE WHEN d.state = 'draft' THEN 'convert' WHEN EXISTS (SELECT 1 FROM stamp s WHERE s.document = d.id AND s.state <> 'affixed') THEN 'stamp' ELSE 'complete' END
			FROM document d WHERE d.waits_since <> 0 ORDER BY d.id`)
	})
	return all, wrapf(err, "check the queue")
}

// readJobs returns the jobs that a query selects by number, kind and arguments, and what is wrong with them.
func readJobs(ctx context.Context, q querier, query string) (jobs map[queuedJob]bool, faults []queueFault, err error) {
	jobs = map[queuedJob]bool{}
	var swept []string
	err = queryEach(ctx, q, func(scan scanFunc) error {
		var id int64
		var kind, text string
		if err := scan(&id, &kind, &text); err != nil {
			return err
		}
		var a struct {
			Document contract.DocumentID `json:"document"`
			Keys     []string            `json:"keys"`
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			faults = append(faults, queueFault{unreadable: id, Discrepancy: store.Discrepancy{Severity: store.SeverityDerived, Check: "queue", About: "a job of kind " + kind,
				Text: "its arguments cannot be read: " + err.Error(), Remedy: "Run segel fsck --repair, which deletes the job and queues what documents wait for"}})
			return nil
		}
		jobs[queuedJob{kind, a.Document}] = true
		if kind == string(contract.JobSweep) {
			swept = append(swept, a.Keys...)
		}
		return nil
	}, query)
	if err != nil {
		return nil, nil, fmt.Errorf("read jobs: %w", err)
	}
	for _, key := range swept {
		var used bool
		if err := queryOne(ctx, q, []any{&used}, selectReferred, key); err != nil {
			return nil, nil, err
		}
		if used {
			faults = append(faults, queueFault{Discrepancy: store.Discrepancy{Severity: store.SeverityEvidence, Check: "queue", About: "file " + key,
				Text: "a job in the queue removes it, but a row refers to it", Remedy: "Stop the service and delete the job"}})
		}
	}
	return jobs, faults, nil
}

// CheckDatabase runs the database's own check: SQLite checks pages, indexes and references; PostgreSQL checks indexes, if the
// extension amcheck is installed and may be used.
func (c *Checker) CheckDatabase(ctx context.Context) error {
	tell := func(text string) {
		c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "database", About: "database", Text: text, Remedy: restoreDatabase})
	}
	return c.store.db.readWhole(ctx, func(q querier) error {
		if !c.store.db.embedded() {
			invalid, err := queryAll(ctx, q, column[string], `SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
				WHERE n.nspname = ANY (current_schemas(FALSE)) AND NOT i.indisvalid`)
			for _, name := range invalid {
				tell("index " + name + " is not valid")
			}
			return err
		}
		answers, err := queryAll(ctx, q, column[string], `PRAGMA integrity_check`)
		for _, answer := range answers {
			if answer != "ok" {
				tell(answer)
			}
		}
		if err != nil {
			return fmt.Errorf("check the database file: %w", err)
		}
		return queryEach(ctx, q, func(scan scanFunc) error {
			var table, parent string
			var row, reference any
			err := scan(&table, &row, &parent, &reference)
			if err == nil {
				tell(fmt.Sprintf("row %v of table %s refers to a row of %s that is missing", row, table, parent))
			}
			return err
		}, `PRAGMA foreign_key_check`)
	})
}
