package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"segel/internal/config"
	"segel/internal/store/sqlstore"
)

type migrateCommand struct {
	dataFlag
	Check bool `help:"Only say what would be migrated, and whether running nodes may stay. Ends with 0 if there is nothing to migrate, 10 if the nodes of the release before may stay, 11 if they have to end first, 12 if the database is of a later release that closed it to this program, 13 if it is of a later release that this program may run beside, 3 if there is no database."`
	JSON  bool `name:"json" help:"With --check: print the result as JSON."`
}

// Statuses of segel migrate --check.
const (
	exitNothingPending  = exitStatus(0)
	exitPending         = exitStatus(10) // migrations are pending, and nodes of the release before may stay
	exitPendingStop     = exitStatus(11) // migrations are pending, and nodes of the release before have to end first
	exitDowngrade       = exitStatus(12) // a later release has closed the database to this program
	exitLaterCompatible = exitStatus(13) // a later release has migrated the database, and this program may use it
)

func (c migrateCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	if c.Check {
		return c.compareSchema(w, conf)
	}
	if c.JSON {
		return errors.New("--json needs --check")
	}
	// This command creates no SQLite file: a mistyped path must not become a new database.
	if path, ok := sqlstore.SQLitePath(databaseDSN(conf)); ok {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("database: %w; segel serve creates a new installation", err)
		}
	}
	s, err := sqlstore.Open(w.ctx, databaseDSN(conf), sqlstore.Options{Mode: sqlstore.Migrating, Beside: sqlstore.BesideCompatible, Version: version})
	var running *sqlstore.NodesError
	if errors.As(err, &running) {
		fmt.Fprintln(w.stderr, "segel:", err)
		return exitPendingStop
	}
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.stdout, "the database has this program's schema")
	return err
}

// migrationReport is the result of segel migrate --check as JSON.
type migrationReport struct {
	Result  string          `json:"result"` // current, pending, pending_stop, downgrade_refused or later_release
	Program programSchema   `json:"program"`
	Has     *databaseSchema `json:"database"` // null: the database has no tables

	Pending      []sqlstore.Migration `json:"pending"`
	QueuePending bool                 `json:"queue_pending"`
	Later        []sqlstore.Migration `json:"later"` // of the database, unknown to this program

	EarlierMayStay    bool          `json:"earlier_may_stay"`
	OldestWriterAfter int           `json:"oldest_writer_after"`
	Needs             string        `json:"needs,omitempty"` // the release that a refused downgrade needs
	Nodes             []runningNode `json:"nodes"`           // that use the database now; with PostgreSQL
}

type programSchema struct {
	Version string `json:"version"`
	Level   int    `json:"level"`
	Newest  int64  `json:"newest_migration"`
}

type databaseSchema struct {
	Version      string `json:"version"` // of the program that applied the newest migration; empty: not recorded
	Level        int    `json:"level"`
	Newest       int64  `json:"newest_migration"`
	OldestWriter int    `json:"oldest_writer"`
}

type runningNode struct {
	Name    string `json:"name"`
	Host    string `json:"host"`
	Release string `json:"release"`
}

// compareSchema compares the tables with this program and changes nothing. The exit status says what it found.
func (c migrateCommand) compareSchema(w *environment, conf config.Config) error {
	state, err := sqlstore.ReadSchemaState(w.ctx, databaseDSN(conf), sqlstore.Options{Version: version, Timeout: conf.DatabaseTimeout})
	if errors.Is(err, sqlstore.ErrMissing) || errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w.stderr, "segel: %v; segel serve creates a new installation\n", err)
		return exitInstallation
	}
	if err != nil {
		return err
	}
	report, status := reportSchema(state)
	for _, n := range state.Nodes {
		report.Nodes = append(report.Nodes, runningNode{n.Name, n.Host, n.Release})
	}
	if c.JSON {
		err = json.NewEncoder(w.stdout).Encode(report)
	} else {
		err = report.print(w.stdout, state)
	}
	if err != nil || status == exitNothingPending {
		return err
	}
	return status
}

// reportSchema names what was found, and the exit status for it.
func reportSchema(s sqlstore.SchemaState) (migrationReport, exitStatus) {
	r := migrationReport{
		Result: "current", Program: programSchema{s.Version, s.Level, s.Newest}, Pending: append([]sqlstore.Migration{}, s.Pending...), QueuePending: s.QueuePending,
		Later: append([]sqlstore.Migration{}, s.Later...), EarlierMayStay: s.EarlierMayStay(), OldestWriterAfter: s.OldestWriterAfter(), Nodes: []runningNode{},
	}
	if s.DatabaseNewest > 0 {
		r.Has = &databaseSchema{s.DatabaseVersion, s.DatabaseLevel, s.DatabaseNewest, s.OldestWriter}
	}
	switch pending := len(s.Pending) > 0 || s.QueuePending; {
	case s.Refused != nil:
		r.Result, r.Needs, r.EarlierMayStay = "downgrade_refused", s.Refused.Needs, false
		return r, exitDowngrade
	case pending && !r.EarlierMayStay:
		r.Result = "pending_stop"
		return r, exitPendingStop
	case pending:
		r.Result = "pending"
		return r, exitPending
	case len(s.Later) > 0:
		r.Result = "later_release"
		return r, exitLaterCompatible
	}
	return r, exitNothingPending
}

func (r migrationReport) print(out io.Writer, s sqlstore.SchemaState) error {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s%s\n", what+":", fmt.Sprintf(format, args...))
	}
	line("this program", "segel %s, level %d, migrations up to %04d", r.Program.Version, r.Program.Level, r.Program.Newest)
	switch {
	case r.Has == nil:
		line("database", "has no tables")
	case r.Has.Version == "":
		line("database", "level %d, migrations up to %04d; programs from level %d on may write", r.Has.Level, r.Has.Newest, r.Has.OldestWriter)
	default:
		line("database", "level %d, migrations up to %04d, the last by segel %s; programs from level %d on may write", r.Has.Level, r.Has.Newest, r.Has.Version, r.Has.OldestWriter)
	}
	for _, m := range r.Pending {
		line("pending", "%s", describeMigration(m))
	}
	if r.QueuePending {
		line("pending", "the tables of the job queue")
	}
	for _, m := range r.Later {
		line("unknown here", "%s", describeMigration(m))
	}
	for _, n := range r.Nodes {
		line("runs now", "%s on %s, segel %s", n.Name, n.Host, n.Release)
	}
	line("result", "%s", r.advice(s))
	_, err := io.WriteString(out, b.String())
	return err
}

func describeMigration(m sqlstore.Migration) string {
	text := fmt.Sprintf("%04d %s", m.Number, m.Name)
	switch {
	case m.Kind == "" && m.Name == "":
		return fmt.Sprintf("%04d", m.Number)
	case m.Kind == "":
		return text + ", does not say whether earlier releases can work beside it"
	case m.OldestWriter > 0:
		return fmt.Sprintf("%s, %s: programs below level %d must not write afterwards", text, m.Kind, m.OldestWriter)
	}
	return text + ", " + m.Kind
}

// advice says what to do.
func (r migrationReport) advice(s sqlstore.SchemaState) string {
	switch r.Result {
	case "downgrade_refused":
		return s.Refused.Error()
	case "pending_stop":
		return "stop all processes of earlier releases, make a backup, and run segel migrate"
	case "pending":
		if r.Has == nil {
			return "segel migrate makes the tables"
		}
		return "make a backup and run segel migrate; processes of the release before may stay, and are replaced one after the other"
	case "later_release":
		return "a later release has migrated the database; this program may run beside it, and migrates nothing"
	}
	return "nothing to migrate"
}
