package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"segel/scripts/running"
)

// measureFairness measures how long the single orders of one organisation take while nothing else is ordered, and then while another organisation
// has a batch of orders waiting, on several nodes. It fails if the batch ends before the last single order: then the orders did not compete.
func measureFairness(ctx context.Context, o options, nodes int) (err error) {
	dir, err := os.MkdirTemp("", "segel-load-")
	if err != nil {
		return err
	}
	c := &cluster{options: o, dir: dir}
	defer func() { err = errors.Join(err, c.close(), os.RemoveAll(dir)) }()
	office, err := o.startOffice(o.office)
	if err != nil {
		return err
	}
	defer office.stop()
	if err := c.open(ctx, nodes); err != nil {
		return err
	}
	for _, n := range c.nodes {
		n.Env = append(slices.Clone(n.Env), office.env(o.slots, o.jobs)...)
	}
	fmt.Printf("%d nodes with %d jobs each, PostgreSQL and an S3 server; %d slots at the stamp office, which answers each call after %v; documents of %d KiB\n\n",
		nodes, o.jobs, o.slots, o.office, o.size>>10)
	if err := c.startNodes(nodes); err != nil {
		return err
	}
	first := c.nodes[0]
	if err := first.Grant(first.Data, "Segel", 2*o.batch, 2*o.batch); err != nil {
		return err
	}
	if first.owner, err = first.AddPerson("", "pemilik@example.test", "Pemilik"); err != nil {
		return err
	}
	other, err := first.AddPerson("PT Lain", "lain@example.test", "Orang Lain")
	if err != nil {
		return err
	}
	if err := first.Grant(first.Data, "PT Lain", 1000+2*o.documents, 1000+2*o.documents); err != nil {
		return err
	}
	if _, err := c.orderSingles(ctx, other, nodes, 4); err != nil { // code is loaded, caches are filled
		return err
	}
	alone, err := c.orderSingles(ctx, other, nodes, o.documents)
	if err != nil {
		return err
	}
	if err := c.addBatch(ctx, nodes); err != nil {
		return err
	}
	if err := c.startNodes(nodes); err != nil {
		return err
	}
	began := time.Now()
	for c.working(ctx) < nodes*o.jobs {
		if time.Since(began) > completeWait {
			return fmt.Errorf("the nodes did not begin with the batch within %v", completeWait)
		}
		time.Sleep(pollEvery) // polls, as clients do
	}
	before, err := c.waitingOrders(ctx)
	if err != nil {
		return err
	}
	began = time.Now()
	beside, err := c.orderSingles(ctx, other, nodes, o.documents)
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, err := c.waitingOrders(ctx)
	if err != nil {
		return err
	}
	if after == 0 {
		return fmt.Errorf("the batch ended before the last single order: use a larger one")
	}
	fmt.Printf("%.0f orders of the batch wait at the beginning, and %.0f when the last single order is completed, %.1f s later: %.1f a second\n\n",
		before, after, took.Seconds(), (before-after)/took.Seconds())
	fmt.Println("| single orders of another organisation | half | 90 of 100 | 99 of 100 | largest | orders of the batch stamped meanwhile: half; most |\n|---|---|---|---|---|---|")
	alone.print("alone")
	beside.print("beside the batch")
	fmt.Printf("\nThe batch delays a single stamp by %.2f s in 99 of 100, and by %.2f s at most, against the median alone.\n",
		(beside.at(99) - alone.at(50)).Seconds(), (beside.at(100) - alone.at(50)).Seconds())
	return nil
}

// singles are single orders that were made one after the other.
type singles struct {
	times    []time.Duration // from the request to finalize to the commit of the stamp, sorted
	overtook []time.Duration // how many stamps of the batch were committed meanwhile, sorted; not a time
}

func (s singles) at(percent int) time.Duration { return s.times[(len(s.times)-1)*percent/100] }

func (s singles) print(name string) {
	fmt.Printf("| %s, %d | %.2f s | %.2f s | %.2f s | %.2f s | %d; %d |\n", name, len(s.times), s.at(50).Seconds(), s.at(90).Seconds(), s.at(99).Seconds(), s.at(100).Seconds(),
		s.overtook[(len(s.overtook)-1)/2], s.overtook[len(s.overtook)-1])
}

// startNodes starts the first nodes.
func (c *cluster) startNodes(nodes int) error {
	for _, n := range c.nodes[:nodes] {
		if err := n.Start(); err != nil {
			return err
		}
	}
	return nil
}

// orderSingles orders n stamps one after the other, at the nodes in turn, and waits for each.
func (c *cluster) orderSingles(ctx context.Context, by *running.Client, nodes, n int) (s singles, err error) {
	for i := range n {
		at := c.nodes[i%nodes]
		client := &running.Client{URL: at.URL, Token: by.Token, ID: by.ID}
		var d document
		if err := at.uploadOrder(client, &d); err != nil {
			return s, err
		}
		began := time.Now()
		if err := client.PostVerb("finalize-docs", d.id); err != nil {
			return s, err
		}
		if _, err := client.WaitCompleted(d.id); err != nil {
			return s, err
		}
		// The time of the event is read before its commit, which is short; a client sees only that the document is completed.
		var stamped time.Time
		var overtook int64
		err := c.database.QueryRow(ctx, `SELECT to_timestamp(e.at / 1e6), (SELECT count(*) FROM event b WHERE b.type = 'stamped' AND b.leaf < e.leaf AND b.at > $2)
			FROM event e WHERE e.document = $1 AND e.type = 'stamped'`, d.id, began.UnixMicro()).Scan(&stamped, &overtook)
		if err != nil {
			return s, fmt.Errorf("when was document %d stamped: %w", d.id, err)
		}
		s.times = append(s.times, stamped.Sub(began))
		s.overtook = append(s.overtook, time.Duration(overtook))
		if showProgress {
			fmt.Fprintf(os.Stderr, "\r%d of %d ", i+1, n)
		}
	}
	slices.Sort(s.times)
	slices.Sort(s.overtook)
	return s, nil
}

// working returns how many jobs are at work; 0 also if that cannot be read.
func (c *cluster) working(ctx context.Context) int {
	n, _ := c.number(ctx, "SELECT count(*)::float8 FROM river_job WHERE state = 'running' AND queue = 'default'")
	return int(n)
}

// waitingOrders returns how many documents wait for their stamps.
func (c *cluster) waitingOrders(ctx context.Context) (float64, error) {
	return c.number(ctx, "SELECT count(*)::float8 FROM river_job WHERE state = 'available' AND kind = 'stamp'")
}

// addBatch makes a batch of waiting orders of the first organisation. The first one is ordered at a node that does no jobs. The others are copies of its rows
// and of its file, which a hundred thousand requests would take an hour for: so the audit log has no events of their orders. They wait, are stamped and completed like all others. All nodes are stopped afterwards.
func (c *cluster) addBatch(ctx context.Context, nodes int) error {
	for _, n := range c.nodes[:nodes] {
		n.Stop()
	}
	first := c.nodes[0]
	env := first.Env
	first.Env = append(slices.Clone(env), "SEGEL_ROLE=api")
	if err := first.Start(); err != nil {
		return err
	}
	var d document
	err := first.uploadOrder(first.owner, &d)
	if err == nil {
		err = first.owner.PostVerb("finalize-docs", d.id)
	}
	first.Stop()
	first.Env = env
	if err != nil {
		return err
	}
	return c.copyOrder(ctx, d.id, c.batch-1)
}

// copyOrder copies a waiting order n times.
func (c *cluster) copyOrder(ctx context.Context, id int64, n int) error {
	tx, err := c.database.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // has no effect after the commit
	rows, err := tx.Query(ctx, "SELECT original_key FROM document WHERE id = $1 UNION SELECT file_key FROM revision WHERE document = $1", id)
	if err != nil {
		return err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := c.linkCopies(key, n); err != nil {
			return err
		}
	}
	number := fmt.Sprintf("%d + g.n", id)
	copied := map[string]string{ // what differs in a copy
		"document.id": number, "document.name": "t.name || '-' || g.n", "original_key": keyInSQL("original_key"), "file_key": keyInSQL("file_key"), "document": number,
		"river_job.id": "nextval('river_job_id_seq')", "river_job.args": fmt.Sprintf("jsonb_set(t.args, '{document}', to_jsonb(%s))", number),
		"river_job.unique_key": fmt.Sprintf("sha256((%s)::text::bytea)", number),
	}
	tables, err := tablesOfDocument(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, t := range append([]ownedRows{{"document", fmt.Sprint("id = ", id)}}, append(tables, ownedRows{"river_job", fmt.Sprintf("state = 'available' AND kind = 'stamp' AND (args->>'document')::bigint = %d", id)})...) {
		if err := t.copyRows(ctx, tx, n, copied); err != nil {
			return fmt.Errorf("copy %s: %w", t.table, err)
		}
	}
	for _, sql := range []string{ // what follows from the rows
		fmt.Sprintf("UPDATE document_number SET last = last + %d", n),
		fmt.Sprintf("UPDATE quota SET reserved = reserved + %d WHERE organisation = (SELECT organisation FROM document WHERE id = %d)", n, id),
		fmt.Sprintf("UPDATE box_span SET amount = amount + %d, split = FALSE WHERE state IN ('', 'processing') AND (person, box) IN (SELECT person, box FROM box WHERE document = %d)", n, id),
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = c.database.Exec(ctx, "ANALYZE") // as the server does by itself within minutes
	return err
}

// keyOfCopy returns the key of the i-th copy of a file: the beginning of its key, and i in hexadecimal. keyInSQL is the expression for it, where i is g.n.
func keyOfCopy(key string, i int) string { return fmt.Sprintf("%s%08x", key[:24], i) }

func keyInSQL(column string) string {
	return fmt.Sprintf("left(t.%s, 24) || lpad(to_hex(g.n), 8, '0')", column)
}

// ownedRows are the rows of a table that belong to the order.
type ownedRows struct{ table, where string }

// tablesOfDocument returns the rows of a document in other tables, except the logs.
func tablesOfDocument(ctx context.Context, tx pgx.Tx, id int64) (all []ownedRows, err error) {
	rows, err := tx.Query(ctx, `SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'document' AND data_type = 'bigint'
		AND table_name NOT IN ('event', 'quota_entry')`)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		all = append(all, ownedRows{name, fmt.Sprint("document = ", id)})
	}
	return all, err
}

// copyRows copies the rows n times.
func (t ownedRows) copyRows(ctx context.Context, tx pgx.Tx, n int, copied map[string]string) error {
	rows, err := tx.Query(ctx, "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'", t.table)
	if err != nil {
		return err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = "t." + column
		for _, name := range []string{column, t.table + "." + column} {
			if expression, ok := copied[name]; ok {
				values[i] = expression
			}
		}
	}
	_, err = tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s t, generate_series(1, %d) g (n) WHERE t.%s",
		t.table, strings.Join(columns, ", "), strings.Join(values, ", "), t.table, n, t.where))
	return err
}

// linkCopies gives the file n more names in the folder of the bucket, those of keyOfCopy. Files never change, so names may share one. Where a file
// system permits no more names for it (ext4: 65,000), the next name is a copy, with the attributes in which the S3 server keeps what it knows of a file.
func (c *cluster) linkCopies(key string, n int) error {
	var path string
	err := filepath.WalkDir(filepath.Join(c.dir, "bucket"), func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == key {
			path = at
			return fs.SkipAll
		}
		return err
	})
	if err == nil && path == "" {
		err = fmt.Errorf("the file %s is not in the folder of the bucket", key)
	}
	for i := 1; i <= n && err == nil; i++ {
		name := filepath.Join(filepath.Dir(path), keyOfCopy(key, i))
		if err = os.Link(path, name); errors.Is(err, syscall.EMLINK) {
			err = exec.Command("cp", "--preserve=all", path, name).Run()
			path = name
		}
	}
	return err
}
