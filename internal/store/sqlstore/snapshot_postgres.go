package sqlstore

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"segel/internal/jobs"
	"segel/internal/store"
)

// The form of a snapshot of PostgreSQL, docs/formats/backup.md: a first line, a line of JSON before each table, the rows of the table as COPY writes
// them, and a line that ends them, which rows never contain.
const (
	tablesVersion = "segel-tables-1\n"
	endOfRows     = "\\.\n"
)

// maxTableHead bounds a line of JSON in bytes. The longest is the last one, with the names of all sequences.
const maxTableHead = 64 << 10

// tableHead is the line before the rows of a table, or what follows the last table.
type tableHead struct {
	Table     string           `json:"table,omitempty"`
	Columns   []string         `json:"columns,omitempty"`
	Sequences map[string]int64 `json:"sequences,omitempty"` // the next values are above these
	End       bool             `json:"end,omitempty"`
	Tables    int              `json:"tables,omitempty"` // with End: how many there are
}

// madeByMigrations are tables whose rows come with the migrations of this program and those of the queue.
var madeByMigrations = []string{"goose_db_version", "river_migration"}

// inPlainText makes COPY write values so that every server reads the same.
const inPlainText = `SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL extra_float_digits = 3; SET LOCAL timezone = 'UTC'`

// unboundedPool opens connections without time limits: a snapshot takes longer than a transaction may.
func unboundedPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	for name := range serverTimeouts(0) {
		delete(config.ConnConfig.RuntimeParams, name)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return pool, nil
}

// writeTables writes all tables as they are in one snapshot, and calls describe on the same one.
func (d *postgres) writeTables(ctx context.Context, to io.Writer, describe func(querier) error) error {
	pool, err := unboundedPool(ctx, d.pool.Config())
	if err != nil {
		return err
	}
	defer pool.Close()
	t := &postgresTx{pool: pool, ctx: ctx, options: snapshotOptions}
	defer t.end()
	for sql := range strings.SplitSeq(inPlainText, "; ") {
		if _, err := t.exec(ctx, sql); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(to, tablesVersion); err != nil {
		return err
	}
	tables, err := listTables(ctx, t)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(to)
	for _, table := range tables {
		if err := lines.Encode(table); err != nil {
			return err
		}
		sql := `COPY ` + pgx.Identifier{table.Table}.Sanitize() + ` (` + columnList(table.Columns) + `) TO STDOUT`
		if _, err := t.conn.Conn().PgConn().CopyTo(ctx, to, sql); err != nil {
			return fmt.Errorf("table %s: %w", table.Table, err)
		}
		if _, err := io.WriteString(to, endOfRows); err != nil {
			return err
		}
	}
	end := tableHead{End: true, Tables: len(tables), Sequences: map[string]int64{}}
	// Sequences are of no snapshot. Their values are read last, so they are not below those of the rows.
	err = queryEach(ctx, t, func(scan scanFunc) error {
		var name string
		var last int64
		err := scan(&name, &last)
		end.Sequences[name] = last
		return err
	}, `SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL`)
	if err != nil {
		return err
	}
	delete(end.Sequences, "goose_db_version_id_seq")
	if err := lines.Encode(end); err != nil {
		return err
	}
	return describe(t)
}

func columnList(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(all, ", ")
}

// listTables returns the tables of the schema with the columns that are stored.
func listTables(ctx context.Context, q querier) (all []tableHead, err error) {
	err = queryEach(ctx, q, func(scan scanFunc) error {
		var table, column string
		if err := scan(&table, &column); err != nil {
			return err
		}
		if slices.Contains(madeByMigrations, table) {
			return nil
		}
		if n := len(all); n == 0 || all[n-1].Table != table {
			all = append(all, tableHead{Table: table})
		}
		last := &all[len(all)-1]
		last.Columns = append(last.Columns, column)
		return nil
	}, `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position`)
	return all, err
}

// requireNoTables requires a schema without tables.
func requireNoTables(ctx context.Context, dsn string) error {
	db, err := openPostgres(ctx, dsn, Options{Mode: Reading}, new(counters))
	if err != nil {
		return err
	}
	defer db.close() //nolint:errcheck // it returns none
	return db.withSnapshot(ctx, func(q querier) error {
		var n int
		if err := queryOne(ctx, q, []any{&n}, `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema()`); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("%w: its schema has %d tables", ErrNotEmpty, n)
		}
		return nil
	})
}

// restorePostgres makes the tables as they were at the snapshot, fills them in one transaction, and brings them up to date.
func restorePostgres(ctx context.Context, dsn string, migration int64, from io.Reader, r store.Restoration, version string) error {
	config, err := postgresConfig(dsn, Options{})
	if err != nil {
		return err
	}
	pool, err := unboundedPool(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close() //nolint:errcheck // the pool has the connections
	p, err := goose.NewProvider(goose.DialectPostgres, db, embeddedMigrations(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.UpTo(ctx, migration); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	queue, err := jobs.NewQueue(riverpgxv5.New(pool))
	if err != nil {
		return err
	}
	if err := queue.Migrate(ctx); err != nil {
		return err
	}
	// Durable: empty tables. A program that finds them beside marked keys or files refuses to start.
	t := &postgresTx{pool: pool, ctx: ctx}
	defer t.end()
	if err := fillTables(ctx, t, from); err != nil {
		return err
	}
	if err := recordRestoration(ctx, t, (&postgres{}).clockMicros(), r); err != nil {
		return err
	}
	if err := t.commit(); err != nil {
		return err
	}
	// Durable: all rows. Not yet: the migrations since the snapshot, which segel migrate and segel serve apply too.
	s, err := Open(ctx, dsn, Options{Version: version})
	if err != nil {
		return err
	}
	return s.Close()
}

// fillTables replaces what migrations have written by the rows of a snapshot. Foreign keys are made again after all rows, which checks
// them.
func fillTables(ctx context.Context, t *postgresTx, from io.Reader) error {
	for sql := range strings.SplitSeq(inPlainText, "; ") {
		if _, err := t.exec(ctx, sql); err != nil {
			return err
		}
	}
	there, err := listTables(ctx, t)
	if err != nil {
		return err
	}
	var names []string
	for _, table := range there {
		names = append(names, table.Table)
	}
	var add []string
	err = queryEach(ctx, t, func(scan scanFunc) error {
		var table, name, definition string
		err := scan(&table, &name, &definition)
		add = append(add, `ALTER TABLE `+table+` ADD CONSTRAINT `+pgx.Identifier{name}.Sanitize()+` `+definition)
		return err
	}, `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, sql := range add {
		before, _, _ := strings.Cut(sql, " FOREIGN KEY ")
		if _, err := t.exec(ctx, strings.Replace(before, " ADD CONSTRAINT ", " DROP CONSTRAINT ", 1)); err != nil {
			return err
		}
	}
	if _, err := t.exec(ctx, `TRUNCATE `+columnList(names)); err != nil {
		return err
	}
	end, err := readTables(from, func(table tableHead, rows io.Reader) error {
		if !slices.Contains(names, table.Table) {
			return fmt.Errorf("this program has no table %q", table.Table)
		}
		sql := `COPY ` + pgx.Identifier{table.Table}.Sanitize() + ` (` + columnList(table.Columns) + `) FROM STDIN`
		_, err := t.conn.Conn().PgConn().CopyFrom(ctx, rows, sql)
		return err
	})
	if err != nil {
		return err
	}
	for name, last := range end.Sequences {
		if _, err := t.exec(ctx, `SELECT setval(CAST(CAST($1 AS TEXT) AS regclass), $2)`, pgx.Identifier{name}.Sanitize(), last); err != nil {
			return fmt.Errorf("sequence %s: %w", name, err)
		}
	}
	for _, sql := range add {
		if _, err := t.exec(ctx, sql); err != nil {
			return fmt.Errorf("rows of the snapshot do not belong together: %w", err)
		}
	}
	return nil
}

// errTables means that a stream is not a snapshot of tables.
var errTables = errors.New("not a snapshot of tables")

// readTables reads a snapshot of tables, and calls each with the rows of every table. It returns what follows the last one.
func readTables(from io.Reader, each func(table tableHead, rows io.Reader) error) (end tableHead, err error) {
	lines := bufio.NewReaderSize(from, maxTableHead)
	first, err := lines.ReadSlice('\n')
	if err != nil || string(first) != tablesVersion {
		return end, fmt.Errorf("%w: it does not begin with %q", errTables, strings.TrimSpace(tablesVersion))
	}
	for n := 0; ; n++ {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return end, fmt.Errorf("%w: it has no line that describes table %d: %w", errTables, n+1, err)
		}
		var head tableHead
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&head); err != nil {
			return end, fmt.Errorf("%w: the line before table %d: %w", errTables, n+1, err)
		}
		if head.End {
			if _, err := lines.ReadByte(); head.Tables != n || err != io.EOF {
				return end, fmt.Errorf("%w: it has %d of %d tables, or something after them", errTables, n, head.Tables)
			}
			return head, nil
		}
		rows := &rowReader{from: lines}
		if err := each(head, rows); err != nil {
			return end, fmt.Errorf("table %s: %w", head.Table, err)
		}
		if !rows.ended {
			return end, fmt.Errorf("%w: the rows of table %s have no end", errTables, head.Table)
		}
	}
}

// rowReader reads the rows of one table up to the line that ends them.
type rowReader struct {
	from    *bufio.Reader
	left    []byte // of the line that is being read
	partial bool   // the next bytes continue a line
	ended   bool
}

func (r *rowReader) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		line, err := r.from.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, io.ErrUnexpectedEOF
		}
		if !r.partial && string(line) == endOfRows {
			r.ended = true
			return 0, io.EOF
		}
		r.left, r.partial = line, err != nil
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
