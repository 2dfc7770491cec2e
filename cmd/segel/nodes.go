package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// describeNodes names the nodes that have not ended, for operators.
func (a *app) describeNodes(ctx context.Context) (string, error) {
	all, now, err := a.store.ListNodes(ctx)
	if err != nil {
		return "", err
	}
	var living []string
	for _, n := range all {
		if n.Runs(now) {
			living = append(living, fmt.Sprintf("%s on %s (%s)", n.Name, n.Host, strings.Join(n.Roles, ",")))
		}
	}
	return strings.Join(living, "; "), nil
}

// nodesCommand lists the processes that share the database.
type nodesCommand struct {
	dataFlag
	All bool `help:"Also those that ended within the last seven days."`
}

func (c nodesCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		all, now, err := a.store.ListNodes(w.ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tHOST\tRELEASE\tROLES\tSTARTED\tSTATE")
		for _, n := range all {
			state := "lives"
			switch {
			case !n.EndedAt.IsZero() && !c.All:
				continue
			case !n.EndedAt.IsZero():
				state = "ended " + n.EndedAt.Format(time.RFC3339)
			case !n.ExpiresAt.After(now):
				state = "lease ended " + n.ExpiresAt.Format(time.RFC3339)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, n.Host, n.Release, strings.Join(n.Roles, ","), n.StartedAt.Format(time.RFC3339), state)
		}
		return table.Flush()
	})
}
