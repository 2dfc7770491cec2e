package main

import (
	"fmt"

	"segel/internal/config"
)

// renewCommand does manually what a running service does every hour.
type renewCommand struct{ dataFlag }

func (c renewCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app, _ config.Config) error {
		done, err := a.workflow.RenewDue(w.ctx)
		fmt.Fprintf(w.stdout, "%d documents renewed, %d put off\n", done.Renewed, done.PutOff)
		return err
	})
}
