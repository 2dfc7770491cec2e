package main

import (
	"fmt"

	"segel/internal/store/sqlstore"
)

type migrateCommand struct{ dataFlag }

func (c migrateCommand) Run(w *world) error {
	conf, err := c.config(w, nil)
	if err != nil {
		return err
	}
	if err := sqlstore.Migrate(w.ctx, dsn(conf)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.stdout, "the database has this program's form")
	return err
}
