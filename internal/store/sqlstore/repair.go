package sqlstore

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// repairBatch is how many wrong rows are read at a time.
const repairBatch = 100

// Repair makes derived data anew that is wrong, in the database that to has open for writing. It calls done for what it repaired. Records, the log and
// files are not touched. The caller has found that they are intact: derived data would follow from what is damaged.
//
// Each row, span of a list or job is a transaction, so a service may run meanwhile. What is left to do is what a check finds, so a repair that
// was interrupted is continued by another one. A check whose rows stay wrong although they were repaired is left.
func (c *Checker) Repair(ctx context.Context, to *Store, done func(store.Discrepancy)) error {
	for _, check := range c.derivedChecks() {
		if check.repair == nil {
			continue
		}
		if err := c.repairRows(ctx, to, check, done); err != nil {
			return fmt.Errorf("repair %s: %w", check.name, err)
		}
	}
	if err := c.repairTitles(ctx, to, done); err != nil {
		return fmt.Errorf("repair the stored titles of lists: %w", err)
	}
	if err := c.repairQueue(ctx, to, done); err != nil {
		return fmt.Errorf("repair the queue: %w", err)
	}
	return nil
}

func (c *Checker) repairRows(ctx context.Context, to *Store, check rowCheck, done func(store.Discrepancy)) error {
	for last := [][]string(nil); ; {
		var rows [][]string
		err := c.store.db.readWhole(ctx, func(q querier) (err error) {
			rows, err = check.readRows(ctx, q, repairBatch)
			return err
		})
		if err != nil || len(rows) == 0 || reflect.DeepEqual(rows, last) {
			return err
		}
		for _, row := range rows {
			if err := check.repair(ctx, to, row); err != nil {
				return fmt.Errorf("%s: %w", row[0], err)
			}
			d := check.describeRow(row)
			d.Repaired = true
			done(d)
		}
		last = rows
	}
}

// withLockedTable runs fn in a transaction in which no other changes a table. On PostgreSQL it waits for those that have changed it, and those
// that are about to wait for this one; they add to what they find then. On SQLite one transaction writes at a time.
func (s *Store) withLockedTable(ctx context.Context, table string, fn func(tx) error) error {
	return s.db.withTx(ctx, func(t tx) error {
		if !s.db.embedded() {
			if _, err := t.exec(ctx, `LOCK TABLE `+table+` IN SHARE ROW EXCLUSIVE MODE`); err != nil {
				return err
			}
		}
		return fn(t)
	})
}

// repairStorage counts the storage of an organisation.
func repairStorage(ctx context.Context, to *Store, row []string) error {
	organisation := strings.TrimPrefix(row[0], "storage of ")
	return to.withLockedTable(ctx, "storage", func(t tx) error {
		if _, err := t.exec(ctx, `DELETE FROM storage WHERE organisation = $1`, organisation); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO storage (organisation, drafts, bytes, documents, originals, evidence)
			SELECT organisation, CAST(SUM(drafts) AS BIGINT), CAST(SUM(bytes) AS BIGINT), CAST(SUM(documents) AS BIGINT), CAST(SUM(originals) AS BIGINT), CAST(SUM(evidence) AS BIGINT) FROM (`+storageTaken+`) taken WHERE organisation = $1 GROUP BY organisation`, organisation)
		return err
	})
}

// repairFeed puts an event into the feed of the organisation that it concerns. The leaf of the event does not encode that.
func repairFeed(ctx context.Context, to *Store, row []string) error {
	leaf, err := strconv.ParseInt(row[1], 10, 64)
	if err != nil {
		return err
	}
	return to.db.withTx(ctx, func(t tx) error {
		events, err := readEvents(ctx, t, leaf, leaf+1)
		if err != nil {
			return err
		}
		e, ok := events[leaf]
		if !ok || e.err != nil {
			return e.err
		}
		_, err = t.exec(ctx, `UPDATE event SET organisation = COALESCE((SELECT d.organisation FROM document d WHERE d.id = $2), $3) WHERE leaf = $1`, leaf, e.Document, reportedTo(e.Event))
		return err
	})
}

func repairTokens(ctx context.Context, to *Store, row []string) error {
	return to.runStatement(ctx, `DELETE FROM token AS t WHERE t.person = $1 AND t.kind = $2 AND `+tokenIsWrong, strings.TrimPrefix(row[0], "tokens of "), row[1])
}

func repairDevices(ctx context.Context, to *Store, row []string) error {
	return to.runStatement(ctx, `DELETE FROM known_device AS k WHERE k.person = $1 AND `+deviceIsWrong, strings.TrimPrefix(row[0], "devices of "))
}

func repairAddresses(ctx context.Context, to *Store, row []string) error {
	return to.runStatement(ctx, `DELETE FROM known_address AS k WHERE k.person = $1 AND `+addressIsWrong, strings.TrimPrefix(row[0], "addresses of "))
}

// repairCounts counts the rows of a list in the span that a row is about. What is stored of its titles is removed: its counts of edits may have been
// lost, by which searches know whether stored titles are up to date. Searches read the documents until they are stored again.
func repairCounts(ctx context.Context, to *Store, row []string) error {
	person, box := strings.TrimPrefix(row[0], "lists of "), row[1]
	start, err := strconv.ParseInt(row[3], 10, 64)
	if err != nil {
		return err
	}
	span := start - start%to.blocks.span
	end := span + to.blocks.span
	// Who changes counts changes those of spans first, so the lock of this table is enough.
	return to.withLockedTable(ctx, "box_span", func(t tx) error {
		for _, table := range []string{"box_span", "box_leaf", "box_titles", "box_index", "box_gram"} {
			if _, err := t.exec(ctx, `DELETE FROM `+table+` WHERE person = $1 AND box = $2 AND start >= $3 AND start < $4`, person, box, span, end); err != nil {
				return err
			}
		}
		if err := countBlocks(ctx, t, "box_span", to.blocks.span, person, box, span, end); err != nil {
			return err
		}
		split, err := t.exec(ctx, `UPDATE box_span SET split = TRUE WHERE person = $1 AND box = $2 AND start = $3 AND state = '' AND amount >= $4`, person, box, span, to.blocks.split)
		if err != nil || split == 0 {
			return err
		}
		return countBlocks(ctx, t, "box_leaf", to.blocks.leaf, person, box, span, end)
	})
}

// countBlocks inserts the counts of a list in a range of documents, by state and in all states.
func countBlocks(ctx context.Context, t tx, table string, width int64, person, box string, from, to int64) error {
	for _, state := range []string{"state", "''"} {
		if _, err := t.exec(ctx, countRows(table, state), person, box, from, to, width); err != nil {
			return fmt.Errorf("count into %s: %w", table, err)
		}
	}
	return nil
}

// countRows is the statement that inserts the counts of the documents from $3 to $4 in the list $2 of the person $1, by blocks of the width $5. State is the
// column, or the text of no state.
func countRows(table, state string) string {
	return `INSERT INTO ` + table + ` (person, box, start, state, amount, first_day, last_day, checksum, edits)
		SELECT person, box, document - document % $5, ` + state + `, COUNT(*), MIN(day), MAX(day),
			CAST(SUM(((document % 524288 + 1) * (document % 524288 + 1) * 15485863) % 1099511627689) AS BIGINT), 0
		FROM box WHERE person = $1 AND box = $2 AND document >= $3 AND document < $4 GROUP BY 1, 2, 3, 4`
}

// repairTitles stores titles and indexes anew that are not those of their documents.
func (c *Checker) repairTitles(ctx context.Context, to *Store, done func(store.Discrepancy)) error {
	repaired := func(about, text string) {
		done(store.Discrepancy{Severity: store.SeverityDerived, Check: "lists", About: about, Text: text, Remedy: repairIt, Repaired: true})
	}
	missing, err := c.isTitleIndexMissing(ctx)
	if err != nil {
		return err
	}
	if missing {
		if err := to.runStatement(ctx, `INSERT INTO title_index (id, next) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET next = 0`); err != nil {
			return err
		}
		repaired("stored titles", "the row of the table title_index is missing")
	}
	for _, table := range titleTables {
		err := c.eachWrongBlock(ctx, table, func(b titleBlock) error {
			if err := table.rebuild(to, ctx, b); err != nil {
				return err
			}
			repaired("lists of "+string(b.person), table.describeBlock(b))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuildTitles stores the titles of a block again.
func (s *Store) rebuildTitles(ctx context.Context, b titleBlock) error {
	return s.indexBlocks(ctx, []titleBlock{b}, func(tx) error { return nil })
}

// repairQueue deletes jobs that cannot be read, and queues what documents wait for. A job that a service queues at the same moment stays the only
// one of its document.
func (c *Checker) repairQueue(ctx context.Context, to *Store, done func(store.Discrepancy)) error {
	faults, err := c.findQueueFaults(ctx)
	if err != nil {
		return err
	}
	for _, f := range faults {
		switch {
		case f.unreadable != 0:
			err = to.runStatement(ctx, `DELETE FROM river_job WHERE id = $1 AND state <> 'running'`, f.unreadable)
		case f.missing != queuedJob{}:
			err = to.Enqueue(ctx, contract.Job{Kind: contract.JobKind(f.missing.kind), Document: f.missing.document})
		default: // evidence
			continue
		}
		if err != nil {
			return err
		}
		f.Repaired = true
		done(f.Discrepancy)
	}
	return nil
}
