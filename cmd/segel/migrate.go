package main

import (
	"fmt"
	"os"

	"segel/internal/store/sqlstore"
)

type migrateCommand struct{ dataFlag }

func (c migrateCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	// This command creates no SQLite file: a mistyped path must not become a new database.
	if path, ok := sqlstore.SQLitePath(databaseDSN(conf)); ok {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("database: %w; segel serve creates a new installation", err)
		}
	}
	s, err := sqlstore.Open(w.ctx, databaseDSN(conf), sqlstore.Options{Mode: sqlstore.Migrating, Version: version})
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.stdout, "the database has this program's form")
	return err
}
