package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/workflow"
)

type quotaCommand struct {
	Show   quotaShowCommand   `cmd:"" help:"Show the quotas of organisations."`
	Add    quotaAddCommand    `cmd:"" help:"Grant an organisation units; works beside a running service."`
	Export quotaExportCommand `cmd:"" help:"Write every call to the stamp office as CSV, for a claim of refund; or the ledger of quota."`
}

// commandLineActor is the actor for the command line. The zero identifier is the service itself, which may do everything.
func commandLineActor(command string) contract.Actor {
	return contract.Actor{Person: contract.Person{Name: "segel " + command}}
}

// organisationFlag names an organisation.
type organisationFlag struct {
	Org string `help:"Organisation by name; default: all." placeholder:"NAME"`
}

// findOrganisation finds the organisation; empty if none is named.
func (f organisationFlag) findOrganisation(w *environment, a *app) (contract.OrganisationID, error) {
	if f.Org == "" {
		return "", nil
	}
	o, err := a.findOrganisationByName(w.ctx, f.Org)
	return o.ID, err
}

// findOrganisationByName returns the organisation of that name.
func (a *app) findOrganisationByName(ctx context.Context, name string) (store.Organisation, error) {
	o, err := a.store.OrganisationByName(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return o, fmt.Errorf("there is no organisation %q", name)
	}
	return o, err
}

type quotaShowCommand struct {
	dataFlag
	organisationFlag
}

func (c quotaShowCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		all, err := a.workflow.Quotas(w.ctx, commandLineActor("quota show"), workflow.QuotaQuery{Organisation: of, Limit: math.MaxInt})
		if err != nil {
			return plainError(err)
		}
		for _, o := range all.Lines {
			showQuota(w.stdout, o)
		}
		return nil
	})
}

func showQuota(out io.Writer, o workflow.OrganisationQuota) {
	for _, u := range []contract.Unit{contract.UnitStamp, contract.UnitSignature} {
		q := o.Quota[u]
		fmt.Fprintf(out, "%s  %s: %d granted, %d reserved, %d spent, %d left\n", o.Organisation.Name, u, q.Granted, q.Reserved, q.Spent, q.Left())
	}
}

type quotaAddCommand struct {
	dataFlag
	Org    string `required:"" help:"Organisation by name." placeholder:"NAME"`
	Unit   string `required:"" enum:"emet,base" help:"emet (duty stamps) or base (signatures)." placeholder:"UNIT"`
	Count  int    `required:"" help:"How many; a negative count corrects an earlier one." placeholder:"N"`
	Reason string `required:"" help:"Why; recorded in the ledger and in the audit log." placeholder:"TEXT"`
}

func (c quotaAddCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		of, err := organisationFlag{c.Org}.findOrganisation(w, a)
		if err != nil {
			return err
		}
		q, err := a.workflow.GrantQuota(w.ctx, commandLineActor("quota add"), workflow.GrantRequest{
			Organisation: of, Unit: contract.Unit(c.Unit), Count: c.Count, Reason: c.Reason,
		})
		if err != nil {
			return plainError(err)
		}
		showQuota(w.stdout, q)
		return nil
	})
}

type quotaExportCommand struct {
	dataFlag
	organisationFlag
	Moves  bool   `help:"The ledger of quota instead of the calls."`
	From   string `help:"Only from that time on, such as 2026-03-01T00:00:00+07:00." placeholder:"TIME"`
	Until  string `help:"Only before that time." placeholder:"TIME"`
	Output string `short:"o" help:"File to write, which must not exist; default: standard output." placeholder:"FILE"`
}

func (c quotaExportCommand) Run(w *environment) error {
	from, err := parseTime(c.From)
	if err != nil {
		return err
	}
	until, err := parseTime(c.Until)
	if err != nil {
		return err
	}
	return c.withApp(w, reading, func(a *app) error {
		of, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		return c.writeOutput(w, func(out io.Writer) error {
			by := commandLineActor("quota export")
			if c.Moves {
				table := export.NewMoves(out)
				q := store.QuotaQuery{Organisation: of, From: from, Until: until}
				return errors.Join(a.workflow.EachQuotaMove(w.ctx, by, q, table.Write), table.Close())
			}
			table := export.NewAttempts(out)
			q := store.AttemptQuery{Organisation: of, From: from, Until: until}
			return errors.Join(a.workflow.EachAttempt(w.ctx, by, q, table.Write), table.Close())
		})
	})
}

// writeOutput calls do with the destination of the table.
func (c quotaExportCommand) writeOutput(w *environment, do func(io.Writer) error) error {
	if c.Output == "" {
		buffered := bufio.NewWriter(w.stdout)
		return errors.Join(do(buffered), buffered.Flush())
	}
	f, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	return errors.Join(do(buffered), buffered.Flush(), f.Close())
}

// parseTime parses a time; an empty string is the zero time.
func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fmt.Errorf("%q is not a time; write it such as 2026-03-01T09:00:00Z", s)
	}
	return t, nil
}
